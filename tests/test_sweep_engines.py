"""Sweeps on a real Dask cluster of this machine and by submitit's local executor; kill tests.

`pytest -m kills tests/test_sweep_engines.py` kills at twenty random moments each.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from conftest import HANGS_S
from wordline.errors import ConfigError
from wordline.results.store import Store
from wordline.sweeps import engines, library, spec

pytest.importorskip("distributed")
pytest.importorskip("submitit")

SWEEP = """
base = "tiny"
workloads = ["uniform:writes=15000"]
seeds = {seeds}
[axes]
drive.over_provisioning = [0.2, 0.3, 0.4]
"""
ENVIRONMENT = {**os.environ, "DASK_DISTRIBUTED__ADMIN__LOG_LENGTH": "10"}


def start(*args: str, cwd: Path, **more: Any) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, *args], cwd=cwd, env=ENVIRONMENT, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more,
    )  # fmt: skip


class Cluster:
    """A scheduler and two workers, each a process that can be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "scheduler.json"
        self.scheduler = self._dask("scheduler", "--port", "0", "--no-dashboard")
        self.address = self._told()["address"]
        self.workers = [self.worker() for _ in range(2)]

    def _told(self) -> dict[str, str]:
        """What the scheduler says of itself, once it has written all of it."""
        until = time.monotonic() + HANGS_S
        while True:
            with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
                return json.loads(self._file.read_text())
            assert time.monotonic() < until, "the scheduler has not begun"
            time.sleep(0.05)

    def _dask(self, *args: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + args[0].replace("-", "_"), *args[1:],
             "--scheduler-file", str(self._file)],
            cwd=self.folder, env=ENVIRONMENT, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def worker(self) -> "subprocess.Popen[bytes]":
        return self._dask("worker", "--nthreads", "1", "--no-dashboard", "--no-nanny")

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            with contextlib.suppress(OSError):
                process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    folder = tmp_path / "dask"
    folder.mkdir()
    made = Cluster(folder)
    yield made
    made.end()


def whole(folder: Path, seeds: int) -> bytes:
    """The table of an undisturbed sweep."""
    return carried_out(folder, seeds, None).table.parquet()


def carried_out(folder: Path, seeds: int, on: str | None) -> library.Sweep:
    path = folder.parent / f"{folder.name}.toml"
    path.write_text(SWEEP.format(seeds=seeds))
    return library.carry_out(spec.read(path), Store(folder), on, None, lambda _: None)


def test_dask_gives_the_same_keys_and_the_same_table(cluster: Cluster, tmp_path: Path) -> None:
    there = carried_out(tmp_path / "there", 2, f"dask:{cluster.address}")
    assert there.standing and there.standing.ended == 6
    assert there.table.parquet() == whole(tmp_path / "here", 2)
    assert Store(tmp_path / "there").keys() == Store(tmp_path / "here").keys()
    again = carried_out(tmp_path / "there", 2, f"dask:{cluster.address}")
    assert again.standing and again.standing.ended == 0


def test_submitit_gives_the_same_table(tmp_path: Path) -> None:
    there = carried_out(tmp_path / "there", 1, "slurm:cluster=local,jobs=1")
    assert there.standing and there.standing.ended == 3
    assert there.table.parquet() == whole(tmp_path / "here", 1)


def test_a_scheduler_that_does_not_answer_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "_CONNECT_S", 1)
    with pytest.raises(ConfigError, match="no Dask scheduler answers") as failure:
        carried_out(tmp_path / "x", 1, "dask:tcp://127.0.0.1:9")
    assert "dask scheduler" in failure.value.help
    assert not (tmp_path / "x").exists()


def test_packages_that_are_missing_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package, on in (("distributed", "dask:x"), ("submitit", "slurm:")):
        monkeypatch.setitem(sys.modules, package, None)
        told = f"`{package}` is not installed.*pip install {package}"
        with pytest.raises(ConfigError, match=told):
            carried_out(tmp_path / "x", 1, on)


