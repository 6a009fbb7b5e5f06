"""The verdict of a report: what the figures say, in words."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from wordline import metrics
from wordline.metrics import METRICS, Metric, figure
from wordline.report import calibration
from wordline.result import Comparison, Result

_JUDGED = tuple(
    metric
    for metric in METRICS
    if metric.key.endswith(("_mean_us", "_p99_us"))
    or metric.key in ("iops", "write_amplification", "erases", "energy_mj", "life_gib")
)
# Runs that differ by less are called equal: it is about what another seed would change.
_EQUAL = 0.01


def of_run(result: Result) -> list[str]:
    """What a run showed."""
    found = [
        _amplification(result),
        _service(result),
        _bottleneck(result),
        _steadiness(result),
        _origin([result]),
        calibration.told([result]),
    ]
    return [sentence for sentence in found if sentence]


def _amplification(result: Result) -> str:
    total = result.write_amplification
    if total is None:
        return "The host wrote nothing, so there is no write amplification."
    causes = metrics.lookup(result, "write_amplification_by_cause") or {}
    extra = {name: share for name, share in causes.items() if name != "host" and share}
    if not extra:
        return f"Write amplification was {figure(total)}: the drive wrote what the host wrote."
    worst = max(extra, key=lambda name: extra[name])
    name = "garbage collection" if worst == "gc" else worst
    return (
        f"Write amplification was {figure(total)}; most of what the host did not ask for was "
        f"{name} ({figure(extra[worst])} per unit written)."
    )


def _service(result: Result) -> str:
    parts = [
        f"half of the {kind}s took at most {duration(side['p50_us'])}, "
        f"99 % at most {duration(side['p99_us'])}"
        for kind in ("read", "write")
        if (side := result.host[kind])["count"] and side["max_us"]
    ]
    sentence = "; ".join(parts)
    return sentence[:1].upper() + sentence[1:] + "." if sentence else ""


def _bottleneck(result: Result) -> str:
    dies, channels = result.flash.die_utilisation, result.flash.channel_utilisation
    if not dies or not channels or not max(dies):
        return ""
    busy = {"dies": _mean(dies), "channels": _mean(channels)}
    first = max(busy, key=lambda name: busy[name])
    return f"The {first} were the busier resource: {busy[first]:.0%} of the time on average."


def _steadiness(result: Result) -> str:
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
        f"({_listed(list(names))}): longer runs may give other ratios."
    )


def _ended(result: Result) -> bool:
    """Whether the drive wore out, for which no steady state is to be asked."""
    return result.wear.read_only_after_writes is not None


def _origin(results: Sequence[Result]) -> str:
    """Which workloads were generated rather than traced."""
    of_name = {result.workload.name: result.workload.synthetic for result in results}
    generated = [name for name, synthetic in of_name.items() if synthetic]
    if not generated:
        return ""
    if len(generated) < len(of_name):
        return f"Synthetic, not traced: {_listed(_labels(generated))}."
    return f"The workload{'s are' if len(generated) > 1 else ' is'} synthetic, not traced."


Ratios = Mapping[str, Mapping[str, float | None]]
"""Ratios to the baseline by variant and metric."""


def of_comparison(comparison: Comparison) -> list[str]:
    """What a comparison showed: first over all workloads, then a sentence for each."""
    if not comparison.cases:
        return ["Nothing was run."]
    labels = dict(zip(comparison.workloads, _labels(comparison.workloads), strict=True))
    found = [told for group in comparison.groups for told in _of_group(comparison, group, labels)]
    results = [case.result for case in comparison.cases]
    found += [_unsteady(comparison), _origin(results), calibration.told(results)]
    return [sentence for sentence in found if sentence]


def _of_group(
    comparison: Comparison, workloads: Sequence[str], labels: Mapping[str, str]
) -> list[str]:
    baseline = comparison.of(workloads[0])[0].variant
    ratios = {
        labels[workload]: {c.variant: comparison.ratios(c) for c in comparison.of(workload)[1:]}
        for workload in workloads
    }
    if len(workloads) > 1:
        which = "all " if len(workloads) == len(comparison.workloads) else ""
        overall = f"Over {which}{len(workloads)} workloads, by the geometric mean of the ratios"
        ratios = {overall: _means(list(ratios.values())), **ratios}
    return [_sentence(label, baseline, of_drives) for label, of_drives in ratios.items()]


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
            metric.key: _geometric_mean([of[variant].get(metric.key) for of in ratios])
            for metric in _JUDGED
        }
        for variant in ratios[0]
    }


def _geometric_mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value]
    return prod(known) ** (1 / len(known)) if len(known) == len(values) else None


def _sentence(label: str, baseline: str, ratios: Ratios) -> str:
    if not ratios:
        return f"{label}: only {baseline} was run."
    wins: dict[str, list[str]] = {}
    unbettered = []
    for metric in _judged(ratios):
        best = _best(ratios, metric)
        if best is None or abs(best[1] - 1) <= _EQUAL:
            continue
        name, ratio = best
        if (ratio < 1) == (metric.better == "lower"):
            wins.setdefault(name, []).append(f"{metric.label} ({difference(ratio)})")
        else:
            unbettered.append(f"{metric.label} (next: {name}, {difference(ratio)})")
    clauses = [f"{name} has the best {_listed(won)}" for name, won in wins.items()]
    if unbettered:
        clauses.append(f"no drive betters {baseline} in {_listed(unbettered)}")
    if not clauses:
        return f"{label}: nothing that was measured differs from {baseline}."
    against = f"against {baseline}, " if wins else ""
    return f"{label}: {against}{'; '.join(clauses)}."


def _judged(ratios: Ratios) -> Sequence[Metric]:
    """What tells drives apart: of those that were worn out, more erases are a longer life."""
    worn_out = any(of_drive.get("life_gib") for of_drive in ratios.values())
    return [metric for metric in _JUDGED if metric.key != "erases" or not worn_out]


def _best(ratios: Ratios, metric: Metric) -> tuple[str, float] | None:
    """The variant with the best figure, and its ratio; `None` where none was measured."""
    known = [(name, ratio) for name, of_drive in ratios.items() if (ratio := of_drive[metric.key])]
    best = min if metric.better == "lower" else max
    return best(known, key=lambda pair: pair[1], default=None)


def difference(ratio: float) -> str:
    """A ratio to the baseline in words."""
    word = "lower" if ratio < 1 else "higher"
    if 0.5 < ratio < 2:
        return f"{abs(1 - ratio):.0%} {word}"
    times = max(ratio, 1 / ratio)
    return f"{times:.0f} times {word}" if times >= 10 else f"{times:.1f} times {word}"


def _listed(parts: list[str]) -> str:
    """`a`; `a and b`; `a, b and c`."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def duration(microseconds: float) -> str:
    """A duration for people, in the unit that suits it."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds:.3g} µs"


def _mean(values: Any) -> float:
    return sum(values) / len(values)
