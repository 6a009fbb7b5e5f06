"""How options are declared, and those that several verbs share."""

import os
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import click

from wordline.cli import completion
from wordline.cli.usage import Argument
from wordline.errors import ConfigError
from wordline.persistence import files

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
Offers = Callable[[str], list[str]]

PATH = click.Path(path_type=Path)
_REPLACES = "wordline.replaces"


class Mode(str, Enum):
    """How progress is shown on standard error."""

    BAR = "bar"
    JSON = "json"
    NONE = "none"


class OneOf(click.Choice):
    """A choice among the values of an enumeration."""

    def __init__(self, kind: type[Enum]) -> None:
        super().__init__([one.value for one in kind])
        self._kind = kind

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The member with this value."""
        return self._kind(super().convert(value, param, ctx))


class NewFile(click.Path):
    """A file that a verb writes: one that is there is replaced only where `replace` is given."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The path, once it is known that it can be written."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not ctx.resilient_parsing:
            files.check_writable(path, force=ctx.meta.get(_REPLACES, False))
        return path


NEW_FILE = NewFile(path_type=Path)


def option(*names: str, offers: Offers | None = None, **attributes: Any) -> Decorator:
    """An option; the shell offers what `offers` finds."""
    return click.option(*names, **_completed(offers), **attributes)


def argument(name: str, offers: Offers | None = None, **attributes: Any) -> Decorator:
    """An argument; the shell offers what `offers` finds."""
    return click.argument(name, cls=Argument, **_completed(offers), **attributes)


def flag(*names: str, help: str) -> Decorator:
    """An option without a value."""
    return click.option(*names, is_flag=True, help=help)


def _completed(offers: Offers | None) -> dict[str, Any]:
    if offers is None:
        return {}
    return {"shell_complete": lambda _context, _parameter, begun: offers(begun)}


config = argument(
    "config",
    offers=completion.configs,
    help="A TOML file, or the name of a drive preset (`wordline list presets`).",
)
sets = option(
    "-s",
    "--set",
    "sets",
    multiple=True,
    metavar="KEY=VALUE",
    offers=completion.settings,
    help="Set a key; repeatable, the last one wins.",
)
techniques = option(
    "-t",
    "--technique",
    "techniques",
    multiple=True,
    offers=completion.techniques,
    help="A technique, or `conventional` for the drive without any; repeatable.",
)
workloads = option(
    "-w",
    "--workload",
    "workloads",
    multiple=True,
    offers=completion.workloads,
    help="A trace file, or a generator such as uniform:writes=1e6; repeatable.",
)
workload = option(
    "-w",
    "--workload",
    offers=completion.workloads,
    help="A trace file, or a generator such as zipf:requests=1e5,interval_us=2000.",
)
trace_format = option(
    "--format",
    "trace_format",
    offers=completion.formats,
    help="The trace's format; detected where left out.",
)
sort = flag("--sort", help="Put the trace's requests in the order of their times first.")
seed = option("--seed", type=int, help="Seed of everything random; run.seed of the configuration.")
out = option(
    "-o", "--out", type=PATH, help="Folder for result, resolved configuration, tables and report."
)


def free_folder(verb: str) -> Decorator:
    """Where a verb writes: beside its earlier results where it is not told."""
    return option(
        "-o",
        "--out",
        type=PATH,
        help=f"Folder for the report and the results. [default: wordline-out/{verb}, or the first "
        f"of {verb}-2, {verb}-3 … that is free]",
    )


def record(target: str, example: str) -> Decorator:
    """What is recorded for `wordline play`."""
    named = option(
        "--record", type=PATH, metavar=target, help=f"Record for `wordline play`: {example}."
    )
    begin = option("--record-from", type=float, default=0.0, help="Simulated second it begins at.")
    length = option("--record-seconds", type=float, help="Simulated seconds that it lasts.")
    most = option("--record-commands", type=int, help="End after so many flash commands.")

    def decorated(verb: Callable[..., Any]) -> Callable[..., Any]:
        return named(begin(length(most(verb))))

    return decorated


force = flag("--force", help="Replace an earlier result; write beside other files, which stay.")
replace = click.option(
    "--force",
    is_flag=True,
    is_eager=True,  # ahead of the files
    expose_value=False,
    callback=lambda context, _, value: context.meta.update({_REPLACES: value}),
    help="Replace files that exist.",
)
progress_mode = option(
    "--progress",
    "progress_mode",
    type=OneOf(Mode),
    help="On standard error; a bar where that is a terminal, else none.",
)
on = option(
    "--on",
    offers=completion.engines,
    help="dask:ADDRESS, or slurm:partition=NAME,jobs=N; this machine where left out.",
)
runs_at_a_time = option(
    "--workers",
    type=int,
    help="Runs at a time here; one a core where left out, if memory suffices.",
)
store = option(
    "--store",
    type=PATH,
    default=Path("wordline-out") / "store",
    help="Folder in which every run's result is kept and found again.",
)
measure_speed = flag("--speed", help="Measure how long it takes.")
as_json = flag("--json", "as_json", help="JSON for machines on standard output.")


def only_with(context: click.Context, partner: str, *names: str) -> None:
    """Refuses options that say nothing where their partner was not given.

    Raises:
        ConfigError: One was given alone.
    """
    if context.params[partner]:
        return
    flags = {parameter.name: parameter.opts[-1] for parameter in context.command.params}
    for name in names:
        source = context.get_parameter_source(name)
        if source is click.core.ParameterSource.COMMANDLINE:
            needed = flags[partner]
            what = f"{flags[name]} says nothing without {needed}"
            raise ConfigError(what, flags[name], f"add {needed}")
