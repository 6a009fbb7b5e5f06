"""Response times with LLH-FTL-32 over those with baseline-32: Figure 7c."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from wordline.native.types.run import RunResult
from wordline.reproduce.llh.drives import TIMED, name
from wordline.reproduce.llh.workloads import TIMED_NAMES, TIMED_VOLUMES
from wordline.reproduce.study import Figure, Findings, Load


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


MEASURES: Mapping[str, Callable[[RunResult], float]] = {
    "mean": lambda result: result.host.mean_us,
    "p90": lambda result: quantile_us(result, 0.9),
    "p99": lambda result: quantile_us(result, 0.99),
}


def ratio(found: Findings, measure: str, load: Load, drives: tuple[str, str]) -> float:
    """A measure of the response time, of the first drive's over the second's."""
    with_it, without = (MEASURES[measure](found.result(drive, load)) for drive in drives)
    return with_it / without


def against_baseline(system: str) -> tuple[str, str]:
    """The drives of a system such as `half-32` and of its baseline whose times are compared."""
    return TIMED[system], TIMED["baseline-32"]


def best(found: Findings, load: Load) -> str:
    """The system whose initial threshold saves most erases of a timed volume (Figure 7b)."""
    volume = next(of for of in found.loads if load.name == f"{of.name}_timed")
    return min(
        ("half-32", "quarter-32"),
        key=lambda system: found.result(name(system, 28), volume).flash.erases,
    )


def timed(found: Findings) -> list[Load]:
    """Those of the workloads whose response times are looked at."""
    return [load for load in found.loads if load.name in TIMED_NAMES]


def _times(found: Findings, measure: str, system: Callable[[Load], str]) -> dict[str, float]:
    """A measure by volume, with the system that is chosen for each."""
    return {
        load.name: ratio(found, measure, load, against_baseline(system(load)))
        for load in timed(found)
    }


def _fig7c(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for measure in MEASURES:
        by_load = _times(found, measure, lambda load: best(found, load))
        values |= {f"{measure}/{load}": by_load[load] for load in by_load}
        values[f"{measure}/average"] = fmean(by_load.values())
        at_half = _times(found, measure, lambda _: "half-32")
        values[f"{measure}/average_half"] = fmean(at_half.values())
    return values


_ON: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(TIMED.values(), TIMED_NAMES),
    **{name(system, 28): TIMED_VOLUMES for system in ("half-32", "quarter-32")},
}

FIGURE = Figure(
    "fig7c",
    "Response times of LLH-FTL-32 over those of baseline-32, ten times as fast, last 12 hours",
    _fig7c,
    "of baseline-32's response time",
    tuple(_ON),
    loads=(*TIMED_VOLUMES, *TIMED_NAMES),
    loads_of=_ON,
    is_quick=False,
)
