"""Arguments of the library's calls: what cannot be is refused by the argument's name."""

import math
import operator
from typing import SupportsFloat, SupportsIndex

from wordline.errors import ConfigError

LARGEST = 2**64 - 1
"""The largest whole number that the engine takes."""


MOST_SEEDS = 10_000
"""Repeats of a run."""

MOST_TRIALS = 10**15
"""Trials, pages or failures that a measurement may be asked for: more take centuries."""


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
