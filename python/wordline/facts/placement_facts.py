"""What is shown of a drive that takes placement identifiers: a row for each handle."""

from collections.abc import Iterator

from wordline.figures.metrics import figure
from wordline.native.types.run import FdpSummary, UnitsSummary

HEADS = (
    ("handle", ""),
    ("written", "MiB"),
    ("moved out", "MiB"),
    ("moved in", "MiB"),
    ("reclaimed", "units"),
    ("owned", "units"),
)
"""Columns and their units."""


def rows(told: FdpSummary, unit_bytes: int) -> Iterator[tuple[str, ...]]:
    """A row for each handle with anything, and for the controller, as `HEADS` names them."""
    all_units = [(str(one.handle), one.host_bytes, one.units) for one in told.handles]
    for name, written, units in [*all_units, ("controller", 0, told.controller)]:
        if written or units.reclaim_units or units.reclaimed:
            yield name, _mib(written), *_moved(units, unit_bytes)


def _moved(units: UnitsSummary, unit_bytes: int) -> tuple[str, ...]:
    moved = (_mib(count * unit_bytes) for count in (units.moved_out, units.moved_in))
    return *moved, figure(units.reclaimed), figure(units.reclaim_units)


def _mib(size: int) -> str:
    return figure(size / 2**20)


def sentence(told: FdpSummary) -> str:
    """What the drive's own logs would say."""
    host, media, erased = (_mib(n) for n in (told.host_bytes, told.media_bytes, told.erased_bytes))
    size = _mib(told.reclaim_unit_bytes)
    text = (
        f"Reclaim units of {size} MiB. Written by the host {host} MiB, to the media {media} MiB, "
        f"erased {erased} MiB."
    )
    if told.events.invalid_identifier:
        text += f" {told.events.invalid_identifier:,} writes had an identifier that there is not."
    return text
