"""The drive that all simulators get: a preset, and the few keys that make them equal."""

from dataclasses import dataclass
from typing import Any

from wordline.configuration import find

PRESET = "peers-16g"

GC_RESERVE_BLOCKS = 20
"""Free blocks of a plane below which GC runs.

MQSim stops the host's writes to a plane below ten free blocks, whatever its configuration says
(`max_ongoing_gc_reqs_per_plane`), so that a smaller reserve would stall it.
"""

COMMAND_US = 0.33
"""Command and address cycles: MQSim's NV-DDR2 timing makes them 0.29 µs (read), 0.36 (program)."""


@dataclass(frozen=True)
class Drive:
    """A drive, as Wordline's resolved configuration."""

    overrides: tuple[str, ...]
    config: dict[str, Any]
    reserve_blocks: int
    """Free blocks of a plane below which GC runs."""

    @property
    def chip(self) -> dict[str, Any]:
        """The flash."""
        return self.config["drive"]["chip"]

    @property
    def page_bytes(self) -> int:
        """User data of a page, bytes."""
        return round(self.chip["page_kib"] * 1024)

    @property
    def physical_pages(self) -> int:
        """Pages of the flash."""
        drive, chip = self.config["drive"], self.chip
        planes = drive["channels"] * drive["chips_per_channel"] * chip["dies"] * chip["planes"]
        return planes * chip["blocks_per_plane"] * chip["pages_per_block"]

    @property
    def physical_over_provisioning(self) -> float:
        """(T - U) / T, as MQSim counts it."""
        logical_share = self.config["drive"]["over_provisioning"]
        return logical_share / (1 + logical_share)

    @property
    def logical_pages(self) -> int:
        """Pages that the host may write in every simulator."""
        return int(self.physical_pages * (1 - self.physical_over_provisioning))


def drive(blocks_per_plane: int, reserve_blocks: int = GC_RESERVE_BLOCKS) -> Drive:
    """The common drive with `blocks_per_plane` blocks in each plane."""
    overrides = (
        f"drive.chip.blocks_per_plane={blocks_per_plane}",
        f"drive.chip.command_us={COMMAND_US}",
        f"ftl.gc.free_block_threshold={reserve_blocks / blocks_per_plane}",
        # MQSim serves a host's reads before its writes, here without suspension.
        "drive.scheduling.order=reads_first",
        "precondition.pattern=none",
        "run.series_points=0",
    )
    config = find(PRESET).with_overrides(overrides).resolve()
    return Drive(overrides, config, reserve_blocks)
