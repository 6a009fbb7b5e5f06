"""The lists of mutants: tests/mutants/AREA.toml."""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent.parent
LISTS = ROOT / "tests" / "mutants"


class WrongError(Exception):
    """The list or a command is wrong, not the code."""


@dataclass(frozen=True)
class Mutant:
    """A bug to put in."""

    area: str
    number: int
    file: str
    find: str
    replace: str
    rule: str
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return f"{self.area} {self.number} {self.file}"

    @property
    def key(self) -> str:
        """What tells it from all others, whatever its place in the list."""
        return "\0".join([self.file, self.find, self.replace])


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
    table = tomllib.loads(path.read_text("utf-8"))
    common = tuple(table.get("tests", ()))
    mutants = []
    for number, entry in enumerate(table["mutant"], 1):
        mutant = Mutant(
            path.stem,
            number,
            entry["file"],
            entry["find"],
            entry["replace"],
            entry["rule"],
            tuple(entry.get("tests", common)),
        )
        where = f"{path.relative_to(ROOT)}: mutant {number}"
        file = ROOT / mutant.file
        if not file.is_file():
            raise WrongError(f"{where}: there is no file {mutant.file}")
        found = file.read_text("utf-8").count(mutant.find)
        if found != 1:
            raise WrongError(f"{where}: {mutant.find!r} occurs {found} times in {mutant.file}")
        if not mutant.tests:
            raise WrongError(f"{where}: no command can reach it")
        mutants.append(mutant)
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