def test_nothing_of_the_extras_is_imported() -> None:
    code = (
        "import sys, wordline as wl; wl.sweep; wl.Store; wl.compare\n"
        "names = {'distributed', 'dask', 'submitit', 'optuna', 'polars', 'pandas', 'numpy'}\n"
        "print(sorted(names & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# Kills. A sweep of the command line is disturbed, called again, and must give the same bytes.


class Disturbed:
    """A sweep that is called until it ends well."""

    def __init__(self, folder: Path, seeds: int, *options: str) -> None:
        (folder / "sweep.toml").write_text(SWEEP.format(seeds=seeds))
        self.folder, self.options, self.calls = folder, options, 0

    def begin(self) -> "subprocess.Popen[str]":
        self.calls += 1
        return start("-m", "wordline", "sweep", "sweep.toml", *self.options, cwd=self.folder)

    def ended(self) -> bytes:
        while True:
            call = self.begin()
            _, told = call.communicate(timeout=HANGS_S)
            assert "Traceback" not in told, told
            if call.returncode == 0:
                path = self.folder / "wordline-out" / "sweep-sweep" / library.POINTS
                return path.read_bytes()
            assert self.calls < 10, told


SEEDS = 60
RUNS = 3 * SEEDS


def await_runs(call: "subprocess.Popen[str]", folder: Path, share: float) -> None:
    """Waits until that share of the runs is kept: a kill by the clock would mostly miss them."""
    wanted = max(1, round(share * RUNS))
    until = time.monotonic() + HANGS_S
    while kept(folder) < wanted:
        assert call.poll() is None, call.communicate()
        assert time.monotonic() < until, f"{kept(folder)} runs of {wanted}"
        time.sleep(0.002)


def kept(folder: Path) -> int:
    return sum(not path.name.startswith(".") for path in folder.glob("wordline-out/store/runs/*/*"))


def kill_driver(folder: Path, share: float) -> bytes:
    sweep = Disturbed(folder, SEEDS)
    call = sweep.begin()
    await_runs(call, folder, share)
    call.kill()
    call.communicate()
    assert kept(folder) < RUNS, "killed too late"
    return sweep.ended()


def kill_worker(folder: Path, share: float) -> bytes:
    sweep = Disturbed(folder, SEEDS)
    call = sweep.begin()
    await_runs(call, folder, share)
    tasks = Path(f"/proc/{call.pid}/task").glob("*/children")
    pids = [int(pid) for task in tasks for pid in task.read_text().split()]
    os.kill(pids[0], signal.SIGKILL)
    assert kept(folder) < RUNS, "killed too late"
    _, told = call.communicate(timeout=HANGS_S)
    assert call.returncode == 0, told
    assert "failed" not in told
    return sweep.ended()


def kill_of_dask(folder: Path, share: float, whom: str) -> bytes:
    """A worker, after which the sweep goes on; or the scheduler, after which it is called again."""
    made = Cluster(folder)
    try:
        sweep = Disturbed(folder, SEEDS, "--on", f"dask:{made.address}")
        call = sweep.begin()
        await_runs(call, folder, share)
        victim = made.workers[0] if whom == "worker" else made.scheduler
        victim.kill()
        assert kept(folder) < RUNS, "killed too late"
        _, told = call.communicate(timeout=HANGS_S)
        assert "Traceback" not in told, told
        assert call.returncode == (0 if whom == "worker" else 1), told
    finally:
        made.end()
    return Disturbed(folder, SEEDS).ended()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return whole(tmp_path_factory.mktemp("whole") / "store", SEEDS)


def disturb(kind: str, folder: Path, share: float) -> bytes:
    folder.mkdir()
    if kind == "driver":
        return kill_driver(folder, share)
    if kind == "worker":
        return kill_worker(folder, share)
    return kill_of_dask(folder, share, kind.removeprefix("dask "))


KINDS = ("driver", "worker", "dask worker", "dask scheduler")


@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_changes_nothing(kind: str, tmp_path: Path, undisturbed: bytes) -> None:
    assert disturb(kind, tmp_path / "it", 0.4) == undisturbed


@pytest.mark.kills
@pytest.mark.parametrize("number", range(20))
@pytest.mark.parametrize("kind", KINDS)
def test_kills_at_random_change_nothing(
    kind: str, number: int, tmp_path: Path, undisturbed: bytes
) -> None:
    share = random.Random(f"{kind} {number}").uniform(0, 0.9)
    print(f"{kind}, killed after {share:.3f} of the runs")
    assert disturb(kind, tmp_path / "it", share) == undisturbed


def test_ctrl_c_stops_and_says_that_the_same_command_goes_on(tmp_path: Path) -> None:
    sweep = Disturbed(tmp_path, 200)
    call = sweep.begin()
    store = tmp_path / "wordline-out" / "store"
    until = time.monotonic() + HANGS_S
    # A folder or a file that is being written is no run that is kept.
    while not ((store / "runs").exists() and wl.Store(store).keys()) and time.monotonic() < until:
        time.sleep(0.02)
    call.send_signal(signal.SIGINT)
    _, told = call.communicate(timeout=HANGS_S)
    assert call.returncode == 130, told
    kept = Path("wordline-out") / "store" / "runs"
    assert told == f"stopped: the same command goes on from the runs kept in {kept}\n"
    assert not (tmp_path / "wordline-out" / "sweep-sweep").exists()
    assert wl.Store(store).keys()
