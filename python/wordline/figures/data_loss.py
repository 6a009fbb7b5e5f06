"""Acknowledged data that runs lost, though their configurations do not say that they may."""

from collections.abc import Iterable, Mapping, Sequence

from wordline.errors import RunError
from wordline.figures import metrics
from wordline.figures.comparison_view import Case, Outcome
from wordline.native.types.record import Named

MAY_LOSE = "host.power_off.may_lose"
_LOST = "lost_units"  # of metrics.LAZY


def of_figures(figures: Mapping[str, float | None]) -> int:
    """The units that a run lost, by its figures."""
    return int(figures.get(_LOST) or 0)


def may_lose(config: Named) -> bool:
    """Whether a configuration says that data may be lost."""
    return bool(metrics.lookup(config, MAY_LOSE))


def of_result(result: Outcome) -> list[int]:
    """The units that a run lost, if any; none where it may lose data."""
    return _lost(result, [metrics.figures(result)])


def of_cases(cases: Iterable[Case]) -> list[int]:
    """The units that each run of a comparison lost, those of further seeds too."""
    lost = (_lost(one.result, [metrics.figures(one.result), *one.repeats]) for one in cases)
    return [units for of in lost for units in of]


def _lost(result: Outcome, runs: Iterable[Mapping[str, float | None]]) -> list[int]:
    counts = [] if may_lose(result["config"]) else map(of_figures, runs)
    return [units for units in counts if units]


def refuse(lost: Sequence[int], runs: int, place: str) -> None:
    """Says so where runs lost data.

    Args:
        lost: The units that each of those runs lost.
        runs: How many there were.
        place: Which.

    Raises:
        RunError: One did.
    """
    if not lost:
        return
    of = f" in {len(lost):,} of {runs:,} runs" if runs > 1 else ""
    raise RunError(
        f"acknowledged data was lost: {sum(lost):,} units{of} did not outlive host.power_off",
        place,
        "technique.lazy_ftl.without_power.time_to_secure_s says what a shutdown takes first; set "
        f"{MAY_LOSE} to true if the loss is what the run is for",
    )
