"""The verbs of `wordline trace`. What a verb needs is imported when it runs."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from wordline.cli import completion
from wordline.cli.options import Json, ProgressMode, TraceFormat
from wordline.cli.usage import Verbs


class Layout(str, Enum):
    """Where the volumes of a trace lie."""

    TOGETHER = "together"
    SIDE_BY_SIDE = "side_by_side"


app = Verbs(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Look at workloads by themselves, without a drive.",
    epilog="Example: wordline trace info zipf:theta=0.9,requests=1e5",
)

Workload = Annotated[
    str,
    typer.Argument(
        help="A trace file, or a generator such as zipf:theta=0.9.",
        metavar="FILE",
        autocompletion=completion.workloads,
    ),
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


@app.command(
    epilog="Example: wordline trace convert trace.csv.gz trace.wlt --from 3600 --until 7200"
)
def convert(
    source: Annotated[
        str,
        typer.Argument(help="A trace file.", metavar="IN", autocompletion=completion.workloads),
    ],
    target: Annotated[
        Path,
        typer.Argument(help="The new file; .gz or .zst compresses it.", metavar="OUT"),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            help="Format of OUT: wordline, msr, mqsim, ssdsim, fio-v2, fio-v3; by default that of "
            "its ending (.wlt, .csv, .trace, .ascii, .iolog).",
            autocompletion=completion.written_formats,
        ),
    ] = None,
    trace_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Format of IN; detected where left out.",
            autocompletion=completion.formats,
        ),
    ] = None,
    interleave: Annotated[
        list[str] | None,
        typer.Option(
            help="One more trace that runs at the same time, merged by time; repeatable.",
            autocompletion=completion.workloads,
        ),
    ] = None,
    volume: Annotated[
        list[int] | None,
        typer.Option(min=0, max=65535, help="A volume that counts; repeatable; all by default."),
    ] = None,
    from_s: Annotated[
        float,
        typer.Option(
            "--from", min=0, help="Seconds: drop earlier requests; the first left arrives at 0."
        ),
    ] = 0,
    until_s: Annotated[
        float | None,
        typer.Option("--until", min=0, help="Seconds, counted as --from is: drop later requests."),
    ] = None,
    first: Annotated[int | None, typer.Option(min=1, help="End after this many requests.")] = None,
    layout: Annotated[
        Layout,
        typer.Option(help="Keep the addresses of every volume, or lay the volumes side by side."),
    ] = Layout.TOGETHER,
    time_scale: Annotated[
        float, typer.Option(min=1e-9, max=1e9, help="Multiply arrivals by this.")
    ] = 1.0,
    repeat: Annotated[
        int, typer.Option(min=1, help="Repeat the whole so often, one mean gap after its end.")
    ] = 1,
    split: Annotated[
        bool, typer.Option("--split", help="A file for each volume: OUT with its number.")
    ] = False,
    lossy: Annotated[
        bool,
        typer.Option("--lossy", help="Round or leave out what OUT cannot hold; say how much."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Write a trace in another format, in parts, or several as one."""
    from wordline.cli import trace_convert

    trace_convert.convert(
        [source, *(interleave or [])],
        target,
        to,
        trace_format,
        volume or [],
        from_s,
        until_s,
        first,
        layout.value,
        time_scale,
        repeat,
        split,
        lossy,
        force,
        progress,
        as_json,
    )


@app.command(epilog="Example: wordline trace synth twin:ressd/hm_0 hm_0.wlt")
def synth(
    workload: Annotated[
        str,
        typer.Argument(
            help="A generator, a twin such as twin:ressd/hm_0, or a TOML file of phases or of a "
            "fitted model.",
            autocompletion=completion.workloads,
            metavar="NAME",
        ),
    ],
    out: Annotated[
        Path, typer.Argument(help="The trace file; its ending says the format and the compression.")
    ],
    to: Annotated[
        str | None,
        typer.Option(
            help="The format, where the ending of OUT does not say it.",
            autocompletion=completion.written_formats,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of a workload that names none.", min=0)] = 1,
    span_gib: Annotated[
        float,
        typer.Option(help="Address space of a generator that names none, GiB.", min=0.001, max=1e9),
    ] = 16,
    lossy: Annotated[
        bool, typer.Option("--lossy", help="Round what the format cannot hold, or leave it out.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")] = False,
    as_json: Json = False,
) -> None:
    """Write a generated workload to a trace file."""
    from wordline.cli import trace_synth

    trace_synth.synth(workload, out, to, seed, span_gib, lossy, force, as_json)


@app.command(epilog="Example: wordline trace fit trace.csv.zst --out my-twin.toml")
def fit(
    workload: Workload,
    out: Annotated[
        Path | None, typer.Option(help="The model's file; standard output where left out.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What the model is called; the file's name by default.")
    ] = None,
    trace_format: TraceFormat = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Fit a model to a trace: small, without addresses, and a workload by itself."""
    from wordline.cli import trace_synth

    trace_synth.fit(workload, out, name, trace_format, force)
