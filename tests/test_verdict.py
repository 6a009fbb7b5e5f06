"""The verdict in words: each sentence from made-up figures, with values worked out by hand."""

import pytest
import wordline as wl
from conftest import MakeUp, against
from wordline.report import verdict


def said(comparison: wl.Comparison, begin: str = "load: ") -> list[str]:
    return [told for told in verdict.of_comparison(comparison) if told.startswith(begin)]


def latencies(kind: str, times: dict[str, float], base: dict[str, float]) -> dict[str, float]:
    return {f"host.{kind}.{s}_us": base[s] * ratio for s, ratio in times.items()}


WRITES = {"mean": 230.0, "p99": 240.0, "p999": 250.0, "p9999": 260.0, "max": 270.0}


def test_a_run_is_told_in_figures(made_up: MakeUp) -> None:
    figures = {
        "flash.die_utilisation": [0.5, 0.3],
        "flash.channel_utilisation": [0.7, 0.05],
    }
    told = verdict.of_run(made_up(figures))
    assert told[:4] == [
        "Write amplification was 3.100; most of what the host did not ask for was garbage "
        "collection (1.700 per unit written).",
        "Half of the reads took at most 120 µs, 99 % at most 140 µs, 99.9 % at most 150 µs, "
        "99.99 % at most 160 µs; half of the writes took at most 220 µs, 99 % at most 240 µs, "
        "99.9 % at most 250 µs, 99.99 % at most 260 µs.",
        "The dies were the busier resource: 40 % of the time on average.",
        "Write amplification was steady by the SNIA PTS rule.",
    ]


@pytest.mark.parametrize(
    ("dies", "channels", "told"),
    [
        # The mean decides, not the busiest one.
        ([0.9, 0.1], [0.6, 0.6], "The channels were the busier resource: 60 % of the time"),
        ([0.6, 0.6], [0.9, 0.1], "The dies were the busier resource: 60 % of the time"),
    ],
)
def test_the_bottleneck_is_the_busier_on_average(
    made_up: MakeUp, dies: list[float], channels: list[float], told: str
) -> None:
    result = made_up({"flash.die_utilisation": dies, "flash.channel_utilisation": channels})
    assert [said for said in verdict.of_run(result) if told in said]


@pytest.mark.parametrize(
    ("figures", "told"),
    [
        ({"write_amplification": None}, "The host wrote nothing, so there is no write"),
        (
            {"write_amplification": 1.0, "write_amplification_by_cause": {"host": 1.0, "gc": 0.0}},
            "Write amplification was 1.000: the drive wrote what the host wrote.",
        ),
        ({"steady_state.reached": False}, "No steady state was reached: longer runs may give"),
        ({"wear.read_only_after_writes": 7}, "The drive was written until it turned read-only."),
        ({"workload.synthetic": True}, "The workload is synthetic, not traced."),
        (
            {"write_amplification_by_cause": {"host": 1.0, "gc": 0.9, "padding": 1.2}},
            "most of what the host did not ask for was padding (1.200 per unit written).",
        ),
    ],
)
def test_what_is_said_of_a_run(made_up: MakeUp, figures: dict, told: str) -> None:
    assert [said for said in verdict.of_run(made_up(figures)) if told in said]


def test_a_comparison_names_the_best_of_each_figure(made_up: MakeUp) -> None:
    better = made_up({"flash.erases": 2400, "wear.erases_per_host_gib": 2400.0,
                      "host.read.mean_us": 26.0})  # fmt: skip
    worse = made_up({"flash.erases": 2880, "wear.erases_per_host_gib": 2880.0,
                     "energy_mj.total": 45.0})  # fmt: skip
    (told,) = said(against(made_up(), better, worse))
    assert told == (
        "load: against a, b is best in read latency (mean a factor of 5.0 lower) and erases "
        "(25 % lower); no drive betters a in energy (25 % higher with c)."
    )
    (told,) = said(against(made_up(), worse))
    assert told == (
        "load: against a, b is best in erases (10 % lower); no drive betters a in energy "
        "(25 % higher with b)."
    )


