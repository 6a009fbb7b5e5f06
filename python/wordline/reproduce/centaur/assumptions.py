"""What moves the lifetime that Centaur gains: one assumption at a time set otherwise.

The publication gives none of these values, or leaves room in what it says. Each is the lifetime of
Centaur over that of 3D flash alone, both under the assumption.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wordline.reproduce.centaur.drives import BASES, DRIVES, Keys
from wordline.reproduce.centaur.measures import amplification, lifetimes
from wordline.reproduce.centaur.workloads import LIFE, QUICK
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
}
# What the reference has no use for.
_OF_CENTAUR: Mapping[str, Keys] = {
    "initial data is dispatched": ("technique.centaur.initial_data=dispatched",),
    "all 2D dies must be idle": ("technique.centaur.steal=all_idle",),
    "nothing is stolen": ("technique.centaur.steal=never",),
}

# Shares of adjacent writes; excerpts of real traces have 0.34 to 0.79 (docs/centaur.md).
_ADJACENT = (0.0, 0.3, 0.6, 0.9)


def _drive(kind: str, name: str) -> str:
    """The name of a drive under an assumption; where it changes nothing, that of as it is."""
    return f"{kind}, {AS_IS if kind == '3d' and name in _OF_CENTAUR else name}"


_ALL = {**_ASSUMED, **_OF_CENTAUR}
_DRIVES: Mapping[str, tuple[str, Keys]] = {
    **{_drive("3d", name): ("3d", (*DRIVES["3d"], *keys)) for name, keys in _ASSUMED.items()},
    **{_drive("shared", n): ("shared", (*DRIVES["shared"], *keys)) for n, keys in _ALL.items()},
}


def _adjacent(load: Load, share: float) -> Load:
    """The same volume with as much adjacency among its writes."""
    source = f"{load.source},write_follow={share},write_sequential={share}"
    return replace(load, name=f"{load.name}, {share:g} adjacent", source=source)


def _loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    del traces  # assumptions about twins
    lives = [load for load in volumes(None, quick) if load.way == LIFE and load.name in QUICK]
    as_is = [replace(load, way="") for load in lives]
    return [*as_is, *(_adjacent(load, share) for load in as_is for share in _ADJACENT)]


def _assumptions(found: Findings) -> Mapping[str, float]:
    return {
        f"lifetime/{volume}/{name}": value
        for name in _ALL
        for volume, value in lifetimes(found, _drive("shared", name), _drive("3d", name)).items()
    }


def _adjacency(found: Findings) -> Mapping[str, float]:
    ours, theirs = _drive("shared", AS_IS), _drive("3d", AS_IS)
    values = {f"lifetime/{n}": value for n, value in lifetimes(found, ours, theirs).items()}
    for load in found.loads:
        values[f"write_amplification/3d/{load.name}"] = amplification(found.result(theirs, load))
    return values


_VOLUMES = QUICK
_NEIGHBOURS = tuple(f"{name}, {share:g} adjacent" for name in _VOLUMES for share in _ADJACENT)

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
            tuple(_DRIVES),
            _VOLUMES,
        ),
        Figure(
            "adjacency",
            "Lifetime over that of 3D flash alone, by how many writes are adjacent",
            _adjacency,
            "times",
            (_drive("3d", AS_IS), _drive("shared", AS_IS)),
            _NEIGHBOURS,
        ),
    ),
)
