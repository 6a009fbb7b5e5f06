"""IOPS and reprogramming ratios of the FTLs beside one another: Figure 10."""

from collections.abc import Mapping
from itertools import product

from wordline.reproduce.lazyrs.drives import (
    FTLS,
    HOSTS,
    PACED,
    accelerated,
    by_cells,
    closed,
    closed_readings,
    name,
    reading,
    without_days,
)
from wordline.reproduce.lazyrs.measures import (
    idle_share,
    iops,
    lazy,
    reprogramming_ratio,
    second_stages,
)
from wordline.reproduce.lazyrs.workloads import INTENSE, PHASES
from wordline.reproduce.study import Findings, Load

LAZY = tuple(ftl for ftl in FTLS if ftl != "page")
_MODES = ("m1", "m7", "m30")


def ratio(found: Findings, load: Load, ftls: tuple[str, str], host: str) -> float:
    """IOPS of one FTL over another's."""
    ours, base = (iops(found.result(name(ftl, host), load), host) for ftl in ftls)
    return ours / base


def kept(found: Findings, load: Load) -> float:
    """The share of the IOPS without due second stages that the paced host has with them.

    What slower modes cost that the selector takes to escape them is part of it.
    """
    ours, unhindered = (
        iops(found.result(drive, load), PACED)
        for drive in (name("lazy", PACED), without_days("lazy"))
    )
    return ours / unhindered


def normalized(found: Findings) -> Mapping[str, float]:
    """Figure 10a: IOPS over pageFTL's, lazyFTL_M's and lazyFTL_D's, of a paced host."""
    values: dict[str, float] = {}
    for other in ("page", "m", "d"):
        base = other if other == "page" else f"lazy_{other}"
        ratios = {load.name: ratio(found, load, ("lazy", base), PACED) for load in found.loads}
        values |= {f"lazy_over_{other}/{load}": told for load, told in ratios.items()}
        if other != "page":
            values[f"lazy_over_{other}/most"] = max(ratios.values())
    for load in found.loads:
        ours, base = (
            iops(found.result(drive, load), PACED)
            for drive in (by_cells("lazy"), name("page", PACED))
        )
        values[f"lazy_over_page/shares=cells/{load.name}"] = ours / base
    left = {f"left_by_second_stages/{load.name}": kept(found, load) for load in found.loads}
    return values | left


def by_host(found: Findings) -> Mapping[str, float]:
    """Performance under hosts that the paper does not describe, and under its other readings."""
    values: dict[str, float] = {}
    for load in found.loads:
        for host, other in product(HOSTS, ("page", "lazy_m", "lazy_d")):
            told = ratio(found, load, ("lazy", other), host)
            values[f"over_{other}/host={host}/{load.name}"] = told
        base = iops(found.result(name("page", "days"), load), "days")
        moved = iops(found.result(reading("moves=lazy"), load), "days")
        values[f"over_page/host=days,moves=lazy/{load.name}"] = moved / base
        for of in closed_readings():
            ours, base = (
                iops(found.result(closed(ftl, of), load), "burst") for ftl in ("lazy", "page")
            )
            told = ",".join(f"{what}={value}" for what, value in of.items())
            values[f"over_page/{told}/{load.name}"] = ours / base
    return values


def ratios(found: Findings) -> Mapping[str, float]:
    """Figure 10b: second stages for each first one, and how many of them idle time hides."""
    values: dict[str, float] = {}
    for ftl in LAZY:
        for load in found.loads:
            result = found.result(name(ftl, "days"), load)
            values[f"reprogramming_ratio/{ftl}/{load.name}"] = reprogramming_ratio(result)
            if second_stages(result):
                values[f"in_idle_time/{ftl}/{load.name}"] = idle_share(result)
    return values


def saturated(found: Findings) -> Mapping[str, float]:
    """IOPS over pageFTL's where days are short and the host never waits, and how it wrote."""
    values: dict[str, float] = {}
    for load in found.loads:
        base = iops(found.result(accelerated("page"), load), "burst")
        for ftl in LAZY:
            result = found.result(accelerated(ftl), load)
            values[f"over_page/{ftl}/{load.name}"] = 100 * iops(result, "burst") / base
            opened = lazy(result).blocks_opened
            blocks = sum(opened[mode] for mode in (*_MODES, "secured"))
            values[f"opened_secured/{ftl}/{load.name}"] = 100 * opened.secured / blocks
            values[f"reprogramming_ratio/{ftl}/{load.name}"] = reprogramming_ratio(result)
    return values


def transcript(found: Findings) -> Mapping[str, float]:
    """Figure 8: when the selector changed the mode, how full the list was, and the mode's days."""
    days = {"m1": 1, "m7": 7, "m30": 30}
    values: dict[str, float] = {}
    for load in found.loads:
        told = lazy(found.result(name("lazy", "days"), load))
        values[f"switches/{load.name}"] = told.mode_switches
        if load.name not in (INTENSE, PHASES):
            continue
        for number, switch in enumerate(told.switches[:_SHOWN], 1):
            values |= {
                f"{load.name}/after_days/{number}": switch.at_s / 86_400,
                f"{load.name}/u_pct/{number}": 100 * switch.u,
                f"{load.name}/mode_days/{number}": days[switch.mode],
            }
    return values


_SHOWN = 12
