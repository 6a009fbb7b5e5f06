"""One drive with ReSSD against one without.

Figures 19 to 21, and on one drive what the publication shows of its array alone.
"""

from collections.abc import Callable, Mapping
from statistics import fmean

from wordline.reproduce.ressd.drives import ENDURANCE_PEC, IDEAL_LAYERS
from wordline.reproduce.ressd.workloads import NAMES
from wordline.reproduce.study import Figure, Findings
from wordline.result import Record

Measure = Callable[[Record], float]


def consumption(result: Record) -> int:
    """Flash pages written: those that a reprogram writes consume none (Section 7.2.1)."""
    return sum(result.flash.page_programs.values()) - result.flash.reprograms


def page_writes_per_erase(result: Record) -> float:
    """Pages that the host wrote between two erases (Section 7.2.3)."""
    return result.flash.page_programs.host / max(result.flash.erases, 1)


def moved(result: Record) -> int:
    """Pages moved by GC and from candidate blocks."""
    return result.flash.page_programs.gc + result.flash.page_programs.technique


def endurance(drive: str) -> Measure:
    """Page writes until a drive is worn out, by the P/E cycles of Section 7.2.7."""
    return lambda result: page_writes_per_erase(result) * ENDURANCE_PEC[drive]


MEASURES: Mapping[str, Measure] = {
    "consumption": consumption,
    "writes_per_erase": page_writes_per_erase,
    "erases": lambda result: result.flash.erases,
    "gc_moving": lambda result: result.gc.with_migration,
    "gc_direct": lambda result: result.gc.direct,
    "gc_time": lambda result: result.gc.time_ms,
    "moved": moved,
    "free_pages": lambda result: result.capacity.free_pages,
    "write_latency": lambda result: result.host.write.mean_us,
    "read_latency": lambda result: result.host.read.mean_us,
}


def changes(
    found: Findings,
    measure: Measure,
    drives: tuple[str, str] = ("ressd", "baseline"),
    name: str = "change",
) -> dict[str, float]:
    """The change of a measure in percent by workload, from the second of the drives to the first.

    With the average over the workloads of the publication, where all of them ran. A workload on
    which the measure is 0 on the second drive has no change.
    """
    ours: dict[str, float] = {}
    for load in found.loads:
        before = measure(found.result(drives[1], load))
        if before:
            after = measure(found.result(drives[0], load))
            ours[f"{name}/{load.name}"] = 100 * (after / before - 1)
    if len(found.loads) == len(NAMES) and ours:
        ours[f"{name}/average"] = fmean(ours.values())
    return ours


def _of(*names: str) -> Callable[[Findings], Mapping[str, float]]:
    def values(found: Findings) -> Mapping[str, float]:
        told: dict[str, float] = {}
        for name in names:
            told |= changes(found, MEASURES[name], name=name)
        return told

    return values


def _parts(found: Findings) -> Mapping[str, float]:
    """What the flash pages are consumed by, in percent (Section 7.2.1)."""
    told: dict[str, float] = {}
    for load in found.loads:
        parts = found.result("ressd", load).technique.ressd.page_consumption
        shares = {name: parts[name] for name in ("writes", "gc", "fully_invalidated")}
        told |= {
            f"{name}/{load.name}": 100 * pages / sum(shares.values())
            for name, pages in shares.items()
        }
    return told


def _virtual(found: Findings) -> Mapping[str, float]:
    drives = ("vsl", "ressd")
    return {
        **changes(found, moved, drives, "moved"),
        **changes(found, consumption, drives, "consumption"),
        **changes(found, page_writes_per_erase, drives, "writes_per_erase"),
        **changes(found, MEASURES["write_latency"], drives, "write_latency"),
    }


def _ideal(found: Findings) -> Mapping[str, float]:
    told: dict[str, float] = {}
    for layers in IDEAL_LAYERS:
        drives = (f"ideal_{layers}", "baseline")
        told |= changes(found, consumption, drives, f"consumption/{layers}_layers")
    return told


def _mlc(found: Findings) -> Mapping[str, float]:
    drives = ("mlc", "baseline")
    told = changes(found, MEASURES["write_latency"], drives, "write_latency")
    told |= changes(found, MEASURES["read_latency"], drives, "read_latency")
    for load in found.loads:
        of = {name: endurance(name)(found.result(name, load)) for name in ENDURANCE_PEC}
        told[f"endurance_by_baseline/{load.name}"] = 100 * of["mlc"] / of["baseline"]
        told[f"endurance_by_ressd/{load.name}"] = 100 * of["mlc"] / of["ressd"]
    return told


def _waits(found: Findings) -> Mapping[str, float]:
    drives = ("ressd_waits", "baseline_waits")
    return {
        **changes(found, consumption, drives, "consumption"),
        **changes(found, MEASURES["erases"], drives, "erases"),
        **changes(found, page_writes_per_erase, drives, "writes_per_erase"),
    }


_PAIR = ("baseline", "ressd")

FIGURES = (
    Figure(
        "fig19",
        "Flash pages consumed, ReSSD against the baseline",
        lambda found: changes(found, consumption),
        "%",
        _PAIR,
    ),
    Figure(
        "fig20",
        "Page writes per erase, ReSSD against the baseline",
        lambda found: changes(found, page_writes_per_erase),
        "%",
        _PAIR,
    ),
    Figure(
        "fig21",
        "Latency, ReSSD against the baseline",
        _of("write_latency", "read_latency"),
        "%",
        _PAIR,
    ),
    Figure("parts", "What consumes flash pages (Figure 13), one drive", _parts, "%", _PAIR),
    Figure(
        "gc",
        "Garbage collection and free pages (Figures 14, 15 and 18), one drive",
        _of("erases", "gc_moving", "gc_direct", "gc_time", "moved", "free_pages"),
        "%",
        _PAIR,
    ),
    Figure("mlc", "MLC mode (Figure 22), one drive", _mlc, "%", (*_PAIR, "mlc")),
    Figure(
        "vsl",
        "Virtual super layers against ReSSD (Figures 23 to 26), one drive",
        _virtual,
        "%",
        ("ressd", "vsl"),
    ),
    Figure(
        "ideal",
        "Super layers of more layers against the baseline (Section 6), one drive",
        _ideal,
        "%",
        ("baseline", *(f"ideal_{layers}" for layers in IDEAL_LAYERS)),
    ),
    Figure(
        "waits",
        "Ablation: both drives wait until a word line is full",
        _waits,
        "%",
        ("baseline_waits", "ressd_waits"),
    ),
)

_PADDING = (
    "one-shot programs of sparse writes leave pages without data, and reprograms do not: the figure"
    " waits shows what remains where registers wait until a word line is full"
)

NOTES = {"ressd/fig19": _PADDING, "ressd/fig20": _PADDING}
