"""The divisions: a drive of each kind of flash, and what competes on it.

Blocks are fewer and smaller than those of the publications' drives: a run takes half a second.
Programs and reads take the chip's own times. So do erases, but on Centaur's drive, whose erases
take a quarter of them, as its blocks are a quarter as large.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from wordline.components import catalogue
from wordline.configuration import Configuration
from wordline.runs.single_run import CONVENTIONAL, Variant, of_technique

# Every drive is told truly which data is hot: no technique wins by a better guess.
_COMMON = (
    "ftl.hotness.policy=oracle",
    "drive.scheduling.order=reads_first",
    "run.series_points=0",
    "run.check=false",
)

_TLC = """
[drive]
channels = 2
chips_per_channel = 2
[drive.chip]
preset = "lazyrs-tlc"
blocks_per_plane = 128
layers_per_block = 16
pages_per_block = 192
[drive.reads]
model = "cell"
[erase]
scheme = "ispe"
[erase.ispe]
chip = "lazyrs-tlc"
[ftl]
superblock_dies = 0
[ftl.gc]
mode = "preemptible"
[precondition]
pattern = "steady"
"""

# The wear of the chip of LLH-FTL is not published; 3,000 cycles are usual for MLC of 35 nm.
_MLC = """
preset = "llh-emulator-16g"
[drive.chip]
blocks_per_plane = 64
pages_per_block = 256
endurance_pec = 3000
[drive.reads]
model = "cell"
[erase]
scheme = "ispe"
[ftl]
frontiers = "coldest"
[host]
mode = "auto"
time_scale = 1.0
[precondition]
pattern = "steady"
"""

# Centaur's drive, its blocks as `wordline reproduce centaur` has them, and fewer. A full drive with
# less spare room leaves Centaur's 3D flash no way out: its write amplification is 73 with 0.28.
_MIXED = """
preset = "centaur-mixed-256g"
[drive.group.slc.chip]
blocks_per_plane = 64
pages_per_block = 32
erase_ms = 0.375
[drive.group.tlc.chip]
blocks_per_plane = 45
pages_per_block = 192
erase_ms = 2.5
[host]
write_buffer_mib = 0.5
[precondition]
fill = 1.0
pattern = "random"
"""

# The ages at which DPES changes and ends are published of the chip reo-tlc, whose mean block lasts
# 5,330 cycles by ISPE. One of lazyrs-tlc lasts 1,106: the ages come as early in its life.
_DPES_OF_TLC = ("erase.dpes.later_pec=311", "erase.dpes.until_pec=726")

_DPES, _REO = "dpes", "reo"
_SCHEMES = ("i_ispe", _DPES, "aero", _REO)


@dataclass(frozen=True)
class Division:
    """Drives on the same flash.

    Attributes:
        name: What it is called.
        flash: The flash, in words.
        text: The conventional drive, as TOML.
        over_provisioning: That of its drives.
        erases_by: The chip whose tables of erases every scheme takes; empty for the flash's own.
        dpes: Keys of the scheme DPES on this flash.
        is_worn_out: Whether its drives are written until they turn read-only.
        erases_by_pulses: Whether its conventional drive erases by pulses, as schemes do.
        gives: By technique, the group of dies that it is given.
        longer: How many times as many requests as the others its drives need to settle.
    """

    name: str
    flash: str
    text: str
    over_provisioning: float
    erases_by: str = ""
    dpes: tuple[str, ...] = ()
    is_worn_out: bool = False
    erases_by_pulses: bool = True
    gives: Mapping[str, str] = field(default_factory=dict[str, str])
    longer: int = 1

    @property
    def base(self) -> Configuration:
        """The conventional drive."""
        spare = f"drive.over_provisioning={self.over_provisioning}"
        return Configuration(self.text, f"the league: {self.name}", (*_COMMON, spare))


DIVISIONS = (
    Division(
        "3D TLC",
        "four dies of lazyrs-tlc, 1.5 GiB",
        _TLC,
        0.28,
        "lazyrs-tlc",
        _DPES_OF_TLC,
        is_worn_out=True,
    ),
    Division("MLC", "16 banks of llh-emulator-16g's MLC, 2 GiB", _MLC, 0.28),
    Division(
        "2D and 3D",
        "7 dies of centaur-tlc beside 8 of centaur-slc, 2 GiB",
        _MIXED,
        0.5,
        # Blocks of a quarter of the size take a quarter of the time, which no table of pulses has.
        erases_by_pulses=False,
        gives={"ressd": "tlc", "lazy_ftl": "tlc", "llh_ftl": "slc"},
        longer=4,
    ),
)
"""Every division."""


def scheme(name: str, division: Division, *more: str) -> Variant:
    """The conventional drive with another erase scheme."""
    chip = (f"erase.{name}.chip={division.erases_by}",) if division.erases_by else ()
    own = division.dpes if name == _DPES else ()
    return Variant(name, (f"erase.scheme={name}", *chip, *own, *more))


def _technique(name: str, division: Division) -> Variant:
    """The conventional drive with a technique, on the group that the division gives it."""
    whole = of_technique(name)
    group = division.gives.get(name)
    given = () if group is None else (f"technique.{name}.group={group}",)
    return Variant(name, (*whole.overrides, *given))


def composed(one: Variant, other: Variant) -> Variant:
    """Both in one drive."""
    return Variant(f"{one.name} + {other.name}", (*one.overrides, *other.overrides))


def asked(division: Division) -> Iterator[Variant]:
    """What is to compete in a division, each alone and in pairs; the conventional drive first."""
    names = (name for name in catalogue.techniques() if name != CONVENTIONAL)
    techniques = [_technique(name, division) for name in names]
    yield of_technique(CONVENTIONAL)
    yield from techniques
    if division.erases_by_pulses:
        yield from _of_schemes(division, techniques)
    yield from (composed(one, other) for one, other in combinations(techniques, 2))


def _of_schemes(division: Division, techniques: Sequence[Variant]) -> Iterator[Variant]:
    """Erase schemes alone, and REO with each technique."""
    yield from (scheme(name, division) for name in _SCHEMES)
    reo = scheme(_REO, division)
    word_line = scheme(_REO, division, "erase.reo.gate_voltages=word_line")
    yield Variant("reo+", word_line.overrides)
    yield from (composed(technique, reo) for technique in techniques)
