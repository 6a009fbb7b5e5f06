"""Serving a drive: a block device whose pages lie in simulated blocks."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from wordline.arguments import checked
from wordline.configuration import Change, ConfigLike, Configuration, laid_over
from wordline.errors import ConfigError, RunError
from wordline.native import native_api
from wordline.native.native_api import Progress
from wordline.native.types.served import Summary
from wordline.persistence import files
from wordline.results.result import Result
from wordline.runs import notebook

VIRTUAL, REAL, SLOW = "virtual", "real", "slow:"
_SOCKET_BYTES = 107
"""Bytes of a socket's path: a limit of the system."""


class Served:
    """A drive that is served; a `with` statement stops it at its end.

    Attributes:
        uri: Where clients of NBD find it.
        size_bytes: Bytes that they can address.
        result: What all requests came to, once it is stopped.
    """

    def __init__(self, native: native_api.Served, temporary: Path | None) -> None:
        self._native = native
        self._cleanup = weakref.finalize(self, _remove, temporary)
        self.uri = native.uri
        self.size_bytes = native.size_bytes
        self.result: Result | None = None

    def summary(self) -> Summary:
        """What it has done so far."""
        return native_api.served_so_far(self._native)

    def stop(self) -> Result:
        """Takes leave of the clients, lets the drive come to rest, and gives the run that it was.

        Raises:
            RunError: The simulation failed, or the log cannot be written.
        """
        if self.result is None:
            try:
                found, run = native_api.stop_serving(self._native)
            finally:
                self._cleanup()
            self.result = Result.of_run(found, run, {})
        return self.result

    def __enter__(self) -> "Served":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.stop()
        except RunError:
            if error is None:
                raise


@checked
def serve(
    config: ConfigLike,
    *changes: Change,
    socket: str | Path | None = None,
    port: int | None = None,
    pace: str = VIRTUAL,
    image: str | Path | None = None,
    log: str | Path | None = None,
    recording: str | Path | None = None,
    force: bool = False,
    progress: Progress | None = None,
    **tables: Any,
) -> Served:
    """Serves a drive as a block device to clients of NBD (the network block device protocol).

    Args:
        config: A TOML file, a drive preset or its name, or a mapping of tables.
        *changes: Parts laid over the configuration.
        socket: Path of a unix socket; one in a temporary folder where this and `port` are left out.
        port: A port of 127.0.0.1 instead; 0 is any free one.
        pace: `"virtual"`: as fast as it goes; `"real"`: a reply comes when the simulated drive has
            it; `"slow:K"`: K times as late.
        image: A file that holds the flash, made if it is not there: the drive restarts from it,
            whatever became of the process that served it last. In memory where this is left out.
        log: A trace file to which every request is written: `wordline run` replays it.
        recording: A file to which whatever is changed is written, with its data:
            `recorded_cuts` cuts power in its midst.
        force: Replace an earlier log or recording.
        progress: Told of the set-up of the drive; what it raises ends it.
        **tables: Tables laid over the configuration, such as `data={"code": "ldpc"}`.

    Raises:
        ConfigError: The configuration cannot be used, or cannot be served.
        OutputError: The log cannot be written.
        RunError: The address is in use.
    """
    configuration = laid_over(config, changes, tables)
    with notebook.shown("serve", progress) as shown:
        return begin(configuration, socket, port, pace, image, log, recording, force, shown)


def begin(
    configuration: Configuration,
    socket: str | Path | None,
    port: int | None,
    pace: str,
    image: str | Path | None,
    log: str | Path | None,
    recording: str | Path | None,
    force: bool,
    progress: Progress | None,
) -> Served:
    """Serves a configuration that has been found."""
    slower = _slower(pace)
    if socket is not None and port is not None:
        raise ConfigError("a socket and a port are given", "socket, port", "leave one of them out")
    if port is not None and not 0 <= port < 1 << 16:
        raise ConfigError(f"there is no port {port}", "port", "give 0 to 65535")
    temporary = None
    if socket is None and port is None:
        temporary = Path(tempfile.mkdtemp(prefix="wordline-"))
        socket = temporary / "socket"
    if socket is not None and len(os.fsencode(socket)) > _SOCKET_BYTES:
        help = f"choose a path of {_SOCKET_BYTES} bytes at most"
        raise ConfigError("the socket's path is too long", str(socket), help)
    paths = (Path(path) for path in (socket, image, log, recording) if path is not None)
    try:
        with files.made(*(path.absolute().parent for path in paths)):
            native = native_api.serve(
                configuration.text,
                configuration.origin,
                configuration.overrides,
                name=Path(configuration.origin.removeprefix("preset ")).stem or "drive",
                socket=Path(socket).absolute() if socket is not None else None,
                port=port,
                slower=slower,
                image=Path(image) if image is not None else None,
                log=Path(log) if log is not None else None,
                recording=Path(recording) if recording is not None else None,
                force=force,
                progress=progress,
            )
    except BaseException:
        _remove(temporary)
        raise
    return Served(native, temporary)


def _remove(temporary: Path | None) -> None:
    if temporary:
        shutil.rmtree(temporary, ignore_errors=True)


def _slower(pace: str) -> float | None:
    if pace == VIRTUAL:
        return None
    if pace == REAL:
        return 1.0
    known: Mapping[bool, str] = {True: pace.removeprefix(SLOW), False: ""}
    try:
        slower = float(known[pace.startswith(SLOW)])
    except ValueError:
        slower = 0.0
    if not 1e-3 <= slower <= 1e6:
        help = "give virtual, real, or slow:K with K from 0.001 to 1,000,000"
        raise ConfigError(f"there is no pace `{pace}`", "pace", help)
    return slower
