"""Locks that end with their process, however it ends.

They tell the partial files of a killed process, which may be removed, from those of a live one.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path


def take(descriptor: int, path: Path) -> bool:
    """Locks the open file `path`; false where another process has removed it meanwhile.

    Where the system knows no locks, the file counts as locked.

    Raises:
        BlockingIOError: Another process holds it.
    """
    try:
        _lock(descriptor)
    except BlockingIOError:
        raise
    except OSError:
        return True
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False


def remove_if_dead(path: Path) -> None:
    """Removes a partial file unless a process still writes it."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            _lock(descriptor)  # fails where the file is in use, or where nobody can say
            path.unlink()
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        raise OSError("no locks")
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
