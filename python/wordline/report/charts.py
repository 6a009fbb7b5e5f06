"""Charts of a report, as Vega-Lite specifications."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import isfinite
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

from wordline.result import Case

_ROWS = 24_000  # of a page's line charts at most: about 1.5 MB
_HEIGHT = 240
_BAR, _THIN_BAR, _GAP = 22, 14, 8
_CAUSES = ("host", "gc", "mapping", "wear", "technique", "padding")
_ENERGIES = ("read", "program", "erase")
_MEANS = "Mean of each interval of the run."
_SERIES = (
    ("iops", "requests per second", _MEANS),
    ("write_amplification", "write amplification", _MEANS),
    ("write_mean_us", "mean write latency (µs)", _MEANS),
    ("read_mean_us", "mean read latency (µs)", _MEANS),
    ("free_blocks", "free blocks", "Erased blocks of the whole drive at the end of each interval."),
)
_LIFE = (
    ("erase_ms", "mean time of an erase (ms)", "Array time of the window's erases."),
    ("errors_per_kib", "errors per KiB after a year", "Of a block's worst page; mean over blocks."),
    ("write_amplification", "write amplification", "Of each window."),
    ("read_p999_us", "slowest thousandth of reads (µs)", "Of each window: the 99.9th percentile."),
    ("good_block_share", "good blocks", "Blocks that are neither bad from the start nor worn out."),
)
_LINES = 4 + len(_SERIES) + 3 + len(_LIFE)  # latencies, series, collections and wear, a life
_SINGLE_UNITS = 64  # channels or dies that are drawn one by one

Row = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """A chart, its title, and what it shows."""

    title: str
    caption: str
    drawing: alt.Chart

    @property
    def spec(self) -> dict[str, Any]:
        """As wide as what it stands in, as a Vega-Lite specification."""
        # The rows need no translation, and the tests validate the rest: both would take a second.
        drawing = self.drawing.copy(deep=False)
        rows, drawing.data = drawing.data.values, alt.Undefined
        fit = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
        return {**drawing.to_dict(validate=False), "data": {"values": rows}, **fit}


def of_cases(cases: Sequence[Case], workloads: int = 1) -> list[Chart]:
    """The charts of one of a page's `workloads`; a chart that would be empty is left out."""
    with debug_mode(False):  # validates each part as it is made; the tests validate the whole
        return [chart for chart in _drawn(cases, workloads) if chart]


