"""The verb `sweep`."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wordline.cli import failures, output, plain, progress
from wordline.cli.options import Mode
from wordline.errors import RunError
from wordline.figures import data_loss, metrics
from wordline.figures.significance import Effect
from wordline.persistence import files, folders
from wordline.results import result_files
from wordline.results.store import Store
from wordline.sweeps import estimate, library, points, spec, summary
from wordline.sweeps.page import warnings_of
from wordline.sweeps.runner import Standing, Told

_EVERY_S = 1.0  # between lines for machines
_SHOWN = 40  # lines of a table that is printed


def sweep(
    file: Path,
    on: str | None,
    workers: int | None,
    store: Path,
    out: Path | None,
    dry_run: bool,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Carries out a sweep; the exit status is 1 where a point failed, or lost data."""
    asked = spec.read(file)
    folder = out or Path("wordline-out") / f"sweep-{asked.name}"
    with files.made(folder, store):
        folders.check_ours(folder, library.NAMES)
        told = "the same command goes on from the runs kept"
        with failures.keeping(told, store / "runs"):
            opened = Store(store)
            if dry_run:
                _estimate(asked, opened, workers, as_json)
                return
            with shown(progress_mode, asked.name) as tell:
                found = library.carry_out(asked, opened, on, workers, tell)
            folders.write_into(folder, found.files())
    with failures.keeping("the whole results are", folder):
        _print(found, folder, as_json)
    if found.failures:
        raise RunError(
            f"{len(found.failures):,} of {len(found):,} points failed",
            str(folder / library.POINTS),
            "its column `error` says why; the other points are whole",
        )
    data_loss.refuse(found.lost, len(found), str(file))


@contextmanager
def shown(mode: Mode | None, name: str) -> Iterator[Told]:
    """Shows how far a sweep has come."""
    with progress.shown(mode) as start:
        update = start(name)
        last = -_EVERY_S

        def tell(standing: Standing) -> None:
            nonlocal last
            is_over = standing.done == standing.total
            if mode is Mode.JSON:
                now = time.monotonic()
                if is_over or now - last >= _EVERY_S:
                    last = now
                    sys.stderr.write(f"{json.dumps(_line(name, standing))}\n")
                    sys.stderr.flush()
                return
            update("done" if is_over else in_words(standing), standing.done, standing.total, 0)

        yield tell


def _line(name: str, standing: Standing) -> dict[str, Any]:
    return {
        "task": name,
        "phase": "done" if standing.done == standing.total else "run",
        "done": standing.done,
        "total": standing.total,
        "found": standing.found,
        "failed": standing.failed,
        "runs_per_s": standing.rate_per_s,
        "remaining_s": standing.remaining_s,
    }


def in_words(standing: Standing) -> str:
    """Rate and remaining time."""
    left = standing.remaining_s
    if left is None:
        return "run"
    failed = f", {standing.failed:,} failed" if standing.failed else ""
    return f"{metrics.figure(standing.rate_per_s)} runs/s, {estimate.duration(left)} left{failed}"


def _estimate(asked: spec.Spec, store: Store, workers: int | None, as_json: bool) -> None:
    plan = points.plan(asked, store)
    found = estimate.of(plan, store, workers)
    if as_json:
        plain.print_json(found.to_dict())
        return
    table = output.grid(("", ""))
    for name, value in found.words():
        table.add_row(name, value)
    output.show(f"{asked.name}: nothing was kept but the runs that were timed", table)


def _print(found: library.Sweep, folder: Path, as_json: bool) -> None:
    plain.warn_of(warnings_of(found.about, len(found.failures)))
    rows = summary.rows_of(found.table)
    effects = summary.effects(rows, found.about["axes"], summary.varying(rows))
    if as_json:
        plain.print_json(_summary(found, folder, effects))
        return
    standing = found.standing
    if standing:
        told = f"{standing.total:,} runs: {standing.found:,} kept already, {standing.ended:,} new"
        output.console().print(told, markup=False)
    if effects:
        _show_effects(effects, rows[0]["variant"])
    _show_worth(rows, found.about["axes"])
    for name in (library.POINTS, result_files.REPORT):
        label = "report" if name == result_files.REPORT else "points"
        output.console().print(f"{label}: {folder / name}", markup=False, soft_wrap=True)


def _show_effects(effects: list[Effect], first: str) -> None:
    more = len(effects) - _SHOWN
    note = f", and {more} more in the report" if more > 0 else ""
    title = f"Against {first}, over all points that both have{note}"
    output.show_effects(title, effects[:_SHOWN])


def _show_worth(rows: list[dict[str, Any]], axes: list[str]) -> None:
    metrics_ = summary.of_space(summary.varying(rows))
    found = summary.worth(rows, axes, metrics_[-1]) if metrics_ else []
    if not found:
        return
    table = output.grid(("drive", "workload", "has", "is worth"))
    for one in found[:_SHOWN]:
        needs = "beyond the sweep" if one.needs is None else metrics.figure(one.needs)
        table.add_row(one.drive, one.workload, metrics.figure(one.has), needs)
    label, first = metrics_[-1].label, rows[0]["variant"]
    more = len(found) - _SHOWN
    note = f"; {more} more lines are in the report" if more > 0 else ""
    output.show(f"{found[0].axis} that {first} needs for the same {label}{note}", table)


def _summary(found: library.Sweep, folder: Path, effects: list[Effect]) -> dict[str, Any]:
    standing = found.standing or Standing(0)
    return {
        **found.about,
        "runs": standing.total,
        "kept_already": standing.found,
        "failures": [{"point": n, "error": told} for n, told in found.failures.items()],
        "effects": [effect.to_dict() for effect in effects],
        "table": str(folder / library.POINTS),
        "report": str(folder / result_files.REPORT),
    }
