"""`wordline trace synth` and `wordline trace fit`: traces from models, and models from traces."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import HANGS_S, Cli
from wordline.persistence import files


def synth(cli: Cli, *args: str) -> dict[str, object]:
    done = cli("trace", "synth", *args, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_twin_becomes_a_trace_that_says_it_is_synthetic(cli: Cli, tmp_path: Path) -> None:
    written = synth(cli, "twin:ressd/src2_0:requests=2000", "a.wlt")
    assert (written["requests"], written["format"]) == (2000, "wordline")
    assert written["synthetic"] is True
    info = json.loads(cli("trace", "info", "a.wlt", "--json").stdout)
    assert info["synthetic"] is True
    synth(cli, "twin:ressd/src2_0:requests=2000", "b.wlt")
    assert (tmp_path / "a.wlt").read_bytes() == (tmp_path / "b.wlt").read_bytes()


def test_a_fitted_model_is_small_and_runs(cli: Cli, tmp_path: Path) -> None:
    synth(cli, "twin:centaur/hm_1:requests=4000", "trace.wlt")
    fitted = cli("trace", "fit", "trace.wlt", "--out", "model.toml")
    assert fitted.returncode == 0, fitted.stderr
    assert (tmp_path / "model.toml").stat().st_size < 16_384
    again = cli("trace", "fit", "trace.wlt", "--out", "model.toml")
    assert again.returncode == 2 and "exists already" in again.stderr
    assert synth(cli, "model.toml", "twin.wlt")["requests"] == 4000


def test_phases_run_one_after_another(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "phases.toml").write_text(
        """
        [[phase]]
        requests = 100
        [[phase.stream]]
        workload = "sequential:size_kib=64"
        [[phase]]
        requests = 200
        arrivals = "interval_us=100,arrival=bursty"
        [[phase.stream]]
        workload = "varmail:requests=1000"
        weight = 2
        [[phase.stream]]
        workload = "zipf_fio:theta=1.2"
        """,
        encoding="utf-8",
    )
    assert synth(cli, "phases.toml", "phases.wlt")["requests"] == 300


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("twin:hm_0", "x.wlt"), "choose one: twin:ressd/hm_0"),
        (("twin:ressd/hm_00", "x.wlt"), "did you mean `ressd/hm_0`"),
        (("nothing.toml", "x.wlt"), "no such file"),
        (("uniform:requests=5", "x.what"), "--to"),
    ],
)
def test_mistakes_are_answered_and_leave_nothing(
    cli: Cli, tmp_path: Path, args: tuple[str, ...], expected: str
) -> None:
    done = cli("trace", "synth", *args)
    assert done.returncode == 2 and expected in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_twins_are_listed_as_synthetic_with_what_was_published(cli: Cli) -> None:
    found = json.loads(cli("describe", "twin:ressd/hm_0", "--json").stdout)
    assert found[0]["synthetic"] is True
    assert {"key": "update_pct", "value": 91.7, "source": "published"} in found[0]["values"]
    assert "Synthetic: MSR Cambridge hm_0" in cli("list", "workloads").stdout


LONG = ("trace", "synth", "uniform:requests=3e8,span_mib=1", "x.wlt")


def _begun(folder: Path) -> Path:
    """A trace that another process has begun to write."""
    until = time.monotonic() + HANGS_S
    while time.monotonic() < until:
        for path in folder.glob(".*"):
            return path
        time.sleep(0.01)
    raise AssertionError("nothing was begun")


def test_what_a_killed_process_left_of_a_trace_is_swept(cli: Cli, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wordline", *LONG]
    with subprocess.Popen(command, cwd=tmp_path) as process:
        try:
            partial = _begun(tmp_path)
            synth(cli, "uniform:requests=10", "x.wlt")
            assert partial.exists()  # its process lives
        finally:
            process.kill()
    assert partial.exists()
    kept = tmp_path / ".wordline-partial-y.wlt-00000000"  # of another file
    kept.write_text("")
    synth(cli, "uniform:requests=10", "x.wlt", "--force")
    assert {path.name for path in tmp_path.iterdir()} == {"x.wlt", kept.name}


def test_partial_traces_have_the_names_of_all_partial_files(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wordline", *LONG]
    with subprocess.Popen(command, cwd=tmp_path) as process:
        try:
            name = _begun(tmp_path).name
        finally:
            process.kill()
    assert re.fullmatch(rf"{re.escape(files.PARTIAL)}x\.wlt-[0-9a-f]{{8}}", name)
    files.write(tmp_path / "x.wlt", "")
    assert [path.name for path in tmp_path.iterdir()] == ["x.wlt"]


def test_a_trace_never_takes_the_place_of_what_is_no_file(cli: Cli, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = cli("trace", "synth", "uniform:requests=10", "pipe", "--to", "msr", "--force")
    assert done.returncode == 2
    assert "is a pipe or a device" in done.stderr
    assert (tmp_path / "pipe").is_fifo()
