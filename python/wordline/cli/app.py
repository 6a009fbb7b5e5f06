"""The verbs and their options. What a verb needs is imported when it runs: help stays instant."""

import sys
from pathlib import Path
from typing import Any

import click

import wordline
from wordline.cli import completion, failures, options
from wordline.cli.options import PATH, argument, flag, option
from wordline.cli.usage import Part, Verbs
from wordline.native import build


class Root(Verbs):
    """Turns failures into messages and exit statuses, for every verb alike."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Reads what comes ahead of the verb."""
        with failures.as_exit_status():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb."""
        with failures.as_exit_status():
            return super().invoke(ctx)


def main() -> None:
    """Runs the command line."""
    with failures.of_output():
        app(prog_name="wordline")


_PARTS = {
    "Simulate": ("demo", "run", "compare", "play", "cuts", "serve"),
    "Study": ("sweep", "optimise", "league"),
    "Check": ("validate", "reproduce"),
    "Look up": ("list", "describe", "init", "schema", "report"),
    "Workloads, drives, codes and cells": ("trace", "fit", "import", "code", "lab"),
}


@click.group(
    cls=Root,
    parts=_PARTS,
    context_settings={"show_default": True, "help_option_names": ["-h", "--help"]},
    epilog="Begin with `wordline demo`, or `wordline run tiny --workload "
    "zipf:requests=1e5,read=0.5,interval_us=2000`.",
)
@click.version_option(
    wordline.__version__, message="wordline %(version)s", help="Print the version."
)
@click.option(
    "--show-completion",
    type=click.Choice(completion.SHELLS),
    expose_value=False,
    is_eager=True,
    callback=completion.show,
    help="Print the shell-completion script.",
)
def app() -> None:
    """Wordline: a laboratory for NAND-flash SSDs."""
    if sys.stderr.isatty() and (note := build.note()):
        click.echo(note, err=True)


@app.command(
    epilog="Example: wordline run tiny --workload zipf:requests=1e5,interval_us=2000 "
    "--set ftl.gc.policy=fifo"
)
@options.config
@option(
    "-t",
    "--technique",
    offers=completion.techniques,
    help="A technique, or `conventional` for the drive without any.",
)
@options.sets
@options.workload
@options.seed
@options.trace_format
@options.sort
@options.record("FILE", "run.wlr")
@options.out
@options.force
@options.progress_mode
@options.as_json
def run(**given: Any) -> None:
    """Run one simulation."""
    from wordline.cli import simulation

    simulation.run(**given)


@app.command(
    epilog="Example: wordline compare tiny --technique conventional "
    "--variant fifo:ftl.gc.policy=fifo --workload zipf:requests=1e5,interval_us=2000"
)
@options.config
@options.techniques
@option(
    "-v",
    "--variant",
    "variants",
    multiple=True,
    offers=completion.variants,
    help="NAME:key=value,key=value: any other drive; repeatable.",
)
@options.workloads
@options.sets
@options.seed
@options.trace_format
@options.sort
@flag(
    "--tenants",
    help="Run each stream of the workload alone, too, and tell its slowdown beside the others: "
    "for one drive or several. Results are kept in wordline-out/store unless --store names "
    "another.",
)
@option(
    "--seeds",
    default=1,
    help="Seeds of each run, from the configuration's on; with 5 or more the comparison says what "
    "is beyond chance.",
)
@option(
    "--workers",
    type=int,
    help="Runs at a time; one a core where left out, as far as memory suffices.",
)
@option("--store", type=PATH, help="Folder in which every run's result is kept and found again.")
@options.record("FOLDER", "VARIANT.wlr for each")
@options.free_folder("compare")
@options.force
@options.progress_mode
@options.as_json
def compare(**given: Any) -> None:
    """Run the same workloads on several drives, with ratios to the first."""
    from wordline.cli import simulation

    simulation.compare(**given)


@app.command(
    epilog="Example: wordline cuts tiny --set power.protection=none "
    "--workload zipf:requests=2e4,flush=0.01"
)
@options.config
@options.sets
@options.workload
@options.techniques
@option("--every", default=1, help="Cut at one of so many moments.")
@option(
    "--at",
    type=int,
    help="Cut only while the program or erase of this number is under way.",
)
@options.trace_format
@options.sort
@option("--recording", type=PATH, help="In place of a workload: what `serve --recording` wrote.")
@option(
    "--check",
    help="With --recording: a command that gets a file with the bytes of each drive that has come "
    "back, and fails if something is wrong there.",
)
@option("--number", default=100, help="With --recording: so many cuts.")
@option("--after", default=0, help="With --recording: only after so many of its changes.")
@option("--seed", default=1, help="With --recording: the seed of their moments.")
@flag(
    "--block-layer",
    help="With --recording: cut any drive that keeps its promises and no more, in place of the "
    "simulated one.",
)
@option("-o", "--out", type=PATH, help="Folder for report.html and cuts.json.")
@options.force
@options.progress_mode
@options.as_json
def cuts(
    workload: str | None,
    every: int,
    at: int | None,
    trace_format: str | None,
    sort: bool,
    recording: Path | None,
    check: str | None,
    number: int,
    after: int,
    seed: int,
    block_layer: bool,
    **shared: Any,
) -> None:
    """Cut power at every program, erase and flush of a run, and say what is lost."""
    if recording is None:
        from wordline.cli import powering

        how = {"trace_format": trace_format, "sort": sort}
        powering.cuts(workload=workload, every=every, at=at, **how, **shared)
        return
    from wordline.cli import recorded

    recorded.refuse(workload=workload, at=at, format=trace_format, sort=sort or None)
    recorded.cuts(
        recording=recording,
        check=check,
        number=number,
        after=after,
        seed=seed,
        block_layer=block_layer,
        **shared,
    )


@app.command(
    epilog="Example: wordline serve tiny --socket /tmp/drive, then: nbdinfo "
    "'nbd+unix:///?socket=/tmp/drive'"
)
@options.config
@option("--socket", type=PATH, help="Path of the unix socket; it goes when the drive stops.")
@option("--port", type=int, help="A port of 127.0.0.1 instead; 0 is any free one.")
@options.sets
@option(
    "--pace",
    default="virtual",
    offers=completion.paces,
    help="virtual: as fast as it goes; real: a reply comes when the simulated drive has it; "
    "slow:K: K times as late.",
)
@option(
    "--image",
    type=PATH,
    help="File that holds the flash; the drive restarts from it if it is there.",
)
@option("--log", type=PATH, help="Trace file of every request, which `run` replays.")
@option(
    "--recording", type=PATH, help="File of every change with its data, for `cuts --recording`."
)
@options.out
@options.force
@options.progress_mode
@options.as_json
def serve(**given: Any) -> None:
    """Serve a drive that holds data as a block device (NBD), until Ctrl-C."""
    from wordline.cli import serving

    serving.serve(**given)


@app.command(epilog="Example: wordline sweep op.toml --dry-run")
@argument("file", type=PATH, metavar="SWEEP", help="A TOML file: base, axes, seeds.")
@options.on
@options.runs_at_a_time
@options.store
@option(
    "-o",
    "--out",
    type=PATH,
    help="Folder for table and report. [default: wordline-out/sweep-NAME]",
)
@flag("--dry-run", help="Say how many runs, how long, how much memory.")
@options.progress_mode
@options.as_json
def sweep(**given: Any) -> None:
    """Run a drive at many points, on many cores or machines; run it again to resume."""
    from wordline.cli import sweeping

    sweeping.sweep(**given)


@app.command(epilog="Example: wordline optimise search.toml --workers 2")
@argument("file", type=PATH, metavar="SEARCH", help="A sweep's TOML file, with a table `optimise`.")
@options.on
@options.runs_at_a_time
@options.store
@option(
    "-o",
    "--out",
    type=PATH,
    help="Folder for the front's drives, table and report. [default: wordline-out/optimise-NAME]",
)
@options.progress_mode
@options.as_json
def optimise(**given: Any) -> None:
    """Find Pareto-optimal drives; run it again to resume."""
    from wordline.cli import searching

    searching.optimise(**given)


@app.command(epilog="Example: wordline league --quick")
@flag("--quick", help="A part that takes three and a half minutes of CPU time.")
@options.on
@options.runs_at_a_time
@options.store
@option(
    "-o",
    "--out",
    type=PATH,
    help="Folder for table and report. [default: wordline-out/league, or league-quick]",
)
@options.progress_mode
@options.as_json
def league(**given: Any) -> None:
    """Compare all techniques and erase schemes under the same workloads, with who wins where."""
    from wordline.cli import leagues

    leagues.league(**given)


@app.command(epilog="Example: wordline validate theory --quick")
@argument(
    "suite",
    default="all",
    offers=completion.suites,
    help="theory, timing, disksim, drives, mqsim, peers (disksim and mqsim) or all.",
)
@flag("--quick", help="A part that takes seconds.")
@options.progress_mode
@options.as_json
def validate(suite: str, **given: Any) -> None:
    """Check the simulator against closed forms, its timing, other simulators and real drives."""
    from wordline.cli import validation

    validation.validate(suite, **given)


@app.command(epilog="Example: wordline reproduce ressd --figure table5 --quick")
@argument("paper", offers=completion.papers, help="A paper or a study: `wordline list papers`.")
@option(
    "--figure",
    "figures",
    multiple=True,
    shell_complete=completion.figures,
    help="A table or figure, such as fig13; repeatable; all where left out.",
)
@flag("--quick", help="A part that takes a minute.")
@option(
    "--traces",
    type=PATH,
    help="Folder of your own traces, named after their volumes, such as hm_0.csv.gz; generated "
    "twins replace those that it lacks.",
)
@option(
    "-o",
    "--out",
    type=PATH,
    help="Folder for the report and the values. [default: wordline-out/reproduce-PAPER]",
)
@options.store
@options.progress_mode
@options.as_json
def reproduce(**given: Any) -> None:
    """Reproduce a paper's tables and figures."""
    from wordline.cli import reproduction

    reproduction.reproduce(**given)


