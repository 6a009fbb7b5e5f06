"""How many runs are carried out at a time."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from wordline import arguments

MOST = 1024
"""Runs at a time that may be asked for."""

RUN_BYTES = 32 << 20
"""What a run takes beside its maps, roughly."""

_MEMORY = Path("/proc/meminfo")
_LIMIT, _TAKEN = (Path(f"/sys/fs/cgroup/memory.{name}") for name in ("max", "current"))


def number(runs_bytes: Iterable[int], asked: int | None = None) -> int:
    """Runs at a time: as many as are asked for, else one a core, as long as memory suffices.

    Args:
        runs_bytes: What each of the runs takes, roughly.
        asked: How many the user wants.

    Raises:
        ConfigError: `asked` is no number from 1.
    """
    if asked is not None:
        return arguments.whole("workers", asked, 1, MOST)
    needs = sorted((need + RUN_BYTES for need in runs_bytes), reverse=True)
    free = free_bytes()
    many = min(cores(), len(needs)) or 1
    while many > 1 and free is not None and sum(needs[:many]) > free:
        many -= 1
    return many


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def free_bytes() -> int | None:
    """Memory that can be had: of the machine, and within the limit of a container."""
    free: list[int] = []
    with suppress(OSError, ValueError, StopIteration):
        lines = _MEMORY.read_text().splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        free.append(int(line.split()[1]) << 10)
    with suppress(OSError, ValueError):
        free.append(int(_LIMIT.read_text()) - int(_TAKEN.read_text()))
    return min(free, default=None)
