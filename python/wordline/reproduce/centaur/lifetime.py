"""Lifetimes: erases for what the host writes, once these have a steady rate."""

from collections.abc import Mapping

from wordline.native.types.run import RunResult
from wordline.reproduce.centaur.drives import DRAMS_MIB, EXTRA_GIB, STATIC_KIB
from wordline.reproduce.centaur.measures import (
    amplification,
    cycles,
    geometric,
    lifetimes,
    mean,
    over_3d,
    programmed,
    ratio_of_means,
    spent,
    spent_by,
)
from wordline.reproduce.centaur.workloads import LIFE
from wordline.reproduce.study import Figure, Findings

LAYOUTS = ("2d", "3d", "shared", "dedicated")
RIVALS = ("slc/mlc", "slc/mlc without idp")
STATIC = tuple(f"static {kib} kb" for kib in STATIC_KIB)
EXTRA = tuple(f"extra {gib} gb" for gib in EXTRA_GIB)
WITH_DRAM = tuple(f"{drive}, {mib} mb" for drive in ("3d", "shared") for mib in DRAMS_MIB)


def _life(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for drive in ("2d", "shared", "dedicated"):
        by_load = lifetimes(found, drive, "3d")
        values |= {f"{drive}_over_3d/{name}": value for name, value in by_load.items()}
    shared = lifetimes(found, "shared", "3d")
    if found.is_whole:
        values |= {
            "lifetime/mean": mean(shared),
            "lifetime/reading=of_means": ratio_of_means(found, "shared", "3d"),
            "lifetime/reading=geometric": geometric(shared),
            "lifetime/reading=longer": mean(shared),
            "lifetime/dedicated": mean(lifetimes(found, "dedicated", "3d")),
            "lifetime/2d": mean(lifetimes(found, "2d", "3d")),
            "lifetime/padded": mean(lifetimes(found, "shared, padded", "3d, padded")),
        }
    return values


def _amplification(found: Findings) -> Mapping[str, float]:
    values = {
        f"{drive}/{load.name}": amplification(found.result(drive, load))
        for drive in LAYOUTS
        for load in found.loads
    }
    means = {
        f"mean/{drive}": mean({n: v for n, v in values.items() if n.startswith(f"{drive}/")})
        for drive in LAYOUTS
    }
    return values | (means if found.is_whole else {})


def erased_of_programmed(result: RunResult) -> Mapping[str, float]:
    """How much each kind of flash erases for what it programs: 1 once its rate is steady."""
    times = programmed(result)
    return {kind: erases / times[kind] for kind, erases in cycles(result).items() if times[kind]}


def _by_part(found: Findings) -> Mapping[str, float]:
    """Mean erases of a block, and the share of its life, of either kind."""
    values: dict[str, float] = {}
    for drive in ("shared", "dedicated"):
        for load in found.loads:
            result = found.result(drive, load)
            for group in result.wear.groups:
                values[f"erases/{drive}/{group.name}/{load.name}"] = group.erases_mean
            for kind, share in spent(result).items():
                values[f"spent/{drive}/{kind}/{load.name}"] = 100 * share
            for kind, share in erased_of_programmed(result).items():
                values[f"erased_of_programmed/{drive}/{kind}/{load.name}"] = share
    return values


def dispatched_share(found: Findings, drive: str) -> dict[str, float]:
    """What was sent to the 3D flash, of all bytes, in percent."""
    values: dict[str, float] = {}
    for load in found.loads:
        told = found.result(drive, load).technique.centaur
        both = told.dispatched_2d_bytes + told.dispatched_3d_bytes
        values[load.name] = 100 * told.dispatched_3d_bytes / max(both, 1)
    return values


def _data(found: Findings) -> Mapping[str, float]:
    values = {f"sent_to_3d/{n}": v for n, v in dispatched_share(found, "shared").items()}
    for load in found.loads:
        for group in found.result("shared", load).wear.groups:
            share = 100 * group.valid_pages / group.pages
            values[f"valid/{group.name}/{load.name}"] = share
    return values


def _stealer(found: Findings) -> Mapping[str, float]:
    gains = {
        name: 100 * (value - 1) for name, value in lifetimes(found, "shared", "no stealer").items()
    }
    values = {f"stealer/{name}": value for name, value in gains.items()}
    return values | ({"stealer/mean": mean(gains)} if found.is_whole else {})


def _figure(figure: str, title: str, drives: tuple[str, ...]) -> Figure:
    return over_3d(figure, title, "lifetime", lifetimes, drives, LIFE)


def _dram(found: Findings) -> Mapping[str, float]:
    """The life that a drive spends, in percent of the 3D drive without DRAM."""
    values: dict[str, float] = {}
    for load in found.loads:
        base = spent_by(found, "3d, 0 mb", load)
        for drive in ("3d", "shared", *WITH_DRAM):
            if base:
                values[f"{drive}/{load.name}"] = 100 * spent_by(found, drive, load) / base
    return values


FIGURES = (
    Figure(
        "fig11a",
        "Lifetime over that of 3D flash alone",
        _life,
        "times",
        (*LAYOUTS, "3d, padded", "shared, padded"),
        ways=(LIFE,),
    ),
    Figure("fig11b", "Write amplification", _amplification, "times", LAYOUTS, ways=(LIFE,)),
    Figure(
        "fig12",
        "Erases and spent life by kind of flash",
        _by_part,
        "",
        ("shared", "dedicated"),
        ways=(LIFE,),
    ),
    Figure(
        "fig13bc", "Where data is, and where it was sent", _data, "%", ("shared",), ways=(LIFE,)
    ),
    _figure("fig16", "Lifetime with as many dies", ("iso-die",)),
    _figure("fig17a", "Lifetime with extra 2D chips", EXTRA),
    Figure(
        "fig18",
        "Life spent by DRAM",
        _dram,
        "%",
        ("3d", "shared", *WITH_DRAM),
        ways=(LIFE,),
        is_quick=False,
    ),
    _figure(
        "fig21",
        "Lifetime with criteria that stay, and as a cache",
        (*STATIC, "cache", "cache partial"),
    ),
    Figure(
        "fig23a",
        "Lifetime gained by the stealer",
        _stealer,
        "%",
        ("shared", "no stealer"),
        ways=(LIFE,),
    ),
)
