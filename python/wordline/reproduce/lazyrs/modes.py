"""The programs of each mode by the laboratory's cells: latency (Figure 9b) and errors."""

import csv
from collections.abc import Mapping
from functools import cache

from wordline import lab
from wordline.reproduce.study import Findings

_DAYS = {"m1": 1, "m7": 7, "m30": 30}
_CHIP = "lazyrs-tlc"

# When the publication compares: 1,000 P/E cycles, a year at 30 C (Section 3.2).
_PEC, _AGE_H, _AT_C = 1000.0, 8760.0, 30.0


@cache
def _of_cells() -> Mapping[str, float]:
    """What the laboratory's experiment gives, by id."""
    return {item["id"]: item["ours"] for item in lab.experiment("lazyrs")["items"]}


def latencies(_: Findings) -> Mapping[str, float]:
    """Both stages by the cells.

    The second one as conventional programs are, and as fast as it may be to hold a year.
    """
    ours = _of_cells()
    values: dict[str, float] = {}
    for mode, days in _DAYS.items():
        values |= {
            f"first_stage/{mode}": ours[f"lazyrs/fig5a/latency/retention={days}d"],
            f"second_stage/reading=whole/{mode}": ours[f"lazyrs/stage_s/latency/after={days}d"],
            f"second_stage/reading=rest/{mode}": ours[f"lazyrs/stage_s/fastest/after={days}d"],
        }
    return values


def exposed_is_no_worse() -> bool:
    """Whether a first stage and the fastest second one take no more than a whole program."""
    ours = _of_cells()
    return all(
        ours[f"lazyrs/fig5a/latency/retention={days}d"]
        + ours[f"lazyrs/stage_s/fastest/after={days}d"]
        <= 1
        for days in _DAYS.values()
    )


@cache
def _worst_pages() -> Mapping[str, tuple[float, float]]:
    """Of each mode, the error rates of its worst page by default and by best references."""
    worst: dict[str, tuple[float, float]] = {}
    for row in csv.DictReader(lab.tables(_CHIP)["rber.csv"].splitlines()[1:]):
        at = tuple(float(row[key]) for key in ("pec", "age_h", "temperature_c"))
        if at == (_PEC, _AGE_H, _AT_C):
            default, best = worst.get(row["mode"], (0.0, 0.0))
            worst[row["mode"]] = (
                max(default, float(row["rber_default"])),
                max(best, float(row["rber_optimal"])),
            )
    return worst


def fewer_errors(_: Findings) -> Mapping[str, float]:
    """Errors that a second stage saves of the conventional program's, in the drive's table."""
    worst = _worst_pages()
    return {
        f"fewer_errors/reading={read_by}/{mode}": 100
        * (1 - worst[f"secured_{mode}"][column] / worst["tlc"][column])
        for column, read_by in ((1, "best"), (0, "default"))
        for mode in _DAYS
    }
