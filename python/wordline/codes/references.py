"""Failure rates and rates of second writes beside published and computed references."""

import csv
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

from wordline import _native
from wordline.codes.verdicts import TOO_FEW, Interval, verdict
from wordline.codes.wom import Estimate, Family, WomCode

TARGET = 0.0025
"""The failure rate that LLH-FTL and ReusableSSD assume (Margaglia et al., FAST 2016, 4.2)."""

Start = Callable[[str], Callable[[int, int, int], object]]
"""Begins a task of that name; what it returns is told of progress."""

_QUICK_CELLS = 1 << 14  # larger codes wait for the full run
_TRIALS = {True: 4_000, False: 100_000}
_WHOLE_TRIALS = 1_000
_NO_CODE = (
    "half a bit per cell over random data is at capacity: half of the pages have too few writable "
    "cells for any code"
)


def rows(name: str) -> list[dict[str, str]]:
    """A table of the package."""
    text = files("wordline.codes").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def items(quick: bool, start: Start) -> Iterator[dict[str, Any]]:
    """One comparison for each reference; a quick run leaves large codes out."""
    for row in rows("references.csv"):
        if quick and int(row["cells"]) > _QUICK_CELLS and row["kind"] != "limit":
            continue
        yield _item(row, *_ours(row, quick, start))


def _item(row: dict[str, str], ours: float, near: Interval, note: str) -> dict[str, Any]:
    """A comparison with a reference and its tolerance, given the interval of ours."""
    reference, tolerance = float(row["reference"]), float(row["tolerance"])
    band = (reference * (1 - tolerance), reference * (1 + tolerance))
    status = verdict(near, band, reference)
    if status == "inconclusive":
        note = f"{note}; {TOO_FEW}" if note else TOO_FEW
    return {
        "id": row["id"],
        "source": row["source"],
        "workload": f"random messages over random pages of {int(row['cells']):,} cells",
        "unit": row["unit"],
        "reference": reference,
        "ours": ours,
        "deviation": (ours - reference) / reference,
        "tolerance": tolerance,
        "status": status,
        "note": note,
    }


def _ours(row: dict[str, str], quick: bool, start: Start) -> tuple[float, Interval, str]:
    """Our value, the interval that it is known to lie in, and what must be said of it."""
    kind, cells, writable = row["kind"], int(row["cells"]), float(row["writable"] or 0)
    note = ""
    if kind == "rate":
        ours = _native.polar_longest(cells, writable, [TARGET])[0] / cells
    elif kind == "writable":
        ours = _least_writable(cells, float(row["rate"]))
    elif kind == "limit":
        ours = _native.least_failure(cells, cells, writable, round(cells * float(row["rate"])))
        note = _NO_CODE
    else:
        found = _measured(row, quick, start(row["id"]))
        shown = f"{found.failures:,} of {found.trials:,} writes failed: {found.low:.3%} to "
        note = f"{shown}{found.high:.3%} at 95 %" + (f"; {_NO_CODE}" if kind == "whole" else "")
        return found.rate, (found.low, found.high), note
    return ours, (ours, ours), note


def _measured(
    row: dict[str, str], quick: bool, progress: Callable[[int, int, int], object]
) -> Estimate:
    bits = round(int(row["cells"]) * float(row["rate"])) if row["rate"] else None
    code = WomCode(
        Family.POLAR,
        int(row["cells"]),
        bits,
        failure_rate=TARGET,
        tries=int(row["tries"]),
        shuffle=row["kind"] == "whole",
    )
    trials = _WHOLE_TRIALS if row["kind"] == "whole" else _TRIALS[quick]
    return code.failure(trials, 100, progress=progress)


def _least_writable(cells: int, rate: float) -> float:
    """The least share of writable cells at which the bound allows this rate, to four digits."""
    low, high = rate, 1.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        if _native.polar_longest(cells, middle, [TARGET])[0] < rate * cells:
            low = middle
        else:
            high = middle
    return round(high, 4)
