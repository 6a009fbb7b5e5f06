"""The table of a sweep: a row a point, a column for every key that varies and every figure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from wordline import _native
from wordline.errors import WordlineError
from wordline.figures import metrics
from wordline.results.store import Head
from wordline.sweeps.points import Plan, Point

POINT, VARIANT, WORKLOAD, SEED, KEY, ERROR = (
    "point", "variant", "workload", "seed", "key", "error",
)  # fmt: skip
BASE = "base"
"""What the variant is called where a sweep names none."""


def make(
    plan: Plan, heads: Sequence[Head | None], failures: Mapping[int, tuple[str, str, str]]
) -> _native.Table:
    """The table of all points. It depends on the sweep alone, and not on how it was carried out.

    Args:
        plan: The sweep.
        heads: What is kept of each point.
        failures: What, where and why of points that are not kept, by the number of the first point
            with that key.
    """
    points = plan.points
    failed = {plan.keys[number]: failure for number, failure in failures.items()}
    columns = [
        (POINT, "whole", [point.number for point in points]),
        (VARIANT, "text", [point.variant or BASE for point in points]),
        (WORKLOAD, "text", [workload_of(plan, point) for point in points]),
    ]
    if plan.spec.seeds:
        columns.append((SEED, "whole", [point.seed for point in points]))
    for axis in plan.spec.axes:
        columns += [column(key, [point.axes.get(key) for point in points]) for key in axis.keys]
    figures = [head.figures if head else {} for head in heads]
    for metric in metrics.METRICS:
        columns.append((metric.key, "number", [_known(of.get(metric.key)) for of in figures]))
    columns.append((KEY, "text", list(plan.keys)))
    errors = [
        _told(head.error if head else failed.get(key))
        for key, head in zip(plan.keys, heads, strict=True)
    ]
    columns.append((ERROR, "text", errors))
    return _native.Table.from_columns(columns)


def workload_of(plan: Plan, point: Point) -> str:
    """What a point replays, as the sweep or the base names it."""
    return point.workload or " + ".join(plan.sources[point.load].names)


def column(key: str, values: Sequence[Any]) -> tuple[str, str, Sequence[Any]]:
    """A column of a key's values: numbers as numbers, all else as text."""
    given = [value for value in values if value is not None]
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in given):
        return key, "text", [None if value is None else _text(value) for value in values]
    if len(given) == len(values) and all(isinstance(v, int) and v >= 0 for v in given):
        return key, "whole", values
    return key, "number", [None if value is None else float(value) for value in values]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _known(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)


def _told(error: tuple[str, str, str] | None) -> str | None:
    return str(WordlineError(*error)) if error else None
