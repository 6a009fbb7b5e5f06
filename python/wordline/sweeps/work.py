"""What a worker does, on whatever machine: it runs points and keeps their results.

It needs the wheel and nothing else. Traces are found by their content; those that it lacks it asks
for.
"""

import os
import socket
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from wordline import _native
from wordline.configuration import Configuration
from wordline.errors import OutputError, WordlineError
from wordline.persistence import files
from wordline.results import identity, store
from wordline.results.identity import Contents, Sources, Trace
from wordline.results.store import Store

_OWN = 0o700  # for its owner alone
_CONTENTS = Contents()


@dataclass(frozen=True)
class Job:
    """A run to be carried out.

    Attributes:
        number: The point's.
        key: What its result is kept by.
        overrides: What it lays over the base.
        sources: What it replays.
    """

    number: int
    key: str
    overrides: tuple[str, ...]
    sources: Sources


@dataclass(frozen=True)
class Task:
    """Runs for one worker.

    Attributes:
        simulator: The identity of the simulator that must carry them out.
        version: Its version, for messages.
        store: The store's folder, and its identity: a worker that sees it writes there.
        base: The configuration that they are laid over.
        jobs: The runs.
        contents: Traces by digest, for a worker that lacks them.
    """

    simulator: str
    version: str
    store: tuple[str, str]
    base: Configuration
    jobs: tuple[Job, ...]
    contents: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Ended:
    """What became of a run.

    Attributes:
        number: The point's.
        seconds: What it took; 0 where it was there already.
        data: The result, from a worker that does not see the store; else empty.
        error: What, where and how to mend it, where it could not go on.
        is_found: Whether it was kept already.
    """

    number: int
    seconds: float = 0.0
    data: bytes = b""
    error: tuple[str, str, str] | None = None
    is_found: bool = False


@dataclass(frozen=True)
class Done:
    """What a worker answers.

    Attributes:
        ended: What became of the runs.
        other: The version and identity of a worker that has another simulator, and its host.
        lacking: Digests of traces that it has not; then no run was carried out.
    """

    ended: tuple[Ended, ...] = ()
    other: tuple[str, str, str] | None = None
    lacking: tuple[str, ...] = ()


def carry_out(task: Task) -> Done:
    """Runs a task's points.

    Raises:
        OutputError: The store cannot be written.
        RunError: The disk is full, or the system failed.
    """
    if task.simulator != identity.SIMULATOR:
        return Done(other=(_native.VERSION, identity.SIMULATOR, socket.gethostname()))
    seen = _seen(*task.store)
    traces = {trace for job in task.jobs for trace in job.sources.traces}
    places = {trace: _place(trace, seen, task.contents) for trace in traces}
    lacking = tuple(sorted(trace.digest for trace, place in places.items() if place is None))
    if lacking:
        return Done(lacking=lacking)
    here = {trace: replace(trace, path=place) for trace, place in places.items() if place}
    return Done(tuple(_ended(task, seen, here)))


def _ended(task: Task, seen: Store | None, here: Mapping[Trace, Trace]) -> Iterator[Ended]:
    for job in task.jobs:
        head = seen.head(job.key) if seen else None
        if head:
            yield Ended(job.number, is_found=True)
            continue
        sources = job.sources.moved(here)
        overrides = (*job.overrides, *(sources.overrides if sources != job.sources else ()))
        try:
            kept = store.carried_out(task.base.with_overrides(overrides), sources.traces)
        except WordlineError as error:
            yield Ended(job.number, error=(error.what, error.place, error.help))
            continue
        data = kept.encoded()
        if seen:
            seen.put(job.key, data)
            data = b""
        yield Ended(job.number, kept.head.seconds, data, kept.head.error)


def _seen(folder: str, identity_: str) -> Store | None:
    """The driver's store, if this machine sees it."""
    with suppress(WordlineError):
        if (Path(folder) / store.ABOUT).is_file():
            found = Store(folder)
            return found if found.id == identity_ else None
    return None


def _place(trace: Trace, seen: Store | None, contents: Mapping[str, bytes]) -> str | None:
    """Where a trace of that content is here; `None` where it is not."""
    places = [Path(trace.path), *([seen.trace_path(trace)] if seen else [])]
    found = next((place for place in places if _CONTENTS.is_at(place, trace)), None)
    if found:
        return str(found)
    own = _own_folder() / trace.digest / trace.name
    if _CONTENTS.is_at(own, trace):
        return str(own)
    if trace.digest not in contents:
        return None
    files.make_folder(own.parent)
    return str(files.write(own, contents[trace.digest]))


def _own_folder() -> Path:
    """A temporary folder in which nobody but this user can put anything.

    Raises:
        OutputError: Somebody else has made it, or it cannot be made.
    """
    user = os.getuid() if hasattr(os, "getuid") else None
    folder = Path(tempfile.gettempdir()) / f"wordline-traces-{'user' if user is None else user}"
    files.make_folder(folder, _OWN)
    made = folder.lstat()
    if user is not None and not (stat.S_ISDIR(made.st_mode) and made.st_uid == user):
        raise OutputError("belongs to another user", str(folder), "remove it, or set TMPDIR")
    folder.chmod(_OWN)
    return folder