@app.command("list", epilog="Example: wordline list policies")
@argument(
    "what",
    default="all",
    offers=completion.kinds,
    help="techniques, policies, presets, workloads, formats, papers or all.",
)
@options.as_json
def list_(**given: Any) -> None:
    """List what there is to choose from."""
    from wordline.cli import browse

    browse.list_(**given)


@app.command(epilog="Example: wordline describe ftl.gc")
@argument(
    "name",
    offers=completion.names,
    help="A technique, preset, generator, trace format, paper, policy, table or key, a field of a "
    "result, or a TOML file.",
)
@options.as_json
def describe(**given: Any) -> None:
    """Show parameters with units, defaults and sources."""
    from wordline.cli import browse

    browse.describe(**given)


@app.command(epilog="Example: wordline init my-drive.toml --preset nvme-tlc-1t")
@argument("file", type=options.NEW_FILE, help="The TOML file to write.")
@option(
    "--preset",
    default="tiny",
    offers=completion.drives,
    help="The drive preset to begin with (`wordline list presets`).",
)
@flag("--all", "whole", help="Every table, not only those that most drives set.")
@options.replace
@options.as_json
def init(**given: Any) -> None:
    """Write a commented drive to begin with."""
    from wordline.cli import starting

    starting.init(**given)


@app.command(epilog="Example: wordline schema > wordline.schema.json")
def schema() -> None:
    """Print the JSON schema of configurations, for editors."""
    from wordline.cli import starting

    starting.schema()


