"""Warnings of many runs: those together that differ in their numbers alone."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

_ONE = r"((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)"
_NUMBER = re.compile(rf"(?<![\w.,-]){_ONE}(?: to {_ONE})?")
_DRIVE = re.compile(r"^drive \d+: ")  # of an array


@dataclass
class _Kind:
    """Warnings that are alike.

    Attributes:
        ranges: The least and the greatest of each number, in order.
        runs: How many runs they concern.
    """

    ranges: list[tuple[str, str]]
    runs: int

    def add(self, ranges: Iterable[tuple[str, str]], runs: int) -> None:
        """Adds a warning of so many runs."""
        both = zip(self.ranges, ranges, strict=True)
        self.ranges = [(min(a[0], b[0], key=_value), max(a[1], b[1], key=_value)) for a, b in both]
        self.runs += runs


def of_runs(runs: Iterable[Iterable[str]]) -> dict[str, int]:
    """Warnings, each with how many runs it concerns; a number becomes a range where it differs."""

    def counted() -> Iterator[tuple[str, int]]:
        for warnings, times in Counter(map(tuple, runs)).items():
            own = together((_DRIVE.sub("", warning), 1) for warning in warnings)
            yield from ((warning, times) for warning in own)

    return together(counted())


def together(counted: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Warnings that are alike as one, and their runs together, the most frequent first."""
    kinds: dict[tuple[str, ...], _Kind] = {}
    for warning, runs in counted:
        parts = _NUMBER.split(warning)
        words, low, high = tuple(parts[::3]), parts[1::3], parts[2::3]
        ranges = [(a, b or a) for a, b in zip(low, high, strict=True)]
        if words in kinds:
            kinds[words].add(ranges, runs)
        else:
            kinds[words] = _Kind(ranges, runs)
    ordered = sorted(kinds.items(), key=lambda item: -item[1].runs)
    return {_told(words, kind.ranges): kind.runs for words, kind in ordered}


def concerned(warnings: Mapping[str, int], of: int, what: str) -> list[tuple[str, str]]:
    """Each warning, and how many of so many runs it concerns."""
    return [(warning, f"{runs:,} of {of:,} {what}") for warning, runs in warnings.items()]


def _told(words: tuple[str, ...], ranges: Iterable[tuple[str, str]]) -> str:
    numbers = [low if _value(low) == _value(high) else f"{low} to {high}" for low, high in ranges]
    return "".join(part for both in zip(words, [*numbers, ""], strict=True) for part in both)


def _value(number: str) -> float:
    return float(number.replace(",", ""))
