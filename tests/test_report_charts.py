"""What charts show of made-up courses: time, spikes, lines that coincide; and the title."""

import copy
import itertools
import math
from dataclasses import replace

import pytest
import wordline as wl
from conftest import MakeUp, against
from wordline.report import charts, drawing, glance, heading, page
from wordline.report.drawing import Chart


def chart_of(cases: list[wl.Case], title: str) -> Chart:
    return next(chart for chart in charts.of_cases(cases) if chart.title == title)


def lines(*curves: list[float]) -> list[drawing.Row]:
    return [
        {"drive": name, "x": x, "y": y}
        for name, curve in zip("abc", curves, strict=False)
        for x, y in enumerate(curve)
    ]


def test_over_time_has_time_on_its_axis(result: wl.Result) -> None:
    """20,000 requests, one each 3 ms, take a minute."""
    chart = chart_of([wl.Case("a", "load", result)], "Free blocks over time")
    spec = chart.spec
    assert spec["encoding"]["x"]["title"] == "time (s)"
    ends = result.series["time_s"]
    drawn = [row["x"] for row in spec["data"]["values"]]
    assert drawn == [drawing.rounded(time_s) for time_s in drawing.thin(ends, len(drawn))]
    assert ends[-1] == pytest.approx(60, rel=0.05)


@pytest.mark.parametrize(
    ("span_s", "unit"),
    [(0.9, (1e-3, "ms")), (1, (1, "s")), (119, (1, "s")), (120, (60, "min")),
     (7199, (60, "min")), (7200, (3600, "h")), (172_800, (86_400, "days"))],
)  # fmt: skip
def test_the_unit_of_time_suits_the_run(span_s: float, unit: tuple[float, str]) -> None:
    assert drawing.clock(span_s) == unit


def test_what_was_not_timed_is_drawn_over_requests() -> None:
    counted = wl.run("tiny", "uniform:writes=20000", run={"mode": "count"})
    chart = chart_of([wl.Case("a", "load", counted)], "Write amplification over the run")
    assert chart.spec["encoding"]["x"]["title"] == "requests"
    assert chart.spec["data"]["values"][-1]["x"] == 20_000


def test_victims_are_counted_by_interval(result: wl.Result) -> None:
    chart = chart_of([wl.Case("a", "load", result)], "Garbage collection over time")
    drawn = chart.spec["data"]["values"]
    columns = zip(result.series["requests"], result.series["gc_count"], strict=True)
    (start, before), (end, after) = drawing.thin(list(columns), len(drawn) + 1)[-2:]
    assert drawn[-1]["y"] == drawing.rounded(1000 * (after - before) / (end - start))


def test_a_spike_is_cut_off_and_told() -> None:
    """Nine in ten points are at most 2: beyond 4 times that, a point is a spike."""
    scale, told = drawing.without_spikes(lines([2.0] * 19 + [98.8]))
    assert scale.get("domainMax") == 3
    assert scale.get("clamp")
    assert told == " 1 of 20 points lie beyond the upper edge, up to 98.80."
    for curve in ([2.0] * 19 + [8.0], [2.0] * 17 + [98.8] * 3, [0.0] * 19 + [5.0], []):
        scale, told = drawing.without_spikes(lines(curve))
        assert told == ""
        assert "domainMax" not in scale


@pytest.mark.parametrize(
    ("curves", "told"),
    [
        (([1, 2], [1, 2], [1, 3]), " a and b coincide."),
        (([1, 2], [1, 2], [1, 2]), " All coincide."),
        (([1, 2], [2, 2], [1, 3]), ""),
        (([1, 2],), ""),
    ],
)
def test_lines_that_coincide_are_named(curves: tuple[list[float], ...], told: str) -> None:
    assert drawing.coinciding(lines(*curves)) == told


def test_lines_that_coincide_can_be_told_apart(result: wl.Result) -> None:
    """Each is dashed in another way."""
    cases = [wl.Case(name, "load", result) for name in "abc"]
    chart = chart_of(cases, "Read latency, tail")
    assert chart.caption.endswith(" All coincide.")
    encoding = chart.spec["encoding"]
    dashes = encoding["strokeDash"]["scale"]["range"]
    assert len({str(dash) for dash in dashes}) == len(dashes) == 3


def test_logarithmic_axes_have_a_tick_a_decade() -> None:
    assert drawing.decades([60.0, 113_334.0]).get("values") == [
        10, 100, 1000, 10_000, 100_000, 1_000_000,
    ]  # fmt: skip
    assert drawing.decades([1.0, 0.004]).get("values") == pytest.approx([0.001, 0.01, 0.1, 1])


