"""Drives as block devices, asked by clients that others wrote where there are any."""

import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from conftest import HANGS_S
from wordline.cli.serving import memory_told, until_told

EMPTY: dict[str, Any] = {"precondition": {"fill": 0}}
LDPC: dict[str, Any] = {"data": {"code": "ldpc", "errors": "fixed", "rber": 0.003}}


def ask(uri: str, *commands: str) -> str:
    """What QEMU's client says to commands; skips where it is not installed."""
    if not shutil.which("qemu-io"):
        pytest.skip("qemu-io is not installed (apt-get install qemu-utils)")
    options = [word for command in commands for word in ("-c", command)]
    done = subprocess.run(
        ["qemu-io", "-f", "raw", *options, uri], capture_output=True, text=True, timeout=HANGS_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def greeting(uri: str) -> bytes:
    """The first bytes that a server says."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(20)
        client.connect(uri.partition("socket=")[2])
        return client.recv(16)


def test_a_drive_is_served_and_goes_with_its_block() -> None:
    with wl.serve("tiny", **EMPTY) as served:
        assert greeting(served.uri) == b"NBDMAGICIHAVEOPT"
        assert served.size_bytes == 50 << 20
        path = Path(served.uri.partition("socket=")[2])
        assert path.is_socket()
    assert not path.exists()
    assert served.result is not None
    assert served.result.workload.writes == 0


CACHED: dict[str, Any] = {
    "technique": {"slc_cache": {}},
    "drive": {"chip": {"pages_per_block": 48}},
}
RAID: dict[str, Any] = {
    "array": {"level": "raid5", "drives": 3, "chunk_kib": 64},
    # Else what was just written is still under way as it is read, and comes from there.
    "host": {"queue_depth": 1},
}


@pytest.mark.parametrize("drive", [{}, CACHED, RAID])
def test_data_comes_back_through_a_code(drive: dict[str, Any]) -> None:
    with wl.serve("tiny", **EMPTY, **LDPC, **drive) as served:
        told = ask(
            served.uri,
            "write -P 0x5a 4096 1M",
            "write -P 0x7b 5120 1k",
            "flush",
            "read -P 0x5a 4096 1k",
            "read -P 0x7b 5120 1k",
            "read -P 0x5a 6144 512k",
            "discard 0 512k",
            # A RAID 5 keeps what is trimmed: its parity is of it.
            *([] if drive is RAID else ["read -P 0 0 512k"]),
            "write -z -u 600k 8k",
            "read -P 0 600k 8k",
            # More than an array's cache holds.
            "write -P 0x33 8M 24M",
            "read -P 0x33 8M 24M",
        )
        assert "mismatch" not in told and "failed" not in told, told
        summary = served.summary()
    assert summary.corrected_bits > 1000
    assert summary.lost_units == 0


@pytest.mark.parametrize("keys", [{}, RAID], ids=["drive", "array"])
def test_a_log_gives_the_same_counts_when_it_is_replayed(
    keys: dict[str, Any], tmp_path: Path
) -> None:
    log = tmp_path / "log.wlt"
    with wl.serve("tiny", log=log, **EMPTY, **keys) as served:
        writes = (f"write {n % 40 * 1024 * 1024} 1M" for n in range(250))
        ask(served.uri, *writes, "discard 3M 2M", "read 1M 1M", "flush")
    again = wl.run("tiny", log, **EMPTY, **keys)
    first = served.result
    assert first is not None and first.flash.erases > 0
    assert again.flash == first.flash
    assert again.write_amplification == first.write_amplification
    assert again.array == first.array


CODED = [
    "drive.chip.cell=mlc",
    "drive.chip.page_kib=8",
    "drive.chip.pages_per_block=16",
    "drive.chip.blocks_per_plane=32",
    "drive.over_provisioning=1.0",
    "ftl.mapping_unit_kib=4",
    "ftl.frontiers=coldest",
    "ftl.hotness.policy=oracle",
    "ftl.hotness.hot_share=0.5",
    "technique.llh_ftl.code=polar",
    "technique.llh_ftl.spare_percent=10.5",
    "data.second_write=coded",
]
"""A small drive whose second writes are coded, as it has some after its first megabytes."""


@pytest.mark.parametrize(
    ("keys", "times"), [([], 1), (["array.level=raid5", "array.drives=3"], 1), (CODED, 30)]
)
def test_an_image_outlives_its_process(keys: list[str], times: int, tmp_path: Path) -> None:
    path, image = tmp_path / "s", tmp_path / "flash.image"
    command = [sys.executable, "-m", "wordline", "serve", "tiny", "--socket", str(path)]
    command += ["--image", str(image), "--set", "precondition.fill=0"]
    command += ["--set", "power.protection=none"]
    command += [word for key in keys for word in ("--set", key)]
    for kill, asked in [
        (signal.SIGKILL, [*["write -P 0x11 0 1M"] * times, "flush", "write -P 0x22 1M 64k"]),
        (signal.SIGINT, ["read -P 0x11 0 1M", "write -P 0x33 2M 64k"]),
        (signal.SIGKILL, ["read -P 0x11 0 1M", "read -P 0x33 2M 64k"]),
    ]:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
            try:
                end = time.monotonic() + HANGS_S
                while not _listens(path) and server.poll() is None and time.monotonic() < end:
                    time.sleep(0.05)
                told = ask(f"nbd+unix:///?socket={path}", *asked)
            finally:
                server.send_signal(kill)
            out, err = server.communicate(timeout=HANGS_S)
        assert "mismatch" not in told, told
        assert server.returncode == (0 if kill == signal.SIGINT else -kill), out + err


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"pace": "fast"}, "there is no pace `fast`"),
        ({"pace": "slow:0"}, "there is no pace `slow:0`"),
        ({"socket": "s", "port": 0}, "a socket and a port are given"),
        ({"port": 70000}, "there is no port 70000"),
        ({"socket": "s" * 200}, "the socket's path is too long"),
        (
            {"array": {"level": "raid1", "spare": True}, "image": "i"},
            "an image does not keep which drives an array has lost",
        ),
        ({"data": {"code": "ldpc", "ldpc_rows": 11}}, "data.ldpc_rows = 11: there is no such code"),
        ({"data": {"code": "bch", "bch_bits": 200, "errors": "llh-a16"}}, "has no tlc cells"),
    ],
)
def test_what_cannot_be_served_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(wl.ConfigError) as failure:
        wl.serve("tiny", **options)
    assert told in str(failure.value), failure.value


def test_replies_keep_to_the_clock_where_asked() -> None:
    with wl.serve("tiny", pace="slow:2", **EMPTY) as served:
        ask(served.uri, *(f"write -f {n * 4096} 4k" for n in range(20)))
        summary = served.summary()
    assert summary.mean_lag is not None
    assert served.result is not None
    busy_s = 2 * 20 * served.result.host.write.mean_us / 1e6
    assert summary.elapsed_s > busy_s


WRITE = 1


class Client:
    """A client of NBD that only writes."""

    def __init__(self, connection: socket.socket, path: Path) -> None:
        self._socket = connection
        self._socket.settimeout(20)
        self._socket.connect(str(path))
        self._answer(18)
        # No zeroes, then the one export that there is.
        self._socket.sendall(struct.pack(">IQII", 3, 0x49484156454F5054, 1, 0))
        self._answer(10)

    def _answer(self, length: int) -> bytes:
        found = b""
        while len(found) < length and (more := self._socket.recv(length - len(found))):
            found += more
        return found

    def write(self, offset: int, data: bytes) -> int:
        """Its error, 0 for none; -1 where the server has gone."""
        head = struct.pack(">IHHQQI", 0x25609513, 0, WRITE, 7, offset, len(data))
        try:
            self._socket.sendall(head + data)
            reply = self._answer(16)
        except OSError:
            return -1
        return struct.unpack(">IIQ", reply)[1] if len(reply) == 16 else -1


def test_a_drive_that_fails_tells_why_at_once_and_in_the_exit_status(tmp_path: Path) -> None:
    """Its recording outgrows what the system lets the process write to a file."""
    path, limit = tmp_path / "socket", 1 << 20
    words = ["serve", "tiny", "--socket", str(path), "--recording", str(tmp_path / "changes")]
    command = [sys.executable, "-m", "wordline", *words, "--set", "precondition.fill=0"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    ) as server:  # fmt: skip
        while not (path.is_socket() and _listens(path)):
            assert server.poll() is None, server.communicate()
            time.sleep(0.05)
        with socket.socket(socket.AF_UNIX) as connection:
            client = Client(connection, path)
            errors = [client.write(n << 16, bytes(1 << 16)) for n in range(20)]
        out, err = server.communicate(timeout=HANGS_S)
    assert errors[0] == 0 and errors[-1] != 0
    assert server.returncode == 1, out + err
    told = err.partition("stop it with Ctrl-C\n")[2].splitlines()
    assert told[0].startswith("error: ") and "changes" in told[0], err
    assert "File too large" in told[0] and "help: " in err
    assert not path.exists()


@pytest.mark.timeout(60)
def test_signals_in_the_midst_of_waiting_for_them_are_heard() -> None:
    program = f"""
import os, time
while True:
    os.kill({os.getpid()}, {int(signal.SIGINT)})
    time.sleep(2e-4)
"""
    with until_told() as told, subprocess.Popen([sys.executable, "-c", program]) as sender:
        try:
            while not told(1.0):
                pass
            heard = [told(1e-6) for _ in range(200_000)]
        finally:
            sender.kill()
    assert all(heard)


def test_the_memory_of_a_large_drive_is_told_before_it_is_built() -> None:
    gib = 2**30
    assert not list(memory_told(gib, None))
    assert not list(memory_told(gib, 2 * gib))
    [told] = memory_told(3 * gib, 4 * gib)
    assert told == "the drive may take 3.0 GiB of memory before anything is written"
    [told] = memory_told(3 * gib, 2 * gib)
    assert told.startswith("warning: the drive may take 3.0 GiB") and "2.0 GiB are free" in told
