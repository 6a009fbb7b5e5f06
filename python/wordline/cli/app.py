"""The verbs and their options. What a verb needs is imported when it runs: help stays instant."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import wordline
from wordline import build
from wordline.cli import code, completion, failures, fit, lab, trace
from wordline.cli.options import (
    DEFAULT_STORE,
    Config,
    Force,
    Json,
    On,
    Out,
    ProgressMode,
    RunsAtATime,
    Sets,
    Store,
    TraceFormat,
    Workloads,
)
from wordline.cli.usage import Verbs


class Root(TyperGroup):
    """Turns failures into messages and exit statuses, for every verb alike."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Reads what comes ahead of the verb."""
        with failures.as_exit_status():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Runs the verb."""
        with failures.as_exit_status():
            return super().invoke(ctx)


app = Verbs(
    cls=Root,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Wordline: a laboratory for NAND-flash SSDs.",
    epilog="Begin with `wordline demo`, or `wordline run tiny --workload uniform:writes=1e5`.",
)


app.add_typer(trace.app, name="trace")
app.add_typer(code.app, name="code")
app.add_typer(fit.app, name="fit")
app.add_typer(lab.app, name="lab")


def main() -> None:
    """Runs the command line."""
    with failures.of_output():
        app(prog_name="wordline")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"wordline {wordline.__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Wordline: a laboratory for NAND-flash SSDs."""
    if sys.stderr.isatty() and (note := build.note()):
        typer.echo(note, err=True)