def test_a_comparison_begins_with_what_is_better(made_up: MakeUp) -> None:
    other = made_up({
        "host.iops": 2200.0, "host.read.p99_us": 280.0, "write_amplification": 1.55,
        "host.write.max_us": 2700.0,
    })  # fmt: skip
    comparison = against(made_up(), other)
    chart = glance.of_comparison(comparison, ["load"])
    assert chart
    found = {row["figure"]: row["x"] for row in chart.spec["data"]["values"]}
    assert found == {
        "IOPS": 2, "p99 read latency": 0.5, "write amplification": 2, "longest write latency": 0.1,
    }  # fmt: skip
    # From ÷10 to ×2, at least a sixth of that apart, on a logarithmic axis: by 1.61 times.
    axis = chart.spec["encoding"]["x"]["axis"]["values"]
    assert axis == pytest.approx([0.1, 0.2, 0.5, 1, 2])
    html = page.render(comparison)
    assert html.index("<h2>Verdict") < html.index("<figure>") < html.index("<h2>Comparison")
    assert glance.of_comparison(against(made_up(), made_up()), ["load"]) is None


def test_the_picture_of_workloads_is_their_geometric_mean(made_up: MakeUp) -> None:
    one = against(made_up(), made_up({"energy_mj.total": 9.0}), load="one").cases
    two = against(made_up(), made_up(), load="two").cases
    chart = glance.of_comparison(wl.Comparison([*one, *two]), ["one", "two"])
    assert chart
    assert chart.spec["data"]["values"] == [{"figure": "energy", "drive": "b", "x": 2}]


def test_a_run_begins_with_its_latencies(made_up: MakeUp) -> None:
    chart = glance.of_run(made_up())
    assert chart
    reads = [row for row in chart.spec["data"]["values"] if row["kind"] == "reads"]
    assert [(row["share"], row["y"]) for row in reads] == [
        ("50", 120), ("95", 135), ("99", 140), ("99.9", 150), ("99.99", 160),
        ("all", 170),
    ]  # fmt: skip


def with_config(made_up: MakeUp, changes: dict[str, object]) -> wl.Result:
    config = copy.deepcopy(made_up()["config"].to_dict())
    for path, value in changes.items():
        table, key = path.rsplit(".", 1)
        place = config
        for name in table.split("."):
            place = place[name]
        place[key] = value
    return made_up({"config": config})


def test_the_title_says_what_was_run(made_up: MakeUp) -> None:
    plain = made_up()
    changed = with_config(
        made_up, {"drive.chip.pages_per_block": 64, "technique.ressd": {}, "erase.scheme": "reo"}
    )
    other = with_config(
        made_up, {"drive.channels": 3, "drive.chip.planes": 5, "drive.chip.dies": 9}
    )
    titles = [heading.of_cases([wl.Case("", "load", r)]) for r in (plain, changed, other)]
    assert titles == [
        "tiny, 50 MiB, conventional, on load",
        "tiny (changed), 50 MiB, ressd with reo, on load",
        "a drive of 3 channels, 2 dies of TLC, 50 MiB, conventional, on load",
    ]
    html = page.render(plain)
    version = plain["wordline"]
    assert f"<title>Run: tiny, 50 MiB, conventional, on load – Wordline {version}</title>" in html
    assert f"<p>Wordline {version}</p><h1>Run: tiny, 50 MiB, conventional, on load</h1>" in html


def test_the_title_of_a_comparison_names_what_is_compared(made_up: MakeUp) -> None:
    three = against(made_up(), made_up(), made_up())
    assert heading.of_cases(three.cases) == "a, b and c on tiny, 50 MiB, under load"
    changed = with_config(made_up, {"drive.chip.pages_per_block": 64})
    assert (
        heading.of_cases(against(made_up(), changed).cases) == "a and b on tiny, 50 MiB, under load"
    )
    mine = [replace(case, result=replace(case.result, file="my.toml")) for case in three.cases]
    assert heading.of_cases(mine) == "a, b and c on my.toml, 50 MiB, under load"
    assert heading.of_cases([*mine[:1], *three.cases[1:]]) == (
        "a, b and c on my.toml and tiny, 50 MiB, under load"
    )
    larger = against(made_up(), made_up({"capacity.logical_gib": 1.0}))
    assert heading.of_cases(larger.cases) == "a and b on tiny, under load"
    many = against(*[made_up()] * 4)
    both = [*many.cases, *against(made_up(), load="other").cases]
    assert heading.of_cases(both) == "4 variants on tiny, 50 MiB, under load and other"


def test_a_drive_is_named_once_in_a_legend_and_has_one_colour(made_up: MakeUp) -> None:
    slow = {"host.read.mean_us": 200.0, "host.read.distribution": [[200.0, 0.5], [300.0, 1.0]]}
    fast = {"host.read.distribution": [[100.0, 0.5], [140.0, 1.0]]}
    comparison = against(made_up(fast), made_up(slow), made_up(fast))
    (curves,) = (c for c in charts.of_cases(comparison.cases) if c.title == "Read latency, tail")
    assert curves.spec["encoding"]["color"]["legend"] is not None
    glanced = glance.of_comparison(comparison, ["load"])
    assert glanced
    colour = glanced.spec["encoding"]["color"]
    # The palette goes by place, and the baseline has the first in every other chart.
    assert colour["scale"]["domain"] == ["a", "b", "c"]
    assert colour["legend"]["values"] == ["b", "c"]


