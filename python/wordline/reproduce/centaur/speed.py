"""Throughput of a replay as fast as it goes, and latency at the times of arrival."""

from collections.abc import Callable, Mapping

from wordline.reproduce.centaur.lifetime import EXTRA, LAYOUTS, STATIC, WITH_DRAM
from wordline.reproduce.centaur.measures import mean, ratios, throughput
from wordline.reproduce.centaur.workloads import SPEED, WEEK
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


def _over(drives: tuple[str, ...], other: str) -> Callable[[Findings], Mapping[str, float]]:
    def values(found: Findings) -> Mapping[str, float]:
        told: dict[str, float] = {}
        for drive in drives:
            by_load = faster(found, drive, other)
            told |= {f"throughput/{drive}/{name}": value for name, value in by_load.items()}
            if found.is_whole:
                told[f"throughput/{drive}/mean"] = mean(by_load)
        return told

    return values


def _writes(found: Findings) -> Mapping[str, float]:
    return {
        f"write/{drive}/{load.name}": found.result(drive, load).host.write.mean_us
        for drive in _WAITED_FOR
        for load in found.loads
    }


def _reads(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for load in found.loads:
        for drive in _WAITED_FOR:
            values[f"read/{drive}/{load.name}"] = found.result(drive, load).host.read.mean_us
        told = found.result("shared", load).technique.centaur
        both = told.read_2d_units + told.read_3d_units
        values[f"read_from_3d/{load.name}"] = 100 * told.read_3d_units / max(both, 1)
    return values


_WAITED_FOR = ("3d", "shared", "dedicated")

FIGURES = (
    Figure(
        "fig13a", "Throughput over 3D flash alone", _throughput, "times", LAYOUTS, ways=(SPEED,)
    ),
    Figure("fig14", "Write latency", _writes, "us", _WAITED_FOR, ways=(WEEK,), is_quick=False),
    Figure(
        "fig15",
        "Read latency, and reads from 3D flash",
        _reads,
        "",
        _WAITED_FOR,
        ways=(WEEK,),
        is_quick=False,
    ),
    Figure(
        "fig16b",
        "Throughput with as many dies",
        _over(("iso-die",), "3d"),
        "times",
        ("3d", "iso-die"),
        ways=(SPEED,),
        is_quick=False,
    ),
    Figure(
        "fig17b",
        "Throughput with extra 2D chips",
        _over(EXTRA, "3d"),
        "times",
        ("3d", *EXTRA),
        ways=(SPEED,),
        is_quick=False,
    ),
    Figure(
        "fig19",
        "Throughput by DRAM",
        _over(("3d", "shared", *WITH_DRAM), "3d, 0 mb"),
        "times",
        ("3d", "shared", *WITH_DRAM),
        ways=(SPEED,),
        is_quick=False,
    ),
    Figure(
        "fig22",
        "Throughput with criteria that stay",
        _over(STATIC, "3d"),
        "times",
        ("3d", *STATIC),
        ways=(SPEED,),
        is_quick=False,
    ),
)
