"""The drives and arrays: with and without ReSSD, and what the publication compares them with."""

from collections.abc import Mapping

Keys = tuple[str, ...]

_ON = "technique.ressd.layers"
_RESSD: Keys = (f"{_ON}=2",)
_VIRTUAL: Keys = (*_RESSD, "technique.ressd.virtual_layers=true")

# Section 5 and Table 4, as in the preset rss-raid: chunks of 64 pages of 16 KiB, 256 stripes.
_RAID: Keys = ('array.level="raid5"', "array.chunk_kib=1024")

# Section 6: without regard to errors.
IDEAL_LAYERS = (4, 8, 16, 32, 64)

# Section 7.2.10: drives of an array, besides 4.
SIZES = (7, 10)

# Section 7.2.7: two bits in a cell, 2,200 us for a word line. Its read is not given; assumed: that
# of two bits in Table 4.
_MLC: Keys = (
    'drive.chip.cell="mlc"',
    "drive.chip.pages_per_block=256",
    "drive.chip.program_us=2200",
    "drive.chip.read_us=53",
)

# Section 7.2.7: P/E cycles that a drive endures.
ENDURANCE_PEC = {"baseline": 1500, "ressd": 1500, "mlc": 30_000}

# Ablations: what the publication leaves open, set otherwise.
_WAITS: Keys = ('ftl.acknowledge="buffer"',)
CANDIDATES = (1, 4)
_STRIPES: Keys = ("array.page_kib=16",)
_TIGHT: Keys = ("drive.over_provisioning=0.18",)
_LEFT: Keys = (*_RESSD, 'technique.ressd.spent="left"')
# As simulators do that count page by page: a program takes the pages it has, and no more.
_IN_PARTS: Keys = ('ftl.incomplete="leave"',)

DRIVES: Mapping[str, Keys] = {
    "baseline": (),
    "ressd": _RESSD,
    "raid": _RAID,
    "rss": (*_RAID, *_RESSD),
    "rss_virtual": (*_RAID, *_VIRTUAL),
    "raid_mlc": (*_RAID, *_MLC),
    **{f"rss_{n}_layers": (*_RAID, f"{_ON}={n}") for n in IDEAL_LAYERS},
    **{f"raid_of_{n}": (*_RAID, f"array.drives={n}") for n in SIZES},
    **{f"rss_virtual_of_{n}": (*_RAID, *_VIRTUAL, f"array.drives={n}") for n in SIZES},
    "baseline_waits": _WAITS,
    "ressd_waits": (*_WAITS, *_RESSD),
    "baseline_tight": _TIGHT,
    "ressd_tight": (*_TIGHT, *_RESSD),
    **{f"ressd_{n}_wait": (*_RESSD, f"technique.ressd.candidates={n}") for n in CANDIDATES},
    "raid_16k": (*_RAID, *_STRIPES),
    "rss_16k": (*_RAID, *_STRIPES, *_RESSD),
    "rss_left": (*_RAID, *_LEFT),
    "raid_in_parts": (*_RAID, *_IN_PARTS),
    "rss_in_parts": (*_RAID, *_IN_PARTS, *_RESSD),
    "raid_mlc_in_parts": (*_RAID, *_IN_PARTS, *_MLC),
}
