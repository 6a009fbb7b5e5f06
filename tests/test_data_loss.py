"""A run that loses acknowledged data ends with status 1, unless losing it is its point."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from wordline.cli.app import app

# Writes of three seconds, then days without power that first stages do not hold.
DRIVE = """
preset = "tiny"
[drive.chip]
cell = "tlc"
program = "one_shot"
pages_per_block = 48
[host]
mode = "open"
[host.power_off]
at_s = [3]
for_s = [172800]
[precondition]
pattern = "none"
[workload]
source = "uniform:requests=400,interval_us=10000"
[technique.lazy_ftl]
"""


@pytest.fixture
def drive(tmp_path: Path) -> str:
    path = tmp_path / "drive.toml"
    path.write_text(DRIVE, encoding="utf-8")
    return str(path)


def call(*args: str) -> Result:
    return CliRunner().invoke(app, args, prog_name="wordline")


def _told(done: Result, status: int) -> None:
    assert done.exit_code == status, done.output
    assert "data was lost: " in done.stderr
    assert ("error: acknowledged data was lost" in done.stderr) == (status == 1)
    assert ("host.power_off.may_lose" in done.stderr) == (status == 1)


@pytest.mark.parametrize(("may_lose", "status"), [("false", 1), ("true", 0)])
def test_a_run_that_loses_data_ends_with_status_1(drive: str, may_lose: str, status: int) -> None:
    allowed = ("--set", f"host.power_off.may_lose={may_lose}")
    done = call("run", drive, *allowed)
    _told(done, status)
    assert "lost without power" in done.stdout
    _told(call("run", drive, *allowed, "--json"), status)


@pytest.mark.parametrize(("may_lose", "status"), [("false", 1), ("true", 0)])
def test_a_comparison_whose_runs_lose_data_ends_with_status_1(
    drive: str, tmp_path: Path, may_lose: str, status: int
) -> None:
    out = tmp_path / "out"
    done = call(
        "compare", drive, "--technique", "conventional", "--technique", "lazy_ftl",
        "--seeds", "2", "--set", f"host.power_off.may_lose={may_lose}", "--out", str(out),
    )  # fmt: skip
    _told(done, status)
    assert (" in 2 of 4 runs" in done.stderr) == (status == 1)
    assert (out / "report.html").exists()


def test_a_sweep_ends_with_status_1_where_a_point_loses_what_it_may_not(
    drive: str, tmp_path: Path
) -> None:
    spec = tmp_path / "sweep.toml"

    def sweep(values: str) -> Result:
        text = f'base = "{drive}"\n[axes]\nhost.power_off.may_lose = {values}\n'
        spec.write_text(text, encoding="utf-8")
        out, store = str(tmp_path / "out"), str(tmp_path / "store")
        return call("sweep", str(spec), "--out", out, "--store", store)

    _told(sweep("[true, false]"), 1)
    assert (tmp_path / "out" / "points.parquet").exists()
    _told(sweep("[true]"), 0)
    (found,) = [line for line in sweep("[true, false]").stderr.splitlines() if "error:" in line]
    assert " in 1 of 2 runs" in found
