"""Workloads by themselves: what a trace or a generator holds; traces in other formats."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from wordline import arguments
from wordline.arguments import checked
from wordline.components.part import Workload
from wordline.native import native_api
from wordline.native.native_api import Progress
from wordline.native.types.trace import Conversion, TraceInfo
from wordline.persistence import files

Layout = Literal["together", "side_by_side"]
"""Where the volumes of a trace lie."""

MEMORY_MIB = 2048
"""Memory that statistics may take unless told otherwise."""

_MOST_MIB = 1 << 30
_MOST_S = 1.8e10  # nanoseconds of more have no room in 64 bits
_MOST_SCALE = 1e9
_MOST_VOLUME = 2**20 - 1


@checked
def trace_info(
    workload: str | Path | Workload,
    *,
    trace_format: str | None = None,
    sort: bool = False,
    sample: float = 1.0,
    memory_mib: int = MEMORY_MIB,
    progress: Progress | None = None,
) -> TraceInfo:
    """Reads a workload from its first request to its last and takes its statistics.

    Args:
        workload: A trace file, or a generator such as `"zipf:theta=0.9"`.
        trace_format: The trace's format; detected where left out.
        sort: Put the requests in the order of their times first.
        sample: Share of the addresses that is looked at; 1 makes every figure exact.
        memory_mib: Memory that may be taken; a workload that needs more is refused.
        progress: Called a few times a second; what it raises stops the reading.

    Raises:
        WorkloadError: The workload cannot be used, or needs more memory.
    """
    if isinstance(workload, Workload) and workload.format != "auto":
        trace_format = trace_format or workload.format
    memory_mib = arguments.whole("memory_mib", memory_mib, 1, _MOST_MIB)
    return native_api.trace_info(str(workload), trace_format, sort, sample, memory_mib, progress)


@checked
def trace_convert(
    sources: Sequence[str | Path],
    target: str | Path,
    *,
    to: str | None = None,
    trace_format: str | None = None,
    volumes: Sequence[int] = (),
    from_s: float = 0.0,
    until_s: float | None = None,
    first: int | None = None,
    layout: Layout = "together",
    sort: bool = False,
    time_scale: float = 1.0,
    repeat: int = 1,
    split: bool = False,
    lossy: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Conversion:
    """Writes traces to a file in another format: whole, or not at all.

    Args:
        sources: Traces; several run at the same time, merged by arrival.
        target: The file; `.gz` or `.zst` compresses it.
        to: Its format; that of its ending where left out.
        trace_format: The format of the sources; detected where left out.
        volumes: Volumes of each source that count; all where empty.
        from_s: Drop requests that arrive before this; the first that is left arrives at 0.
        until_s: Drop requests that arrive at this time, counted as `from_s` is, or later.
        first: End after this many requests.
        layout: Keep the addresses of every volume, or lay the volumes side by side.
        sort: Put the requests of each source in the order of their times first.
        time_scale: Arrivals are multiplied by this.
        repeat: How often the whole is repeated, one mean gap after its last arrival.
        split: Write each volume to a file of its own, its number ahead of the ending.
        lossy: Round times, widen to whole sectors and leave out what the format cannot hold,
            instead of refusing it; the counts are returned.
        force: Replace files that exist.
        progress: Called a few times a second; what it raises stops the work.

    Raises:
        WorkloadError: A source cannot be used, or the format cannot hold it; the file exists, or
            cannot be written.
    """
    whole, real = arguments.whole, arguments.real
    task = {
        "sources": [str(source) for source in sources],
        "format": trace_format,
        "target": str(target),
        "to": to,
        "volumes": [whole("volumes", one, 0, _MOST_VOLUME) for one in volumes],
        "from_s": real("from_s", from_s, 0, _MOST_S),
        "until_s": None if until_s is None else real("until_s", until_s, 0, _MOST_S),
        "first": None if first is None else whole("first", first, 1, arguments.LARGEST),
        "layout": layout,
        "sort": sort,
        "time_scale": real("time_scale", time_scale, 0, _MOST_SCALE),
        "repeat": whole("repeat", repeat, 1, arguments.LARGEST),
        "split": split,
        "lossy": lossy,
        "force": force,
    }
    with files.made(Path(target).parent):
        return native_api.trace_convert(task, progress)