def test_the_best_of_what_is_better_higher_is_the_highest(made_up: MakeUp) -> None:
    fast, faster = made_up({"host.iops": 1320.0}), made_up({"host.iops": 1650.0})
    for drives, name in (((fast, faster), "c"), ((faster, fast), "b")):
        (told,) = said(against(made_up(), *drives))
        assert told == f"load: against a, {name} is best in IOPS (50 % higher)."


def test_runs_that_were_not_steady_are_counted(made_up: MakeUp) -> None:
    steady, short = made_up(), made_up({"steady_state.reached": False})
    ended = made_up({"steady_state.reached": False, "wear.read_only_after_writes": 7})

    def told(*results: wl.Result) -> str:
        (found,) = (
            told
            for told in verdict.of_comparison(against(*results))
            if "stead" in told or "read-only" in told
        )
        return found

    assert told(steady, steady) == "Every run was steady by the SNIA PTS rule."
    assert told(short, steady, short, ended) == (
        "2 of 3 runs reached no steady state (a and c): longer runs may give other ratios."
    )
    assert told(short, short) == (
        "No run reached a steady state: longer runs may give other ratios."
    )
    assert told(steady, ended) == (
        "Every run whose drive did not wear out was steady by the SNIA PTS rule."
    )
    assert told(ended, ended) == "Every drive was written until it turned read-only."


def test_only_generated_workloads_are_called_synthetic(made_up: MakeUp) -> None:
    def told(*names: str) -> str:
        results = [
            made_up({"workload.name": name, "workload.synthetic": name.startswith("zipf")})
            for name in names
        ]
        return verdict._origin(results)

    assert told("a.csv", "b.csv") == ""
    assert told("a.csv", "zipf:x=1") == "Synthetic, not traced: zipf."
    assert told("zipf:x=1") == "The workload is synthetic, not traced."
    assert told("zipf:x=1", "zipf:x=2") == "The workloads are synthetic, not traced."


@pytest.mark.parametrize(
    ("microseconds", "told"),
    [(999.0, "999 µs"), (1000.0, "1 ms"), (999_000.0, "999 ms"), (1e6, "1 s"), (0.25, "0.25 µs")],
)
def test_durations_are_in_a_fitting_unit(microseconds: float, told: str) -> None:
    assert verdict.duration(microseconds) == told


def test_a_drive_that_equals_the_baseline_hides_none_that_is_worse(made_up: MakeUp) -> None:
    worse = made_up({"write_amplification": 3.72, "host.iops": 990.0})
    (told,) = said(against(made_up(), made_up(), worse))
    assert told == (
        "load: no drive betters a in IOPS (10 % lower with c) and write amplification "
        "(20 % higher with c)."
    )


@pytest.mark.parametrize(
    ("ratio", "is_equal"), [(1.0099, True), (1.0101, False), (0.9901, True), (0.9899, False)]
)
def test_a_percent_is_equal(made_up: MakeUp, ratio: float, is_equal: bool) -> None:
    told = said(against(made_up(), made_up({"energy_mj.total": 36.0 * ratio})))[0]
    assert ("nothing that was measured differs from a" in told) == is_equal


def test_means_over_workloads_are_geometric(made_up: MakeUp) -> None:
    """Ratios of 1/4 and 1 have the geometric mean 1/2; the arithmetic one is 5/8."""
    first = against(made_up(), made_up({"energy_mj.total": 9.0}), load="one").cases
    second = against(made_up(), made_up(), load="two").cases
    told = verdict.of_comparison(wl.Comparison([*first, *second]))
    assert told[0] == (
        "Over all 2 workloads, by the geometric mean of the ratios: against a, b is best in "
        "energy (a factor of 2.0 lower)."
    )
    assert told[1] == "one: against a, b is best in energy (a factor of 4.0 lower)."
    assert told[2] == "two: nothing that was measured differs from a."


