"""Throughput of a replay as fast as it goes, and latency at the times of arrival."""

from collections.abc import Mapping

from wordline.reproduce.centaur.drives import COMPLETED_LATE, WHOLE_SIZE
from wordline.reproduce.centaur.lifetime import EXTRA, LAYOUTS, STATIC, WITH_DRAM
from wordline.reproduce.centaur.measures import (
    mean,
    over,
    over_3d,
    ratios,
    throughput,
    waited_for,
)
from wordline.reproduce.centaur.workloads import SPEED, WEEK, WINDOW
from wordline.reproduce.study import Figure, Findings


def faster(found: Findings, drive: str, other: str) -> dict[str, float]:
    """How many times as many requests a second a drive serves as another, by workload."""
    return ratios(found, throughput, drive, other)


def _throughput(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for drive in ("2d", "shared", "dedicated"):
        for name, value in faster(found, drive, "3d").items():
            values[f"{drive}_over_3d/{name}"] = value
    if found.is_whole:
        values |= {
            "throughput/over_3d": mean(faster(found, "shared", "3d")),
            "throughput/over_2d": mean(faster(found, "shared", "2d")),
            "throughput/dedicated_over_3d": mean(faster(found, "dedicated", "3d")),
        }
    return values


def _whole(found: Findings) -> Mapping[str, float]:
    """Throughput on drives of the paper's size, whose DRAM is as large as its."""
    ours = f"shared{WHOLE_SIZE}"
    values: dict[str, float] = {}
    for other in ("3d", "2d"):
        by_load = faster(found, ours, f"{other}{WHOLE_SIZE}")
        values |= {f"over_{other}/{name}": value for name, value in by_load.items()}
        if found.is_whole:
            values[f"throughput/over_{other}"] = mean(by_load)
    return values


def _waits(found: Findings, drives: tuple[str, ...], requests: str) -> Mapping[str, float]:
    """Mean latencies, and of what they consist; in whole runs the means over the volumes, too."""
    values: dict[str, float] = {}
    for drive in drives:
        parts: dict[str, float] = {}
        for load in found.loads:
            result = found.result(drive, load)
            seen = result.host.read if requests == "read" else result.host.write
            values[f"{requests}/{drive}/{load.name}"] = seen.mean_us
            for part, part_us in waited_for(result, requests).items():
                values[f"{requests}/{drive}/{load.name}/{part}"] = part_us
                parts[part] = parts.get(part, 0) + part_us / len(found.loads)
        if found.is_whole:
            values |= {f"mean/{drive}/{part}": part_us for part, part_us in parts.items()}
    return values


def _writes(found: Findings) -> Mapping[str, float]:
    return _waits(found, _WRITTEN, "write")


def _reads(found: Findings) -> Mapping[str, float]:
    values = dict(_waits(found, _WAITED_FOR, "read"))
    for load in found.loads:
        told = found.result("shared", load).technique.centaur
        both = told.read_2d_units + told.read_3d_units
        values[f"read_from_3d/{load.name}"] = 100 * told.read_3d_units / max(both, 1)
    return values


def _figure(figure: str, title: str, drives: tuple[str, ...]) -> Figure:
    return over_3d(figure, title, "throughput", faster, drives, SPEED)


_WAITED_FOR = ("3d", "shared", "dedicated")
_WRITTEN = (*_WAITED_FOR, *(f"{drive}{COMPLETED_LATE}" for drive in _WAITED_FOR))

FIGURES = (
    Figure(
        "fig13a", "Throughput over 3D flash alone", _throughput, "times", LAYOUTS, ways=(SPEED,)
    ),
    Figure(
        "fig13a_whole",
        "Throughput over 3D flash alone, on drives of the paper's size",
        _whole,
        "times",
        tuple(f"{name}{WHOLE_SIZE}" for name in ("2d", "3d", "shared")),
        ways=(WINDOW,),
    ),
    Figure(
        "fig14",
        "Write latency, and of what it consists",
        _writes,
        "us",
        _WRITTEN,
        ways=(WEEK,),
        is_quick=False,
    ),
    Figure(
        "fig15",
        "Read latency, of what it consists, and reads from 3D flash",
        _reads,
        "",
        _WAITED_FOR,
        ways=(WEEK,),
        is_quick=False,
    ),
    _figure("fig16b", "Throughput with as many dies", ("iso-die",)),
    _figure("fig17b", "Throughput with extra 2D chips", EXTRA),
    Figure(
        "fig19",
        "Throughput by DRAM",
        over("throughput", faster, ("3d", "shared", *WITH_DRAM), "3d, 0 mb"),
        "times",
        ("3d", "shared", *WITH_DRAM),
        ways=(SPEED,),
        is_quick=False,
    ),
    _figure("fig22", "Throughput with criteria that stay", STATIC),
    Figure(
        "fig23b",
        "Throughput by the stealer, over none",
        over("throughput", faster, ("shared",), "no stealer"),
        "times",
        ("shared", "no stealer"),
        ways=(SPEED,),
    ),
)
