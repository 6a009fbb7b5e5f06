"""Tails of latency: whether a drive that is faster on the whole is slower where it is slowest."""

from collections.abc import Iterator, Mapping

from wordline.figures.caveats import listed
from wordline.figures.comparison_view import Case, Comparison
from wordline.figures.metrics import EQUAL, STATISTICS, difference, percent

KINDS = ("read", "write")
Ratios = Mapping[str, float | None]
LATENCIES = tuple(f"{kind} latency" for kind in KINDS)

_BEYOND = 10  # requests that a percentile must have beyond it to be judged
_SHARES = {"p999": 1e-3, "p9999": 1e-4}
# By how much a statistic is worse: the longest is the latency of one request alone.
_WORSE = {"p999": EQUAL, "p9999": EQUAL, "max": 0.1}
_STEP = 2  # times by which the 99th percentile falls off a step of the distribution
_STAYS = 0.1  # by which what lies beyond the step then differs at most


def ratios(comparison: Comparison, case: Case) -> dict[str, float | None]:
    """Ratios to the baseline, without percentiles beyond which there are too few requests."""
    found = comparison.ratios(case)
    baseline = comparison.of(case.workload)[0]
    for kind in KINDS:
        count = min(c.result.host[kind]["count"] for c in (case, baseline))
        for statistic, share in _SHARES.items():
            if count * share < _BEYOND:
                found[f"{kind}_{statistic}_us"] = None
    return found


def contrary(by_workload: Mapping[str, Mapping[str, Ratios]]) -> Iterator[str]:
    """A sentence for each tail that is worse, or stays, where the mean or the p99 is better.

    Args:
        by_workload: Ratios to the baseline by workload and drive, of the same drives.
    """
    (first, drives), *others = by_workload.items()
    for name in drives:
        for kind in KINDS:
            of = {
                load: {s: ratios[name].get(f"{kind}_{s}_us") for s in STATISTICS}
                for load, ratios in by_workload.items()
            }
            found = {load: told for load in of if (told := _contrary(of[load]))}
            if found and not others:
                yield f"{first}: {name}'s {kind} tail {found[first]}."
            elif found:
                worst = max(found, key=lambda load: max(of[load][s] or 0 for s in _WORSE))
                where = f"on {len(found)} of {len(of)} workloads, most on {worst}"
                yield f"{name}'s {kind} tail {found[worst].replace(':', f' {where}:', 1)}."


def _contrary(of: Ratios) -> str:
    better = {s: ratio for s in ("mean", "p99") if (ratio := of[s]) and ratio < 1 - EQUAL}
    tail = {s: ratio for s in _WORSE if (ratio := of[s])}
    worse = {s: ratio for s, ratio in tail.items() if ratio > 1 + _WORSE[s]}
    same = [s for s, ratio in tail.items() if abs(ratio - 1) <= _STAYS and s not in worse]
    on_step = "p999" in same and better.get("p99", 1) * _STEP <= 1
    if not better or not (worse or on_step):
        return ""
    stay = [f"{listed([STATISTICS[s] for s in same])} within {percent(_STAYS)}"] if same else []
    but = ", ".join([*stay, *_differences(worse)])
    return f"does not follow: {', '.join(_differences(better))}, but {but}"


def _differences(ratios: Mapping[str, float]) -> list[str]:
    return [f"{STATISTICS[s]} {difference(ratio)}" for s, ratio in ratios.items()]
