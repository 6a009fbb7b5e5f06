"""The page of a workload: what it is, its statistics, its course."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from wordline.facts import trace_facts
from wordline.facts.trace_facts import Section
from wordline.native.types.trace import TraceInfo, VolumeStats
from wordline.report import drawing, page, tables
from wordline.report.drawing import Chart, percent, rounded
from wordline.report.vega import (
    NAME,
    PLACE,
    QUANTITY,
    Axis,
    Channel,
    Mark,
    Row,
    Scale,
    Spec,
    chart,
    names,
    quantities,
)

_NS = 1e9


def render(info: TraceInfo) -> str:
    """A report of a workload as one HTML file that loads nothing from anywhere."""
    return page.document(f"Workload {escape(info.workload)}", _sections(info))


def _sections(info: TraceInfo) -> Iterator[str]:
    yield page.warning_box((warning, "") for warning in info.warnings)
    facts = [(escape(name), escape(value)) for name, value in trace_facts.about(info)]
    count = info.total.requests.total
    yield page.section("What it is", tables.table(f"{count:,} requests", ("", ""), facts))
    yield page.section("Course", page.figures(_courses(info)))
    both = "".join(map(_table, trace_facts.sections(info.total)))
    yield page.section("Statistics", both)
    yield page.section("Distributions", page.figures(_distributions(info.total)))
    if len(info.volumes) > 1:
        yield page.section("Volumes", _table(trace_facts.volumes(info)))


def _table(section: Section) -> str:
    rows = [(escape(row.name), *map(escape, row.values)) for row in section.rows]
    return tables.table(section.title, ("", *section.heads), rows)


def _courses(info: TraceInfo) -> list[Chart]:
    length_s = info.series.interval_s
    span_s = length_s * len(info.series.intervals)
    unit_s, unit = drawing.clock(span_s)
    time = Channel(field="x", type=QUANTITY, title=f"time ({unit})")
    courses = {name: (of, values) for name, of, values in trace_facts.courses(info)}

    def course(title: str, caption: str, kinds: Sequence[str]) -> Chart | None:
        rows = [
            {"kind": name, "x": rounded(place * length_s / unit_s), "y": rounded(value)}
            for name in kinds
            if name in courses
            for place, value in enumerate(courses[name][1])
        ]
        of = courses[kinds[0]][0] if rows else ""
        height = Channel(field="y", type=QUANTITY, title=of or "share")
        return drawing.finish(title, caption, _steps(rows, time, height))

    each = f"Of each interval of {trace_facts.duration(length_s)}."
    found = (
        course("Requests per second", each, ("reads", "writes")),
        course("Data per second", each, ("read", "written")),
        course("Share of writes", each, ("share of writes",)),
        course("Working set", "Distinct pages of 16 KiB touched in an interval.", ("working set",)),
        course(
            "Footprint",
            "Distinct pages touched since the beginning, and those read and written.",
            ("footprint", "covered by reads", "covered by writes"),
        ),
    )
    return [one for one in found if one]


def _distributions(stats: VolumeStats) -> list[Chart]:
    found = (
        _sizes(stats),
        _arrivals(stats),
        _intervals(stats),
        _switches(stats),
        _skew(stats),
        _behind(stats),
        _merged(stats),
        _rewrites(stats),
        _lives(stats),
    )
    return [one for one in found if one]


def _sizes(stats: VolumeStats) -> Chart | None:
    kinds = (("reads", stats.read_size), ("writes", stats.write_size))
    classes = [(kind, limit, n) for kind, of in kinds if of for limit, n in of.histogram_bytes]
    rows = [
        {"kind": kind, "class": trace_facts.size(limit), "order": limit, "y": count}
        for kind, limit, count in classes
    ]
    return drawing.finish(
        "Sizes", "Requests of at most that size.", _bars(rows, "size", "requests")
    )


def _arrivals(stats: VolumeStats) -> Chart | None:
    arrivals = stats.arrivals
    rows = _times("arrivals", arrivals.histogram_ns) if arrivals else []
    bars = _bars(rows, "time to the one before, at least", "requests")
    return drawing.finish("Times between arrivals", "Each class reaches to the next.", bars)


def _intervals(stats: VolumeStats) -> Chart | None:
    intervals = stats.updates.intervals
    rows = _times("updates", intervals.histogram_ns) if intervals else []
    bars = _bars(rows, "time since the page was written, at least", "updates")
    return drawing.finish("Update intervals", "Each class reaches to the next.", bars)


def _switches(stats: VolumeStats) -> Chart | None:
    intervals = stats.updates.intervals
    zones = (intervals.zone_switches if intervals else None) or ()
    rows = [
        {"kind": f"then {trace_facts.ZONES[now]}", "class": zone, "order": before, "y": share}
        for before, (zone, row) in enumerate(zip(trace_facts.ZONES, zones, strict=False))
        for now, share in enumerate(row)
    ]
    caption = "Updates by the interval before and their own: what is rewritten soon, is it again?"
    return drawing.finish(
        "Successive intervals", caption, _bars(rows, "interval before", "share of updates")
    )


def _behind(stats: VolumeStats) -> Chart | None:
    found = stats.locality
    shares = (
        ("reads", "one of the last 30 s", found.reads_behind_recent_share),
        ("writes", "one of the last 30 s", found.writes_behind_recent_share),
        ("writes", "any earlier one", found.writes_behind_any_share),
    )
    rows = [
        {"kind": kind, "class": behind, "order": order, "y": rounded(share)}
        for order, (kind, behind, share) in enumerate(shares)
        if share is not None
    ]
    caption = "Requests that begin where one of their kind ended."
    return drawing.finish("Adjacency", caption, _bars(rows, "behind", "share of requests"))


def _merged(stats: VolumeStats) -> Chart | None:
    rows = [
        {"kind": "writes", "class": trace_facts.duration(of.window_s), "order": of.window_s,
         "y": rounded(of.left_share)}
        for of in stats.locality.merged_parts
        if of.left_share is not None
    ]  # fmt: skip
    caption = "Parts of 96 KiB that are left when the writes of a window are merged."
    return drawing.finish("Merging", caption, _bars(rows, "window", "share of the parts"))


def _rewrites(stats: VolumeStats) -> Chart | None:
    rows = [
        {"kind": name, "class": trace_facts.rewriting_class(stats, place), "order": place, "y": mib}
        for place, of in enumerate(stats.locality.rewrites)
        for name, mib in (("median", of.p50_mib), ("p90", of.p90_mib))
        if mib is not None
    ]
    caption = "MiB that the volume writes until a page is rewritten, by the size of the write."
    return drawing.finish("Rewrite distance", caption, _bars(rows, "writes of", "MiB"))


def _times(kind: str, classes: Sequence[tuple[int, int]]) -> list[Row]:
    return [
        {"kind": kind, "class": trace_facts.duration(low / _NS), "order": low, "y": count}
        for low, count in classes
    ]


def _skew(stats: VolumeStats) -> Chart | None:
    rows = [
        {"kind": kind, "x": pages, "y": rounded(share)}
        for kind in ("updates", "reads")
        if stats.skew[kind]
        for pages, share in [(0, 0), *stats.skew[kind]["curve"]]
    ]
    hottest = "share of the pages, the hottest first"
    x = Channel(field="x", type=QUANTITY, title=hottest, axis=percent())
    y = Channel(field="y", type=QUANTITY, title="share that falls on them", axis=percent())
    caption = "Updates over the pages ever written, reads over those ever read."
    return drawing.finish("Skew", caption, _steps(rows, x, y, step=False))


def _lives(stats: VolumeStats) -> Chart | None:
    lives = stats.lifetimes
    bounds = zip(lives.limits_s, lives.longer_than_shares, strict=True) if lives else ()
    rows = [
        {"kind": kind, "x": limit_s, "y": rounded(share)}
        for limit_s, both in bounds
        for kind, share in zip(("at least", "at most"), both, strict=True)
    ]
    x = Channel(field="x", type=QUANTITY, title="lifetime (s)", scale=Scale(type="log"))
    y = Channel(field="y", type=QUANTITY, title="share of written pages", axis=percent())
    caption = "Pages that lived longer; between the bounds lies what still lived at the end."
    return drawing.finish("Lifetimes", caption, _steps(rows, x, y, step=False))


def _steps(rows: list[Row], x: Channel, y: Channel, step: bool = True) -> Spec | None:
    if not rows:
        return None
    mark = Mark(type="line", interpolate="step-after" if step else "linear")
    tooltip = [*names("kind"), *quantities("x", "y")]
    return chart(rows, mark, {"x": x, "y": y, "color": _colour(rows), "tooltip": tooltip})


def _bars(rows: list[Row], x_title: str, y_title: str) -> Spec | None:
    if not rows:
        return None
    order = [row["class"] for row in sorted(rows, key=lambda row: row["order"])]
    encoding = {
        "x": Channel(
            field="class",
            type=PLACE,
            title=x_title,
            sort=list(dict.fromkeys(order)),
            axis=Axis(labelAngle=-45, labelOverlap=True),
        ),
        "y": Channel(field="y", type=QUANTITY, title=y_title),
        "xOffset": Channel(field="kind", type=NAME, sort=None),
        "color": _colour(rows),
        "tooltip": [*names("kind", "class"), *quantities("y")],
    }
    return chart(rows, Mark(type="bar"), encoding)


def _colour(rows: Iterable[Row]) -> Channel:
    """One colour a kind; a legend only where there are several."""
    colour = Channel(field="kind", type=NAME, title=None, sort=None)
    if len({row["kind"] for row in rows}) == 1:
        colour["legend"] = None
    return colour
