"""What the tests share: the command line as users call it, and a short run."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, sync_playwright
from wordline.leagues import heats
from wordline.leagues.drives import Division
from wordline.leagues.heats import Extent
from wordline.native.types.record import Tree, freeze

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

HANGS_S = 900
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# The same examples everywhere, however slow the machine is.
settings.register_profile(
    "any machine",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any machine")
"""After so long something hangs, however busy the machine is."""

WORKLOAD = "uniform:requests=20000,read=0.3,interval_us=3000"


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Runs `wordline ARGS…` in an empty folder."""

    def call(*args: str, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "wordline", *args]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=HANGS_S, **options
        )

    return call


@pytest.fixture(scope="session")
def result() -> wl.Result:
    return wl.run("tiny", WORKLOAD, run={"records": True})


def _put(table: Any, path: list[str], value: Any) -> Any:
    """The table with another value at a path; what a table of causes leaves out is zero."""
    key, *rest = path
    assert key in table, key
    found = table[key]
    if rest:
        value = _put(found, rest, value)
    elif isinstance(value, dict) and isinstance(found, wl.Record):
        value = replace(found, **{**dict.fromkeys(found, 0.0), **value})
    value = freeze(value)
    return (
        Tree({**table, key: value}) if isinstance(table, Tree) else replace(table, **{key: value})
    )


MakeUp = Callable[..., wl.Result]


@pytest.fixture(scope="session")
def made_up(result: wl.Result) -> MakeUp:
    """A result with figures of one's own, by dotted path: `made_up({"flash.erases": 7})`.

    What is not given is that of a real run, but for what every figure of a comparison is made of:
    those are distinct numbers, so that two that are swapped are told apart.
    """

    def make(figures: Mapping[str, Any] = {}) -> wl.Result:
        made = result
        for path, value in {**DISTINCT, **figures}.items():
            made = _put(made, path.split("."), value)
        return made

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


@pytest.fixture(scope="module")
def short_league() -> Iterator[None]:
    """A league of one small drive and ten requests, for calls that fit by accident."""
    tiny = Division("tiny", "tiny's flash", 'preset = "tiny"', 0.28)
    short = Extent(
        thetas=(0.9,), intervals_us=(3000,), requests=10, settles=False, acknowledge=("buffer",),
        spare=(), seeds=1, cycles_per_erase=1, repeats=1, lives=False, sizes_kib=(), named=(),
        worn_only=(), has_array=False, cut_requests=10, cut_every=5,
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(heats, "DIVISIONS", (tiny,))
        patch.setattr(heats, "QUICK", short)
        patch.setattr(heats, "WHOLE", short)
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if not path:
        pytest.skip(f"no browser: none of {', '.join(_BROWSERS)} is installed")
    with sync_playwright() as playwright:
        # Containers run as root, where Chromium's sandbox cannot.
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()
