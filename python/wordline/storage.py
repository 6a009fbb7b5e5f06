"""Results as files: a run's and a comparison's, in a folder of its own."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordline import _native, files
from wordline.errors import OutputError
from wordline.result import Case, Comparison, Result

RESULT = "result.json"
COMPARISON = "comparison.json"
REPORT = "report.html"
_CONFIG, _SERIES, _RECORDS, _RUNS = "config.toml", "series.parquet", "records.parquet", "runs"
NAMES = (RESULT, COMPARISON, REPORT, _CONFIG, _SERIES, _RECORDS)
"""Files that may stand in a folder of results, beside the runs of a comparison."""


def save_run(result: Result, folder: Path) -> None:
    """Writes a run into `folder`: its tables, its configuration, and last its result."""
    files.make_folder(folder)
    files.write(folder / _CONFIG, result.config_toml)
    for name, table in ((_SERIES, result.series), (_RECORDS, result.records)):
        if len(table):
            files.write(folder / name, table.parquet())
    _write_json(folder / RESULT, result.to_dict())


def save_comparison(comparison: Comparison, folder: Path) -> None:
    """Writes a comparison into `folder`: every run in `runs/N`, and last the comparison."""
    for number, case in enumerate(comparison.cases):
        save_run(case.result, folder / _RUNS / str(number))
    data = comparison.to_dict()
    for number, item in enumerate(data["items"]):
        item["run"] = f"{_RUNS}/{number}"
    _write_json(folder / COMPARISON, data)


def _write_json(path: Path, data: dict[str, Any]) -> None:
    files.write(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def load(folder: str | Path) -> Result | Comparison:
    """Reads a folder of a run or of a comparison.

    Raises:
        OutputError: `folder` holds neither, or a file in it is damaged.
    """
    folder = Path(folder)
    try:
        if (folder / COMPARISON).is_file():
            return _load_comparison(folder)
        return load_run(folder)
    except FileNotFoundError as error:
        raise OutputError(
            f"holds no result: there is no `{Path(error.filename).name}`",
            str(folder),
            "name the --out folder of `wordline run` or `wordline compare`",
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OutputError(f"holds a damaged result: {error}", str(folder), "run it again") from None


def load_run(folder: Path) -> Result:
    """Reads a run."""
    data = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    config = (folder / _CONFIG).read_text(encoding="utf-8")
    return Result.of_json(data, config, _table(folder / _SERIES), _table(folder / _RECORDS))


def _load_comparison(folder: Path) -> Comparison:
    data = json.loads((folder / COMPARISON).read_text(encoding="utf-8"))
    return Comparison([_case(item, folder) for item in data["items"]])


def _case(item: Mapping[str, Any], folder: Path) -> Case:
    changes = tuple(item.get("changes", ()))
    return Case(item["variant"], item["workload"], load_run(folder / item["run"]), changes)


def _table(path: Path) -> _native.Table:
    return _native.Table.from_parquet(path.read_bytes() if path.exists() else b"")
