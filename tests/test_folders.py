"""Folders of results: whose files they replace, and what a failure leaves."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from conftest import HANGS_S, Cli
from wordline.persistence import files, folders
from wordline.results import result_files

RUN = ("run", "tiny", "--workload", "uniform:requests=2000,interval_us=3000")


def contents(folder: Path) -> dict[str, bytes]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def publish(target: Path, new: dict[str, str], *, force: bool = False) -> None:
    with folders.output_folder(target, force=force) as folder:
        for name, text in new.items():
            files.make_folder((folder / name).parent)
            files.write(folder / name, text)


OLD = {"result.json": "old", "records.parquet": "old", "runs/0/result.json": "old"}
NEW = {"result.json": "new", "runs/1/result.json": "new"}


def test_workers_make_one_folder_at_a_time(tmp_path: Path) -> None:
    start = threading.Barrier(8)

    def make(folder: Path) -> None:
        start.wait()
        files.make_folder(folder)

    with ThreadPoolExecutor(8) as workers:
        for number in range(300):
            folder = tmp_path / f"{number}" / "runs" / "94"
            list(workers.map(make, [folder] * 8))
            assert folder.is_dir()


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "forced"])
def test_a_users_own_files_are_never_replaced(
    cli: Cli, tmp_path: Path, force: tuple[str, ...]
) -> None:
    (tmp_path / "d/runs").mkdir(parents=True)
    (tmp_path / "d/runs/mine.txt").write_text("mine")
    (tmp_path / "d/config.toml").write_text('preset = "tiny"  # mine\n')
    before = contents(tmp_path)
    done = cli("run", "d/config.toml", *RUN[2:], "--out", "d", *force)
    assert done.returncode == 2
    assert "holds a `config.toml` that no run has written" in done.stderr
    assert contents(tmp_path) == before


def test_earlier_results_are_replaced_when_forced_only(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(out, OLD)
    before = contents(out)
    refused = cli(*RUN, "--out", "out")
    assert refused.returncode == 2
    assert "holds an earlier result" in refused.stderr and "--force" in refused.stderr
    assert contents(out) == before
    publish(out, NEW, force=True)
    assert set(contents(out)) == {*NEW, "manifest.json"}
    (out / "thesis.tex").write_text("mine")
    refused = cli(*RUN, "--out", "out")
    assert refused.returncode == 2
    assert "holds files that are not results, such as `thesis.tex`" in refused.stderr
    publish(out, OLD, force=True)
    assert set(contents(out)) == {*OLD, "manifest.json", "thesis.tex"}


def test_a_result_that_was_edited_is_the_users(tmp_path: Path) -> None:
    publish(tmp_path, OLD)
    (tmp_path / "result.json").write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(wl.OutputError, match="or that was changed since"):
        publish(tmp_path, NEW, force=True)
    with pytest.raises(wl.OutputError, match="or that was changed since"):
        folders.write_into(tmp_path, {"result.json": "new"})
    assert contents(tmp_path) == before


def test_a_report_that_was_written_anew_still_belongs_to_the_result(
    result: wl.Result, cli: Cli, tmp_path: Path
) -> None:
    with folders.output_folder(tmp_path / "out") as folder:
        result_files.save_run(result, folder)
    assert cli("report", "out").returncode == 0
    assert cli("report", "out").returncode == 0
    publish(tmp_path / "out", NEW, force=True)
    assert set(contents(tmp_path / "out")) == {*NEW, "manifest.json"}
    (tmp_path / "out/report.html").write_text("mine")
    folder = tmp_path / "out"
    with pytest.raises(wl.OutputError, match="no run has written"):
        folders.write_into(folder, {"report.html": "new"})


def test_comparisons_that_are_not_told_where_stand_side_by_side(cli: Cli, tmp_path: Path) -> None:
    compare = ("compare", "tiny", "--variant", "a:run.seed=1", "--variant", "b:run.seed=2")
    for name in ("compare", "compare-2"):
        done = cli(*compare, *RUN[2:])
        assert f"report: wordline-out/{name}/report.html" in done.stdout
    first = contents(tmp_path / "wordline-out/compare")
    assert cli(*compare, *RUN[2:], "--out", "wordline-out/compare").returncode == 2
    assert contents(tmp_path / "wordline-out/compare") == first


@pytest.mark.parametrize("fails_at", range(1, 9))
def test_a_publish_that_fails_puts_the_old_results_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    publish(tmp_path, OLD)
    (tmp_path / "mine.txt").write_text("mine")
    before = contents(tmp_path)
    calls = iter(range(1, 100))
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if next(calls) == fails_at:
            raise OSError(5, "Input/output error")
        return rename(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", failing)
        if fails_at <= 7:  # four old files and three new ones, manifests included
            with pytest.raises(wl.RunError, match="Input/output error"):
                publish(tmp_path, NEW, force=True)
            assert contents(tmp_path) == before
            return
        publish(tmp_path, NEW, force=True)
    assert set(contents(tmp_path)) == {*NEW, "manifest.json", "mine.txt"}


@pytest.mark.parametrize("fails_at", range(1, 9))
def test_files_that_cannot_all_be_written_anew_leave_the_old_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    publish(tmp_path, OLD)
    (tmp_path / "mine.txt").write_text("mine")
    before = contents(tmp_path)
    anew = {"result.json": "anew", "items.json": "anew"}
    calls = iter(range(1, 100))
    write, rename = files.write, Path.rename

    def failing(call: Callable[..., Path], *args: Any) -> Path:
        if next(calls) == fails_at:
            raise OSError(28, "No space left on device")
        return call(*args)

    with monkeypatch.context() as patched:
        patched.setattr(files, "write", lambda *args: failing(write, *args))
        patched.setattr(Path, "rename", lambda *args: failing(rename, *args))
        # Two files and the manifest are written; two old files move, and three new ones.
        with pytest.raises(wl.RunError, match="No space left"):
            folders.write_into(tmp_path, anew)
    assert contents(tmp_path) == before
    folders.write_into(tmp_path, anew)
    after = contents(tmp_path)
    assert set(after) == {*before, "items.json"}
    assert {name for name in before if after[name] != before[name]} == {
        "result.json", "manifest.json",
    }  # fmt: skip
    publish(tmp_path, NEW, force=True)
    assert set(contents(tmp_path)) == {*NEW, "manifest.json", "mine.txt"}


@pytest.mark.parametrize("killed_at", range(8))
def test_a_killed_publish_is_put_right_by_the_next_run(tmp_path: Path, killed_at: int) -> None:
    target = tmp_path / "out"
    publish(target, OLD)
    before = contents(target)
    code = f"""
