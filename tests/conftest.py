"""What the tests share: the command line as users call it, and a short run."""

import copy
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import wordline as wl

Cli = Callable[..., subprocess.CompletedProcess[str]]

# Figures of a made-up run: one GiB written, 200,000 reads and writes each, nothing refused.
DISTINCT: dict[str, Any] = {
    "workload.bytes_written": 1 << 30,
    "workload.writes": 200_000,
    "workload.name": "load",
    "workload.synthetic": False,
    "host.iops": 1100.0,
    "host.bandwidth_mb_s": 12.0,
    **{f"host.read.{key}": value for key, value in {
        "count": 200_000, "mean_us": 130.0, "p50_us": 120.0, "p95_us": 135.0, "p99_us": 140.0,
        "p999_us": 150.0, "p9999_us": 160.0, "max_us": 170.0,
    }.items()},
    **{f"host.write.{key}": value for key, value in {
        "count": 200_000, "mean_us": 230.0, "p50_us": 220.0, "p95_us": 235.0, "p99_us": 240.0,
        "p999_us": 250.0, "p9999_us": 260.0, "max_us": 270.0,
    }.items()},
    "write_amplification": 3.1,
    "write_amplification_by_cause": {
        "host": 1.0, "gc": 1.7, "mapping": 0.01, "wear": 0.05, "technique": 0.04, "padding": 0.3,
    },
    "flash.erases": 3200,
    "wear.erases_per_host_gib": 3200.0,
    "gc.count": 3300,
    "gc.pages_moved": 34_000,
    "energy_mj": {"read": 1.0, "program": 20.0, "erase": 15.0, "total": 36.0},
    "wear.life_gib": None,
    "wear.read_only_after_writes": None,
    "wear.spent_lifetime": 0.37,
    "steady_state.reached": True,
}  # fmt: skip

WORKLOAD = "uniform:requests=20000,read=0.3,interval_us=3000"


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Runs `wordline ARGS…` in an empty folder."""

    def call(*args: str, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "wordline", *args]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=60, **options
        )

    return call


@pytest.fixture(scope="session")
def result() -> wl.Result:
    return wl.run("tiny", WORKLOAD, run={"records": True})


MakeUp = Callable[..., wl.Result]


@pytest.fixture(scope="session")
def made_up(result: wl.Result) -> MakeUp:
    """A result with figures of one's own, by dotted path: `made_up({"flash.erases": 7})`.

    What is not given is that of a real run, but for what every figure of a comparison is made of:
    those are distinct numbers, so that two that are swapped are told apart.
    """

    def make(figures: Mapping[str, Any] = {}) -> wl.Result:
        data = copy.deepcopy(result.to_dict())
        for path, value in {**DISTINCT, **figures}.items():
            *tables, key = path.split(".")
            place = data
            for table in tables:
                place = place[table]
            assert key in place, path
            place[key] = copy.deepcopy(value)
        return wl.Result(data, result.config_toml, result.series, result.records)

    return make


def against(*results: wl.Result, names: str = "abcdef", load: str = "load") -> wl.Comparison:
    """Results side by side on one workload, the first the baseline, named in turn."""
    return wl.Comparison(
        [wl.Case(name, load, result) for name, result in zip(names, results, strict=False)]
    )


@pytest.fixture(scope="session")
def comparison() -> wl.Comparison:
    return wl.compare(
        "tiny",
        ["conventional"],
        [WORKLOAD, "zipf:requests=20000,interval_us=3000"],
        variants={"fifo": {"ftl": {"gc": {"policy": "fifo"}}}, "<b>none</b>": {}},
    )
