"""What every chart of a report is drawn with: lines, axes, scales, sizes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

import altair as alt

from wordline.caveats import listed
from wordline.compared import Case
from wordline.metrics import figure

_HEIGHT = 240
_BAR, _THIN_BAR, _GAP = 22, 14, 8
_CLOCK = (
    (2 * 86_400, 86_400, "days"), (2 * 3_600, 3_600, "h"), (120, 60, "min"), (1, 1, "s"),
    (0, 1e-3, "ms"),
)  # fmt: skip
_SPIKE = 4  # times what nine in ten points stay below, from which on a point is a spike
_WIDEST, _THINNEST = 3.5, 1.3  # lines of the first drive, and of the last of many
_DASHES = ([1, 0], [8, 3], [3, 3], [12, 3, 3, 3], [2, 2, 8, 2])

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


@dataclass(frozen=True)
class Course:
    """What the course of some runs is drawn over: time, or requests where none was timed."""

    axis: str
    over: str
    unit_s: float | None

    @classmethod
    def of(cls, cases: Sequence[Case]) -> "Course":
        """In the unit that suits the longest of the runs."""
        span_s = max((max(_column(case, "time_s"), default=0) for case in cases), default=0)
        if not span_s:
            return cls("requests", "over the run", None)
        unit_s, name = clock(span_s)
        return cls(f"time ({name})", "over time", unit_s)

    def points(self, case: Case, column: str) -> list[tuple[float, float]]:
        """A column of the time series against its course."""
        values = _column(case, column)
        if self.unit_s is None:
            return list(zip(_column(case, "requests"), values, strict=True)) if values else []
        times = (rounded(time_s / self.unit_s) for time_s in _column(case, "time_s"))
        return list(zip(times, values, strict=True)) if values else []


def clock(span_s: float) -> tuple[float, str]:
    """The unit of time that suits a span: its seconds and its name."""
    return next((unit_s, name) for least, unit_s, name in _CLOCK if span_s >= least)


def _column(case: Case, name: str) -> Sequence[float]:
    table = case.result.series
    return table[name] if name in table.names else []


def gather(cases: Sequence[Case], rows: Callable[[Case], Iterable[Row]]) -> list[Row]:
    """The rows of every case."""
    return [row for case in cases for row in rows(case)]


def lines(
    rows: list[Row], x: alt.X, y: alt.Y, step: bool = False, mark_points: bool = False
) -> Any:
    """Lines by drive; a click in the legend brings one of them out.

    Each is thinner than the one before and dashed in its own way: those that coincide are seen.
    """
    if not rows:
        return None
    names = list(dict.fromkeys(row["drive"] for row in rows))
    step_px = (_WIDEST - _THINNEST) / max(len(names) - 1, 1)
    chosen = alt.selection_point(name="drives", fields=["drive"], bind="legend")
    line = alt.Chart(data(rows)).mark_line(
        interpolate="step-after" if step else "linear", point=mark_points
    )
    legend = alt.Legend() if len(names) > 1 else None
    widths = [_WIDEST - number * step_px for number in range(len(names))]
    if len(names) == 1:
        widths = [2.0]
    dashes = [_DASHES[number % len(_DASHES)] for number in range(len(names))]
    return line.encode(
        x=x,
        y=y,
        color=alt.Color("drive:N", title=None, sort=None, legend=legend),
        strokeDash=alt.StrokeDash(
            "drive:N", title=None, sort=None, legend=legend, scale=alt.Scale(range=dashes)
        ),
        strokeWidth=alt.StrokeWidth(
            "drive:O",
            sort=None,
            legend=None,  # the renderer would draw it beside that of colours and dashes
            scale=alt.Scale(type="ordinal", domain=names, range=widths),
        ),
        opacity=alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.15)),
        tooltip=["drive:N", "x:Q", "y:Q"],
    ).add_params(chosen)


def coinciding(rows: Iterable[Row]) -> str:
    """What a caption says of drives whose curves are the same."""
    curves: dict[str, list[tuple[Any, Any]]] = {}
    for row in rows:
        if {"drive", "x", "y"} <= row.keys():
            curves.setdefault(row["drive"], []).append((row["x"], row["y"]))
    alike: dict[tuple[Any, ...], list[str]] = {}
    for drive, curve in curves.items():
        alike.setdefault(tuple(curve), []).append(drive)
    if len(curves) > 1 and len(alike) == 1:
        return " All coincide."
    return "".join(f" {listed(names)} coincide." for names in alike.values() if len(names) > 1)


def drives() -> alt.Y:
    """A place on the vertical axis for each drive."""
    return alt.Y("drive:N", title=None, sort=None)


def data(rows: list[Row]) -> alt.Data:
    """The data of a chart, held in it."""
    return alt.Data(values=rows)


def finish(title: str, caption: str, chart: Any, height: int = 0) -> Chart | None:
    """A chart as the page takes it, of the usual height where none is given; `None` of none."""
    if not chart:
        return None
    caption += coinciding(chart.data.values)
    described = f"{title}: {caption}"
    return Chart(
        title, caption, chart.properties(height=height or _height(chart), description=described)
    )


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


def without_spikes(rows: Sequence[Row]) -> tuple[alt.Scale, str]:
    """A vertical scale that a few spikes do not flatten, and the caption's words on them."""
    values = sorted(row["y"] for row in rows)
    typical = values[len(values) * 9 // 10] if values else 0
    if not typical or values[-1] <= _SPIKE * typical:
        return alt.Scale(zero=False), ""
    edge = 1.5 * typical
    cut = sum(value > edge for value in values)
    told = f" {cut} of {len(values)} points lie beyond the upper edge, up to {figure(values[-1])}."
    return alt.Scale(zero=False, domainMax=edge, clamp=True), told


def decades(values: Iterable[float], percent: bool = False) -> alt.Axis:
    """A logarithmic axis with a tick at each power of ten and none between."""
    known = [value for value in values if value > 0]
    first, last = (floor(log10(min(known))), ceil(log10(max(known)))) if known else (0, 0)
    powers = [10.0**power for power in range(first, last + 1)]
    return alt.Axis(values=powers, format="~%" if percent else ",~r", labelOverlap=True)


def percent() -> alt.Axis:
    """An axis of shares."""
    return alt.Axis(format="%")
