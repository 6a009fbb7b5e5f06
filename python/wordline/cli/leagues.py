"""The verb `league`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wordline.cli import failures, output, plain, progress
from wordline.cli.options import Mode
from wordline.cli.sweeping import in_words
from wordline.errors import RunError
from wordline.figures import metrics, warning_groups
from wordline.leagues import heats, library, page
from wordline.leagues.library import League
from wordline.leagues.standings import Front, Standing, together
from wordline.persistence import files, folders
from wordline.results import result_files
from wordline.results.store import Store
from wordline.runs.single_run import CONVENTIONAL
from wordline.sweeps.runner import Standing as Course
from wordline.sweeps.runner import Told

_FIGURES = {
    "erases_per_gib": "erases\nper GiB", "write_amplification": "WA", "padding": "padding",
    "read_mean_us": "read\nmean", "read_p999_us": "read\np99.9", "read_p9999_us": "read\np99.99",
    "write_p999_us": "write\np99.9", "bandwidth_mb_s": "band-\nwidth",
    "energy_mj_per_gib": "energy", "spent_lifetime": "spent\nlife", "life_gib": "life",
    "cut_lost_kib": "lost in\na cut", "cut_flushed_percent": "flushed\nlost, %",
}  # fmt: skip
_SHARES = ("cut_flushed_percent",)  # of which no ratio is told: they are near zero


def league(
    quick: bool,
    on: str | None,
    workers: int | None,
    store: Path,
    out: Path | None,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Carries out the league; the exit status is 1 where a run failed."""
    folder = out or Path("wordline-out") / ("league-quick" if quick else "league")
    extent = heats.QUICK if quick else heats.WHOLE
    with files.made(folder, store):
        folders.check_ours(folder, library.NAMES)
        told = "the same command goes on from the runs kept"
        with failures.keeping(told, store / "runs"):
            with progress.shown(progress_mode) as start:
                found = library.carry_out(extent, Store(store), on, workers, _beginning(start))
            folders.write_into(folder, found.files())
    with failures.keeping("the whole results are", folder):
        show(found, folder, as_json)
    if found.failures:
        what = f"{len(found.failures):,} of {len(found):,} runs failed"
        raise RunError(what, str(folder / library.POINTS), "its column `error` says why")


def _beginning(start: progress.Start) -> Any:
    """Begins a heat: what is told of its course is shown as progress."""

    def begin(name: str) -> Told:
        update = start(name)

        def tell(course: Course) -> None:
            is_over = course.done == course.total
            update("done" if is_over else in_words(course), course.done, course.total, 0)

        return tell

    return begin


def show(found: League, folder: Path, as_json: bool) -> None:
    """Prints the standings, and where the rest is."""
    if as_json:
        plain.print_json({
            **found.about,
            "standings": [one.to_dict() for one in found.standings()],
            "fronts": [one.to_dict() for one in found.fronts()],
            "winners": [one.to_dict() for one in found.winners()],
        })  # fmt: skip
        return
    plain.warn_of(warning_groups.concerned(found.about["warnings"], len(found), "runs"))
    for place, own in together(found.standings()).items():
        _show_part(page.heading(*place), own)
    _show_fronts(found.fronts())
    refused = {(one["division"], one["variant"]) for one in found.about["refused"]}
    told = f"{len(refused)} drives are refused; the report says why"
    output.console().print(told, markup=False)
    for label, name in (("runs", library.POINTS), ("report", result_files.REPORT)):
        output.console().print(f"{label}: {folder / name}", markup=False, soft_wrap=True)


def _show_part(title: str, own: Sequence[Standing]) -> None:
    shown = [key for key in _FIGURES if any(key in one.values for one in own)]
    table = output.grid(("", *(_FIGURES[key] for key in shown)), figures=True)
    for one in own:
        cells = [_cell(one, key) for key in shown]
        table.add_row(one.variant, *cells)
    output.show(title, table)


def _show_fronts(fronts: Sequence[Front]) -> None:
    """What to build for each workload: a line for each drive that no other one beats."""
    table = output.grid(("workload", "writes end", "drive", *page.GAINS), figures=True)
    for one in fronts:
        for drive, gains in one.drives.items():
            cells = page.gains(gains)
            table.add_row(
                f"{one.load or page.TYPICAL}, {one.division}", one.acknowledge, drive, *cells
            )
    output.show(page.FRONTS, table)


def _cell(one: Standing, key: str) -> str:
    """A ratio, in brackets where it may be chance; a value where nothing is compared."""
    if one.variant == CONVENTIONAL or key in _SHARES:
        return metrics.figure(one.values.get(key))
    effect = one.effects.get(key)
    if effect is None:
        return "–"
    told = metrics.change(effect.ratio.mean)
    return told if effect.is_beyond_chance else f"({told})"
