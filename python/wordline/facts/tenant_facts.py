"""What is shown of tenants beside one another and alone."""

from collections.abc import Iterable, Iterator

from wordline.figures.metrics import figure
from wordline.figures.tenants import STATISTICS, Tenants

HEADS = (
    ("drive", ""),
    ("tenant", ""),
    ("mean", "µs"),
    ("alone", "µs"),
    ("slowdown", "×"),
    ("p99", "µs"),
    ("alone", "µs"),
    ("slowdown", "×"),
    ("IOPS", ""),
    ("alone", ""),
)
"""Columns of tenants and their units."""

JUDGED_HEADS = (
    ("drive", ""),
    ("fairness", "means"),
    ("fairness", "p99"),
    ("weighted speedup", "means"),
    ("weighted speedup", "p99"),
)
"""Columns of drives, and of what they are."""


def rows(drives: Iterable[tuple[str, Tenants]]) -> Iterator[tuple[str, ...]]:
    """A row for each tenant of each drive, as `HEADS` names them."""
    for drive, tenants in drives:
        for one in tenants.tenants:
            latencies = (
                figure(value)
                for statistic in STATISTICS
                for value in (
                    one.shared[f"{statistic}_us"],
                    one.alone[f"{statistic}_us"],
                    one.slowdown(statistic),
                )
            )
            rates = (figure(one.shared.iops), figure(one.alone.iops))
            yield drive, one.name, *latencies, *rates


def judged(drives: Iterable[tuple[str, Tenants]]) -> Iterator[tuple[str, ...]]:
    """A row for each drive, as `JUDGED_HEADS` names them."""
    for drive, tenants in drives:
        told = (tenants.fairness, tenants.weighted_speedup)
        yield drive, *(figure(of(statistic)) for of in told for statistic in STATISTICS)
