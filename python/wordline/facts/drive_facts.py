"""What a drive is: its dies, its flash, and what the host sees of it."""

from collections.abc import Iterator, Mapping
from typing import Any

from wordline.figures.metrics import figure

Config = Mapping[str, Any]


def in_words(config: Config) -> str:
    """Dies, cells and capacity of a resolved configuration's drive."""
    drive = config["drive"]
    kinds = list(_kinds(drive))
    dies = " and ".join(f"{count} dies of {chip['cell'].upper()}" for count, chip in kinds)
    flash = sum(count * _die_bytes(chip) for count, chip in kinds)
    exported = flash / (1 + drive["over_provisioning"])
    array = config["array"]
    of = f"{array['drives']} drives, each of " if array["level"] != "none" else ""
    return f"{of}{dies}, {_size(flash)} of flash, {_size(exported)} for the host"


def _kinds(drive: Config) -> Iterator[tuple[int, Config]]:
    """How many dies there are of each kind of flash, and their chip."""
    for of in drive["group"].values() or [drive]:
        first = of.get("first_channel", 0)
        channels = of["channels"] or drive["channels"] - first
        yield channels * of["chips_per_channel"] * of["chip"]["dies"], of["chip"]


def _die_bytes(chip: Config) -> float:
    pages = chip["planes"] * chip["blocks_per_plane"] * chip["pages_per_block"]
    return float(pages * chip["page_kib"] * 1024)


def _size(size: float) -> str:
    """A capacity in binary units."""
    gib = size / 2**30
    return f"{figure(gib)} GiB" if gib >= 1 else f"{figure(round(size / 2**20))} MiB"
