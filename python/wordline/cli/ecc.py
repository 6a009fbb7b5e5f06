"""What the verbs of `wordline code` print about error-correcting codes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wordline.cli import failures, output, plain, progress
from wordline.cli.options import Mode
from wordline.cli.validation import summary
from wordline.codes.ecc import EccCode, EccFamily, Point, items, shown
from wordline.codes.tallies import Kept
from wordline.errors import ConfigError, RunError, WorkloadError
from wordline.figures import metrics
from wordline.persistence import files


def examine(
    code: EccCode,
    limits: tuple[int, int, int] | None,
    rbers: Sequence[float],
    errors: int | None,
    tallies: Path | None,
    plot: Path | None,
    table: Path | None,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """A code's figures; how often it fails, within limits, and how long it takes, where asked."""
    from wordline.lab import plots

    if plot:
        plots.check(plot)
        if limits is None:
            raise ConfigError("there is nothing to plot", "--plot", "add --failure-rate")
    found: dict[str, Any] = {
        "code": code.name,
        "data_bytes": code.data_bytes,
        "parity_bytes": code.parity_bytes,
        "rate": code.rate,
        "miscorrection_bound": code.miscorrection_bound,
    }
    if limits:
        points = _measure(code, rbers or shown(code), limits, tallies, progress_mode)
        found["points"] = [point.to_dict() for point in points]
        found["items"] = list(items(code, points))
    if errors is not None:
        found["speed"] = vars(code.speed(errors))
    if table:
        files.write(table, _table(code))
    if plot:
        from wordline.codes.plots import of_ecc

        plots.save(of_ecc(code, found["points"]), plot)
    if as_json:
        plain.print_json(found)
    else:
        _show(found)


def named(family: EccFamily, t: int, data_bytes: int, rows: int) -> EccCode:
    """The code of a family."""
    return EccCode.bch(data_bytes, t) if family is EccFamily.BCH else EccCode.ldpc(rows)


def _table(code: EccCode) -> str:
    rows = "".join(f"{rber:.6g},{lost:.6g}\n" for rber, lost in code.table())
    return f"# wordline code table: failure, version 1, code {code.name}\nrber,failure\n{rows}"


def encode(source: Path, target: Path, code: EccCode, as_json: bool) -> None:
    """Writes codewords, each data and then parity; the last data are filled up with zeros."""
    data = files.read(source)
    chunks = [data[at : at + code.data_bytes] for at in range(0, len(data), code.data_bytes)]
    whole = [chunk.ljust(code.data_bytes, b"\0") for chunk in chunks]
    files.write(target, b"".join(chunk + code.encode(chunk) for chunk in whole))
    if as_json:
        plain.print_json({"code": code.name, "codewords": len(whole), "bytes": len(data)})
    else:
        told = f"codewords: {len(whole):,}, of {len(data):,} bytes"
        output.console().print(told, markup=False)


def decode(source: Path, target: Path, code: EccCode, length: int | None, as_json: bool) -> None:
    """Writes the data of codewords, or nothing where one cannot be corrected."""
    words = files.read(source)
    size = code.data_bytes + code.parity_bytes
    if not words or len(words) % size:
        raise WorkloadError(
            f"{len(words):,} bytes are no whole codewords of {size:,}",
            str(source),
            "name a file of `encode`, and the code that it was encoded with",
        )
    found, wrong = [], 0
    for number, at in enumerate(range(0, len(words), size)):
        parity = at + code.data_bytes
        try:
            data, bits = code.decode(words[at:parity], words[parity : at + size])
        except RunError as error:
            raise RunError(f"codeword {number}: {error.what}", str(source), error.help) from None
        found.append(data)
        wrong += bits
    files.write(target, b"".join(found)[:length])
    if as_json:
        plain.print_json({"code": code.name, "codewords": len(found), "wrong_bits": wrong})
    else:
        output.console().print(f"wrong bits corrected: {wrong:,}", markup=False)


def _measure(
    code: EccCode,
    rbers: Sequence[float],
    limits: tuple[int, int, int],
    tallies: Path | None,
    mode: Mode | None,
) -> list[Point]:
    """The points; what `tallies` holds is not counted again, and what is counted is kept there."""
    trials, lost, seed = limits
    kept = Kept(tallies)
    points = []
    with (
        failures.keeping("the same command goes on from the counts kept", tallies),
        progress.shown(mode) as start,
    ):
        for rber in rbers:
            key = f"{code.name}, rber {rber!r}, seed {seed}"
            update = start(f"{code.name} at {rber:g}")

            def told(done: int, total: int, _: int, update: Any = update) -> None:
                update("run", done, total, 0)

            counts = kept.of(key)
            point = code.failure(rber, trials, lost, seed=seed, counts=counts, progress=told)
            kept.keep(key, list(point.counts))
            points.append(point)
            update("done", trials, trials, 0)
    return points


def _show(found: Mapping[str, Any]) -> None:
    table = output.quantities()
    table.add_row("data", metrics.figure(found["data_bytes"]), "bytes")
    table.add_row("parity", metrics.figure(found["parity_bytes"]), "bytes")
    table.add_row("rate", f"{found['rate']:.4f}", "")
    if found["miscorrection_bound"] is not None:
        table.add_row("miscorrection", f"{found['miscorrection_bound']:.1e}", "of random words")
    if speed := found.get("speed"):
        errors, data = f"{speed['errors']:,} wrong bits", found["data_bytes"]
        for what, took_us, note in (
            ("encode", speed["encode_us"], ""),
            ("decode", speed["decode_us"], errors),
        ):
            table.add_row(
                what, f"{took_us:.2f}", f"µs, {data / took_us:,.0f} MB/s, {note}".rstrip(", ")
            )
        if speed["refused"]:
            table.add_row("refused", f"{speed['refused']}", f"of {speed['words']} words")
    output.show(found["code"], table)
    if "items" in found:
        _show_points(found["points"])
        output.show_items(found["items"])
        output.console().print(summary(found["items"]), markup=False)


def _show_points(points: Sequence[Mapping[str, Any]]) -> None:
    columns = ("RBER", "codewords", "lost", "rate", "95 % interval", "miscorrected", "rounds")
    table = output.grid(columns, figures=True)
    for point in points:
        rounds = point["mean_rounds"]
        table.add_row(
            f"{point['rber']:g}",
            f"{point['trials']:,}",
            f"{point['failures']:,}",
            f"{point['rate']:.2e}",
            f"{point['low']:.2e} to {point['high']:.2e}",
            f"{point['miscorrected']:,}",
            "–" if rounds is None else f"{rounds:.2f}",
        )
    output.show("codewords lost, by bit error rate", table)