import os
from pathlib import Path
from test_folders import NEW, publish
calls, rename = iter(range(100)), Path.rename
def killed(self, target):
    if next(calls) == {killed_at}: os.kill(os.getpid(), 9)
    return rename(self, target)
Path.rename = killed
publish(Path({str(target)!r}), NEW, force=True)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent, timeout=HANGS_S)
    assert done.returncode == (-signal.SIGKILL if killed_at < 7 else 0)
    with pytest.raises(wl.OutputError, match="holds an earlier result"):
        publish(target, NEW)
    whole = {*NEW, "manifest.json"} if killed_at == 7 else set(before)
    assert set(contents(target)) == whole
    if killed_at < 7:
        assert contents(target) == before


@pytest.mark.parametrize("place", ["runs", "runs/1"])
def test_links_are_not_written_through(tmp_path: Path, place: str) -> None:
    target, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    publish(target, {"result.json": "old"})
    (target / place).parent.mkdir(exist_ok=True)
    (target / place).symlink_to(elsewhere)
    before = contents(target)
    with pytest.raises(wl.OutputError, match="no run has written"):
        publish(target, NEW, force=True)
    assert contents(target) == before
    assert not any(elsewhere.iterdir())


def test_a_manifest_that_leads_out_of_the_folder_is_nobodys(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    target = tmp_path / "out"
    target.mkdir()
    (target / "manifest.json").write_text('{"files": {"../mine.txt": "sha256:0"}}')
    with pytest.raises(wl.OutputError, match="holds files that are not results"):
        publish(target, NEW)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_one_run_at_a_time_writes_into_a_folder(tmp_path: Path) -> None:
    with folders.output_folder(tmp_path / "out") as folder:
        files.write(folder / "result.json", "first")
        code = f"from test_folders import *; publish(Path({str(tmp_path / 'out')!r}), NEW)"
        second = subprocess.run(
            [sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True, text=True
        )
    assert "another run writes its results there" in second.stderr
    assert contents(tmp_path / "out")["result.json"] == b"first"


def test_what_a_killed_run_left_is_swept(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wordline", "run", "tiny", "--workload", "uniform:writes=1e12"]
    with subprocess.Popen(
        [*command, "--out", "out", "--progress", "json"], cwd=tmp_path, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr
        process.stderr.readline()
        process.kill()
    assert [path for path in (tmp_path / "out").iterdir() if path.is_dir()]
    publish(tmp_path / "out", NEW)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "manifest.json", "result.json", "runs",
    }  # fmt: skip


def _write_often(path: Path, letter: str) -> None:
    for _ in range(200):
        files.write(path, letter * 50_000)


@pytest.fixture
def writers(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "shared.json"
    files.write(path, "a")
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_write_often, args=(path, letter)) for letter in "ab"]
    for process in processes:
        process.start()
    yield path
    for process in processes:
        process.join()
        assert process.exitcode == 0


def test_writers_of_one_file_never_tear_it(writers: Path) -> None:
    until = time.monotonic() + 2
    while time.monotonic() < until:
        text = writers.read_text()
        assert len(text) in (1, 50_000)
        assert len(set(text)) == 1


def test_partial_files_of_the_dead_are_swept_and_of_the_living_kept(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    code = f"""
import os
from pathlib import Path
from wordline.persistence import files
descriptor, partial = files._begin(Path({str(path)!r}))
print(partial, flush=True)
input()
os.kill(os.getpid(), 9)
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout
        partial = Path(process.stdout.readline().strip())
        files.write(path, "whole")
        assert partial.exists()
        process.stdin.write("\n")
        process.stdin.close()
        process.wait()
    files.write(path, "again")
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_file_is_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (pipe, Path("/dev/null")):
        with pytest.raises(wl.OutputError, match="a pipe or a device"):
            files.write(place, "text")
        with pytest.raises(wl.OutputError, match="a pipe or a device"):
            files.check_writable(place)
    assert pipe.is_fifo()


def test_files_have_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    written = files.write(tmp_path / "ours", "text")
    assert written.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_an_interrupt_as_a_partial_folder_is_made_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = tempfile.mkdtemp

    def interrupted(**where: Any) -> str:
        make(**where)
        raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "mkdtemp", interrupted)
    target = tmp_path / "out"
    target.mkdir()
    with pytest.raises(KeyboardInterrupt), folders.output_folder(target):
        pass
    assert not list(target.iterdir())
