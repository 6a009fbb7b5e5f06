"""The verbs of `wordline lab`. What a verb needs is imported when it runs."""

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli import completion
from wordline.cli.options import Force, Json, ProgressMode
from wordline.cli.usage import Verbs

app = Verbs(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="The cell laboratory: threshold voltages, bit errors, erases and lifetimes.",
    epilog="Example: wordline lab vth --chip planar-tlc --pec 2000 --age 1y",
)

CHIP = "A chip of `wordline lab list`, or a TOML file in the form of those chips."
Mode = Annotated[
    str,
    typer.Option(
        help="slc, mlc, tlc or qlc; the chip's own where left out.",
        autocompletion=completion.modes,
    ),
]
Plot = Annotated[Path | None, typer.Option(help="Draw it into FILE.svg, .png or .html.")]


@app.callback()
def common() -> None:
    """The cell laboratory: threshold voltages, bit errors, erases and lifetimes."""


@app.command("list", epilog="Example: wordline lab list --json")
def list_(as_json: Json = False) -> None:
    """List chips and experiments."""
    from wordline.cli import laboratory

    laboratory.list_(as_json)


@app.command(epilog="Example: wordline lab describe planar-tlc")
def describe(
    chip: Annotated[str, typer.Argument(autocompletion=completion.chips)], as_json: Json = False
) -> None:
    """Show every value of a chip with its source."""
    from wordline.cli import laboratory

    laboratory.describe(chip, as_json)


@app.command(epilog="Example: wordline lab vth --chip planar-tlc --pec 3K --age 1y --temp 40C")
def vth(
    chip: Annotated[str, typer.Option(help=CHIP, autocompletion=completion.chips)],
    mode: Mode = "",
    pec: Annotated[str, typer.Option(help="P/E cycles, such as 3000 or 3K.")] = "0",
    age: Annotated[
        str, typer.Option(help="Time since the program: ms, s, min, h, d, w, mo or y, as in 3mo.")
    ] = "0",
    temp: Annotated[str, typer.Option(help="Temperature over that time, such as 40C.")] = "40C",
    reads: Annotated[str, typer.Option(help="Reads of other pages of the block.")] = "0",
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Show a word line: distributions, references, bit errors, codeword failures."""
    from wordline.cli import laboratory

    laboratory.vth(chip, mode, pec, age, temp, reads, plot, as_json)


@app.command(
    epilog="Example: wordline lab campaign lazyrs-tlc --pec 1K --age 1y --temp 30C --precision 0.01"
)
def campaign(
    chip: Annotated[str, typer.Argument(help=CHIP, autocompletion=completion.chips)],
    mode: Mode = "",
    pec: Annotated[str, typer.Option(help="P/E cycles, such as 3000 or 3K.")] = "0",
    age: Annotated[str, typer.Option(help="Time since the program, as in 3mo.")] = "0",
    temp: Annotated[str, typer.Option(help="Temperature over that time, such as 40C.")] = "40C",
    reads: Annotated[str, typer.Option(help="Reads of other pages of the block.")] = "0",
    references: Annotated[
        str,
        typer.Option(
            help="default, or optimal: each word line's best.",
            autocompletion=completion.references,
        ),
    ] = "optimal",
    chips: Annotated[int, typer.Option(help="Chips at most.")] = 160,
    pages: Annotated[
        int, typer.Option(help="Pages of all chips together, in whole blocks.")
    ] = 11_059_200,
    precision: Annotated[
        float,
        typer.Option(help="Stop when the mean is known within this share; 0: measure all chips."),
    ] = 0.0,
    confidence: Annotated[float, typer.Option(help="Probability of that interval.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed.")] = 1,
    threads: Annotated[int, typer.Option(help="Threads; 0: all processors.")] = 0,
    store: Annotated[
        Path | None, typer.Option(help="Keep what was counted in FILE, and go on from there.")
    ] = None,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Measure the pages of many chips: errors per codeword, and those of the worst codewords."""
    from wordline.cli import laboratory

    settings = {
        "mode": mode, "pec": pec, "age": age, "temp": temp, "reads": reads,
        "references": references, "chips": chips, "pages": pages, "precision": precision,
        "confidence": confidence, "seed": seed, "threads": threads or None, "store": store,
    }  # fmt: skip
    laboratory.campaign(chip, settings, progress, as_json)


@app.command(epilog="Example: wordline lab run planar-tlc --plot planar.html")
def run(
    experiment: Annotated[
        str,
        typer.Argument(
            help="An experiment of `wordline lab list`.", autocompletion=completion.experiments
        ),
    ],
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Run an experiment: the publication's values, ours, the deviation, and what was fitted."""
    from wordline.cli import laboratory

    laboratory.run(experiment, plot, as_json)


@app.command(epilog="Example: wordline lab tables reo-tlc --out tables")
def tables(
    chip: Annotated[str, typer.Argument(help=CHIP, autocompletion=completion.chips)],
    out: Annotated[Path, typer.Option(help="Folder for the tables.")],
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write what a drive needs of a chip: latencies, error rates, erases by scheme."""
    from wordline.cli import laboratory

    laboratory.tables(chip, out, force, as_json)
