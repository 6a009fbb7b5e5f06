"""What the documents tell readers to type works."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli

ROOT = Path(__file__).parent.parent


def commands(document: str) -> list[str]:
    """The lines of code blocks that call `wordline`, continued lines joined."""
    path = ROOT / document
    text = path.read_text().replace("\\\n", " ") if path.exists() else ""
    blocks = re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = (line.removeprefix("$ ") for block in blocks for line in block.splitlines())
    return [line for line in lines if line.startswith("wordline ")]


DOCUMENTS = ["README.md", *(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md"))]

# The demo and the whole validation have make targets of their own; a trace or a drive of the
# reader's own is not here.
ELSEWHERE = ("demo", "my-", "wordline validate", "VERB", "DIR", "CONFIG")


def runnable(document: str) -> list[str]:
    return [c for c in commands(document) if not any(part in c for part in ELSEWHERE)]


def programs(document: str) -> str:
    """The document's Python, which is read from top to bottom."""
    text = (ROOT / document).read_text()
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))


def test_the_first_documents_show_commands() -> None:
    assert all(runnable(d) for d in ("README.md", "docs/start.md", "docs/command-line.md"))


@pytest.mark.parametrize("command", [c for d in sorted(DOCUMENTS) for c in runnable(d)])
def test_commands_of_the_documents_work(cli: Cli, command: str) -> None:
    done = cli(*shlex.split(command, comments=True)[1:])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("document", [d for d in sorted(DOCUMENTS) if programs(d)])
def test_programs_of_the_documents_run(document: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", programs(document)],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
