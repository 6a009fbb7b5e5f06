"""The verb `optimise`."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wordline.cli import failures, output, plain, progress
from wordline.cli.options import Mode
from wordline.persistence import files, folders
from wordline.results import result_files
from wordline.results.store import Store
from wordline.search import library, page, spec, trials
from wordline.search.course import Told
from wordline.search.spec import Search
from wordline.sweeps.runner import Standing

_EVERY_S = 1.0  # between lines for machines
_SHOWN = 40  # drives of the front that are printed


def optimise(
    file: Path,
    on: str | None,
    workers: int | None,
    store: Path,
    out: Path | None,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Carries out a search."""
    search = spec.read(file)
    folder = out or Path("wordline-out") / f"optimise-{search.space.name}"
    names = (library.TRIALS, library.ABOUT, result_files.REPORT)
    with files.made(folder, store):
        folders.check_ours(folder, names)
        told = "the same command goes on from the runs kept"
        with failures.keeping(told, store / "runs"):
            with shown(progress_mode, search) as tell:
                found = library.carry_out(search, Store(store), on, workers, tell)
            folders.write_into(folder, found.files())
    with failures.keeping("the whole results are", folder):
        _print(found, folder, as_json)


@contextmanager
def shown(mode: Mode | None, search: Search) -> Iterator[Told]:
    """Shows how far a search has come."""
    with progress.shown(mode) as start:
        update = start(search.space.name)
        last = -_EVERY_S

        def tell(done: int, standing: Standing) -> None:
            nonlocal last
            batch = min(search.batch, search.trials - done)
            tried = done + batch * standing.done // max(standing.total, 1)
            is_over = tried == search.trials
            if mode is Mode.JSON:
                now = time.monotonic()
                if is_over or now - last >= _EVERY_S:
                    last = now
                    line = {"task": search.space.name, "phase": "done" if is_over else "try"}
                    line |= {"done": tried, "total": search.trials}
                    sys.stderr.write(f"{json.dumps(line)}\n")
                    sys.stderr.flush()
                return
            update("done" if is_over else "trials", tried, search.trials, 0)

        yield tell


def _print(found: library.Front, folder: Path, as_json: bool) -> None:
    plain.warn_of(page.warnings_of(found.about, len(found)))
    if as_json:
        front = [{**row, "configuration": str(folder / row[trials.FILE])} for row in found.rows]
        tables = {
            "table": str(folder / library.TRIALS),
            "report": str(folder / result_files.REPORT),
        }
        plain.print_json({**found.about, "front": front, **tables})
        return
    about = found.about
    told = f"{about['trials']:,} trials of {about['drives']:,} drives, {len(found):,} on the front"
    output.console().print(told, markup=False)
    keys = list(dict.fromkeys([*about["aims"], *about["axes"]]))
    table = output.grid(("drive", *(about["labels"].get(key, key) for key in keys), "file"))
    for row in found.rows[:_SHOWN]:
        cells = (page.in_words(row[key]) for key in keys)
        table.add_row(row[trials.VARIANT], *cells, row[trials.FILE])
    more = len(found) - _SHOWN
    note = f", the first {_SHOWN}" if more > 0 else ""
    aims = ", ".join(f"{word} {about['labels'][name]}" for name, word in about["aims"].items())
    output.show(f"{aims}{note}", table)
    for name in (library.TRIALS, result_files.REPORT):
        label = "report" if name == result_files.REPORT else "trials"
        output.console().print(f"{label}: {folder / name}", markup=False, soft_wrap=True)
