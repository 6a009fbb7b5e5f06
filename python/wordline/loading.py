"""Results from files: a run, a comparison, a sweep, a search or a league."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordline import _native, border, storage
from wordline.declared import checked
from wordline.errors import OutputError
from wordline.leagues import library as leagues
from wordline.leagues.library import League
from wordline.result import Case, Comparison, Result
from wordline.results.power import CutReport
from wordline.search import library as searches
from wordline.search.library import Front
from wordline.sweeps import library
from wordline.sweeps.library import Sweep


@checked
def load(folder: str | Path) -> Result | Comparison | Sweep | Front | League:
    """Reads a folder of a run, a comparison, a sweep, a search or a league.

    Raises:
        OutputError: `folder` holds none, or a file in it is damaged.
    """
    folder = Path(folder)
    try:
        if (folder / library.ABOUT).is_file():
            return library.load(folder)
        if (folder / searches.ABOUT).is_file():
            return searches.load(folder)
        if (folder / leagues.ABOUT).is_file():
            return leagues.load(folder)
        if (folder / storage.COMPARISON).is_file():
            return _load_comparison(folder)
        return load_run(folder)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise OutputError(
            f"holds no result: there is no `{Path(error.filename).name}`",
            str(folder),
            "name the --out folder of `wordline run`, `compare`, `sweep`, `optimise` or `league`",
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        told = error.strerror if isinstance(error, OSError) else error
        raise OutputError(f"holds a damaged result: {told}", str(folder), "run it again") from None


def load_run(folder: Path) -> Result:
    """Reads a run."""
    data = json.loads((folder / storage.RESULT).read_text(encoding="utf-8"))
    config = (folder / storage.CONFIG).read_text(encoding="utf-8")
    return Result.of_json(
        data, config, _table(folder / storage.SERIES), _table(folder / storage.RECORDS)
    )


def load_cuts(folder: Path) -> dict[str, CutReport]:
    """Reads what power cuts took beside a comparison, if any was made."""
    path = folder / storage.CUTS
    if not path.is_file():
        return {}
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {name: border.decode(CutReport, report) for name, report in kept.items()}


def _load_comparison(folder: Path) -> Comparison:
    data = json.loads((folder / storage.COMPARISON).read_text(encoding="utf-8"))
    return Comparison([_case(item, folder) for item in data["items"]])


def _case(item: Mapping[str, Any], folder: Path) -> Case:
    changes = tuple(item.get("changes", ()))
    run, repeats = load_run(folder / item["run"]), tuple(item.get("repeats", ()))
    return Case(item["variant"], item["workload"], run, changes, repeats)


def _table(path: Path) -> _native.Table:
    return _native.Table.from_parquet(path.read_bytes() if path.exists() else b"")
