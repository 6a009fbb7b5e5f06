"""ext4 on a served drive: making it, what is done on it, and whether it is whole."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from wordline.configuration import Configuration, find
from wordline.native.types.power import RecordedCuts
from wordline.runs import recorded_cuts, serving

NEEDED = {
    "nbdfuse": "libnbd-bin",
    "losetup": "mount",
    "fstrim": "util-linux",
    "mkfs.ext4": "e2fsprogs",
    "e2fsck": "e2fsprogs",
    "debugfs": "e2fsprogs",
}
"""Programs, and the packages of Debian that have them."""
DATABASES = {"wal.db": "WAL", "rollback.db": "DELETE"}
"""Names of databases, and the ways in which they commit."""
WHOLE = "whole-"
"""Names of files that get their names once their content is safe begin so."""
SMALL = (
    "precondition.fill=0",
    "power.protection=none",
    "drive.over_provisioning=0.8",
    "drive.chip.blocks_per_plane=80",
    "drive.chip.pages_per_block=24",
)
"""A drive of 16 MiB, without capacitor."""
DRIVES = {
    "conventional": (),
    "ressd": (
        "technique.ressd.layers=2",
        "drive.chip.layers_per_block=4",
        "ftl.hotness.policy=size",
    ),
    "llh_ftl": (
        "technique.llh_ftl.failure=0.01",
        "drive.chip.cell=mlc",
        "drive.chip.page_kib=8",
        "drive.chip.blocks_per_plane=40",
        "ftl.mapping_unit_kib=4",
        "ftl.frontiers=coldest",
        "ftl.acknowledge=buffer",
        "ftl.hotness.policy=oracle",
        "ftl.hotness.hot_share=0.5",
    ),
}
"""Techniques, and what they need of that drive."""
BLOCK_LAYER = "block_layer"
"""Any drive that keeps its promises and no more: of what was not flushed some is there."""
_WAIT_S = 20


class ToolError(Exception):
    """A program failed."""


def lacking() -> str | None:
    """Why no file system can be put on a served drive here, if none can."""
    absent = sorted({package for tool, package in NEEDED.items() if not shutil.which(tool)})
    if absent:
        return f"not installed: apt-get install {' '.join(absent)}"
    if os.geteuid() != 0:
        return "only root can attach a drive and mount it"
    if not os.access("/dev/fuse", os.W_OK) or not os.access("/dev/loop-control", os.W_OK):
        return "this machine has no /dev/fuse or no /dev/loop-control"
    return None


def run(*command: str | Path, allowed: tuple[int, ...] = (0,)) -> str:
    """What a program prints.

    Raises:
        ToolError: It failed.
    """
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in allowed:
        raise ToolError(f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


@contextmanager
def attached(uri: str, folder: Path) -> Iterator[str]:
    """The block device of a served drive, for as long as the block lasts; `folder` is made."""
    folder.mkdir()
    file = folder / "drive"
    with subprocess.Popen(["nbdfuse", str(file), uri]) as bridge:
        try:
            end = time.monotonic() + _WAIT_S
            while not file.exists():
                if bridge.poll() is not None or time.monotonic() > end:
                    raise ToolError(f"nbdfuse does not show {uri}")
                time.sleep(0.01)
            device = run("losetup", "--show", "-f", "--direct-io=on", file)
            try:
                yield device
            finally:
                run("losetup", "-d", device)
        finally:
            run("umount", "-l", folder, allowed=(0, 32))
            bridge.wait(_WAIT_S)


@contextmanager
def mounted(device: str, folder: Path) -> Iterator[Path]:
    """The file system of a device, for as long as the block lasts; `folder` is made."""
    folder.mkdir(exist_ok=True)
    run("mount", "-o", "discard", device, folder)
    try:
        yield folder
    finally:
        run("umount", "-l", folder)


def make(device: str) -> None:
    """Makes a small file system; all of it is safe afterwards."""
    run("mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0", device)
    descriptor = os.open(device, os.O_RDWR)
    os.fsync(descriptor)
    os.close(descriptor)


def body(number: int, size: int) -> bytes:
    """Bytes that say themselves whether they are whole."""
    data = random.Random(number).randbytes(size)
    return zlib.crc32(data).to_bytes(4, "big") + data


def is_whole(data: bytes) -> bool:
    """Whether bytes are as `body` made them."""
    return len(data) > 4 and zlib.crc32(data[4:]).to_bytes(4, "big") == data[:4]


def commit(database: Path, journal: str, commits: int, first: int = 0) -> None:
    """Commits to a database, fully synchronously, a row and the end of an older one each time."""
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute(f"PRAGMA journal_mode={journal}")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("CREATE TABLE IF NOT EXISTS held (number INTEGER PRIMARY KEY, body BLOB)")
        for number in range(first, first + commits):
            db.execute("BEGIN")
            row = (number, body(number, 500 + number % 7 * 900))
            db.execute("INSERT INTO held VALUES (?, ?)", row)
            db.execute("DELETE FROM held WHERE number = ?", (number - 40,))
            db.execute("COMMIT")


def put(folder: Path, number: int, size: int) -> Path:
    """A file that has its name only once its content is safe."""
    draft, path = folder / "draft", folder / f"{WHOLE}{number}"
    with draft.open("wb") as file:
        file.write(body(number, size))
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    return path


def work(folder: Path, rounds: int, commits: int = 6) -> None:
    """Databases, files that come and go, and trims."""
    for at in range(rounds):
        for name, journal in DATABASES.items():
            commit(folder / name, journal, commits, first=at * commits)
        put(folder, at, 600_000 + at % 5 * 200_000)
        if at >= 3:
            (folder / f"{WHOLE}{at - 3}").unlink()
        if at % 4 == 3:
            os.sync()
            run("fstrim", folder)


def fault(disk: Path) -> str | None:
    """What is wrong with the file system in a file and with the databases in it, if anything is.

    Its journal is replayed first.
    """
    try:
        run("e2fsck", "-y", "-E", "journal_only", disk, allowed=(0, 1))
        run("e2fsck", "-fn", disk)
        out = disk.with_name("contents")
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        run("debugfs", "-R", f"rdump / {out}", disk)
    except ToolError as error:
        return str(error)
    return _fault_in(out)


def _fault_in(folder: Path) -> str | None:
    for path in sorted(folder.glob(f"{WHOLE}*")):
        if not is_whole(path.read_bytes()):
            return f"{path.name} is not whole"
    for name in DATABASES:
        if (folder / name).exists() and (told := _fault_of(folder / name)):
            return f"{name}: {told}"
    return None


def _fault_of(database: Path) -> str | None:
    try:
        with closing(sqlite3.connect(database)) as db:
            told = db.execute("PRAGMA integrity_check").fetchone()[0]
            if told != "ok":
                return str(told)
            is_made = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            rows = db.execute("SELECT number, body FROM held").fetchall() if is_made else []
    except sqlite3.DatabaseError as error:
        return str(error)
    broken = [number for number, data in rows if not is_whole(data)]
    return f"row {broken[0]} is not whole" if broken else None


def configuration(name: str, *more: str) -> Configuration:
    """A drive that is small enough to be cut often."""
    return find("tiny").with_overrides((*SMALL, *DRIVES[name], *more))


def record(recording: Path, folder: Path, rounds: int = 24) -> int:
    """Records what ext4 does; returns how many of the changes made it."""
    drive = configuration("conventional")
    begun = serving.begin(
        drive, folder / "socket", None, "virtual", None, None, recording, False, None
    )
    with begun as served, attached(served.uri, folder / "nbd") as device:
        make(device)
        made = _changes_in(recording)
        with mounted(device, folder / "mounted") as place:
            work(place, rounds)
    return made


def _changes_in(recording: Path) -> int:
    """Changes that a recording holds (its form is in crates/serve/src/recording.rs)."""
    data, at, count = recording.read_bytes(), 16, 0
    while at < len(data):
        length = int.from_bytes(data[at + 10 : at + 18], "little")
        at += 18 + (length if data[at] == 1 else 0)
        count += 1
    return count


def cut(
    recording: Path, name: str, number: int, after: int, *more: str, seed: int = 1
) -> RecordedCuts:
    """Cuts the power of a drive again and again, and looks at the file system after each cut."""
    is_any = name == BLOCK_LAYER
    drive = configuration("conventional" if is_any else name, *more)
    return recorded_cuts.cut(drive, recording, fault, number, after, seed, None, is_any)
