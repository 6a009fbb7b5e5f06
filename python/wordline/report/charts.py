"""Charts of a report, as Vega-Lite specifications."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

from wordline.facts import latency_breakdown
from wordline.figures.caveats import listed
from wordline.figures.comparison_view import Case
from wordline.figures.metrics import CAUSES
from wordline.report.drawing import (
    Chart,
    Course,
    decades,
    drives,
    finish,
    gather,
    lines,
    of_parts,
    percent,
    rounded,
    thin,
    without_spikes,
)
from wordline.report.vega import (
    NAME,
    PLACE,
    QUANTITY,
    Axis,
    Channel,
    Legend,
    Mark,
    Row,
    Scale,
    Spec,
    chart,
    names,
    quantities,
)

if TYPE_CHECKING:
    import altair as alt

_ROWS = 24_000  # of a page's line charts at most: about 1.5 MB
_ENERGIES = ("read", "program", "erase")
_RESOURCES = ("channel, mean", "channel, most", "die, mean", "die, most")
_WIDE = 20  # times the median, from which on latencies up to the 99th percentile need a logarithm
_MEANS = "Mean of each interval of the run."
_PERCENTILES = "Of each interval of the run; of fewer than 100 requests, the longest."
_LEVELS = "At the end of each interval."
_SERIES = (
    ("iops", "requests per second", _MEANS),
    ("write_amplification", "write amplification", _MEANS),
    ("write_mean_us", "mean write latency (µs)", _MEANS),
    ("read_mean_us", "mean read latency (µs)", _MEANS),
    ("write_p99_us", "p99 write latency (µs)", _PERCENTILES),
    ("read_p99_us", "p99 read latency (µs)", _PERCENTILES),
    ("free_blocks", "free blocks", "Erased blocks of the whole drive at the end of each interval."),
    ("slc_cache_mib", "SLC cache in use (MiB)", f"Until its blocks are erased. {_LEVELS}"),
    ("lazy_ftl_waiting", "word lines waiting for a second stage", _LEVELS),
)
_DIES = ("die_utilisation", "busy share of the dies", _MEANS)
_LIFE = (
    ("erase_ms", "mean time of an erase (ms)", "Array time of the window's erases."),
    ("errors_per_kib", "errors per KiB after a year", "Of a block's worst page; mean over blocks."),
    ("write_amplification", "write amplification", "Of each window."),
    ("read_p999_us", "p99.9 read latency (µs)", "Of each window."),
    ("good_block_share", "good blocks", "Blocks that are neither bad from the start nor worn out."),
)
_LINES = 4 + len(_SERIES) + 4 + len(_LIFE)  # latencies, series, collections, wear, dies, a life
_SINGLE_UNITS = 64  # channels or dies that are drawn one by one
_CELLS = 48  # of a die's time at most


def of_cases(cases: Sequence[Case], workloads: int = 1) -> list[Chart]:
    """The charts of one of a page's `workloads`; a chart that would be empty is left out."""
    return [drawn for drawn in _drawn(cases, workloads) if drawn]


