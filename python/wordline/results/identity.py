"""What a run's result depends on, as one name: simulator, configuration, content of its traces."""

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordline import _native
from wordline.configuration import Configuration, toml_value
from wordline.errors import WorkloadError
from wordline.persistence import files

SIMULATOR = _native.SOURCE
"""A digest of the simulator's sources: every wheel that is built of them has the same."""

_CONTENT = "content:"
_SETTLED_S = 2.0  # after which a file's time tells a change, whatever the file system's clock


@dataclass(frozen=True)
class Trace:
    """A trace file, by its content.

    Attributes:
        path: Where it is here.
        digest: SHA-256 of its bytes.
    """

    path: str
    digest: str

    @property
    def name(self) -> str:
        """Its name without folders, by which formats and volumes are told."""
        return Path(self.path).name

    @property
    def content(self) -> str:
        """What stands for it in a configuration that is the same wherever the file is."""
        return f"{_CONTENT}{self.digest}/{self.name}"

    def content_bytes(self) -> bytes:
        """The trace itself.

        Raises:
            WorkloadError: It cannot be read, or has changed.
        """
        data = files.read(Path(self.path))
        if hashlib.sha256(data).hexdigest() != self.digest:
            raise WorkloadError("has changed since the sweep began", self.path, "sweep again")
        return data


@dataclass(frozen=True)
class Sources:
    """What a run replays.

    Attributes:
        names: Its sources as the configuration names them, the interleaved ones last.
        files: For each of them the trace file that it is; `None` for a generator.
    """

    names: tuple[str, ...]
    files: tuple[Trace | None, ...]

    @property
    def traces(self) -> tuple[Trace, ...]:
        """The trace files."""
        return tuple(trace for trace in self.files if trace)

    @property
    def contents(self) -> tuple[str, ...]:
        """Its sources by their content."""
        both = zip(self.names, self.files, strict=True)
        return tuple(trace.content if trace else name for name, trace in both)

    @property
    def overrides(self) -> tuple[str, ...]:
        """The keys of a configuration that replay them."""
        first, *more = self.names
        return (
            f"workload.source={toml_value(first)}",
            f"workload.interleave={toml_value(more)}",
        )

    def moved(self, places: Mapping[Trace, Trace]) -> "Sources":
        """Sources whose traces are in other places."""
        found = tuple(trace and places.get(trace, trace) for trace in self.files)
        both = zip(self.names, found, strict=True)
        return Sources(tuple(trace.path if trace else name for name, trace in both), found)


@dataclass(frozen=True)
class Identity:
    """What a run is kept by.

    Attributes:
        key: Its name: equal runs have equal keys, on every machine.
        sources: What it replays.
    """

    key: str
    sources: Sources


@dataclass
class Contents:
    """Digests of trace files. Each is read once, for as long as it does not change.

    Attributes:
        kept: A file in which digests are remembered; none where it is left out.
    """

    kept: Path | None = None
    _known: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    _is_new: bool = False

    def __post_init__(self) -> None:
        if self.kept:
            with suppress(OSError, ValueError, TypeError, AttributeError):
                data = json.loads(files.unsealed(files.bytes_of(self.kept)))
                self._known = {path: (int(a), int(b), str(c)) for path, (a, b, c) in data.items()}

    def trace(self, source: str) -> Trace | None:
        """The trace file that a workload's source names; `None` for a generator.

        Raises:
            WorkloadError: It cannot be read.
        """
        path = Path(source)
        try:
            if not path.is_file():
                return None
            told, place = path.stat(), str(path.resolve())
            known = self._known.get(place)
            if known and known[:2] == (told.st_size, told.st_mtime_ns):
                return Trace(source, known[2])
            digest = files.digest_of(path)
        except (OSError, ValueError) as error:
            what = f"cannot be read: {getattr(error, 'strerror', None) or error}"
            raise WorkloadError(what, source) from None
        if time.time() - told.st_mtime > _SETTLED_S:
            self._known[place] = (told.st_size, told.st_mtime_ns, digest)
            self._is_new = True
        return Trace(source, digest)

    def is_at(self, path: Path, trace: Trace) -> bool:
        """Whether a file is there with the content of `trace`."""
        with suppress(WorkloadError):
            found = self.trace(str(path))
            return found is not None and found.digest == trace.digest
        return False

    def sources(self, workload: Mapping[str, Any]) -> Sources:
        """What a run replays, of the resolved table `workload`.

        Raises:
            WorkloadError: A trace cannot be read.
        """
        names = (workload["source"], *workload["interleave"])
        return Sources(names, tuple(map(self.trace, names)))

    def keep(self) -> None:
        """Remembers the digests beyond this process."""
        if self.kept and self._is_new:
            files.write(self.kept, files.sealed(json.dumps(self._known, sort_keys=True).encode()))
            self._is_new = False


def of(configuration: Configuration, contents: Contents | None = None) -> Identity:
    """What a run of `configuration` is kept by.

    Raises:
        ConfigError: The configuration cannot be used.
        WorkloadError: A trace cannot be read.
    """
    return of_resolved(configuration.resolve(), contents or Contents())


def of_resolved(resolved: Mapping[str, Any], contents: Contents) -> Identity:
    """What a run is kept by, of whose configuration every key is known."""
    workload = resolved["workload"]
    sources = contents.sources(workload)
    first, *more = sources.contents
    told = {**resolved, "workload": {**workload, "source": first, "interleave": more}}
    return Identity(digest_of(SIMULATOR, json.dumps(told, sort_keys=True)), sources)


def digest_of(*texts: str) -> str:
    """A digest of texts, as 40 digits."""
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogateescape")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:40]


def with_contents(text: str, traces: Iterable[Trace]) -> str:
    """A text of a run in which paths of traces are replaced by their contents."""
    return _replaced(text, {trace.path: trace.content for trace in traces})


def with_paths(text: str, traces: Iterable[Trace]) -> str:
    """A text of a run in which contents of traces are replaced by their paths."""
    return _replaced(text, {trace.content: trace.path for trace in traces})


def _replaced(text: str, names: Mapping[str, str]) -> str:
    """A text of JSON or TOML with other names in the place of whole strings."""
    for old, new in names.items():
        text = text.replace(_quoted(old), _quoted(new))
    return text


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
