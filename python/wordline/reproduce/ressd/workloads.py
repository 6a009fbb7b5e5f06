"""The workloads, the first million requests of volumes of MSR Cambridge: Tables 5 and 6."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from wordline.native.types.trace import IntervalStats
from wordline.reproduce.ressd.measures import with_average
from wordline.reproduce.study import Figure, Findings, Load, known
from wordline.reproduce.traces import msr

SOURCE = "Gao et al., ACM TOS 18(1):9, 2022"

# In the order of Tables 5 and 6.
NAMES = (
    "hm_0", "hm_1", "prn_0", "prn_1", "proj_1", "proj_3", "proj_4", "rsrch_0", "src1_2", "src2_0",
    "src2_2", "stg_0", "wdev_0", "prxy_0", "usr_0",
)  # fmt: skip

# One that is mostly written, one that is mostly read.
_QUICK = ("hm_0", "proj_4")

_REQUESTS = 1_000_000
_GIB = 2**30


def loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    """The user's traces, or twins of the rows of Tables 5 and 6."""
    return [msr(name, "ressd", traces, _REQUESTS) for name in (_QUICK if quick else NAMES)]


def _intervals(found: Findings, load: Load) -> IntervalStats:
    return known(found.traffic(load).total.updates.intervals)


def _table5(found: Findings) -> Mapping[str, float]:
    told: dict[str, float] = {}
    for zone in range(4):
        shares = {
            f"zone{zone + 1}/{load.name}": 100 * _intervals(found, load).zone_shares[zone]
            for load in found.loads
        }
        told |= with_average(found, shares, f"zone{zone + 1}")
    hot = {
        f"hot/{load.name}": 100 * sum(_intervals(found, load).zone_shares[:3])
        for load in found.loads
    }
    return told | with_average(found, hot, "hot")


def _table6(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for load in found.loads:
        total = found.traffic(load).total
        values |= {
            f"write_share/{load.name}": 100 * known(total.requests.write_share),
            f"update_share/{load.name}": 100 * known(total.updates.share),
            f"write_size/{load.name}": known(total.write_size).mean_kib,
            f"read_size/{load.name}": known(total.read_size).mean_kib,
            f"written/{load.name}": total.bytes.written / _GIB,
            f"read/{load.name}": total.bytes.read / _GIB,
        }
    return values


def _fig26(found: Findings) -> Mapping[str, float]:
    """Updates by the zone of the page's update before, where their own is another; in percent.

    What the publication's shares are of is not said; assumed: of all updates. That of hot data that
    cools is of hot data. Where those that switch go (`from_zone1/to_zone2`) is in percent of them.
    """
    told: dict[str, float] = {}
    for zone in range(3):
        name = f"switched_from_zone{zone + 1}"
        switched = {
            f"{name}/{load.name}": 100 * (sum(switches[zone]) - switches[zone][zone])
            for load, switches in switches_of(found)
        }
        told |= {**with_average(found, switched, name), **_targets(found, zone)}
    cooled = {
        f"hot_to_zone4/{load.name}": 100
        * sum(row[3] for row in switches[:3])
        / max(sum(map(sum, switches[:3])), 1e-9)
        for load, switches in switches_of(found)
    }
    return told | with_average(found, cooled, "hot_to_zone4")


def _targets(found: Findings, zone: int) -> Mapping[str, float]:
    """Where updates that leave a zone go, in percent of them: the breakdown in Figure 26."""
    told: dict[str, float] = {}
    for target in (other for other in range(4) if other != zone):
        name = f"from_zone{zone + 1}/to_zone{target + 1}"
        shares = {
            f"{name}/{load.name}": 100 * row[target] / (sum(row) - row[zone])
            for load, row in ((load, switches[zone]) for load, switches in switches_of(found))
            if sum(row) > row[zone]
        }
        told |= with_average(found, shares, name)
    return told


def switches_of(found: Findings) -> Iterator[tuple[Load, Sequence[Sequence[float]]]]:
    """Of each workload that is updated the shares of updates by the zones before and now."""
    for load in found.loads:
        switches = _intervals(found, load).zone_switches
        if switches:
            yield load, switches


FIGURES = (
    Figure("table5", "Share of updates by update interval", _table5, "%"),
    Figure("table6", "Characteristics of the workloads", _table6),
)

SWITCHES = Figure("fig26", "Updates that fall into another zone than the one before", _fig26, "%")