def _drawn(cases: Sequence[Case], workloads: int) -> list[Chart | None]:
    points = max(20, min(200, _ROWS // (workloads * _LINES * len(cases))))
    charts = [
        draw(cases, kind, points)
        for draw in (_latency, _latency_tail)
        for kind in ("read", "write")
    ]
    charts += [_waits(cases, kind) for kind in ("read", "write")]
    charts += [causes(cases)]
    charts += [_series(cases, *series, points) for series in _SERIES]
    charts += [_collections(cases, points), _wear(cases, points), _spread(cases, points)]
    charts += [_life(cases, *figure, points) for figure in _LIFE]
    timeline = _dies(cases[0]) if len(cases) == 1 else None
    charts += [timeline or _series(cases, *_DIES, points), _utilisation(cases)]
    if len(cases) == 1:
        charts += [_each(cases[0], "channel"), _each(cases[0], "die")]
    return [*charts, _energy(cases)]


def by_key(cases: Sequence[Case], width_in: float | None) -> "dict[str, alt.Chart]":
    """The charts of the runs of one workload, to be shown, changed or saved.

    Those of a paper are `width_in` inches wide in a PDF, and without a title. A key is the chart's
    title in small letters, with `_` for all that is neither letter nor digit.
    """
    import altair as alt

    def spec(one: Chart) -> dict[str, Any]:
        return {**one.drawing, "title": one.title} if width_in is None else one.on_paper(width_in)

    return {
        re.sub(r"[^a-z0-9]+", "_", one.title.lower()).strip("_"): alt.Chart.from_dict(spec(one))
        for one in of_cases(cases)
    }


def _latency(cases: Sequence[Case], kind: str, points: int) -> Chart | None:
    """Up to the 99th percentile of the slowest drive, beyond which the tail begins."""
    sides = [case.result.host[kind] for case in cases]
    end_us = max(side.p99_us for side in sides)
    if not end_us:
        return None

    is_wide = end_us > _WIDE * min(side.p50_us for side in sides) > 0

    def rows(case: Case) -> Iterator[Row]:
        body = [point for point in case.result.host[kind].distribution if point[0] <= end_us]
        for latency_us, share in thin(body, points):
            # A logarithmic axis has no place for no time: that share is in the next point's.
            if latency_us > 0 or not is_wide:
                yield {"drive": case.variant, "x": rounded(latency_us), "y": rounded(share)}

    found = gather(cases, rows)
    if len({row["x"] for row in found}) == 1:
        return None  # every request took as long
    scale = "logarithmic" if is_wide else "linear"
    x = Channel(field="x", type=QUANTITY, title=f"{kind} latency (µs)")
    if is_wide:
        x |= Channel(scale=Scale(type="log"), axis=decades(row["x"] for row in found))
    drawn = lines(
        found,
        x,
        Channel(field="y", type=QUANTITY, title="share served by then", axis=percent()),
        step=True,
    )
    caption = f"Share of {kind}s served by then; {scale}, without the slowest percent."
    return finish(f"{kind.capitalize()} latency", caption, drawn)


def _latency_tail(cases: Sequence[Case], kind: str, points: int) -> Chart | None:
    def rows(case: Case) -> Iterator[Row]:
        for latency_us, share in thin(case.result.host[kind].distribution, points):
            if latency_us > 0 and share < 1:
                yield {"drive": case.variant, "x": rounded(latency_us), "y": rounded(1 - share)}

    found = gather(cases, rows)
    log = Scale(type="log")
    longer, shares = ([row[axis] for row in found] for axis in ("x", "y"))
    x = Channel(field="x", type=QUANTITY, title=f"{kind} latency (µs)", axis=decades(longer))
    y = Channel(
        field="y", type=QUANTITY, title="share that took longer", axis=decades(shares, True)
    )
    x["scale"] = y["scale"] = log
    drawn = lines(found, x, y, step=True)
    caption = f"Share of {kind}s that took longer than a latency; both axes logarithmic."
    drawn_of = {row["drive"] for row in found}
    if even := [case.variant for case in cases if case.variant not in drawn_of]:
        caption += f" On {listed(even)} all took alike."
    return finish(f"{kind.capitalize()} latency, tail", caption, drawn)


def _waits(cases: Sequence[Case], kind: str) -> Chart | None:
    """Of what mean latencies consist, a bar a drive, where runs say so."""
    parts = latency_breakdown.PARTS
    rows = _parts(cases, "for", tuple(parts), lambda c: latency_breakdown.of(c.result, kind))
    caption = f"What {kind}s took, on average over all of them."
    drawn = _stack(rows, "for", tuple(parts), f"mean {kind} latency (µs)")
    return finish(f"{kind.capitalize()} latency by part", caption, drawn)


def causes(cases: Sequence[Case]) -> Chart | None:
    """What the flash was programmed for, a bar a drive."""
    drawn = _stack(
        _parts(cases, "cause", CAUSES, lambda c: c.result["write_amplification_by_cause"]),
        "cause",
        CAUSES,
        "programmed per unit written",
    )
    return finish("Write amplification by cause", "What the flash was programmed for.", drawn)


def _energy(cases: Sequence[Case]) -> Chart | None:
    drawn = _stack(
        _parts(cases, "operation", _ENERGIES, lambda c: c.result["energy_mj"]),
        "operation",
        _ENERGIES,
        "energy (mJ)",
    )
    return finish("Energy", "What the flash's operations took in the run.", drawn)


def _parts(
    cases: Sequence[Case], field: str, parts: Sequence[str], of: Callable[[Case], Any]
) -> list[Row]:
    """One row for each part of a drive's figure that is not zero."""
    return [
        {"drive": case.variant, field: name, "order": order, "y": rounded(part)}
        for case in cases
        for order, name in enumerate(parts)
        if (part := (of(case) or {}).get(name))
    ]


def _stack(rows: list[Row], field: str, parts: Sequence[str], title: str) -> Spec | None:
    if not rows:
        return None
    encoding = {
        "x": Channel(field="y", type=QUANTITY, title=title, axis=Axis(tickCount=6)),
        "y": drives(),
        "color": Channel(
            field=field,
            type=NAME,
            sort=list(parts),
            title=None,
            scale=of_parts((row[field] for row in rows), parts),
        ),
        "order": Channel(field="order", type=PLACE),
        "tooltip": [*names("drive", field), *quantities("y")],
    }
    return chart(rows, Mark(type="bar"), encoding)


def _series(
    cases: Sequence[Case], column: str, title: str, caption: str, points: int
) -> Chart | None:
    course = Course.of(cases)

    def rows(case: Case) -> Iterator[Row]:
        for at, value in thin(course.points(case, column), points):
            if isfinite(value):
                yield {"drive": case.variant, "x": at, "y": rounded(value)}

    name = title[:1].upper() + title[1:]
    found = gather(cases, rows)
    # A figure that never changes, and a point alone, are in the tables.
    is_course = len({row["y"] for row in found}) > 1 and len({row["x"] for row in found}) > 1
    drives = {row["drive"]: None for row in found}
    told = f" {listed(list(drives))} only." if 0 < len(drives) < len(cases) else ""
    axis = percent() if column.endswith("utilisation") else Axis()
    if column.endswith("blocks"):
        axis["tickMinStep"] = 1
    return _drawn_over(course, name, caption + told, found if is_course else [], title, axis)


def _collections(cases: Sequence[Case], points: int) -> Chart | None:
    course = Course.of(cases)

    def rows(case: Case) -> Iterator[Row]:
        requests = [served for _, served in course.points(case, "requests")]
        found = [
            (at, served, victims)
            for (at, victims), served in zip(course.points(case, "gc_count"), requests, strict=True)
        ]
        for (_, start, before), (at, end, after) in pairwise(thin(found, points)):
            per_request = 1000 * (after - before) / (end - start)
            yield {"drive": case.variant, "x": at, "y": rounded(per_request)}

    found = gather(cases, rows)
    caption = "Victims reclaimed in each interval."
    shown = found if any(row["y"] for row in found) else []
    return _drawn_over(course, "Garbage collection", caption, shown, "victims per 1,000 requests")


def _drawn_over(
    course: Course, name: str, caption: str, rows: list[Row], title: str, axis: Axis | None = None
) -> Chart | None:
    scale, beyond = without_spikes(rows)
    drawn = lines(
        rows,
        Channel(field="x", type=QUANTITY, title=course.axis, axis=_few_ticks()),
        Channel(field="y", type=QUANTITY, title=title, scale=scale, axis=axis or Axis()),
    )
    return finish(f"{name} {course.over}", caption + beyond, drawn)


def _wear(cases: Sequence[Case], points: int) -> Chart | None:
    """Every block in its place, if they stood in the order of their erases."""
    if _wear_alike(cases):
        return None

    def rows(case: Case) -> Iterator[Row]:
        histogram = case.result.wear.histogram
        ends = list(accumulate((blocks for _, blocks in histogram), initial=0))
        levels = zip(histogram, pairwise(ends), strict=True)
        corners = [(place, erases) for (erases, _), both in levels for place in both]
        for place, erases in thin(corners, points):
            yield {"drive": case.variant, "x": rounded(place / ends[-1]), "y": erases}

    least_first = "share of the blocks, the least erased first"
    drawn = lines(
        gather(cases, rows),
        Channel(field="x", type=QUANTITY, title=least_first, axis=percent()),
        Channel(field="y", type=QUANTITY, title="erases of a block"),
    )
    return finish("Wear over blocks", "Erases of every block, in their order: flat is even.", drawn)


def _wear_alike(cases: Sequence[Case]) -> bool:
    """Whether all blocks of each drive were erased as often."""
    return all(len(case.result.wear.histogram) == 1 for case in cases)


def _spread(cases: Sequence[Case], points: int) -> Chart | None:
    if _wear_alike(cases):
        return None

    def rows(case: Case) -> Iterator[Row]:
        for erases, blocks in thin(case.result.wear.histogram, points):
            yield {"drive": case.variant, "x": erases, "y": blocks}

    drawn = lines(
        gather(cases, rows),
        Channel(
            field="x",
            type=QUANTITY,
            title="erases of a block",
            scale=Scale(zero=False),
            axis=Axis(tickMinStep=1),
        ),
        Channel(field="y", type=QUANTITY, title="blocks"),
        mark_points=True,
    )
    return finish("Spread of wear", "Blocks by their number of erases: narrow is even.", drawn)


def _life(
    cases: Sequence[Case], column: str, title: str, caption: str, points: int
) -> Chart | None:
    def rows(case: Case) -> Iterator[Row]:
        for window in thin(case.result["life"], points):
            if window[column] is not None:
                written, value = rounded(window["written_gib"]), rounded(window[column])
                yield {"drive": case.variant, "x": written, "y": value}

    axis = percent() if column.endswith("_share") else Axis()
    found = gather(cases, rows)
    scale, beyond = without_spikes(found)
    drawn = lines(
        found,
        Channel(field="x", type=QUANTITY, title="written by the host (GiB)"),
        Channel(field="y", type=QUANTITY, title=title, scale=scale, axis=axis),
    )
    return finish(f"Life: {title}", caption + beyond, drawn)


def _utilisation(cases: Sequence[Case]) -> Chart | None:
    rows = [
        {"drive": case.variant, "resource": name, "y": rounded(share)}
        for case in cases
        for kind in ("channel", "die")
        if (busy := case.result.flash[f"{kind}_utilisation"])
        for name, share in ((f"{kind}, mean", sum(busy) / len(busy)), (f"{kind}, most", max(busy)))
    ]
    if not any(row["y"] for row in rows):
        return None
    encoding = {
        "x": _busy(),
        "y": drives(),
        "yOffset": Channel(field="resource", type=NAME),
        "color": Channel(
            field="resource", type=NAME, title=None, scale=of_parts(_RESOURCES, _RESOURCES)
        ),
        "tooltip": [*names("drive", "resource"), *quantities("y")],
    }
    caption = "Busy share: mean over all channels and dies, and that of the busiest one."
    return finish("Utilisation", caption, chart(rows, Mark(type="bar"), encoding))


def _each(case: Case, kind: str) -> Chart | None:
    busy = case.result.flash[f"{kind}_utilisation"]
    if not any(busy) or len(busy) > _SINGLE_UNITS:
        return None
    rows = [{kind: number, "y": rounded(share)} for number, share in enumerate(busy)]
    encoding = {
        "x": Channel(
            field=kind, type=PLACE, title=kind, axis=Axis(labelOverlap=True, labelAngle=0)
        ),
        "y": _busy(),
        "tooltip": [Channel(field=kind, type=PLACE), *quantities("y")],
    }
    bars = chart(rows, Mark(type="bar"), encoding)
    return finish(f"Utilisation of each {kind}", f"Busy share of every {kind}.", bars)


def _dies(case: Case) -> Chart | None:
    """When each die was busy, where the dies are few."""
    course = Course.of([case])
    rows = [
        {"die": die, "x": start, "x2": end, "y": rounded(share)}
        for die in range(_SINGLE_UNITS)
        for start, end, share in _cells(course.points(case, f"die_{die}_utilisation"))
    ]
    if not any(row["y"] for row in rows) or len({row["die"] for row in rows}) == 1:
        return None
    encoding = {
        "x": Channel(field="x", type=QUANTITY, title=course.axis, axis=_few_ticks()),
        "x2": Channel(field="x2", title=course.axis),
        "y": Channel(field="die", type=PLACE, title="die", axis=Axis(labelOverlap=True)),
        "color": Channel(
            field="y",
            type=QUANTITY,
            title="busy share",
            scale=Scale(scheme="viridis", zero=True),
            legend=Legend(format="%"),
        ),
        "tooltip": [Channel(field="die", type=PLACE), *quantities("x", "x2", "y")],
    }
    caption = "Busy share of each die in each interval; a bright column: all dies were at work."
    return finish(f"Dies {course.over}", caption, chart(rows, Mark(type="rect"), encoding))


def _cells(points: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float, float]]:
    """Intervals joined to at most `_CELLS`: beginning, end, and the mean over the time between."""
    spans = [(start, end, of) for (start, _), (end, of) in pairwise(points) if end > start]
    step = -(-len(spans) // _CELLS) or 1
    for first in range(0, len(spans), step):
        cell = spans[first : first + step]
        start, end = cell[0][0], cell[-1][1]
        yield start, end, sum((to - at) * of for at, to, of in cell) / (end - start)


def _few_ticks() -> Axis:
    """Labels that stand apart on a phone as well."""
    return Axis(tickCount=6, labelOverlap=True)


def _busy() -> Channel:
    return Channel(field="y", type=QUANTITY, title="busy share of the run", axis=percent())
