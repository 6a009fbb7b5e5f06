"""The report of a sweep: its figures over an axis, fronts, maps, and drives against the first."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from wordline import _native
from wordline.figures import metrics, warning_groups
from wordline.figures.metrics import Metric
from wordline.report import drawing, page, tables
from wordline.report.drawing import Chart, rounded
from wordline.report.vega import (
    NAME,
    PLACE,
    QUANTITY,
    Channel,
    Layer,
    Mark,
    Scale,
    chart,
    layered,
    names,
    quantities,
)
from wordline.sweeps import findings, summary
from wordline.sweeps import table as columns
from wordline.sweeps.summary import Row

_MOST_CHARTS = 24
_MOST_SERIES = 10
_MOST_POINTS = 3000  # of a front's cloud
_MOST_FAILURES = 50
_OVER_PROVISIONING = "drive.over_provisioning"
_LOADS = ("host.queue_depth", "host.window", "host.time_scale")  # keys that press harder or less
_WIDE = 20  # times the least latency, from which on a curve needs a logarithm
_BAND, _FADED = 0.18, 0.25


def render(about: Mapping[str, Any], table: _native.Table) -> str:
    """A sweep as one HTML file that loads nothing from anywhere."""
    axes = ", ".join(about["axes"]) or "no axis"
    base = about["base"].removeprefix("preset ")
    title = f"Sweep {about['name']}: {len(table):,} points of {base} over {axes}"
    return page.document(escape(title), _sections(about, table))


def _sections(about: Mapping[str, Any], table: _native.Table) -> Iterator[str]:
    rows, axes = summary.rows_of(table), about["axes"]
    failed = len(table) - len(rows)
    found = summary.varying(rows)
    yield page.findings(findings.sentences(rows, axes, found))
    drawn = list(_charts(rows, axes, found))
    fronts = [one for one in _fronts(rows, axes) if one]
    curves = list(_curves(rows, axes))
    worths = [_worth(rows, axes, metric) for metric in summary.of_space(found)]
    first = [*filter(None, worths), *curves, *fronts[:1], *drawn[:1]]
    drawing.in_one_colour([*first, *drawn[1:], *fronts[1:]])
    yield page.section("At a glance", page.figures(first)) if first else ""
    yield page.warning_box(warnings_of(about, failed))
    if len(about["variants"]) > 1:
        yield page.section("Against the first drive", _effects(rows, axes, found))
    rest = [*drawn[1:], *fronts[1:], *_maps(rows, axes, found)]
    yield page.section("Over the axes", page.figures(rest[:_MOST_CHARTS])) if rest else ""
    yield page.section("Points that failed", _failures(table)) if failed else ""
    yield page.section("The sweep", _about(about))


def warnings_of(about: Mapping[str, Any], failed: int) -> list[tuple[str, str]]:
    """What must be known before any figure is believed."""
    found: list[tuple[str, str]] = []
    if failed:
        found.append((f"{failed:,} of {about['points']:,} points failed: they are left out", ""))
    if len(about["seeds"]) < 2:
        told = "each point was run with one seed: what another seed would change is not known"
        found.append((f"{told}; set `seeds` to 5 or more", ""))
    return found + warning_groups.concerned(about["warnings"], about["points"], "points")


def _series_of(rows: Sequence[Row], axes: Sequence[str], x: str) -> tuple[list[str], bool]:
    """The columns by which lines are told apart, and whether the rest is averaged."""
    others = [axis for axis in axes if axis != x and len({row[axis] for row in rows}) > 1]
    fields = [columns.VARIANT, *others]
    series = {tuple(row[field] for field in fields) for row in rows}
    return (fields, False) if len(series) <= _MOST_SERIES else ([columns.VARIANT], bool(others))


def _charts(rows: Sequence[Row], axes: Sequence[str], found: Sequence[Metric]) -> Iterator[Chart]:
    """A chart for each figure and workload: lines over the longest axis, with their intervals."""
    ordered = summary.numeric(rows, axes)
    if not ordered:
        return
    x = ordered[0]
    fields, is_averaged = _series_of(rows, axes, x)
    loads = list(dict.fromkeys(row[columns.WORKLOAD] for row in rows))
    repeated = len({row.get(columns.SEED) for row in rows}) > 1
    for metric in found:
        for load in loads:
            own = [row for row in rows if row[columns.WORKLOAD] == load]
            means = [place.of.mean for place in summary.places(own, [x, *fields[1:]], metric)]
            if max(means) - min(means) <= metrics.EQUAL * abs(max(means)):
                continue  # of what is the same everywhere there is nothing to see
            drawn = _lines(own, fields, x, metric, is_averaged)
            on = f" on {load}" if len(loads) > 1 else ""
            title = f"{metric.label[:1].upper()}{metric.label[1:]}{on}"
            told = "Means with 95 % confidence intervals." if repeated else "One seed a point."
            told += " Other axes are averaged." if is_averaged else ""
            one = drawing.finish(title, told, drawn)
            if one:
                yield one


def _lines(
    rows: Sequence[Row], fields: Sequence[str], x: str, metric: Metric, is_averaged: bool
) -> Any:
    kept = [field for field in fields if field != columns.VARIANT]
    places = summary.places(rows, [x, *kept], metric)
    shown: list[Row] = [
        {
            "drive": ", ".join(str(place.row[field]) for field in fields),
            "x": place.row[x],
            "y": rounded(place.of.mean),
            "low": rounded(place.of.low),
            "high": rounded(place.of.high),
        }
        for place in sorted(places, key=lambda place: place.row[x])
    ]
    title = f"{metric.label} ({metric.unit})" if metric.unit else metric.label
    y = Channel(field="y", type=QUANTITY, title=title, scale=Scale(zero=False))
    colour = Channel(field="drive", type=NAME, title=None, sort=None)
    band = Layer(
        mark=Mark(type="area", opacity=_BAND),
        encoding={"y": Channel(field="low", type=QUANTITY, title=title), "y2": {"field": "high"}},
    )
    line = Layer(
        mark=Mark(type="line", point=Mark(type="point", size=30, filled=True)), encoding={}
    )
    encoding = {
        "x": Channel(field="x", type=QUANTITY, title=x, scale=Scale(zero=False)),
        "y": y,
        "color": colour,
        "tooltip": [*names("drive"), *quantities("x", "y", "low", "high")],
    }
    is_repeated = any(row["low"] < row["high"] for row in shown)
    return layered([dict(row) for row in shown], [band, line] if is_repeated else [line], encoding)


def _curves(rows: Sequence[Row], axes: Sequence[str]) -> Iterator[Chart]:
    """Throughput against latency, where an axis presses the drives harder or less."""
    axis = next((axis for axis in summary.numeric(rows, axes) if axis in _LOADS), None)
    if axis is None:
        return
    fields, is_averaged = _series_of(rows, axes, axis)
    known = {metric.key: metric for metric in metrics.METRICS}
    workloads = list(dict.fromkeys(row[columns.WORKLOAD] for row in rows))
    for metric in (known["read_p99_us"], known["write_p99_us"]):
        for workload in workloads:
            of_it = (row for row in rows if row[columns.WORKLOAD] == workload)
            own = [row for row in of_it if row["iops"] and row[metric.key]]
            told = f"A point for each value of {axis}; the lower right is better."
            told += " Other axes are averaged." if is_averaged else ""
            on = f" on {workload}" if len(workloads) > 1 else ""
            title = f"IOPS against {metric.label}{on}"
            one = drawing.finish(title, told, _curve(own, fields, axis, metric))
            if one:
                yield one


def _curve(rows: Sequence[Row], fields: Sequence[str], axis: str, metric: Metric) -> Any:
    """A line a drive, from its least load to its greatest; `None` where no drive has two points."""
    places = [axis, *(field for field in fields if field != columns.VARIANT)]
    iops = summary.places(rows, places, metrics.METRICS[0])
    shown: list[Row] = [
        {
            "drive": ", ".join(str(at.row[field]) for field in fields),
            "load": at.row[axis],
            "x": rounded(at.of.mean),
            "y": rounded(latency.of.mean),
        }
        for at, latency in zip(iops, summary.places(rows, places, metric), strict=True)
    ]
    if len(shown) == len({row["drive"] for row in shown}):
        return None
    latencies = [row["y"] for row in shown]
    y = Channel(field="y", type=QUANTITY, title=f"{metric.label} ({metric.unit})")
    if max(latencies) > _WIDE * min(latencies):
        y |= Channel(scale=Scale(type="log"), axis=drawing.decades(latencies))
    encoding = {
        "x": Channel(field="x", type=QUANTITY, title="IOPS", scale=Scale(zero=False)),
        "y": y,
        "color": Channel(field="drive", type=NAME, title=None, sort=None),
        "order": Channel(field="load", type=QUANTITY),
        "tooltip": [*names("drive"), *quantities("load", "x", "y")],
    }
    line = Layer(mark=Mark(type="line", point=Mark(size=40, filled=True)), encoding={})
    label = Layer(
        mark=Mark(type="text", dy=-9),
        encoding={"text": Channel(field="load", type=QUANTITY, title=axis)},
    )
    return layered([dict(row) for row in shown], [line, label], encoding)


def _worth(rows: Sequence[Row], axes: Sequence[str], metric: Metric) -> Chart | None:
    """What the first drive would need of the axis to be as good as each other one."""
    found = summary.worth(rows, axes, metric)
    if not found:
        return None
    axis, first = found[0].axis, rows[0][columns.VARIANT]
    loads = len({one.workload for one in found})
    shown: list[dict[str, Any]] = [
        {
            "drive": f"{one.drive} on {one.workload}" if loads > 1 else one.drive,
            "x": one.has,
            "y": rounded(one.needs),
        }
        for one in found
        if one.needs is not None
    ]
    if not shown:
        return None
    ends = sorted({one.has for one in found})
    shown += [{"drive": first, "x": end, "y": end} for end in ends]
    title = f"{axis} that {first} needs"
    encoding = {
        "x": Channel(field="x", type=QUANTITY, title=axis, scale=Scale(zero=False)),
        "y": Channel(field="y", type=QUANTITY, title=title, scale=Scale(zero=False)),
        "color": Channel(field="drive", type=NAME, title=None, sort=None),
        "tooltip": [*names("drive"), *quantities("x", "y")],
    }
    drawn = chart(shown, Mark(type="line", point=Mark(type="point", size=30)), encoding)
    beyond = sum(one.needs is None for one in found)
    told = f"For the same {metric.label}, by interpolation between the points of {first}."
    told += f" {beyond} of {len(found)} points lie beyond what was swept." if beyond else ""
    return drawing.finish(f"Worth in {axis}, by {metric.label}", told, drawn)


def _fronts(rows: Sequence[Row], axes: Sequence[str]) -> Iterator[Chart | None]:
    """What is given up for what: capacity, write amplification, tails, life."""
    known = {metric.key: metric for metric in metrics.METRICS}
    amplification = known["write_amplification"]
    if _OVER_PROVISIONING in axes:

        def given_up(row: Row) -> float:
            share = row[_OVER_PROVISIONING]
            return share / (1 + share)

        yield _front(rows, axes, given_up, "flash given up for over-provisioning", amplification)
    for key in ("write_p9999_us", "read_p9999_us"):
        metric = known[key]
        if metric in summary.varying(rows):
            label = f"{metric.label} ({metric.unit})"
            yield _front(rows, axes, lambda row, key=key: row[key], label, amplification)


def _front(rows: Sequence[Row], axes: Sequence[str], x: Any, label: str, metric: Metric) -> Any:
    """Every point by two aims, those on the front in full colour."""
    places = summary.places(rows, axes, metric)
    places = list(drawing.thin(places, _MOST_POINTS))
    loads = len({row[columns.WORKLOAD] for row in rows})
    shown: list[dict[str, Any]] = []
    for name in dict.fromkeys(place.row[columns.WORKLOAD] for place in places):
        own = [place for place in places if place.row[columns.WORKLOAD] == name]
        best = set(summary.front([(x(place.row), place.of.mean) for place in own], (1, 1)))
        for number, place in enumerate(own):
            drive = place.row[columns.VARIANT]
            shown.append({
                "drive": f"{drive} on {name}" if loads > 1 else drive,
                "point": place.row[columns.POINT],
                "x": rounded(x(place.row)),
                "y": rounded(place.of.mean),
                "front": "front" if number in best else "beaten",
            })  # fmt: skip
    if len({row["x"] for row in shown}) < 2 or len({row["y"] for row in shown}) < 2:
        return None
    encoding = {
        "x": Channel(field="x", type=QUANTITY, title=label, scale=Scale(zero=False)),
        "y": Channel(field="y", type=QUANTITY, title=metric.label, scale=Scale(zero=False)),
        "color": Channel(field="drive", type=NAME, title=None, sort=None),
        "opacity": Channel(
            field="front", type=NAME, title=None, legend=None,
            scale=Scale(type="ordinal", domain=["front", "beaten"], range=[1, _FADED]),
        ),
        "tooltip": [*names("drive", "front"), *quantities("point", "x", "y")],
    }  # fmt: skip
    drawn = chart(shown, Mark(type="point", filled=True, size=60), encoding)
    told = "Lower left is better; faint points are beaten in both by another on their workload."
    return drawing.finish(f"{metric.label.capitalize()} against {label}", told, drawn)


def _maps(rows: Sequence[Row], axes: Sequence[str], found: Sequence[Metric]) -> Iterator[Chart]:
    """Two axes as a map, for each drive: the first figure, averaged over all else."""
    ordered = summary.numeric(rows, axes)
    if len(ordered) < 2 or not found:
        return
    x, y, metric = ordered[0], ordered[1], found[0]
    for variant in dict.fromkeys(row[columns.VARIANT] for row in rows):
        own = [row for row in rows if row[columns.VARIANT] == variant]
        cells: dict[tuple[Any, Any], list[float]] = {}
        for row in own:
            cells.setdefault((row[x], row[y]), []).append(row[metric.key])
        shown = [
            {"x": a, "y": b, "value": rounded(sum(of) / len(of))} for (a, b), of in cells.items()
        ]
        encoding = {
            "x": Channel(field="x", type=PLACE, title=x),
            "y": Channel(field="y", type=PLACE, title=y, sort="descending"),  # pyright: ignore
            "color": Channel(field="value", type=QUANTITY, title=metric.label),
            "tooltip": quantities("x", "y", "value"),
        }
        drawn = chart(shown, Mark(type="rect"), encoding)
        one = drawing.finish(f"{metric.label.capitalize()}: {variant}", "Means.", drawn)
        if one:
            yield one


def _effects(rows: Sequence[Row], axes: Sequence[str], found: Sequence[Metric]) -> str:
    first = rows[0][columns.VARIANT] if rows else ""
    caption = f"Ratios to {first}, in pairs of equal workload, axes and seed"
    return tables.effects(caption, summary.effects(rows, axes, found))


def _failures(table: _native.Table) -> str:
    both = zip(table[columns.POINT], table[columns.ERROR], strict=True)
    found = [(str(number), escape(error)) for number, error in both if error]
    more = len(found) - _MOST_FAILURES
    caption = f"The first {_MOST_FAILURES}; {more:,} more are in the table" if more > 0 else ""
    return tables.table(caption, ("point", "why"), found[:_MOST_FAILURES])


def _about(about: Mapping[str, Any]) -> str:
    told = [("base", about["base"]), ("set", ", ".join(about["set"]) or "nothing")]
    told += [(f"drive {name}", ", ".join(of) or "–") for name, of in about["variants"].items()]
    told += [("workload", load) for load in about["workloads"]]
    told += [("axes", ", ".join(about["axes"]) or "none")]
    told += [("seeds", ", ".join(map(str, about["seeds"])) or "the base's")]
    told += [("simulator", f"Wordline {about['wordline']}, {about['simulator'][:8]}")]
    note = "<p>Every point is a row of <code>points.parquet</code>.</p>"
    return note + tables.table("", ("", ""), [(escape(a), escape(b)) for a, b in told])
