"""Arguments of the library's calls: what does not fit is refused by the argument's name.

>>> wl.run(3)
wordline.errors.ConfigError: config: 3 does not fit (give a text, a path, a mapping or a Preset)
"""

import inspect
import math
import operator
import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import EnumMeta
from functools import cache, wraps
from itertools import chain, repeat
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, SupportsFloat, SupportsIndex, TypeVar, get_args, get_origin

from wordline.errors import ConfigError

LARGEST = 2**64 - 1
"""The largest whole number that the engine takes."""

MOST_SEEDS = 10_000
"""Repeats of a run."""

MOST_TRIALS = 10**15
"""Trials, pages or failures that a measurement may be asked for: more take centuries."""

Number = SupportsFloat | SupportsIndex
C = TypeVar("C", bound=Callable[..., Any])
_Place = tuple[str, Any]

_ALONE = (str, bytes, os.PathLike, Mapping)  # one thing each, though they can be gone through
_WORDS: dict[Any, str] = {
    str: "a text", int: "a whole number", float: "a number", bool: "True or False",
    bytes: "bytes", Path: "a path", os.PathLike: "a path", Mapping: "a mapping",
    Iterable: "a list", Sequence: "a list", tuple: "a list",
}  # fmt: skip


def checked(call: C) -> C:
    """Refuses arguments that are not of the types which `call`, a function or a class, declares.

    Numbers of array libraries are numbers, whatever can be gone through is a list, and a function
    must take the arguments that it will be called with.
    """
    if isinstance(call, type):
        call.__init__ = checked(call.__init__)
        return call  # pyright: ignore[reportReturnType]

    @wraps(call)
    def held(*args: Any, **options: Any) -> Any:
        places, others, hints = _declared(call)
        here = zip(chain(places, repeat(others)), args, strict=False)
        given = [fit(name, one, hint) for (name, hint), one in here]
        named = {name: fit(name, one, hints.get(name, Any)) for name, one in options.items()}
        return call(*given, **named)

    return held  # pyright: ignore[reportReturnType]


@cache
def _declared(call: Callable[..., Any]) -> tuple[list[_Place], _Place, dict[str, Any]]:
    """What a function's arguments are called and of which type they are.

    Returns:
        Those that have a place, what any more are, and all of them by name.
    """
    declared = inspect.signature(call).parameters.values()
    hints = {one.name: Any if one.annotation is one.empty else one.annotation for one in declared}
    places = [(one.name, hints[one.name]) for one in declared if one.kind < one.VAR_POSITIONAL]
    several = (one.name for one in declared if one.kind == one.VAR_POSITIONAL)
    return places, next(((name, hints[name]) for name in several), ("", Any)), hints


def fit(name: str, value: Any, hint: Any) -> Any:
    """The argument `name`; as a list where it could be gone through once only.

    Raises:
        ConfigError: It is not of the type `hint`.
    """
    if hint is Any or (type(value) is hint and hint is not str):
        return value  # at once, for calls of a microsecond
    value = list(value) if isinstance(value, Iterator) else value
    if _fits(value, hint):
        return value
    told = reprlib.repr(value)
    mend = f"a list: [{told}]" if _fits([value], hint) else _either(_words(hint))
    raise ConfigError(f"{told} does not fit", name, f"give {mend}")


def _fits(value: Any, hint: Any) -> bool:
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind is UnionType:
        return any(_fits(value, one) for one in inner)
    if kind is Literal:
        return any(type(value) is type(one) and value == one for one in inner)
    if kind is Callable:
        return callable(value) and _takes(value, inner[0])
    if kind is Mapping:
        return isinstance(value, Mapping) and all(
            all(map(_fits, pair, inner)) for pair in value.items()
        )
    if kind in (Iterable, Sequence):
        return _is_several(value, kind) and all(_fits(one, inner[0]) for one in value)
    if kind is tuple:
        is_as_long = _is_several(value, kind) and len(list(value)) == len(inner)
        return is_as_long and all(map(_fits, value, inner))
    is_of = _IS_OF.get(kind)
    return is_of(value) if is_of else not isinstance(kind, type) or isinstance(value, kind)


_IS_OF: dict[Any, Callable[[Any], bool]] = {
    Any: lambda _: True,
    str: lambda value: isinstance(value, str) and "\0" not in value,
    int: lambda value: isinstance(value, SupportsIndex) and not isinstance(value, type),
    float: lambda value: isinstance(value, Number) and not isinstance(value, type),
    bool: lambda value: type(value).__name__.rstrip("_") == "bool",
    Path: lambda value: isinstance(value, os.PathLike) and "\0" not in str(value),
}
_IS_OF[os.PathLike] = _IS_OF[Path]


def _is_several(value: Any, kind: Any) -> bool:
    has_order = kind is Iterable or hasattr(value, "__getitem__")
    return isinstance(value, Iterable) and has_order and not isinstance(value, _ALONE)


def _takes(function: Any, arguments: Any) -> bool:
    """Whether a function can be called with so many arguments, as far as it tells."""
    with suppress(ValueError):
        try:
            inspect.signature(function).bind(*arguments)
        except TypeError:
            return False
    return True


def _words(hint: Any) -> Iterator[str]:
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind is UnionType:
        for one in inner:
            yield from _words(one)
    elif kind is Literal:
        yield from map(repr, inner)
    elif kind is Callable:
        yield f"a function of {len(inner[0])} argument{'s' * (len(inner[0]) > 1)}"
    elif isinstance(kind, EnumMeta):
        yield from map(str, kind)
    elif kind is not NoneType:
        yield _WORDS.get(kind, f"a {getattr(kind, '__name__', kind)}")


def _either(words: Iterable[str]) -> str:
    *others, last = dict.fromkeys(words)
    return f"{', '.join(others)} or {last}" if others else last


def whole(name: str, value: SupportsIndex, low: int, high: int) -> int:
    """A whole number, of Python or of an array library.

    Args:
        name: The argument that it is given for.
        value: The number.
        low: The least that it may be.
        high: The most.

    Raises:
        ConfigError: No whole number, or one beyond the bounds.
    """
    help = f"give a whole number from {low:,} to {_bound(high)}"
    try:
        number = operator.index(value)
    except TypeError:
        raise ConfigError(f"{value!r} is no whole number", name, help) from None
    if not low <= number <= high:
        raise ConfigError(f"{_short(number)} cannot be", name, help)
    return number


def real(name: str, value: SupportsFloat, low: float, high: float) -> float:
    """A number.

    Args:
        name: The argument that it is given for.
        value: The number.
        low: The least that it may be.
        high: The most.

    Raises:
        ConfigError: No number, or one beyond the bounds.
    """
    help = f"give a number from {low:g} to {high:g}"
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ConfigError(f"{value!r} is no number", name, help) from None
    if math.isnan(number) or not low <= number <= high:
        raise ConfigError(f"{number:g} cannot be", name, help)
    return number


def limits(trials: int, failures: int) -> tuple[int, int]:
    """How many trials to make at most, and how many failures are enough.

    Raises:
        ConfigError: None at all, or more than can be made.
    """
    return (
        whole("trials", trials, 1, MOST_TRIALS),
        whole("failures", failures, 1, MOST_TRIALS),
    )


def _bound(high: int) -> str:
    return "2^64 - 1" if high == LARGEST else f"{high:,}"


def _short(number: int) -> str:
    """A number, or where it is too long for a message how long it is."""
    return f"{number:,}" if abs(number) <= LARGEST else "a number of more than 64 bits"
