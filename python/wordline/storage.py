"""Folders of results: written whole or not at all."""

import errno
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from wordline import _native
from wordline.errors import OutputError, RunError, WordlineError
from wordline.result import Case, Comparison, Result

RESULT = "result.json"
COMPARISON = "comparison.json"
REPORT = "report.html"
_CONFIG, _SERIES, _RECORDS, _RUNS = "config.toml", "series.parquet", "records.parquet", "runs"
_OURS = (RESULT, COMPARISON, REPORT, _CONFIG, _SERIES, _RECORDS, _RUNS)
# Without one of these a folder holds no result; they are the first to go and the last to come.
_MARKERS = (RESULT, COMPARISON)
_PARTIAL = ".partial-"


@contextmanager
def output_folder(target: Path, *, force: bool = False) -> Iterator[Path]:
    """A folder to write results into, which become `target`'s when the block ends well.

    Until then, and when the block fails, `target` is as it was before.

    Args:
        target: Created if need be; results that it already holds are replaced.
        force: Write into `target` even if it holds files that are not results; they are kept.

    Raises:
        OutputError: `target` cannot be written, or holds other files and `force` is not set.
        RunError: Writing failed in the middle, as on a full disk.
    """
    created = [folder for folder in (target, *target.parents) if not folder.exists()]
    _refuse_foreign(target, force)
    try:
        target.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=_PARTIAL, dir=target))
    except OSError as error:
        raise _told(error, target, "folder") from None
    try:
        yield partial
        _publish(partial, target)
    except WordlineError:
        raise
    except OSError as error:
        told = _told(error, target, "folder")
        raise RunError(told.what, told.place, told.help) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        with suppress(OSError):  # stops at the first folder that holds something
            for folder in created:
                folder.rmdir()


def _refuse_foreign(target: Path, force: bool) -> None:
    if target.exists() and not target.is_dir():
        raise OutputError("is a file", str(target), "name a folder")
    if not target.exists() or force:
        return
    names = sorted(path.name for path in target.iterdir())
    foreign = [n for n in names if n not in _OURS and not n.startswith(_PARTIAL)]
    if foreign:
        raise OutputError(
            f"holds files that are not results, such as `{foreign[0]}`",
            str(target),
            "name another folder, or --force to write beside them",
        )


def _told(error: OSError, target: Path, kind: Literal["file", "folder"]) -> OutputError:
    mend = "free some space" if error.errno == errno.ENOSPC else _elsewhere(target, kind)
    return OutputError(f"cannot be written: {error.strerror or error}", str(target), mend)


def _elsewhere(target: Path, kind: Literal["file", "folder"]) -> str:
    """What is in the way of a file or folder, and how to get round it."""
    if kind == "file" and not target.parent.exists():
        return f"create the folder `{target.parent}` first"
    nearest = next((folder for folder in target.parents if folder.exists()), Path())
    if not nearest.is_dir():
        return f"`{nearest}` is a file: name another folder"
    return f"the system creates nothing in `{nearest}`: name a {kind} elsewhere"


def _publish(partial: Path, target: Path) -> None:
    for name in (*_MARKERS, *_OURS):
        _remove(target / name)
    for path in sorted(partial.iterdir(), key=lambda path: path.name in _MARKERS):
        path.rename(target / path.name)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def save_run(result: Result, folder: Path) -> None:
    """Writes a run into `folder`: its tables, its configuration, and last its result."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _CONFIG).write_text(result.config_toml, encoding="utf-8")
    for name, table in ((_SERIES, result.series), (_RECORDS, result.records)):
        if len(table):
            (folder / name).write_bytes(table.parquet())
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
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def check_writable(path: Path) -> None:
    """Finds out whether a file can be written, before the work that it waits for begins.

    Raises:
        OutputError: It cannot.
    """
    if path.is_dir():
        raise OutputError("is a folder", str(path), "name a file")
    partial = path.with_name(f"{_PARTIAL}{path.name}")
    try:
        partial.touch()
        partial.unlink()
    except OSError as error:
        raise _told(error, path, "file") from None


def make_folder(folder: Path) -> None:
    """Makes a folder and those that it lies in.

    Raises:
        OutputError: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _told(error, folder, "folder") from None


def write_whole(path: Path, content: str | bytes) -> Path:
    """Writes a file so that it is the old one or the new one, never a part.

    Raises:
        OutputError: The file cannot be written.
    """
    partial = path.with_name(f"{_PARTIAL}{path.name}")
    try:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)
        return partial.replace(path)
    except OSError as error:
        raise _told(error, path, "file") from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def load(folder: Path) -> Result | Comparison:
    """Reads a folder of a run or of a comparison.

    Raises:
        OutputError: `folder` holds neither, or a file in it is damaged.
    """
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
    return Result(data, config, _table(folder / _SERIES), _table(folder / _RECORDS))


def _load_comparison(folder: Path) -> Comparison:
    data = json.loads((folder / COMPARISON).read_text(encoding="utf-8"))
    return Comparison(
        [Case(i["variant"], i["workload"], load_run(folder / i["run"])) for i in data["items"]]
    )


def _table(path: Path) -> _native.Table:
    return _native.Table.from_parquet(path.read_bytes() if path.exists() else b"")
