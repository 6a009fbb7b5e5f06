"""What the publication leaves open, read in other ways, on four workloads.

Not published: each figure is one reading, with LLH-FTL and without it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wordline.reproduce.llh.drives import BASE, COLDEST, COUNTED, DRIVES, OPS, Keys
from wordline.reproduce.llh.erases import ratio
from wordline.reproduce.llh.times import MEASURES, against_baseline
from wordline.reproduce.llh.times import ratio as ratio_of_times
from wordline.reproduce.llh.workloads import load, timed
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


_READINGS: Mapping[str, _Reading] = {
    "as_studied": _Reading("As in the study `llh`: OP/2, updated by each collection"),
    "moves_to_their_stream": _Reading(
        'ftl.frontiers = "shared": GC moves data to the stream that its victim was filled by',
        shared=('ftl.frontiers="shared"',),
    ),
    "updated_at_opening": _Reading(
        'technique.llh_ftl.updated = "opening": the threshold as in the emulator',
        own=('technique.llh_ftl.updated="opening"',),
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

_FIRST = "first"
"""Workloads that are counted from the fill on, as a short evaluation would."""


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


def _unwarmed(volume: str, traces: Path | None) -> Load:
    """Filled once and replayed twice, all of it counted."""
    of = load(volume, traces)
    keys = [key for key in of.keys if not key.startswith(("workload.", "run."))]
    return replace(of, name=f"{volume}_{_FIRST}", keys=(*keys, "workload.repeat=2"))


def _updating(volume: str, traces: Path | None, updates: float) -> Load:
    """With so large a share of updates; of a trace that the user has, as it is."""
    of = load(volume, traces)
    source = f"{of.source},updates={updates}" if of.is_synthetic else of.source
    return replace(of, name=_updates(volume, updates), source=source)


def _updates(volume: str, updates: float) -> str:
    return f"{volume}_updates_{round(100 * updates)}"


_VOLUMES_UPDATING = ("stg_0", "hm_0", "online")
"""Twins of which a model is known; Zipf's law writes over the whole drive."""

_LOADS_UPDATING = tuple(_updates(volume, of) for volume in _VOLUMES_UPDATING for of in _UPDATES)
_LOADS_FIRST = tuple(f"{volume}_{_FIRST}" for volume in _VOLUMES)


def _loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    if quick:
        return [load("stg_0", traces, 1)]
    return [
        *(load(volume, traces) for volume in _VOLUMES),
        *(_unwarmed(volume, traces) for volume in _VOLUMES),
        *(_updating(volume, traces, of) for volume in _VOLUMES_UPDATING for of in _UPDATES),
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


def _figure(reading: str) -> Figure:
    drives = [_drive(system, reading, op) for system in ("baseline", "llh") for op in OPS]
    told = _READINGS[reading].told
    unit = "of the baseline's erases"
    return Figure(reading, told, _values(reading), unit, tuple(drives), loads=_VOLUMES)


def _from_the_fill(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for op in OPS:
        drives = [_drive(system, "as_studied", op) for system in ("llh", "baseline")]
        for of in found.loads:
            with_it, without = (found.result(drive, of).flash.erases for drive in drives)
            if without:
                values[f"op{op}/{of.name}"] = with_it / without
    return values


def _update_share(found: Findings) -> Mapping[str, float]:
    """Erases, and the baseline's write amplification, by the share of updates."""
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
            tuple(_drive(of, "as_studied", op) for of in ("baseline", "llh") for op in OPS),
            loads=_LOADS_FIRST,
            is_quick=False,
        ),
        Figure(
            "update_share",
            "As in the study, by the share of the pages written that were written before",
            _update_share,
            "of the baseline's erases",
            tuple(_drive(of, "as_studied", op) for of in ("baseline", "llh") for op in OPS),
            loads=_LOADS_UPDATING,
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
