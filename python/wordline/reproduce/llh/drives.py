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


def _pages_of_board() -> Keys:
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
    pages = _pages_of_board() if page else ()
    return (*run, COLDEST, f"drive.over_provisioning={op / 100}", *pages, *own)


SYSTEMS = ("baseline", "half", "quarter")
SYSTEMS_32 = tuple(f"{system}-32" for system in SYSTEMS)

TIMED = {system: f"{system} timed" for system in ("baseline-32", "half-32")}
"""The drives whose response times are compared."""

DRIVES: Mapping[str, Keys] = {
    **{
        name(system, op): _keys(system, op, COUNTED)
        for system in (*SYSTEMS, *SYSTEMS_32)
        for op in OPS
    },
    **{drive: _keys(system, 28, _RUN) for system, drive in TIMED.items()},
    # Blocks that wear out, and soon; nothing but hot data.
    **{
        f"{system} life": (*_keys(system, 28, COUNTED), "drive.chip.endurance_pec=50", *own)
        for system, own in (
            ("baseline", ()),
            ("half", ("technique.llh_ftl.safe_share=0.4", "technique.llh_ftl.failure=0.0")),
        )
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
