"""Mutants of Rust functions, all compiled in one build and chosen while the tests run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from mutating.binaries import Test, build_all, failing, measure_all
from mutating.lists import Mutant, Verdict
from mutating.places import ROOT
from mutating.tree import WORK, copy_tree
from mutating.weaving import weave

TREE = WORK / "woven"


def woven(mutants: list[Mutant]) -> tuple[dict[str, str], dict[int, Mutant]]:
    """The files with all mutants that one build can hold, and those mutants by number."""
    by_file: dict[str, dict[int, Mutant]] = {}
    for number, mutant in enumerate(mutants, 1):
        if mutant.file.endswith(".rs"):
            by_file.setdefault(mutant.file, {})[number] = mutant
    texts: dict[str, str] = {}
    held: dict[int, Mutant] = {}
    for file, of_file in by_file.items():
        texts[file], numbers = weave((ROOT / file).read_text("utf-8"), of_file)
        held |= {number: of_file[number] for number in numbers}
    return texts, held


def try_out(mutant: Mutant, number: int, tests: list[Test]) -> Verdict:
    """Runs the tests that reach a mutant, quick ones first."""
    started = time.monotonic()
    reaching = sorted((t for t in tests if number in t.reaches), key=lambda test: test.seconds)
    killer = failing(reaching, number)
    names = tuple(test.name for test in reaching)
    return Verdict(mutant, killer, time.monotonic() - started, names)


def verdicts(texts: dict[str, str], held: dict[int, Mutant], jobs: int) -> Iterator[Verdict]:
    """What becomes of each mutant, in the order of the lists."""
    if not held:
        return
    copy_tree(TREE, texts)
    words = {word for mutant in held.values() for told in mutant.tests for word in told.split()}
    packages = {word for word in words if word.startswith("wordline-")}
    tests = measure_all(build_all(packages, TREE, WORK / "build-woven"), jobs)
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda item: try_out(item[1], item[0], tests), sorted(held.items()))
        yield from found
