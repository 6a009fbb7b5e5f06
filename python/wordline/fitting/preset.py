"""A fitted drive as a configuration, with the source of every number."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from wordline import _native
from wordline.fitting.drive import Fit, Number
from wordline.fitting.logs import FILL

UNITS = 1 << 20
"""Units of 4 KiB that stand for the room of the log."""
_BLOCKS = 512  # of the log, where the data sheet says nothing of what is erased together
_SCALED = "derived: write amplification depends on ratios alone"
_ASSUMED = "not given; assumed: "
_SOURCES = {
    "run.mode": "chosen: write amplification is counted, and no times follow from the log",
    "drive.channels": f"{_SCALED}; one plane stands for the drive, whose blocks are superblocks",
    "drive.chips_per_channel": f"{_SCALED}; one plane stands for the drive",
    "drive.chip.planes": f"{_SCALED}; one plane stands for the drive",
    "drive.chip.blocks_per_plane": f"{_SCALED}; the room, and blocks that cleaning holds back",
    "ftl.superblock_dies": f"{_SCALED}; a block of the plane is a superblock",
    "ftl.gc.mode": "chosen: where nothing takes time nobody waits for a victim",
    "ftl.gc.free_block_threshold": f"{_ASSUMED}the drive uses its whole room before it cleans",
    "host.mode": "chosen: every write is issued when the one before is done",
}


def text(fit: Fit, name: str, block_gib: float | None, units: int) -> str:
    """The configuration as TOML, in the form of a preset.

    Args:
        fit: The drive.
        name: What it is called.
        block_gib: What it erases together, where that is known.
        units: Units of 4 KiB that stand for the room.
    """
    size = _size(fit, block_gib)
    values = configuration(fit.room_gib.value, fit.exported_gib, size, units)
    sources = _SOURCES | {
        "drive.over_provisioning": _of_room(fit),
        "drive.chip.pages_per_block": (
            f"published: {size:.4g} GiB are erased together"
            if block_gib
            else f"{_ASSUMED}1/{_BLOCKS} of the room is erased together; no effect on random writes"
        ),
    }
    lines = [f"summary = {_string(_summary(fit, name))}", *_tables(values), "", "[sources]"]
    lines += [f"{_string(key)} = {_string(sources[key])}" for key in values]
    return "\n".join(lines) + "\n"


def tables(fit: Fit, block_gib: float | None, units: int) -> dict[str, Any]:
    """What it sets, as tables of tables."""
    size = _size(fit, block_gib)
    found: dict[str, Any] = {}
    for key, value in configuration(fit.room_gib.value, fit.exported_gib, size, units).items():
        *names, last = key.split(".")
        table = found
        for name in names:
            table = table.setdefault(name, {})
        table[last] = value
    return found


def _size(fit: Fit, block_gib: float | None) -> float:
    """GiB that are erased together."""
    return block_gib or fit.room_gib.value / _BLOCKS


def configuration(
    room_gib: float, exported_gib: float, block_gib: float, units: int
) -> dict[str, Any]:
    """What a drive with such a log sets, by dotted key."""
    drive = _native.log_drive(room_gib, exported_gib, block_gib, float(units))
    config, defaults = (json.loads(part) for part in drive)
    return dict(_differing(config, defaults))


def _summary(fit: Fit, name: str) -> str:
    kind = "fitted" if fit.is_factor_fitted else "given"
    return (
        f"{name}: {fit.exported_gib:,.1f} GiB exported of a log of {fit.room_gib.value:,.1f} GiB "
        f"(fitted); it writes {fit.factor.value:.4f} times what `write_amplification` says "
        f"({kind}: parity, metadata)"
    )


def _of_room(fit: Fit) -> str:
    seen = ", ".join(
        "a fill"
        if observation.part.workload == FILL
        else f"uniform writes over {observation.part.space_gib:,.1f} GiB"
        for observation in fit.observations
    )
    return (
        f"fitted: a room of {told(fit.room_gib, 1)} GiB for {fit.exported_gib:,.1f} GiB; to {seen}"
    )


def told(number: Number, digits: int) -> str:
    """A number with its interval, in words."""
    value, low, high = (f"{end:,.{digits}f}" for end in (number.value, number.low, number.high))
    return f"{value} (95 %: {low} to {high})"


def _differing(config: Any, defaults: Any, under: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        default = defaults[key]
        if isinstance(value, dict):
            yield from _differing(value, default, f"{under}{key}.")
        elif value != default:
            yield f"{under}{key}", value


def _tables(values: Mapping[str, Any]) -> Iterator[str]:
    open_table = ""
    for key, value in values.items():
        table, _, name = key.rpartition(".")
        if table != open_table:
            yield ""
            yield f"[{table}]"
            open_table = table
        yield f"{name} = {_string(value) if isinstance(value, str) else json.dumps(value)}"


def _string(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
