"""What the publication measures, from the result of a run, and how ratios of it are averaged."""

import math
from collections.abc import Callable, Mapping
from statistics import fmean

from wordline.reproduce.centaur.drives import BASES, ENDURANCE_PEC
from wordline.reproduce.study import Findings, Load, known
from wordline.results.run import RunResult

Measure = Callable[[RunResult], float]

_TIB = 2**40


def spent(result: RunResult, drive: str) -> Mapping[str, float]:
    """The share of its life that each kind of flash spends for a TiB of the host (Equation 1)."""
    written = result.workload.bytes_written / _TIB
    groups = result.wear.groups
    if groups:
        cycles = {group.name: group.erases_mean for group in groups}
    else:
        kind = "slc" if BASES[drive] == "centaur-2d-256g" else "tlc"
        cycles = {kind: result.wear.erases_mean}
    return {kind: cycles[kind] / ENDURANCE_PEC[kind] / written for kind in cycles}


def spent_by(found: Findings, drive: str, load: Load) -> float:
    """The share of its life that a drive spends for a TiB: that of its worse part (Equation 3)."""
    return max(spent(found.result(drive, load), drive).values())


def amplification(result: RunResult) -> float:
    """Bytes programmed, with or without data, for each of the host (Equation 4)."""
    programs = result.flash.page_programs
    units = sum(programs[cause] for cause in programs) + result.flash.padding
    return units * result.capacity.unit_bytes / result.workload.bytes_written


def throughput(result: RunResult) -> float:
    """Requests a second."""
    return known(result.host.iops)


def erases(result: RunResult) -> float:
    """Mean erases of a block."""
    return result.wear.erases_mean


def lifetimes(found: Findings, drive: str, other: str) -> dict[str, float]:
    """How many times as long a drive lives as another, by workload that wears both."""
    values: dict[str, float] = {}
    for load in found.loads:
        ours, theirs = spent_by(found, drive, load), spent_by(found, other, load)
        if ours > 0 and theirs > 0:
            values[load.name] = theirs / ours
    return values


def ratios(found: Findings, measure: Measure, drive: str, other: str) -> dict[str, float]:
    """A drive's measure over another's, by workload."""
    return {
        load.name: measure(found.result(drive, load)) / measure(found.result(other, load))
        for load in found.loads
    }


def mean(values: Mapping[str, float]) -> float:
    """Their arithmetic mean; not a number without any."""
    return fmean(values.values()) if values else math.nan


def geometric(values: Mapping[str, float]) -> float:
    """Their geometric mean."""
    return math.exp(fmean(map(math.log, values.values()))) if values else math.nan


def ratio_of_means(found: Findings, drive: str, other: str) -> float:
    """The ratio of the mean shares of life spent, of the workloads that wear both drives."""
    loads = [load for load in found.loads if load.name in lifetimes(found, drive, other)]
    ours = fmean(spent_by(found, drive, load) for load in loads)
    return fmean(spent_by(found, other, load) for load in loads) / ours
