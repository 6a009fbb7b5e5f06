"""What results hold, for `describe`: their fields, and the figures that comparisons show."""

import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_type_hints

from wordline.figures import metrics
from wordline.native.types.record import Record
from wordline.native.types.run import DriveSummary, RunResult

_DIRECTION = {"lower": "lower is better", "higher": "higher is better"}


@cache
def every() -> list[dict[str, Any]]:
    """An entry for each field of a result and for each figure, with what it means."""
    return [*_figures(), *_fields(RunResult, "")]


def of(name: str) -> list[dict[str, Any]]:
    """The entries that a name means: whole names, else ends of paths."""
    exact = [one for one in every() if one["name"] == name]
    return exact or [one for one in every() if one["name"].endswith(f".{name}")]


def _figures() -> Iterator[dict[str, Any]]:
    for metric in (*metrics.METRICS, *metrics.FAILURE, *metrics.LAZY):
        told = [metric.label, metric.unit, _DIRECTION[metric.better]]
        summary = ", ".join(part for part in told if part)
        yield {"kind": "figure", "name": metric.key, "summary": summary, "field": metric.path}


def _fields(cls: type[Record], path: str) -> Iterator[dict[str, Any]]:
    means = _told(cls)
    for name, annotation in get_type_hints(cls).items():
        at = f"{path}{name}"
        inner = next((one for one in _inside(annotation) if issubclass(one, Record)), None)
        named = {"kind": "field of a result", "name": at, "summary": means[name]}
        yield named | ({"fields": ", ".join(get_type_hints(inner))} if inner else {})
        if inner and inner is not DriveSummary:  # whose fields are those of a drive alone
            yield from _fields(inner, f"{at}.")


def _inside(annotation: Any) -> Iterator[type[Any]]:
    """The classes that an annotation names: `X | None` and `tuple[X, ...]` name X."""
    if isinstance(annotation, type) and not get_args(annotation):
        yield annotation
    for part in get_args(annotation):
        yield from _inside(part)


def _told(cls: type[Record]) -> dict[str, str]:
    """What a class's docstring says of its fields."""
    means: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(cls.__doc__ or "").partition("Attributes:\n")[2].splitlines():
        if not line.startswith("     "):
            name, _, line = line.strip().partition(": ")
        means[name] = f"{means.get(name, '')} {line.strip()}".strip()
    return means
