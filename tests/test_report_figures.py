"""What every chart of a report draws, from made-up figures; and figures in words."""

import copy
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from conftest import MakeUp, against
from wordline import loading
from wordline.figures import metrics
from wordline.figures.caveats import geometric_mean, listed, warnings_of
from wordline.report import calibration, charts, drawing, glance, page, tables
from wordline.results import result_files


def drawn(cases: list[wl.Case], title: str) -> list[dict[str, Any]]:
    (chart,) = (chart for chart in charts.of_cases(cases) if chart.title == title)
    return chart.spec["data"]["values"]


def xy(cases: list[wl.Case], title: str) -> list[tuple[float, float]]:
    return [(row["x"], row["y"]) for row in drawn(cases, title)]


@pytest.fixture
def case(made_up: MakeUp) -> wl.Case:
    figures = {
        "host.read.distribution": [[100.0, 0.5], [140.0, 0.99], [170.0, 1.0]],
        "host.write.distribution": [[0.0, 0.1], [220.0, 0.75], [240.0, 0.995], [270.0, 1.0]],
        "wear.histogram": [[2, 3], [5, 1]],
        "flash.die_utilisation": [0.5, 0.3],
        "flash.channel_utilisation": [0.7, 0.05],
    }
    return wl.Case("a", "load", made_up(figures))


def test_latencies_are_shares_served_and_shares_that_took_longer(case: wl.Case) -> None:
    # Up to the 99th percentile, 140 and 240 µs.
    assert xy([case], "Read latency") == [(100, 0.5), (140, 0.99)]
    assert xy([case], "Write latency") == [(0, 0.1), (220, 0.75), (240, 0.995)]
    assert xy([case], "Read latency, tail") == [(100, 0.5), (140, 0.01)]
    # What took no time has no place on a logarithmic axis.
    assert xy([case], "Write latency, tail") == [(220, 0.25), (240, 0.005)]


def test_the_slowest_drive_decides_where_the_body_of_latencies_ends(
    case: wl.Case, made_up: MakeUp
) -> None:
    slow = made_up({"host.read.p99_us": 170.0, "host.read.distribution": [[170.0, 1.0]]})
    rows = drawn([case, wl.Case("b", "load", slow)], "Read latency")
    assert [(row["drive"], row["x"]) for row in rows] == [
        ("a", 100), ("a", 140), ("a", 170), ("b", 170),
    ]  # fmt: skip


def test_wear_is_drawn_by_place_and_by_count(case: wl.Case) -> None:
    """Three blocks of two erases, one of five."""
    assert xy([case], "Wear over blocks") == [(0, 2), (0.75, 2), (0.75, 5), (1, 5)]
    assert xy([case], "Spread of wear") == [(2, 3), (5, 1)]


def test_bars_are_causes_energies_and_busy_shares(case: wl.Case) -> None:
    causes = {row["cause"]: row["y"] for row in drawn([case], "Write amplification by cause")}
    assert causes == {
        "host": 1, "gc": 1.7, "mapping": 0.01, "wear": 0.05, "technique": 0.04, "padding": 0.3,
    }  # fmt: skip
    energies = {row["operation"]: row["y"] for row in drawn([case], "Energy")}
    assert energies == {"read": 1, "program": 20, "erase": 15}
    busy = {row["resource"]: row["y"] for row in drawn([case], "Utilisation")}
    assert busy == {
        "channel, mean": 0.375, "channel, most": 0.7, "die, mean": 0.4, "die, most": 0.5,
    }  # fmt: skip
    each = [(row["die"], row["y"]) for row in drawn([case], "Utilisation of each die")]
    assert each == [(0, 0.5), (1, 0.3)]
    channels = [row["y"] for row in drawn([case], "Utilisation of each channel")]
    assert channels == [0.7, 0.05]


