"""The drives: one SSD with and without ReSSD, and what the publication compares it with."""

from collections.abc import Mapping

_ON = "technique.ressd.layers"

# Section 6: without regard to errors.
IDEAL_LAYERS = (4, 8, 16, 32, 64)

# Section 7.2.7: two bits in a cell, 2,200 us for a word line. Its read is not given; assumed: that
# of two bits in Table 4.
_MLC = (
    'drive.chip.cell="mlc"',
    "drive.chip.pages_per_block=256",
    "drive.chip.program_us=2200",
    "drive.chip.read_us=53",
)

# Section 7.2.7: P/E cycles that a drive endures.
ENDURANCE_PEC = {"baseline": 1500, "ressd": 1500, "mlc": 30_000}

# Data of the host stays in the write-back registers until a word line is full.
_WAITS = ('ftl.acknowledge="buffer"',)

DRIVES: Mapping[str, tuple[str, ...]] = {
    "baseline": (),
    "ressd": (f"{_ON}=2",),
    "vsl": (f"{_ON}=2", "technique.ressd.virtual_layers=true"),
    "mlc": _MLC,
    **{f"ideal_{layers}": (f"{_ON}={layers}",) for layers in IDEAL_LAYERS},
    "baseline_waits": _WAITS,
    "ressd_waits": (*_WAITS, f"{_ON}=2"),
}
