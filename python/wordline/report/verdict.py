"""The verdict of a report: what the figures say, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from wordline.facts import latency_breakdown
from wordline.figures import caveats, metrics
from wordline.figures.caveats import geometric_mean, listed
from wordline.figures.comparison_view import Comparison, Outcome
from wordline.figures.metrics import EQUAL, METRICS, Metric, difference, figure, percent
from wordline.report import calibration, tails

_OTHERS = ("bandwidth_mb_s", "padding", "gc_pages_moved", "spent_lifetime", "dwpd")
_JUDGED = tuple(m for m in METRICS if m.key not in _OTHERS and not m.key.endswith("_max_us"))


def of_run(result: Outcome) -> list[str]:
    """What a run showed."""
    found = [
        _amplification(result),
        _service(result),
        latency_breakdown.told(result),
        _bottleneck(result),
        _steadiness(result),
        _origin([result]),
        calibration.told([result]),
    ]
    return [sentence for sentence in found if sentence]


def _amplification(result: Outcome) -> str:
    total = result.write_amplification
    if total is None:
        return "The host wrote nothing, so there is no write amplification."
    causes = result.write_amplification_by_cause
    shares = causes.to_dict() if causes else {}
    extra = {name: share for name, share in shares.items() if name != "host" and share}
    if not extra:
        return f"Write amplification was {figure(total)}: the drive wrote what the host wrote."
    worst = max(extra, key=lambda name: extra[name])
    name = "garbage collection" if worst == "gc" else worst
    return (
        f"Write amplification was {figure(total)}; most of what the host did not ask for was "
        f"{name} ({figure(extra[worst])} per unit written)."
    )


def _service(result: Outcome) -> str:
    parts = [
        f"half of the {kind}s took at most {duration(side['p50_us'])}, 99 % at most "
        f"{duration(side['p99_us'])}, 99.9 % at most {duration(side['p999_us'])}, 99.99 % at most "
        f"{duration(side['p9999_us'])}"
        for kind in ("read", "write")
        if (side := result.host[kind])["count"] and side["max_us"]
    ]
    sentence = "; ".join(parts)
    return sentence[:1].upper() + sentence[1:] + "." if sentence else ""


def _bottleneck(result: Outcome) -> str:
    dies, channels = result.flash.die_utilisation, result.flash.channel_utilisation
    if not dies or not channels or not max(dies):
        return ""
    busy = {"dies": _mean(dies), "channels": _mean(channels)}
    first = max(busy, key=lambda name: busy[name])
    return f"The {first} were the busier resource: {percent(busy[first])} of the time on average."


def _steadiness(result: Outcome) -> str:
    if _ended(result):
        return "The drive was written until it turned read-only."
    if result.steady_state.reached:
        return "Write amplification was steady by the SNIA PTS rule."
    return "No steady state was reached: longer runs may give other figures."


def _unsteady(comparison: Comparison) -> str:
    """Which runs were not steady, so that their ratios may depend on the length of the run."""
    lasting = [case for case in comparison.cases if not _ended(case.result)]
    if not lasting:
        return "Every drive was written until it turned read-only."
    transient = [case for case in lasting if not case.result.steady_state.reached]
    if not transient:
        others = "" if len(lasting) == len(comparison.cases) else " whose drive did not wear out"
        return f"Every run{others} was steady by the SNIA PTS rule."
    if len(transient) == len(lasting):
        return "No run reached a steady state: longer runs may give other ratios."
    names = dict.fromkeys(case.variant for case in transient)
    return (
        f"{len(transient)} of {len(lasting)} runs reached no steady state "
        f"({listed(list(names))}): longer runs may give other ratios."
    )


def _ended(result: Outcome) -> bool:
    """Whether the drive wore out, for which no steady state is to be asked."""
    return result.wear.read_only_after_writes is not None


def _origin(results: Sequence[Outcome]) -> str:
    """Which workloads were generated rather than traced."""
    of_name = {result.workload.name: result.workload.synthetic for result in results}
    generated = [name for name, synthetic in of_name.items() if synthetic]
    if not generated:
        return ""
    if len(generated) < len(of_name):
        return f"Synthetic, not traced: {listed(_labels(generated))}."
    return f"The workload{'s are' if len(generated) > 1 else ' is'} synthetic, not traced."


Ratios = Mapping[str, Mapping[str, float | None]]
"""Ratios to the baseline by variant and metric."""


def of_comparison(comparison: Comparison) -> list[str]:
    """What a comparison showed: first over all workloads, then a sentence for each."""
    if not comparison.cases:
        return ["Nothing was run."]
    labels = dict(zip(comparison.workloads, _labels(comparison.workloads), strict=True))
    found = [told for group in comparison.groups for told in _of_group(comparison, group, labels)]
    found += [f"{told[:1].upper()}{told[1:]}." for told in caveats.padding(comparison)]
    results = [case.result for case in comparison.cases]
    found += [_unsteady(comparison), _origin(results), calibration.told(results)]
    return [sentence for sentence in found if sentence]


def _of_group(
    comparison: Comparison, workloads: Sequence[str], labels: Mapping[str, str]
) -> list[str]:
    baseline = comparison.of(workloads[0])[0].variant
    ratios: dict[str, Ratios] = {
        labels[workload]: {
            case.variant: tails.ratios(comparison, case) for case in comparison.of(workload)[1:]
        }
        for workload in workloads
    }
    every = ratios
    if len(workloads) > 1:
        which = "all " if len(workloads) == len(comparison.workloads) else ""
        overall = f"Over {which}{len(workloads)} workloads, by the geometric mean of the ratios"
        every = {overall: _means(list(ratios.values())), **ratios}
    same_work = all(
        metrics.same_work([case.result for case in comparison.of(workload)])
        for workload in workloads
    )
    found = [_sentence(label, baseline, of, same_work) for label, of in every.items()]
    return [*found, *tails.contrary(ratios)]


def _labels(workloads: Sequence[str]) -> list[str]:
    """Workloads without their parameters where that tells them apart; twins keep their names."""
    short = [
        ":".join(workload.split(":")[: 2 if workload.startswith("twin:") else 1])
        for workload in workloads
    ]
    return short if len(set(short)) == len(short) else list(workloads)


def _means(ratios: Sequence[Ratios]) -> Ratios:
    return {
        variant: {
            metric.key: _mean_ratio([of[variant].get(metric.key) for of in ratios])
            for metric in METRICS
        }
        for variant in ratios[0]
    }


def _mean_ratio(values: Sequence[float | None]) -> float | None:
    """The geometric mean, where there is a ratio on every workload."""
    known = [value for value in values if value]
    return geometric_mean(known) if len(known) == len(values) else None


def _sentence(label: str, baseline: str, ratios: Ratios, same_work: bool) -> str:
    if not ratios:
        return f"{label}: only {baseline} was run."
    wins: dict[str, dict[Metric, str]] = {}
    unbettered: dict[Metric, str] = {}
    for metric in _judged(same_work):
        best = _best(ratios, metric)
        if best is None:
            continue
        name, ratio = best
        if metrics.judge(metric, ratio, same_work) == "better":
            wins.setdefault(name, {})[metric] = difference(ratio)
        else:
            unbettered[metric] = f"{difference(ratio)} with {name}"
    clauses = [f"{name} is best in {_by_figure(won)}" for name, won in wins.items()]
    if unbettered:
        clauses.append(f"no drive betters {baseline} in {_by_figure(unbettered)}")
    if not clauses:
        return f"{label}: nothing that was measured differs from {baseline}."
    against = f"against {baseline}, " if wins else ""
    return f"{label}: {against}{'; '.join(clauses)}."


def _by_figure(told: Mapping[Metric, str]) -> str:
    """Figures with what is said of each; statistics of one latency together."""
    groups: dict[str, list[str]] = {}
    for metric, words in told.items():
        statistic, _, latency = metric.label.partition(" ")
        if latency in tails.LATENCIES:
            groups.setdefault(latency, []).append(f"{statistic} {words}")
        else:
            groups[metric.label] = [words]
    return listed([f"{name} ({', '.join(words)})" for name, words in groups.items()])


def _judged(same_work: bool) -> Sequence[Metric]:
    """What tells drives apart: sums over a run where the host wrote as much, else their rates."""
    left_out = "per GiB" if same_work else "sum"
    return [metric for metric in _JUDGED if metric.kind != left_out]


def _best(ratios: Ratios, metric: Metric) -> tuple[str, float] | None:
    """The variant with the best figure, and its ratio; `None` where all are equal to the baseline.

    Where no drive is better, one that is worse is told rather than one that is equal.
    """
    known = [
        (name, ratio)
        for name, of_drive in ratios.items()
        if (ratio := of_drive[metric.key]) and abs(ratio - 1) > EQUAL
    ]
    best = min if metric.better == "lower" else max
    return best(known, key=lambda pair: pair[1], default=None)


def duration(microseconds: float) -> str:
    """A duration for people, in the unit that suits it."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds:.3g} µs"


def _mean(values: Any) -> float:
    return sum(values) / len(values)
