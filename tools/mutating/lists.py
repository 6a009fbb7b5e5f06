"""The lists of mutants: tests/mutants/AREA.toml.

    tests = ["commands that can reach them"]

    ["Type::function"]  # a place, as mutating/places.py names it
    "the rule that is then broken" = ['a snippet that stands there once', 'what replaces it']

A snippet is compared by its words and signs, however the code breaks its lines. A place may have
`tests` of its own.
"""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mutating.places import ROOT, find

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

LISTS = ROOT / "tests" / "mutants"


class WrongError(Exception):
    """The list or a command is wrong, not the code."""


@dataclass(frozen=True)
class Mutant:
    """A bug to put in."""

    area: str
    number: int
    place: str
    file: str
    # Where the text lies that is replaced.
    begin: int
    end: int
    replace: str
    rule: str
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return f"{self.area} {self.number} {self.place}"

    @property
    def key(self) -> str:
        """What tells it from all others, whatever its place in the list."""
        return "\0".join([self.place, self.rule])

    def put_into(self, text: str, at: int = 0) -> str:
        """The text with the bug in it: that of its file from `at` on."""
        return text[: self.begin - at] + self.replace + text[self.end - at :]


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: the first test that failed on it, if any did."""

    mutant: Mutant
    killer: str | None
    seconds: float
    # Tests that reach it, or commands where that is not known.
    reached_by: tuple[str, ...]


def read_list(path: Path) -> list[Mutant]:
    """The mutants of an area; raises WrongError where one cannot be put in."""
    where = path.relative_to(ROOT)
    table = tomllib.loads(path.read_text("utf-8"))
    common = table.pop("tests", ())
    mutants, wrong = [], []
    for place, bugs in table.items():
        tests = tuple(bugs.pop("tests", common))
        if not tests:
            raise WrongError(f"{where}: no command can reach {place}")
        for rule, change in bugs.items():
            try:
                snippet, replace = change
                found = find(place, snippet)
            except (LookupError, ValueError) as error:
                wrong.append(f"{where}: [{place}] {rule}: {error}")
                continue
            mutants.append(Mutant(path.stem, len(mutants) + 1, place, *found, replace, rule, tests))
    if wrong:
        raise WrongError("\n".join(wrong))
    return mutants


def read_all() -> list[Mutant]:
    """The mutants of all areas."""
    return [mutant for path in sorted(LISTS.glob("*.toml")) for mutant in read_list(path)]


def areas() -> list[str]:
    """The areas that have a list."""
    return sorted(path.stem for path in LISTS.glob("*.toml"))


def drawn(mutants: list[Mutant], share: int) -> list[Mutant]:
    """One in `share` of them, which ones is up to the commit."""
    asked = ["git", "rev-parse", "HEAD"]
    seed = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    order = sorted(mutants, key=lambda m: hashlib.sha256((seed + m.key).encode()).digest())
    return order[: max(1, len(mutants) // share)]