@pytest.mark.parametrize(
    ("gains", "ends"),
    [
        ((1.9, 0.95), (1 / 1.1, 2)),
        ((8.5, 0.63), (1 / 1.7, 10)),
        ((1.01, 0.99), (1 / 1.1, 1.1)),
        ((2.0, 1 / 1.16), (1 / 1.2, 2)),
        ((410.0, 0.1), (0.1, 500)),
    ],
)
def test_the_axis_of_gains_ends_at_a_label(
    made_up: MakeUp, gains: tuple[float, float], ends: tuple[float, float]
) -> None:
    """Else a reader could not tell how far the longest bar reaches."""
    better, worse = gains
    other = made_up({"host.iops": 1100.0 * better, "host.read.p99_us": 140.0 / worse})
    chart = glance.of_comparison(against(made_up(), other), ["load"])
    assert chart
    x = chart.spec["encoding"]["x"]
    assert x["scale"]["domain"] == pytest.approx(list(ends))
    ticks = x["axis"]["values"]
    least = 0.16 * math.log(ends[1] / ends[0])
    assert all(math.log(b / a) >= least - 1e-9 for a, b in itertools.pairwise(ticks))
    for end in ends:
        assert end == pytest.approx(ticks[0 if end < 1 else -1]) or abs(math.log(end)) < least
    assert 1 in ticks


@pytest.mark.parametrize(("others", "scheme"), [(9, None), (10, "tableau20")])
def test_every_drive_has_a_colour_of_its_own(
    made_up: MakeUp, others: int, scheme: str | None
) -> None:
    """Ten are the usual ones; of more, the eleventh would have the colour of the first."""
    drives = [made_up(), *(made_up({"energy_mj.total": 9.0 - n / 10}) for n in range(others))]
    comparison = against(*drives, names="abcdefghijk"[: len(drives)])
    chart = glance.of_comparison(comparison, comparison.groups[0])
    assert chart
    assert chart.title.startswith("Against a")
    assert chart.spec["encoding"]["color"]["scale"].get("scheme") == scheme


def test_pictures_of_other_workloads_are_told_apart(made_up: MakeUp) -> None:
    one = against(made_up(), made_up({"energy_mj.total": 9.0}), load="one").cases
    two = against(made_up(), made_up({"energy_mj.total": 9.0}), names="xy", load="two").cases
    comparison = wl.Comparison([*one, *two])
    titles = [chart.title for group in comparison.groups
              if (chart := glance.of_comparison(comparison, group))]  # fmt: skip
    assert titles == ["b against a, on one", "y against x, on two"]


def test_what_took_no_time_is_not_drawn(made_up: MakeUp) -> None:
    """As writes into a buffer: an axis without a scale shows nothing."""
    statistics = ("mean_us", "p50_us", "p95_us", "p99_us", "p999_us", "p9999_us", "max_us")
    free: dict[str, object] = {f"host.write.{name}": 0.0 for name in statistics}
    free["host.write.distribution"] = [[0.0, 1.0]]
    titles = [chart.title for chart in charts.of_cases([wl.Case("a", "load", made_up(free))])]
    assert "Read latency" in titles
    assert "Write latency" not in titles
    assert "Write latency, tail" not in titles


def test_a_logarithmic_axis_has_no_zero(made_up: MakeUp) -> None:
    """Writes that end in a buffer at once, and some that take a thousand times the usual."""
    body = [[0.0, 0.25], [10.0, 0.5], [100.0, 0.8], [10_000.0, 1.0]]
    figures: dict[str, object] = {
        "host.write.p50_us": 10.0,
        "host.write.p99_us": 10_000.0,
        "host.write.distribution": body,
    }
    chart = chart_of([wl.Case("a", "load", made_up(figures))], "Write latency")
    assert chart.spec["encoding"]["x"]["scale"] == {"type": "log"}
    shown = [(row["x"], row["y"]) for row in chart.spec["data"]["values"]]
    assert shown == [(10, 0.5), (100, 0.8), (10_000, 1)]


def test_no_part_of_a_figure_has_the_colour_of_a_drive(result: wl.Result) -> None:
    """Each part has one colour, whatever other parts a chart shows."""
    parts = ("a", "b", "c")
    few, all_ = (drawing.of_parts(present, parts) for present in ("bc", "abc"))
    assert few.get("domain") == ["b", "c"] and few.get("range") == all_.get("range", [])[1:]
    stacked = charts.causes([wl.Case("x", "load", result)])
    assert stacked and set(stacked.spec["encoding"]["color"]["scale"]["range"]) <= set(
        drawing._PARTS
    )
