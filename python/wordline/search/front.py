"""The front of a search: drives that no other one beats in every aim."""

from collections.abc import Sequence
from itertools import pairwise

from wordline.search.course import Trial
from wordline.search.spec import Search
from wordline.sweeps import summary

Place = tuple[float, ...]
"""What a drive reaches in each aim; of every aim, less is better."""


def of(search: Search, trials: Sequence[Trial]) -> list[Trial]:
    """The front, in the order of the first aim; of equal drives the first alone."""
    signs = [aim.sign for aim in search.aims]
    allowed: dict[tuple[str, ...], Trial] = {}
    for trial in trials:
        if trial.is_allowed:
            allowed.setdefault(tuple(trial.keys), trial)
    found = list(allowed.values())
    best = [found[number] for number in summary.front([one.aims for one in found], signs)]
    return sorted(best, key=lambda one: [s * v for s, v in zip(signs, one.aims, strict=True)])


def hypervolume(places: Sequence[Place], worst: Place) -> float:
    """The space between places and a worst one that some place beats: more is better.

    It is exact, for any number of aims, by slices of the last one.
    """
    inside = [one for one in places if all(a < b for a, b in zip(one, worst, strict=True))]
    if not inside:
        return 0.0
    if len(worst) == 1:
        return worst[0] - min(one[0] for one in inside)
    ends = sorted({one[-1] for one in inside} | {worst[-1]})
    return sum(
        (high - low) * hypervolume([one[:-1] for one in inside if one[-1] <= low], worst[:-1])
        for low, high in pairwise(ends)
    )
