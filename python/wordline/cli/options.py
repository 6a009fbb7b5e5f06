"""Options that several verbs share."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from wordline.cli import completion
from wordline.errors import ConfigError


class Mode(str, Enum):
    """How progress is shown on standard error."""

    BAR = "bar"
    JSON = "json"
    NONE = "none"


Config = Annotated[
    str,
    typer.Argument(
        help="A TOML file, or the name of a drive preset (`wordline list presets`).",
        autocompletion=completion.configs,
    ),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Override a key; repeatable, the last counts.",
        autocompletion=completion.settings,
    ),
]
Workloads = Annotated[
    list[str] | None,
    typer.Option(
        help="A trace file, or a generator such as uniform:writes=1e6; repeatable.",
        autocompletion=completion.workloads,
    ),
]
TraceFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="The trace's format; detected where left out.",
        autocompletion=completion.formats,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder for result, resolved configuration, tables and report."),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force", help="Replace an earlier result; write beside other files, which stay."
    ),
]
ProgressMode = Annotated[
    Mode | None,
    typer.Option(help="On standard error; a bar where that is a terminal, else none."),
]
On = Annotated[
    str | None,
    typer.Option(
        help="dask:ADDRESS, or slurm:partition=NAME,jobs=N; this machine where left out.",
        autocompletion=completion.engines,
    ),
]
RunsAtATime = Annotated[
    int | None,
    typer.Option(
        "--workers", help="Runs at a time here; one a core where left out, if memory suffices."
    ),
]
DEFAULT_STORE = Path("wordline-out") / "store"
Store = Annotated[
    Path, typer.Option(help="Folder in which every run's result is kept and found again.")
]
Json = Annotated[bool, typer.Option("--json", help="JSON for machines on standard output.")]


def only_with(context: typer.Context, partner: str, *names: str) -> None:
    """Refuses options that say nothing where their partner was not given.

    Raises:
        ConfigError: One was given alone.
    """
    if context.params[partner]:
        return
    for name in names:
        source = context.get_parameter_source(name)
        if source and source.name == "COMMANDLINE":
            option, needed = (f"--{key.replace('_', '-')}" for key in (name, partner))
            raise ConfigError(f"{option} says nothing without {needed}", option, f"add {needed}")
