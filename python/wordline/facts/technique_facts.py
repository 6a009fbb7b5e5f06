"""What a technique counts that decides its gain, as `run` and `compare` print it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordline.figures.metrics import figure
from wordline.native.types.record import Named


@dataclass(frozen=True)
class Fact:
    """A figure of a technique.

    Attributes:
        label: Its name for people.
        unit: Its unit.
        of: The figure, from what the technique reports; `None` where there was nothing to count.
    """

    label: str
    unit: str
    of: Callable[[Any], float | None]


def _hot_pct(told: Any) -> float | None:
    share = told["writes"]["hot_share"]
    return None if share is None else 100 * share


def _passed_over_pct(told: Any) -> float | None:
    passed_over = told["low_pages_left_out"]
    low_pages = passed_over + told["reprograms"]
    return 100 * passed_over / low_pages if low_pages else None


FACTS: Mapping[str, Sequence[Fact]] = {
    "llh_ftl": (
        Fact("writes called hot", "%", _hot_pct),
        Fact("second writes", "pages", lambda told: told["reprograms"]),
        Fact("low pages passed over", "%", _passed_over_pct),
    ),
}
"""The figures of each technique that has such."""


def of(result: Named) -> dict[str, list[str]]:
    """By technique the figures of a run, in the order of `FACTS`."""
    told = result["technique"] or {}
    return {
        name: [figure(fact.of(told[name])) for fact in facts]
        for name, facts in FACTS.items()
        if name in told
    }
