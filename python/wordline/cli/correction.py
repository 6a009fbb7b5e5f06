"""The verbs of `wordline code` that correct errors. What a verb needs is imported when it runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from wordline.cli import options
from wordline.cli.options import NEW_FILE, PATH, argument, flag, only_with, option
from wordline.cli.usage import Verbs
from wordline.codes.ecc import EccCode, EccFamily

verbs = Verbs()

family = option(
    "--code", type=options.OneOf(EccFamily), default=EccFamily.BCH.value, help="The code."
)
strength = option(
    "--t", type=click.IntRange(1), default=72, help="BCH: wrong bits that are corrected."
)
word_bytes = option(
    "--data-bytes", type=click.IntRange(1), default=1024, help="BCH: data in a codeword."
)
rows = option("--rows", default=14, help="LDPC: 32 bytes of parity for each; 10 to 19.")


@verbs.command(epilog="Example: wordline code encode data.bin words.bin --code ldpc")
@argument("data", type=PATH, help="The data.")
@argument("words", type=NEW_FILE, help="Where to put the codewords.")
@options.replace
@family
@strength
@word_bytes
@rows
@options.as_json
def encode(
    data: Path, words: Path, code: EccFamily, t: int, data_bytes: int, rows: int, as_json: bool
) -> None:
    """Encode a file: codewords of data and parity, one after the other."""
    from wordline.cli import ecc

    ecc.encode(data, words, ecc.named(code, t, data_bytes, rows), as_json)


@verbs.command(epilog="Example: wordline code decode words.bin data.bin --code ldpc --bytes 100")
@argument("words", type=PATH, help="What `encode` wrote, wrong bits or not.")
@argument("data", type=NEW_FILE, help="Where to put the data.")
@options.replace
@family
@strength
@word_bytes
@rows
@option(
    "--bytes",
    "length",
    type=click.IntRange(0),
    help="Of the data; else those of all codewords.",
)
@options.as_json
def decode(
    words: Path,
    data: Path,
    code: EccFamily,
    t: int,
    data_bytes: int,
    rows: int,
    length: int | None,
    as_json: bool,
) -> None:
    """Decode what `encode` wrote, with the same options."""
    from wordline.cli import ecc

    ecc.decode(words, data, ecc.named(code, t, data_bytes, rows), length, as_json)


lost = flag("--failure-rate", help="Measure how often words are lost.")
rber = option(
    "--rber",
    type=float,
    multiple=True,
    help="A bit error rate to measure at; repeatable. Chosen where left out.",
)
losses = option("--failures", default=100, help="Lost words that are enough.")
trial_seed = option("--seed", type=click.IntRange(0), default=2, help="Of data and errors.")
tallies = option(
    "--tallies",
    type=PATH,
    help="A file for what was counted; a later run goes on from there.",
)
plot = option("--plot", type=NEW_FILE, help="Draw failure rates into FILE.svg, .png, .html.")
table = option(
    "--table", type=NEW_FILE, help="Write the share of lost codewords by bit error rate as CSV."
)


def _words(default: int) -> options.Decorator:
    return option("--trials", default=default, help="Codewords at each bit error rate, at most.")


def _check_measured(context: click.Context) -> None:
    """What belongs to a measurement is given with it alone."""
    only_with(context, "failure_rate", "rber", "trials", "failures", "seed", "tallies")
    only_with(context, "speed", "errors")


@verbs.command(epilog="Example: wordline code bch --t 72 --data-bytes 1024 --failure-rate --speed")
@option("--t", type=click.IntRange(1), default=72, help="Wrong bits that are corrected.")
@option("--data-bytes", type=click.IntRange(1), default=1024, help="Data in a codeword.")
@lost
@rber
@_words(10_000)
@losses
@trial_seed
@tallies
@plot
@table
@options.replace
@options.measure_speed
@option(
    "--errors",
    type=click.IntRange(0),
    help="Wrong bits in each word that is timed; else t.",
)
@options.progress_mode
@options.as_json
@click.pass_context
def bch(
    context: click.Context,
    t: int,
    data_bytes: int,
    failure_rate: bool,
    rber: Sequence[float],
    trials: int,
    failures: int,
    seed: int,
    speed: bool,
    errors: int | None,
    **given: Any,
) -> None:
    """A BCH code: binary, shortened, over the smallest field that holds it."""
    from wordline.cli import ecc

    _check_measured(context)
    code = EccCode.bch(data_bytes, t)
    limits = (trials, failures, seed) if failure_rate else None
    timed = (t if errors is None else errors) if speed else None
    ecc.examine(code, limits, rber, timed, **given)


@verbs.command(epilog="Example: wordline code ldpc --rows 14 --reads 3 --failure-rate --trials 256")
@option("--rows", default=14, help="32 bytes of parity for each: 10, 12, 14, 16 or 19.")
@option("--reads", default=1, help="Sensings of each bit, odd, up to 15; 1 is a hard decision.")
@option("--rounds", type=click.IntRange(1), default=30, help="After which decoding is given up.")
@lost
@rber
@_words(1_000)
@losses
@trial_seed
@tallies
@plot
@table
@options.replace
@options.measure_speed
@option(
    "--errors",
    type=click.IntRange(0),
    default=100,
    help="Wrong bits in each word whose decoding is timed.",
)
@options.progress_mode
@options.as_json
@click.pass_context
def ldpc(
    context: click.Context,
    rows: int,
    reads: int,
    rounds: int,
    failure_rate: bool,
    rber: Sequence[float],
    trials: int,
    failures: int,
    seed: int,
    speed: bool,
    errors: int,
    **given: Any,
) -> None:
    """A quasi-cyclic LDPC code for 4 KiB of data, decoded by layered min-sum."""
    from wordline.cli import ecc

    _check_measured(context)
    code = EccCode.ldpc(rows, reads, rounds)
    limits = (trials, failures, seed) if failure_rate else None
    ecc.examine(code, limits, rber, errors if speed else None, **given)
