"""The verbs of `wordline trace`. What a verb needs is imported when it runs."""

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli.options import Json, ProgressMode, TraceFormat

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Look at workloads by themselves, without a drive.",
)

Workload = Annotated[
    str,
    typer.Argument(help="A trace file, or a generator such as zipf:theta=0.9.", metavar="FILE"),
]


@app.callback()
def common() -> None:
    """Look at workloads by themselves, without a drive."""


@app.command(epilog="Example: wordline trace info trace.csv.zst --html trace.html")
def info(
    workload: Workload,
    trace_format: TraceFormat = None,
    sample: Annotated[
        float,
        typer.Option(help="Share of the addresses to look at; below 1, figures are estimates."),
    ] = 1.0,
    memory_mib: Annotated[
        int, typer.Option(min=1, help="Memory for the statistics; more is refused.")
    ] = 2048,
    html: Annotated[Path | None, typer.Option(help="Write a report, one HTML file.")] = None,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Show what a workload holds: requests, updates, lifetimes, skew, arrivals, its course."""
    from wordline.cli import trace_info

    trace_info.info(workload, trace_format, sample, memory_mib, html, progress, as_json)
