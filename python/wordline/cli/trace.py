"""The verbs of `wordline trace`. What a verb needs is imported when it runs."""

from collections.abc import Sequence
from typing import Any

import click

from wordline.cli import completion, options
from wordline.cli.options import NEW_FILE, PATH, argument, flag, option
from wordline.cli.usage import Verbs

verbs = Verbs()

workload = argument(
    "workload",
    metavar="FILE",
    offers=completion.workloads,
    help="A trace file, or a generator such as zipf:theta=0.9.",
)

written_as = option(
    "--to",
    offers=completion.written_formats,
    help="Format of OUT: wordline, msr, mqsim, ssdsim, fio-v2, fio-v3; by default that of its "
    "ending (.wlt, .csv, .trace, .ascii, .iolog).",
)


@verbs.command(epilog="Example: wordline trace info trace.csv.zst --html trace.html")
@workload
@options.trace_format
@options.sort
@option(
    "--sample",
    default=1.0,
    help="Share of the addresses to look at; below 1, figures are estimates.",
)
@option(
    "--memory-mib",
    type=click.IntRange(1),
    default=2048,
    help="Memory for the statistics; more is refused.",
)
@option("-o", "--out", "--html", "html", type=NEW_FILE, help="Write a report, one HTML file.")
@options.replace
@options.progress_mode
@options.as_json
def info(**given: Any) -> None:
    """Show what a workload holds: requests, updates, lifetimes, skew, arrivals, its course."""
    from wordline.cli import trace_info

    trace_info.info(**given)


@verbs.command(
    epilog="Example: wordline trace convert trace.csv.gz trace.wlt --from 3600 --until 7200"
)
@argument("source", metavar="IN", offers=completion.workloads, help="A trace file.")
@argument("target", type=PATH, metavar="OUT", help="The new file; .gz or .zst compresses it.")
@written_as
@option(
    "--format",
    "trace_format",
    offers=completion.formats,
    help="Format of IN; detected where left out.",
)
@option(
    "--interleave",
    multiple=True,
    offers=completion.workloads,
    help="One more trace that runs at the same time, merged by time; repeatable.",
)
@option(
    "--volume",
    "volumes",
    multiple=True,
    type=click.IntRange(0, 2**20 - 1),
    help="A volume that counts; repeatable; all by default.",
)
@option(
    "--from",
    "from_s",
    type=click.FloatRange(0),
    default=0,
    help="Seconds: drop earlier requests; the first left arrives at 0.",
)
@option(
    "--until",
    "until_s",
    type=click.FloatRange(0),
    help="Seconds, counted as --from is: drop later requests.",
)
@option("--first", type=click.IntRange(1), help="End after this many requests.")
@option(
    "--layout",
    type=click.Choice(("together", "side_by_side")),
    default="together",
    help="Keep the addresses of every volume, or lay the volumes side by side.",
)
@options.sort
@option(
    "--time-scale",
    type=click.FloatRange(1e-9, 1e9),
    default=1.0,
    help="Multiply arrivals by this.",
)
@option(
    "--repeat",
    type=click.IntRange(1),
    default=1,
    help="Repeat the whole so often, one mean gap after its end.",
)
@flag("--split", help="A file for each volume: OUT with its number.")
@flag("--lossy", help="Round or leave out what OUT cannot hold; say how much.")
@flag("--force", help="Replace files that exist.")
@options.progress_mode
@options.as_json
def convert(source: str, interleave: Sequence[str], **given: Any) -> None:
    """Write a trace in another format, in parts, or several as one."""
    from wordline.cli import trace_convert

    trace_convert.convert([source, *interleave], **given)


@verbs.command(epilog="Example: wordline trace sort trace.csv.gz sorted.csv.gz")
@argument("source", metavar="IN", offers=completion.workloads, help="A trace file, of any size.")
@argument("target", type=PATH, metavar="OUT", help="The new file; .gz or .zst compresses it.")
@written_as
@options.trace_format
@flag("--lossy", help="Round or leave out what OUT cannot hold; say how much.")
@flag("--force", help="Replace OUT if it exists.")
@options.progress_mode
@options.as_json
def sort(source: str, **given: Any) -> None:
    """Write a trace with its requests in the order of their times."""
    from wordline.cli import trace_convert

    trace_convert.convert([source], sort=True, **given)


@verbs.command(epilog="Example: wordline trace synth twin:ressd/hm_0 hm_0.wlt")
@argument(
    "workload",
    metavar="NAME",
    offers=completion.workloads,
    help="A generator, a twin such as twin:ressd/hm_0, or a TOML file of phases or of a fitted "
    "model.",
)
@argument(
    "out",
    type=PATH,
    help="The trace file; its ending says the format and the compression.",
)
@option(
    "--to",
    offers=completion.written_formats,
    help="The format, where the ending of OUT does not say it.",
)
@option("--seed", type=click.IntRange(0), default=1, help="Seed of a workload that names none.")
@option(
    "--span-gib",
    type=click.FloatRange(0.001, 1e9),
    default=16,
    help="Address space of a generator that names none, GiB.",
)
@flag("--lossy", help="Round what the format cannot hold, or leave it out.")
@flag("--force", help="Replace OUT if it exists.")
@options.as_json
def synth(**given: Any) -> None:
    """Write a generated workload to a trace file."""
    from wordline.cli import trace_synth

    trace_synth.synth(**given)


@verbs.command(epilog="Example: wordline trace fit trace.csv.zst --out my-twin.toml")
@workload
@option("-o", "--out", type=NEW_FILE, help="The model's file; standard output where left out.")
@options.replace
@option("--name", help="What the model is called; the file's name by default.")
@options.trace_format
@options.sort
def fit(**given: Any) -> None:
    """Fit a model to a trace: small, without addresses, and a workload by itself."""
    from wordline.cli import trace_synth

    trace_synth.fit(**given)
