"""Progress in notebooks: a bar below the cell that runs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from wordline.native.native_api import Progress


@contextmanager
def shown(name: str, asked: Progress | None) -> Iterator[Progress | None]:
    """What is told of a run's progress: what is `asked`, else in a notebook a bar until it ends."""
    told = asked or progress(name)
    yield told
    if told and not asked:
        told("done", 0, None, 0)


def progress(name: str) -> Callable[[str, int, int | None, int], None] | None:
    """What shows the progress of a run in a notebook; `None` outside of one."""
    # Whoever is in a notebook has loaded IPython.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import HTML, display  # pyright: ignore[reportMissingImports]

    handle: Any = display(HTML(""), display_id=True)

    def show(phase: str, done: int, total: int | None, _simulated_ns: int) -> None:
        handle.update(HTML("" if phase == "done" else bar(name, phase, done, total)))

    return show


def bar(name: str, phase: str, done: int, total: int | None) -> str:
    """A bar with its words; without an end where that is not known."""
    from html import escape

    extent = f"value='{done}' max='{total}'" if total else ""
    share = f" of {total:,}" if total else ""
    return f"{escape(name)}: <progress {extent}></progress> {escape(phase)}, {done:,}{share}"
