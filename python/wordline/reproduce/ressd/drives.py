"""The drives and arrays: with and without ReSSD, and what the publication compares them with.

The preset `ressd-576g` is the publication's drive; laid over it is how its simulator runs one, as
far as that can be told (docs/ressd.md).
"""

from collections.abc import Iterable, Mapping

from wordline.reproduce.study import Figure

Keys = tuple[str, ...]

AS_PUBLISHED: Keys = (
    # SSDSim, which the publication modified, compares free pages with GC's threshold.
    'ftl.gc.counts="pages"',
    # Not given. Calibrated: the moves for each page written, without ReSSD (Figure 13 implies 1.8).
    "drive.over_provisioning=0.13",
    # Not given. Assumed: a program that is not full starts a millisecond after its first page, even
    # while its die is busy. By when_idle arrays pad more; `ressd-ablations` tells what that moves.
    'ftl.program_start="after_timeout"',
)

_ON = "technique.ressd.layers"
# Section 7.2.5: a word line of two bits counts as two pages; Section 3.3.3: until its block is
# erased.
_COUNTED: Keys = ('technique.ressd.third_page="lost"',)
RESSD: Keys = (f"{_ON}=2", *_COUNTED)
# Not what the text says: the account for which the published moves and GC time speak.
FREE = 'technique.ressd.third_page="free"'
VIRTUAL: Keys = (*RESSD, "technique.ressd.virtual_layers=true")

# Section 5 and Table 4, as in the preset rss-raid: chunks of 64 pages of 16 KiB, 256 stripes.
# Figures 10 and 11 tell how soon data and parity are updated.
RAID: Keys = ('array.level="raid5"', "array.chunk_kib=1024", "array.count_updates=true")

# Section 6: without regard to errors.
IDEAL_LAYERS = (4, 8, 16, 32, 64)
# Section 7.2.9 gives values for this many.
IDEAL = 32


def ideal(layers: int) -> Keys:
    """ReSSD with super layers of so many layers."""
    return (f"{_ON}={layers}", *_COUNTED)


# Section 7.2.10: drives of an array, besides 4; it gives values for ten.
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

_LAID_OVER: Mapping[str, Keys] = {
    "baseline": (),
    "ressd": RESSD,
    "ressd_free": (*RESSD, FREE),
    "raid": RAID,
    "rss": (*RAID, *RESSD),
    "rss_free": (*RAID, *RESSD, FREE),
    "rss_virtual": (*RAID, *VIRTUAL),
    "raid_mlc": (*RAID, *MLC),
    **{f"rss_{n}_layers": (*RAID, *ideal(n)) for n in IDEAL_LAYERS},
    **{f"raid_of_{n}": (*RAID, f"array.drives={n}") for n in SIZES},
    **{f"rss_virtual_of_{n}": (*RAID, *VIRTUAL, f"array.drives={n}") for n in SIZES},
}

DRIVES: Mapping[str, Keys] = {name: (*AS_PUBLISHED, *keys) for name, keys in _LAID_OVER.items()}


def needed_by(figures: Iterable[Figure]) -> Mapping[str, Keys]:
    """Those of [`DRIVES`] that the figures need."""
    return {name: DRIVES[name] for figure in figures for name in figure.drives}
