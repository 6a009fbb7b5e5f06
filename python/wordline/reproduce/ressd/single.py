"""One drive with ReSSD against one without: Figures 19 to 21, beside the array's."""

from collections.abc import Mapping

from wordline.reproduce.ressd.measures import (
    MEASURES,
    changes,
    changes_of,
    parts,
)
from wordline.reproduce.study import Figure, Findings

PAIR = ("ressd", "baseline")
ARRAYS = ("rss", "raid")


def _both(measure: str) -> Mapping[str, tuple[str, str]]:
    return {measure: PAIR, f"rss_{measure}": ARRAYS}


def _of_both(found: Findings, measure: str) -> Mapping[str, float]:
    of = MEASURES[measure]
    return changes(found, of, PAIR) | changes(found, of, ARRAYS, "rss_change")


def _fig19(found: Findings) -> Mapping[str, float]:
    return _of_both(found, "consumption")


def _fig20(found: Findings) -> Mapping[str, float]:
    return _of_both(found, "writes_per_erase")


def _fig21(found: Findings) -> Mapping[str, float]:
    told: dict[str, float] = {}
    for latency in ("write_latency", "read_latency"):
        for name, drives in _both(latency).items():
            told |= changes(found, MEASURES[latency], drives, name)
    return told


FIGURES = (
    Figure("fig19", "Flash pages consumed, ReSSD and RSS-RAID", _fig19, "%", (*PAIR, *ARRAYS)),
    Figure("fig20", "Page writes per erase, ReSSD and RSS-RAID", _fig20, "%", (*PAIR, *ARRAYS)),
    Figure("fig21", "Latency, ReSSD and RSS-RAID", _fig21, "%", (*PAIR, *ARRAYS)),
    Figure(
        "one_drive",
        "What the paper shows of its array alone (Figures 13 to 15 and 18), on one drive",
        lambda found: (
            parts(found, "ressd")
            | dict(
                changes_of(
                    "erases",
                    "gc_moving",
                    "gc_direct",
                    "gc_time",
                    "moved",
                    "free_pages",
                    drives=PAIR,
                )(found)
            )
        ),
        "%",
        PAIR,
    ),
)
