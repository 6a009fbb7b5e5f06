"""What the documents tell readers to type works."""

import re
import shlex
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


# The demo is run by `make demo`; a trace or a drive of the reader's own is not here.
RUNNABLE = {
    document: [c for c in commands(document) if "demo" not in c and "my-" not in c]
    for document in ("README.md", "docs/command-line.md")
}


@pytest.mark.parametrize("document", RUNNABLE)
def test_documents_show_commands(document: str) -> None:
    assert RUNNABLE[document]


@pytest.mark.parametrize("command", [c for found in RUNNABLE.values() for c in found])
def test_commands_of_the_documents_work(cli: Cli, command: str) -> None:
    done = cli(*shlex.split(command, comments=True)[1:])
    assert done.returncode == 0, done.stderr
