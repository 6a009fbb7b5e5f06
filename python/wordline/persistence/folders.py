"""Folders of results: written whole or not at all, and never over anything that is not ours.

A folder's manifest says which files are results: the name and the digest of each. Nothing else is
replaced or removed. New files are collected in a hidden folder inside the target. Then the old ones
move aside, the new ones move in, their manifest last, and the old ones go. Whoever is killed in
between leaves a hidden folder, from which the next one puts the old files back.
"""

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from wordline import _native
from wordline.errors import OutputError, RunError, WordlineError
from wordline.persistence import files, locks

MANIFEST = "manifest.json"
_LOCK = f"{files.PARTIAL}lock"
_NEW, _OLD = "new", "old"

Digests = dict[str, str]
"""Names of files, relative to their folder and with `/`, and the digest of each."""


def first_free(folder: Path) -> Path:
    """`folder`, or where something is in it the first of `folder-2`, `folder-3` … that is free."""
    number, free = 1, folder
    while free.exists() and not (free.is_dir() and not any(free.iterdir())):
        number += 1
        free = folder.with_name(f"{folder.name}-{number}")
    return free


@contextmanager
def output_folder(
    target: Path, names: Iterable[str] = (), *, force: bool = False
) -> Iterator[Path]:
    """A folder to write results into, which become `target`'s when the block ends well.

    Until then, and when the block fails, `target` is as it was before.

    Args:
        target: Created if need be.
        names: Files that may come to stand in `target`: checked before the block begins.
        force: Replace earlier results, and write beside files that are not results.

    Raises:
        OutputError: `target` cannot be written, or holds what would have to be replaced: earlier
            results without `force`, or a file of one of these names that is no result's.
        RunError: Writing failed in the middle, as on a full disk.
    """
    with files.made(target), _held(target):
        old = _owned(target)
        _refuse(target, old, names, force)
        with _partial(target) as partial:
            yield partial / _NEW
            _publish(partial, target, old, old)


def check_ours(folder: Path, names: Iterable[str]) -> None:
    """Finds out whether `write_into` may write these names, before the work begins.

    Raises:
        OutputError: A file of one of these names is no result, or cannot be written.
    """
    _refuse_strangers(folder, _owned(folder), names)
    for name in names:
        files.check_writable(folder / name)


def write_into(folder: Path, contents: Mapping[str, str | bytes]) -> None:
    """Writes files into a folder of results anew, all or none; its other results stay.

    Raises:
        OutputError: A file of one of these names is no result's, or cannot be written.
        RunError: The disk is full.
    """
    with _held(folder):
        old = _owned(folder)
        _refuse_strangers(folder, old, contents)
        with _partial(folder) as partial:
            for name, content in contents.items():
                files.write(partial / _NEW / name, content)
            _publish(partial, folder, old, {MANIFEST, *contents})


@contextmanager
def _held(target: Path) -> Iterator[None]:
    """Keeps other processes out of `target`, and clears up after those that were killed."""
    path = target / _LOCK
    descriptor = _locked(path, target)
    try:
        _settle_all(target)
        yield
    except OSError as error:
        told = files.failure(error, target, "folder")
        raise RunError(told.what, told.place, told.help) from None
    finally:
        with suppress(OSError, RunError):
            _settle_all(target)  # an interrupt may have come as a partial folder was made
        with suppress(OSError):
            path.unlink()
        os.close(descriptor)


def _settle_all(target: Path) -> None:
    for left in filter(_is_partial, target.iterdir()):
        _settle(left, target)


def _locked(path: Path, target: Path) -> int:
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise files.failure(error, target, "folder") from None
        try:
            if locks.take(descriptor, path):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            what, mend = (
                "another run writes its results there",
                "wait for it, or name another folder",
            )
            raise OutputError(what, str(target), mend) from None
        os.close(descriptor)


@contextmanager
def _partial(target: Path) -> Iterator[Path]:
    partial = Path(tempfile.mkdtemp(prefix=files.PARTIAL, dir=target))
    try:
        (partial / _NEW).mkdir()
        yield partial
    except WordlineError as error:
        error.place = error.place.replace(str(partial / _NEW), str(target))
        raise
    finally:
        _settle(partial, target)


def _is_partial(path: Path) -> bool:
    """Whether a folder is one that a run has begun, by its name and by what is in it."""
    is_named = path.name.startswith(files.PARTIAL) and path.is_dir() and not path.is_symlink()
    return is_named and all(entry.name in (_NEW, _OLD) for entry in path.iterdir())


