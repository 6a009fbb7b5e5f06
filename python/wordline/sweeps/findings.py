"""What a sweep found, in sentences: drives against the first, or figures from end to end."""

from collections.abc import Iterator, Sequence
from math import log

from wordline.figures import metrics
from wordline.figures.metrics import Metric
from wordline.figures.significance import Effect
from wordline.sweeps import summary
from wordline.sweeps import table as columns
from wordline.sweeps.summary import Row

_MOST = 4  # figures of a sentence, those that differ most
_MOST_SENTENCES = 6


def sentences(rows: Sequence[Row], axes: Sequence[str], found: Sequence[Metric]) -> list[str]:
    """The findings, at most as many as are read; the tables below have all."""
    if not rows:
        return []
    variants = list(dict.fromkeys(row[columns.VARIANT] for row in rows))
    loads = list(dict.fromkeys(row[columns.WORKLOAD] for row in rows))
    told = list(_of_drives(rows, axes, found, loads) if len(variants) > 1 else
                _of_axis(rows, axes, found, loads))  # fmt: skip
    more = len(told) - _MOST_SENTENCES
    return told[:_MOST_SENTENCES] + ([f"{more} more are in the tables below."] if more > 0 else [])


def _of_drives(
    rows: Sequence[Row], axes: Sequence[str], found: Sequence[Metric], loads: Sequence[str]
) -> Iterator[str]:
    first = rows[0][columns.VARIANT]
    effects = summary.effects(rows, axes, found)
    for load in loads:
        for drive in dict.fromkeys(effect.variant for effect in effects):
            own = [
                effect
                for effect in effects
                if effect.variant == drive and f"{effect.workload}, ".startswith(f"{load}, ")
            ]
            where = f"{load}: " if len(loads) > 1 else ""
            if own:
                yield f"{where}{drive} against {first}: {_differences(own)}."


def _differences(effects: Sequence[Effect]) -> str:
    """Figures with their ratios: one, or the ends where an axis turns the sign of a difference."""
    ratios: dict[str, list[float]] = {}
    for effect in effects:
        ratios.setdefault(effect.metric.label, []).append(effect.ratio.mean)
    strength = {label: max(abs(log(one)) for one in of) for label, of in ratios.items()}
    apart = [label for label, by in strength.items() if by > log(1 + metrics.EQUAL)]
    strongest = sorted(apart, key=lambda label: -strength[label])[:_MOST]
    if not strongest:
        return "no difference above 1 %"
    ends = {label: (min(ratios[label]), max(ratios[label])) for label in strongest}
    one = [f"{label} {metrics.change(low)}" for label, (low, high) in ends.items() if low == high]
    turns = [
        f"{label} {metrics.change(low)} to {metrics.change(high)}"
        for label, (low, high) in ends.items()
        if low < high
    ]
    by_point = [f"from point to point {', '.join(turns)}"] if turns else []
    return "; ".join([*([", ".join(one)] if one else []), *by_point])


def _of_axis(
    rows: Sequence[Row], axes: Sequence[str], found: Sequence[Metric], loads: Sequence[str]
) -> Iterator[str]:
    axis = next(iter(summary.numeric(rows, axes)), None)
    if axis is None:
        return
    for load in loads:
        own = [row for row in rows if row[columns.WORKLOAD] == load]
        where = f" on {load}" if len(loads) > 1 else ""
        for metric in found[:_MOST]:
            means = {
                place.row[axis]: place.of.mean for place in summary.places(own, [axis], metric)
            }
            low, high = min(means), max(means)
            ends = " to ".join(metrics.figure(means[end]) for end in (low, high))
            unit = f" {metric.unit}" if metric.unit else ""
            yield f"From {axis} = {low} to {high} {metric.label} goes from {ends}{unit}{where}."
