"""What the publication leaves open, read in other ways, on four workloads.

Not published: each figure is one reading, with LLH-FTL and without it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wordline.reproduce.llh.drives import BASE, COLDEST, COUNTED, DRIVES, OPS, Keys
from wordline.reproduce.llh.erases import ratio, ratio_of_few
from wordline.reproduce.llh.times import MEASURES, against_baseline
from wordline.reproduce.llh.times import ratio as ratio_of_times
from wordline.reproduce.llh.workloads import (
    BANKS,
    ZIPF,
    from_the_fill,
    load,
    not_filled,
    timed,
)
from wordline.reproduce.study import Figure, Findings, Load, Study, known

_VOLUMES = ("stg_0", "hm_0", "online", "zipf_0.9")
_TIMED = "stg_0"
_COMPARED = against_baseline("half-32")


@dataclass(frozen=True)
class _Reading:
    """A reading: what it says, keys of both drives, and those of LLH-FTL alone."""

    told: str
    shared: Keys = ()
    own: Keys = ()


_EMULATOR: Keys = ("technique.llh_ftl.steps=7", "technique.llh_ftl.floor=5")

_READINGS: Mapping[str, _Reading] = {
    "as_studied": _Reading("As in the study `llh`: OP/2, updated by each collection"),
    "moves_to_their_stream": _Reading(
        'ftl.frontiers = "shared": GC moves data to the stream that its victim was filled by',
        shared=('ftl.frontiers="shared"',),
    ),
    "emulator_threshold": _Reading(
        "technique.llh_ftl.steps = 7, floor = 5: the emulator's numbers",
        own=_EMULATOR,
    ),
    "updated_at_opening": _Reading(
        'technique.llh_ftl.updated = "opening", steps = 7, floor = 5: updated as in the emulator',
        own=('technique.llh_ftl.updated="opening"', *_EMULATOR),
    ),
    "reuse_at_threshold": _Reading(
        'technique.llh_ftl.reuse_when = "threshold": no more blocks wait than the threshold',
        own=('technique.llh_ftl.reuse_when="threshold"',),
    ),
    "numbered_pages": _Reading(
        'technique.llh_ftl.order = "numbered": pages in the order of the chip',
        own=('technique.llh_ftl.order="numbered"',),
    ),
    "reused_first": _Reading(
        'ftl.gc.ties = "hottest": a reused block is the first of equal victims, as in the emulator',
        own=('ftl.gc.ties="hottest"',),
    ),
    "ceiling": _Reading(
        "technique.llh_ftl.ceiling = 112: the emulator's highest threshold on all drives",
        own=("technique.llh_ftl.ceiling=112",),
    ),
    "lists": _Reading(
        "technique.llh_ftl.lists = true: the last page of each round and of each cold block holds "
        "the list of the block's logical pages, without reuse too (safe_share = 0)",
        shared=("technique.llh_ftl.lists=true", "technique.llh_ftl.safe_share=0.0"),
        own=("technique.llh_ftl.safe_share=0.4",),
    ),
    "quarter": _Reading("OP/4", own=("technique.llh_ftl.threshold=0.25",)),
    "eighth": _Reading("OP/8", own=("technique.llh_ftl.threshold=0.125",)),
    "no_failures": _Reading(
        "technique.llh_ftl.failure = 0: every page can be encoded",
        own=("technique.llh_ftl.failure=0.0",),
    ),
}

_UPDATES = (0.85, 0.9, 0.95, 0.99)
"""Shares of the pages written that were written before: Table 6 has no footprint."""

_FOOTPRINTS = (0.05, 0.1, 0.2, 0.4)
"""Shares of what is written at all that small requests, the hot ones, cover."""


def _drive(system: str, reading: str, op: int) -> str:
    return f"{system} {reading} op{op}"


def _low_faster(drive: str) -> str:
    return f"{drive}, low pages faster"


def _drives() -> dict[str, Keys]:
    drives: dict[str, Keys] = {}
    for reading, of in _READINGS.items():
        for op in OPS:
            shared = (*COUNTED, COLDEST, f"drive.over_provisioning={op / 100}", *of.shared)
            drives[_drive("baseline", reading, op)] = shared
            own = ("technique.llh_ftl.threshold=0.5", *of.own)
            drives[_drive("llh", reading, op)] = (*shared, *own)
    slow = ("drive.chip.program_us=[240,1920]",)
    for drive in _COMPARED:
        drives[drive] = DRIVES[drive]
        drives[_low_faster(drive)] = (*DRIVES[drive], *slow)
    return drives


def _updating(volume: str, traces: Path | None, updates: float) -> Load:
    """With so large a share of updates; of a trace that the user has, as it is."""
    of = load(volume, traces)
    source = f"{of.source},updates={updates}" if of.is_synthetic else of.source
    return replace(of, name=_updates(volume, updates), source=source)


def _updates(volume: str, updates: float) -> str:
    return f"{volume}_updates_{round(100 * updates)}"


_VOLUMES_UPDATING = ("stg_0", "hm_0", "online")
"""Twins of which a model is known; Zipf's law writes over the whole drive."""

_VOLUMES_OF_SIZES = ("stg_0", "hm_0")
"""Twins of MSR that miss the expectation."""


def _covering(volume: str, traces: Path | None, footprint: float) -> Load:
    """With small requests on so large a share of the places; a trace of the user's as it is."""
    of = load(volume, traces)
    source = f"{of.source},hot_footprint={footprint}" if of.is_synthetic else of.source
    return replace(of, name=_covers(volume, footprint), source=source)


