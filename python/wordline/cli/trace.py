"""The verbs of `wordline trace`. What a verb needs is imported when it runs."""

from typing import Annotated

import typer

from wordline.cli.options import Json, TraceFormat

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


@app.command(epilog="Example: wordline trace info trace.csv.zst")
def info(workload: Workload, trace_format: TraceFormat = None, as_json: Json = False) -> None:
    """Show what a workload holds."""
    from wordline.cli import trace_info

    trace_info.info(workload, trace_format, as_json)
