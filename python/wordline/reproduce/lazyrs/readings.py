"""What the publication leaves open, one at a time, and whether writing in place pays at all."""

from collections.abc import Mapping

from wordline.native.types.run import RunResult
from wordline.reproduce.lazyrs.drives import READINGS, SECURES, name, packed, reading, secured
from wordline.reproduce.lazyrs.measures import (
    iops,
    lazy,
    programs,
    reprogramming_ratio,
)
from wordline.reproduce.study import Findings


def otherwise(found: Findings) -> Mapping[str, float]:
    """IOPS over pageFTL's, and second stages for each first one, by reading."""
    values: dict[str, float] = {}
    for load in found.loads:
        base = iops(found.result(name("page", "days"), load), "days")
        for of in ("as published", *READINGS):
            drive = name("lazy", "days") if of == "as published" else reading(of)
            result = found.result(drive, load)
            values[f"over_page/{load.name}/{of}"] = 100 * iops(result, "days") / base
            values[f"reprogramming_ratio/{load.name}/{of}"] = reprogramming_ratio(result)
            values[f"switches/{load.name}/{of}"] = lazy(result).mode_switches
        filled = iops(found.result(packed("lazy"), load), "days")
        base = iops(found.result(packed("page"), load), "days")
        values[f"over_page/{load.name}/word lines are filled"] = 100 * filled / base
    return values


def in_place_or_moved(found: Findings) -> Mapping[str, float]:
    """What securing in place and moving survivors take, over lazyFTL_D in place."""
    values: dict[str, float] = {}
    for load in found.loads:
        base = found.result(secured("in_place"), load)
        for how in SECURES:
            result = found.result(secured(how), load)
            values |= {
                f"programs_pct/{load.name}/{how}": 100 * programs(result) / programs(base),
                f"die_time_pct/{load.name}/{how}": 100 * _busy(result) / _busy(base),
                f"erases/{load.name}/{how}": result.flash.erases,
                f"iops_pct/{load.name}/{how}": 100 * iops(result, "days") / iops(base, "days"),
            }
    return values


def _busy(result: RunResult) -> float:
    """Time that the dies worked."""
    return sum(result.flash.die_utilisation)
