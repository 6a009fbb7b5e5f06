"""Every block of code in the documents is run, read, or says why it is not.

Commands run in the document's order, in one folder, which holds stand-ins for the reader's own
files (`my-…`). A block without a language is what the command ahead of it printed, or records of
the format that the page describes. `<!-- not run: REASON -->` above a block leaves it out.
"""

import csv
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import wordline as wl
from conftest import HANGS_S, Cli
from wordline.figures import metrics
from wordline.search import spec as searches
from wordline.sweeps import points, spec

ROOT = Path(__file__).parent.parent
WIDTH = 100  # of the terminal whose output the documents show
GENERATED = ROOT / "docs" / "reference"  # when the manual is built

DOCUMENTS = sorted(
    str(path.relative_to(ROOT))
    for folder in (".", "docs", "experiments", "presets")
    for path in (ROOT / folder).glob("*.md" if folder == "." else "**/*.md")
    if GENERATED not in path.parents
)

_BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^>]+) -->\n+)?"
    r"^(?P<fence>`{3,})(?P<language>[^\n]*)\n(?P<text>.*?)^(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
_FORMAT_PAGES = "docs/formats/"


@dataclass(frozen=True)
class Block:
    """A block of code, and where it stands."""

    place: str
    language: str
    text: str
    reason: str

    @property
    def directive(self) -> str:
        """What Sphinx is told to do, if it is no code; `literalinclude` shows a file's."""
        return self.language.partition("}")[0].removeprefix("{") if "{" in self.language else ""

    @property
    def commands(self) -> list[str]:
        """Its commands, continued lines joined, without comments."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [line for line in lines if line.strip() and not line.startswith("#")]


def blocks(document: str) -> list[Block]:
    text = (ROOT / document).read_text()

    def block(found: re.Match[str]) -> Block:
        line = text[: found.start("fence")].count("\n") + 1
        return Block(f"{document}:{line}", found["language"], found["text"], found["reason"] or "")

    return [block(found) for found in _BLOCK.finditer(text)]


def run_blocks(document: str) -> Iterator[Block]:
    """Blocks that are neither left out nor directives."""
    return (block for block in blocks(document) if not block.reason and not block.directive)


def with_blocks(*languages: str) -> list[str]:
    return [d for d in DOCUMENTS if any(b.language in languages for b in run_blocks(d))]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_is_run_or_says_why_not(document: str) -> None:
    text = (ROOT / document).read_text()
    fences = len(re.findall(r"^`{3,}", text, re.MULTILINE))
    assert fences == 2 * len(blocks(document)), "a fence that is not closed, or indented"
    before = None
    for block in blocks(document):
        known = block.directive or block.reason or block.language in ("sh", "python", "toml")
        is_output = block.language == "" and before and before.language == "sh"
        is_record = block.language == "" and document.startswith(_FORMAT_PAGES)
        assert known or is_output or is_record, f"{block.place}: no test runs this block"
        if block.directive == "literalinclude":
            path = block.language.partition("}")[2].strip()
            assert "crates" in path, f"{block.place}: only code that is compiled is included"
        before = block


# Setting up a whole terabyte takes this build half a minute.
FEWER_BLOCKS = [
    "--set", "drive.chip.blocks_per_plane=96", "--set", "technique.slc_cache.static_mib=1024",
]  # fmt: skip


def stand_ins(folder: Path, document: str) -> None:
    """Files of the reader's own: traces, and what the document itself writes as TOML."""
    records = "".join(
        f"{10_000_000 * n},my,{n % 2},{'Read' if n % 3 else 'Write'},{n * 4096},4096,0\n"
        for n in range(2000)
    )
    msr = folder / "my.csv"
    msr.write_text(records)
    # Long enough for an hour to be cut out of it.
    slow = ["--time-scale", "5000"]
    for name in ("my-trace.csv.gz", "my-trace.csv.zst", "my-disks.csv"):
        call(folder, "trace", "convert", "my.csv", name, *slow)
    call(folder, "trace", "convert", "my.csv", "my-other.wlt")
    (folder / "my-drive.toml").write_text('preset = "tiny"\n')
    for block in run_blocks(document):
        if block.language == "toml":
            (folder / _name_of(block)).write_text(block.text)
    (folder / "my-trace.csv").write_text(
        "".join(f"{1000 * n},{'RW'[n % 2]},{512 * n},8,{n % 3}\n" for n in range(1, 100))
    )
    one = (5).to_bytes(4, "little") + (7).to_bytes(8, "little") + (512).to_bytes(4, "little")
    (folder / "my-trace.oracleGeneral.zst").write_bytes((one + b"\xff" * 8) * 10)


