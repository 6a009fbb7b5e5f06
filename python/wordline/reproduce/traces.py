"""Workloads of publications: the user's own trace, or else a twin of what was published of it."""

from pathlib import Path

from wordline.reproduce.study import Load

_COMPRESSED = ("", ".gz", ".zst", ".bz2")
_SUFFIXES = (".csv", ".wlt", ".trace", "")


def msr(name: str, paper: str, folder: Path | None, first: int | None = None) -> Load:
    """A volume of MSR Cambridge.

    Args:
        name: The volume, such as `hm_0`.
        paper: The publication whose figures its twin has.
        folder: Where the user's traces lie, in files named after the volume.
        first: How many requests of the user's trace count; all of them where left out.
    """
    path = find(name, folder)
    if path is None:
        return Load(name, f"twin:{paper}/{name}")
    return Load(name, str(path), first)


def find(name: str, folder: Path | None) -> Path | None:
    """The user's trace of a volume, if the folder has a file that is named after it."""
    if folder is None:
        return None
    paths = (folder / f"{name}{suffix}{c}" for suffix in _SUFFIXES for c in _COMPRESSED)
    return next((path for path in paths if path.is_file()), None)
