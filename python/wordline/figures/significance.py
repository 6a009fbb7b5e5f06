"""Drives against the first one: ratios over several seeds, and which of them are beyond chance."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wordline.figures import metrics, statistics
from wordline.figures.metrics import Metric
from wordline.figures.statistics import Interval


@dataclass(frozen=True)
class Effect:
    """A drive against the first one on a workload.

    Attributes:
        variant: The drive.
        workload: The workload.
        metric: The figure.
        ratio: To the first drive, in pairs of equal seeds.
        is_beyond_chance: Whether it differs by more than 1 %, and more than other seeds would make.
    """

    variant: str
    workload: str
    metric: Metric
    ratio: Interval
    is_beyond_chance: bool

    @property
    def interval(self) -> str:
        """Where the true ratio is, in words; a dash where there is one seed."""
        if self.ratio.repeats < 2:
            return "–"
        return f"{metrics.change(self.ratio.low)} to {metrics.change(self.ratio.high)}"

    @property
    def verdict(self) -> str:
        """Whether the difference is beyond chance, in words."""
        if self.ratio.chance is None:
            return "not known"
        return "yes" if self.is_beyond_chance else "no"

    def to_dict(self) -> dict[str, object]:
        """The effect as plain values."""
        return {
            "variant": self.variant,
            "workload": self.workload,
            "figure": self.metric.key,
            "ratio": self.ratio.mean,
            "low": self.ratio.low,
            "high": self.ratio.high,
            "repeats": self.ratio.repeats,
            "beyond_chance": None if self.ratio.chance is None else self.is_beyond_chance,
        }


def _matters(ratio: Interval) -> bool:
    return abs(ratio.mean - 1) > metrics.EQUAL


def judged(
    measured: Mapping[tuple[str, str, str], Interval], known: Iterable[Metric]
) -> list[Effect]:
    """Ratios by drive, workload and figure, judged together, so that of many none is by chance.

    A difference of 1 % or less counts as none.
    """
    chances = {key: of.chance for key, of in measured.items() if of.chance is not None}
    sure = statistics.beyond_chance(chances)
    by_key = {metric.key: metric for metric in known}
    return [
        Effect(key[0], key[1], by_key[key[2]], ratio, key in sure and _matters(ratio))
        for key, ratio in measured.items()
    ]
