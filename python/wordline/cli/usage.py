"""How verbs are called: what the framework passes over, and its mistakes in our words."""

import difflib
import math
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

import typer
from typer.core import TyperCommand

from wordline.errors import ConfigError, WordlineError

# The framework's own package has moved between its versions; its classes have not.
Mistake: type[Exception] = typer.BadParameter.__mro__[1]
_LARGEST = 2**63 - 1  # whole numbers that every part of the program holds


def is_help(mistake: Exception) -> bool:
    """Whether a group of verbs was called alone, which shows its help."""
    return type(mistake).__name__ == "NoArgsIsHelpError"


def explained(mistake: Any) -> ConfigError:
    """A mistake of the framework as one of ours: what, where and how to mend it."""
    context = mistake.ctx
    path = context.command_path if context else "wordline"
    help_ = f"`{path} --help` shows what there is"
    kind = type(mistake).__name__
    text = mistake.message.strip().rstrip(".") if mistake.message else ""
    if kind == "NoSuchOption":
        flags = [flag for param in context.command.params for flag in param.opts] if context else []
        guess = _guess(mistake.option_name, flags)
        return ConfigError(f"there is no option `{mistake.option_name}`", path, guess + help_)
    if verb := _NO_VERB.match(text):
        guess = _guess(verb[1], getattr(context.command, "commands", ())) if context else ""
        return ConfigError(f"there is no verb `{verb[1]}`", path, guess + help_)
    if kind == "MissingParameter":
        return ConfigError(f"{_name(mistake) or 'an argument'} is missing", path, help_)
    return ConfigError(_in_our_words(text), _name(mistake) or path, help_)


_NO_VERB = re.compile("No such command '(.*?)'")

# What the framework says, by the beginnings that its versions have, and what we do.
_WORDS = tuple((re.compile(theirs), ours) for theirs, ours in (
    ("Value error, ", ""),
    ("Input should be a valid integer.*|'.*' is not a valid int.*", "it takes a whole number"),
    ("Input should be a valid number.*|'.*' is not a valid float.*", "it takes a number"),
    ("Input should be greater than or equal to ", "it must be at least "),
    ("Input should be less than or equal to ", "it must be at most "),
    ("Option '(.*)' requires an argument", r"`\1` takes a value"),
    ("Option '(.*)' does not take a value", r"`\1` takes no value"),
    (r"Got unexpected extra argument\S* \((.*)\)", r"`\1` is more than the verb takes"),
))  # fmt: skip


def _guess(name: str, names: Iterable[str]) -> str:
    """The nearest name, if any is near."""
    by_letters = {one.lstrip("-"): one for one in names}
    near = difflib.get_close_matches(name.lstrip("-"), by_letters, 1)
    return f"did you mean `{by_letters[near[0]]}`? " if near else ""


def _in_our_words(text: str) -> str:
    for theirs, ours in _WORDS:
        text = theirs.sub(ours, text)
    return text[:1].lower() + text[1:]


def _name(mistake: Any) -> str:
    parameter = getattr(mistake, "param", None)
    return _called(parameter) if parameter else str(getattr(mistake, "param_hint", None) or "")


def _called(parameter: Any) -> str:
    """What users call an option or an argument."""
    if parameter.param_type_name == "option":
        return f"`{parameter.opts[0]}`"
    return f"`{parameter.metavar or parameter.name.upper()}`"


_ARGUMENT = re.compile(r"`(\w+)=([^`]*)`")  # as in `force=True`


def _as_flag(found: "re.Match[str]", flags: Mapping[str, str]) -> str:
    name, value = found.groups()
    if name not in flags:
        return found[0]
    return flags[name] if value == "True" else f"{flags[name][:-1]} {value}`"


class Verb(TyperCommand):
    """A verb that refuses what the framework would pass over."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the command line."""
        for argument in args:
            if not _is_text(argument):
                what = f"{repr(os.fsencode(argument))[1:]} is not UTF-8 text"
                raise ConfigError(what, ctx.command_path, "rename the file, or name a link to it")
        try:
            if not ctx.resilient_parsing:
                self._refuse_repeated(ctx, args)
            rest = super().parse_args(ctx, args)
        except Mistake as mistake:
            mistake.ctx = mistake.ctx or ctx  # pyright: ignore[reportAttributeAccessIssue]
            raise
        for parameter in self.params:
            for value in _numbers(ctx.params.get(parameter.name or "")):
                _refuse_odd(value, _called(parameter))
        return rest

    def invoke(self, ctx: Any) -> Any:
        """Runs it; a failure that names an argument of the library is told by the flag for it."""
        try:
            return super().invoke(ctx)
        except WordlineError as error:
            flags = {param.name: _called(param) for param in self.params}
            # What the library takes as a list, such as `techniques`, is an option that repeats.
            place = flags.get(error.place) or flags.get(error.place.removesuffix("s"))
            error.place = place or error.place
            error.help = _ARGUMENT.sub(lambda found: _as_flag(found, flags), error.help)
            raise

    def _refuse_repeated(self, ctx: Any, args: list[str]) -> None:
        order: Iterable[Any] = self.make_parser(ctx).parse_args(args=list(args))[2]
        given: set[str] = set()
        for parameter in order:
            name = parameter.opts[0]
            if name in given and not parameter.multiple and parameter.nargs == 1:
                mend = "give it once"
                if name == "--workload":
                    mend += "; `wordline compare` takes several workloads"
                raise ConfigError(f"`{name}` is given twice", ctx.command_path, mend)
            given.add(name)


class Verbs(typer.Typer):
    """A group of verbs, each a `Verb`."""

    def command(self, name: str | None = None, *, cls: Any = Verb, **options: Any) -> Any:
        """Declares a verb."""
        return super().command(name, cls=cls, **options)


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
