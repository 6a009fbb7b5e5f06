"""What is asked of a recording, and what it is said to be."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TypeAlias

from wordline import arguments
from wordline.persistence import files

SUFFIX = ".wlr"
"""How names of recordings end."""

Wanted: TypeAlias = tuple[str, float, float, int | None]
"""A recording as the native library is asked for it: file, start, length, commands."""


@arguments.checked
@dataclass(frozen=True)
class Recording:
    """What a run records for the player, beside its result.

    Attributes:
        path: The file, such as `run.wlr`.
        from_s: Simulated time at which it begins, seconds.
        seconds: Simulated time that it lasts; to the end of the run where left out.
        commands: Flash commands after which it ends. Where left out it goes on, and keeps up to
            10 million: of a longer run, stretches that are spread evenly over it.
        force: Replace a file that is there.
    """

    path: str | os.PathLike[str]
    from_s: float = 0.0
    seconds: float | None = None
    commands: int | None = None
    force: bool = False

    def __post_init__(self) -> None:
        arguments.real("from_s", self.from_s, 0, inf)
        if self.seconds is not None:
            arguments.real("seconds", self.seconds, 0, inf)
        if self.commands is not None:
            arguments.whole("commands", self.commands, 1, 1 << 40)


RecordLike: TypeAlias = str | os.PathLike[str] | Recording
"""A recording, or the file that it goes to."""


def of(record: RecordLike) -> Recording:
    """The recording that is meant."""
    return record if isinstance(record, Recording) else Recording(record)


def of_each(folder: Recording, cases: Mapping[int, tuple[str, str]]) -> dict[int, Recording]:
    """The recording of each variant and workload in a folder, by the number of its run.

    Raises:
        OutputError: One is there and `force` is not set, or cannot be written.
    """
    workloads = list(dict.fromkeys(workload for _, workload in cases.values()))
    found = {}
    for number, (variant, workload) in cases.items():
        of = f"-{workloads.index(workload) + 1}" if len(workloads) > 1 else ""
        name = re.sub(r"[^\w.+-]+", "-", variant) + of + SUFFIX
        found[number] = replace(folder, path=Path(folder.path) / name)
        files.check_writable(Path(found[number].path), force=folder.force)
    return found


@contextmanager
def being_made(recording: Recording | None) -> Iterator[Wanted | None]:
    """A recording that is being written: its file appears once the run is over, or not at all.

    Raises:
        OutputError: The file cannot be written, or is there and `force` is not set.
    """
    if recording is None:
        yield None
        return
    path = Path(recording.path)
    files.check_writable(path, force=recording.force)
    with files.replacing(path) as partial:
        seconds = inf if recording.seconds is None else recording.seconds
        yield str(partial), float(recording.from_s), seconds, recording.commands
