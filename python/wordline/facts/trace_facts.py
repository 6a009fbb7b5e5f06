"""The statistics of a workload in words and figures, for the terminal and for reports."""

from collections.abc import Sequence
from dataclasses import dataclass

from wordline.figures.metrics import figure as figure
from wordline.figures.metrics import shown_unit
from wordline.native.types.trace import (
    FootprintStats,
    IntervalStats,
    OtherVolumes,
    Sampling,
    TimeStats,
    TraceFile,
    TraceInfo,
    VolumeStats,
)

_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30
_PAGE_BYTES = 16 * _KIB
_CUT = 0.1  # of an interval, by which the last one may fall short and count as whole
_DURATIONS = (
    (86_400.0, "days"),
    (3_600.0, "h"),
    (60.0, "min"),
    (1.0, "s"),
    (1e-3, "ms"),
    (1e-6, "µs"),
)
_SIZES = ((1 << 40, "TiB"), (_GIB, "GiB"), (_MIB, "MiB"), (_KIB, "KiB"))
ZONES = ("< 30 min", "30–60 min", "60–120 min", "> 120 min")
_LIMITS = ("1 min", "30 min", "1 h", "2 h", "1 day", "1 week", "30 days")


@dataclass(frozen=True)
class Row:
    """A line of a table: its name, its figures, and a share that can be drawn as a bar."""

    name: str
    values: Sequence[str]
    share: float | None = None


