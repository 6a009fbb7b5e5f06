"""Random writes of one size: to single dies (Figure 5), and to whole drives (Figure 24)."""

from collections.abc import Mapping

from wordline.reproduce.centaur.drives import DIES, WITH_IDP
from wordline.reproduce.centaur.measures import lifetimes, mean, spent_by, throughput
from wordline.reproduce.centaur.workloads import DIE, HALF, SPANS, only, size
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
    """Over the whole drive or in 24 GB, and by what half as many writes tell."""
    values: dict[str, float] = {}
    for span, way in SPANS.items():
        for end in ("", HALF):
            own = only(found, f"{way}{end}")
            for load in own.loads:
                ours, theirs = (own.result(drive, load) for drive in (WITHOUT_DISPATCHER, "3d"))
                name = f"{span}{end.replace(', ', '_')}/{load.name}"
                values[f"throughput/{name}"] = throughput(ours) / throughput(theirs)
                lives = lifetimes(own, WITHOUT_DISPATCHER, "3d")
                if load.name in lives:
                    values[f"lifetime/{name}"] = lives[load.name]
    return values


def _section1(found: Findings) -> Mapping[str, float]:
    """What writes of 2D pages leave of a program to other data or none, and what that wears.

    Over which workloads, and beside which flash, the publication averages is not told: random
    writes to a 3D die, beside as many GB of 2D dies, one 2D die, or a 3D die without IDP.
    """
    (small,) = (load for load in found.loads if load.name == size(8))
    result = found.result(_WASTEFUL, small)
    programs = result.flash.page_programs
    units = programs.host + programs.technique + result.flash.padding
    values = {"wasted": 100 * (1 - programs.host / units)}
    for reading, other in _BESIDE.items():
        over = {
            load.name: spent_by(found, _WASTEFUL, load) / spent_by(found, other, load)
            for load in found.loads
        }
        values |= {f"{reading}/{name}": value for name, value in over.items()}
        if found.is_whole:
            values[f"wear_over_2d/reading={reading}"] = mean(over)
    return values


_WASTEFUL = f"3d die{WITH_IDP}"
_BESIDE = {"iso_capacity": "2d dies", "iso_die": "2d die", "without_idp": "3d die"}

FIGURES = (
    Figure(
        "sec1",
        "Space wasted, and life spent over that of 2D flash",
        _section1,
        "",
        (_WASTEFUL, *_BESIDE.values()),
        ways=(DIE,),
    ),
    Figure("fig5", "Random writes to dies", _dies, "", tuple(DIES), ways=(DIE,)),
    Figure(
        "fig24",
        "Random writes to Centaur without dispatcher, over 3D flash alone",
        _uniform,
        "times",
        (WITHOUT_DISPATCHER, "3d"),
        ways=tuple(f"{way}{end}" for way in SPANS.values() for end in ("", HALF)),
    ),
)