def _refuse(target: Path, old: Digests, names: Iterable[str], force: bool) -> None:
    _refuse_strangers(target, old, names)
    if force:
        return
    foreign = next(_strangers(target, old), None)
    if foreign:
        what = f"holds files that are not results, such as `{foreign}`"
        raise OutputError(what, str(target), "name another folder, or --force to write beside them")
    if old:
        raise OutputError(
            "holds an earlier result", str(target), "name another folder, or --force to replace it"
        )


def _strangers(target: Path, old: Digests) -> Iterator[str]:
    for folder, folders, names in os.walk(target):
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in sorted([*names, *links]):
            path = (Path(folder) / name).relative_to(target)
            if path.as_posix() not in old and not path.name.startswith(files.PARTIAL):
                yield path.as_posix()


def _refuse_strangers(target: Path, old: Digests, names: Iterable[str]) -> None:
    """Refuses to replace what is not a result's, whatever else is forced."""
    for name in names:
        if name not in old and _is_taken(target, name):
            raise OutputError(
                f"holds a `{name}` that no run has written, or that was changed since",
                str(target),
                "move it away, or name another folder: a run replaces results only",
            )


def _is_taken(target: Path, name: str) -> bool:
    """Whether something stands where a file would, or where a folder on the way to it would."""
    path = target / name
    between = [folder for folder in path.parents if target in folder.parents]
    return os.path.lexists(path) or any(
        os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir())
        for folder in between
    )


def _manifest(folder: Path) -> Digests | None:
    """What a folder's manifest says; nothing where it has none, or another program's."""
    try:
        told = json.loads(files.read(folder / MANIFEST))
        return {_inside(name): str(digest) for name, digest in told["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _inside(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"`{name}` leads out of the folder")
    return name


def _owned(target: Path) -> Digests:
    """The files that stand there as a run has written them, the manifest among them."""
    told = _manifest(target)
    if told is None:
        return {}
    here = {name: digest for name, digest in told.items() if _is_file(target, name)}
    return {MANIFEST: ""} | {n: d for n, d in here.items() if _digest(target / n) == d}


def _is_file(target: Path, name: str) -> bool:
    path = target / name
    steps = [path, *(folder for folder in path.parents if target in folder.parents)]
    return path.is_file() and not any(step.is_symlink() for step in steps)


def _digest(path: Path) -> str:
    return f"sha256:{files.digest_of(path)}"


def _write_manifest(folder: Path, digests: Digests) -> None:
    told = {"wordline": _native.VERSION, "files": digests}
    files.write(folder / MANIFEST, json.dumps(told, indent=1) + "\n")


def _names(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def _publish(partial: Path, target: Path, old: Digests, replaced: Container[str]) -> None:
    """Puts the new files in the place of those of the old ones that are `replaced`."""
    new = partial / _NEW
    names = _names(new)
    _refuse_strangers(target, old, names)
    staying = {name: digest for name, digest in old.items() if name not in replaced}
    _write_manifest(new, staying | {name: _digest(new / name) for name in names})
    # Without its manifest a folder holds no result: it is the first to go and the last to come.
    going = sorted((name for name in old if name in replaced), key=lambda name: name != MANIFEST)
    _move(going, target, partial / _OLD)
    _move([*names, MANIFEST], new, target)


def _settle(partial: Path, target: Path) -> None:
    """Ends what publishing began: unless the new manifest has come in, the old files do again."""
    new, aside = partial / _NEW, partial / _OLD
    try:
        if aside.is_dir() and (new / MANIFEST).exists():
            _move(_came(new, aside, target), target, new)
            _move(sorted(_names(aside), key=lambda name: name == MANIFEST), aside, target)
    except OSError as error:
        raise RunError(
            f"its earlier results could not be put back: {error.strerror or error}",
            str(target),
            f"they lie in `{aside}`",
        ) from None
    _remove_empty(target, _names(aside))
    shutil.rmtree(partial, ignore_errors=True)


def _came(new: Path, aside: Path, target: Path) -> list[str]:
    """The new files that have come in, among which are no old ones that stay."""
    before = _manifest(aside) or _manifest(target) or {}
    gone = (name for name in _manifest(new) or {} if not (new / name).exists())
    return [name for name in gone if name not in before or (aside / name).exists()]


def _move(names: Iterable[str], source: Path, target: Path) -> None:
    for name in names:
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "a file has come to stand there", str(path))
        (source / name).rename(path)


def _remove_empty(target: Path, names: Iterable[str]) -> None:
    """Removes folders in which these files were, where nothing else is in them."""
    for name in names:
        with suppress(OSError):  # stops at the first that holds something
            for folder in (target / name).parents:
                if target not in folder.parents:
                    break
                folder.rmdir()
