"""Runs and comparisons, read back from their folders."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordline import _native
from wordline.persistence import files
from wordline.results import result_files
from wordline.results.result import Case, Comparison, Result


def load_run(folder: Path) -> Result:
    """Reads a run."""
    data = json.loads(files.bytes_of(folder / result_files.RESULT))
    config = files.bytes_of(folder / result_files.CONFIG).decode()
    return Result.of_json(
        data, config, _table(folder / result_files.SERIES), _table(folder / result_files.RECORDS)
    )


def load_comparison(folder: Path) -> Comparison:
    """Reads a comparison."""
    data = json.loads(files.bytes_of(folder / result_files.COMPARISON))
    return Comparison([_case(item, folder) for item in data["items"]])


def _case(item: Mapping[str, Any], folder: Path) -> Case:
    changes = tuple(item.get("changes", ()))
    run, repeats = load_run(folder / item["run"]), tuple(item.get("repeats", ()))
    alone = tuple(load_run(folder / name) for name in item.get("alone", ()))
    return Case(item["variant"], item["workload"], run, changes, repeats, alone)


def _table(path: Path) -> _native.Table:
    return _native.Table.from_parquet(files.bytes_of(path) if path.exists() else b"")
