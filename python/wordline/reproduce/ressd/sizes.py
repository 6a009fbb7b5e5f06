"""Larger arrays: Figure 28, a study for each number of drives, whose runs take long."""

from collections.abc import Mapping
from functools import partial

from wordline.reproduce.ressd.drives import needed_by
from wordline.reproduce.ressd.measures import MEASURES, Measure, changes, with_average
from wordline.reproduce.ressd.workloads import SOURCE, loads
from wordline.reproduce.study import Figure, Findings, Study

_THREE = ("consumption", "writes_per_erase", "write_latency")


def _by_four(found: Findings, drives: int) -> Mapping[str, float]:
    """How each measure's share of the baseline's changes against that of four drives."""
    told: dict[str, float] = {}
    for measure in _THREE:
        told |= _of_measure(found, measure, drives)
    return told


def _of_measure(found: Findings, measure: str, drives: int) -> Mapping[str, float]:
    of, name = MEASURES[measure], f"{measure}/{drives}_drives"
    ours: dict[str, float] = {}
    for load in found.loads:
        share = of(found.result(f"rss_virtual_of_{drives}", load)) / of(
            found.result(f"raid_of_{drives}", load)
        )
        four = of(found.result("rss_virtual", load)) / of(found.result("raid", load))
        ours[f"{name}/{load.name}"] = 100 * (share / four - 1)
    told = dict(with_average(found, ours, name))
    if found.is_whole:
        told[f"{name}/total"] = 100 * (_all(found, of, drives) / _all(found, of) - 1)
    arrays = (f"rss_virtual_of_{drives}", f"raid_of_{drives}")
    return told | changes(found, of, arrays, f"{name}_by_baseline")


def _all(found: Findings, of: Measure, drives: int = 0) -> float:
    """All volumes together as a share of the baseline, of arrays of so many drives or of four."""
    arrays = ("rss_virtual", "raid")
    own, other = (
        of.total(
            [
                found.result(f"{array}_of_{drives}" if drives else array, load)
                for load in found.loads
            ]
        )
        for array in arrays
    )
    return own / other


def _study(drives: int, source: str, figure: str, note: str = "") -> Study:
    arrays = ("raid", "rss_virtual")
    figures = (
        Figure(
            figure,
            f"Arrays of {drives} drives against four",
            partial(_by_four, drives=drives),
            "%",
            (*arrays, *(f"{array}_of_{drives}" for array in arrays)),
        ),
    )
    paper = f"ressd-drives-{drives}"
    return Study(
        paper=paper,
        source=source,
        base="ressd-576g",
        drives=needed_by(figures),
        loads=loads,
        figures=figures,
        notes={f"{paper}/": note} if note else {},
    )


# Section 7.2.10 gives numbers for ten drives, and draws seven.
STUDIES = (
    _study(
        10, SOURCE, "fig28", "as published, more drives gain less; by how much, padding decides"
    ),
    _study(7, f"not published: seven drives, without a number in Figure 28 of {SOURCE}", "drives"),
)
