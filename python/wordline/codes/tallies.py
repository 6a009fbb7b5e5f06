"""Counts of Monte Carlo runs that are kept, so that a run goes on where another stopped."""

import json
from collections.abc import Callable
from pathlib import Path

from wordline import arguments, files
from wordline.codes.wom import Estimate, WomCode
from wordline.errors import OutputError

Start = Callable[[str], Callable[[int, int, int], object]]
"""Begins a task of that name; what it returns is told of trials made, in all, and failures."""


def kept(path: Path | None) -> dict[str, list[int]]:
    """The counts that a file keeps, by what was counted; none where there is no file.

    Raises:
        OutputError: The file holds something else.
    """
    if path is None or not path.exists():
        return {}
    try:
        held = json.loads(path.read_text(encoding="utf-8"))["counts"]
        return {
            str(key): [arguments.whole(str(key), n, 0, arguments.MOST_TRIALS) for n in counts]
            for key, counts in held.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(
            f"it does not hold counts: {error}", str(path), "remove it to start anew"
        ) from None


class Tallies:
    """Counts by what was counted.

    Args:
        path: The file that keeps them; in memory only where left out.
        start: Begins a task whose progress is shown.

    Raises:
        OutputError: Where the file holds something else.
    """

    def __init__(self, path: Path | None, start: Start) -> None:
        self._path = path
        self._start = start
        self._counts = kept(path)

    def failure(self, code: WomCode, data_cells: int, trials: int, failures: int = 100) -> Estimate:
        """How often writes of `code` fail; see `WomCode.attempts`."""
        key = f"{code}, {data_cells} of data"
        counts = self._counts.get(key, [])
        if sum(counts) < trials and (not counts or counts[-1] < failures):
            counts = code.attempts(
                trials,
                failures,
                data_cells=data_cells,
                counts=counts,
                progress=self._start(f"{code.family.value} {code.rate:.4f}"),
            )
            self._counts[key] = counts
            self._save()
        return Estimate.of(sum(counts), counts[-1])

    def _save(self) -> None:
        if self._path is None:
            return
        files.make_folder(self._path.parent)
        files.write(self._path, json.dumps({"counts": self._counts}))
