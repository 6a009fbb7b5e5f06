"""What in a run was fitted to published figures: meeting those again proves nothing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wordline.components import catalogue
from wordline.figures import metrics
from wordline.figures.comparison_view import Outcome

_FITTED = "calibrated"
"""How the sources of fitted values begin, in presets and declarations."""

Entry = Mapping[str, Any]


def told(results: Sequence[Outcome]) -> str:
    """A sentence that names what was fitted, or says that nothing was."""
    found = dict.fromkeys(name for result in results for name in _fitted(result))
    if not found:
        return "Nothing in these drives and workloads is calibrated, that is, fitted to a figure."
    return f"Calibrated, that is, fitted to published figures: {'; '.join(found)}."


def _fitted(result: Outcome) -> Iterator[str]:
    yield from _of_workload(result.workload.name)
    config = result.config.to_dict()
    for path, value, source in _declared():
        if source.startswith(_FITTED) and metrics.lookup(config, path) == value:
            yield f"{path} = {value}"
    for preset in catalogue.load()["presets"]:
        values = preset["values"]
        fitted = [v["key"] for v in values if v["source"].startswith(_FITTED)]
        if fitted and all(metrics.lookup(config, v["key"]) == v["value"] for v in values):
            yield f"{', '.join(fitted)} of {preset['name']}"


def _of_workload(name: str) -> Iterator[str]:
    kind, _, rest = name.partition(":")
    volume = rest.partition(":")[0]
    if kind != "twin":
        return
    for twin in catalogue.load()["twins"]:
        full = twin["name"].removeprefix("twin:")
        fitted = [v["key"] for v in twin["values"] if v["source"].startswith(_FITTED)]
        if fitted and volume in (full, full.rpartition("/")[2]):
            yield f"{', '.join(fitted)} of twin:{full}"


def _declared() -> Iterator[tuple[str, Any, str]]:
    """Every parameter's dotted path, default and source."""
    found = catalogue.load()
    tables = [(table["path"], table["params"]) for table in found["tables"]]
    tables += [(f"technique.{t['name']}", t["params"]) for t in found["techniques"]]
    for path, params in tables:
        for param in params:
            yield f"{path}.{param['key']}", param["default"], param["source"]
