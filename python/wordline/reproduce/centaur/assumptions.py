"""What moves what Centaur gains: one assumption at a time set otherwise.

The publication gives none of these values, or leaves room in what it says. Each is the lifetime or
the throughput of Centaur over that of flash of one kind, both under the assumption.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wordline.reproduce.centaur.drives import BASES, DRIVES, Keys
from wordline.reproduce.centaur.measures import amplification, lifetimes, mean
from wordline.reproduce.centaur.speed import faster
from wordline.reproduce.centaur.workloads import LIFE, QUICK, ROWS, SPEED, only
from wordline.reproduce.centaur.workloads import loads as volumes
from wordline.reproduce.study import Figure, Findings, Load, Study

AS_IS = "as it is"

_ASSUMED: Mapping[str, Keys] = {
    AS_IS: (),
    "partial programs are padded": ("technique.centaur.partial=pad",),
    "addresses fix the die": ("ftl.allocation=CWDP",),
    "no buffer": ("host.write_buffer_mib=0",),
    "requests come 10 times as fast": ("host.time_scale=0.1",),
    "requests come 100 times as fast": ("host.time_scale=0.01",),
    "initial data fills a quarter": ("precondition.fill=0.25",),
    "initial data fills three quarters": ("precondition.fill=0.75",),
    "no wear levelling": ("ftl.wear.policy=none",),
}
# What the reference has no use for.
_OF_CENTAUR: Mapping[str, Keys] = {
    "initial data is dispatched": ("technique.centaur.initial_data=dispatched",),
    "all 2D dies must be idle": ("technique.centaur.steal=all_idle",),
    "nothing is stolen": ("technique.centaur.steal=never",),
}

_ADJACENT = (0.0, 0.3, 0.6, 0.9)
"""Shares of adjacent writes; excerpts of real traces have 0.34 to 0.79 (docs/centaur.md)."""


def _drive(kind: str, name: str = AS_IS) -> str:
    """The name of a drive under an assumption; where it changes nothing, that of as it is."""
    return f"{kind}, {AS_IS if kind == '3d' and name in _OF_CENTAUR else name}"


_ALL = {**_ASSUMED, **_OF_CENTAUR}
_DRIVES: Mapping[str, tuple[str, Keys]] = {
    _drive("2d"): ("2d", DRIVES["2d"]),
    **{_drive("3d", name): ("3d", (*DRIVES["3d"], *keys)) for name, keys in _ASSUMED.items()},
    **{_drive("shared", n): ("shared", (*DRIVES["shared"], *keys)) for n, keys in _ALL.items()},
}


def _named(name: str, share: float) -> str:
    return f"{name}, {share:g} adjacent"


def _adjacent(load: Load, share: float) -> Load:
    """The same volume with as much adjacency among its writes."""
    source = f"{load.source},write_follow={share},write_sequential={share}"
    return replace(load, name=_named(load.name, share), source=source)


def _loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    del traces  # assumptions about twins
    own = [load for load in volumes(None, quick) if load.name in ROWS]
    lives = [load for load in own if load.way == LIFE and load.name in QUICK]
    adjacent = [load for load in own if load.way in {LIFE, SPEED}]
    return [*lives, *(_adjacent(load, share) for load in adjacent for share in _ADJACENT)]


def _assumptions(found: Findings) -> Mapping[str, float]:
    return {
        f"lifetime/{volume}/{name}": value
        for name in _ALL
        for volume, value in lifetimes(found, _drive("shared", name), _drive("3d", name)).items()
    }


def _adjacency(found: Findings) -> Mapping[str, float]:
    """Means over the volumes, by the share of writes that follow another one."""
    values: dict[str, float] = {}
    for share in _ADJACENT:
        names = [_named(name, share) for name in ROWS]
        lives, speeds = only(found, LIFE, names), only(found, SPEED, names)
        wasted = {
            load.name: amplification(lives.result(_drive("3d"), load)) for load in lives.loads
        }
        values |= {
            f"lifetime_over_3d/{share:g}": mean(lifetimes(lives, _drive("shared"), _drive("3d"))),
            f"throughput_over_3d/{share:g}": mean(faster(speeds, _drive("shared"), _drive("3d"))),
            f"throughput_over_2d/{share:g}": mean(faster(speeds, _drive("shared"), _drive("2d"))),
            f"write_amplification_of_3d/{share:g}": mean(wasted),
        }
    return values


_NEIGHBOURS = tuple(_named(name, share) for name in ROWS for share in _ADJACENT)

STUDY = Study(
    paper="centaur-assumptions",
    source="not published: what moves the results of Liu et al., POMACS 4(2):28, 2020",
    base=BASES["shared"],
    drives={name: keys for name, (_, keys) in _DRIVES.items()},
    bases={name: BASES[kind] for name, (kind, _) in _DRIVES.items()},
    loads=_loads,
    figures=(
        Figure(
            "assumptions",
            "Lifetime over that of 3D flash alone, by assumption",
            _assumptions,
            "times",
            tuple(name for name in _DRIVES if name != _drive("2d")),
            QUICK,
            ways=(LIFE,),
        ),
        Figure(
            "adjacency",
            "Means over the volumes, by how many writes are adjacent",
            _adjacency,
            "times",
            tuple(_drive(kind) for kind in ("2d", "3d", "shared")),
            _NEIGHBOURS,
            ways=(LIFE, SPEED),
        ),
    ),
)
