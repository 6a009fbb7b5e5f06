"""Latency of the programs of each mode, as shares of a conventional one: Figure 9b."""

from collections.abc import Mapping
from functools import cache

from wordline import lab
from wordline.configuration import find
from wordline.reproduce.study import Findings

_DAYS = {"m1": 1, "m7": 7, "m30": 30}


@cache
def _of_cells() -> Mapping[str, float]:
    """First stages of the laboratory's cells."""
    ours = {item["id"]: item["ours"] for item in lab.experiment("lazyrs")["items"]}
    return {mode: ours[f"lazyrs/fig5a/latency/retention={days}d"] for mode, days in _DAYS.items()}


def latencies(_: Findings) -> Mapping[str, float]:
    """First stages by the cells, and second stages by both readings of their time."""
    values: dict[str, float] = {}
    for mode, share in _of_cells().items():
        values |= {
            f"first_stage/{mode}": share,
            f"second_stage/reading=whole/{mode}": 1.0,
            f"second_stage/reading=rest/{mode}": 1 - share,
        }
    return values


def exposed_is_no_worse() -> bool:
    """True where both stages of a mode take no longer than a conventional program, by default."""
    own = find("lazyrs-16g").with_overrides(("technique.lazy_ftl.mode=m1",)).resolve()
    keys = own["technique"]["lazy_ftl"]
    firsts = [keys[f"{mode}_share"] for mode in _DAYS]
    return all(
        first + (1 if keys["second_stage"] == "whole" else 1 - first) <= 1 for first in firsts
    )
