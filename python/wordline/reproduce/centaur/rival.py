"""The SLC/MLC drive: Figure 20, of which lifetimes and throughput come from different replays."""

from collections.abc import Mapping

from wordline.reproduce.centaur.lifetime import RIVALS
from wordline.reproduce.centaur.measures import lifetimes, mean
from wordline.reproduce.centaur.speed import faster
from wordline.reproduce.centaur.workloads import LIFE, SPEED, only
from wordline.reproduce.study import Figure, Findings


def _rival(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    lives, speeds = only(found, LIFE), only(found, SPEED)
    for drive in RIVALS:
        by_life, by_speed = lifetimes(lives, "shared", drive), faster(speeds, "shared", drive)
        values |= {f"lifetime/{drive}/{name}": value for name, value in by_life.items()}
        values |= {f"throughput/{drive}/{name}": value for name, value in by_speed.items()}
    if found.is_whole:
        values["lifetime/over_slc_mlc"] = mean(lifetimes(lives, "shared", RIVALS[0]))
        values["throughput/over_slc_mlc"] = mean(faster(speeds, "shared", RIVALS[0]))
    return values


FIGURES = (
    Figure(
        "fig20",
        "Centaur over the SLC/MLC drive",
        _rival,
        "times",
        ("shared", *RIVALS),
        ways=(LIFE, SPEED),
        is_quick=False,
    ),
)
