"""The title of a report: drive, capacity, technique, workload."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from wordline.components import catalogue
from wordline.figures import metrics
from wordline.figures.comparison_view import Case
from wordline.figures.metrics import figure
from wordline.native.types.run import RunResult

_MOST = 3  # names that a title spells out before it only counts
_NEAR = 0.1  # of a preset's values that may be changed for a drive to be named by it
_MIB = 1 / 1024
_CHANGED = " (changed)"


Run = tuple[str, str, RunResult]
"""A variant, empty for a run that is no comparison; a workload; and a result."""


def of_cases(cases: Sequence[Case]) -> str:
    """Drive, capacity, technique or the variants compared, and workload.

    A drive that a file describes has the file's name.
    """
    runs = [(case.variant, case.workload, case.result) for case in cases]
    return of_runs(runs, [case.result.file for case in cases])


def of_runs(runs: Sequence[Run], files: Iterable[str] = ()) -> str:
    """Likewise, of runs that are no comparison; `files` that describe their drives, if any."""
    workloads = few((workload for _, workload, _ in runs), "workloads")
    variants = list(dict.fromkeys(variant for variant, *_ in runs))
    drives = _drives([result for *_, result in runs], files)
    if len(variants) == 1:
        return f"{drives}, {variants[0] or technique(runs[0][2].config)}, on {workloads}"
    *first, last = variants
    named = f"{', '.join(first)} and {last}"
    varied = named if len(variants) <= _MOST else f"{len(variants)} variants"
    return f"{varied} on {drives}, under {workloads}"


def _drives(results: Sequence[RunResult], files: Iterable[str]) -> str:
    """The drives by name, with their capacity where that is one; variants say what differs."""
    both = zip(chain(files, repeat("")), results, strict=False)
    found = [file or _drive(result) for file, result in both]
    whole = [name for name in found if not name.endswith(_CHANGED)]
    names = [name for name in found if name in whole or name.removesuffix(_CHANGED) not in whole]
    capacities = {_capacity(result) for result in results}
    return few(names, "drives") + (f", {capacities.pop()}" if len(capacities) == 1 else "")


def technique(config: Mapping[str, Any]) -> str:
    """Techniques and erase scheme; `conventional` where there is none."""
    scheme = config["erase"]["scheme"]
    names = [*config["technique"], *([scheme] if scheme != "fixed" else [])]
    return " with ".join(names) or "conventional"


def _drive(result: RunResult) -> str:
    """The preset that the drive is, or nearly is; else its channels, dies and cells."""
    config = result.config.to_dict()
    found = []
    for name, preset in catalogue.presets("drive").items():
        values = preset["values"]
        other = sum(metrics.lookup(config, v["key"]) != v["value"] for v in values)
        found.append((other / len(values), -len(values), name, other))
    share, _, name, other = min(found)
    if share <= _NEAR:
        return name + _CHANGED if other else name
    return _geometry(result)


def _geometry(result: RunResult) -> str:
    drive = result.config["drive"]
    kinds = [group["chip"]["cell"] for group in drive["group"].values()] or [drive["chip"]["cell"]]
    dies = len(result.flash.die_utilisation)
    return f"a drive of {drive['channels']} channels, {dies} dies of {' and '.join(kinds).upper()}"


def _capacity(result: RunResult) -> str:
    gib = result.capacity.logical_gib
    return f"{figure(round(gib / _MIB))} MiB" if gib < 1 else f"{figure(gib)} GiB"


def few(names: Iterable[str], noun: str) -> str:
    """One or two names, or how many there are."""
    different = list(dict.fromkeys(names))
    return " and ".join(different) if len(different) < _MOST else f"{len(different)} {noun}"
