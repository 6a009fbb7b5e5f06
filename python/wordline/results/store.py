"""A store of results: each run under the name of what it depends on, and computed once.

    STORE/store.json         the form of the store, and its identity
    STORE/runs/ab/abcd…      a run: a line of JSON, then result, configuration and tables
    STORE/traces/DIGEST/NAME a trace that workers elsewhere read
    STORE/plans/…            keys of the points of a sweep, so that none is resolved twice
    STORE/cuts/…             figures of a run whose power was cut

    STORE/digests            digests of trace files

A run is written whole by the process that carried it out. Any number of processes may read and
write a store at a time. Each file but `store.json` and the traces begins with its digest: whatever
is damaged counts as missing, and its run is done again.
"""

import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from wordline import _native
from wordline.arguments import checked
from wordline.configuration import Configuration
from wordline.errors import OutputError, RunError
from wordline.figures import metrics
from wordline.native import native_api
from wordline.native.native_api import Progress
from wordline.persistence import files
from wordline.results import identity
from wordline.results.identity import Contents, Identity, Trace
from wordline.results.result import Result

FORM = 1
"""The form of a store that this version writes; it reads no later one."""

DEFAULT = Path("wordline-out") / "store"
"""Where runs are kept unless something else is said."""

ABOUT = "store.json"
"""The file that tells a store."""

_RUNS, _TRACES, _PLANS, _CUTS, _CONTENTS = "runs", "traces", "plans", "cuts", "digests"
_LEVEL = 1  # of compression: faster than the disk
_SMALL_BYTES = 65_536  # texts up to here are not compressed: for short runs that would take longest


@dataclass(frozen=True)
class Head:
    """What is known of a run without reading all of it.

    Attributes:
        figures: Its figures by the names of `metrics.METRICS`; empty where it failed.
        seconds: What it took.
        error: What, where and how to mend it, where the run could not go on: it will not go on
            another time either.
        warnings: What must be known of it.
    """

    figures: Mapping[str, float | None]
    seconds: float
    error: tuple[str, str, str] | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kept:
    """A run as it is kept: texts in which traces are named by their content.

    Attributes:
        head: Its figures.
        result: `result.json`.
        config: The resolved configuration, as TOML.
        series: The time series, as Parquet; empty where there is none.
        records: One row per request, likewise.
    """

    head: Head
    result: str = ""
    config: str = ""
    series: bytes = b""
    records: bytes = b""

    def encoded(self) -> bytes:
        """The bytes of its file."""
        packed = [_packed_text(text) for text in (self.result, self.config)]
        parts = [*packed, self.series, self.records]
        head = {
            "wordline": FORM,
            "of": _columns(),
            "figures": dict(self.head.figures),
            "seconds": self.head.seconds,
            "error": self.head.error,
            "warnings": self.head.warnings,
            "parts": [len(part) for part in parts],
        }
        return files.sealed(b"".join((json.dumps(head).encode(), b"\n", *parts)))

    @classmethod
    def decoded(cls, data: bytes) -> "Kept":
        """What `encoded` has written.

        Raises:
            ValueError: It is damaged.
        """
        line, _, body = files.unsealed(data).partition(b"\n")
        told = json.loads(line)
        parts: list[bytes] = []
        for length in told["parts"]:
            parts.append(body[:length])
            body = body[length:]
        result, config = (zlib.decompress(part).decode() for part in parts[:2])
        series, records = parts[2:]
        return cls(_head(told), result, config, series, records)

    def result_at(self, traces: Sequence[Trace]) -> Result:
        """The result, with the traces named as they are here.

        Raises:
            RunError: The run could not go on.
        """
        if self.head.error:
            raise RunError(*self.head.error)
        result, config = (identity.with_paths(t, traces) for t in (self.result, self.config))
        tables = map(_native.Table.from_parquet, (self.series, self.records))
        return Result.of_json(json.loads(result), config, *tables)


def of_result(result: Result, traces: Sequence[Trace]) -> Kept:
    """A result as it is kept."""
    head = Head(metrics.figures(result), result.simulator.wall_s, None, tuple(result.warnings))
    return _packed(head, result.to_json(), result, result.config_toml, traces)


def _packed(
    head: Head, result: str, run: _native.Run | Result, config: str, traces: Sequence[Trace]
) -> Kept:
    result, config = (identity.with_contents(text, traces) for text in (result, config))
    series, records = (t.parquet() if len(t) else b"" for t in (run.series, run.records))
    return Kept(head, result, config, series, records)