def _covers(volume: str, footprint: float) -> str:
    return f"{volume}_hot_on_{round(100 * footprint)}"


_LOADS_COVERING = tuple(_covers(volume, of) for volume in _VOLUMES_OF_SIZES for of in _FOOTPRINTS)


def _striped(volume: str, traces: Path | None) -> Load:
    """All of Zipf's law, page p on bank p mod 16 (Section 5.3), in place of a sixteenth of it."""
    of = load(volume, traces, BANKS)
    return replace(of, name=_on_all_banks(volume))


def _on_all_banks(volume: str) -> str:
    return f"{volume}_on_{BANKS}_banks"


_LOADS_STRIPED = tuple(_on_all_banks(volume) for volume in ZIPF)

_LOADS_UPDATING = tuple(_updates(volume, of) for volume in _VOLUMES_UPDATING for of in _UPDATES)
_LOADS_FROM_THE_FILL = tuple(f"{volume}_from_the_fill" for volume in _VOLUMES)
_LOADS_NOT_FILLED = tuple(f"{volume}_not_filled" for volume in _VOLUMES)


def _loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    if quick:
        return [load("stg_0", traces, 1)]
    return [
        *(load(volume, traces) for volume in _VOLUMES),
        *(from_the_fill(volume, traces) for volume in _VOLUMES),
        *(not_filled(volume, traces) for volume in _VOLUMES),
        *(_covering(volume, traces, of) for volume in _VOLUMES_OF_SIZES for of in _FOOTPRINTS),
        *(_updating(volume, traces, of) for volume in _VOLUMES_UPDATING for of in _UPDATES),
        *(_striped(volume, traces) for volume in ZIPF),
        timed(_TIMED, traces),
    ]


def _values(reading: str) -> Callable[[Findings], Mapping[str, float]]:
    def values(found: Findings) -> Mapping[str, float]:
        return {
            f"op{op}/{of.name}": ratio(
                found, (_drive("llh", reading, op), _drive("baseline", reading, op)), of
            )
            for op in OPS
            for of in found.loads
        }

    return values


_AS_STUDIED = tuple(
    _drive(system, "as_studied", op) for system in ("baseline", "llh") for op in OPS
)


def _figure(reading: str) -> Figure:
    drives = [_drive(system, reading, op) for system in ("baseline", "llh") for op in OPS]
    told = _READINGS[reading].told
    unit = "of the baseline's erases"
    return Figure(reading, told, _values(reading), unit, tuple(drives), loads=_VOLUMES)


def _from_the_fill(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for op in OPS:
        drives = (_drive("llh", "as_studied", op), _drive("baseline", "as_studied", op))
        for of in found.loads:
            ours = ratio_of_few(found, drives, of)
            if ours is not None:
                values[f"op{op}/{of.name}"] = ours
    return values


def _with_amplification(found: Findings) -> Mapping[str, float]:
    """Erases, and the baseline's write amplification."""
    values: dict[str, float] = {}
    for op in OPS:
        llh, baseline = (_drive(system, "as_studied", op) for system in ("llh", "baseline"))
        for of in found.loads:
            values[f"erases/op{op}/{of.name}"] = ratio(found, (llh, baseline), of)
            amplification = known(found.result(baseline, of).write_amplification)
            values[f"write_amplification/op{op}/{of.name}"] = amplification
    return values


def _latencies(found: Findings) -> Mapping[str, float]:
    with_it, without = _COMPARED
    by_latency = {
        "equal": (with_it, without),
        "low_faster": (_low_faster(with_it), _low_faster(without)),
    }
    return {
        f"{measure}/{latencies}/{of.name}": ratio_of_times(found, measure, of, drives)
        for latencies, drives in by_latency.items()
        for measure in MEASURES
        for of in found.loads
    }


STUDY = Study(
    paper="llh-readings",
    source="not published: what Margaglia et al., USENIX FAST 2016, leaves open",
    base=BASE,
    drives=_drives(),
    loads=_loads,
    figures=(
        *map(_figure, _READINGS),
        Figure(
            "from_the_fill",
            "As in the study, but counted from the fill on, over two replays",
            _from_the_fill,
            "of the baseline's erases",
            _AS_STUDIED,
            loads=_LOADS_FROM_THE_FILL,
            is_quick=False,
        ),
        Figure(
            "not_filled",
            "As in the study, on a drive that holds what the workload wrote and nothing else",
            _values("as_studied"),
            "of the baseline's erases",
            _AS_STUDIED,
            loads=_LOADS_NOT_FILLED,
            is_quick=False,
        ),
        Figure(
            "hot_footprint",
            "As in the study, by the share of the written places that small requests cover",
            _values("as_studied"),
            "of the baseline's erases",
            _AS_STUDIED,
            loads=_LOADS_COVERING,
            is_quick=False,
        ),
        Figure(
            "update_share",
            "As in the study, by the share of the pages written that were written before",
            _with_amplification,
            "of the baseline's erases",
            _AS_STUDIED,
            loads=_LOADS_UPDATING,
            is_quick=False,
        ),
        Figure(
            "sixteen_banks",
            "As in the study, but all of Zipf's law on sixteen banks, page p on bank p mod 16",
            _with_amplification,
            "of the baseline's erases",
            _AS_STUDIED,
            loads=_LOADS_STRIPED,
            is_quick=False,
        ),
        Figure(
            "latencies",
            "Response times where low pages take 240 us and high pages 1,920, beside equal ones",
            _latencies,
            "of baseline-32's response time",
            (*_COMPARED, *map(_low_faster, _COMPARED)),
            loads=(f"{_TIMED}_timed",),
            is_quick=False,
        ),
    ),
)
