"""The verb `fit drive`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from wordline.cli import output, plain
from wordline.fitting import library
from wordline.fitting.drive import Number
from wordline.fitting.library import DriveFit

_LARGE_GIB = 10
"""Of such drives a decimal of a GiB is enough; smaller ones are served, to try the fit."""


def drive(
    paths: Sequence[Path],
    sizes: Mapping[str, str | None],
    chosen: Mapping[str, Sequence[str]],
    workload: str | None,
    factor: float | None,
    name: str,
    out: Path | None,
    as_json: bool,
) -> None:
    """Fits a drive and shows it.

    Args:
        paths: The logs.
        sizes: Those of the data sheet.
        chosen: By side, counters as `NAME:UNIT`.
        workload: What unmarked snapshots hold.
        factor: Bytes written for each byte of data, if known.
        name: The drive's.
        out: Where to write the drive.
        as_json: For machines.

    Raises:
        ConfigError: An option that cannot be used.
        WorkloadError: A log that cannot be used.
    """
    fit = library.fitted(paths, sizes, chosen, workload, factor, name, "--")
    if out:
        fit.save(out, force=True)  # as `out` was checked
    plain.warn_of((warning, "") for warning in fit.warnings)
    if as_json:
        plain.print_json(fit.to_dict())
        return
    _show(fit)
    if out:
        output.console().print(f"drive: {out}", markup=False, soft_wrap=True)


def _show(fit: DriveFit) -> None:
    digits = 1 if fit.exported_gib >= _LARGE_GIB else 4
    table = output.grid(("", "", "95 %", ""), True)
    kind = "fitted" if fit.is_factor_fitted else "given"
    table.add_row("room for data, GiB", *_ends(fit.room_gib, digits), "fitted")
    table.add_row("written for each unit of data", *_ends(fit.factor, 4), kind)
    output.show(f"A drive that exports {fit.exported_gib:,.{digits}f} GiB", table)
    table = output.grid(("written", "GiB", "measured", "model", "off"), True)
    for seen in fit.observations:
        part = seen.part
        table.add_row(
            part.workload,
            f"{part.space_gib:,.{digits}f}",
            f"{part.amplification:.4f}",
            f"{seen.model:.4f}",
            f"{seen.miss:+.1%}",
        )
    output.show("Write amplification", table)
    table = output.grid(("uniform writes over GiB", "write amplification"), True)
    for space, found in fit.predicted():
        table.add_row(f"{space:,.{digits}f}", f"{found:.3f}")
    output.show("By the closed form", table)


def _ends(number: Number, digits: int) -> tuple[str, str]:
    value, low, high = (f"{end:,.{digits}f}" for end in (number.value, number.low, number.high))
    return value, f"{low} to {high}"
