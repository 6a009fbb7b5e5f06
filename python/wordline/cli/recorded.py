"""The verb `cuts` on a recording of a served drive."""

import json
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from click.exceptions import Exit

from wordline.cli import failures, output, plain, progress, simulation
from wordline.cli.options import Mode
from wordline.configuration import find
from wordline.errors import ConfigError
from wordline.native.types.power import RecordedCuts
from wordline.persistence import files
from wordline.results.result_files import CUTS
from wordline.runs import recorded_cuts, single_run
from wordline.runs.recorded_cuts import Check

_TOLD = 400
"""Characters of what a command said."""


def refuse(**others: object) -> None:
    """Refuses options of a workload beside a recording.

    Raises:
        ConfigError: One of them was given.
    """
    for name, value in others.items():
        if value is not None:
            option = f"--{name.replace('_', '-')}"
            raise ConfigError(f"{option} and --recording are given", option, "leave one out")


def cuts(
    config: str,
    sets: Sequence[str],
    techniques: Sequence[str],
    recording: Path,
    check: str | None,
    number: int,
    after: int,
    seed: int,
    block_layer: bool,
    out: Path | None,
    force: bool,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Cuts the power of a recording; the exit status is 1 if anything is wrong after a cut."""
    configuration = find(config).with_overrides(sets)
    variants = [single_run.of_technique(name) for name in techniques] or [
        single_run.Variant(config)
    ]
    looked_at = by_command(check) if check is not None else None
    reports: dict[str, RecordedCuts] = {}
    with simulation.begun(out, (CUTS,), force) as folder:
        with progress.shown(progress_mode) as start:
            for variant in variants:
                drive = configuration.with_overrides(variant.overrides)
                shown = start(variant.name)
                reports[variant.name] = recorded_cuts.cut(
                    drive, recording, looked_at, number, after, seed, shown, block_layer
                )
        by_name = {name: report.to_dict() for name, report in reports.items()}
        if folder:
            files.write(folder / CUTS, json.dumps(by_name, indent=2) + "\n")
    if as_json:
        plain.print_json(by_name if techniques else by_name[config])
    else:
        for name, report in reports.items():
            _show(name, report, check is not None, block_layer)
    if any(report.losing_cuts or report.failed_checks for report in reports.values()):
        raise Exit(failures.FAILED_RUN)


def by_command(command: str) -> Check:
    """A check that a command makes, with the file as its last argument: what it says if it fails.

    Raises:
        ConfigError: There is no such command.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"`{command}`: {error}", "--check", "give a command") from None
    if not words:
        raise ConfigError("there is no command", "--check", "give one, such as 'e2fsck -fn'")

    def check(disk: Path) -> str | None:
        try:
            done = subprocess.run([*words, str(disk)], capture_output=True, text=True, check=False)
        except OSError as error:
            what = f"`{words[0]}`: {error.strerror}"
            raise ConfigError(what, "--check", "give a command that can be run") from None
        if done.returncode == 0:
            return None
        said = (done.stdout + done.stderr).strip()[-_TOLD:]
        return said or f"exit status {done.returncode}"

    return check


def _show(name: str, report: RecordedCuts, has_check: bool, block_layer: bool) -> None:
    rows = [
        ("changes recorded", f"{report.changes:,}", ""),
        ("flushes among them", f"{report.flushes:,}", ""),
        *([] if block_layer else [("writes to the image", f"{report.moments:,}", "")]),
        ("cuts", f"{report.cuts:,}", ""),
        ("of them lost what was flushed", f"{report.losing_cuts:,}", "cuts"),
    ]
    if has_check:
        rows.append(("of them failed the check", f"{report.failed_checks:,}", "cuts"))
    output.show(f"Power cuts of {name}", output.quantities(rows))
    if report.losses:
        losses = output.grid(("cut", "changes over", "units lost", "first", "the check says"))
        for it in report.losses:
            first = "" if it.first_unit is None else str(it.first_unit)
            said = (it.found or "").splitlines()
            losses.add_row(
                str(it.cut), str(it.changes), str(it.units), first, said[0] if said else ""
            )
        output.show("The first losses", losses)
