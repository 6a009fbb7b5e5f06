"""What a sweep's page draws, from made-up points."""

from typing import Any

import pytest
from wordline.figures import metrics
from wordline.report import drawing
from wordline.sweeps import findings, page
from wordline.sweeps import table as columns

DEPTH = "host.queue_depth"


def row(
    drive: str, depth: int, iops: float, read_us: float | None, seed: int = 1
) -> dict[str, Any]:
    figures = dict.fromkeys((metric.key for metric in metrics.METRICS), None)
    return {
        **figures, columns.VARIANT: drive, columns.WORKLOAD: "load", columns.SEED: seed,
        DEPTH: depth, "iops": iops, "read_p99_us": read_us,
    }  # fmt: skip


def drawn(rows: list[dict[str, Any]], axis: str = DEPTH) -> dict[str, list[tuple[Any, ...]]]:
    return {
        chart.title: [tuple(point.values()) for point in chart.spec["data"]["values"]]
        for chart in page._curves(rows, [axis])
    }


def test_throughput_is_drawn_against_latency_over_a_load() -> None:
    """Means over seeds; of writes nothing was measured."""
    rows = [
        row("a", 1, 100.0, 80.0), row("a", 1, 300.0, 100.0, seed=2), row("a", 4, 500.0, 120.0),
        row("b", 1, 150.0, 95.0), row("b", 4, 600.0, None),
    ]  # fmt: skip
    assert drawn(rows) == {
        "IOPS against p99 read latency": [
            ("a", 1, 200.0, 90.0), ("a", 4, 500.0, 120.0), ("b", 1, 150.0, 95.0),
        ]
    }  # fmt: skip


@pytest.mark.parametrize(
    "rows",
    [
        [row("a", 1, 100.0, 80.0), row("b", 4, 500.0, 120.0)],
        [row("a", 4, 100.0, 80.0), row("b", 4, 500.0, 120.0)],
        [],
    ],
)
def test_a_point_a_drive_is_no_curve(rows: list[dict[str, Any]]) -> None:
    assert drawn(rows) == {}


def test_an_axis_that_is_no_load_has_no_curve() -> None:
    rows = [row("a", n, 100.0 * n, 80.0) | {"drive.channels": n} for n in (1, 2)]
    assert drawn(rows, "drive.channels") == {}


def told(rows: list[dict[str, Any]]) -> list[str]:
    found = [metric for metric in metrics.METRICS if metric.key in ("iops", "read_p99_us")]
    return findings.sentences(rows, [DEPTH], found)


def test_a_sweep_begins_with_what_its_drives_differ_in() -> None:
    rows = [
        row("a", 1, 100.0, 80.0), row("a", 4, 200.0, 80.0),
        row("b", 1, 150.0, 40.0), row("b", 4, 300.0, 160.0),
        row("c", 1, 100.0, 80.0), row("c", 4, 200.0, 80.0),
    ]  # fmt: skip
    assert told(rows) == [
        "b against a: IOPS ×1.50; from point to point p99 read latency ×0.50 to ×2.00.",
        "c against a: no difference above 1 %.",
    ]
    alone = [row("a", 1, 100.0, 80.0), row("b", 1, 150.0, 40.0)]
    assert told(alone) == ["b against a: p99 read latency ×0.50, IOPS ×1.50."]
    many = [row(name, 1, 100.0, 80.0) for name in "abcdefghi"]
    assert told(many)[-1] == "2 more are in the tables below."
    assert told([]) == []


def test_a_sweep_of_one_drive_begins_with_its_figures_at_both_ends() -> None:
    rows = [row("a", depth, 100.0 * depth, 80.0) for depth in (1, 2, 4)]
    assert told(rows) == [
        f"From {DEPTH} = 1 to 4 IOPS goes from 100.0 to 400.0.",
        f"From {DEPTH} = 1 to 4 p99 read latency goes from 80.00 to 80.00 µs.",
    ]
    assert told(rows[:1]) == []


def test_a_drive_has_one_colour_in_every_chart_and_its_legend() -> None:
    rows = [row(name, depth, 100.0 * depth + n, 80.0) for n, name in enumerate("abc")
            for depth in (1, 4)]  # fmt: skip
    charts = [*page._curves(rows, [DEPTH]), *page._curves(rows[2:], [DEPTH])]
    drawing.in_one_colour(charts)
    first, second = (chart.spec["encoding"]["color"] for chart in charts)
    assert first["scale"]["domain"] == ["a", "b", "c"] and second["scale"]["domain"] == ["b", "c"]
    assert second["scale"]["range"] == first["scale"]["range"][1:]
    assert len(set(first["scale"]["range"])) == 3 and first["legend"]["symbolOpacity"] == 1


def test_a_figure_that_is_the_same_everywhere_is_not_drawn() -> None:
    rows = [row("a", 1, 100.0, 80.0), row("a", 4, 100.9, 160.0)]
    found = [metric for metric in metrics.METRICS if metric.key in ("iops", "read_p99_us")]
    assert [chart.title for chart in page._charts(rows, [DEPTH], found)] == ["P99 read latency"]
