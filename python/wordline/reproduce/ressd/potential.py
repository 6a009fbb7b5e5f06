"""Larger super layers and larger arrays: Figures 27 and 28.

What the publication gives numbers for belongs to the study `ressd`; the other sizes that its
figures draw are a study of their own, for they take as long again.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial

from wordline.reproduce.ressd.drives import IDEAL, IDEAL_LAYERS, MOST_DRIVES, SIZES, needed_by
from wordline.reproduce.ressd.measures import MEASURES, Measure, changes, with_average
from wordline.reproduce.ressd.workloads import SOURCE, loads
from wordline.reproduce.study import Figure, Findings, Study

_THREE = ("consumption", "writes_per_erase", "write_latency")


def _fig27(found: Findings) -> Mapping[str, float]:
    """Changes against two layers, and the share of the ideal case that is reached."""
    told = _by_two_layers(
        found, {f"{IDEAL}_layers": f"rss_{IDEAL}_layers", "virtual": "rss_virtual"}
    )
    if found.is_whole:
        for name in _THREE:
            ideal = told[f"{name}/{IDEAL}_layers/average"]
            share = 100 * told[f"{name}/virtual/average"] / ideal if ideal else math.nan
            told[f"share_of_ideal/{name}"] = share
    return told


def _layers(found: Findings) -> Mapping[str, float]:
    return _by_two_layers(found, {f"{n}_layers": f"rss_{n}_layers" for n in IDEAL_LAYERS})


def _by_two_layers(found: Findings, others: Mapping[str, str]) -> dict[str, float]:
    told: dict[str, float] = {}
    for name in _THREE:
        for kind, drive in others.items():
            told |= changes(found, MEASURES[name], (drive, "rss"), f"{name}/{kind}")
    return told


def _sizes(found: Findings, sizes: Sequence[int]) -> Mapping[str, float]:
    """How each measure's share of the baseline's changes against that of four drives."""
    told: dict[str, float] = {}
    for measure in _THREE:
        of = MEASURES[measure]
        for n in sizes:
            name = f"{measure}/{n}_drives"
            ours: dict[str, float] = {}
            for load in found.loads:
                share = of(found.result(f"rss_virtual_of_{n}", load)) / of(
                    found.result(f"raid_of_{n}", load)
                )
                four = of(found.result("rss_virtual", load)) / of(found.result("raid", load))
                ours[f"{name}/{load.name}"] = 100 * (share / four - 1)
            told |= with_average(found, ours, name)
            if found.is_whole:
                told[f"{name}/total"] = 100 * (_all(found, of, n) / _all(found, of) - 1)
            told |= changes(
                found, of, (f"rss_virtual_of_{n}", f"raid_of_{n}"), f"{name}_by_baseline"
            )
    return told


def _all(found: Findings, of: Measure, n: int = 0) -> float:
    """All volumes together as a share of the baseline, of arrays of `n` drives or of four."""
    arrays = ("rss_virtual", "raid")
    own, other = (
        of.total([found.result(f"{array}_of_{n}" if n else array, load) for load in found.loads])
        for array in arrays
    )
    return own / other


def _figure_of_sizes(name: str, title: str, sizes: Sequence[int]) -> Figure:
    arrays = [f"{array}_of_{n}" for array in ("raid", "rss_virtual") for n in sizes]
    needed = ("raid", "rss_virtual", *arrays)
    return Figure(name, title, partial(_sizes, sizes=sizes), "%", needed, is_quick=False)


FIGURES = (
    Figure(
        "fig27",
        "Super layers of 32 layers, and virtual ones, against two layers",
        _fig27,
        "%",
        ("rss", "rss_virtual", f"rss_{IDEAL}_layers"),
        is_quick=False,
    ),
    _figure_of_sizes("fig28", f"Arrays of {MOST_DRIVES} drives against four", (MOST_DRIVES,)),
)

_ALL_SIZES = (
    Figure(
        "layers",
        "Super layers of 4 to 64 layers against two",
        _layers,
        "%",
        ("rss", *(f"rss_{n}_layers" for n in IDEAL_LAYERS)),
    ),
    _figure_of_sizes("sizes", "Arrays of seven and ten drives against four", SIZES),
)

STUDY = Study(
    paper="ressd-potential",
    source=f"not published: sizes without a number in Figures 27 and 28 of {SOURCE}",
    base="ressd-576g",
    drives=needed_by(_ALL_SIZES),
    loads=loads,
    figures=_ALL_SIZES,
)
