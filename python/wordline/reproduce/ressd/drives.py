"""The drives and arrays: with and without ReSSD, and what the publication compares them with."""

from collections.abc import Mapping

Keys = tuple[str, ...]

_ON = "technique.ressd.layers"
RESSD: Keys = (f"{_ON}=2",)
VIRTUAL: Keys = (*RESSD, "technique.ressd.virtual_layers=true")

# Section 5 and Table 4, as in the preset rss-raid: chunks of 64 pages of 16 KiB, 256 stripes.
RAID: Keys = ('array.level="raid5"', "array.chunk_kib=1024")

# Section 6: without regard to errors.
IDEAL_LAYERS = (4, 8, 16, 32, 64)
# Section 7.2.9 gives values for this many.
IDEAL = 32

# Section 7.2.10: drives of an array, besides 4.
SIZES = (7, 10)

# Section 7.2.7: two bits in a cell, 2,200 us for a word line. Its read is not given; assumed: that
# of two bits in Table 4.
MLC: Keys = (
    'drive.chip.cell="mlc"',
    "drive.chip.pages_per_block=256",
    "drive.chip.program_us=2200",
    "drive.chip.read_us=53",
)

# Section 7.2.7: P/E cycles that a drive endures.
ENDURANCE_PEC = {"baseline": 1500, "ressd": 1500, "mlc": 30_000}

DRIVES: Mapping[str, Keys] = {
    "baseline": (),
    "ressd": RESSD,
    "raid": RAID,
    "rss": (*RAID, *RESSD),
    "rss_virtual": (*RAID, *VIRTUAL),
    "raid_mlc": (*RAID, *MLC),
    **{f"rss_{n}_layers": (*RAID, f"{_ON}={n}") for n in IDEAL_LAYERS},
    **{f"raid_of_{n}": (*RAID, f"array.drives={n}") for n in SIZES},
    **{f"rss_virtual_of_{n}": (*RAID, *VIRTUAL, f"array.drives={n}") for n in SIZES},
}
