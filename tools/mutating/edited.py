"""Mutants put into a copy of the tree one at a time, each built anew."""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from collections.abc import Iterator

from mutating.lists import Mutant, Verdict, WrongError
from mutating.tree import WORK, copy_tree, environment

TREE = WORK / "tree"
LIMIT_S = 600

# A test that failed, as cargo, libtest and pytest tell of it.
FAILED = re.compile(
    r"^(?:test (?P<a>\S+) \.\.\. FAILED|---- (?P<b>\S+) stdout|(?P<c>\S+) --- FAILED"
    r"|FAILED (?P<d>\S+))",
    re.MULTILINE,
)


def run(command: str) -> tuple[bool, str]:
    """Whether a command succeeds within the limit, and what it prints."""
    try:
        done = subprocess.run(
            shlex.split(command),
            cwd=TREE,
            env=environment(TREE, WORK / "build"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=LIMIT_S,
        )
    except subprocess.TimeoutExpired:
        return False, f"FAILED {command}:hangs"
    except FileNotFoundError as error:
        raise WrongError(f"{command}: {error}") from error
    return done.returncode == 0, done.stdout


def killer(output: str) -> str:
    """The first test that failed."""
    found = FAILED.search(output)
    return next((name for name in found.groups() if name), "?") if found else "?"


def try_out(mutant: Mutant) -> Verdict:
    """Puts the mutant in and runs what can reach it."""
    file = TREE / mutant.file
    text = file.read_text("utf-8")
    started = time.monotonic()
    file.write_text(mutant.put_into(text), "utf-8")
    try:
        for command in mutant.tests:
            passed, output = run(command)
            if not passed:
                if "error: could not compile" in output or "SyntaxError" in output:
                    raise WrongError(f"{mutant.name} does not compile:\n{output[-3000:]}")
                return Verdict(mutant, killer(output), time.monotonic() - started, mutant.tests)
        return Verdict(mutant, None, time.monotonic() - started, mutant.tests)
    finally:
        file.write_text(text, "utf-8")


def check_commands(mutants: list[Mutant]) -> None:
    """Every command must pass on the code as it is."""
    for command in sorted({command for mutant in mutants for command in mutant.tests}):
        passed, output = run(command)
        if not passed:
            raise WrongError(f"fails without a mutant: {command}\n{output[-3000:]}")


def verdicts(mutants: list[Mutant]) -> Iterator[Verdict]:
    """What becomes of each mutant."""
    if mutants:
        copy_tree(TREE, {})
        check_commands(mutants)
    for mutant in mutants:
        yield try_out(mutant)
