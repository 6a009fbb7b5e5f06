"""The verb `reproduce`."""

import json
from collections.abc import Sequence
from pathlib import Path

from wordline import reproduce as papers
from wordline.cli import failures, output, plain, progress
from wordline.cli.options import Mode
from wordline.cli.validation import summary
from wordline.persistence import files, folders
from wordline.reproduce import page
from wordline.results.store import Store

ITEMS, REPORT = "items.json", "report.html"


def reproduce(
    paper: str,
    figures: Sequence[str],
    quick: bool,
    traces: Path | None,
    store: Path,
    out: Path | None,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Reproduces figures; the exit status is 0 whatever deviates: a deviation is a finding."""
    study = papers.study(paper)
    papers.choose(study, figures)
    folder = out or Path("wordline-out") / f"reproduce-{paper}"
    told = "the same command goes on from the runs kept"
    with files.made(folder, store):
        folders.check_ours(folder, (ITEMS, REPORT))
        with failures.keeping(told, store / "runs"):
            with progress.shown(progress_mode) as start:
                found = papers.reproduce(
                    study, figures, quick=quick, traces=traces, store=Store(store), progress=start
                )
            items = json.dumps(found.to_dict(), indent=1) + "\n"
            folders.write_into(folder, {ITEMS: items, REPORT: page.render(found)})
    with failures.keeping("the whole results are", folder):
        _show(found, folder, as_json)


def _show(found: papers.Reproduction, folder: Path, as_json: bool) -> None:
    plain.warn_of(page.warnings_of(found))
    if as_json:
        plain.print_json(found.to_dict())
        return
    output.show_items([item for item in found.all_items if item["status"] != "skipped"])
    output.console().print(summary(found.all_items), markup=False)
    output.console().print(f"report: {folder / REPORT}", markup=False, soft_wrap=True)
