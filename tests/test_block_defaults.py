"""Superblocks and garbage collection of drives that say nothing of them."""

from typing import Any

import wordline as wl
from wordline.components import catalogue
from wordline.configuration import find

SMALL: dict[str, Any] = {
    "drive": {
        "channels": 2,
        "chip": {
            "program": "one_shot",
            "blocks_per_plane": 64,
            "layers_per_block": 8,
            "pages_per_block": 96,
        },
    },
    "ftl": {"hotness": {"policy": "interval"}},
    "run": {"series_points": 0},
}
WORKLOAD = "uniform:requests=500,interval_us=500"


def blocks(config: Any) -> tuple[int, str]:
    """Dies of a superblock, and how garbage is collected."""
    return config["ftl"]["superblock_dies"], config["ftl"]["gc"]["mode"]


def test_what_is_told_of_defaults_is_what_a_drive_has() -> None:
    told = {
        param["key"]: param["default"]
        for table in catalogue.load()["tables"]
        for param in table["params"]
        if (table["path"], param["key"]) in {("ftl", "superblock_dies"), ("ftl.gc", "mode")}
    }
    assert (told["superblock_dies"], told["mode"]) == blocks(find({}).resolve())


def test_compared_drives_have_superblocks_all_or_none() -> None:
    def found(*techniques: str, planes_together: bool = False) -> set[tuple[int, str]]:
        drive = SMALL["drive"]
        chip = {**drive["chip"], "multi_plane": planes_together}
        small = {**SMALL, "drive": {**drive, "chip": chip}}
        cases = wl.compare(small, techniques, [WORKLOAD]).cases
        return {blocks(case.result.config) for case in cases}

    assert found("conventional", "ressd", "lazy_ftl") == {(4, "background")}
    assert found("conventional", planes_together=True) == {(4, "background")}
    # Second stages of planes that work together are those of blocks of their own.
    assert found("conventional", "lazy_ftl", planes_together=True) == {(0, "paced")}


def test_a_function_that_sees_single_blocks_gets_them() -> None:
    custom = wl.Custom(idle=lambda _: None)
    assert blocks(wl.run(SMALL, workload=WORKLOAD, custom=custom).config) == (0, "paced")
    assert blocks(wl.run(SMALL, workload=WORKLOAD).config) == (4, "background")
