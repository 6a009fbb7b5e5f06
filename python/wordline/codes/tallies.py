"""Counts of Monte Carlo runs that are kept, so that a run goes on where another stopped."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from wordline import arguments
from wordline.codes.wom import Estimate, WomCode
from wordline.errors import OutputError
from wordline.persistence import files

Start = Callable[[str], Callable[[int, int, int], object]]
"""Begins a task of that name; what it returns is told of trials made, in all, and failures."""


class Kept:
    """Counts by what was counted, in a file that grows with each of them.

    Args:
        path: The file, read if it is there; in memory only where left out.

    Raises:
        OutputError: The file holds something else, or cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._counts = _read(path)
        if path:
            files.check_writable(path)

    def of(self, key: str) -> list[int]:
        """What was counted of `key`; nothing yet where the list is empty."""
        return self._counts.get(key, [])

    def keep(self, key: str, counts: list[int]) -> None:
        """Keeps what has been counted of `key` up to now.

        Raises:
            OutputError: The file cannot be written.
            RunError: The disk is full.
        """
        self._counts[key] = counts
        if self._path:
            files.write(self._path, json.dumps({"counts": self._counts}))


def _read(path: Path | None) -> dict[str, list[int]]:
    if path is None or not os.path.exists(path):
        return {}
    text = files.read(path)
    try:
        held = json.loads(text)["counts"]
        return {
            str(key): [arguments.whole(str(key), n, 0, arguments.MOST_TRIALS) for n in counts]
            for key, counts in held.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(
            f"it does not hold counts: {error}", str(path), "remove it to start anew"
        ) from None


class Tallies:
    """Counts by what was counted.

    Args:
        path: The file that keeps them; in memory only where left out.
        start: Begins a task whose progress is shown.

    Raises:
        OutputError: The file holds something else, or cannot be written.
    """

    def __init__(self, path: Path | None, start: Start) -> None:
        self._start = start
        self._kept = Kept(path)

    def failure(self, code: WomCode, data_cells: int, trials: int, failures: int = 100) -> Estimate:
        """How often writes of `code` fail; see `WomCode.attempts`."""
        key = f"{code}, {data_cells} of data"
        counts = self._kept.of(key)
        if sum(counts) < trials and (not counts or counts[-1] < failures):
            counts = code.attempts(
                trials,
                failures,
                data_cells=data_cells,
                counts=counts,
                progress=self._start(f"{code.family.value} {code.rate:.4f}"),
            )
            self._kept.keep(key, counts)
        return Estimate.of(sum(counts), counts[-1])
