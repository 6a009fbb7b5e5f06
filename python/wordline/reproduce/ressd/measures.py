"""What the publication measures, from the result of a run, and how changes of it are averaged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from wordline.native.types.run import RunResult
from wordline.reproduce.ressd.drives import ENDURANCE_PEC
from wordline.reproduce.study import Findings

Value = Callable[[RunResult], float]


def _one(_: RunResult) -> float:
    return 1.0


@dataclass(frozen=True)
class Measure:
    """What is measured of a run.

    Attributes:
        of: What is counted.
        per: What it is divided by, where it is a rate.
    """

    of: Value
    per: Value = _one

    def __call__(self, result: RunResult) -> float:
        """The value of one run."""
        return self.of(result) / self.per(result)

    def total(self, results: Sequence[RunResult]) -> float:
        """The value of several runs taken together."""
        return sum(map(self.of, results)) / sum(map(self.per, results))


def programmed(result: RunResult) -> int:
    """Flash pages that data was written to, where a word line of two bits counts as two.

    Those that a reprogram writes count as none.
    """
    programs = result.flash.page_programs
    return sum(programs[cause] for cause in programs) - result.flash.reprograms


def third_pages(result: RunResult) -> int:
    """Pages that word lines of two bits go without."""
    of_technique = result.technique.get("ressd")
    return of_technique.page_consumption.third_pages if of_technique else 0


def consumption(result: RunResult) -> int:
    """Flash pages consumed, as the text counts them: three a word line (Section 7.2.1).

    Whatever is written to it: two pages, three, four, or fewer than its program has room for.
    """
    return programmed(result) + result.flash.padding + third_pages(result)


def consumed_by_writes(result: RunResult) -> int:
    """The part of it that data of the host takes.

    Pages that programs leave without data are taken for the host's: GC has pages enough to fill
    its own.
    """
    own = result.flash.page_programs.host - result.flash.reprograms
    return own + result.flash.padding + third_pages(result)


def moved(result: RunResult) -> int:
    """Pages moved by GC and from candidate blocks."""
    return result.flash.page_programs.gc + result.flash.page_programs.technique


def _host_pages(result: RunResult) -> int:
    return result.flash.page_programs.host


def _erases(result: RunResult) -> int:
    return max(result.flash.erases, 1)


page_writes_per_erase = Measure(_host_pages, _erases)
"""Pages that the host wrote between two erases (Section 7.2.3)."""


def moved_per_page(result: RunResult) -> float:
    """Pages that GC moves in percent of those that the host wrote."""
    return 100 * result.flash.page_programs.gc / max(result.flash.page_programs.host, 1)


def direct_share(result: RunResult) -> float:
    """Erases of blocks without valid data, in percent of all."""
    return 100 * result.gc.direct / max(result.flash.erases, 1)


def endurance(kind: str) -> Value:
    """Page writes until a drive is worn out, by the P/E cycles of Section 7.2.7."""
    return lambda result: page_writes_per_erase(result) * ENDURANCE_PEC[kind]


def _latency(kind: str) -> Measure:
    def spent(result: RunResult) -> float:
        return result.host[kind].mean_us * result.host[kind].count

    return Measure(spent, lambda result: max(result.host[kind].count, 1))


MEASURES: Mapping[str, Measure] = {
    "consumption": Measure(consumption),
    "consumption_as_two": Measure(programmed),
    "consumption_as_three_without_padding": Measure(
        lambda result: programmed(result) + third_pages(result)
    ),
    "writes": Measure(consumed_by_writes),
    "writes_as_two": Measure(
        lambda result: result.flash.page_programs.host - result.flash.reprograms
    ),
    "moved": Measure(moved),
    "writes_per_erase": page_writes_per_erase,
    "erases": Measure(lambda result: result.flash.erases),
    "gc_moving": Measure(lambda result: result.gc.with_migration),
    "gc_direct": Measure(lambda result: result.gc.direct),
    "gc_time": Measure(lambda result: result.gc.time_ms),
    "free_pages": Measure(lambda result: free_pages(result)),
    "write_latency": _latency("write"),
    "read_latency": _latency("read"),
}


def free_pages(result: RunResult) -> int:
    """Pages that can be programmed before an erase (Section 7.2.5)."""
    of_technique = result.technique.get("ressd")
    return of_technique.capacity.free_pages if of_technique else result.capacity.free_pages


def changes(
    found: Findings, measure: Measure, drives: tuple[str, str], name: str = "change"
) -> dict[str, float]:
    """The change of a measure in percent by workload, from the second of the drives to the first.

    Where no workload was left out, with the mean of the changes (`NAME/average`) and the change of
    the workloads taken together (`NAME/total`). A workload on which the measure is 0 on the second
    drive has no change.
    """
    ours: dict[str, float] = {}
    for load in found.loads:
        before = measure(found.result(drives[1], load))
        if before:
            after = measure(found.result(drives[0], load))
            ours[f"{name}/{load.name}"] = 100 * (after / before - 1)
    return with_average(found, ours, name) | total_change(found, measure, drives, name)


def total_change(
    found: Findings, measure: Measure, drives: tuple[str, str], name: str
) -> dict[str, float]:
    """The change of all workloads together, `NAME/total`; nothing where one is left out."""
    if not found.is_whole:
        return {}
    after, before = (
        measure.total([found.result(drive, load) for load in found.loads]) for drive in drives
    )
    return {f"{name}/total": 100 * (after / before - 1)} if before else {}


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


def by_load(found: Findings, name: str, value: Value, drive: str) -> dict[str, float]:
    """A value of one drive by workload, with the average."""
    ours = {f"{name}/{load.name}": value(found.result(drive, load)) for load in found.loads}
    return with_average(found, ours, name)


PARTS = ("writes", "gc", "fully_invalidated")
"""What consumes flash pages (Section 7.2.1)."""


def part(name: str) -> Value:
    """The share of one of [`PARTS`] in what is consumed, in percent."""

    def share(result: RunResult) -> float:
        pages = result.technique.ressd.page_consumption
        of_writes = result.flash.padding + pages.third_pages if name == "writes" else 0
        return 100 * (pages[name] + of_writes) / consumption(result)

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
    told = with_average(found, ours, name)
    if found.is_whole:
        own, other = (
            page_writes_per_erase.total([found.result(drive, load) for load in found.loads])
            * ENDURANCE_PEC[kinds[drive]]
            for drive in drives
        )
        told[f"{name}/total"] = own / other
    return told
