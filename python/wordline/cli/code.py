"""The verbs of `wordline code`. What a verb needs is imported when it runs."""

from pathlib import Path
from typing import Any

import click

from wordline.cli import completion, correction, options
from wordline.cli.options import NEW_FILE, PATH, Mode, OneOf, argument, flag, only_with, option
from wordline.cli.usage import Verbs
from wordline.codes.wom import Family, PageCode, WomCode

verbs = Verbs()

cells = option("--cells", default=65536, help="Cells that a message is written over, 256 to 2^20.")
message_bits = option("--message-bits", type=int, help="Bits of a message.")
rate = option("--rate", type=float, help="Bits of a message per cell.")
writable = option("--writable", default=0.5, help="Share of the cells that is still writable.")
seed = option("--seed", default=0, help="Of dithers, layouts, graphs, pages and messages.")
failure_rate = flag("--failure-rate", help="Measure how often writes fail.")
failures = option("--failures", default=100, help="Failures that are enough to know it by.")
instructions = option(
    "--instructions",
    offers=completion.instruction_sets,
    help="plain, avx2 or avx512; the best there is where left out.",
)
rber = option(
    "--rber",
    default=0.0,
    help="Share of wrong cells that reads correct, of polar codes; none: 0.",
)
read_failure = option("--read-failure", default=1e-3, help="Share of such reads that may be lost.")
page_code = option(
    "--code",
    type=OneOf(PageCode),
    default=PageCode.POLAR64.value,
    help="The code, by its name in technique.llh_ftl.code.",
)
page_tries = option(
    "--tries",
    type=int,
    help="Attempts that a write may make; as many as the code's where left out.",
)


def _tries(default: int) -> options.Decorator:
    return option("--tries", default=default, help="Attempts that a write may make.")


def _trials(default: int) -> options.Decorator:
    help_ = "Writes to measure the failure rate by, at most."
    return option("--trials", default=default, help=help_)


def _reserved(default: int) -> options.Decorator:
    return option("--reserved", default=default, help="Bytes at the end of the page that stay.")


@verbs.command("list", epilog="Example: wordline code list")
@options.as_json
def list_(**given: Any) -> None:
    """List the codes."""
    from wordline.cli import wom

    wom.list_(**given)


@verbs.command(epilog="Example: wordline code polar --cells 65536 --speed")
@cells
@message_bits
@rate
@option(
    "--failure-bound",
    default=0.0025,
    help="Without a length: the longest message with this failure bound.",
)
@writable
@_tries(1)
@flag("--dithers-only", help="Attempts do not lay the cells out anew.")
@seed
@rber
@read_failure
@failure_rate
@_trials(100_000)
@failures
@options.measure_speed
@instructions
@options.progress_mode
@options.as_json
@click.pass_context
def polar(
    context: click.Context,
    cells: int,
    message_bits: int | None,
    rate: float | None,
    failure_bound: float,
    dithers_only: bool,
    failure_rate: bool,
    trials: int,
    failures: int,
    speed: bool,
    progress_mode: Mode | None,
    as_json: bool,
    **given: Any,
) -> None:
    """A polar code for a second write."""
    from wordline.cli import wom

    only_with(context, "failure_rate", "trials", "failures")
    only_with(context, "rber", "read_failure")
    bits = wom.message_bits(cells, message_bits, rate)
    how = {"failure_rate": failure_bound, "shuffle": not dithers_only}
    code = WomCode(Family.POLAR, cells, bits, **how, **given)
    limits = (trials, failures) if failure_rate else None
    wom.examine(code, limits, speed, progress_mode, as_json)


