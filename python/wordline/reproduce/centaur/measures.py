"""What the publication measures, from the result of a run, and how ratios of it are averaged."""

import math
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import Any

from wordline.native.types.run import RunResult
from wordline.reproduce.centaur.drives import IDP_BYTES
from wordline.reproduce.study import Figure, Findings, Load, known

Measure = Callable[[RunResult], float]
Comparing = Callable[[Findings, str, str], dict[str, float]]

_TIB = 2**40


def chips(result: RunResult) -> Mapping[str, Mapping[str, Any]]:
    """The chip of each kind of flash, by the kind's name."""
    drive = result.config["drive"]
    if drive["group"]:
        return {name: group["chip"] for name, group in drive["group"].items()}
    kind = "slc" if drive["chip"]["cell"] == "slc" else "tlc"
    return {kind: drive["chip"]}


def cycles(result: RunResult) -> Mapping[str, float]:
    """Mean erases of a block of each kind of flash."""
    if result.wear.groups:
        return {group.name: group.erases_mean for group in result.wear.groups}
    (kind,) = chips(result)
    return {kind: result.wear.erases_mean}


def spent(result: RunResult) -> Mapping[str, float]:
    """The share of its life that each kind of flash spends for a TiB of the host (Equation 1)."""
    written = result.workload.bytes_written / _TIB
    of_kind = chips(result)
    return {
        kind: erases / of_kind[kind]["endurance_pec"] / written
        for kind, erases in cycles(result).items()
    }


def programmed(result: RunResult) -> Mapping[str, float]:
    """How often each kind of flash was programmed from end to end.

    In a steady state as often as it was erased: every page that is programmed was erased before.
    """
    groups = {group.name: group.pages for group in result.wear.groups}
    unit_bytes = result.capacity.unit_bytes
    if not groups:
        (kind,) = cycles(result)
        return {kind: _units(result) / result.capacity.physical_pages}
    told = result.technique.centaur
    in_3d = told.programs_3d * IDP_BYTES / unit_bytes
    units = {"tlc": in_3d, "slc": told.programmed_bytes / unit_bytes - in_3d}
    return {kind: units[kind] / groups[kind] for kind in groups}


def _units(result: RunResult) -> float:
    """Units programmed, with or without data."""
    programs = result.flash.page_programs
    return sum(programs[cause] for cause in programs) + result.flash.padding


def spent_by(found: Findings, drive: str, load: Load) -> float:
    """The share of its life that a drive spends for a TiB: that of its worse part (Equation 3)."""
    return max(spent(found.result(drive, load)).values())


def amplification(result: RunResult) -> float:
    """Bytes programmed, with or without data, for each of the host (Equation 4)."""
    return _units(result) * result.capacity.unit_bytes / result.workload.bytes_written


def throughput(result: RunResult) -> float:
    """Requests a second."""
    return known(result.host.iops)


def waited_for(result: RunResult, requests: str) -> dict[str, float]:
    """Of what the mean latency of `read` or `write` requests consists, in us.

    Waiting, array and transfer of the reads and programs of either kind of flash, and what is spent
    in the controller.
    """
    told = known(result.breakdown)
    of = told.read if requests == "read" else told.write
    values = {"controller": of.controller_us}
    for part in of.flash:
        kind = f"{part.group or next(iter(chips(result)))}_{part.operation}"
        values |= {
            f"{kind}_wait": part.wait_us,
            f"{kind}_array": part.array_us,
            f"{kind}_transfer": part.transfer_us,
        }
    return values


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


def over(
    name: str, measure: Comparing, drives: Iterable[str], other: str
) -> Callable[[Findings], Mapping[str, float]]:
    """Drives over another one, by workload, and in whole runs the means."""

    def values(found: Findings) -> Mapping[str, float]:
        told: dict[str, float] = {}
        for drive in drives:
            by_load = measure(found, drive, other)
            told |= {f"{name}/{drive}/{load}": value for load, value in by_load.items()}
            if found.is_whole:
                told[f"{name}/{drive}/mean"] = mean(by_load)
        return told

    return values


def over_3d(
    figure: str, title: str, name: str, measure: Comparing, drives: tuple[str, ...], way: str
) -> Figure:
    """A figure of drives over 3D flash alone, which only whole runs have."""
    values = over(name, measure, drives, "3d")
    return Figure(figure, title, values, "times", ("3d", *drives), ways=(way,), is_quick=False)


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
