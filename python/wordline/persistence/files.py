"""Single files: read whole, and written so that a reader finds the old one or the new one."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from wordline.errors import OutputError, RunError, WorkloadError
from wordline.persistence import locks

PARTIAL = ".wordline-partial-"
"""How the names of files and folders begin that are not whole yet."""

_TOKEN_BYTES = 4  # of randomness in a partial file's name
_CHUNK_BYTES = 1 << 20
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class NoFileError(OSError):
    """A folder, a pipe or a device stands where a file is to be read."""


def read(path: Path) -> bytes:
    """A file of bytes.

    Raises:
        WorkloadError: It cannot be read, or is a pipe or a device.
    """
    try:
        return bytes_of(path)
    except NoFileError as error:
        raise WorkloadError(str(error.strerror), str(path), "name a file") from None
    except OSError as error:
        raise WorkloadError(
            f"it cannot be read: {error.strerror}", str(path), "name a file"
        ) from None


def bytes_of(path: Path) -> bytes:
    """The bytes of a file; a pipe is refused, not waited for.

    Raises:
        OSError: It cannot be read.
    """
    with open(path, "rb", opener=_open_file) as file:
        return file.read()


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits.

    Raises:
        OSError: It cannot be read.
    """
    digest = hashlib.sha256()
    with open(path, "rb", opener=_open_file) as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def _open_file(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NoFileError(errno.EINVAL, "is a folder, a pipe or a device", path)
    return descriptor


def sealed(data: bytes) -> bytes:
    """Data behind their digest, so that `unsealed` notices every bit that changes."""
    return hashlib.sha256(data).hexdigest().encode() + b"\n" + data


def unsealed(data: bytes) -> bytes:
    """What `sealed` was given.

    Raises:
        ValueError: It is damaged.
    """
    digest, _, rest = data.partition(b"\n")
    if hashlib.sha256(rest).hexdigest().encode() != digest:
        raise ValueError("damaged")
    return rest


def write(path: Path, content: str | bytes, *, lasting: bool = True) -> Path:
    """Writes a file so that it is the old one or the new one, never a part.

    Any number of processes may write the same file; the last one stays. What a killed process
    left of this file is removed. The folder is made if need be.

    Args:
        path: The file.
        content: What it will hold.
        lasting: Wait until the disk has it, so that it outlives a power cut. What is not waited for
            outlives the process, and must be able to tell that it is damaged.

    Raises:
        OutputError: The file cannot be written there.
        RunError: The disk is full.
    """
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    with replacing(path, lasting=lasting) as partial:
        partial.write_bytes(data)
    return path


@contextmanager
def replacing(path: Path, *, lasting: bool = True) -> Iterator[Path]:
    """A file that takes the place of another once the block has written it, as `write` says.

    Raises:
        OutputError: The file cannot be written there.
        RunError: The disk is full.
    """
    partial: Path | None = None
    try:
        descriptor, partial = _begin(path)
        with os.fdopen(descriptor, "wb"):
            yield partial
            if lasting:
                os.fsync(descriptor)
            os.replace(partial, path)
    except BaseException as error:
        if partial:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise failure(error, path, "file") from None
        raise


def _begin(path: Path) -> tuple[int, Path]:
    """An empty file beside `path`, locked, so that nobody takes it for a dead process's."""
    _refuse_others(path)
    prefix = f"{PARTIAL}{path.name}-"
    with suppress(OSError):  # what is in the way shows when the file is made
        for name in os.listdir(path.parent):
            if name.startswith(prefix) and len(name) == len(prefix) + 2 * _TOKEN_BYTES:
                locks.remove_if_dead(path.parent / name)
    while True:
        partial = path.with_name(f"{prefix}{os.urandom(_TOKEN_BYTES).hex()}")
        try:
            descriptor = _create(partial)
            with suppress(BlockingIOError):  # another process sweeps at this very moment
                if locks.take(descriptor, partial):
                    return descriptor, partial
            os.close(descriptor)
        except KeyboardInterrupt:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
            raise


def _create(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    try:
        return os.open(path, flags, 0o666)
    except FileNotFoundError:
        make_folder(path.parent)
        return os.open(path, flags, 0o666)


def _refuse_others(path: Path) -> None:
    """Refuses what a file would take the place of, such as a folder or `/dev/null`."""
    if not os.path.exists(path) or os.path.isfile(path):  # another process may make it in between
        return
    what = "is a folder" if os.path.isdir(path) else "is a pipe or a device"
    raise OutputError(what, str(path), "name a file")


def check_writable(path: Path, *, force: bool = True) -> None:
    """Finds out whether a file can be written, before the work that it waits for begins.

    Args:
        path: The file.
        force: Replace one that is there.

    Raises:
        OutputError: It cannot, or is there and `force` is not set.
        RunError: The disk is full.
    """
    try:
        with made(path.parent):
            descriptor, partial = _begin(path)
            partial.unlink()
            os.close(descriptor)
    except OSError as error:
        raise failure(error, path, "file") from None
    if not force and os.path.lexists(path):
        raise OutputError("exists already", str(path), "choose another name, or --force")


@contextmanager
def made(*folders: Path) -> Iterator[None]:
    """Makes folders and those that they lie in; those that stay empty go when the block ends.

    Raises:
        OutputError: One cannot be made.
        RunError: The disk is full.
    """
    new = {one for folder in folders for one in (folder, *folder.parents)}
    created = sorted((one for one in new if not os.path.exists(one)), reverse=True)
    try:
        for folder in folders:
            make_folder(folder)
        yield
    finally:
        for one in created:  # the innermost first
            with suppress(OSError):
                one.rmdir()


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Makes a folder and those that it lies in; `mode` says who may use it.

    Raises:
        OutputError: It cannot be made.
        RunError: The disk is full.
    """
    try:  # never asked for first: another process may make it in between
        folder.mkdir(mode, parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError("is a file", str(folder), "name a folder") from None
    except OSError as error:
        raise failure(error, folder, "folder") from None


def failure(
    error: OSError, target: Path, kind: Literal["file", "folder"]
) -> OutputError | RunError:
    """What the system said of `target`: a full disk fails the run, all else is a bad target."""
    what, place = f"cannot be written: {error.strerror or error}", str(target)
    if error.errno in _NO_ROOM:
        return RunError(what, place, "free some space, or name another disk")
    return OutputError(what, place, _elsewhere(target, kind))


def _elsewhere(target: Path, kind: Literal["file", "folder"]) -> str:
    """What is in the way of a file or folder, and how to get round it."""
    nearest = next((folder for folder in target.parents if os.path.exists(folder)), Path())
    if not os.path.isdir(nearest):
        return f"`{nearest}` is a file: name another folder"
    return f"the system creates nothing in `{nearest}`: name a {kind} elsewhere"
