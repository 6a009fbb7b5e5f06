"""The verbs of `wordline fit`. What a verb needs is imported when it runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wordline.cli import completion, options
from wordline.cli.options import NEW_FILE, PATH, argument, option
from wordline.cli.usage import Verbs

verbs = Verbs()


@verbs.command(epilog="Example: wordline fit drive drive.log --exported 800GB --out mine.toml")
@argument(
    "log",
    type=PATH,
    nargs=-1,
    required=True,
    help="Outputs of `nvme … -o json` or `smartctl -j`, one after the other, or CSV; several logs "
    "of a drive are fitted together.",
)
@option("--exported", help="What the drive exports, as 800GB or 745.2GiB; else as the log says.")
@option("--nand", help="Its flash, if the data sheet says; checked against the fit.")
@option("--superblock", help="What it erases together, if that is known, as 2GiB.")
@option(
    "--workload",
    offers=completion.marks,
    help="What unmarked parts of the logs hold: fill or uniform.",
)
@option(
    "--factor",
    type=float,
    help="Bytes written for each byte of data, if known; else it is fitted.",
)
@option(
    "--host",
    multiple=True,
    metavar="NAME:UNIT",
    help="The counter of the host's writes, and its unit.",
)
@option(
    "--physical",
    multiple=True,
    metavar="NAME:UNIT",
    help="One of physical writes; repeatable, they are added up.",
)
@option("--name", default="", show_default=False, help="What the drive is called.")
@option("-o", "--out", type=NEW_FILE, help="Write the drive as a configuration for `wordline run`.")
@options.replace
@options.as_json
def drive(
    log: Sequence[Path],
    exported: str | None,
    nand: str | None,
    superblock: str | None,
    host: Sequence[str],
    physical: Sequence[str],
    **given: Any,
) -> None:
    """Fit room and factor of a drive to its own counters."""
    from wordline.cli import fitting

    sizes = {"exported": exported, "nand": nand, "superblock": superblock}
    fitting.drive(log, sizes, {"host": host, "physical": physical}, **given)