@dataclass(frozen=True)
class Section:
    """A table: its title, the names of its columns of figures, and its lines."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Row]


def about(info: TraceInfo) -> list[tuple[str, str]]:
    """What a workload is and how large: the facts that are always shown."""
    total, file = info.total, info.file
    facts = [] if file is None else [("format", _format(file)), ("times in", _unit(file))]
    if info.synthetic:
        facts.append(("source", "generated: no recorded trace"))
    facts.append(("span", _span(total.time)))
    facts.append(("rate", _rate(total.time)))
    facts.append(("footprint", _footprint(total.footprint)))
    if len(info.volumes) > 1:
        facts.append(("volumes", figure(count(info))))
    facts += [("skipped", f"{figure(s.count)} {s.reason}") for s in info.skipped]
    if info.sampling:
        facts.append(("sample", _sampling(info.sampling)))
    return facts


def _format(file: TraceFile) -> str:
    packed = "" if file.compression == "none" else f", {file.compression}"
    return f"{file.format}{packed}, {size(file.bytes)}"


def _unit(file: TraceFile) -> str:
    inferred = ", inferred from the first lines" if file.time_unit_inferred else ""
    return f"{shown_unit(file.time_unit)}{inferred}"


def _span(time: TimeStats) -> str:
    return duration(time.span_s) if time.span_s else "none: all requests come at once"


def _rate(time: TimeStats) -> str:
    if time.requests_per_s is None:
        return "–"
    return f"{figure(time.requests_per_s)} requests/s, {figure(time.mb_per_s)} MB/s"


def _footprint(footprint: FootprintStats) -> str:
    pages = footprint.page_16k.total_bytes
    return f"{size(pages)} in pages of 16 KiB; addresses up to {size(footprint.end_bytes)}"


def _sampling(sampling: Sampling) -> str:
    errors = [
        f"{name} ± {percent(sampling[key])}{unit}"
        for name, key, unit in (
            ("footprint", "footprint_error", " of it"),
            ("updates", "update_share_error", " of all"),
        )
        if sampling[key] is not None
    ]
    share = f"{percent(sampling.share)} of the addresses, {figure(sampling.pages)} pages"
    return f"estimated from {share}; standard errors: {', '.join(errors) or 'unknown'}"


def sections(stats: VolumeStats) -> list[Section]:
    """Every table of a volume, or of all together; those that would be empty are left out."""
    found = (
        _requests(stats),
        _updates(stats),
        _locality(stats),
        _rewrites(stats),
        _lifetimes(stats),
        _arrivals(stats),
        _reads(stats),
    )
    return [section for section in found if section and section.rows]


def _requests(stats: VolumeStats) -> Section:
    requests, footprint = stats.requests, stats.footprint
    order, kinds = stats.sequentiality, (stats.read_size, stats.write_size)
    write_share = requests.write_share
    read_share = None if write_share is None else 1 - write_share
    rows = [
        Row("requests", (figure(requests.reads), figure(requests.writes))),
        Row("share", (percent(read_share), percent(write_share))),
        Row("volume", (size(stats.bytes.read), size(stats.bytes.written))),
    ]
    for name, key in (("mean size", "mean"), ("median", "p50"), ("p99", "p99"), ("largest", "max")):
        rows.append(Row(name, tuple(_kib(of[f"{key}_kib"] if of else None) for of in kinds)))
    for name, unit in (("4 KiB", "block_4k"), ("16 KiB", "page_16k")):
        both = (footprint[unit]["read_bytes"], footprint[unit]["written_bytes"])
        rows.append(Row(f"distinct, by {name}", tuple(map(size, both))))
    for name, key in (("continue the last", "last"), ("… one of the last 32", "recent")):
        both = (order.reads, order.writes)
        rows.append(Row(name, tuple(percent(kind[f"after_{key}_share"]) for kind in both)))
    skew = (stats.skew.reads, stats.skew.updates)
    hottest = tuple(percent(kind.on_hottest_20_percent if kind else None) for kind in skew)
    rows.append(Row("on hottest 20 % of pages", (hottest[0], f"{hottest[1]} of updates")))
    kinds_beside = {"trims": "trims", "flushes": "flushes", "fua_writes": "FUA writes"}
    others = [Row(it, ("", figure(requests[k]))) for k, it in kinds_beside.items() if requests[k]]
    return Section("requests", ("reads", "writes"), rows + others)


def _updates(stats: VolumeStats) -> Section | None:
    updates, hot = stats.updates, stats.hot_writes
    if not updates.pages_written:
        return None
    rows = [
        _share("updates, of written 16 KiB pages", updates.share),
        _share("… of written 4 KiB blocks", updates.share_of_blocks_4k),
        _share("… of written bytes", updates.share_of_bytes),
        _share("… of write requests", updates.share_of_requests),
    ]
    if intervals := updates.intervals:
        shares = zip(ZONES, intervals.zone_shares, strict=True)
        rows += [_share(f"updated after {zone}", share) for zone, share in shares]
        rows += [
            Row("mean interval", (duration(intervals.mean_s),)),
            Row("median, p90", (_pair(intervals, "p50_s", "p90_s"),)),
        ]
    rows += [
        _share("in requests < 64 KiB", hot.small_request_share),
        _share("in sequences of ≤ 2 blocks", hot.short_sequence_share),
    ]
    return Section("writes", ("",), rows)


def _locality(stats: VolumeStats) -> Section | None:
    if not stats.requests.writes:
        return None
    found = stats.locality
    rows = [
        _share("reads behind one of the last 30 s", found.reads_behind_recent_share),
        _share("writes behind one of the last 30 s", found.writes_behind_recent_share),
        _share("writes behind any earlier one", found.writes_behind_any_share),
        *(
            _share(f"parts left when {duration(of.window_s)} are merged", of.left_share)
            for of in found.merged_parts
        ),
        Row("correlation of successive intervals", (figure(found.interval_correlation),)),
    ]
    return Section("beside earlier requests", ("",), rows)


def _rewrites(stats: VolumeStats) -> Section | None:
    rows = [
        Row(
            rewriting_class(stats, place),
            (percent(of.rewritten_share), *(_mib(of[key]) for key in ("p50_mib", "p90_mib"))),
        )
        for place, of in enumerate(stats.locality.rewrites)
        if of.pages
    ]
    return Section("pages by the size of their write", ("rewritten", "after", "p90"), rows)


def rewriting_class(stats: VolumeStats, place: int) -> str:
    """A class of writes by their size."""
    limit_kib = stats.locality.rewrites[place].below_kib
    if limit_kib is None:
        return f"≥ {stats.locality.rewrites[place - 1].below_kib} KiB"
    return f"< {limit_kib} KiB"


def _mib(mib: float | None) -> str:
    return "–" if mib is None else size(mib * _MIB)


def _pair(times: IntervalStats, first: str, second: str) -> str:
    return f"{duration(times[first])}, {duration(times[second])}"


def _lifetimes(stats: VolumeStats) -> Section | None:
    if not stats.lifetimes:
        return None
    lives = stats.lifetimes
    bounds = zip(_LIMITS, lives.limits_s, lives.longer_than_shares, strict=True)
    rows = [
        Row(f"longer than {limit}", (_range(least, most),), least)
        for limit, limit_s, (least, most) in bounds
        if limit_s <= stats.time.span_s  # nothing is known beyond
    ]
    if not rows:
        return None
    return Section("written pages that lived", ("",), rows)


def _range(least: float, most: float) -> str:
    low, high = percent(least), percent(most)
    return low if low == high else f"{low} to {high}"


def _arrivals(stats: VolumeStats) -> Section | None:
    arrivals = stats.arrivals
    if not arrivals:
        return None
    rows = [
        Row("mean", (duration(arrivals.mean_ms / 1e3),)),
        Row("standard deviation / mean", (figure(arrivals.cv),)),
        Row("burstiness", (figure(arrivals.burstiness),)),
        *(
            Row(name, (duration(arrivals[f"{key}_ms"] / 1e3),))
            for name, key in (("median", "p50"), ("p99", "p99"), ("longest", "max"))
        ),
        Row("most requests in a second", (figure(arrivals.peak_per_s),)),
        Row("variance / mean of seconds", (figure(arrivals.dispersion),)),
    ]
    return Section("between arrivals", ("",), rows)


def _reads(stats: VolumeStats) -> Section | None:
    if not stats.requests.reads:
        return None
    reuse = stats.reuse
    rows = [
        _share("written before", reuse.after_write_share),
        _share("read before only", reuse.after_read_share),
        _share("touched for the first time", reuse.first_touch_share),
    ]
    return Section("reads of data", ("",), rows)


def _share(name: str, share: float | None) -> Row:
    return Row(name, (percent(share),), share)


def sizes(stats: VolumeStats) -> list[tuple[str, float, float]]:
    """Classes of sizes, and the shares of the reads and of the writes in each."""
    kinds = [dict(of.histogram_bytes if of else ()) for of in (stats.read_size, stats.write_size)]
    reads, writes = ({limit: n / sum(kind.values()) for limit, n in kind.items()} for kind in kinds)
    limits = sorted({*reads, *writes})
    return [(size(limit), reads.get(limit, 0.0), writes.get(limit, 0.0)) for limit in limits]


def volumes(info: TraceInfo) -> Section:
    """The volumes, a line each, and one for those that have no statistics of their own."""
    heads = ("requests", "writes", "read", "written", "distinct", "updates", "requests/s")
    rows = [_volume(stats) for stats in info.volumes]
    others = info.others
    if others:
        values = (*_amounts(others), percent(others.update_share), "")
        rows.append(Row(f"{others.volumes:,} others", values))
    return Section("volumes", heads, rows)


def count(info: TraceInfo) -> int:
    """How many volumes there are."""
    return len(info.volumes) + (info.others.volumes if info.others else 0)


def _volume(stats: VolumeStats) -> Row:
    values = (
        *_amounts(stats),
        percent(stats.updates.share),
        figure(stats.time.requests_per_s),
    )
    return Row(stats.name or str(stats.volume), values)


def _amounts(of: VolumeStats | OtherVolumes) -> tuple[str, ...]:
    return (
        figure(of.requests.total),
        percent(of.requests.write_share),
        size(of.bytes.read),
        size(of.bytes.written),
        size(of.footprint.page_16k.total_bytes),
    )


def courses(info: TraceInfo) -> list[tuple[str, str, list[float]]]:
    """The course over time: name, unit and a value for each interval; none without time.

    An interval in whose midst the workload ends is left out: its rates would seem to fall.
    """
    intervals, length_s = info.series.intervals, info.series.interval_s
    if info.total.time.span_s < (len(intervals) - _CUT) * length_s:
        intervals = intervals[:-1]
    if len(intervals) < 2:
        return []
    rates = [
        (name, f"{unit}/s", [interval[key] / scale / length_s for interval in intervals])
        for name, key, unit, scale in (
            ("reads", "reads", "requests", 1.0),
            ("writes", "writes", "requests", 1.0),
            ("read", "bytes_read", "MB", 1e6),
            ("written", "bytes_written", "MB", 1e6),
        )
    ]
    shares = [i.writes / max(i.reads + i.writes, 1) for i in intervals]
    pages = [
        (name, "MiB", [interval[key] * _PAGE_BYTES / _MIB for interval in intervals])
        for name, key in (
            ("working set", "working_set_pages"),
            ("footprint", "footprint_pages"),
            ("covered by reads", "read_footprint_pages"),
            ("covered by writes", "written_footprint_pages"),
        )
    ]
    return [*rates, ("share of writes", "", shares), *pages]


def duration(seconds: float) -> str:
    """A time for people, in the unit that suits it."""
    return _in_units(seconds, _DURATIONS, "ns", 1e-9)


def size(count: float) -> str:
    """A number of bytes for people."""
    return _in_units(count, _SIZES, "B", 1.0)


def _in_units(value: float, units: Sequence[tuple[float, str]], least: str, scale: float) -> str:
    for unit, name in units:
        if value >= unit:
            return (
                f"{value / unit:.3g} {name}" if value < 999.5 * unit else _whole(value, unit, name)
            )
    return f"{value / scale:.3g} {least}"


def _whole(value: float, unit: float, name: str) -> str:
    return f"{value / unit:,.0f} {name}"


def _kib(kib: float | None) -> str:
    return "–" if kib is None else size(kib * _KIB)


def percent(share: float | None) -> str:
    """A share for people."""
    return "–" if share is None else f"{share * 100:.1f} %"
