"""The verb `cuts`."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from click.exceptions import Exit

from wordline.cli import failures, output, plain, progress, simulation
from wordline.cli.options import Mode
from wordline.configuration import find
from wordline.native.types.power import CutReport
from wordline.persistence import files
from wordline.report import outages
from wordline.results.result_files import CUTS, REPORT
from wordline.runs import power_cuts, single_run


def cuts(
    config: str,
    sets: Sequence[str],
    techniques: Sequence[str],
    workload: str | None,
    every: int,
    at: int | None,
    trace_format: str | None,
    sort: bool,
    out: Path | None,
    force: bool,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Cuts the power of a run; the exit status is 1 if anything promised was missing."""
    overrides = (*sets, *single_run.workload_overrides(workload, trace_format, sort))
    configuration = find(config).with_overrides(overrides)
    variants = [single_run.of_technique(name) for name in techniques] or [
        single_run.Variant(config)
    ]
    reports = {}
    with simulation.begun(out, (REPORT, CUTS), force) as folder:
        with progress.shown(progress_mode) as start:
            for variant in variants:
                drive = configuration.with_overrides(variant.overrides)
                reports[variant.name] = power_cuts.cut(drive, every, at, start(variant.name))
        by_name = {name: report.to_dict() for name, report in reports.items()}
        if folder:
            again = _command(config, overrides, techniques, every, at)
            files.write(folder / REPORT, _page(config, reports, again))
            files.write(folder / CUTS, json.dumps(by_name, indent=2) + "\n")
    if as_json:
        plain.print_json(by_name if techniques else by_name[config])
    else:
        plain.warn_of((warning, "") for warning in outages.warnings(reports))
        for name, report in reports.items():
            _show(name, report)
        if out:
            told = f"report: {out / REPORT}"
            output.console().print(told, markup=False, soft_wrap=True)
    if any(report.losing_cuts or report.losing_double_cuts for report in reports.values()):
        raise Exit(failures.FAILED_RUN)


def _page(name: str, reports: Mapping[str, CutReport], again: str) -> str:
    restarts = any(report.restarts for report in reports.values())
    told = {name: figures(report, restarts) for name, report in reports.items()}
    return outages.render(name, reports, told, again)


def _command(
    config: str, overrides: Sequence[str], techniques: Sequence[str], every: int, at: int | None
) -> str:
    """The command that makes the same cuts again."""
    words = ["wordline", "cuts", config]
    for option, values in (("--set", overrides), ("--technique", techniques)):
        words += [word for value in values for word in (option, value)]
    words += [] if every == 1 else ["--every", str(every)]
    words += [] if at is None else ["--at", str(at)]
    return shlex.join(words)


def _show(name: str, report: CutReport) -> None:
    rows = figures(report, report.restarts > 0)
    output.show(f"Power cuts of {name}", output.quantities(rows))
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


def figures(report: CutReport, restarts: bool) -> list[tuple[str, str, str]]:
    """What a report says, as label, value and unit; `restarts`: also of these."""
    restart, bearing, array = report.restart, report.hold_up, report.array
    rows: list[tuple[str, float, str, str]] = [
        ("cuts", report.cuts, ",", ""),
        ("of them lost what was flushed", report.losing_cuts, ",", "cuts"),
        ("programs and erases", report.commands, ",", ""),
        ("under way at a cut, mean", report.commands_cut_mean, ".2f", "programs, erases"),
        ("flushes that were over", report.flushes, ",", ""),
        ("FUA writes that were over", report.fua_writes, ",", ""),
        ("promised by them", report.promises, ",", "units"),
    ]
    if restarts:
        rows += [
            ("restarts", report.restarts, ",", ""),
            ("cuts in their midst", report.double_cuts, ",", "cuts"),
            ("of them lost what was flushed", report.losing_double_cuts, ",", "cuts"),
            ("of them by checkpoint", restart.by_checkpoint, ",", "restarts"),
            ("a restart: pages read, mean", restart.page_reads, ",.0f", f"of {restart.pages:,}"),
            ("a restart: pages read, most", restart.page_reads_most, ",", ""),
            ("a restart: scan, mean", restart.scan_ms, ",.1f", "ms"),
            ("a restart: units programmed, mean", restart.programs, ",.1f", ""),
            ("a restart: units moved, mean", restart.units_moved, ",.1f", ""),
            ("a restart: blocks erased, mean", restart.erases, ",.1f", ""),
            ("a restart: moving, mean", restart.moving_ms, ",.1f", "ms"),
        ]
    if bearing:
        rows += [
            ("hold-up energy", bearing.energy_nj, ",", "nJ"),
            ("enough for", bearing.borne_cuts, ",", "cuts"),
            ("enough for all would be", bearing.needed_most_nj, ",", "nJ"),
            ("needed, mean", bearing.needed_mean_nj, ",.0f", "nJ"),
            ("programs and erases finished, mean", bearing.finished_mean, ".2f", ""),
            ("units saved from memory, mean", bearing.saved_mean, ".2f", ""),
            ("cuts that lost what was acknowledged", bearing.forgetting_cuts, ",", "cuts"),
            ("units lost by them", bearing.forgotten_units, ",", ""),
            ("units lost by the worst of them", bearing.forgotten_most, ",", ""),
        ]
    if array:
        rows += [
            ("parity or copies did not match", array.unmatched_cuts, ",", "cuts"),
            ("stripes that did not, mean", array.unmatched_mean, ".2f", ""),
            ("stripes that did not, most", array.unmatched_most, ",", ""),
            ("write hole: a failing drive takes data", array.hole_cuts, ",", "cuts"),
            ("pages that it takes, of all cuts", array.hole_pages, ",", ""),
        ]
    if array and restarts:
        rows += [
            ("write hole in the midst of restarts", array.hole_double_cuts, ",", "cuts"),
            ("then logs or stripes: pages read, mean", array.restart_page_reads, ",.0f", ""),
            ("then logs or stripes: reading, mean", array.restart_read_ms, ",.1f", "ms"),
        ]
    return [(label, format(value, how), unit) for label, value, how, unit in rows]
