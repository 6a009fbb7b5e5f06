"""The title of a report: drive, capacity, technique, workload."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wordline import catalogue, metrics
from wordline.metrics import figure
from wordline.result import Case

_MOST = 3  # names that a title spells out before it only counts
_NEAR = 0.25  # of a preset's values that may be changed for a drive to be named by it
_MIB = 1 / 1024


def of_cases(cases: Sequence[Case]) -> str:
    """Drive, capacity, technique or the variants compared, and workload."""
    drives = _few((f"{_drive(c.result)}, {_capacity(c.result)}" for c in cases), "drives")
    variants = dict.fromkeys(case.variant for case in cases)
    compared = len(variants) > 1
    drive = " against ".join(variants) if compared and len(variants) <= _MOST else ""
    techniques = f"{len(variants)} variants" if compared else technique(cases[0].result["config"])
    workloads = _few((case.workload for case in cases), "workloads")
    return f"{drives}, {drive or techniques}, on {workloads}"


def technique(config: Mapping[str, Any]) -> str:
    """Techniques and erase scheme; `conventional` where there is none."""
    scheme = config["erase"]["scheme"]
    names = [*config["technique"], *([scheme] if scheme != "fixed" else [])]
    return " with ".join(names) or "conventional"


def _drive(result: Mapping[str, Any]) -> str:
    """The preset that the drive is, or nearly is; else its channels, dies and cells."""
    config = result["config"]
    found = []
    for name, preset in catalogue.presets("drive").items():
        values = preset["values"]
        other = sum(metrics.lookup(config, v["key"]) != v["value"] for v in values)
        found.append((other / len(values), -len(values), name, other))
    share, _, name, other = min(found)
    if share <= _NEAR:
        return f"{name} (changed)" if other else name
    return _geometry(result)


def _geometry(result: Mapping[str, Any]) -> str:
    drive = result["config"]["drive"]
    kinds = [group["chip"]["cell"] for group in drive["group"].values()] or [drive["chip"]["cell"]]
    dies = len(result["flash"]["die_utilisation"])
    return f"a drive of {drive['channels']} channels, {dies} dies of {' and '.join(kinds).upper()}"


def _capacity(result: Mapping[str, Any]) -> str:
    gib = result["capacity"]["logical_gib"]
    return f"{figure(round(gib / _MIB))} MiB" if gib < 1 else f"{figure(gib)} GiB"


def _few(names: Iterable[str], noun: str) -> str:
    different = list(dict.fromkeys(names))
    return " and ".join(different) if len(different) < _MOST else f"{len(different)} {noun}"
