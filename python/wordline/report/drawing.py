"""What every chart of a report is drawn with: lines, axes, scales, sizes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

from wordline.figures.caveats import listed
from wordline.figures.comparison_view import Case
from wordline.figures.metrics import figure
from wordline.report.vega import (
    NAME,
    SCHEMA,
    Axis,
    Channel,
    Encoding,
    Legend,
    Mark,
    Row,
    Scale,
    Spec,
    chart,
    names,
    quantities,
)

_HEIGHT = 240
_BAR, _THIN_BAR, _GAP = 22, 14, 8
_CLOCK = (
    (2 * 86_400, 86_400, "days"), (2 * 3_600, 3_600, "h"), (120, 60, "min"), (1, 1, "s"),
    (0, 1e-3, "ms"),
)  # fmt: skip
_SPIKE = 4  # times what nine in ten points stay below, from which on a point is a spike
_PARTS = (
    "#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#a6761d", "#666666", "#b3b3b3",
    "#f0c27b", "#a6cee3", "#fb9a99", "#cab2d6", "#33a02c",
)  # fmt: skip
"""Colours of parts of a figure, none of which is a drive's."""

_COLOURS = 10  # of the usual scheme
_TEN = (
    "#4c78a8", "#f58518", "#e45756", "#72b7b2", "#54a24b", "#eeca3b", "#b279a2", "#ff9da6",
    "#9d755d", "#bab0ac",
)  # fmt: skip
_LIGHTER = (
    "#9ecae9", "#ffbf79", "#ff9d98", "#83bcb6", "#88d27a", "#f2cf5b", "#d6a5c9", "#fcbfd2",
    "#d8b5a5", "#79706e",
)  # fmt: skip
_DASHES = ([1, 0], [8, 3], [3, 3], [12, 3, 3, 3], [2, 2, 8, 2])
_POINTS_PER_IN = 72
_SMALL = {
    "labelFontSize": 7, "titleFontSize": 8, "titleFontWeight": "normal",
    "labelColor": "#000000", "titleColor": "#000000",
}  # fmt: skip
_LINE = "#d5dae0"
PAPER: dict[str, Any] = {
    "width": round(3.4 * _POINTS_PER_IN),
    "lower": 0.6,  # times the height on a page
    "config": {
        "background": "white",
        "axis": {**_SMALL, "gridColor": _LINE, "domainColor": _LINE, "tickColor": _LINE,
                 "gridWidth": 0.5, "labelLimit": 90, "labelSeparation": 4},
        "legend": {**_SMALL, "orient": "bottom", "offset": 6, "columns": 2, "labelLimit": 100,
                   "symbolSize": 40},
        "view": {"stroke": "transparent"},
        "range": {"category": {"scheme": "tableau10"}},
        "line": {"strokeWidth": 1.2},
        "text": {"fontSize": 7},
    },
}  # fmt: skip
"""A figure of a paper: the width of one column, in points, and ink on white in small letters."""

_FADED = 0.15  # of the lines that are not chosen in the legend


@dataclass(frozen=True)
class Chart:
    """A chart, its title, and what it shows."""

    title: str
    caption: str
    drawing: Spec

    @property
    def spec(self) -> dict[str, Any]:
        """As wide as what it stands in."""
        fit = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
        return {"$schema": SCHEMA, **self.drawing, **fit}

    def on_paper(self, width_in: float) -> dict[str, Any]:
        """As wide as so many inches of a PDF, in ink on white and small letters."""
        height = round(PAPER["lower"] * self.drawing.get("height", _HEIGHT))
        size = {"width": round(width_in * _POINTS_PER_IN), "height": height}
        return {**self.spec, **size, "config": PAPER["config"]}


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
    rows: list[Row], x: Channel, y: Channel, step: bool = False, mark_points: bool = False
) -> Spec | None:
    """Lines by drive; a click in the legend brings one of them out.

    Each is dashed in its own way: those that coincide are seen.
    """
    if not rows:
        return None
    mark = Mark(type="line", interpolate="step-after" if step else "linear", point=mark_points)
    drawn = chart(rows, mark, {"x": x, "y": y, **_by_drive(rows)})
    chosen = {"name": "drives", "select": {"type": "point", "fields": ["drive"]}, "bind": "legend"}
    drawn["params"] = [chosen]
    return drawn