def _drawn(cases: Sequence[Case], workloads: int) -> list[Chart | None]:
    points = max(20, min(200, _ROWS // (workloads * _LINES * len(cases))))
    charts = [
        draw(cases, kind, points)
        for draw in (_latency, _latency_tail)
        for kind in ("read", "write")
    ]
    charts += [_causes(cases)]
    charts += [_series(cases, *series, points) for series in _SERIES]
    charts += [_collections(cases, points), _wear(cases, points), _spread(cases, points)]
    charts += [_life(cases, *figure, points) for figure in _LIFE]
    charts += [_utilisation(cases)]
    if len(cases) == 1:
        charts += [_each(cases[0], "channel"), _each(cases[0], "die")]
    return [*charts, _energy(cases)]


def by_title(cases: Sequence[Case]) -> dict[str, alt.Chart]:
    """The charts of the runs of one workload, each with its title, to be shown or changed."""
    return {chart.title: chart.drawing.properties(title=chart.title) for chart in of_cases(cases)}


def _latency(cases: Sequence[Case], kind: str, points: int) -> Chart | None:
    """Linear: up to the 99th percentile of the slowest drive, beyond which the tail begins."""
    end_us = max(case.result.host[kind].p99_us for case in cases)

    def rows(case: Case) -> Iterator[Row]:
        body = [point for point in case.result.host[kind].distribution if point[0] <= end_us]
        for latency_us, share in thin([[0, 0], *body] if body else body, points):
            yield {"drive": case.variant, "x": rounded(latency_us), "y": rounded(share)}

    chart = _lines(
        _gather(cases, rows),
        alt.X("x:Q", title=f"{kind} latency (µs)"),
        alt.Y("y:Q", title="share served by then", axis=_percent()),
        step=True,
    )
    caption = f"Share of {kind}s that took at most so long; linear, without the slowest percent."
    return finish(f"{kind.capitalize()} latency", caption, chart)


def _latency_tail(cases: Sequence[Case], kind: str, points: int) -> Chart | None:
    def rows(case: Case) -> Iterator[Row]:
        for latency_us, share in thin(case.result.host[kind].distribution, points):
            if latency_us > 0 and share < 1:
                yield {"drive": case.variant, "x": rounded(latency_us), "y": rounded(1 - share)}

    chart = _lines(
        _gather(cases, rows),
        alt.X("x:Q", title=f"{kind} latency (µs)", scale=alt.Scale(type="log")),
        alt.Y("y:Q", title="share that took longer", scale=alt.Scale(type="log")),
        step=True,
    )
    caption = f"Share of {kind}s that took longer than a latency; both axes logarithmic."
    return finish(f"{kind.capitalize()} latency, tail", caption, chart)


def _causes(cases: Sequence[Case]) -> Chart | None:
    chart = _stack(
        _parts(cases, "cause", _CAUSES, lambda c: c.result["write_amplification_by_cause"]),
        "cause",
        _CAUSES,
        "programmed per unit written",
    )
    return finish("Write amplification by cause", "What the flash was programmed for.", chart)


def _energy(cases: Sequence[Case]) -> Chart | None:
    chart = _stack(
        _parts(cases, "operation", _ENERGIES, lambda c: c.result["energy_mj"]),
        "operation",
        _ENERGIES,
        "energy (mJ)",
    )
    return finish("Energy", "What the flash's operations took in the run.", chart)


def _parts(
    cases: Sequence[Case], field: str, names: Sequence[str], of: Callable[[Case], Any]
) -> list[Row]:
    """One row for each part of a drive's figure that is not zero."""
    return [
        {"drive": case.variant, field: name, "order": order, "y": rounded(part)}
        for case in cases
        for order, name in enumerate(names)
        if (part := (of(case) or {}).get(name))
    ]


def _stack(rows: list[Row], field: str, names: Sequence[str], title: str) -> Any:
    return rows and alt.Chart(_data(rows)).mark_bar().encode(
        x=alt.X("y:Q", title=title),
        y=_drives(),
        color=alt.Color(f"{field}:N", sort=list(names), title=None),
        order="order:O",
        tooltip=["drive:N", f"{field}:N", "y:Q"],
    )


def _series(
    cases: Sequence[Case], column: str, title: str, caption: str, points: int
) -> Chart | None:
    def rows(case: Case) -> Iterator[Row]:
        for requests, value in thin(_course(case, column), points):
            if isfinite(value):
                yield {"drive": case.variant, "x": requests, "y": rounded(value)}

    chart = _lines(
        _gather(cases, rows),
        alt.X("x:Q", title="requests"),
        alt.Y("y:Q", title=title, scale=alt.Scale(zero=False)),
    )
    name = title[:1].upper() + title[1:]
    return finish(f"{name} over time", caption, chart)


def _collections(cases: Sequence[Case], points: int) -> Chart | None:
    def rows(case: Case) -> Iterator[Row]:
        for (start, before), (end, after) in pairwise(thin(_course(case, "gc_count"), points)):
            per_request = 1000 * (after - before) / (end - start)
            yield {"drive": case.variant, "x": end, "y": rounded(per_request)}

    found = _gather(cases, rows)
    chart = _lines(
        found if any(row["y"] for row in found) else [],
        alt.X("x:Q", title="requests"),
        alt.Y("y:Q", title="victims per 1,000 requests"),
    )
    return finish("Garbage collection over time", "Victims reclaimed in each interval.", chart)


def _course(case: Case, column: str) -> list[tuple[float, float]]:
    """A column of the time series against the requests served so far."""
    table = case.result.series
    if column not in table.names:
        return []
    return list(zip(table["requests"], table[column], strict=True))


def _wear(cases: Sequence[Case], points: int) -> Chart | None:
    """Every block in its place, if they stood in the order of their erases."""

    def rows(case: Case) -> Iterator[Row]:
        histogram = case.result.wear.histogram
        ends = list(accumulate((blocks for _, blocks in histogram), initial=0))
        levels = zip(histogram, pairwise(ends), strict=True)
        corners = [(place, erases) for (erases, _), both in levels for place in both]
        for place, erases in thin(corners, points):
            yield {"drive": case.variant, "x": rounded(place / ends[-1]), "y": erases}

    chart = _lines(
        _gather(cases, rows),
        alt.X("x:Q", title="share of the blocks, the least erased first", axis=_percent()),
        alt.Y("y:Q", title="erases of a block"),
    )
    return finish("Wear over blocks", "Erases of every block, in their order: flat is even.", chart)


def _spread(cases: Sequence[Case], points: int) -> Chart | None:
    def rows(case: Case) -> Iterator[Row]:
        for erases, blocks in thin(case.result.wear.histogram, points):
            yield {"drive": case.variant, "x": erases, "y": blocks}

    chart = _lines(
        _gather(cases, rows),
        alt.X(
            "x:Q",
            title="erases of a block",
            scale=alt.Scale(zero=False),
            axis=alt.Axis(tickMinStep=1),
        ),
        alt.Y("y:Q", title="blocks"),
        mark_points=True,
    )
    return finish("Spread of wear", "Blocks by their number of erases: narrow is even.", chart)


def _life(
    cases: Sequence[Case], figure: str, title: str, caption: str, points: int
) -> Chart | None:
    def rows(case: Case) -> Iterator[Row]:
        for window in thin(case.result["life"], points):
            if window[figure] is not None:
                written, value = rounded(window["written_gib"]), rounded(window[figure])
                yield {"drive": case.variant, "x": written, "y": value}

    axis = _percent() if figure.endswith("_share") else alt.Axis()
    chart = _lines(
        _gather(cases, rows),
        alt.X("x:Q", title="written by the host (GiB)"),
        alt.Y("y:Q", title=title, scale=alt.Scale(zero=False), axis=axis),
    )
    return finish(f"Life: {title}", caption, chart)


def _utilisation(cases: Sequence[Case]) -> Chart | None:
    rows = [
        {"drive": case.variant, "resource": name, "y": rounded(share)}
        for case in cases
        for kind in ("channel", "die")
        if (busy := case.result.flash[f"{kind}_utilisation"])
        for name, share in ((f"{kind}, mean", sum(busy) / len(busy)), (f"{kind}, most", max(busy)))
    ]
    chart = any(row["y"] for row in rows) and alt.Chart(_data(rows)).mark_bar().encode(
        x=_busy(),
        y=_drives(),
        yOffset="resource:N",
        color=alt.Color("resource:N", title=None),
        tooltip=["drive:N", "resource:N", "y:Q"],
    )
    caption = "Busy share: mean over all channels and dies, and that of the busiest one."
    return finish("Utilisation", caption, chart)


def _each(case: Case, kind: str) -> Chart | None:
    busy = case.result.flash[f"{kind}_utilisation"]
    if not any(busy) or len(busy) > _SINGLE_UNITS:
        return None
    rows = [{kind: number, "y": rounded(share)} for number, share in enumerate(busy)]
    chart = (
        alt.Chart(_data(rows))
        .mark_bar()
        .encode(
            x=alt.X(f"{kind}:O", title=kind, axis=alt.Axis(labelOverlap=True, labelAngle=0)),
            y=alt.Y("y:Q", title="busy share of the run", axis=_percent()),
            tooltip=[f"{kind}:O", "y:Q"],
        )
    )
    return finish(f"Utilisation of each {kind}", f"Busy share of every {kind}.", chart)


def _busy() -> alt.X:
    return alt.X("y:Q", title="busy share of the run", axis=_percent())


def _percent() -> alt.Axis:
    return alt.Axis(format="%")


def _gather(cases: Sequence[Case], rows: Callable[[Case], Iterable[Row]]) -> list[Row]:
    return [row for case in cases for row in rows(case)]


def _lines(
    rows: list[Row], x: alt.X, y: alt.Y, step: bool = False, mark_points: bool = False
) -> Any:
    """Lines by drive; a click in the legend brings one of them out."""
    if not rows:
        return None
    chosen = alt.selection_point(name="drives", fields=["drive"], bind="legend")
    line = alt.Chart(_data(rows)).mark_line(
        interpolate="step-after" if step else "linear", point=mark_points
    )
    return line.encode(
        x=x,
        y=y,
        color=alt.Color("drive:N", title=None, sort=None),
        opacity=alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.15)),
        tooltip=["drive:N", "x:Q", "y:Q"],
    ).add_params(chosen)


def _drives() -> alt.Y:
    return alt.Y("drive:N", title=None, sort=None)


def _data(rows: list[Row]) -> alt.Data:
    return alt.Data(values=rows)


def finish(title: str, caption: str, chart: Any) -> Chart | None:
    """A chart as the page takes it; `None` of none."""
    if not chart:
        return None
    described = f"{title}: {caption}"
    return Chart(title, caption, chart.properties(height=_height(chart), description=described))


def _height(chart: Any) -> int:
    """Bars by drive take the height that their number needs; other charts have one height."""
    if "drive" not in str(chart.encoding.y):
        return _HEIGHT
    rows = chart.data.values
    grouped = "yOffset" in str(chart.encoding)
    bars = {(row["drive"], row["resource"] if grouped else None) for row in rows}
    return _GAP + len(bars) * (_THIN_BAR if grouped else _BAR)


def thin(points: Sequence[Any], most: int) -> Sequence[Any]:
    """At most `most` of the points, evenly, the first and the last among them."""
    if len(points) <= most:
        return points
    step = (len(points) - 1) / (most - 1)
    return [points[round(index * step)] for index in range(most)]


def rounded(value: float) -> float:
    """Four significant digits: more cannot be seen in a chart."""
    return float(f"{value:.4g}")
