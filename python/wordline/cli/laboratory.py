"""What the verbs of `wordline lab` print."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from wordline import lab
from wordline.cli import failures, output, plain, progress
from wordline.cli.options import Mode
from wordline.cli.validation import summary
from wordline.components import catalogue
from wordline.errors import ConfigError
from wordline.figures import metrics
from wordline.native.types.lab import Fit, Survey
from wordline.persistence import files, folders


def list_(as_json: bool) -> None:
    """Chips and experiments."""
    found = lab.contents()
    if as_json:
        plain.print_json(found)
        return
    output.show_catalogue("chips", [chip.to_dict() for chip in found.chips])
    output.show_catalogue("experiments", [one.to_dict() for one in found.experiments])


def describe(name: str, as_json: bool) -> None:
    """A chip, with the source of every value."""
    chips = {chip.name: chip for chip in lab.contents().chips}
    if name not in chips:
        hint = catalogue.did_you_mean(name, chips, "chips", "wordline lab list")
        raise ConfigError(f"unknown chip `{name}`", help=hint)
    if as_json:
        plain.print_json(chips[name])
    else:
        output.describe({**chips[name].to_dict(), "kind": "chip of the laboratory"})


def vth(
    chip: str,
    mode: str,
    pec: str,
    age: str,
    temp: str,
    reads: str,
    plot: Path | None,
    as_json: bool,
) -> None:
    """A word line under conditions."""
    _check(plot)
    survey = lab.vth(chip, mode=mode, pec=pec, age=age, temp=temp, reads=reads)
    if plot:
        from wordline.lab import plots

        plots.save(plots.of_survey(survey), plot)
    if as_json:
        plain.print_json(survey)
        return
    _show_states(survey)
    _show_readings(survey)


def _check(plot: Path | None) -> None:
    """Refuses a plot that could not be written before anything is computed."""
    if plot:
        from wordline.lab import plots

        plots.check(plot)


def _show_states(survey: Survey) -> None:
    table = output.grid(("state", "bits", "mean", "sigma"), figures=True)
    for state in survey.states:
        figures = (f"{state[key]:.1f}" for key in ("mean", "sigma"))
        table.add_row(state.name, state.bits, *figures)
    title = (
        f"{survey.chip}, {survey.mode.upper()} mode: {survey.pec:,.0f} P/E cycles, "
        f"{metrics.figure(survey.age_h)} h at {survey.temperature_c:g} °C, "
        f"{survey.reads:,.0f} reads; voltages in units"
    )
    output.show(title, table)


def _show_readings(survey: Survey) -> None:
    code = f"{survey.ecc_bits} bits per {survey.ecc_data_bytes:,} bytes"
    columns = ("references", "page", "RBER", "errors per codeword", "codeword failure")
    table = output.grid(columns, figures=True)
    for reading in survey.reads_by:
        rows = zip(
            reading.rber, reading.errors_per_codeword, reading.codeword_failure,
            strict=True,
        )  # fmt: skip
        for page, (rate, errors, failure) in enumerate(rows):
            name = reading.references_are if page == 0 else ""
            table.add_row(name, str(page), f"{rate:.2e}", f"{errors:.3g}", f"{failure:.2e}")
    output.show(f"reads, with a code of {code}", table)
    retries = survey.retries
    told = "not enough" if retries is None else retries
    output.console().print(f"read retries until the worst page can be corrected: {told}")


def run(name: str, plot: Path | None, as_json: bool) -> None:
    """An experiment beside its publication."""
    _check(plot)
    report = lab.experiment(name)
    if plot:
        from wordline.lab import plots

        plots.save(plots.of_experiment(report.plots), plot)
    if as_json:
        plain.print_json(report)
        return
    output.show_items(report.items)
    _show_fits(report.fits)
    output.console().print(summary(report.items), markup=False)


def campaign(
    chip: str, settings: Mapping[str, Any], progress_mode: Mode | None, as_json: bool
) -> None:
    """Many chips."""
    kept = failures.keeping("the same command goes on from the chips kept", settings["store"])
    with kept, progress.shown(progress_mode) as start:
        update = start(f"campaign {chip}")

        def told(done: int, total: int) -> None:
            update("run", done, total, 0)

        found = lab.campaign(chip, **settings, progress=told)
    if as_json:
        plain.print_json(found)
        return
    table = output.grid(("errors per codeword", ""), figures=True)
    for page, errors in enumerate(found.errors_by_page):
        table.add_row(f"page {page}", f"{errors:.4g}")
    table.add_row("all pages", f"{found.errors:.4g}")
    interval = f"{found.errors_low:.4g} to {found.errors_high:.4g}"
    table.add_row(f"its interval, {settings['confidence']:.4g}", interval)
    table.add_row("standard deviation of chips", f"{found.errors_between_chips:.3g}")
    for share, errors in found.worst_codeword:
        table.add_row(f"worst codeword of {share:.2%} of the pages, at most", str(errors))
    output.show(f"{chip}: {found.chips} chips, {found.pages:,} pages", table)
    output.console().print(
        f"{found.uncorrectable:,} pages beyond the code's {found.ecc_bits} bits", markup=False
    )


def tables(chip: str, out: Path, force: bool, as_json: bool) -> None:
    """A chip's tables, as files."""
    found = lab.tables(chip)
    with folders.output_folder(out, found, force=force) as partial:
        for name, text in found.items():
            files.write(partial / name, text)
    paths = [out / name for name in found]
    if as_json:
        plain.print_json({"files": [str(path) for path in paths]})
        return
    for path in paths:
        output.console().print(str(path), markup=False, soft_wrap=True)


_SATURATED = "; saturated: as many parameters as numbers, so that they agree says nothing"


def _show_fits(fits: Sequence[Fit]) -> None:
    for fit in fits:
        table = output.grid(("parameter", "fitted"), figures=True)
        for path, value in fit.parameters:
            table.add_row(Text(path), f"{value:.4g}")
        title = (
            f"fitted: {fit.free} free parameters of {fit.chip} to {fit.numbers} "
            f"numbers ({fit.to}), by {fit.method}{_SATURATED if fit.saturated else ''}"
        )
        output.show(title, table)
    if len(fits) > 1:
        free, numbers = (sum(fit[key] for fit in fits) for key in ("free", "numbers"))
        output.console().print(f"fitted in all: {free} free parameters to {numbers} numbers")
