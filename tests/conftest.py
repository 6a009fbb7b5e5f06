"""What the tests share: the command line as users call it, and a short run."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wordline as wl

Cli = Callable[..., subprocess.CompletedProcess[str]]

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


@pytest.fixture(scope="session")
def comparison() -> wl.Comparison:
    return wl.compare(
        "tiny",
        ["conventional"],
        [WORKLOAD, "zipf:requests=20000,interval_us=3000"],
        variants={"fifo": {"ftl": {"gc": {"policy": "fifo"}}}, "<b>none</b>": {}},
    )
