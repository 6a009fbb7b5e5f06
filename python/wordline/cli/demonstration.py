"""The verb `demo`: each technique under a load that suits it, and under one that does not."""

from pathlib import Path

from wordline.cli import failures, output, plain, progress
from wordline.cli.options import Mode
from wordline.cli.simulation import carry_out, default_folder
from wordline.demonstration import page, questions
from wordline.figures import metrics
from wordline.results import result_files
from wordline.results.result import Comparison
from wordline.runs import side_by_side


def demo(out: Path | None, force: bool, progress_mode: Mode | None, as_json: bool) -> None:
    """Runs the comparisons, prints what they say, and writes their report."""
    out = out or default_folder("demo", force)
    found = carry_out(
        _answers, result_files.save_comparison, out, force, progress_mode, page.render
    )
    with failures.keeping("the whole results are", out):
        if as_json:
            plain.print_json(found.to_dict())
        else:
            _show(found, out)


def _answers(start: progress.Start) -> Comparison:
    cases = []
    for question in questions.QUESTIONS:
        for load in question.loads:
            of_load = side_by_side.compare_variants(
                question.base(load), question.variants, [load.workload], progress=start
            )
            cases += question.named(load, of_load).cases
    return Comparison(cases)


def _show(found: Comparison, out: Path) -> None:
    table = output.grid(("", "load", "figure", "without", "with it", ""), figures=True)
    for column in table.columns[1:3]:
        column.justify = "left"
    for question in questions.QUESTIONS:
        for number, load in enumerate(question.loads):
            without, with_it = question.pair(load, found)
            values = map(metrics.figure, (without, with_it))
            name = "" if number else question.name
            told = page.in_words(load.figure)
            table.add_row(name, load.name, told, *values, metrics.change(with_it / without))
    output.show("Each technique under a load that suits it, and under one that does not", table)
    warnings = len(page.warnings_of(found))
    output.console().print(
        f"report: {out / result_files.REPORT} (with {warnings} warnings of the runs)\n"
        "next:   docs/start.md, with a drive and a trace of your own",
        markup=False,
        soft_wrap=True,
    )
