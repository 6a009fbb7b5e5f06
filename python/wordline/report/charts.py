"""Charts of a report, as Vega-Lite specifications."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import altair as alt

from wordline.result import Case

_ROWS = 24_000  # of a page's line charts at most: about 1.5 MB
_HEIGHT = 240
_CAUSES = ("host", "gc", "mapping", "wear", "technique", "padding")
_SERIES = (
    ("write_amplification", "write amplification"),
    ("write_mean_us", "mean write latency (µs)"),
    ("read_mean_us", "mean read latency (µs)"),
    ("free_blocks", "free blocks"),
)

Row = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """A chart: its title, what it shows, and its Vega-Lite specification."""

    title: str
    caption: str
    spec: dict[str, Any]


def of_cases(cases: Sequence[Case], workloads: int = 1) -> list[Chart]:
    """The charts of one of a page's `workloads`; a chart that would be empty is left out."""
    lines = 3 + len(_SERIES)
    points = max(20, min(200, _ROWS // (workloads * lines * len(cases))))
    charts = [_latency(cases, "read", points), _latency(cases, "write", points), _causes(cases)]
    charts += [_series(cases, column, title, points) for column, title in _SERIES]
    charts += [_wear(cases, points), _utilisation(cases)]
    return [chart for chart in charts if chart]


def _latency(cases: Sequence[Case], kind: str, points: int) -> Chart | None:
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
    return _chart(f"{kind.capitalize()} latency", caption, chart)


def _causes(cases: Sequence[Case]) -> Chart | None:
    rows = [
        {"drive": case.variant, "cause": cause, "order": order, "y": rounded(share)}
        for case in cases
        for order, cause in enumerate(_CAUSES)
        if (share := (case.result["write_amplification_by_cause"] or {}).get(cause))
    ]
    chart = rows and alt.Chart(_data(rows)).mark_bar().encode(
        x=alt.X("y:Q", title="programmed per unit written"),
        y=_drives(),
        color=alt.Color("cause:N", sort=list(_CAUSES), title=None),
        order="order:O",
    )
    return _chart("Write amplification by cause", "What the flash was programmed for.", chart)


def _series(cases: Sequence[Case], column: str, title: str, points: int) -> Chart | None:
    def rows(case: Case) -> Iterator[Row]:
        table = case.result.series
        if column not in table.names:
            return
        for requests, value in thin(
            list(zip(table["requests"], table[column], strict=True)), points
        ):
            if isfinite(value):
                yield {"drive": case.variant, "x": requests, "y": rounded(value)}

    chart = _lines(
        _gather(cases, rows),
        alt.X("x:Q", title="requests"),
        alt.Y("y:Q", title=title, scale=alt.Scale(zero=False)),
    )
    name = title[:1].upper() + title[1:]
    return _chart(f"{name} over time", "Mean of each interval of the run.", chart)


def _wear(cases: Sequence[Case], points: int) -> Chart | None:
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
    return _chart("Wear", "Blocks by their number of erases.", chart)


def _utilisation(cases: Sequence[Case]) -> Chart | None:
    rows = [
        {"drive": case.variant, "resource": kind, "y": rounded(sum(busy) / len(busy))}
        for case in cases
        for kind in ("channel", "die")
        if (busy := case.result.flash[f"{kind}_utilisation"])
    ]
    chart = any(row["y"] for row in rows) and alt.Chart(_data(rows)).mark_bar().encode(
        x=alt.X("y:Q", title="busy share of the run", axis=alt.Axis(format="%")),
        y=_drives(),
        yOffset="resource:N",
        color=alt.Color("resource:N", title=None),
    )
    return _chart("Utilisation", "Mean over all channels and all dies.", chart)


def _gather(cases: Sequence[Case], rows: Callable[[Case], Iterator[Row]]) -> list[Row]:
    return [row for case in cases for row in rows(case)]


def _lines(
    rows: list[Row], x: alt.X, y: alt.Y, step: bool = False, mark_points: bool = False
) -> Any:
    if not rows:
        return None
    line = alt.Chart(_data(rows)).mark_line(
        interpolate="step-after" if step else "linear", point=mark_points
    )
    return line.encode(x=x, y=y, color=_colour(), tooltip=["drive:N", "x:Q", "y:Q"])


def _colour() -> alt.Color:
    return alt.Color("drive:N", title=None, sort=None)


def _drives() -> alt.Y:
    return alt.Y("drive:N", title=None, sort=None)


def _data(rows: list[Row]) -> alt.Data:
    return alt.Data(values=rows)


def _chart(title: str, caption: str, chart: Any) -> Chart | None:
    if not chart:
        return None
    spec = chart.properties(
        width="container",
        height=_height(chart),
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        description=f"{title}: {caption}",
    )
    return Chart(title, caption, spec.to_dict())


def _height(chart: Any) -> Any:
    """Bars take the height that their number needs; other charts have one height."""
    by_drive = "drive" in str(chart.encoding.y)
    return alt.Step(22 if "yOffset" not in str(chart.encoding) else 14) if by_drive else _HEIGHT


def thin(points: Sequence[Any], most: int) -> Sequence[Any]:
    """At most `most` of the points, evenly, the first and the last among them."""
    if len(points) <= most:
        return points
    step = (len(points) - 1) / (most - 1)
    return [points[round(index * step)] for index in range(most)]


def rounded(value: float) -> float:
    """Four significant digits: more cannot be seen in a chart."""
    return float(f"{value:.4g}")
