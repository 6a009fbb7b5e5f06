"""The array with ReSSD against the one without: the abstract, Figures 10 to 18 and 22 to 25."""

from collections.abc import Mapping

from wordline.native.types.run import ParitySummary, RunResult
from wordline.reproduce.ressd.measures import (
    MEASURES,
    by_load,
    changes,
    changes_of,
    consumption,
    direct_share,
    parts,
    times_as_enduring,
    with_average,
)
from wordline.reproduce.ressd.single import ARRAYS
from wordline.reproduce.study import Figure, Findings, known

_VIRTUAL = ("rss_virtual", "rss")
_MLC = ("raid_mlc", "raid")

# Section 7.2.5 counts the workloads that gain so much, in percent.
_MUCH_PERCENT = 8


def _parity(run: RunResult) -> ParitySummary:
    return known(run.array).parity


def _fig10(found: Findings) -> Mapping[str, float]:
    """Parity writes in percent of the user's, and how much sooner parity is updated.

    Also what the writes were if a cache held parity back until its stripe has to leave.
    """
    told = by_load(found, "parity_writes", lambda run: 100 * known(_parity(run).per_data), "raid")
    told |= by_load(
        found,
        "parity_held_back",
        lambda run: 100 * (_parity(run).held_back_per_data or 0),
        "raid",
    )
    intervals: dict[str, float] = {}
    for load in found.loads:
        parity = _parity(found.result("raid", load))
        if parity.data_interval_s:
            change = known(parity.parity_interval_s) / parity.data_interval_s - 1
            intervals[f"update_interval/{load.name}"] = 100 * change
    return told | with_average(found, intervals, "update_interval")


def _fig11(found: Findings) -> Mapping[str, float]:
    return by_load(
        found,
        "updates_on_hottest_fifth",
        lambda run: 100 * (_parity(run).updates_on_hottest_fifth or 0),
        "raid",
    )


def _fig13(found: Findings) -> Mapping[str, float]:
    return {
        **changes_of("consumption", "writes", "moved", drives=ARRAYS)(found),
        **parts(found, "rss"),
    }


_FIG15 = changes_of("erases", "gc_moving", "gc_direct", drives=ARRAYS)


def _fig18(found: Findings) -> Mapping[str, float]:
    told = changes(found, MEASURES["free_pages"], ARRAYS, "free_pages")
    if found.is_whole:
        of_loads = (told[f"free_pages/{load.name}"] for load in found.loads)
        told["workloads_that_gain_much"] = sum(gain >= _MUCH_PERCENT for gain in of_loads)
    return told


def _fig22(found: Findings) -> Mapping[str, float]:
    """Latency in percent; endurance as how many times that of the others."""
    told = dict(changes_of("write_latency", "read_latency", drives=_MLC)(found))
    kinds = {"raid_mlc": "mlc", "raid": "baseline", "rss": "ressd"}
    for other in ("raid", "rss"):
        told |= times_as_enduring(found, kinds, ("raid_mlc", other), f"endurance_by_{other}")
    return told


def _fig23(found: Findings) -> Mapping[str, float]:
    """Pages that need not be moved from candidates, in percent of those, and of all consumed.

    So read, for the published 12 and 1.5 % stand to one another as 14.4 % of moves from candidates
    do to all that is consumed.
    """
    told: dict[str, float] = {}
    for name, of in (("of_moved", _moved_from_candidates), ("of_writes", consumption)):
        spared: dict[str, float] = {}
        wholes: dict[str, float] = {}
        for load in found.loads:
            fixed, virtual = (found.result(drive, load) for drive in ("rss", "rss_virtual"))
            spared[load.name] = _moved_from_candidates(fixed) - _moved_from_candidates(virtual)
            wholes[load.name] = of(fixed)
        shares = {f"{name}/{load}": 100 * spared[load] / max(wholes[load], 1) for load in spared}
        told |= with_average(found, shares, name)
        if found.is_whole:
            told[f"{name}/total"] = 100 * sum(spared.values()) / max(sum(wholes.values()), 1)
    return told


def _moved_from_candidates(run: RunResult) -> float:
    return run.flash.page_programs.technique


def _fig24(found: Findings) -> Mapping[str, float]:
    """Also GC with pages to move and direct, whose ratio is said to change almost nothing."""
    told = dict(changes_of(*_VSL, drives=_VIRTUAL)(found))
    for drive in _VIRTUAL:
        told |= by_load(found, f"direct_share_of_{drive}", direct_share, drive)
    return told


_VSL = (
    "consumption", "gc_time", "free_pages", "erases", "gc_moving", "gc_direct", "writes_per_erase",
    "write_latency",
)  # fmt: skip

FIGURES = (
    Figure(
        "abstract",
        "What the abstract says of RSS-RAID: endurance, write latency, capacity",
        changes_of("writes_per_erase", "write_latency", "free_pages", drives=ARRAYS),
        "%",
        ARRAYS,
    ),
    Figure("fig10", "Parity writes, and when parity is updated", _fig10, "%", ("raid",)),
    Figure("fig11", "Updates on the most updated fifth of the pages", _fig11, "%", ("raid",)),
    Figure("fig13", "Flash pages consumed by the array", _fig13, "%", ARRAYS),
    Figure("fig14", "GC time of the array", changes_of("gc_time", drives=ARRAYS), "%", ARRAYS),
    Figure("fig15", "GC of the array, with pages to move and direct", _FIG15, "%", ARRAYS),
    Figure(
        "fig16",
        "Page writes per erase of the array",
        changes_of("writes_per_erase", drives=ARRAYS),
        "%",
        ARRAYS,
    ),
    Figure(
        "fig17",
        "Latency of the array",
        changes_of("write_latency", "read_latency", drives=ARRAYS),
        "%",
        ARRAYS,
    ),
    Figure("fig18", "Free pages after the run", _fig18, "%", ARRAYS),
    Figure("fig22", "An array of drives in MLC mode", _fig22, "%", (*ARRAYS, "raid_mlc")),
    Figure("fig23", "Moves that virtual super layers spare", _fig23, "%", _VIRTUAL, is_quick=False),
    Figure(
        "fig24",
        "Virtual super layers against RSS-RAID (Figures 14, 18, 24 and 25)",
        _fig24,
        "%",
        _VIRTUAL,
        is_quick=False,
    ),
)
