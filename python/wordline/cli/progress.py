"""Progress on standard error: bars for people, JSON lines for machines, or nothing."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from wordline.cli.options import Mode
from wordline.native.native_api import Progress

Start = Callable[[str], Progress]
"""Begins a task of that name."""


@contextmanager
def shown(mode: Mode | None) -> Iterator[Start]:
    """Shows progress while the block lasts; yields what begins a task."""
    if mode is None:
        mode = Mode.BAR if sys.stderr.isatty() else Mode.NONE
    if mode is Mode.BAR:
        with _bars() as start:
            yield start
    else:
        yield _json_lines if mode is Mode.JSON else _silent


def _silent(_: str) -> Progress:
    return lambda *_: None


def _json_lines(name: str) -> Progress:
    def update(phase: str, done: int, total: int | None, simulated_ns: int) -> None:
        line = {"task": name, "phase": phase, "done": done, "total": total}
        line["simulated_s"] = simulated_ns / 1e9
        sys.stderr.write(f"{json.dumps(line)}\n")  # in one piece: two runs report at a time
        sys.stderr.flush()

    return update


@contextmanager
def _bars() -> Iterator[Start]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars
    from rich.table import Column

    # In a narrow terminal the name gives way, not the figures.
    name_column = Column(ratio=1, no_wrap=True, overflow="ellipsis")
    columns = (
        TextColumn("{task.description}", markup=False, table_column=name_column),
        BarColumn(bar_width=16),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    lock = threading.Lock()
    with Bars(*columns, console=Console(stderr=True), transient=True, expand=True) as bars:

        def start(name: str) -> Progress:
            task: Any = bars.add_task(name, total=None)

            def update(phase: str, done: int, total: int | None, _: int) -> None:
                with lock:
                    note = name if phase in ("run", "done") else f"{name}: {phase}"
                    bars.update(task, completed=done, total=total, description=note)
                    if phase == "done":
                        bars.update(task, visible=False)

            return update

        yield start
