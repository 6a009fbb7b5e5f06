"""The verb `cuts`."""

from collections.abc import Sequence

import typer

from wordline import cutting, runs
from wordline.cli import failures, output, progress
from wordline.cli.options import Mode
from wordline.configuration import find
from wordline.results.power import CutReport


def cuts(
    config: str,
    sets: Sequence[str],
    workload: str | None,
    every: int,
    at: int | None,
    trace_format: str | None,
    mode: Mode | None,
    as_json: bool,
) -> None:
    """Cuts the power of a run; the exit status is 1 if anything promised was missing."""
    overrides = (*sets, *runs.workload_overrides(workload, trace_format))
    configuration = find(config).with_overrides(overrides)
    with progress.shown(mode) as start:
        report = cutting.cut(configuration, every, at, start(config))
    if as_json:
        output.print_json(report.to_dict())
    else:
        _show(config, report)
    if report.losing_cuts or report.losing_double_cuts:
        raise typer.Exit(failures.FAILED_RUN)


def _show(name: str, report: CutReport) -> None:
    table = output.grid(("", "", ""))
    table.show_header = False
    table.columns[1].justify = "right"
    for label, value, unit in figures(report):
        table.add_row(label, value, unit)
    output.show(f"Power cuts of {name}", table)
    if report.losses:
        heads = ("cut", "during", "command", "requests", "logical unit", "promised", "found")
        losses = output.grid(heads)
        for it in report.losses:
            found = str(it.found) if it.found else "nothing"
            row = (it.cut, it.moment, it.command, it.requests, it.lpn, it.promised, found)
            losses.add_row(*map(str, row))
        output.show("The first losses, versions counted from 1", losses)
        first = report.losses[0]
        output.console().print(
            f"Again: --set workload.first={first.requests} --at {first.command}", markup=False
        )


def figures(report: CutReport) -> list[tuple[str, str, str]]:
    """What a report says, as label, value and unit."""
    restart = report.restart
    return [
        ("cuts", f"{report.cuts:,}", ""),
        ("of them lost what was flushed", f"{report.losing_cuts:,}", "cuts"),
        ("programs and erases", f"{report.commands:,}", ""),
        ("under way at a cut, mean", f"{report.commands_cut_mean:.2f}", "programs, erases"),
        ("flushes that were over", f"{report.flushes:,}", ""),
        ("promised by them", f"{report.promises:,}", "units"),
        ("restarts", f"{report.restarts:,}", ""),
        ("cuts in their midst", f"{report.double_cuts:,}", "cuts"),
        ("of them lost what was flushed", f"{report.losing_double_cuts:,}", "cuts"),
        ("a restart: pages read", f"{restart.page_reads:,}", ""),
        ("a restart: scan", f"{restart.scan_ms:,.1f}", "ms"),
        ("a restart: units moved, mean", f"{restart.units_moved:,.1f}", ""),
        ("a restart: blocks erased, mean", f"{restart.erases:,.1f}", ""),
        ("a restart: moving, mean", f"{restart.moving_ms:,.1f}", "ms"),
    ]
