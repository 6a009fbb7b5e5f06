"""What a reader must know of a comparison beside the warnings of its runs."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from wordline.figures import metrics, tenants
from wordline.figures.comparison_view import Case, Comparison
from wordline.figures.metrics import EQUAL, figure

_MOSTLY = 0.5  # of a gain
_PAIR = 2


def of(comparison: Comparison) -> list[str]:
    """Drives that are the same, gains that are mostly padding, tenants that others left alone."""
    return [*_same_drives(comparison), *padding(comparison), *_left_alone(comparison)]


def _left_alone(comparison: Comparison) -> Iterator[str]:
    """Runs of tenants of which one ended long before another."""
    for case in comparison.cases:
        if case.alone:
            early = [f"`{one.name}`" for one in tenants.of(case.result, case.alone).ended_early()]
            if early:
                yield (
                    f"{listed(early)} of {case.variant} ended long before the last tenant, which "
                    "had the drive to itself from then on; set `host.until_s` or "
                    "`workload.until_s`, so that all end together"
                )


def _same_drives(comparison: Comparison) -> Iterator[str]:
    """Drives whose resolved configurations are equal, so that comparing them shows nothing."""
    told: set[str] = set()
    for workloads in comparison.groups:
        alike: dict[str, list[Case]] = {}
        for case in comparison.of(workloads[0]):
            config = json.dumps(case.result["config"].to_dict(), sort_keys=True)
            alike.setdefault(config, []).append(case)
        told.update(_same(cases) for cases in alike.values() if len(cases) > 1)
    yield from sorted(told)


def _same(cases: Sequence[Case]) -> str:
    names = listed([f"`{case.variant}`" for case in cases])
    own = (change for case in cases for change in case.changes if change != "technique={}")
    changes = dict.fromkeys(f"`{change}`" for change in own)
    every = "both" if len(cases) == _PAIR else "all"
    why = f", because {every} have {listed(list(changes))}" if changes else ""
    return f"{names} are the same drive{why}; set another value or another key"


@dataclass(frozen=True)
class _Gain:
    """A lower write amplification than the baseline's, and the part of that which is padding.

    It is none where erases rise: write amplification does not count pages that a technique leaves
    unused, and erases do.
    """

    case: Case
    baseline: Case

    @property
    def ratio(self) -> float:
        return _amplification(self.case) / _amplification(self.baseline)

    @property
    def erases_more(self) -> bool:
        both = (self.case, self.baseline)
        ours, theirs = (metrics.lookup(case.result, metrics.ERASES) or 0.0 for case in both)
        return ours > (1 + EQUAL) * theirs > 0

    @property
    def without_padding(self) -> float:
        """The ratio, had neither drive padded."""
        ours, theirs = (_amplification(c) - _padding(c) for c in (self.case, self.baseline))
        return ours / theirs

    @property
    def by_padding(self) -> float:
        """The part of the gain that is padding; above one where the rest is a loss."""
        gain = _amplification(self.baseline) - _amplification(self.case)
        return (_padding(self.baseline) - _padding(self.case)) / gain


def _amplification(case: Case) -> float:
    return case.result.write_amplification or 0.0


def _padding(case: Case) -> float:
    return metrics.lookup(case.result, metrics.PADDING) or 0.0


def padding(comparison: Comparison) -> Iterator[str]:
    """Gains in write amplification that are mostly padding which the baseline programs.

    Write amplification is a sum by cause, so that the part of a gain that is padding is counted,
    not modelled. What a drive without padding would do beyond that, another run shows.
    """
    for workloads in comparison.groups:
        for variant in (case.variant for case in comparison.of(workloads[0])[1:]):
            gains = [_gain(comparison, workload, variant) for workload in workloads]
            padded = [gain for gain in gains if gain and gain.by_padding >= _MOSTLY]
            if padded:
                yield _told(padded, len(workloads))


def _gain(comparison: Comparison, workload: str, variant: str) -> _Gain | None:
    baseline, *others = comparison.of(workload)
    gain = _Gain(next(case for case in others if case.variant == variant), baseline)
    if not _amplification(gain.case) or gain.erases_more:
        return None
    return gain if gain.ratio < 1 - EQUAL else None


def _told(gains: Sequence[_Gain], workloads: int) -> str:
    """One sentence for all workloads on which a variant's gain is mostly padding."""
    one = gains[0]
    where = f" on {len(gains)} of {workloads} workloads" if workloads > 1 else ""
    parts = " and ".join(
        f"{figure(_padding(case))} of {figure(_amplification(case))} with {case.variant}"
        for case in (one.baseline, one.case)
    )
    counted = "by geometric mean" if workloads > 1 else f"padding is {parts}"
    whole = metrics.change(geometric_mean([gain.ratio for gain in gains]))
    without = metrics.change(geometric_mean([gain.without_padding for gain in gains]))
    return (
        f"what {one.case.variant} gains over {one.baseline.variant} is mostly padding{where}: "
        f"write amplification {whole}, without padding {without} ({counted}); "
        "compare with another ftl.acknowledge or ftl.buffer_kib, which decide how much is padded"
    )


def geometric_mean(values: Sequence[float]) -> float:
    """The mean of ratios."""
    return prod(values) ** (1 / len(values))


def listed(parts: Sequence[str]) -> str:
    """`a`; `a and b`; `a, b and c`."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


_NAMED = 2  # runs that a warning names before it only counts


def warnings_of(cases: Sequence[Case]) -> list[tuple[str, str]]:
    """What a reader must know first: each warning once, and which runs it concerns."""
    found: dict[str, list[str]] = {}
    for case in cases:
        for warning in case.result.warnings:
            found.setdefault(warning, []).append(f"{case.variant}, {case.workload}")
    return [(warning, _concerned(names, len(cases))) for warning, names in found.items()]


def _concerned(names: list[str], runs: int) -> str:
    if runs == 1:
        return ""
    if len(names) == runs:
        return "in every run"
    more = f"; and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"in {len(names)} of {runs} runs: {'; '.join(names[:_NAMED])}{more}"
