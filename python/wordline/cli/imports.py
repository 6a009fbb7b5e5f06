"""The verbs of `wordline import`. What a verb needs is imported when it runs."""

from pathlib import Path
from typing import Any

from wordline.cli import options
from wordline.cli.options import PATH, argument, flag, option
from wordline.cli.usage import Verbs

verbs = Verbs()


@verbs.command(epilog="Example: wordline import mqsim ssdconfig.xml workload.xml --out mine")
@argument("drive", type=PATH, help="MQSim's description of a drive: ssdconfig.xml.")
@argument("workload", type=PATH, required=False, help="Its description of workloads.")
@option(
    "-o",
    "--out",
    type=PATH,
    help="Folder for drive.toml and a file of phases for each scenario; without, the drive is "
    "printed.",
)
@flag("--force", help="Replace files that exist.")
@options.as_json
def mqsim(drive: Path, workload: Path | None, **given: Any) -> None:
    """Write a drive of MQSim's, and its workloads, as TOML."""
    from wordline.cli import importing

    importing.mqsim(drive, workload, **given)
