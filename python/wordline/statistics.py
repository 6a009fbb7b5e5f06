"""What repeats with other seeds say: intervals, and differences that are beyond chance.

Two drives are compared in pairs, each pair with the same workload and seed, by the logarithm of
their ratio: what a seed does to both cancels. Student's t gives interval and probability.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

K = TypeVar("K")

CONFIDENCE = 0.95
"""Probability of the intervals."""

_STEPS = 200  # of a bisection, and of a continued fraction
_TINY = 1e-300


@dataclass(frozen=True)
class Interval:
    """A mean of repeats, and where the true one is.

    Attributes:
        mean: The mean; of ratios the geometric one.
        low: Lower end of the interval; the mean where there is one repeat.
        high: Upper end.
        repeats: How many.
        chance: Probability of such a difference, or a larger one, if there were none; `None` of
            what is no difference, or of a single repeat.
    """

    mean: float
    low: float
    high: float
    repeats: int
    chance: float | None = None


def of_values(values: Sequence[float]) -> Interval:
    """The mean of repeats with its interval.

    Raises:
        ValueError: There are none.
    """
    mean = statistics.fmean(values)
    reach = _reach(values)
    return Interval(mean, mean - reach, mean + reach, len(values))


def of_ratios(pairs: Sequence[tuple[float, float]]) -> Interval | None:
    """The ratio of the first to the second of each pair; `None` where one is not positive."""
    if not pairs or any(min(pair) <= 0 for pair in pairs):
        return None
    logs = [math.log(ours / theirs) for ours, theirs in pairs]
    mean, reach = statistics.fmean(logs), _reach(logs)
    low, high = mean - reach, mean + reach
    chance = _chance(logs) if len(logs) > 1 else None
    return Interval(math.exp(mean), math.exp(low), math.exp(high), len(logs), chance)


def beyond_chance(chances: Mapping[K, float]) -> set[K]:
    """Of the differences that are judged together, those that are beyond chance.

    By the step-down procedure of S. Holm, "A simple sequentially rejective multiple test
    procedure", Scand. J. Stat. 6 (1979) 65: the probability of any false one is at most 5 %.
    """
    found: set[K] = set()
    for rank, (name, chance) in enumerate(sorted(chances.items(), key=lambda one: one[1])):
        if chance * (len(chances) - rank) > 1 - CONFIDENCE:
            break
        found.add(name)
    return found


def _reach(values: Sequence[float]) -> float:
    """Half the width of the mean's interval."""
    if len(values) < 2:
        return 0.0
    error = statistics.stdev(values) / math.sqrt(len(values))
    return t_quantile(len(values) - 1) * error


def _chance(differences: Sequence[float]) -> float:
    """The probability of such a mean of differences, were the true one zero."""
    mean, spread = statistics.fmean(differences), statistics.stdev(differences)
    if spread <= abs(mean) * 1e-12:  # repeats that agree to the last digit
        return 0.0 if mean else 1.0
    degrees = len(differences) - 1
    t = mean / spread * math.sqrt(len(differences))
    return t_tails(t, degrees)


def t_tails(t: float, degrees: int) -> float:
    """Probability that Student's t is further from zero than `t`."""
    return _beta(degrees / (degrees + t * t), degrees / 2, 0.5)


@cache
def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """What Student's t stays below, by its size, with probability `confidence`."""
    low, high = 0.0, 1.0
    while t_tails(high, degrees) > 1 - confidence:
        high *= 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if t_tails(middle, degrees) > 1 - confidence else (low, middle)
    return high


def _beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function (Press et al., Numerical Recipes, 6.4)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x > (a + 1) / (a + b + 2):
        return 1 - front * _fraction(1 - x, b, a) / b
    return front * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """Its continued fraction, by Lentz's method."""
    c, d = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _STEPS):
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _apart(1 + part * d)
            c = _apart(1 + part / c)
            found *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return found


def _apart(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
