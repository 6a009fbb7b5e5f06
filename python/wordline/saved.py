"""Runs and comparisons, read back from their folders."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordline import _native, border, storage
from wordline.result import Case, Comparison, Result

if TYPE_CHECKING:
    from wordline.results.power import CutReport


def load_run(folder: Path) -> Result:
    """Reads a run."""
    data = json.loads((folder / storage.RESULT).read_text(encoding="utf-8"))
    config = (folder / storage.CONFIG).read_text(encoding="utf-8")
    return Result.of_json(
        data, config, _table(folder / storage.SERIES), _table(folder / storage.RECORDS)
    )


def load_cuts(folder: Path) -> "dict[str, CutReport]":
    """Reads what power cuts took beside a comparison, if any was made."""
    from wordline.results.power import CutReport

    path = folder / storage.CUTS
    if not path.is_file():
        return {}
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {name: border.decode(CutReport, report) for name, report in kept.items()}


def load_comparison(folder: Path) -> Comparison:
    """Reads a comparison."""
    data = json.loads((folder / storage.COMPARISON).read_text(encoding="utf-8"))
    return Comparison([_case(item, folder) for item in data["items"]])


def _case(item: Mapping[str, Any], folder: Path) -> Case:
    changes = tuple(item.get("changes", ()))
    run, repeats = load_run(folder / item["run"]), tuple(item.get("repeats", ()))
    return Case(item["variant"], item["workload"], run, changes, repeats)


def _table(path: Path) -> _native.Table:
    return _native.Table.from_parquet(path.read_bytes() if path.exists() else b"")