def test_sums_are_judged_only_where_the_host_wrote_as_much_under_every_workload(
    made_up: MakeUp,
) -> None:
    """Under `two` the host wrote twice as much to b, with 1.5 times the erases and the energy."""
    more = made_up({
        "flash.erases": 4800, "wear.erases_per_host_gib": 2400.0,
        "workload.bytes_written": 2 << 30, "energy_mj.total": 54.0,
    })  # fmt: skip
    one, two = against(made_up(), made_up(), load="one"), against(made_up(), more, load="two")
    (told,) = said(wl.Comparison([*one.cases, *two.cases]), "two: ")
    assert told == (
        "two: against a, b is best in erases per GiB written (25 % lower) and energy per GiB "
        "written (25 % lower)."
    )


def test_lives_are_judged_by_rates(made_up: MakeUp) -> None:
    """Twice the life with 1.5 times the erases: a quarter fewer for each GiB."""
    ended = {"wear.read_only_after_writes": 9}
    short = made_up({**ended, "wear.life_gib": 1.0})
    long = made_up({
        **ended, "wear.life_gib": 2.0, "flash.erases": 4800, "wear.erases_per_host_gib": 2400.0,
        "workload.bytes_written": 2 << 30, "energy_mj.total": 90.0,
    })  # fmt: skip
    (told,) = said(against(short, long))
    assert told == (
        "load: against a, b is best in erases per GiB written (25 % lower) and life "
        "(a factor of 2.0 higher); no drive betters a in energy per GiB written (25 % higher "
        "with b)."
    )


@pytest.mark.parametrize(
    ("times", "told"),
    [
        (
            {"mean": 0.8, "p99": 0.125, "p999": 1.0, "p9999": 1.05, "max": 2.0},
            "load: b's write tail does not follow: mean 20 % lower, p99 a factor of 8.0 "
            "lower, but p99.9 within 10 %, p99.99 5 % higher, longest a factor of 2.0 higher.",
        ),
        (
            {"mean": 0.9, "p999": 1.02},
            "load: b's write tail does not follow: mean 10 % lower, but p99.99 and longest "
            "within 10 %, p99.9 2 % higher.",
        ),
        (
            {"p99": 0.5},
            "load: b's write tail does not follow: p99 a factor of 2.0 lower, but p99.9, p99.99 "
            "and longest within 10 %.",
        ),
        ({"p99": 0.51}, ""),  # no step: less than halved
        ({"p99": 0.5, "p999": 0.89, "p9999": 0.9, "max": 0.9}, ""),  # the tail comes along
        ({"mean": 0.9, "p999": 1.01, "p9999": 1.01, "max": 1.1}, ""),  # within what seeds change
        ({"mean": 0.9, "max": 1.11},
         "load: b's write tail does not follow: mean 10 % lower, but p99.9 and p99.99 within "
         "10 %, longest 11 % higher."),
        ({"mean": 0.99, "p9999": 1.5}, ""),  # nothing is better
    ],
)  # fmt: skip
def test_a_tail_that_goes_the_other_way_is_named(
    made_up: MakeUp, times: dict[str, float], told: str
) -> None:
    other = made_up(latencies("write", times, WRITES))
    assert said(against(made_up(), other), "load: b's") == ([told] if told else [])


def test_tails_on_several_workloads_are_one_sentence(made_up: MakeUp) -> None:
    cases = [
        case
        for load, longest in (("one", 1.5), ("two", 3.0), ("three", 1.0))
        for case in against(
            made_up(),
            made_up(latencies("write", {"mean": 0.9, "p999": 0.5, "max": longest}, WRITES)),
            load=load,
        ).cases
    ]
    assert said(wl.Comparison(cases), "b's") == [
        "b's write tail does not follow on 2 of 3 workloads, most on two: mean 10 % lower, but "
        "p99.99 within 10 %, longest a factor of 3.0 higher."
    ]


