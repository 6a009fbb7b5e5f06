"""The verbs of `wordline fit`. What a verb needs is imported when it runs."""

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli import completion
from wordline.cli.options import Json
from wordline.cli.usage import Verbs

app = Verbs(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Your own drive: its numbers from logs of its counters.",
    epilog="Example: wordline fit drive drive.log --exported 800GB --out mine.toml",
)


@app.callback()
def common() -> None:
    """Your own drive: its numbers from logs of its counters."""


@app.command(epilog="Example: wordline fit drive drive.log --exported 800GB --out mine.toml")
def drive(
    log: Annotated[
        list[Path],
        typer.Argument(
            help="Outputs of `nvme … -o json` or `smartctl -j`, one after the other, or CSV; "
            "several logs of a drive are fitted together."
        ),
    ],
    exported: Annotated[
        str | None,
        typer.Option(help="What the drive exports, as 800GB or 745.2GiB; else as the log says."),
    ] = None,
    nand: Annotated[
        str | None, typer.Option(help="Its flash, if the data sheet says; checked against the fit.")
    ] = None,
    superblock: Annotated[
        str | None, typer.Option(help="What it erases together, if that is known, as 2GiB.")
    ] = None,
    workload: Annotated[
        str | None,
        typer.Option(
            help="What unmarked parts of the logs hold: fill or uniform.",
            autocompletion=completion.marks,
        ),
    ] = None,
    factor: Annotated[
        float | None,
        typer.Option(help="Bytes written for each byte of data, if known; else it is fitted."),
    ] = None,
    host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME:UNIT", help="The counter of the host's writes, and its unit."),
    ] = None,
    physical: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME:UNIT", help="One of physical writes; repeatable, they are added up."
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="What the drive is called.")] = "",
    out: Annotated[
        Path | None, typer.Option(help="Write the drive as a configuration for `wordline run`.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Fit room and factor of a drive to its own counters."""
    from wordline.cli import fitting

    sizes = {"exported": exported, "nand": nand, "superblock": superblock}
    counters = {"host": host or [], "physical": physical or []}
    fitting.drive(log, sizes, counters, workload, factor, name, out, as_json)