def _name_of(block: Block) -> str:
    """What the document calls a file of its own, by what is in it."""
    if "phase" in block.text:
        return "my-phases.toml"
    if "[optimise]" in block.text:
        return "my-search.toml"
    return "my-sweep.toml" if block.text.startswith("base = ") else "my-drive.toml"


def call(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """`wordline ARGS…` in `folder`, as in a terminal that is wide enough."""
    return subprocess.run(
        [sys.executable, "-m", "wordline", *args],
        cwd=folder, capture_output=True, text=True, timeout=HANGS_S,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": str(WIDTH)},
    )  # fmt: skip


@pytest.mark.parametrize("document", with_blocks("sh"))
def test_commands_work_and_print_what_is_shown(document: str, tmp_path: Path) -> None:
    stand_ins(tmp_path, document)
    printed = ""
    for block in run_blocks(document):
        if block.language == "sh":
            printed = "".join(run(tmp_path, block, command) for command in block.commands)
        elif block.language == "" and not document.startswith(_FORMAT_PAGES):
            assert_shown(block, printed)


def run(folder: Path, block: Block, command: str) -> str:
    """Standard output and error of a command that works, or that the next block shows to fail."""
    name, *args = shlex.split(command, comments=True)
    assert name == "wordline", f"{block.place}: only `wordline` is run here: {command}"
    if args[:2] == ["run", "nvme-tlc-1t"] and "--set" not in args:
        args += FEWER_BLOCKS
    done = call(folder, *args)
    fails = "# fails" in command
    assert (done.returncode != 0) == fails, f"{block.place}: {command}\n{done.stderr}"
    return done.stdout + done.stderr


def assert_shown(block: Block, printed: str) -> None:
    """Each line of the block was printed, up to `…` where it has that; a block that is cut has one.

    Columns are as wide as the simulator's speed has digits, so that blanks do not count.
    """
    lines = [" ".join(line.split()) for line in printed.splitlines() if line.strip()]
    is_whole = len(block.text.split("\n")) > len(lines)
    assert is_whole or "…" in block.text, f"{block.place}: cut, and no `…` says so:\n{printed}"
    for line in block.text.rstrip().splitlines():
        shown = " ".join(line.split())
        begin, cut, _ = shown.partition("…")
        is_there = any(line.startswith(begin) if cut else line == shown for line in lines)
        assert is_there, f"{block.place}: not printed: {shown}\nbut:\n{printed}"


@pytest.mark.parametrize("document", with_blocks("python"))
def test_programs_run(document: str, tmp_path: Path) -> None:
    """The document's Python is read from top to bottom."""
    program = "\n".join(b.text for b in run_blocks(document) if b.language == "python")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("document", with_blocks("toml"))
def test_configurations_and_workloads_are_read(document: str, tmp_path: Path) -> None:
    for block in run_blocks(document):
        if block.language != "toml":
            continue
        path = tmp_path / "my.toml"
        path.write_text(block.text)
        if _name_of(block) == "my-sweep.toml":
            assert points.expand(spec.read(path))
        elif _name_of(block) == "my-search.toml":
            assert searches.read(path).aims
        elif _name_of(block) == "my-phases.toml":
            assert wl.trace_info(path).total.requests.total > 0
        else:
            # Filling a drive takes long, and decides nothing.
            empty = wl.run(path, "uniform:requests=10", precondition={"fill": 0.0})
            assert empty.workload.requests == 10


@pytest.mark.parametrize("document", [d for d in with_blocks("") if d.startswith(_FORMAT_PAGES)])
def test_records_of_the_pages_on_formats_are_read(document: str, tmp_path: Path) -> None:
    name = Path(document).stem
    for block in (b for b in run_blocks(document) if b.language == ""):
        (tmp_path / "trace").write_text(block.text)
        done = call(tmp_path, "trace", "info", "trace", "--format", name, "--json")
        assert done.returncode == 0, f"{block.place}: {done.stderr}"
        assert json.loads(done.stdout)["total"]["requests"]["total"] > 0, block.place


def test_the_validation_page_shows_what_the_checks_give(cli: Cli) -> None:
    done = cli("validate", "timing", "--quick", "--json")
    shown = (ROOT / "docs" / "validation" / "timing.csv").read_text(encoding="utf-8")
    rows = {row["check"]: row for row in csv.DictReader(shown.splitlines())}
    items = json.loads(done.stdout)["items"]
    assert items
    for item in items:
        row = rows[item["id"].removeprefix("timing/")]
        assert row["ours"].split(" ")[0] == metrics.figure(item["ours"]), item["id"]
