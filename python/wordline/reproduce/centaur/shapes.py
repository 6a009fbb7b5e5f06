"""Sizes of chips and drives: Table 2, and the shares of 2D flash in Figure 17."""

from collections.abc import Mapping
from typing import Any

from wordline.configuration import find
from wordline.reproduce.centaur.drives import EXTRA_GIB, MIXED
from wordline.reproduce.centaur.workloads import SPEED
from wordline.reproduce.study import Figure, Findings

_BLOCKS_BY_GIB = {4: 2048, 2: 1024, 1: 512}
_EXTRA_CHIPS = "centaur-extra-chip-288g"
_KIB_OF_GIB = 2**20


def _groups(preset: str) -> Mapping[str, Any]:
    return find(preset).resolve()["drive"]["group"]


def _chip_gib(chip: Mapping[str, Any], blocks: int | None = None) -> float:
    blocks_per_plane = blocks or chip["blocks_per_plane"]
    pages = chip["dies"] * chip["planes"] * blocks_per_plane * chip["pages_per_block"]
    return pages * chip["page_kib"] / _KIB_OF_GIB


def _table2(_: Findings) -> Mapping[str, float]:
    slc, tlc = (_groups(MIXED)[kind]["chip"] for kind in ("slc", "tlc"))
    extra = {
        f"extra_chip_capacity/{_BLOCKS_BY_GIB[gib]}_blocks": _chip_gib(slc, _BLOCKS_BY_GIB[gib])
        for gib in EXTRA_GIB
    }
    return {
        "chip_capacity/3d": _chip_gib(tlc),
        "chip_capacity/2d": _chip_gib(slc),
        "idp_unit": 3 * tlc["planes"] * tlc["page_kib"],
        **extra,
    }


def _fig17(_: Findings) -> Mapping[str, float]:
    """The share of 2D flash, of the whole drive or of the 3D chips, by the extra chip's size."""
    drive = find(_EXTRA_CHIPS).resolve()["drive"]
    groups = drive["group"]
    chips = {kind: groups[kind]["channels"] or drive["channels"] for kind in groups}
    in_3d = chips["tlc"] * _chip_gib(groups["tlc"]["chip"])
    values: dict[str, float] = {}
    for gib in EXTRA_GIB:
        in_2d = chips["slc"] * _chip_gib(groups["slc"]["chip"], _BLOCKS_BY_GIB[gib])
        values |= {
            f"share_of_2d/reading=whole/{gib}_gb": 100 * in_2d / (in_2d + in_3d),
            f"share_of_2d/reading=3d/{gib}_gb": 100 * in_2d / in_3d,
        }
    return values


FIGURES = (
    Figure("table2", "Sizes of chips", _table2, "GiB", ways=(SPEED,)),
    Figure(
        "fig17", "The share of 2D flash, by the size of an extra chip", _fig17, "%", ways=(SPEED,)
    ),
)
