"""The verbs `trace synth` and `trace fit`."""

from pathlib import Path

import click

from wordline import _native
from wordline.cli import output, plain
from wordline.figures import metrics
from wordline.native import native_api
from wordline.persistence import files

_GIB = 1 << 30


def synth(
    workload: str,
    out: Path,
    to: str | None,
    seed: int,
    span_gib: float,
    lossy: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Writes a generated workload to a trace file, and says what it wrote."""
    span_bytes = round(span_gib * _GIB)
    options = {"format": to, "lossy": lossy, "force": force}
    with files.made(out.parent):
        written = native_api.trace_synth(workload, str(out), span_bytes, seed, **options)
    if as_json:
        plain.print_json(written.to_dict())
        return
    table = output.grid(("", ""))
    for key in ("path", "format", "compression", "requests", "bytes", "seed"):
        value = written[key]
        shown = metrics.figure(value) if isinstance(value, int) else value
        table.add_row("size (bytes)" if key == "bytes" else key, shown)
    output.show(f"{written.workload} (synthetic)", table)


def fit(
    workload: str, out: Path | None, name: str | None, trace_format: str | None, sort: bool
) -> None:
    """Fits a model to a trace and writes it as TOML."""
    name = name or Path(workload).name.split(".")[0]
    model, warnings = _native.trace_fit(workload, name, trace_format, sort)
    plain.warn_of((warning, "") for warning in warnings)
    if out is None:
        click.echo(model, nl=False)
        return
    files.write(out, model)
    click.echo(f"{out}: `--workload {out}` runs it, `wordline trace synth {out} OUT` writes it")