def carried_out(
    configuration: Configuration, traces: Sequence[Trace], progress: Progress | None = None
) -> Kept:
    """Runs a configuration, as it is kept, failures of the run itself included.

    Args:
        configuration: What is run.
        traces: The traces that it reads.
        progress: Called a few times a second; what it raises stops the run.

    Raises:
        ConfigError, WorkloadError: The configuration cannot be used.
        RunError: The system failed, or has too little memory.
    """
    c = configuration
    c.check_memory()
    try:
        run = native_api.run_raw(c.text, c.origin, c.overrides, progress)
    except RunError as error:
        if error.place:  # a file that could not be read, perhaps only now
            raise
        told = (error.what, error.place, error.help)
        return Kept(Head({}, 0.0, told))
    found = json.loads(run.result)
    seconds, warnings = found["simulator"]["wall_s"], tuple(found["warnings"])
    head = Head(metrics.figures(found), seconds, None, warnings)
    return _packed(head, run.result, run, run.config, traces)


def _packed_text(text: str) -> bytes:
    data = text.encode()
    return zlib.compress(data, _LEVEL if len(data) > _SMALL_BYTES else 0)


@cache
def _columns() -> str:
    """Changes with the figures that a head holds."""
    return identity.digest_of(*map(repr, metrics.METRICS))[:8]


def _head(told: Mapping[str, Any]) -> Head:
    error = told["error"]
    known = tuple(error) if error else None
    return Head(told["figures"], float(told["seconds"]), known, tuple(told["warnings"]))


