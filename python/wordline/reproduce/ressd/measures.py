"""What the publication measures, from the result of a run, and how changes of it are averaged."""

from collections.abc import Callable, Mapping
from statistics import fmean

from wordline.reproduce.ressd.drives import ENDURANCE_PEC
from wordline.reproduce.study import Findings
from wordline.results.run import RunResult

Measure = Callable[[RunResult], float]


def consumption(result: RunResult) -> int:
    """Flash pages written: those that a reprogram writes consume none (Section 7.2.1)."""
    programs = result.flash.page_programs
    return sum(programs[cause] for cause in programs) - result.flash.reprograms


def consumed_by_writes(result: RunResult) -> int:
    """The part of it that data of the host takes."""
    return result.flash.page_programs.host - result.flash.reprograms


def moved(result: RunResult) -> int:
    """Pages moved by GC and from candidate blocks."""
    return result.flash.page_programs.gc + result.flash.page_programs.technique


def page_writes_per_erase(result: RunResult) -> float:
    """Pages that the host wrote between two erases (Section 7.2.3)."""
    return result.flash.page_programs.host / max(result.flash.erases, 1)


def moved_per_page(result: RunResult) -> float:
    """Pages that GC moves in percent of those that the host wrote."""
    return 100 * result.flash.page_programs.gc / max(result.flash.page_programs.host, 1)


def direct_share(result: RunResult) -> float:
    """Erases of blocks without valid data, in percent of all."""
    return 100 * result.gc.direct / max(result.flash.erases, 1)


def endurance(kind: str) -> Measure:
    """Page writes until a drive is worn out, by the P/E cycles of Section 7.2.7."""
    return lambda result: page_writes_per_erase(result) * ENDURANCE_PEC[kind]


MEASURES: Mapping[str, Measure] = {
    "consumption": consumption,
    "writes": consumed_by_writes,
    "moved": moved,
    "writes_per_erase": page_writes_per_erase,
    "erases": lambda result: result.flash.erases,
    "gc_moving": lambda result: result.gc.with_migration,
    "gc_direct": lambda result: result.gc.direct,
    "gc_time": lambda result: result.gc.time_ms,
    "free_pages": lambda result: free_pages(result),
    "write_latency": lambda result: result.host.write.mean_us,
    "read_latency": lambda result: result.host.read.mean_us,
}


def free_pages(result: RunResult) -> int:
    """Pages that can be programmed before an erase (Section 7.2.5)."""
    of_technique = result.technique.get("ressd")
    return of_technique.capacity.free_pages if of_technique else result.capacity.free_pages


def changes(
    found: Findings, measure: Measure, drives: tuple[str, str], name: str = "change"
) -> dict[str, float]:
    """The change of a measure in percent by workload, from the second of the drives to the first.

    With the average over the workloads, where none was left out. A workload on which the measure
    is 0 on the second drive has no change.
    """
    ours: dict[str, float] = {}
    for load in found.loads:
        before = measure(found.result(drives[1], load))
        if before:
            after = measure(found.result(drives[0], load))
            ours[f"{name}/{load.name}"] = 100 * (after / before - 1)
    return with_average(found, ours, name)


def with_average(found: Findings, ours: dict[str, float], name: str) -> dict[str, float]:
    """The values and their mean as `NAME/average`, where no workload was left out."""
    if found.is_whole and ours:
        ours[f"{name}/average"] = fmean(ours.values())
    return ours


def changes_of(*names: str, drives: tuple[str, str]) -> Callable[[Findings], Mapping[str, float]]:
    """Changes of several measures by their names in [`MEASURES`]."""

    def values(found: Findings) -> Mapping[str, float]:
        told: dict[str, float] = {}
        for name in names:
            told |= changes(found, MEASURES[name], drives, name)
        return told

    return values


def by_load(
    found: Findings, name: str, value: Callable[[RunResult], float], drive: str
) -> dict[str, float]:
    """A value of one drive by workload, with the average."""
    ours = {f"{name}/{load.name}": value(found.result(drive, load)) for load in found.loads}
    return with_average(found, ours, name)


PARTS = ("writes", "gc", "fully_invalidated")
"""What consumes flash pages (Section 7.2.1)."""


def part(name: str) -> Measure:
    """The share of one of [`PARTS`] in what is consumed, in percent."""

    def share(result: RunResult) -> float:
        pages = result.technique.ressd.page_consumption
        return 100 * pages[name] / sum(pages[of] for of in PARTS)

    return share


def parts(found: Findings, drive: str) -> dict[str, float]:
    """The shares of [`PARTS`] by workload, with their averages."""
    told: dict[str, float] = {}
    for name in PARTS:
        told |= by_load(found, f"share_of_{name}", part(name), drive)
    return told


def times_as_enduring(
    found: Findings, kinds: Mapping[str, str], drives: tuple[str, str], name: str
) -> dict[str, float]:
    """How many times as long the first of the drives endures as the second, by workload.

    Args:
        found: What was run.
        kinds: Of each of the drives, the kind by which its P/E cycles are known.
        drives: The drives.
        name: How the ids begin.
    """
    ours: dict[str, float] = {}
    for load in found.loads:
        own, other = (endurance(kinds[drive])(found.result(drive, load)) for drive in drives)
        ours[f"{name}/{load.name}"] = own / other
    return with_average(found, ours, name)
