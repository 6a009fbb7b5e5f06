"""The verb `trace convert`."""

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from wordline import traces
from wordline.cli import output, plain, progress
from wordline.cli.options import Mode
from wordline.results.trace import Conversion, PlacedVolume, TraceFile, WrittenFile
from wordline.trace_facts import size
from wordline.traces import Layout

_LOST = {
    "rounded_times": "times rounded",
    "widened": "widened to sectors",
    "trims_left_out": "trims left out",
    "flushes_left_out": "flushes left out",
    "fuas_dropped": "FUA writes made plain",
    "beyond_left_out": "too high addresses left out",
}
_FILES = 20  # shown at most; machines get them all


def convert(
    sources: Sequence[str],
    target: Path,
    to: str | None,
    trace_format: str | None,
    volumes: Sequence[int],
    from_s: float,
    until_s: float | None,
    first: int | None,
    layout: Layout,
    time_scale: float,
    repeat: int,
    split: bool,
    lossy: bool,
    force: bool,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Writes traces to a file in another format."""
    with progress.shown(progress_mode) as start:
        update = start(str(target))
        done = traces.trace_convert(
            sources,
            target,
            to=to,
            trace_format=trace_format,
            volumes=volumes,
            from_s=from_s,
            until_s=until_s,
            first=first,
            layout=layout,
            time_scale=time_scale,
            repeat=repeat,
            split=split,
            lossy=lossy,
            force=force,
            progress=update,
        )
        update("done", sum(file.requests for file in done.written), None, 0)
    plain.warn_of((warning, "") for warning in _warnings(done))
    if as_json:
        plain.print_json(done.to_dict())
    else:
        show(done)


def _warnings(done: Conversion) -> list[str]:
    found = [
        f"{skipped.count:,} records are no requests for data and were left out: {skipped.reason}"
        for skipped in done.skipped
    ]
    if done.clamped_arrivals:
        found.append(
            f"{done.clamped_arrivals:,} requests were out of order in time; they were moved to "
            "the arrival ahead of them"
        )
    return found


def show(done: Conversion) -> None:
    """Prints what was read and what was written."""
    written = done.written
    lost = [key for key in _LOST if any(file.lost[key] for file in written)]
    table = output.grid(("file", "format", "requests", "size", *(_LOST[key] for key in lost)))
    for column in table.columns[2:]:
        column.justify = "right"
    for file in done.files:
        table.add_row(Text(file.path), _format(file), "", size(file.bytes))
    for file in written[:_FILES]:
        losses = (f"{file.lost[key]:,}" for key in lost)
        requests = f"{file.requests:,}"
        row = (Text(file.path), _format(file), requests, size(file.bytes), *losses)
        table.add_row(*row, style="bold")
    if len(written) > _FILES:
        table.add_row(f"and {len(written) - _FILES:,} more")
    output.show(done.workload + (" (synthetic)" if done.synthetic else ""), table)
    if done.volumes:
        _show_volumes(done.volumes)


def _format(file: TraceFile | WrittenFile) -> str:
    packed = file.compression
    return file.format if packed == "none" else f"{file.format}, {packed}"


def _show_volumes(volumes: Sequence[PlacedVolume]) -> None:
    table = output.grid(("volume", "", "first byte", "size"), figures=True)
    for placed in volumes[:_FILES]:
        table.add_row(str(placed.volume), f"{placed.first_byte:,}", size(placed.bytes))
    if len(volumes) > _FILES:
        table.add_row(f"and {len(volumes) - _FILES:,} more")
    output.show("side by side", table)
