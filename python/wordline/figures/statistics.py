"""What repeats with other seeds say: intervals, and differences that are beyond chance.

Two drives are compared in pairs, each pair with the same workload and seed, by the logarithm of
their ratio: what a seed does to both cancels. Student's t gives interval and probability.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from wordline import _native

K = TypeVar("K")

CONFIDENCE = 0.95
"""Probability of the intervals."""


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
    return _native.student_quantile(len(values) - 1, CONFIDENCE) * error


def _chance(differences: Sequence[float]) -> float:
    """The probability of such a mean of differences, were the true one zero."""
    mean, spread = statistics.fmean(differences), statistics.stdev(differences)
    if spread <= abs(mean) * 1e-12:  # repeats that agree to the last digit
        return 0.0 if mean else 1.0
    degrees = len(differences) - 1
    t = mean / spread * math.sqrt(len(differences))
    return _native.student_tails(t, degrees)
