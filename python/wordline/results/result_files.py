"""Results as files: a run's and a comparison's, in a folder of its own."""

import json
from pathlib import Path
from typing import Any

from wordline.figures.comparison_view import Comparison, Outcome
from wordline.persistence import files

RESULT = "result.json"
COMPARISON = "comparison.json"
REPORT = "report.html"
CUTS = "cuts.json"
CONFIG, SERIES, RECORDS, _RUNS = "config.toml", "series.parquet", "records.parquet", "runs"
_ALONE = "alone"
NAMES = (RESULT, COMPARISON, REPORT, CUTS, CONFIG, SERIES, RECORDS)
"""Files that may stand in a folder of results, beside the runs of a comparison."""


def save_run(result: Outcome, folder: Path) -> None:
    """Writes a run into `folder`: its tables, its configuration, and last its result."""
    files.make_folder(folder)
    files.write(folder / CONFIG, result.config_toml)
    for name, table in ((SERIES, result.series), (RECORDS, result.records)):
        if len(table):
            files.write(folder / name, table.parquet())
    _write_json(folder / RESULT, result.to_dict())


def save_comparison(comparison: Comparison, folder: Path) -> None:
    """Writes a comparison into `folder`: every run in `runs/N`, and last the comparison.

    A tenant's run alone stands in `runs/N/alone/M`.
    """
    data = comparison.to_dict()
    for number, (case, item) in enumerate(zip(comparison.cases, data["items"], strict=True)):
        item["run"] = f"{_RUNS}/{number}"
        item["alone"] = [f"{item['run']}/{_ALONE}/{place}" for place in range(len(case.alone))]
        for name, result in zip(
            (item["run"], *item["alone"]), (case.result, *case.alone), strict=True
        ):
            save_run(result, folder / name)
    _write_json(folder / COMPARISON, data)


def _write_json(path: Path, data: dict[str, Any]) -> None:
    files.write(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
