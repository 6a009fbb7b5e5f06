"""The verbs of `wordline lab`. What a verb needs is imported when it runs."""

from typing import Any

from wordline.cli import completion, options
from wordline.cli.options import NEW_FILE, PATH, Mode, argument, option
from wordline.cli.usage import Verbs

verbs = Verbs()

CHIP = "A chip of `wordline lab list`, or a TOML file in the form of those chips."
chip = argument("chip", offers=completion.chips, help=CHIP)
mode = option(
    "--mode",
    default="",
    show_default=False,
    offers=completion.modes,
    help="slc, mlc, tlc or qlc; the chip's own where left out.",
)
pec = option("--pec", default="0", help="P/E cycles, such as 3000 or 3K.")
temp = option("--temp", default="40C", help="Temperature over that time, such as 40C.")
reads = option("--reads", default="0", help="Reads of other pages of the block.")
plot = option("--plot", type=NEW_FILE, help="Draw it into FILE.svg, .png or .html.")


@verbs.command("list", epilog="Example: wordline lab list --json")
@options.as_json
def list_(**given: Any) -> None:
    """List chips and experiments."""
    from wordline.cli import laboratory

    laboratory.list_(**given)


@verbs.command(epilog="Example: wordline lab describe planar-tlc")
@argument("chip", offers=completion.chips, help="A chip of `wordline lab list`.")
@options.as_json
def describe(chip: str, **given: Any) -> None:
    """Show every value of a chip with its source."""
    from wordline.cli import laboratory

    laboratory.describe(chip, **given)


@verbs.command(epilog="Example: wordline lab vth --chip planar-tlc --pec 3K --age 1y --temp 40C")
@option("--chip", required=True, offers=completion.chips, help=CHIP)
@mode
@pec
@option(
    "--age",
    default="0",
    help="Time since the program: ms, s, min, h, d, w, mo or y, as in 3mo.",
)
@temp
@reads
@plot
@options.replace
@options.as_json
def vth(**given: Any) -> None:
    """Show a word line: distributions, references, bit errors, codeword failures."""
    from wordline.cli import laboratory

    laboratory.vth(**given)


@verbs.command(
    epilog="Example: wordline lab campaign lazyrs-tlc --pec 1K --age 1y --temp 30C --precision 0.01"
)
@chip
@mode
@pec
@option("--age", default="0", help="Time since the program, as in 3mo.")
@temp
@reads
@option(
    "--references",
    default="optimal",
    offers=completion.references,
    help="default, or optimal: each word line's best.",
)
@option("--chips", default=160, help="Chips at most.")
@option("--pages", default=11_059_200, help="Pages of all chips together, in whole blocks.")
@option(
    "--precision",
    default=0.0,
    help="Stop when the mean is known within this share; 0: measure all chips.",
)
@option("--confidence", default=0.95, help="Probability of that interval.")
@option("--seed", default=1, help="Seed.")
@option("--threads", default=0, help="Threads; 0: all processors.")
@option("--store", type=PATH, help="Keep what was counted in FILE, and go on from there.")
@options.progress_mode
@options.as_json
def campaign(
    chip: str, threads: int, progress_mode: Mode | None, as_json: bool, **settings: Any
) -> None:
    """Measure the pages of many chips: errors per codeword, and those of the worst codewords."""
    from wordline.cli import laboratory

    settings["threads"] = threads or None
    laboratory.campaign(chip, settings, progress_mode, as_json)


@verbs.command(epilog="Example: wordline lab run planar-tlc --plot planar.html")
@argument("experiment", offers=completion.experiments, help="An experiment of `wordline lab list`.")
@plot
@options.replace
@options.as_json
def run(experiment: str, **given: Any) -> None:
    """Run an experiment: the paper's values, ours, the deviation, and what was fitted."""
    from wordline.cli import laboratory

    laboratory.run(experiment, **given)


@verbs.command(epilog="Example: wordline lab tables reo-tlc --out tables")
@chip
@option("-o", "--out", type=PATH, required=True, help="Folder for the tables.")
@options.force
@options.as_json
def tables(**given: Any) -> None:
    """Write what a drive needs of a chip: latencies, error rates, erases by scheme."""
    from wordline.cli import laboratory

    laboratory.tables(**given)
