"""What the verbs of `wordline code` print about codes for a second write."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wordline.cli import failures, output, plain, progress
from wordline.cli.options import Mode
from wordline.cli.validation import summary
from wordline.codes.ecc import EccFamily
from wordline.codes.references import TARGET, items
from wordline.codes.wom import (
    CHECKSUM_BITS,
    Family,
    PageCode,
    RoundTrips,
    WomCode,
    for_page,
)
from wordline.errors import ConfigError, RunError
from wordline.figures import metrics
from wordline.persistence import files

_ALWAYS = 0.9995
"""A failure bound that is 100 % as it is printed."""


def list_(as_json: bool) -> None:
    """The codes."""
    wom, ecc = (
        [{"name": code.value, "summary": code.summary} for code in codes]
        for codes in ((*PageCode, Family.RIVEST_SHAMIR), EccFamily)
    )
    if as_json:
        plain.print_json({"wom": wom, "ecc": ecc})
    else:
        output.show_catalogue("codes for a second write", wom)
        output.show_catalogue("codes that correct errors", ecc)


def message_bits(cells: int, bits: int | None, rate: float | None) -> int | None:
    """Bits of a message, from either way to give them."""
    if bits is not None or rate is None:
        return bits
    if not 0 < rate <= 1:
        raise ConfigError(f"a rate of {rate} cannot be", "--rate", "give bits per cell, up to 1")
    return round(rate * cells)


def examine(
    code: WomCode,
    limits: tuple[int, int] | None,
    speed: bool,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """A code's figures; how often it fails and how long it takes where asked for."""
    found: dict[str, Any] = {
        "code": code.family.value,
        "cells": code.cells,
        "message_bits": code.message_bits,
        "rate": code.rate,
        "tries": code.tries,
        "failure_bound": code.failure_bound,
        "rber": code.rber,
        "correcting_cells": code.correcting,
    }
    if code.failure_bound is not None and code.failure_bound >= _ALWAYS:
        told = (
            "every write may fail at this rate: give a lower one, or a failure bound in its place"
        )
        plain.warn_of([(told, "")])
    if limits:
        with progress.shown(progress_mode) as start:
            found["failure"] = code.failure(*limits, progress=_told(start)(str(code))).to_dict()
            if code.rber:
                lost = code.lost_reads(*limits, progress=_told(start)("reads of wrong cells"))
                found["lost_reads"] = lost.to_dict()
    if speed:
        found["speed"] = vars(code.speed())
    if as_json:
        plain.print_json(found)
    else:
        _show_code(found)


def _told(start: progress.Start) -> Any:
    """Tells a task's progress in writes."""

    def begin(name: str) -> Any:
        update = start(name)
        return lambda done, total, _: update("run", done, total, 0)

    return begin


def _show_code(found: Mapping[str, Any]) -> None:
    table = output.quantities()
    table.add_row("cells", metrics.figure(found["cells"]), "")
    table.add_row("message", metrics.figure(found["message_bits"]), "bits")
    table.add_row("rate", metrics.figure(found["rate"]), "bits per cell")
    if found["correcting_cells"]:
        share = found["correcting_cells"] / found["cells"]
        spent = f"cells' worth ({share:.2%}) corrects wrong cells"
        table.add_row("given up", metrics.figure(found["correcting_cells"]), spent)
    if found["failure_bound"] is not None:
        table.add_row("failure bound, one try", f"{found['failure_bound']:.3%}", "of writes")
    tries = f"{found['tries']} tries" if found["tries"] > 1 else "one try"
    _show_share(table, f"failures, {tries}", found.get("failure"), "writes")
    rber = f"{found['rber']:g}"
    _show_share(table, f"lost, {rber} of cells wrong", found.get("lost_reads"), "reads")
    if speed := found.get("speed"):
        table.add_row("write", metrics.figure(speed["write_us"]), "µs, all attempts")
        table.add_row("attempts", metrics.figure(speed["attempts"]), "a write")
        table.add_row("read", metrics.figure(speed["read_us"]), "µs")
    output.show(found["code"], table)


def _show_share(table: Any, name: str, share: Mapping[str, Any] | None, of: str) -> None:
    if share is None:
        return
    table.add_row(name, f"{share['rate']:.3%}", f"of {of}, measured")
    table.add_row("", f"{share['low']:.3%} to {share['high']:.3%}", "at 95 %")
    table.add_row("", f"{share['failures']:,} of {share['trials']:,}", of)


