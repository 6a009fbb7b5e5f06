"""The table of a search: a row for each drive that was tried."""

from collections.abc import Container, Sequence
from typing import Any

from wordline import _native
from wordline.search.course import Trial
from wordline.search.spec import Search
from wordline.sweeps.table import BASE, column

TRIAL, VARIANT, STANDING, FILE, KEYS, ERROR = (
    "trial", "variant", "standing", "file", "keys", "error",
)  # fmt: skip
FRONT, BEATEN, BEYOND, FAILED = "front", "beaten", "beyond a limit", "failed"
"""Where a drive stands."""


def file_of(place: int) -> str:
    """The file of a drive of the front, by its place there from 1."""
    return f"front-{place:04}.toml"


def make(search: Search, done: Sequence[Trial], best: Sequence[Trial]) -> _native.Table:
    """The table of all trials. It depends on the search alone, not on how it was carried out."""
    on_front = {trial.number: file_of(place) for place, trial in enumerate(best, 1)}
    first = [trial.points[0] for trial in done]
    columns: list[tuple[str, str, Sequence[Any]]] = [
        (TRIAL, "whole", [trial.number for trial in done]),
        (VARIANT, "text", [point.variant or BASE for point in first]),
    ]
    for axis in search.space.axes:
        columns += [column(key, [point.axes.get(key) for point in first]) for key in axis.keys]
    taken = {name for name, _, _ in columns}
    for place, aim in enumerate(search.aims):
        if aim.of.name not in taken:
            columns.append(_figures(aim.of.name, [trial.aims for trial in done], place))
            taken.add(aim.of.name)
    for place, limit in enumerate(search.limits):
        if limit.of.name not in taken:
            columns.append(_figures(limit.of.name, [trial.limits for trial in done], place))
            taken.add(limit.of.name)
    columns.append((STANDING, "text", [_standing(trial, on_front) for trial in done]))
    columns.append((FILE, "text", [on_front.get(trial.number) for trial in done]))
    columns.append((KEYS, "text", [" ".join(trial.keys) for trial in done]))
    columns.append((ERROR, "text", [trial.error or None for trial in done]))
    return _native.Table.from_columns(columns)


def rows_of(table: _native.Table) -> list[dict[str, Any]]:
    """The rows of a table."""
    names = table.names
    values = zip(*(table[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in values]


def front_of(table: _native.Table) -> list[dict[str, Any]]:
    """The rows of the front, in the order of the first aim."""
    return sorted((row for row in rows_of(table) if row[FILE]), key=lambda row: row[FILE])


def _figures(
    name: str, of: Sequence[tuple[float, ...]], place: int
) -> tuple[str, str, Sequence[Any]]:
    return name, "number", [values[place] if values else None for values in of]


def _standing(trial: Trial, on_front: Container[int]) -> str:
    if trial.error:
        return FAILED
    if not trial.is_allowed:
        return BEYOND
    return FRONT if trial.number in on_front else BEATEN
