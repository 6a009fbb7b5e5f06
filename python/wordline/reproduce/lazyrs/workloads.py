"""The workloads: Filebench's personalities as the publication describes them, and one more."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from wordline.reproduce.lazyrs.drives import PACED, PAUSES
from wordline.reproduce.study import Findings, Load, known

PUBLISHED = ("varmail", "oltp", "webproxy")
"""In the order of Table 1."""

INTENSE = "oltp_intense"
"""OLTP that writes enough for the write mode selector to move, which the others do not."""

PHASES = "phases"
"""OLTP that writes so much for two days, and as published for the month after them."""

_QUICK_REQUESTS = 60_000

_DAY_S, _MONTH_S = 86_400, 30 * 86_400


def loads(_: Path | None, quick: bool) -> Sequence[Load]:
    """The twins; a quick run draws a sample of the published ones."""
    if quick:
        return [Load(name, f"{name}:requests={_QUICK_REQUESTS}") for name in PUBLISHED]
    phases = Load(PHASES, str(Path(__file__).with_name("phases.toml")))
    paced = [Load(name, name, way=PACED, keys=PAUSES[name]) for name in PUBLISHED]
    return [*(Load(name, name) for name in (*PUBLISHED, INTENSE)), phases, *paced]


def mixes(found: Findings) -> Mapping[str, float]:
    """Reads per write: Table 1."""
    told = {load.name: found.traffic(load).total.requests for load in found.loads}
    return {f"reads_per_write/{name}": of.reads / of.writes for name, of in told.items()}


def lifetimes(found: Findings) -> Mapping[str, float]:
    """How long data is needed, in percent of what is written: Figure 9a.

    What was younger when the workload ended is counted as living on.
    """
    values: dict[str, float] = {}
    for load in found.loads:
        day, month = (_beyond(found, load, limit_s) for limit_s in (_DAY_S, _MONTH_S))
        values[f"within_a_day/{load.name}"] = 100 * (1 - day)
        values[f"beyond_a_month/{load.name}"] = 100 * month
    return values


def _beyond(found: Findings, load: Load, limit_s: float) -> float:
    """The greatest share of the pages written that may have lived longer."""
    stats = known(found.traffic(load).total.lifetimes)
    return stats.longer_than_shares[stats.limits_s.index(limit_s)][1]