def round_trips(
    named: PageCode,
    pages: int,
    shape: tuple[int, int, int, int],
    options: Mapping[str, Any],
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Random pages there and back; a failed run where one comes back wrong."""
    data_bytes, spare_bytes, reserved, logical_bytes = shape
    if reserved > spare_bytes:
        what = f"{reserved} bytes cannot be reserved of {spare_bytes} spare ones"
        raise ConfigError(what, "--reserved", "reserve fewer")
    cells = 8 * (data_bytes + spare_bytes - reserved)
    writable = 1 - 4 * data_bytes / cells
    code = _page_code(
        named,
        data_bytes + spare_bytes,
        logical_bytes,
        reserved,
        {**options, "writable": writable},
    )
    with progress.shown(progress_mode) as start:
        found = code.round_trips(pages, shape, _told(start)(str(code)))
    if as_json:
        plain.print_json({"code": str(code), "pages": pages} | vars(found))
    else:
        _show_round_trips(str(code), found)
    if found.wrong or found.unnoticed:
        raise RunError(
            f"{found.wrong} pages came back wrong, {found.unnoticed} were misread unnoticed",
            str(code),
            "this is a defect: please report the command",
        )


def _show_round_trips(name: str, found: RoundTrips) -> None:
    table = output.grid(("", "pages"), figures=True)
    table.add_row("written and read back", f"{found.came_back:,}")
    table.add_row("  refused when damaged", f"{found.refused:,}")
    table.add_row("  read in spite of damage", f"{found.corrected:,}")
    table.add_row("  misread, unnoticed", f"{found.unnoticed:,}")
    table.add_row("did not fit, as the write said", f"{found.does_not_fit:,}")
    table.add_row("wrong", f"{found.wrong:,}")
    output.show(name, table)


def write_page(
    used: Path,
    logical: Path,
    target: Path,
    named: PageCode,
    options: Mapping[str, Any],
    reserved: int,
    as_json: bool,
) -> None:
    """Writes a logical page over a used one."""
    page, data = files.read(used), files.read(logical)
    code = _page_code(named, len(page), len(data), reserved, options)
    written = code.write_page(page, data, reserved)
    if written is None:
        raise RunError(
            f"the logical page does not fit over this page in {code.tries} tries",
            str(used),
            "write it elsewhere, make more tries, or use more of the spare area",
        )
    files.write(target, written[0])
    if as_json:
        plain.print_json({"metadata": written[1], "rate": code.rate})
    else:
        output.console().print(f"metadata: {written[1]}", markup=False)


def read_page(
    page: Path,
    logical: Path,
    named: PageCode,
    options: Mapping[str, Any],
    place: tuple[int, int, int],
) -> None:
    """Reads what `write_page` stored; `place` is the metadata, the length, and what is reserved."""
    metadata, logical_bytes, reserved = place
    data = files.read(page)
    code = _page_code(named, len(data), logical_bytes, reserved, options)
    found, wrong = code.correct_page(data, metadata, logical_bytes, reserved)
    files.write(logical, found)
    if wrong:
        output.console().print(f"wrong cells corrected: {wrong:,}", markup=False)


def _page_code(
    named: PageCode,
    page_bytes: int,
    logical_bytes: int,
    reserved: int,
    options: Mapping[str, Any],
) -> WomCode:
    if not 0 <= reserved < page_bytes:
        what = f"{reserved} bytes cannot be reserved of {page_bytes}"
        raise ConfigError(what, "--reserved", "reserve fewer")
    tries = named.tries if options["tries"] is None else options["tries"]
    of_code = {**options, "tries": tries}
    return for_page(named.family, page_bytes, logical_bytes, reserved, **of_code)


def capacity(
    quick: bool, tallies: Path | None, plot: Path | None, progress_mode: Mode | None, as_json: bool
) -> None:
    """The study of what second writes need."""
    from wordline.codes.capacity import Study
    from wordline.codes.tallies import Tallies
    from wordline.lab import plots

    if plot:
        plots.check(plot)
    with (
        failures.keeping("the same command goes on from the counts kept", tallies),
        progress.shown(progress_mode) as start,
    ):
        study = Study(quick, Tallies(tallies, _told(start)))
        found: dict[str, Any] = {
            "items": list(items(quick, _told(start))),
            "chips": list(study.chips()),
            "rates": list(study.rates()),
            "curves": list(study.curves()),
        }
    if plot:
        from wordline.codes.plots import of_study

        plots.save(of_study(found), plot)
    if as_json:
        plain.print_json(found)
        return
    output.show_items(found["items"])
    output.console().print(summary(found["items"]), markup=False)
    _show_rates(found["rates"])
    _show_chips(found["chips"])


def _show_rates(rows: Sequence[Mapping[str, Any]]) -> None:
    lengths = sorted({row["cells"] for row in rows})
    table = output.grid(("code", *(f"{cells:,}" for cells in lengths)), figures=True)
    for name in dict.fromkeys(row["code"] for row in rows):
        rates = {row["cells"]: row["rate"] for row in rows if row["code"] == name}
        table.add_row(name, *(f"{rates[cells]:.3f}" for cells in lengths))
    output.show(f"\nHighest rate at {TARGET:.2%}, by number of cells (bits per cell)", table)


def _show_chips(rows: Sequence[Mapping[str, Any]]) -> None:
    codes = list(dict.fromkeys(row["code"] for row in rows))
    table = output.grid(("chip", "page\nKiB", "spare\n%", "spare\narea", *codes), figures=True)
    places = {(row["chip"], row["spare_area"]): row for row in rows}
    for (chip, state), row in places.items():
        cells = [_need(rows, chip, state, code) for code in codes]
        table.add_row(chip, str(row["page_kib"]), f"{row['spare_percent']:.2f}", state, *cells)
    title = (
        f"\nSpare area (% of the page) that half a page of data, with {CHECKSUM_BITS} bits of "
        f"checksum,\nneeds over a used page at {TARGET:.2%}; ✓ where the chip has it, and then the "
        "bits per 1 KiB\nthat two BCH codes could each correct in the rest"
    )
    output.show(title, table)


def _need(rows: Sequence[Mapping[str, Any]], chip: str, state: str, code: str) -> str:
    for row in rows:
        if (row["chip"], row["spare_area"], row["code"]) == (chip, state, code):
            mark = f"✓ {row['bch_bits_per_kib_twice']:>2}" if row["enough"] else "✗   "
            return f"{row['needed_percent']:.1f} {mark}"
    return "–"