def _by_drive(rows: Iterable[Row]) -> Encoding:
    drives = list(dict.fromkeys(row["drive"] for row in rows))
    dashes = [_DASHES[number % len(_DASHES)] for number in range(len(drives))]
    legend = Legend() if len(drives) > 1 else None
    colour = Channel(field="drive", type=NAME, title=None, sort=None, legend=legend)
    colour |= Channel(scale=colours(len(drives)))
    return {
        "color": colour,
        "strokeDash": colour | Channel(scale=Scale(range=dashes)),
        "opacity": {"condition": [{"param": "drives", "value": 1}], "value": _FADED},
        "tooltip": [*names("drive"), *quantities("x", "y")],
    }


def of_parts(present: Iterable[str], parts: Sequence[str]) -> Scale:
    """The colours of the parts that are there: the same for each in every chart."""
    found = set(present)
    shown = [part for part in parts if part in found]
    return Scale(domain=shown, range=[_PARTS[parts.index(part)] for part in shown])


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
    groups = ([_quoted(name) for name in names] for names in alike.values() if len(names) > 1)
    return "".join(f" {listed(names)} coincide." for names in groups)


def _quoted(name: str) -> str:
    """A name that reads as one among others."""
    return f"“{name}”" if "," in name else name


def colours(count: int) -> Scale:
    """A colour of its own for each of so many drives, of the usual ten as long as they suffice."""
    return Scale(scheme="tableau20") if count > _COLOURS else Scale()


def in_one_colour(charts: Iterable[Chart]) -> None:
    """Gives a drive the same colour in every chart of a page, and legends what lines have."""
    shown = [
        one for one in charts if one.drawing["encoding"].get("color", {}).get("field") == "drive"
    ]
    every: dict[str, str] = {}
    for one in shown:
        drives = list(dict.fromkeys(row["drive"] for row in one.drawing["data"]["values"]))
        for drive in drives:
            every.setdefault(drive, (*_TEN, *_LIGHTER)[len(every) % (2 * _COLOURS)])
        scale = Scale(domain=drives, range=[every[drive] for drive in drives])
        legend = Legend(symbolOpacity=1)
        one.drawing["encoding"]["color"] |= Channel(scale=scale, legend=legend)


def drives() -> Channel:
    """A place on the vertical axis for each drive."""
    return Channel(field="drive", type=NAME, title=None, sort=None)


def finish(title: str, caption: str, drawn: Spec | None, height: float = 0) -> Chart | None:
    """A chart as the page takes it, of the usual height where none is given; `None` of none."""
    if not drawn:
        return None
    caption += coinciding(drawn["data"]["values"])
    whole = Spec(**drawn)
    whole["height"] = height or _height(drawn)
    whole["description"] = f"{title}: {caption}"
    return Chart(title, caption, whole)


def _height(drawn: Spec) -> float:
    """Bars by drive take the height that their number needs; other charts have one height."""
    encoding = drawn["encoding"]
    if encoding["y"]["field"] != "drive":
        return _HEIGHT
    grouped = "yOffset" in encoding
    bars = {(row["drive"], row["resource"] if grouped else None) for row in drawn["data"]["values"]}
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


def without_spikes(rows: Sequence[Row]) -> tuple[Scale, str]:
    """A vertical scale that a few spikes do not flatten, and the caption's words on them."""
    values = sorted(row["y"] for row in rows)
    typical = values[len(values) * 9 // 10] if values else 0
    if not typical or values[-1] <= _SPIKE * typical:
        return Scale(zero=False), ""
    edge = 1.5 * typical
    cut = sum(value > edge for value in values)
    told = f" {cut} of {len(values)} points lie beyond the upper edge, up to {figure(values[-1])}."
    return Scale(zero=False, domainMax=edge, clamp=True), told


def decades(values: Iterable[float], percent: bool = False) -> Axis:
    """A logarithmic axis with a tick at each power of ten and none between."""
    known = [value for value in values if value > 0]
    first, last = (floor(log10(min(known))), ceil(log10(max(known)))) if known else (0, 0)
    powers = [10.0**power for power in range(first, last + 1)]
    return Axis(values=powers, format="~%" if percent else ",~r", labelOverlap=True)


def percent() -> Axis:
    """An axis of shares."""
    return Axis(format="%")
