"""What reuse does to a life: Section 4, and the tables of the cell laboratory beside it."""

from collections.abc import Mapping
from statistics import fmean

from wordline import lab
from wordline.reproduce.llh.drives import DRIVES, LONG_LIFE, SAFE, STRAINS, life_of
from wordline.reproduce.llh.workloads import HOT, HOT_FOR_LONG
from wordline.reproduce.study import Figure, Findings, known

_SAFE = 0.4
"""Share of a life in which blocks are reused (Section 3.4)."""

_CHIPS = ("A16", "A27", "B29")
"""All but B16, whose pages cannot be reused."""


def _loss() -> float:
    """Share of a life that reuse in its safe part costs, mean over the chips of the laboratory."""
    items = {item["id"]: item for item in lab.experiment("llh")["items"]}
    return fmean(items[f"llh/table4/{chip}/first={_SAFE}"]["ours"] for chip in _CHIPS) / 100


def _sec4(found: Findings) -> Mapping[str, float]:
    load = found.loads[0]
    lives = [known(found.result(f"{of} life", load).wear.life_gib) for of in ("half", "baseline")]
    energy = found.result("half energy", load)
    units = energy.capacity.physical_pages / sum(blocks for _, blocks in energy.wear.histogram)
    gain, loss = lives[0] / lives[1] - 1, _loss()
    return {
        "capacity/reused": energy.wear.page_writes_per_erase / units,
        "lifetime/by_erases": 100 * gain,
        "lifetime/reading=points": 100 * (gain - loss),
        "lifetime/reading=share": 100 * ((1 + gain) * (1 - loss) - 1),
    }


def _lives(found: Findings) -> Mapping[str, float]:
    """Data written in a life to its end, over that without reuse, less one, in percent."""
    load = found.loads[0]
    base = known(found.result(LONG_LIFE, load).wear.life_gib)
    values: dict[str, float] = {}
    for chip in STRAINS:
        for safe in SAFE:
            drive = life_of(chip, safe)
            if drive in DRIVES:
                life = known(found.result(drive, load).wear.life_gib)
                values[f"safe={safe}/{chip}"] = 100 * (life / base - 1)
    return values


FIGURES = (
    Figure(
        "sec4",
        "Data written in a life, and in a block before its erase",
        _sec4,
        "% more data written",
        ("baseline life", "half life", "half energy"),
        loads=(HOT,),
    ),
    Figure(
        "lives",
        "Data written in a life to its end with the strain of reuse, chip by chip",
        _lives,
        "% more data written",
        (LONG_LIFE, *(drive for drive in DRIVES if " life, safe by " in drive)),
        loads=(HOT_FOR_LONG,),
        is_quick=False,
    ),
    Figure(
        "cells",
        "Device study: lives shortened by reuse and by higher voltages",
        laboratory=("llh/table3/", "llh/table4/", "llh/life/"),
    ),
)
