"""Folders of results: whole or not at all."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import wordline as wl
from click.testing import CliRunner
from conftest import HANGS_S, WORKLOAD, Cli
from wordline import loading
from wordline.cli import output
from wordline.cli.app import app
from wordline.results import result_files

RUN = ("run", "tiny", "--workload", WORKLOAD)


def simulated(path: Path) -> dict:
    """A result without how fast it was, and how its drive was called."""
    data = json.loads(path.read_text())
    del data["simulator"]
    data.pop("file", None)
    return data


def test_the_resolved_configuration_repeats_the_run_bit_for_bit(cli: Cli, tmp_path: Path) -> None:
    assert cli(*RUN, "--set", "run.seed=7", "--out", "first").returncode == 0
    assert cli("run", "first/config.toml", "--out", "second").returncode == 0
    first, second = tmp_path / "first", tmp_path / "second"
    assert simulated(first / "result.json") == simulated(second / "result.json")
    for name in ("config.toml", "series.parquet"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_a_run_writes_its_files_and_nothing_else(cli: Cli, tmp_path: Path) -> None:
    assert cli(*RUN, "--out", "deep/er", "--set", "run.records=true").returncode == 0
    names = {path.name for path in (tmp_path / "deep/er").iterdir()}
    assert names == {
        "config.toml",
        "manifest.json",
        "records.parquet",
        "report.html",
        "result.json",
        "series.parquet",
    }


def limit_files_to_2_kb() -> None:
    """Writing more fails as on a full disk, with another number."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def test_a_full_disk_leaves_nothing_that_looks_whole(cli: Cli, tmp_path: Path) -> None:
    done = cli(*RUN, "--out", "out", preexec_fn=limit_files_to_2_kb)
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_full_disk_leaves_earlier_results_alone(cli: Cli, tmp_path: Path) -> None:
    assert cli(*RUN, "--out", "out").returncode == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    again = (*RUN, "--out", "out", "--force")
    assert cli(*again, preexec_fn=limit_files_to_2_kb).returncode == 1
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("verb", [("list",), ("--help",), (*RUN, "--json")], ids=lambda v: v[0])
def test_output_to_a_full_disk_is_told(verb: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "wordline", *verb]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=HANGS_S
        )
    assert done.returncode == 1
    assert "error: standard output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


ENDLESS = ("tiny", "--workload", "uniform:writes=1e12")
DRIVES = ("--technique", "conventional", "--variant", "f:ftl.gc.policy=fifo")


@pytest.mark.parametrize(
    "verb",
    [("run", *ENDLESS), ("compare", *ENDLESS, *DRIVES), ("demo",)],
    ids=lambda verb: verb[0],
)
def test_ctrl_c_stops_at_once_and_leaves_nothing(tmp_path: Path, verb: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "wordline", *verb, "--out", "out", "--progress", "json"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        assert json.loads(process.stderr.readline())["phase"]
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=HANGS_S)[1]
    assert process.returncode == 130
    assert "Traceback" not in rest
    assert not (tmp_path / "out").exists()


def test_ctrl_c_while_results_are_printed_says_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(output, "show_run", stopped)
    out = tmp_path / "out"
    args = ["run", "tiny", "--workload", "uniform:requests=10", "--out", str(out)]
    done = CliRunner().invoke(app, args, prog_name="wordline")
    assert done.exit_code == 130
    assert done.stderr.endswith(f"stopped: the whole results are in {out}\n")
    assert isinstance(loading.load(out), wl.Result)


@pytest.mark.parametrize("args", [("run",), ("compare", "--technique", "conventional",
                                              "--variant", "b:run.seed=2")])  # fmt: skip
def test_a_report_keeps_the_name_of_the_file_of_the_drive(
    args: tuple[str, ...], tmp_path: Path
) -> None:
    mine, out = tmp_path / "mine.toml", tmp_path / "out"
    mine.write_text('preset = "tiny"\ndrive.chip.read_us = 33\n')
    work = ("--workload", "uniform:requests=10", "--out", str(out))
    assert CliRunner().invoke(app, [args[0], str(mine), *args[1:], *work]).exit_code == 0
    first = (out / "report.html").read_text()
    (out / "report.html").unlink()
    assert CliRunner().invoke(app, ["report", str(out)]).exit_code == 0
    assert (out / "report.html").read_text() == first
    assert "mine.toml, 50 MiB" in first


def test_comparisons_survive_saving(comparison: wl.Comparison, tmp_path: Path) -> None:
    result_files.save_comparison(comparison, tmp_path)
    loaded = loading.load(tmp_path)
    assert isinstance(loaded, wl.Comparison)
    assert loaded.to_dict() == comparison.to_dict()
    series = [case.result.series for case in (*loaded.cases, *comparison.cases)]
    assert [s["requests"] for s in series[: len(series) // 2]] == [
        s["requests"] for s in series[len(series) // 2 :]
    ]


def test_damaged_results_are_told(result: wl.Result, tmp_path: Path) -> None:
    result_files.save_run(result, tmp_path)
    (tmp_path / "series.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(wl.OutputError, match="damaged"):
        loading.load(tmp_path)
    (tmp_path / "result.json").write_text('{"cut": ')
    with pytest.raises(wl.OutputError, match="damaged"):
        loading.load(tmp_path)


@pytest.mark.parametrize(
    "name",
    ["result.json", "config.toml", "series.parquet", "records.parquet", "comparison.json",
     "sweep.json", "points.parquet", "search.json", "league.json", "manifest.json"],
)  # fmt: skip
def test_a_pipe_in_a_folder_of_results_is_told_and_not_waited_for(
    name: str, cli: Cli, result: wl.Result, tmp_path: Path
) -> None:
    result.save(tmp_path / "kept")
    if name == "points.parquet":
        (tmp_path / "kept" / "sweep.json").write_text("{}")
    (tmp_path / "kept" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "kept" / name)
    done = cli("report", "kept")
    if name == "manifest.json":  # it says what is ours, and says it of nothing then
        assert "holds a `report.html` that no run has written" in done.stderr
    else:
        assert f"`{name}`: is a folder, a pipe or a device" in done.stderr
    assert done.returncode == 2 and "where: kept" in done.stderr