def test_courses_are_over_time_and_victims_over_requests(
    case: wl.Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {
        "time_s": [120.0, 180.0, 240.0],
        "requests": [100, 200, 400],
        "gc_count": [0, 10, 50],
        "free_blocks": [9.0, 7.0, float("nan")],
    }
    monkeypatch.setattr(drawing, "_column", lambda case, name: columns.get(name, []))
    # 10 victims in 100 requests, then 40 in 200; ends of intervals in minutes.
    assert xy([case], "Garbage collection over time") == [(3, 100), (4, 200)]
    assert xy([case], "Free blocks over time") == [(2, 9), (3, 7)]
    columns["time_s"] = [0.0, 0.0, 0.0]
    assert xy([case], "Free blocks over the run") == [(100, 9), (200, 7)]


def test_a_column_is_drawn_unless_it_never_changes(
    case: wl.Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {
        "time_s": [10.0, 20.0, 30.0],
        "read_p99_us": [float("nan"), 250.0, 260.0],
        "write_p99_us": [5.0, 5.0, 5.0],
        "slc_cache_mib": [64.0, 0.0, 0.0],
        "lazy_ftl_waiting": [float("nan"), float("nan"), 3.0],
    }
    monkeypatch.setattr(drawing, "_column", lambda case, name: columns.get(name, []))
    assert xy([case], "P99 read latency (µs) over time") == [(20, 250), (30, 260)]
    assert xy([case], "SLC cache in use (MiB) over time") == [(10, 64), (20, 0), (30, 0)]
    titles = [chart.title for chart in charts.of_cases([case])]
    assert not any("waiting" in title or "P99 write" in title for title in titles)


def test_a_column_that_one_drive_has_names_it(
    case: wl.Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {"time_s": [10.0, 20.0], "slc_cache_mib": [64.0, 0.0]}
    had = {"a": ("time_s",), "b": ("time_s", "slc_cache_mib")}
    monkeypatch.setattr(
        drawing, "_column", lambda case, name: columns[name] if name in had[case.variant] else []
    )
    both = [case, wl.Case("b", "load", case.result)]
    titles = {chart.title: chart.caption for chart in charts.of_cases(both)}
    assert titles["SLC cache in use (MiB) over time"].endswith("b only.")


def test_dies_are_drawn_as_a_map_of_one_run_and_as_a_line_of_several(
    case: wl.Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {
        "time_s": [10.0, 20.0, 40.0],
        "die_0_utilisation": [0.1, 0.5, 1.0],
        "die_1_utilisation": [0.1, 0.0, 0.3],
        "die_utilisation": [0.1, 0.25, 0.65],
    }
    monkeypatch.setattr(drawing, "_column", lambda case, name: columns.get(name, []))
    map_ = "Dies over time"
    cells = [tuple(row.values()) for row in drawn([case], map_)]
    assert cells == [(0, 10, 20, 0.5), (0, 20, 40, 1), (1, 10, 20, 0), (1, 20, 40, 0.3)]
    # Two intervals in one cell: the mean over 30 s.
    monkeypatch.setattr(charts, "_CELLS", 1)
    cells = [tuple(row.values()) for row in drawn([case], map_)]
    assert cells == [(0, 10, 40, 0.8333), (1, 10, 40, 0.2)]
    line = "Busy share of the dies over time"
    both = [case, wl.Case("b", "load", case.result)]
    assert xy(both, line)[:3] == [(10, 0.1), (20, 0.25), (40, 0.65)]
    assert not {map_, line} <= {chart.title for chart in charts.of_cases(both)}
    # Of more dies than can be drawn the series has the mean alone.
    del columns["die_0_utilisation"], columns["die_1_utilisation"]
    assert xy([case], line)


def test_drive_writes_a_day_are_those_of_the_life_or_of_the_endurance(made_up: MakeUp) -> None:
    """Ten blocks of 100 cycles that spent 5 each for a GiB last 20 GiB on a drive of 2."""
    dwpd = {metric.key: metric for metric in metrics.METRICS}["dwpd"]
    known = {
        "capacity.logical_gib": 2.0, "config.drive.chip.endurance_pec": 100,
        "config.drive.chip.initial_pec": 10, "wear.histogram": [[14, 5], [16, 5]],
        "flash.erases": 50, "wear.erases_per_host_gib": 50.0,
    }  # fmt: skip
    days = 365 * 5
    assert dwpd.of(made_up(known)) == pytest.approx(20 / 2 / days)
    assert dwpd.of(made_up(known | {"wear.life_gib": 12.0})) == pytest.approx(12 / 2 / days)
    assert dwpd.of(made_up(known | {"config.drive.chip.endurance_pec": 0})) is None
    assert dwpd.of(made_up(known | {"wear.histogram": [[10, 10]]})) is None


def test_a_life_is_drawn_over_what_was_written(case: wl.Case, made_up: MakeUp) -> None:
    names = [name for name, *_ in charts._LIFE]
    windows: list[dict[str, Any]] = [
        {"written_gib": 1.5 * n, **{name: n + 10.0 * at for at, name in enumerate(names)}}
        for n in (1, 2)
    ]
    windows[1]["read_p999_us"] = None
    of = [wl.Case("a", "load", made_up({"life": windows}))]
    assert xy(of, "Life: mean time of an erase (ms)") == [(1.5, 1), (3, 2)]
    assert xy(of, "Life: p99.9 read latency (µs)") == [(1.5, 31)]
    assert xy(of, "Life: good blocks") == [(1.5, 41), (3, 42)]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "–"), (7, "7"), (12_345, "12,345"), (0.0, "0"), (12_345.6, "12,346"),
        (1234.4, "1,234"), (99.996, "100.0"), (1.5, "1.500"), (0.01234, "0.01234"),
        (0.001234, "0.001234"), (0.0001234, "0.0001234"), (0.00001234, "1.234e-05"),
    ],
)  # fmt: skip
def test_figures_have_four_digits(value: float | None, told: str) -> None:
    assert metrics.figure(value) == told


@pytest.mark.parametrize(
    ("ratio", "told"),
    [
        (None, ""), (0.0009, "×<0.001"), (0.001, "×0.001"), (0.0994, "×0.099"), (0.0996, "×0.10"),
        (9.994, "×9.99"), (9.996, "×10.0"), (99.94, "×99.9"), (99.96, "×100"), (1234.0, "×1,234"),
    ],
)  # fmt: skip
def test_ratios_have_three_digits(ratio: float | None, told: str) -> None:
    assert metrics.change(ratio) == told


def test_what_was_written_is_what_the_drive_took(made_up: MakeUp) -> None:
    """Of 8 GiB a drive took 2, by 4,800 erases at 2,400 a GiB; one without erases took all."""
    refused = made_up({"workload.bytes_written": 8 << 30, "flash.erases": 4800,
                       "wear.erases_per_host_gib": 2400.0})  # fmt: skip
    assert metrics.written_gib(refused) == 2
    unworn = made_up({"workload.bytes_written": 3 << 30, "flash.erases": 0,
                      "wear.erases_per_host_gib": None})  # fmt: skip
    assert metrics.written_gib(unworn) == 3


@pytest.mark.parametrize(("erases", "is_same"), [(3169, True), (3167, False)])
def test_within_a_percent_the_work_is_the_same(made_up: MakeUp, erases: int, is_same: bool) -> None:
    """3,200 erases at 3,200 a GiB are one GiB; 3,169 and 3,167 lie about 0.99."""
    other = made_up({"flash.erases": erases})
    assert metrics.same_work([made_up(), other]) == is_same
    assert metrics.same_work([other, made_up()]) == is_same
    shown = {metric.key for metric in metrics.shown([made_up(), other])}
    assert ("erases_per_gib" in shown) != is_same


def test_words_and_means() -> None:
    assert [listed(list(names)) for names in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]
    assert geometric_mean([0.25, 1.0, 4.0]) == pytest.approx(1)
    assert geometric_mean([8.0, 2.0]) == pytest.approx(4)
    points = list(range(11))
    assert drawing.thin(points, 11) is points
    assert drawing.thin(points, 3) == [0, 5, 10]
    assert drawing.rounded(123_456.0) == 123_500


def test_warnings_say_which_runs_they_concern(made_up: MakeUp) -> None:
    warned = [
        made_up({"warnings": [f"w{letter}" for letter in of]}) for of in ("xy", "x", "xz", "x", "z")
    ]
    cases = against(*warned[:4]).cases
    assert warnings_of(cases) == [
        ("wx", "in every run"), ("wy", "in 1 of 4 runs: a, load"),
        ("wz", "in 1 of 4 runs: c, load"),
    ]  # fmt: skip
    five = against(*warned).cases
    assert warnings_of(five)[0] == ("wx", "in 4 of 5 runs: a, load; b, load; and 2 more")
    assert warnings_of(five)[2] == ("wz", "in 2 of 5 runs: c, load; e, load")
    assert warnings_of(cases[:1]) == [("wx", ""), ("wy", "")]


def test_a_line_has_200_points_and_lines_of_many_drives_fewer(made_up: MakeUp) -> None:
    long = [[float(at), at / 1000] for at in range(1, 1001)]
    result = made_up({"host.read.p99_us": 1000.0, "host.read.distribution": long})
    rows = drawn([wl.Case("a", "load", result)], "Read latency")
    assert len(rows) == 200
    assert (rows[0]["x"], rows[-1]["x"]) == (1, 1000)
    # 24,000 points for a page: 22 lines of each of 10 drives leave 109 to a line.
    many = [wl.Case(f"{n}", "load", result) for n in range(10)]
    assert len(drawn(many, "Read latency")) == 10 * 109


def test_a_figure_without_a_ratio_on_every_workload_is_not_in_the_picture(
    made_up: MakeUp,
) -> None:
    one = against(made_up(), made_up({"energy_mj.total": 9.0, "host.iops": 2200.0}), load="one")
    lacks = made_up({"energy_mj.total": 0.0})
    two = against(lacks, lacks, load="two")
    chart = glance.of_comparison(wl.Comparison([*one.cases, *two.cases]), ["one", "two"])
    assert chart
    assert [(row["figure"], row["x"]) for row in chart.spec["data"]["values"]] == [
        ("IOPS", drawing.rounded(2**0.5))
    ]


def test_what_differs_is_listed_and_nothing_else(made_up: MakeUp) -> None:
    base = made_up()["config"].to_dict()
    other = copy.deepcopy(base)
    other["drive"]["channels"] = 77
    both = against(made_up(), made_up({"config": other}), made_up())
    html = tables.differences(both.cases)
    assert "<th scope='row'>b</th><td><code>drive.channels = 77</code></td>" in html
    assert "<th scope='row'>c</th><td>nothing</td>" in html


def test_two_drives_are_both_and_three_are_all(made_up: MakeUp) -> None:
    def told(count: int) -> list[str]:
        cases = [wl.Case(name, "load", made_up(), ("k=1",)) for name in "abc"[:count]]
        return wl.Comparison(cases).warnings

    end = "have `k=1`; set another value or another key"
    assert told(2) == [f"`a` and `b` are the same drive, because both {end}"]
    assert told(3) == [f"`a`, `b` and `c` are the same drive, because all {end}"]
    assert told(1) == []


def test_each_case_of_a_folder_has_its_own_run(made_up: MakeUp, tmp_path: Path) -> None:
    both = against(made_up({"flash.erases": 1}), made_up({"flash.erases": 2}))
    result_files.save_comparison(both, tmp_path)
    kept = loading.load(tmp_path)
    assert isinstance(kept, wl.Comparison)
    assert [case.result.flash.erases for case in kept.cases] == [1, 2]


def test_only_what_has_the_fitted_value_is_calibrated(
    made_up: MakeUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = made_up()
    channels = result.config.drive.channels
    fitted = [
        ("drive.channels", channels, f"{calibration._FITTED} to a figure"),
        ("drive.chip.dies", -1, f"{calibration._FITTED} to a figure"),
        ("run.seed", result.config.run.seed, "a datasheet"),
    ]
    monkeypatch.setattr(calibration, "_declared", lambda: fitted)
    assert list(calibration._fitted(result)) == [f"drive.channels = {channels}"]


def test_a_page_holds_text_as_text() -> None:
    assert page.warning_box([]) == ""
    box = page.warning_box([("set `a.b` < 3", "in 1 of 2 runs: <x>")])
    assert "<strong>set <code>a.b</code> &lt; 3</strong>" in box
    assert "<small>in 1 of 2 runs: &lt;x&gt;</small>" in box
    assert "<summary><strong>1 warning</strong></summary>" in box
    many = page.warning_box([(f"w{n}", "") for n in range(4)])
    _, folded = many.split("<details><summary><strong>4 warnings</strong></summary>")
    assert all(f"w{n}" in folded for n in range(4))
    assert page.in_script({"a": "</script>"}) == '{"a":"\\u003c/script>"}'
