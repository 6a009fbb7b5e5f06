"""The verbs of `wordline code`. What a verb needs is imported when it runs."""

from pathlib import Path
from typing import Annotated

import typer

from wordline.cli import completion
from wordline.cli.options import Json, ProgressMode, only_with
from wordline.cli.usage import Verbs
from wordline.codes.ecc import EccCode, EccFamily
from wordline.codes.wom import Family, WomCode

app = Verbs(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Codes: write-once memory and error correction, by themselves.",
    epilog="Example: wordline code bch --t 40 --failure-rate --rber 3e-3 --trials 1000",
)

Cells = Annotated[int, typer.Option(help="Cells that a message is written over, 256 to 2^20.")]
MessageBits = Annotated[int | None, typer.Option(help="Bits of a message.")]
Rate = Annotated[float | None, typer.Option(help="Bits of a message per cell.")]
Writable = Annotated[float, typer.Option(help="Share of the cells that is still writable.")]
Tries = Annotated[int, typer.Option(help="Attempts that a write may make.")]
Seed = Annotated[int, typer.Option(help="Of dithers, layouts, graphs, pages and messages.")]
FailureRate = Annotated[bool, typer.Option("--failure-rate", help="Measure how often writes fail.")]
Trials = Annotated[int, typer.Option(help="Writes to measure the failure rate by, at most.")]
Failures = Annotated[int, typer.Option(help="Failures that are enough to know it by.")]
MeasureSpeed = Annotated[bool, typer.Option("--speed", help="Measure how long it takes.")]
Instructions = Annotated[
    str | None,
    typer.Option(
        help="plain, avx2 or avx512; the best there is where left out.",
        autocompletion=completion.instruction_sets,
    ),
]
Rber = Annotated[
    float, typer.Option(help="Share of wrong cells that reads correct, of polar codes; none: 0.")
]
ReadFailure = Annotated[float, typer.Option(help="Share of such reads that may be lost.")]
Reserved = Annotated[int, typer.Option(help="Bytes at the end of the page that stay.")]


@app.callback()
def common() -> None:
    """Codes: write-once memory and error correction, by themselves."""


@app.command("list", epilog="Example: wordline code list")
def list_(as_json: Json = False) -> None:
    """List the codes."""
    from wordline.cli import wom

    wom.list_(as_json)