@pytest.mark.parametrize(
    ("count", "judged"),
    [
        (9_999, ""),
        (10_000, ", p99.9 20 % higher"),
        (99_999, ", p99.9 20 % higher"),
        (100_000, ", p99.9 20 % higher, p99.99 30 % higher"),
    ],
)
def test_percentiles_of_too_few_requests_are_not_judged(
    made_up: MakeUp, count: int, judged: str
) -> None:
    """Ten requests must lie beyond a percentile, of the drive that has fewer."""
    times = {"mean": 0.5, "p999": 1.2, "p9999": 1.3}
    other = made_up({**latencies("write", times, WRITES), "host.write.count": count})
    tail = "load: b's write tail does not follow"
    begin = f"{tail}: mean a factor of 2.0 lower, but longest within 10 %"
    expected = [f"{begin}{judged}."] if judged else []
    assert said(against(made_up(), other), "load: b's") == expected
    assert ("p99.9" in said(against(made_up(), other))[0]) == bool(judged)


def padded(made_up: MakeUp, total: float, padding: float) -> wl.Result:
    causes = {"host": 1.0, "gc": total - 1 - padding, "padding": padding}
    return made_up({"write_amplification": total, "write_amplification_by_cause": causes})


@pytest.mark.parametrize(
    ("ours", "told"),
    [
        # 0.6 of the 0.8 gained is padding; without it 2.2 against 2.4.
        ((3.6, 1.4), "write amplification ×0.82, without padding ×0.92 (padding is 2.000 of 4.400 "
                     "with a and 1.400 of 3.600 with b)"),
        # All of the 0.4 gained and more: without padding it is a loss, 3.2 against 2.4.
        ((4.0, 0.8), "write amplification ×0.91, without padding ×1.33 (padding is 2.000 of 4.400 "
                     "with a and 0.8000 of 4.000 with b)"),
        ((3.4, 1.49), "write amplification ×0.77, without padding ×0.80 (padding is 2.000 of 4.400 "
                     "with a and 1.490 of 3.400 with b)"),
        ((3.4, 1.51), ""),  # 0.49 of 1.0: less than half
        ((4.36, 1.9), ""),  # no gain beyond a percent
        ((4.6, 1.0), ""),  # a loss
    ],
)  # fmt: skip
def test_a_gain_that_is_mostly_padding_is_named(
    made_up: MakeUp, ours: tuple[float, float], told: str
) -> None:
    both = against(padded(made_up, 4.4, 2.0), padded(made_up, *ours))
    ends = (
        "; compare with another ftl.acknowledge or ftl.buffer_kib, which decide how much is padded"
    )
    whole = f"what b gains over a is mostly padding: {told}{ends}"
    padding = [warning for warning in both.warnings if "padding" in warning]
    assert padding == ([whole] if told else [])
    assert said(both, "What b gains") == ([f"W{whole[1:]}."] if told else [])


@pytest.mark.parametrize(("erases", "told"), [(50.0, True), (50.4, True), (51.0, False)])
def test_padding_is_no_gain_where_erases_rise(made_up: MakeUp, erases: float, told: bool) -> None:
    """Within a percent they are equal."""
    worn = {"write_amplification": 3.6, "wear.erases_per_host_gib": erases}
    ours = made_up({**worn, "write_amplification_by_cause": {"host": 1, "gc": 1.2, "padding": 1.4}})
    theirs = made_up(
        {
            "write_amplification": 4.4,
            "wear.erases_per_host_gib": 50.0,
            "write_amplification_by_cause": {"host": 1, "gc": 1.4, "padding": 2.0},
        }
    )
    warnings = [warning for warning in against(theirs, ours).warnings if "padding" in warning]
    assert bool(warnings) == told


def test_padding_on_several_workloads_is_one_sentence(made_up: MakeUp) -> None:
    """By geometric mean of the two of three that are padding: ×1/2 and, without, ×1."""
    cases = [
        case
        for load, ours in (("one", (2.0, 0.0)), ("two", (2.0, 0.0)), ("three", (4.0, 2.0)))
        for case in against(padded(made_up, 4.0, 2.0), padded(made_up, *ours), load=load).cases
    ]
    (told,) = (warning for warning in wl.Comparison(cases).warnings if "padding" in warning)
    assert told.startswith(
        "what b gains over a is mostly padding on 2 of 3 workloads: write amplification ×0.50, "
        "without padding ×1.00 (by geometric mean); "
    )
