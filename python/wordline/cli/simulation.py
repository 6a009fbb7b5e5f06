"""The verbs `run`, `compare` and `report`."""

import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from wordline.cli import failures, plain, progress
from wordline.cli.options import Mode
from wordline.configuration import find
from wordline.errors import ConfigError
from wordline.figures import data_loss
from wordline.player import recording
from wordline.results import result_files
from wordline.results.result import Case, Comparison, Result
from wordline.runs import single_run

T = TypeVar("T", Result, Comparison)


def run(
    config: str,
    technique: str | None,
    sets: Sequence[str],
    workload: str | None,
    seed: int | None,
    trace_format: str | None,
    sort: bool,
    record: Path | None,
    record_from: float,
    record_seconds: float | None,
    record_commands: int | None,
    out: Path | None,
    force: bool,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Runs one simulation; the exit status is 1 where acknowledged data was lost."""
    chosen = single_run.of_technique(technique).overrides if technique else ()
    workload_keys = single_run.workload_overrides(workload, trace_format, sort)
    overrides = (*chosen, *sets, *workload_keys, *single_run.of_seed(seed))
    configuration = find(config).with_overrides(overrides)

    how = recording.Recording("", record_from, record_seconds, record_commands, force)
    wanted = replace(how, path=record) if record else None

    def work(start: progress.Start) -> Result:
        return single_run.simulate(configuration, start(config), record=wanted)

    result = carry_out(work, result_files.save_run, out, force, progress_mode)
    with failures.keeping("the whole results are", out):
        plain.warn([Case(config, result.workload.name, result)])
        if as_json:
            plain.print_json(result.to_dict())
        else:
            from wordline.cli import output

            output.show_run(result)
            tell_report(out)
            tell_recordings([record] if record else [])
    data_loss.refuse(data_loss.of_result(result), 1, config)


def compare(
    config: str,
    techniques: Sequence[str],
    variants: Sequence[str],
    workloads: Sequence[str],
    sets: Sequence[str],
    seed: int | None,
    trace_format: str | None,
    sort: bool,
    tenants: bool,
    seeds: int,
    workers: int | None,
    store: Path | None,
    record: Path | None,
    record_from: float,
    record_seconds: float | None,
    record_commands: int | None,
    out: Path | None,
    force: bool,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Runs the same workloads through several drives; 1 as of `run`, once all is printed."""
    from wordline.cli.variants import parse_variant
    from wordline.results.store import DEFAULT, Store
    from wordline.runs import side_by_side

    drives = [*map(single_run.of_technique, techniques), *map(parse_variant, variants)]
    if len(drives) < 2 and not tenants:
        raise ConfigError(
            "a comparison needs two drives",
            "--technique, --variant",
            "for instance --technique conventional --variant fifo:ftl.gc.policy=fifo, or --tenants",
        )
    store = store or (DEFAULT if tenants else None)
    workload_keys = single_run.workload_overrides(None, None, sort)
    base = find(config).with_overrides((*sets, *workload_keys, *single_run.of_seed(seed)))

    how = recording.Recording("", record_from, record_seconds, record_commands, force)
    wanted = replace(how, path=record) if record else None

    def work(start: progress.Start) -> Comparison:
        return side_by_side.compare_variants(
            base,
            drives,
            workloads,
            trace_format=trace_format,
            tenants=tenants,
            seeds=seeds,
            workers=workers,
            store=Store(store) if store else None,
            record=wanted,
            progress=start,
        )

    out = out or default_folder("compare", force)
    comparison = carry_out(work, result_files.save_comparison, out, force, progress_mode)
    show_comparison(comparison, out, as_json)
    if wanted and not as_json:
        cases = {n: (case.variant, case.workload) for n, case in enumerate(comparison.cases)}
        written = recording.of_each(replace(wanted, force=True), cases) if wanted else {}
        tell_recordings(Path(one.path) for one in written.values())
    every = sum(1 + len(case.repeats) for case in comparison.cases)
    data_loss.refuse(data_loss.of_cases(comparison.cases), every, config)


def default_folder(verb: str, force: bool) -> Path:
    """Where a verb writes that was not told: beside its earlier results, or over them if forced.

    Whoever waits at a terminal reads of it before the work begins.
    """
    from wordline.persistence import folders

    folder = Path("wordline-out") / verb
    folder = folder if force else folders.first_free(folder)
    if sys.stderr.isatty():
        print(f"results go to {folder} (--out names another folder)", file=sys.stderr)
    return folder


def show_comparison(comparison: Comparison, out: Path | None, as_json: bool) -> None:
    """Prints a comparison, its warnings first."""
    with failures.keeping("the whole results are", out):
        plain.warn(comparison.cases)
        plain.warn_of((warning, "") for warning in comparison.warnings)
        if as_json:
            plain.print_json(comparison.to_dict())
            return
        from wordline.cli import output

        for workload in comparison.workloads:
            output.show_comparison(comparison, workload)
        if comparison.effects:
            first = comparison.variants[0]
            output.show_effects(f"Against {first}, over all seeds", comparison.effects)
        tell_report(out)


def carry_out(
    work: Callable[[progress.Start], T],
    save: Callable[[T, Path], None],
    out: Path | None,
    force: bool,
    mode: Mode | None,
    render: Callable[[T], str] | None = None,
) -> T:
    """Does the work and writes its results, if wanted, whole or not at all.

    That the folder can be written is found out before the work begins. `render` makes another
    report than the usual one.
    """
    with begun(out, result_files.NAMES, force) as folder:
        with progress.shown(mode) as start:
            result = work(start)
        if folder:
            from wordline.persistence import files
            from wordline.report import page

            save(result, folder)
            files.write(folder / result_files.REPORT, (render or page.render)(result))
    return result


def begun(
    out: Path | None, names: Iterable[str], force: bool
) -> AbstractContextManager[Path | None]:
    """The folder into which results go that are to be kept."""
    if out is None:
        return nullcontext()
    from wordline.persistence import folders

    return folders.output_folder(out, names, force=force)


def tell_recordings(paths: Iterable[Path]) -> None:
    """Says what was recorded, and how to see it."""
    from wordline.player import reading

    named = list(paths)
    for path in named:
        print(f"recording: {path}: {reading.read(path).in_words()}")
    if named:
        shown = " ".join(map(shlex.quote, map(str, named[:2])))
        print(f"next: wordline play {shown} --out play.html")


def tell_report(out: Path | None) -> None:
    """Says where the report stands."""
    if out:
        print(f"report: {out / result_files.REPORT}")


def report(folder: Path, as_json: bool) -> None:
    """Writes the report of saved results anew."""
    from wordline.persistence import folders

    folders.write_into(folder, {result_files.REPORT: _rendered(folder)})
    if as_json:
        plain.print_json({"report": str(folder / result_files.REPORT)})
    else:
        tell_report(folder)


def _rendered(folder: Path) -> str:
    from wordline import loading
    from wordline.leagues import page as of_league
    from wordline.leagues.library import League
    from wordline.report import page
    from wordline.search import page as of_search
    from wordline.search.library import Front
    from wordline.sweeps import page as of_sweep

    found = loading.load(folder)
    if isinstance(found, Result | Comparison):
        return page.render(found)
    if isinstance(found, Front):
        return of_search.render(found.about, found.table)
    if isinstance(found, League):
        return of_league.render(found.about, found.table)
    return of_sweep.render(found.about, found.table)
