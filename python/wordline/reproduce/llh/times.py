"""Response times with LLH-FTL-32 over those with baseline-32: Figure 7c."""

from collections.abc import Mapping
from statistics import fmean

from wordline.reproduce.llh.drives import TIMED
from wordline.reproduce.llh.workloads import TIMED_NAMES
from wordline.reproduce.study import Figure, Findings
from wordline.results.run import RunResult


def quantile_us(result: RunResult, share: float) -> float:
    """The response time that a share of the reads and writes together takes at most."""
    kinds = (result.host.read, result.host.write)
    steps: list[tuple[float, float]] = []
    for kind in kinds:
        before = 0.0
        for latency_us, at_most in kind.distribution:
            steps.append((latency_us, (at_most - before) * kind.count))
            before = at_most
    wanted = share * sum(kind.count for kind in kinds)
    for latency_us, requests in sorted(steps):
        wanted -= requests
        if wanted <= 0:
            return latency_us
    return max(kind.max_us for kind in kinds)


MEASURES = {
    "mean": lambda result: result.host.mean_us,
    "p90": lambda result: quantile_us(result, 0.9),
    "p99": lambda result: quantile_us(result, 0.99),
}


def ratios(found: Findings, measure: str, drives: tuple[str, str]) -> dict[str, float]:
    """A measure of the response time, of the first drive's over the second's, by workload."""
    value = MEASURES[measure]
    return {
        load.name: value(found.result(drives[0], load)) / value(found.result(drives[1], load))
        for load in found.loads
    }


def _fig7c(found: Findings) -> Mapping[str, float]:
    drives = (TIMED["half-32"], TIMED["baseline-32"])
    values: dict[str, float] = {}
    for measure in MEASURES:
        by_load = ratios(found, measure, drives)
        values |= {f"{measure}/{load}": by_load[load] for load in by_load}
        values[f"{measure}/average"] = fmean(by_load.values())
    return values


FIGURE = Figure(
    "fig7c",
    "Response times of LLH-FTL-32 over those of baseline-32, ten times as fast, last 12 hours",
    _fig7c,
    "of baseline-32's response time",
    tuple(TIMED.values()),
    loads=TIMED_NAMES,
    is_quick=False,
)
