"""IOPS and reprogramming ratios of the FTLs beside one another: Figure 10."""

from collections.abc import Mapping

from wordline.reproduce.lazyrs.drives import FTLS, HOSTS, accelerated, name
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
# Two readings of which workload 1.9 and 1.65 belong to: Table 1's order, and the text's.
_READINGS = ("table", "text")
_MODES = ("m1", "m7", "m30")


def ratio(found: Findings, load: Load, ftls: tuple[str, str], host: str) -> float:
    """IOPS of one FTL over another's."""
    ours, base = (iops(found.result(name(ftl, host), load), host) for ftl in ftls)
    return ours / base


def normalized(found: Findings) -> Mapping[str, float]:
    """Figure 10a: IOPS over pageFTL's, lazyFTL_M's and lazyFTL_D's, under each host."""
    values: dict[str, float] = {}
    for host in HOSTS:
        begin = f"host={host}"
        for load in found.loads:
            told = ratio(found, load, ("lazy", "page"), host)
            if load.name in ("oltp", "webproxy"):
                values |= {
                    f"lazy_over_page/{begin}/reading={of}/{load.name}": told for of in _READINGS
                }
            else:
                values[f"lazy_over_page/{begin}/{load.name}"] = told
        for other in ("m", "d"):
            ratios = {
                load.name: ratio(found, load, ("lazy", f"lazy_{other}"), host)
                for load in found.loads
            }
            values |= {f"lazy_over_{other}/{begin}/{load}": told for load, told in ratios.items()}
            values[f"lazy_over_{other}/{begin}/most"] = max(ratios.values())
    return values


def written(found: Findings) -> Mapping[str, float]:
    """The abstract's write throughput: bytes written in the same time, in a burst."""
    return {
        f"write_throughput/{load.name}": ratio(found, load, ("lazy", "page"), "burst")
        for load in found.loads
    }


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
