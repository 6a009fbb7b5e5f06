"""Test programs that cargo built: their tests, what each costs and which mutants it reaches."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mutating.lists import WrongError
from mutating.tree import environment
from mutating.weaving import CHOSEN, REACHED

# A test of the slowest takes a few seconds, or some minutes beside other work; what takes this
# long goes round for ever.
LIMIT_S = 600
MEMORY_BYTES = 8 << 30


@dataclass(frozen=True)
class Binary:
    """A test program, and the folder of its package."""

    name: str
    path: str
    folder: str


@dataclass(frozen=True)
class Test:
    """A test, what it costs, and the numbers of the mutants that it reaches."""

    binary: Binary
    name: str
    seconds: float
    reaches: frozenset[int]


def cargo(arguments: list[str], tree: Path, build: Path) -> str:
    """What cargo prints; raises WrongError with its messages where it fails."""
    done = subprocess.run(
        ["cargo", *arguments],
        cwd=tree,
        # A mutant leaves variables unused.
        env={**environment(tree, build), "RUSTFLAGS": "-Awarnings"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise WrongError(f"the code with all mutants does not compile:\n{done.stderr[-6000:]}")
    return done.stdout


def build_all(packages: Iterable[str], tree: Path, build: Path) -> list[Binary]:
    """The test programs of some packages."""
    wanted = [word for package in sorted(packages) for word in ("-p", package)]
    told = "--message-format=json-render-diagnostics"
    options = ["test", "-q", "--no-run", "--lib", "--tests", told]
    built = []
    for line in cargo([*options, *wanted], tree, build).splitlines():
        message = json.loads(line)
        if message.get("executable") and message.get("profile", {}).get("test"):
            folder = str(Path(message["manifest_path"]).parent)
            built.append(Binary(message["target"]["name"], message["executable"], folder))
    return built


def limit_memory() -> None:
    """A mutant that fills the memory dies of it, and not the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def call(
    binary: Binary, arguments: list[str], limit_s: float, **variables: str
) -> tuple[bool, str]:
    """Whether a test program succeeds, and what it prints."""
    asked = {**os.environ, "RUST_BACKTRACE": "0", "CARGO_MANIFEST_DIR": binary.folder, **variables}
    try:
        done = subprocess.run(
            [binary.path, *arguments],
            cwd=binary.folder,
            env=asked,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=limit_s,
            preexec_fn=limit_memory,
        )
    except subprocess.TimeoutExpired:
        return False, f"FAILED {arguments[-1]}:hangs"
    return done.returncode == 0, done.stdout


def names_of(binary: Binary) -> list[str]:
    """The tests of a program that a run without options would run."""
    passed, output = call(binary, ["--list"], LIMIT_S)
    ignored = call(binary, ["--list", "--ignored"], LIMIT_S)[1].splitlines()
    if not passed:
        raise WrongError(f"{binary.name} does not list its tests:\n{output}")
    lines = [line for line in output.splitlines() if line.endswith(": test")]
    return [line.removesuffix(": test") for line in lines if line not in ignored]


def measured(binary: Binary, name: str) -> Test:
    """A test run by itself; raises WrongError where it fails without a mutant."""
    with tempfile.NamedTemporaryFile() as file:
        started = time.monotonic()
        passed, output = call(binary, ["--exact", name], LIMIT_S, **{REACHED: file.name})
        seconds = time.monotonic() - started
        numbers = Path(file.name).read_text("ascii").split()
    if not passed:
        raise WrongError(f"fails without a mutant: {binary.name} {name}\n{output[-3000:]}")
    return Test(binary, name, seconds, frozenset(map(int, numbers)))


def measure_all(binaries: list[Binary], jobs: int) -> list[Test]:
    """All tests of all programs, each run by itself once."""
    named = [(binary, name) for binary in binaries for name in names_of(binary)]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda test: measured(*test), named))


def failing(tests: list[Test], number: int) -> str | None:
    """The first test that fails on a mutant; None if all pass."""
    for test in tests:
        limit_s = 20 + 10 * test.seconds
        passed, output = call(test.binary, ["--exact", test.name], limit_s, **{CHOSEN: str(number)})
        if not passed:
            return f"{test.name}:hangs" if output.endswith(":hangs") else test.name
    return None