@app.command(epilog="Example: wordline code polar --cells 65536 --speed")
def polar(
    context: typer.Context,
    cells: Cells = 65536,
    message_bits: MessageBits = None,
    rate: Rate = None,
    failure_bound: Annotated[
        float, typer.Option(help="Without a length: the longest message with this failure bound.")
    ] = 0.0025,
    writable: Writable = 0.5,
    tries: Tries = 1,
    dithers_only: Annotated[
        bool, typer.Option("--dithers-only", help="Attempts do not lay the cells out anew.")
    ] = False,
    seed: Seed = 0,
    rber: Rber = 0.0,
    read_failure: ReadFailure = 1e-3,
    failure_rate: FailureRate = False,
    trials: Trials = 100_000,
    failures: Failures = 100,
    speed: MeasureSpeed = False,
    instructions: Instructions = None,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """A polar code for a second write."""
    from wordline.cli import wom

    only_with(context, "failure_rate", "trials", "failures")
    only_with(context, "rber", "read_failure")
    bits = wom.message_bits(cells, message_bits, rate)
    options = {
        "failure_rate": failure_bound,
        "writable": writable,
        "tries": tries,
        "shuffle": not dithers_only,
        "seed": seed,
        "rber": rber,
        "read_failure": read_failure,
        "instructions": instructions,
    }
    code = WomCode(Family.POLAR, cells, bits, **options)
    wom.examine(code, (trials, failures) if failure_rate else None, speed, progress, as_json)


@app.command(epilog="Example: wordline code ldgm --cells 16384 --rate 0.45 --failure-rate")
def ldgm(
    context: typer.Context,
    cells: Cells = 65536,
    message_bits: MessageBits = None,
    rate: Rate = None,
    complete: Annotated[
        bool, typer.Option("--complete", help="Solve what message passing leaves by elimination.")
    ] = False,
    writable: Writable = 0.5,
    tries: Tries = 1,
    seed: Seed = 0,
    failure_rate: FailureRate = False,
    trials: Trials = 10_000,
    failures: Failures = 100,
    speed: MeasureSpeed = False,
    instructions: Instructions = None,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """An LDGM code for a second write."""
    from wordline.cli import wom

    only_with(context, "failure_rate", "trials", "failures")
    bits = wom.message_bits(cells, message_bits, 0.45 if rate is None else rate)
    options = {"writable": writable, "tries": tries, "seed": seed, "instructions": instructions}
    family = Family.LDGM_COMPLETE if complete else Family.LDGM
    code = WomCode(family, cells, bits, **options)
    wom.examine(code, (trials, failures) if failure_rate else None, speed, progress, as_json)


@app.command(epilog="Example: wordline code write-page old.bin new.bin page.bin --reserved 64")
def write_page(
    used: Annotated[Path, typer.Argument(help="The used page, spare area included.")],
    logical: Annotated[Path, typer.Argument(help="The logical page to be written over it.")],
    target: Annotated[Path, typer.Argument(help="Where to put the page to program.")],
    code: Annotated[Family, typer.Option(help="The code.")] = Family.POLAR,
    tries: Tries = 64,
    seed: Seed = 0,
    reserved: Reserved = 0,
    rber: Rber = 0.0,
    read_failure: ReadFailure = 1e-3,
    as_json: Json = False,
) -> None:
    """Write a logical page over a used one: only ones become zeros."""
    from wordline.cli import wom

    options = {"tries": tries, "seed": seed, "rber": rber, "read_failure": read_failure}
    wom.write_page(used, logical, target, code, options, reserved, as_json)


@app.command(epilog="Example: wordline code read-page page.bin new.bin --metadata 0 --bytes 4096")
def read_page(
    page: Annotated[Path, typer.Argument(help="The page as `write-page` gave it.")],
    logical: Annotated[Path, typer.Argument(help="Where to put the logical page.")],
    metadata: Annotated[int, typer.Option(help="What `write-page` printed.", min=0)],
    logical_bytes: Annotated[int, typer.Option("--bytes", help="Of the logical page.", min=1)],
    code: Annotated[Family, typer.Option(help="The code.")] = Family.POLAR,
    tries: Tries = 64,
    seed: Seed = 0,
    reserved: Reserved = 0,
    rber: Rber = 0.0,
    read_failure: ReadFailure = 1e-3,
) -> None:
    """Read what `write-page` stored, with the same options."""
    from wordline.cli import wom

    options = {"tries": tries, "seed": seed, "rber": rber, "read_failure": read_failure}
    wom.read_page(page, logical, code, options, (metadata, logical_bytes, reserved))


@app.command(epilog="Example: wordline code round-trips --pages 1000000 --rber 5e-4")
def round_trips(
    code: Annotated[Family, typer.Option(help="The code.")] = Family.POLAR,
    pages: Annotated[int, typer.Option(help="How many.", min=1)] = 100_000,
    data_bytes: Annotated[int, typer.Option(help="Data of a used page, random.", min=1)] = 512,
    spare_bytes: Annotated[int, typer.Option(help="Its spare area, erased.", min=0)] = 96,
    reserved: Reserved = 8,
    logical_bytes: Annotated[int, typer.Option(help="Of a logical page.", min=1)] = 256,
    tries: Tries = 64,
    seed: Seed = 0,
    rber: Rber = 0.0,
    read_failure: ReadFailure = 1e-3,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Write, read, damage and read again random pages: none may come back wrong."""
    from wordline.cli import wom

    options = {"tries": tries, "seed": seed, "rber": rber, "read_failure": read_failure}
    shape = (data_bytes, spare_bytes, reserved, logical_bytes)
    wom.round_trips(code, pages, shape, options, progress, as_json)


@app.command(epilog="Example: wordline code wom-capacity --quick")
def wom_capacity(
    quick: Annotated[bool, typer.Option("--quick", help="A part that takes seconds.")] = False,
    tallies: Annotated[
        Path | None,
        typer.Option(help="A file for what was counted; a later run goes on from there."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw failure rates and needs into FILE.svg, .png or .html.")
    ] = None,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """What a second write can hold, and which flash chips have the spare area that it needs."""
    from wordline.cli import wom

    wom.capacity(quick, tallies, plot, progress, as_json)


Rbers = Annotated[
    list[float] | None,
    typer.Option(help="A bit error rate to measure at; repeatable. Chosen where left out."),
]
Errors = Annotated[
    int, typer.Option(help="Wrong bits in each word whose decoding is timed.", min=0)
]
Lost = Annotated[bool, typer.Option("--failure-rate", help="Measure how often words are lost.")]
Words = Annotated[int, typer.Option("--trials", help="Codewords at each bit error rate, at most.")]
Losses = Annotated[int, typer.Option("--failures", help="Lost words that are enough.")]
TrialSeed = Annotated[int, typer.Option("--seed", help="Of data and errors.", min=0)]
EccTallies = Annotated[
    Path | None, typer.Option(help="A file for what was counted; a later run goes on from there.")
]
EccPlot = Annotated[
    Path | None, typer.Option(help="Draw failure rates into FILE.svg, .png, .html.")
]
EccTable = Annotated[
    Path | None, typer.Option(help="Write the share of lost codewords by bit error rate as CSV.")
]
EccName = Annotated[EccFamily, typer.Option("--code", help="The code.")]
T = Annotated[int, typer.Option("--t", help="BCH: wrong bits that are corrected.", min=1)]
DataBytes = Annotated[int, typer.Option(help="BCH: data in a codeword.", min=1)]
Rows = Annotated[int, typer.Option(help="LDPC: 32 bytes of parity for each; 10 to 19.")]


@app.command(epilog="Example: wordline code encode data.bin words.bin --code ldpc")
def encode(
    data: Annotated[Path, typer.Argument(help="The data.")],
    words: Annotated[Path, typer.Argument(help="Where to put the codewords.")],
    code: EccName = EccFamily.BCH,
    t: T = 72,
    data_bytes: DataBytes = 1024,
    rows: Rows = 14,
    as_json: Json = False,
) -> None:
    """Encode a file: codewords of data and parity, one after the other."""
    from wordline.cli import ecc

    ecc.encode(data, words, ecc.named(code, t, data_bytes, rows), as_json)


@app.command(epilog="Example: wordline code decode words.bin data.bin --code ldpc --bytes 100")
def decode(
    words: Annotated[Path, typer.Argument(help="What `encode` wrote, wrong bits or not.")],
    data: Annotated[Path, typer.Argument(help="Where to put the data.")],
    code: EccName = EccFamily.BCH,
    t: T = 72,
    data_bytes: DataBytes = 1024,
    rows: Rows = 14,
    length: Annotated[
        int | None, typer.Option("--bytes", help="Of the data; else those of all codewords.", min=0)
    ] = None,
    as_json: Json = False,
) -> None:
    """Decode what `encode` wrote, with the same options."""
    from wordline.cli import ecc

    ecc.decode(words, data, ecc.named(code, t, data_bytes, rows), length, as_json)


def _ecc_options(context: typer.Context) -> None:
    """What belongs to a measurement is given with it alone."""
    only_with(context, "failure_rate", "rber", "trials", "failures", "seed", "tallies")
    only_with(context, "speed", "errors")


@app.command(epilog="Example: wordline code bch --t 72 --data-bytes 1024 --failure-rate --speed")
def bch(
    context: typer.Context,
    t: Annotated[int, typer.Option("--t", help="Wrong bits that are corrected.", min=1)] = 72,
    data_bytes: Annotated[int, typer.Option(help="Data in a codeword.", min=1)] = 1024,
    failure_rate: Lost = False,
    rber: Rbers = None,
    trials: Words = 10_000,
    failures: Losses = 100,
    seed: TrialSeed = 2,
    tallies: EccTallies = None,
    plot: EccPlot = None,
    table: EccTable = None,
    speed: MeasureSpeed = False,
    errors: Annotated[
        int | None, typer.Option(help="Wrong bits in each word that is timed; else t.", min=0)
    ] = None,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """A BCH code: binary, shortened, over the smallest field that holds it."""
    from wordline.cli import ecc

    _ecc_options(context)
    code = EccCode.bch(data_bytes, t)
    limits = (trials, failures, seed) if failure_rate else None
    timed = (t if errors is None else errors) if speed else None
    ecc.examine(code, limits, rber or [], timed, tallies, plot, table, progress, as_json)


@app.command(epilog="Example: wordline code ldpc --rows 14 --reads 3 --failure-rate --trials 256")
def ldpc(
    context: typer.Context,
    rows: Annotated[
        int, typer.Option(help="32 bytes of parity for each: 10, 12, 14, 16 or 19.")
    ] = 14,
    reads: Annotated[
        int, typer.Option(help="Sensings of each bit, odd, up to 15; 1 is a hard decision.")
    ] = 1,
    rounds: Annotated[int, typer.Option(help="After which decoding is given up.", min=1)] = 30,
    failure_rate: Lost = False,
    rber: Rbers = None,
    trials: Words = 1_000,
    failures: Losses = 100,
    seed: TrialSeed = 2,
    tallies: EccTallies = None,
    plot: EccPlot = None,
    table: EccTable = None,
    speed: MeasureSpeed = False,
    errors: Errors = 100,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """A quasi-cyclic LDPC code for 4 KiB of data, decoded by layered min-sum."""
    from wordline.cli import ecc

    _ecc_options(context)
    code = EccCode.ldpc(rows, reads, rounds)
    limits = (trials, failures, seed) if failure_rate else None
    timed = errors if speed else None
    ecc.examine(code, limits, rber or [], timed, tallies, plot, table, progress, as_json)