@verbs.command(epilog="Example: wordline code ldgm --cells 16384 --rate 0.45 --failure-rate")
@cells
@message_bits
@rate
@flag("--elimination", help="Solve what message passing leaves by elimination.")
@writable
@_tries(1)
@seed
@failure_rate
@_trials(10_000)
@failures
@options.measure_speed
@instructions
@options.progress_mode
@options.as_json
@click.pass_context
def ldgm(
    context: click.Context,
    cells: int,
    message_bits: int | None,
    rate: float | None,
    elimination: bool,
    failure_rate: bool,
    trials: int,
    failures: int,
    speed: bool,
    progress_mode: Mode | None,
    as_json: bool,
    **given: Any,
) -> None:
    """An LDGM code for a second write."""
    from wordline.cli import wom

    only_with(context, "failure_rate", "trials", "failures")
    bits = wom.message_bits(cells, message_bits, 0.45 if rate is None else rate)
    family = Family.ELIMINATION if elimination else Family.LDGM
    code = WomCode(family, cells, bits, **given)
    limits = (trials, failures) if failure_rate else None
    wom.examine(code, limits, speed, progress_mode, as_json)


@verbs.command(epilog="Example: wordline code write-page old.bin new.bin page.bin --reserved 64")
@argument("used", type=PATH, help="The used page, spare area included.")
@argument("logical", type=PATH, help="The logical page to be written over it.")
@argument("target", type=NEW_FILE, help="Where to put the page to program.")
@options.replace
@page_code
@page_tries
@seed
@_reserved(0)
@rber
@read_failure
@options.as_json
def write_page(
    used: Path,
    logical: Path,
    target: Path,
    code: PageCode,
    reserved: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Write a logical page over a used one: only ones become zeros."""
    from wordline.cli import wom

    wom.write_page(used, logical, target, code, given, reserved, as_json)


@verbs.command(epilog="Example: wordline code read-page page.bin new.bin --metadata 0 --bytes 4096")
@argument("page", type=PATH, help="The page as `write-page` gave it.")
@argument("logical", type=NEW_FILE, help="Where to put the logical page.")
@options.replace
@option("--metadata", type=click.IntRange(0), required=True, help="What `write-page` printed.")
@option(
    "--bytes", "logical_bytes", type=click.IntRange(1), required=True, help="Of the logical page."
)
@page_code
@page_tries
@seed
@_reserved(0)
@rber
@read_failure
def read_page(
    page: Path,
    logical: Path,
    metadata: int,
    logical_bytes: int,
    code: PageCode,
    reserved: int,
    **given: Any,
) -> None:
    """Read what `write-page` stored, with the same options."""
    from wordline.cli import wom

    wom.read_page(page, logical, code, given, (metadata, logical_bytes, reserved))


@verbs.command(epilog="Example: wordline code round-trips --pages 1000000 --rber 5e-4")
@page_code
@option("--pages", type=click.IntRange(1), default=100_000, help="How many.")
@option("--data-bytes", type=click.IntRange(1), default=512, help="Data of a used page, random.")
@option("--spare-bytes", type=click.IntRange(0), default=96, help="Its spare area, erased.")
@_reserved(8)
@option("--logical-bytes", type=click.IntRange(1), default=256, help="Of a logical page.")
@page_tries
@seed
@rber
@read_failure
@options.progress_mode
@options.as_json
def round_trips(
    code: PageCode,
    pages: int,
    data_bytes: int,
    spare_bytes: int,
    reserved: int,
    logical_bytes: int,
    progress_mode: Mode | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Write, read, damage and read again random pages: none may come back wrong."""
    from wordline.cli import wom

    shape = (data_bytes, spare_bytes, reserved, logical_bytes)
    wom.round_trips(code, pages, shape, given, progress_mode, as_json)


@verbs.command(epilog="Example: wordline code wom-capacity --quick")
@flag("--quick", help="A part that takes seconds.")
@option(
    "--tallies",
    type=PATH,
    help="A file for what was counted; a later run goes on from there.",
)
@option("--plot", type=NEW_FILE, help="Draw failure rates and needs into FILE.svg, .png or .html.")
@options.replace
@options.progress_mode
@options.as_json
def wom_capacity(**given: Any) -> None:
    """What a second write can hold, and which flash chips have the spare area that it needs."""
    from wordline.cli import wom

    wom.capacity(**given)


verbs.commands.update(correction.verbs.commands)
