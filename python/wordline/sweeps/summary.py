"""What a sweep's table says: means over seeds with intervals, and drives against the first one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from statistics import fmean
from typing import Any

from wordline import _native
from wordline.figures import metrics, statistics
from wordline.figures.metrics import Metric
from wordline.figures.significance import Effect, judged
from wordline.figures.statistics import Interval
from wordline.sweeps import table as columns

Row = Mapping[str, Any]
"""A point, by the names of the table's columns."""

_SHOWN = (
    "write_amplification", "iops", "write_p99_us", "write_p9999_us", "read_p99_us",
    "read_p9999_us", "erases_per_gib", "energy_mj_per_gib", "life_gib",
)  # fmt: skip
_TINY = 1e-9


def rows_of(table: _native.Table) -> list[dict[str, Any]]:
    """The points that ended well."""
    names = table.names
    values = zip(*(table[name] for name in names), strict=True)
    every = (dict(zip(names, row, strict=True)) for row in values)
    return [row for row in every if not row[columns.ERROR]]


def varying(rows: Sequence[Row]) -> list[Metric]:
    """The figures that are worth a picture: measured everywhere, and not the same everywhere."""
    known = {metric.key: metric for metric in metrics.METRICS}
    found = []
    for key in _SHOWN:
        values = [row[key] for row in rows]
        if values and None not in values and max(values) - min(values) > _TINY * abs(max(values)):
            found.append(known[key])
    return found


@dataclass(frozen=True)
class Place:
    """Points that differ in nothing but their seed, and what they say of a figure.

    Attributes:
        row: The first of them.
        of: The figure's mean and interval.
    """

    row: Row
    of: Interval


def places(rows: Sequence[Row], axes: Sequence[str], metric: Metric) -> list[Place]:
    """The points with their repeats taken together, in the table's order."""
    names = (columns.VARIANT, columns.WORKLOAD, *axes)
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        if row[metric.key] is not None:
            groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return [
        Place(group[0], statistics.of_values([row[metric.key] for row in group]))
        for group in groups.values()
    ]


def effects(rows: Sequence[Row], axes: Sequence[str], found: Sequence[Metric]) -> list[Effect]:
    """Every drive against the first, on every workload, by every figure.

    The differences of a sweep are judged together, so that of many none is found by chance.
    """
    measured = {
        (variant, load, metric.key): ratio
        for metric in found
        for variant, load, ratio in _ratios(rows, axes, metric)
    }
    return judged(measured, found)


Pairs = dict[Any, list[tuple[float, float]]]
"""Figures of a drive, each with the first drive's, by seed."""

Places = dict[tuple[Any, ...], Pairs]
"""Pairs by the values of the axes."""


def _ratios(
    rows: Sequence[Row], axes: Sequence[str], metric: Metric
) -> Iterator[tuple[str, str, Interval]]:
    """By drive and workload: one pair a seed, each the geometric mean over the axes' values.

    Where a drive is better at some of these and worse at others, each side stands for itself.
    """
    first = rows[0][columns.VARIANT] if rows else ""
    seed = columns.SEED

    def place(row: Row) -> tuple[Any, ...]:
        return (row[columns.WORKLOAD], *(row[axis] for axis in axes), row.get(seed))

    baseline = {place(row): row[metric.key] for row in rows if row[columns.VARIANT] == first}
    found: dict[tuple[str, str], Places] = {}
    for row in rows:
        theirs = baseline.get(place(row))
        if row[columns.VARIANT] != first and theirs and row[metric.key]:
            places = found.setdefault((row[columns.VARIANT], row[columns.WORKLOAD]), {})
            pairs = places.setdefault(tuple(row[axis] for axis in axes), {})
            pairs.setdefault(row.get(seed), []).append((row[metric.key], theirs))
    for (variant, load), places in found.items():
        for where, part in _apart(places, axes).items():
            ratio = _ratio(part)
            if ratio:
                yield variant, ", ".join((load, *where)), ratio


def _ratio(places: Places) -> Interval | None:
    """A pair for each seed, which is the geometric mean over the places."""
    seeds = dict.fromkeys(seed for pairs in places.values() for seed in pairs)
    of_seeds = ([pairs.get(seed, []) for pairs in places.values()] for seed in seeds)
    means = (statistics.of_ratios([*chain.from_iterable(of)]) for of in of_seeds)
    return statistics.of_ratios([(mean.mean, 1.0) for mean in means if mean])