class Store:
    """A folder of results.

    Attributes:
        folder: Where it is.
        contents: Digests of traces.
    """

    @checked
    def __init__(self, folder: str | Path = DEFAULT) -> None:
        """Opens the store in `folder`; where there is none, the first run that is kept makes it.

        Raises:
            OutputError: `folder` is no store, or that of a later version.
        """
        self.folder = Path(folder)
        self.contents = Contents(self.folder / _CONTENTS)
        held = _held(self.folder)  # looked at first: another process may make the store in between
        self._id = _read_about(self.folder / ABOUT)
        if self._id is None and held:
            what = f"holds files that are no store of results, such as `{min(held)}`"
            raise OutputError(what, str(self.folder), "name another folder")

    @classmethod
    def of(cls, store: "str | Path | Store") -> "Store":
        """The store, or the one in a folder."""
        return store if isinstance(store, Store) else cls(store)

    @property
    def id(self) -> str:
        """Its identity; the store is made where there is none.

        Raises:
            OutputError: It cannot be written.
            RunError: The disk is full.
        """
        if self._id is None:
            about = self.folder / ABOUT
            files.make_folder(self.folder)
            files.write(about, json.dumps({"store": FORM, "id": os.urandom(8).hex()}) + "\n")
            # Of two processes that make it at a time, both take what the last one wrote.
            self._id = _read_about(about)
        return self._id or ""

    def _folder(self, *names: str) -> Path:
        """A folder in the store, which is made."""
        assert self.id, "it is made"
        folder = self.folder.joinpath(*names)
        files.make_folder(folder)
        return folder

    def identity_of(self, configuration: Configuration) -> Identity:
        """What a run of `configuration` is kept by.

        Raises:
            ConfigError, WorkloadError: The configuration or a trace cannot be used.
        """
        return identity.of(configuration, self.contents)

    def keys(self) -> set[str]:
        """The keys of all runs."""
        found: set[str] = set()
        with suppress(FileNotFoundError):
            for part in filter(os.DirEntry.is_dir, os.scandir(self.folder / _RUNS)):
                with os.scandir(part.path) as entries:
                    found.update(one.name for one in entries if not one.name.startswith("."))
        return found

    def heads(self, keys: Iterable[str]) -> dict[str, Head]:
        """The figures of those runs that are kept, by key."""
        here = self.keys()
        found = ((key, self.head(key)) for key in dict.fromkeys(keys) if key in here)
        return {key: head for key, head in found if head}

    def head(self, key: str) -> Head | None:
        """A run's figures; `None` where it is not kept, or damaged anywhere.

        Raises:
            OutputError: A folder, a pipe or a device stands in its place.
        """
        data = self._read(_RUNS, key[:2], key)
        try:
            told = json.loads(files.unsealed(data).partition(b"\n")[0])
            if told["of"] == _columns():
                return _head(told)
        except (ValueError, KeyError, TypeError):
            return None
        kept = self.get(key)  # written when there were other figures
        if kept is None or kept.head.error:
            return kept.head if kept else None
        return replace(kept.head, figures=metrics.figures(json.loads(kept.result)))

    def get(self, key: str) -> Kept | None:
        """A run; `None` where it is not kept, or damaged.

        Raises:
            OutputError: A folder, a pipe or a device stands in its place.
        """
        data = self._read(_RUNS, key[:2], key)
        try:
            return Kept.decoded(data)
        except (ValueError, KeyError, TypeError, zlib.error):
            return None

    def put(self, key: str, data: bytes) -> None:
        """Keeps a run, as `Kept.encoded` gives it.

        Raises:
            OutputError: It cannot be written.
            RunError: The disk is full.
        """
        files.write(self._folder(_RUNS, key[:2]) / key, data, lasting=False)

    def find(self, identity_: Identity) -> Result | None:
        """The result of a run that is kept; what is damaged counts as missing.

        Raises:
            RunError: The run is kept as one that could not go on.
        """
        kept = self.get(identity_.key)
        with suppress(ValueError):
            return kept.result_at(identity_.sources.traces) if kept else None
        return None

    def keep(self, identity_: Identity, result: Result) -> None:
        """Keeps a result.

        Raises:
            OutputError: It cannot be written.
            RunError: The disk is full.
        """
        self.put(identity_.key, of_result(result, identity_.sources.traces).encoded())

    def _read(self, *names: str) -> bytes:
        """A file of the store; nothing where it cannot be read, which counts as damaged."""
        path = self.folder.joinpath(*names)
        try:
            return files.bytes_of(path)
        except files.NoFileError as error:
            raise OutputError(str(error.strerror), str(path), "remove it") from None
        except OSError:
            return b""

    def add_traces(self, traces: Iterable[Trace]) -> None:
        """Copies traces into the store, where workers find them by their content.

        Raises:
            WorkloadError: One cannot be read, or has changed.
            OutputError: They cannot be written.
            RunError: The disk is full.
        """
        for trace in traces:
            if not Contents().is_at(self.trace_path(trace), trace):
                folder = self._folder(_TRACES, trace.digest)
                files.write(folder / trace.name, trace.content_bytes())

    def trace_path(self, trace: Trace) -> Path:
        """Where a trace is in the store, if it is."""
        return self.folder / _TRACES / trace.digest / trace.name

    def plan(self, digest: str) -> list[Any] | None:
        """What `keep_plan` kept under that digest."""
        return self._note(_PLANS, digest)

    def keep_plan(self, digest: str, plan: Sequence[Any]) -> None:
        """Keeps what a plan resolves to.

        Raises:
            OutputError: It cannot be written.
            RunError: The disk is full.
        """
        self._keep_note(_PLANS, digest, plan)
        self.contents.keep()

    def outage(self, digest: str) -> dict[str, float] | None:
        """What `keep_outage` kept under that digest."""
        return self._note(_CUTS, digest)

    def keep_outage(self, digest: str, figures: Mapping[str, float]) -> None:
        """Keeps the figures of a run whose power was cut.

        Raises:
            OutputError: They cannot be written.
            RunError: The disk is full.
        """
        self._keep_note(_CUTS, digest, figures)

    def _note(self, kind: str, digest: str) -> Any:
        data = self._read(kind, digest)
        try:
            return json.loads(zlib.decompress(files.unsealed(data)))
        except (ValueError, zlib.error):
            return None

    def _keep_note(self, kind: str, digest: str, content: Any) -> None:
        data = zlib.compress(json.dumps(content).encode(), _LEVEL)
        files.write(self._folder(kind) / digest, files.sealed(data))


def _held(folder: Path) -> list[str]:
    """What is in a folder, which may be absent; hidden files do not count."""
    if not os.path.exists(folder):
        return []
    if not os.path.isdir(folder):
        raise OutputError("is a file", str(folder), "name a folder")
    return [one.name for one in folder.iterdir() if not one.name.startswith(".")]


def _read_about(about: Path) -> str | None:
    """The identity of a store; `None` where there is none."""
    try:
        told = json.loads(files.bytes_of(about))
        form, found = int(told["store"]), str(told["id"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError):
        raise OutputError(
            "is no store of results, or a damaged one", str(about), "name another folder"
        ) from None
    if form > FORM:
        raise OutputError(
            f"the store is of a later version of Wordline: form {form}, and this one reads {FORM}",
            str(about),
            "install that version, or name another folder",
        )
    return found
