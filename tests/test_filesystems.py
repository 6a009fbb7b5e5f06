"""ext4, SQLite and trims on served drives: whole after cuts and after their server is killed."""

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from conftest import HANGS_S
from wordline.runs import serving

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import filesystems  # noqa: E402

LACKING = filesystems.lacking()
needs_tools = pytest.mark.skipif(bool(LACKING), reason=str(LACKING))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """What ext4 did, and how many changes made it."""
    folder = tmp_path_factory.mktemp("recorded")
    made = filesystems.record(folder / "recording", folder)
    return folder / "recording", made


@needs_tools
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [filesystems.BLOCK_LAYER, *filesystems.DRIVES])
def test_nothing_is_broken_after_a_power_cut(recorded: tuple[Path, int], name: str) -> None:
    recording, made = recorded
    found = filesystems.cut(recording, name, 34, made)
    assert found.losses == ()
    assert (found.cuts, found.losing_cuts, found.failed_checks) == (34, 0, 0)
    # How the kernel merges writes depends on how fast it goes; how often it flushes does not.
    assert found.flushes > 100
    assert found.changes > found.flushes


@needs_tools
@pytest.mark.timeout(600)
def test_flushes_that_lie_break_file_systems_and_databases(recorded: tuple[Path, int]) -> None:
    """How many cuts break something depends on how fast the recording was made; some always do."""
    recording, made = recorded
    buffered = "host.write_buffer_mib=4"
    true = filesystems.cut(recording, "conventional", 10, made, buffered)
    assert (true.losing_cuts, true.failed_checks) == (0, 0)
    for name, *keys in (("conventional", buffered), (filesystems.BLOCK_LAYER,)):
        found = filesystems.cut(recording, name, 20, made, *keys, "power.flushes=lie")
        assert found.losing_cuts > 0, name
        assert found.failed_checks > 0, name


@needs_tools
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", filesystems.DRIVES)
def test_what_is_written_is_there_after_trims_and_mounting_anew(name: str, tmp_path: Path) -> None:
    begun = serving.begin(
        filesystems.configuration(name),
        tmp_path / "socket", None, "virtual", None, None, None, False, None,
    )  # fmt: skip
    with begun as served, filesystems.attached(served.uri, tmp_path / "nbd") as device:
        filesystems.make(device)
        with filesystems.mounted(device, tmp_path / "mounted") as place:
            filesystems.work(place, 24)
            written = contents(place)
        assert len(written) == 3 + len(filesystems.DATABASES)
        filesystems.run("e2fsck", "-fn", device)
        with filesystems.mounted(device, tmp_path / "mounted") as place:
            assert contents(place) == written
    assert begun.result is not None
    assert begun.result.flash.erases > 0
    assert served.summary().lost_units == 0


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of each file, as the drive gives them."""
    filesystems.run("sync")
    Path("/proc/sys/vm/drop_caches").write_text("1")
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@contextmanager
def server(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A drive without capacitor in an image, served by a process of its own."""
    socket = folder / "socket"
    command = [sys.executable, "-m", "wordline", "serve", "tiny", "--socket", str(socket)]
    command += ["--image", str(folder / "image")]
    command += [word for key in filesystems.SMALL for word in ("--set", key)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            end = time.monotonic() + HANGS_S
            while not socket.exists() and process.poll() is None and time.monotonic() < end:
                time.sleep(0.02)
            yield process, f"nbd+unix:///?socket={socket}"
        finally:
            process.kill()
            process.wait()
            socket.unlink(missing_ok=True)


@needs_tools
@pytest.mark.timeout(600)
def test_a_server_that_is_killed_loses_no_commit(tmp_path: Path) -> None:
    acknowledged = 0
    with server(tmp_path) as (process, uri), filesystems.attached(uri, tmp_path / "nbd") as device:
        filesystems.make(device)
        with filesystems.mounted(device, tmp_path / "mounted") as place:
            timer = threading.Timer(0.3, process.send_signal, [signal.SIGKILL])
            with suppress(sqlite3.Error, OSError):
                for number in range(100_000):
                    if number == 4:
                        timer.start()
                    filesystems.commit(place / "wal.db", "WAL", 1, first=number)
                    acknowledged = number + 1
            timer.cancel()
            assert process.wait(20) == -signal.SIGKILL
    assert acknowledged > 3
    disk = tmp_path / "disk"
    with server(tmp_path) as (_, uri):
        filesystems.run("nbdcopy", uri, disk)
    assert filesystems.fault(disk) is None
    with closing(sqlite3.connect(tmp_path / "contents" / "wal.db")) as database:
        last = database.execute("SELECT max(number) FROM held").fetchone()[0]
    assert last >= acknowledged - 1
