"""How verbs are called: what the framework passes over, and its mistakes in our words."""

import importlib
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from wordline.errors import ConfigError, WordlineError

_LARGEST = 2**63 - 1  # whole numbers that every part of the program holds


def is_help(mistake: click.UsageError) -> bool:
    """Whether a group of verbs was called alone, which shows its help."""
    return type(mistake).__name__ == "NoArgsIsHelpError"  # which older versions do not have


def explained(mistake: click.UsageError) -> ConfigError:
    """A mistake of the framework as one of ours: what, where and how to mend it."""
    context = mistake.ctx
    path = context.command_path if context else "wordline"
    help_ = f"`{path} --help` shows what there is"
    if isinstance(mistake, click.NoSuchOption):
        flags = [flag for param in context.command.params for flag in param.opts] if context else []
        guess = _guess(mistake.option_name, flags)
        return ConfigError(f"there is no option `{mistake.option_name}`", path, guess + help_)
    parameter = getattr(mistake, "param", None)
    name = _called(parameter) if parameter else ""
    if isinstance(mistake, click.MissingParameter):
        return ConfigError(f"{name or 'an argument'} is missing", path, help_)
    return ConfigError(_in_our_words(mistake.message.strip().rstrip(".")), name or path, help_)


# What the framework says, and what we do.
_WORDS = tuple((re.compile(theirs), ours) for theirs, ours in (
    ("'.*' is not a valid int.*", "it takes a whole number"),
    ("'.*' is not a valid float.*", "it takes a number"),
    (".* is not in the range x>=(.*)", r"it must be at least \1"),
    (".* is not in the range (.*)<=x<=(.*)", r"it must be from \1 to \2"),
    ("Option '(.*)' requires an argument", r"`\1` takes a value"),
    ("Option '(.*)' does not take a value", r"`\1` takes no value"),
    (r"Got unexpected extra argument\S* \((.*)\)", r"`\1` is more than the verb takes"),
))  # fmt: skip


def _guess(name: str, names: Iterable[str]) -> str:
    """The nearest name, if any is near."""
    import difflib

    by_letters = {one.lstrip("-"): one for one in names}
    near = difflib.get_close_matches(name.lstrip("-"), by_letters, 1)
    return f"did you mean `{by_letters[near[0]]}`? " if near else ""


def _in_our_words(text: str) -> str:
    for theirs, ours in _WORDS:
        text = theirs.sub(ours, text)
    return text[:1].lower() + text[1:]


def _called(parameter: click.Parameter) -> str:
    """What users call an option or an argument."""
    if isinstance(parameter, click.Option):
        return f"`{parameter.opts[-1]}`"
    return f"`{parameter.human_readable_name}`"


_ARGUMENT = re.compile(r"`(\w+)=([^`]*)`")  # as in `force=True`


def _as_flag(found: "re.Match[str]", flags: Mapping[str, str]) -> str:
    name, value = found.groups()
    if name not in flags:
        return found[0]
    return flags[name] if value == "True" else f"{flags[name][:-1]} {value}`"


class Argument(click.Argument):
    """An argument that help pages explain."""

    def __init__(self, *args: Any, help: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self._help = help

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """How it is called, and what it is."""
        more = "" if self.required else f"  [default: {self.default}]"
        return " ".join(self.get_usage_pieces(ctx)), self._help + more


class Verb(click.Command):
    """A verb that refuses what the framework would pass over."""

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Leaves arguments to `format_options`: click calls this from 8.5 on only."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Explains arguments, then options."""
        for title, kind in (("Arguments", Argument), ("Options", click.Option)):
            of_kind = (p for p in self.get_params(ctx) if isinstance(p, kind))
            if rows := [row for p in of_kind if (row := p.get_help_record(ctx))]:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the command line."""
        for argument in args:
            if not _is_text(argument):
                what = f"{repr(os.fsencode(argument))[1:]} is not UTF-8 text"
                raise ConfigError(what, ctx.command_path, "rename the file, or name a link to it")
        try:
            if not ctx.resilient_parsing:
                self._refuse_repeated(ctx, args)
            rest = super().parse_args(ctx, args)
        except click.UsageError as mistake:
            mistake.ctx = mistake.ctx or ctx
            raise
        for parameter in self.params:
            for value in _numbers(ctx.params.get(parameter.name or "")):
                _refuse_odd(value, _called(parameter))
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Runs it; a failure that names an argument of the library is told by the flag for it."""
        try:
            return super().invoke(ctx)
        except WordlineError as error:
            flags = {param.name or "": _called(param) for param in self.params}
            error.place = flags.get(error.place, error.place)
            error.help = _ARGUMENT.sub(lambda found: _as_flag(found, flags), error.help)
            raise

    def _refuse_repeated(self, ctx: click.Context, args: list[str]) -> None:
        order = self.make_parser(ctx).parse_args(args=list(args))[2]
        given: set[str] = set()
        for parameter in order:
            name = parameter.opts[-1]
            if name in given and not parameter.multiple and parameter.nargs == 1:
                mend = "give it once"
                if name == "--workload":
                    mend += "; `wordline compare` takes several workloads"
                raise ConfigError(f"`{name}` is given twice", ctx.command_path, mend)
            given.add(name)


class Verbs(click.Group):
    """A group of verbs, each a `Verb`, in the order of their declarations.

    Where `parts` are given, help shows them apart: titles, and the verbs under each.
    """

    command_class = Verb

    def __init__(
        self, *args: Any, parts: Mapping[str, Sequence[str]] | None = None, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self._parts = parts

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Explains every verb in whole sentences."""
        for title, names in (self._parts or {"Commands": self.list_commands(ctx)}).items():
            verbs = ((name, self.get_command(ctx, name)) for name in names)
            rows = [(name, (verb.help or "").partition("\n")[0]) for name, verb in verbs if verb]
            with formatter.section(title):
                formatter.write_dl(rows)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the verbs."""
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The verb that the command line names."""
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            help_ = f"`{ctx.command_path} --help` shows what there is"
            guess = _guess(args[0], self.list_commands(ctx))
            raise ConfigError(f"there is no verb `{args[0]}`", ctx.command_path, guess + help_)
        return super().resolve_command(ctx, args)


class Part(Verbs):
    """A group whose verbs stand in a module of its name, which is loaded when one is asked for."""

    def __init__(self, name: str, *, module: str = "", **attributes: Any) -> None:
        super().__init__(name, **attributes)
        self._module = module or name

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the verbs."""
        return self._verbs.list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of this name."""
        return self._verbs.get_command(ctx, cmd_name)

    @property
    def _verbs(self) -> Verbs:
        return importlib.import_module(f"wordline.cli.{self._module}").verbs


def _is_text(argument: str) -> bool:
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def _numbers(value: Any) -> list[float]:
    values = value if isinstance(value, list | tuple) else [value]
    return [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]


def _refuse_odd(value: float, name: str) -> None:
    if isinstance(value, int):
        if abs(value) > _LARGEST:
            raise ConfigError(f"{value} is beyond any number here", name, "give a smaller number")
    elif not math.isfinite(value):
        raise ConfigError(f"`{value}` is no number here", name, "give a finite number")
