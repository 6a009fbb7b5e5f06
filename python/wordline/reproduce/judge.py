"""A publication's values beside ours, in the form of every comparison."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from wordline import _native, lab
from wordline.native.types.lab import Plot
from wordline.reproduce.study import Figure, Load, Study

Row = Mapping[str, str]

# What agreement is worth, by what the published value served for.
_AGREEING = {
    "no": "reproduced",
    "yes": "calibrated",
    "selected": "selected",
    "implied": "implied",
}


def expected(study: Study) -> list[Row]:
    """The publication's values: the lines of the study's `drives.csv`."""
    return list(csv.DictReader((_native.expected(study.paper) or "").splitlines()))


def items(
    study: Study, figure: Figure, ours: Mapping[str, float], loads: Sequence[Load], *, quick: bool
) -> Iterator[dict[str, Any]]:
    """A figure's comparisons: the published ids first, in their order, then those of ours alone.

    Args:
        study: The study.
        figure: The figure.
        ours: Our values by id, without the publication's and the figure's name.
        loads: What was replayed.
        quick: True where a part was run: what it lacks is skipped.

    Raises:
        KeyError: A whole run lacks a published id.
    """
    prefix = f"{study.paper}/{figure.name}/"
    published = {row["id"]: row for row in expected(study) if row["id"].startswith(prefix)}
    for name, row in published.items():
        if name.removeprefix(prefix) not in ours and not quick:
            raise KeyError(name)
        yield item(study, row, ours.get(name.removeprefix(prefix)), loads)
    if quick and not ours and not published and not figure.laboratory:
        row = {"id": f"{prefix}all", "source": study.source, "unit": figure.unit}
        yield item(study, row, None, loads)
    for name in ours:
        if f"{prefix}{name}" not in published:
            row = {"id": f"{prefix}{name}", "source": study.source, "unit": figure.unit}
            yield item(study, row, ours[name], loads)


_experiment = cache(lab.experiment)


def of_laboratory(study: Study, figure: Figure) -> Iterator[dict[str, Any]]:
    """The comparisons of the cell laboratory that belong to a figure, under ids of the study's."""
    for begin in figure.laboratory:
        experiment = begin.partition("/")[0]
        for found in _experiment(experiment)["items"]:
            if found["id"].startswith(begin):
                name = found["id"].removeprefix(f"{experiment}/").removeprefix(f"{figure.name}/")
                yield {**found, "id": f"{study.paper}/{figure.name}/{name}"}


def curves(figure: Figure) -> Iterator[Plot]:
    """The curves of the cell laboratory that belong to a figure."""
    for begin in figure.plots:
        experiment, _, title = begin.partition("/")
        for plot in _experiment(experiment).plots:
            if plot.title.startswith(title):
                yield plot


def item(study: Study, row: Row, ours: float | None, loads: Sequence[Load]) -> dict[str, Any]:
    """A comparison.

    Args:
        study: The study.
        row: The published value.
        ours: Our value; `None` where nothing was run for it.
        loads: What was replayed.
    """
    told = row.get("reference")
    reference = float(told) if told else None
    tolerance = float(row.get("tolerance") or 0)
    deviation = None
    if reference is not None and ours is not None:
        deviation = (ours - reference) / (reference or 1)
    replayed = _replayed(row["id"], loads)
    status = _status(reference, ours, deviation, tolerance, _served(row, replayed))
    note = study.note(row["id"], is_synthetic=all(load.is_generated for load in replayed))
    note = "a quick run leaves it out" if status == "skipped" else note
    return {
        "id": row["id"],
        "source": row["source"],
        "workload": "; ".join(load.label for load in replayed),
        "unit": row["unit"],
        "reference": reference,
        "ours": ours,
        "deviation": deviation,
        "tolerance": tolerance,
        "status": status,
        "note": note,
    }


def _replayed(name: str, loads: Sequence[Load]) -> list[Load]:
    """The workload that an id ends with; all of them where it is of no single one."""
    return [load for load in loads if name.endswith(f"/{load.name}")] or list(loads)


def _served(row: Row, loads: Sequence[Load]) -> str:
    """What the value served for, by the words of experiments/README.md.

    What a generated workload has by construction (`twin`) is fitted where one was replayed.
    """
    served = row.get("fitted") or "no"
    if served != "twin":
        return served
    return "yes" if any(load.is_synthetic for load in loads) else "no"


def _status(
    reference: float | None,
    ours: float | None,
    deviation: float | None,
    tolerance: float,
    served: str,
) -> str:
    if ours is None:
        return "skipped"
    if reference is None or deviation is None:
        return "not published"
    if served == "unjudged":
        return "not judged"
    if not abs(deviation) <= tolerance:  # also where it is not a number
        return "deviates"
    return _AGREEING[served]
