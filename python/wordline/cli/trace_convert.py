"""The verb `trace convert`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from wordline import traces
from wordline.cli import output, plain, progress
from wordline.cli.options import Mode
from wordline.facts.trace_facts import size
from wordline.native.types.trace import Conversion, PlacedVolume, TraceFile, WrittenFile

_LOST = {
    "rounded_times": "times rounded",
    "widened": "widened to sectors",
    "trims_left_out": "trims left out",
    "flushes_left_out": "flushes left out",
    "fuas_dropped": "FUA writes made plain",
    "placements_dropped": "placement identifiers dropped",
    "beyond_left_out": "too high addresses left out",
}
_FILES = 20  # shown at most; machines get them all


def convert(
    sources: Sequence[str],
    target: Path,
    progress_mode: Mode | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Writes traces to a file in another format."""
    with progress.shown(progress_mode) as start:
        update = start(str(target))
        done = traces.trace_convert(
            sources,
            target,
            **how,
            progress=update,
        )
        update("done", sum(file.requests for file in done.written), None, 0)
    plain.warn_of((warning, "") for warning in done.warnings)
    if as_json:
        plain.print_json(done.to_dict())
    else:
        show(done)


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
