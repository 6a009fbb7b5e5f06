"""Random writes of one size: to single dies (Figure 5), and to whole drives (Figure 24)."""

from collections.abc import Mapping

from wordline.reproduce.centaur.drives import DIES, WITH_IDP
from wordline.reproduce.centaur.measures import lifetimes, spent_by, throughput
from wordline.reproduce.centaur.workloads import DIE, UNIFORM, size
from wordline.reproduce.study import Figure, Findings

SMALL_FROM_IDP_KIB = 96
"""The IDP unit of 3D flash (Table 2)."""

IDP_KIB = {"2d die": 16, "2d dies": 16, "3d die": SMALL_FROM_IDP_KIB}
"""What dies with intra-die parallelism program at a time: a page, or a word line, of each plane."""

WITHOUT_DISPATCHER = "no dispatcher"
"""Centaur without stealer, by the criterion at the start: what is smaller goes to 2D flash."""


def kib(name: str) -> int:
    """The size of a load of random writes."""
    return int(name.split()[0])


def _dies(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for drive in DIES:
        for load in found.loads:
            values[f"throughput/{drive}/{load.name}"] = throughput(found.result(drive, load))
            values[f"spent/{drive}/{load.name}"] = 100 * spent_by(found, drive, load)
    return values


def _uniform(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for load in found.loads:
        ours, theirs = (found.result(drive, load) for drive in (WITHOUT_DISPATCHER, "3d"))
        values[f"throughput/{load.name}"] = throughput(ours) / throughput(theirs)
    lives = lifetimes(found, WITHOUT_DISPATCHER, "3d")
    return values | {f"lifetime/{name}": value for name, value in lives.items()}


def _section1(found: Findings) -> Mapping[str, float]:
    """What writes of 2D pages leave of a program to other data or none, and what that wears.

    Over which workloads, and at which capacity, the publication averages is not told: random
    writes to a 3D die, beside as many GB of 2D dies.
    """
    (load,) = found.loads
    result = found.result(_WASTEFUL, load)
    programs = result.flash.page_programs
    units = programs.host + programs.technique + result.flash.padding
    over = spent_by(found, _WASTEFUL, load) / spent_by(found, _AS_LARGE, load)
    return {"wasted": 100 * (1 - programs.host / units), "wear_over_2d": over}


_WASTEFUL, _AS_LARGE = f"3d die{WITH_IDP}", "2d dies"

FIGURES = (
    Figure(
        "sec1",
        "Space wasted, and life spent over that of 2D flash",
        _section1,
        "",
        (_WASTEFUL, _AS_LARGE),
        (size(8),),
        ways=(DIE,),
    ),
    Figure("fig5", "Random writes to dies", _dies, "", tuple(DIES), ways=(DIE,)),
    Figure(
        "fig24",
        "Random writes to Centaur without dispatcher, over 3D flash alone",
        _uniform,
        "times",
        (WITHOUT_DISPATCHER, "3d"),
        ways=(UNIFORM,),
    ),
)