def _apart(places: Places, axes: Sequence[str]) -> dict[tuple[str, ...], Places]:
    """The places by the axes that turn the sign of a difference; all together if none does."""
    parts: dict[tuple[str, ...], Places] = {(): places}
    if not _turns(places):
        return parts
    alone = ([number] for number in range(len(axes)))
    for numbers in (*alone, list(range(len(axes)))):
        parts = {}
        for values, pairs in places.items():
            where = tuple(f"{axes[number]}={values[number]}" for number in numbers)
            parts.setdefault(where, {})[values] = pairs
        if not any(map(_turns, parts.values())):
            break
    return parts


def _turns(places: Places) -> bool:
    """Whether a drive is better at one place and worse at another."""
    ratios = [ratio.mean for pairs in places.values() if (ratio := _ratio({(): pairs}))]
    return any(r > 1 + metrics.EQUAL for r in ratios) and any(r < 1 - metrics.EQUAL for r in ratios)


def front(rows: Sequence[tuple[float, ...]], signs: Sequence[int]) -> list[int]:
    """Which rows no other beats in every aim: their numbers, in order.

    Args:
        rows: A value for each aim.
        signs: 1 for an aim that is to be small, −1 for one that is to be large.
    """
    signed = [tuple(s * v for s, v in zip(signs, row, strict=True)) for row in rows]
    order = sorted(range(len(rows)), key=lambda number: signed[number])
    found: list[int] = []
    for number in order:
        mine = signed[number]
        if not any(_beats(signed[other], mine) for other in found):
            found.append(number)
    return sorted(found)


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and tuple(one) != tuple(other)


def numeric(rows: Sequence[Row], axes: Sequence[str]) -> list[str]:
    """The axes of numbers, the one with the most values first."""

    def values(axis: str) -> set[Any]:
        return {row[axis] for row in rows}

    found = [a for a in axes if all(isinstance(v, int | float) for v in values(a)) and rows]
    return sorted((a for a in found if len(values(a)) > 1), key=lambda axis: -len(values(axis)))


@dataclass(frozen=True)
class Worth:
    """What a drive is worth, in the unit of an axis.

    Attributes:
        variant: The drive.
        workload: The workload.
        others: What the other axes have, in words; empty where there are none.
        axis: The axis.
        has: What the drive has of it.
        needs: What the first drive needs of it for the same figure; `None` beyond what was swept.
    """

    variant: str
    workload: str
    others: str
    axis: str
    has: float
    needs: float | None

    @property
    def drive(self) -> str:
        """The drive, and what the other axes have."""
        return ", ".join(filter(None, (self.variant, self.others)))


def of_space(found: Sequence[Metric]) -> list[Metric]:
    """Of some figures those that say what space on the flash buys."""
    return [metric for metric in found if metric.key in ("erases_per_gib", "write_amplification")]


def worth(rows: Sequence[Row], axes: Sequence[str], metric: Metric) -> list[Worth]:
    """What each drive is worth in the longest axis of numbers, for all values of the others."""
    ordered = numeric(rows, axes)
    if not ordered:
        return []
    axis = ordered[0]
    curves: dict[tuple[str, str, str], dict[float, list[float]]] = {}
    for row in rows:
        if row[metric.key] is not None:
            others = ", ".join(str(row[one]) for one in axes if one != axis)
            name = (row[columns.WORKLOAD], others, row[columns.VARIANT])
            curves.setdefault(name, {}).setdefault(row[axis], []).append(row[metric.key])
    first = rows[0][columns.VARIANT]
    found: list[Worth] = []
    for (load, others, variant), curve in curves.items():
        if variant != first and (load, others, first) in curves:
            baseline = [(x, fmean(of)) for x, of in sorted(curves[load, others, first].items())]
            for x, values in sorted(curve.items()):
                needs = _where(baseline, fmean(values))
                found.append(Worth(variant, load, others, axis, x, needs))
    return found


def _where(curve: Sequence[tuple[float, float]], value: float) -> float | None:
    """Where a curve first has a value, by linear interpolation; `None` where it never has."""
    for (x, y), (next_x, next_y) in pairwise(curve):
        if min(y, next_y) <= value <= max(y, next_y):
            return x if y == next_y else x + (next_x - x) * (value - y) / (next_y - y)
    return None