@app.command(epilog="Example: wordline demo --out /tmp/demo")
@options.free_folder("demo")
@options.force
@options.progress_mode
@options.as_json
def demo(**given: Any) -> None:
    """Ask of each technique when it pays, with a report."""
    from wordline.cli import demonstration

    demonstration.demo(**given)


@app.command(epilog="Example: wordline report wordline-out/compare")
@argument(
    "folder",
    type=PATH,
    help="The --out folder of a run, a comparison, a sweep or a league.",
)
@options.as_json
def report(**given: Any) -> None:
    """Write the HTML report of a run, a comparison, a sweep or a league anew."""
    from wordline.cli import simulation

    simulation.report(**given)


@app.command(epilog="Example: wordline play run.wlr --out run.html")
@argument("recordings", nargs=-1, required=True, type=PATH, help="What --record wrote: one or two.")
@option("-o", "--out", type=options.NEW_FILE, default="play.html", help="The page to write.")
@options.replace
@options.as_json
def play(**given: Any) -> None:
    """Write a page that plays recorded runs, word line by word line."""
    from wordline.cli import playing

    playing.play(**given)


for part in (
    Part(
        "trace",
        help="Look at workloads by themselves, without a drive.",
        epilog="Example: wordline trace info zipf:theta=0.9,requests=1e5",
    ),
    Part(
        "code",
        help="Codes: write-once memory and error correction, by themselves.",
        epilog="Example: wordline code bch --t 40 --failure-rate --rber 3e-3 --trials 1000",
    ),
    Part(
        "fit",
        help="Your own drive: its numbers from logs of its counters.",
        epilog="Example: wordline fit drive drive.log --exported 800GB --out mine.toml",
    ),
    Part(
        "import",
        module="imports",
        help="Drives and workloads of other simulators, written as Wordline's own.",
        epilog="Example: wordline import mqsim ssdconfig.xml workload.xml --out mine",
    ),
    Part(
        "lab",
        help="The cell laboratory: threshold voltages, bit errors, erases and lifetimes.",
        epilog="Example: wordline lab vth --chip planar-tlc --pec 2000 --age 1y",
    ),
):
    app.add_command(part)
