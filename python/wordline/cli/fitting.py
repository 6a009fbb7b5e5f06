"""The verb `fit drive`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wordline import catalogue, files
from wordline.cli import output
from wordline.errors import ConfigError, WorkloadError
from wordline.fitting import counters, logs, preset, segments
from wordline.fitting import drive as fitted
from wordline.fitting.drive import Fit, Number

_GIB = 1 << 30
_SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)  # of the drive, whose write amplification is shown


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
        sizes: By option, those of the data sheet.
        chosen: By option, counters as `NAME:UNIT`.
        workload: What unmarked snapshots hold.
        factor: Bytes written for each byte of data, if known.
        name: The drive's.
        out: Where to write the drive.
        as_json: For machines.

    Raises:
        ConfigError: An option that cannot be used.
        WorkloadError: A log that cannot be used.
    """
    if workload is not None and workload not in logs.WORKLOADS:
        hint = catalogue.did_you_mean(workload, logs.WORKLOADS, "workloads")
        raise ConfigError(f"unknown workload `{workload}`", "--workload", hint)
    if factor is not None and not 1 <= factor < 2:
        raise ConfigError(f"a factor of {factor:g}", "--factor", "give 1 or more, and less than 2")
    if out:
        files.check_writable(out)
    by_side = {side: counters.chosen(chosen[f"--{side}"], f"--{side}") for side in counters.SIDES}
    read = [logs.read(path, by_side) for path in paths]
    given = {option: _gib(text, option) for option, text in sizes.items()}
    exported_gib = given["--exported"] or _exported(read)
    parts = [part for log in read for part in segments.parts(log, workload, exported_gib)]
    fit = fitted.fit(read, parts, exported_gib, given["--nand"], factor)
    if out:
        called = name or paths[0].stem
        text = preset.text(fit, called, given["--superblock"], preset.UNITS)
        files.write(out, text)
    output.warn_of((warning, "") for warning in fit.warnings)
    if as_json:
        output.print_json(_plain(fit))
        return
    _show(fit)
    if out:
        output.console().print(f"drive: {out}", markup=False, soft_wrap=True)


def _gib(text: str | None, option: str) -> float | None:
    return None if text is None else counters.size(text, option) / _GIB


def _exported(read: Sequence[logs.Log]) -> float:
    found = next((log.exported_bytes for log in read if log.exported_bytes), None)
    if found is None:
        what = "no log says what the drive exports"
        raise WorkloadError(what, str(read[0].path), "give --exported, as 800GB or 745.2GiB")
    return found / _GIB


def _show(fit: Fit) -> None:
    table = output.grid(("", "", "95 %", ""), True)
    kind = "fitted" if fit.is_factor_fitted else "given"
    table.add_row("room for data, GiB", *_ends(fit.room_gib, 1), "fitted")
    table.add_row("written for each unit of data", *_ends(fit.factor, 4), kind)
    output.show(f"A drive that exports {fit.exported_gib:,.1f} GiB", table)
    table = output.grid(("written", "GiB", "measured", "model", "off"), True)
    for seen in fit.observations:
        part = seen.part
        table.add_row(
            part.workload,
            f"{part.space_gib:,.1f}",
            f"{part.amplification:.4f}",
            f"{seen.model:.4f}",
            f"{seen.miss:+.1%}",
        )
    output.show("Write amplification", table)
    table = output.grid(("uniform writes over GiB", "write amplification"), True)
    for space, found in _predicted(fit):
        table.add_row(f"{space:,.1f}", f"{found:.3f}")
    output.show("By the closed form", table)


def _ends(number: Number, digits: int) -> tuple[str, str]:
    value, low, high = (f"{end:,.{digits}f}" for end in (number.value, number.low, number.high))
    return value, f"{low} to {high}"


def _predicted(fit: Fit) -> list[tuple[float, float]]:
    spaces = [share * fit.exported_gib for share in _SHARES]
    return [(space, fit.amplification(space)) for space in spaces]


def _plain(fit: Fit) -> dict[str, Any]:
    def ends(number: Number) -> dict[str, float]:
        return {"value": number.value, "low": number.low, "high": number.high}

    return {
        "logs": [str(path) for path in fit.logs],
        "exported_gib": fit.exported_gib,
        "room_gib": ends(fit.room_gib),
        "factor": ends(fit.factor) | {"is_fitted": fit.is_factor_fitted},
        "observations": [
            {
                "place": seen.part.place,
                "workload": seen.part.workload,
                "space_gib": seen.part.space_gib,
                "measured": seen.part.amplification,
                "model": seen.model,
                "drift": seen.part.drift,
            }
            for seen in fit.observations
        ],
        "predicted": [
            {"space_gib": space, "write_amplification": found} for space, found in _predicted(fit)
        ],
        "warnings": list(fit.warnings),
    }