@app.command(
    epilog="Example: wordline run tiny --workload zipf:theta=0.99 --set ftl.gc.policy=fifo"
)
def run(
    config: Config,
    sets: Sets = None,
    workload: Annotated[
        str | None,
        typer.Option(
            help="A trace file, or a generator such as uniform:writes=1e6.",
            autocompletion=completion.workloads,
        ),
    ] = None,
    trace_format: TraceFormat = None,
    out: Out = None,
    force: Force = False,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Run one simulation."""
    from wordline.cli import simulation

    simulation.run(config, sets or [], workload, trace_format, out, force, progress, as_json)


@app.command(
    epilog="Example: wordline compare tiny --technique conventional "
    "--variant fifo:ftl.gc.policy=fifo --workload uniform:writes=1e5"
)
def compare(
    config: Config,
    technique: Annotated[
        list[str] | None,
        typer.Option(
            help="A technique, or `conventional` for the drive without any; repeatable.",
            autocompletion=completion.techniques,
        ),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME:key=value,key=value: any other drive; repeatable.",
            autocompletion=completion.variants,
        ),
    ] = None,
    workload: Workloads = None,
    sets: Sets = None,
    trace_format: TraceFormat = None,
    seeds: Annotated[
        int,
        typer.Option(
            help="Seeds of each run, from the configuration's on; with 5 or more the comparison "
            "says what is beyond chance."
        ),
    ] = 1,
    workers: Annotated[
        int | None,
        typer.Option(help="Runs at a time; one a core where left out, as far as memory suffices."),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(help="Folder in which every run's result is kept and found again."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the report and the results. [default: wordline-out/compare, or the "
            "first of compare-2, compare-3 … that is free]",
        ),
    ] = None,
    force: Force = False,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Run the same work through several drives, side by side, with ratios to the first."""
    from wordline.cli import simulation

    simulation.compare(
        config,
        technique or [],
        variant or [],
        workload or [],
        sets or [],
        trace_format,
        seeds,
        workers,
        store,
        out,
        force,
        progress,
        as_json,
    )


@app.command(
    epilog="Example: wordline cuts tiny --set power.protection=none "
    "--workload zipf:requests=2e4,flush=0.01"
)
def cuts(
    config: Config,
    sets: Sets = None,
    workload: Annotated[
        str | None,
        typer.Option(
            help="A trace file, or a generator such as zipf:requests=2e4,flush=0.01.",
            autocompletion=completion.workloads,
        ),
    ] = None,
    technique: Annotated[
        list[str] | None,
        typer.Option(
            help="A technique, or `conventional` for the drive without any; repeatable.",
            autocompletion=completion.techniques,
        ),
    ] = None,
    every: Annotated[int, typer.Option(help="Cut at one of so many moments.")] = 1,
    at: Annotated[
        int | None,
        typer.Option(help="Cut only while the program or erase of this number is under way."),
    ] = None,
    trace_format: TraceFormat = None,
    recording: Annotated[
        Path | None,
        typer.Option(help="In place of a workload: what `serve --recording` wrote."),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            help="With --recording: a command that gets a file with the bytes of each drive that "
            "has come back, and fails if something is wrong there."
        ),
    ] = None,
    number: Annotated[int, typer.Option(help="With --recording: so many cuts.")] = 100,
    after: Annotated[
        int, typer.Option(help="With --recording: only after so many of its changes.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="With --recording: the seed of their moments.")] = 1,
    block_layer: Annotated[
        bool,
        typer.Option(
            "--block-layer",
            help="With --recording: cut any drive that keeps its promises and no more, in place of "
            "the simulated one.",
        ),
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for report.html and cuts.json.")] = None,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Cut power at every program, erase and flush of a run, and tell what is missing afterwards."""
    if recording is not None:
        from wordline.cli import recorded

        recorded.refuse(workload=workload, at=at, trace_format=trace_format)
        recorded.cuts(
            config,
            sets or [],
            technique or [],
            recording,
            check,
            number,
            after,
            seed,
            block_layer,
            out,
            progress,
            as_json,
        )
        return
    from wordline.cli import powering

    powering.cuts(
        config,
        sets or [],
        technique or [],
        workload,
        every,
        at,
        trace_format,
        out,
        progress,
        as_json,
    )


@app.command(
    epilog="Example: wordline serve tiny --socket /tmp/drive, then: nbdinfo "
    "'nbd+unix:///?socket=/tmp/drive'"
)
def serve(
    config: Config,
    socket: Annotated[
        Path | None, typer.Option(help="Path of the unix socket; it goes when the drive stops.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="A port of 127.0.0.1 instead; 0 is any free one.")
    ] = None,
    sets: Sets = None,
    pace: Annotated[
        str,
        typer.Option(
            help="virtual: as fast as it goes; real: a reply comes when the simulated drive has "
            "it; slow:K: K times as late.",
            autocompletion=completion.paces,
        ),
    ] = "virtual",
    image: Annotated[
        Path | None,
        typer.Option(help="File that holds the flash; the drive restarts from it if it is there."),
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="Trace file of every request, which `run` replays.")
    ] = None,
    recording: Annotated[
        Path | None,
        typer.Option(help="File of every change with its data, for `cuts --recording`."),
    ] = None,
    out: Out = None,
    force: Force = False,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Serve a drive that holds data as a block device (NBD), until Ctrl-C."""
    from wordline.cli import serving

    serving.serve(
        config,
        sets or [],
        socket,
        port,
        pace,
        image,
        log,
        recording,
        out,
        force,
        progress,
        as_json,
    )


@app.command(epilog="Example: wordline sweep op.toml --dry-run")
def sweep(
    file: Annotated[Path, typer.Argument(metavar="SWEEP", help="A TOML file: base, axes, seeds.")],
    on: On = None,
    workers: RunsAtATime = None,
    store: Store = DEFAULT_STORE,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for table and report. [default: wordline-out/sweep-NAME]"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many runs, how long, how much memory.")
    ] = False,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Run a drive at many points, on many cores or machines; the same command goes on."""
    from wordline.cli import sweeping

    sweeping.sweep(file, on, workers, store, out, dry_run, progress, as_json)


@app.command(epilog="Example: wordline optimise search.toml --workers 2")
def optimise(
    file: Annotated[
        Path, typer.Argument(metavar="SEARCH", help="A sweep's TOML file, with a table `optimise`.")
    ],
    on: On = None,
    workers: RunsAtATime = None,
    store: Store = DEFAULT_STORE,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the front's drives, table and report. "
            "[default: wordline-out/optimise-NAME]"
        ),
    ] = None,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Search for the drives that no other one beats in every aim; the same command goes on."""
    from wordline.cli import searching

    searching.optimise(file, on, workers, store, out, progress, as_json)


@app.command(epilog="Example: wordline league --quick")
def league(
    quick: Annotated[
        bool, typer.Option("--quick", help="A part that takes a minute or two.")
    ] = False,
    on: On = None,
    workers: RunsAtATime = None,
    store: Store = DEFAULT_STORE,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for table and report. [default: wordline-out/league, or league-quick]"
        ),
    ] = None,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Compare all techniques and erase schemes under the same workloads, with who wins where."""
    from wordline.cli import leagues

    leagues.league(quick, on, workers, store, out, progress, as_json)


@app.command(epilog="Example: wordline validate theory --quick")
def validate(
    suite: Annotated[
        str,
        typer.Argument(
            help="theory, timing, disksim, drives, mqsim, peers (disksim and mqsim) or all.",
            autocompletion=completion.suites,
        ),
    ] = "all",
    quick: Annotated[bool, typer.Option("--quick", help="A part that takes seconds.")] = False,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Check the simulator against closed forms, its timing, other simulators and real drives."""
    from wordline.cli import validation

    validation.validate(suite, quick, progress, as_json)


@app.command(epilog="Example: wordline reproduce ressd --figure table5 --quick")
def reproduce(
    paper: Annotated[
        str,
        typer.Argument(help="The publication's short name.", autocompletion=completion.papers),
    ],
    figure: Annotated[
        list[str] | None,
        typer.Option(
            help="A table or figure, such as fig13; repeatable; all where left out.",
            autocompletion=completion.figures,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A part that takes a minute.")] = False,
    traces: Annotated[
        Path | None,
        typer.Option(
            help="Folder of your own traces, named after their volumes, such as hm_0.csv.gz; "
            "generated twins replace those that it lacks."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the report and the values. [default: wordline-out/reproduce-PAPER]",
        ),
    ] = None,
    store: Store = DEFAULT_STORE,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Set a publication's tables and figures beside what its systems do here."""
    from wordline.cli import reproduction

    reproduction.reproduce(paper, figure or [], quick, traces, store, out, progress, as_json)


@app.command("list", epilog="Example: wordline list policies")
def list_(
    what: Annotated[
        str,
        typer.Argument(
            help="techniques, policies, presets, workloads, formats or all.",
            autocompletion=completion.kinds,
        ),
    ] = "all",
    as_json: Json = False,
) -> None:
    """List what there is to choose from."""
    from wordline.cli import browse

    browse.list_(what, as_json)


@app.command(epilog="Example: wordline describe ftl.gc")
def describe(
    name: Annotated[
        str,
        typer.Argument(
            help="A technique, preset, generator, trace format, policy, table or key.",
            metavar="NAME",
            autocompletion=completion.names,
        ),
    ],
    as_json: Json = False,
) -> None:
    """Show parameters with units, defaults and sources."""
    from wordline.cli import browse

    browse.describe(name, as_json)


@app.command(epilog="Example: wordline demo --out /tmp/demo")
def demo(
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the report and the results. [default: wordline-out/demo, or the "
            "first of demo-2, demo-3 … that is free]",
        ),
    ] = None,
    force: Force = False,
    progress: ProgressMode = None,
    as_json: Json = False,
) -> None:
    """Compare techniques, erase schemes and policies on built-in workloads, with a report."""
    from wordline.cli import demonstration

    demonstration.demo(out, force, progress, as_json)


@app.command(epilog="Example: wordline report wordline-out/demo")
def report(
    folder: Annotated[
        Path, typer.Argument(help="The --out folder of a run, a comparison, a sweep or a league.")
    ],
    as_json: Json = False,
) -> None:
    """Write the HTML report of a run, a comparison, a sweep or a league anew."""
    from wordline.cli import simulation

    simulation.report(folder, as_json)
