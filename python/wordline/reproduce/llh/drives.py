"""The drives: with and without LLH-FTL, with pages of 8 and of 32 KB."""

from collections.abc import Iterable, Mapping

from wordline.configuration import find, toml_value
from wordline.reproduce.study import Figure

Keys = tuple[str, ...]

BASE = "llh-emulator-16g"
_BOARD = "llh-openssd-16g"

OPS = (28, 7)
"""Over-provisioning, in percent (Section 6)."""

_START = {"half": 0.5, "quarter": 0.25}
"""The initial threshold, as a share of the spare blocks (Section 6: OP/2, OP/4)."""

# The emulator of LLH-FTL sends what GC moves to the cold block; the drive without it does as well.
COLDEST = 'ftl.frontiers="coldest"'
# The course of a run is not shown, and the invariants are for the tests.
_RUN: Keys = ("run.series_points=0", "run.check=false")
COUNTED: Keys = (*_RUN, 'run.mode="count"')


def pages_of_board() -> Keys:
    """The keys by which the board's pages of 32 KB differ from those of 8 KB."""
    chip = find(_BOARD).resolve()["drive"]["chip"]
    keys = ("page_kib", "pages_per_block", "read_uj", "program_uj")
    return tuple(f"drive.chip.{key}={toml_value(chip[key])}" for key in keys)


def name(system: str, op: int) -> str:
    """A drive's name, such as `half-32 op7`."""
    return f"{system} op{op}"


def _keys(system: str, op: int, run: Keys) -> Keys:
    start, _, page = system.partition("-")
    own = (f"technique.llh_ftl.threshold={_START[start]}",) if start in _START else ()
    pages = pages_of_board() if page else ()
    return (*run, COLDEST, f"drive.over_provisioning={op / 100}", *pages, *own)


SYSTEMS = ("baseline", "half", "quarter")
SEEDS = 5
"""How many runs are in a mean over seeds: the study's own, and four further ones."""


def of_seed(drive: str, seed: int) -> str:
    """The name of a drive whose runs have this seed; the first is the study's own."""
    return drive if seed == 1 else f"{drive} seed {seed}"


SYSTEMS_32 = tuple(f"{system}-32" for system in SYSTEMS)

TIMED = {system: f"{system} timed" for system in SYSTEMS_32}
"""The drives whose response times are compared."""

STRAINS = {"a16": 1.13, "a27": 1.15, "b16": 1.125, "b29": 1.1375}
"""What a reused cycle wears, of a conventional one: Table 4, a life whose first 0.4 T are reused is
shorter by 5.2, 6, 5 and 5.5 % of T."""

SAFE = ("share", "table")
"""Blocks are reused in the first 0.4 T, or as long as the laboratory's table of the chip allows.
B16's allows it for 1 %, so that such a drive is refused."""

_LIFE: Keys = ("drive.chip.endurance_pec=100",)
# Strain comes in hundredths of a cycle, erases are whole: shorter lives would not tell chips apart.
_LONG_LIFE: Keys = ("drive.chip.endurance_pec=1000",)
_REUSED: Keys = ("technique.llh_ftl.safe_share=0.4", "technique.llh_ftl.failure=0.0")

LONG_LIFE = "baseline long life"
"""The drive without reuse beside which chips' lives are set."""


def life_of(chip: str, safe: str) -> str:
    """The name of a drive whose blocks wear out as those of a chip."""
    return f"{chip} life, safe by {safe}"


def _safe(chip: str, safe: str) -> Keys:
    return (f"technique.llh_ftl.chip={chip}", f"technique.llh_ftl.safe={safe}")


DRIVES: Mapping[str, Keys] = {
    **{
        name(system, op): _keys(system, op, COUNTED)
        for system in (*SYSTEMS, *SYSTEMS_32)
        for op in OPS
    },
    **{
        of_seed(name(system, op), seed): (*_keys(system, op, COUNTED), f"run.seed={seed}")
        for system in SYSTEMS
        for op in OPS
        for seed in range(2, SEEDS + 1)
    },
    **{drive: _keys(system, 28, _RUN) for system, drive in TIMED.items()},
    # Blocks that wear out, and soon; nothing but hot data.
    "baseline life": (*_keys("baseline", 28, COUNTED), *_LIFE),
    "half life": (*_keys("half", 28, COUNTED), *_LIFE, *_REUSED, "technique.llh_ftl.strain=1.0"),
    LONG_LIFE: (*_keys("baseline", 28, COUNTED), *_LONG_LIFE),
    **{
        life_of(chip, safe): (
            *_keys("half", 28, COUNTED),
            *_LONG_LIFE,
            *_REUSED,
            f"technique.llh_ftl.strain={strain}",
            *_safe(chip, safe),
        )
        for chip, strain in STRAINS.items()
        for safe in SAFE
        if (chip, safe) != ("b16", "table")
    },
    # Every block is reused, as the publication's averages have it.
    **{
        f"{system} energy": (*_keys(system, 28, COUNTED), "run.measure_from_request=1000000", *own)
        for system, own in (
            ("baseline", ()),
            ("half", ("technique.llh_ftl.failure=0.0",)),
        )
    },
}


def needed_by(figures: Iterable[Figure]) -> Mapping[str, Keys]:
    """Those of [`DRIVES`] that the figures need."""
    return {drive: DRIVES[drive] for figure in figures for drive in figure.drives}
