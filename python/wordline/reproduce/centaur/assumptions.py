"""What moves what Centaur gains: one assumption at a time set otherwise.

The publication gives none of these values, or leaves room in what it says. Each is the lifetime or
the throughput of Centaur over that of flash of one kind, both under the assumption.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
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

_RUNS = (*((share, 12) for share in (0.0, 0.2, 0.41, 0.82)), (0.41, 6), (0.41, 24))
"""Shares of writes that begin where one of so many open runs ended.

None; half of what the twins have from an excerpt of web_0, that, and twice as much of either.
"""


RECORDED = "recorded"
ARRIVALS: Mapping[str, Keys] = {
    RECORDED: (),
    "10 times as fast": ("host.time_scale=0.1",),
    "100 times as fast": ("host.time_scale=0.01",),
    "closed": ("host.mode=closed", "host.queue_depth=32"),
}
"""When requests come: the publication computed their times anew for flash, and gives none."""

_SHARES = (0.0, 0.41, 0.82)
_STREAMS = 12
_ISO_DIE, _NOT_STOLEN = "iso-die", "nothing is stolen"
_SHORTER = ("hm_1", "proj_2")
"""Volumes that the publication has live shorter on as many dies."""


def _drive(kind: str, name: str = AS_IS) -> str:
    """The name of a drive under an assumption; where it changes nothing, that of as it is."""
    return f"{kind}, {AS_IS if kind == '3d' and name in _OF_CENTAUR else name}"


_ALL = {**_ASSUMED, **_OF_CENTAUR}
_DRIVES: Mapping[str, tuple[str, Keys]] = {
    _drive("2d"): ("2d", DRIVES["2d"]),
    _drive(_ISO_DIE): (_ISO_DIE, DRIVES[_ISO_DIE]),
    **{_drive("3d", name): ("3d", (*DRIVES["3d"], *keys)) for name, keys in _ASSUMED.items()},
    **{_drive("shared", n): ("shared", (*DRIVES["shared"], *keys)) for n, keys in _ALL.items()},
}


def _named(name: str, share: float, streams: int) -> str:
    return f"{name}, {share:g} adjacent in {streams}"


def _adjacent(load: Load, share: float, streams: int) -> Load:
    """A volume with as much adjacency among its writes."""
    source = f"{load.source},write_runs={share},streams={streams}"
    return replace(load, name=_named(load.name, share, streams), source=source)


def _arriving(load: Load, arrival: str) -> Load:
    """A volume whose requests arrive at other times."""
    if arrival == RECORDED:
        return load
    keys = tuple(key for key in load.keys if not key.startswith("host.mode="))
    return replace(load, name=f"{load.name}, {arrival}", keys=(*keys, *ARRIVALS[arrival]))


def _loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    del traces  # assumptions about twins
    own = [load for load in volumes(None, quick) if load.name in ROWS]
    lives = [load for load in own if load.way == LIFE and load.name in QUICK]
    adjacent = [load for load in own if load.way in {LIFE, SPEED}]
    every = [*lives, *(_adjacent(load, *runs) for load in adjacent for runs in _RUNS)]
    at_times = (
        _arriving(_adjacent(load, share, _STREAMS), arrival)
        for load in adjacent
        if load.way == LIFE
        for share in _SHARES
        for arrival in ARRIVALS
    )
    return list(dict.fromkeys((*every, *at_times)))


def _assumptions(found: Findings) -> Mapping[str, float]:
    return {
        f"lifetime/{volume}/{name}": value
        for name in _ALL
        for volume, value in lifetimes(found, _drive("shared", name), _drive("3d", name)).items()
    }


def _adjacency(found: Findings) -> Mapping[str, float]:
    """Means over the volumes, by the share of adjacent writes and the open runs."""
    values: dict[str, float] = {}
    for share, streams in _RUNS:
        names = [_named(name, share, streams) for name in ROWS]
        runs = f"{share:g}_in_{streams}"
        lives, speeds = only(found, LIFE, names), only(found, SPEED, names)
        wasted = {
            load.name: amplification(lives.result(_drive("3d"), load)) for load in lives.loads
        }
        values |= {
            f"lifetime_over_3d/{runs}": mean(lifetimes(lives, _drive("shared"), _drive("3d"))),
            f"throughput_over_3d/{runs}": mean(faster(speeds, _drive("shared"), _drive("3d"))),
            f"throughput_over_2d/{runs}": mean(faster(speeds, _drive("shared"), _drive("2d"))),
            f"write_amplification_of_3d/{runs}": mean(wasted),
        }
    return values


def _at(name: str, share: float, arrival: str) -> str:
    """What a volume is called with so much adjacency, at such times."""
    named = _named(name, share, _STREAMS)
    return named if arrival == RECORDED else f"{named}, {arrival}"


def _arrivals(found: Findings) -> Mapping[str, float]:
    """Means over the volumes by adjacency and by when requests come: the whole grid."""
    values: dict[str, float] = {}
    for share, arrival in product(_SHARES, ARRIVALS):
        own = only(found, LIFE, [_at(name, share, arrival) for name in ROWS])
        place = f"{share:g}/{arrival}"
        stolen = lifetimes(own, _drive("shared"), _drive("shared", _NOT_STOLEN))
        iso_die = lifetimes(own, _drive(_ISO_DIE), _drive("3d"))
        wasted = {load.name: amplification(own.result(_drive("3d"), load)) for load in own.loads}
        values |= {
            f"lifetime_over_3d/{place}": mean(lifetimes(own, _drive("shared"), _drive("3d"))),
            f"stealer_percent/{place}": 100 * (mean(stolen) - 1),
            f"iso_die/{place}": mean(iso_die),
            **{
                f"iso_die_{name}/{place}": iso_die.get(_at(name, share, arrival), math.nan)
                for name in _SHORTER
            },
            f"write_amplification_of_3d/{place}": mean(wasted),
        }
    return values


_NEIGHBOURS = tuple(_named(name, *runs) for name in ROWS for runs in _RUNS)
_ARRIVING = tuple(_at(*one) for one in product(ROWS, _SHARES, ARRIVALS))

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
            tuple(name for name in _DRIVES if name not in (_drive("2d"), _drive(_ISO_DIE))),
            QUICK,
            ways=(LIFE,),
        ),
        Figure(
            "adjacency",
            "Means over the volumes, by the share of adjacent writes and the runs that are open",
            _adjacency,
            "times",
            tuple(_drive(kind) for kind in ("2d", "3d", "shared")),
            _NEIGHBOURS,
            ways=(LIFE, SPEED),
        ),
        Figure(
            "arrivals",
            "Means over the volumes, by the share of adjacent writes and by when requests come",
            _arrivals,
            "times",
            (*(_drive(kind) for kind in ("3d", "shared", _ISO_DIE)), _drive("shared", _NOT_STOLEN)),
            _ARRIVING,
            ways=(LIFE,),
            is_quick=False,
        ),
    ),
)
