"""What the generators of Python code share: writing, checking, formatting, docstrings."""

import argparse
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

WIDTH = 96


def carry_out(description: str, folder: Path, files: Mapping[str, str]) -> int:
    """Writes the files that differ; with `--check` it only tells which and how to write them."""
    return settle(folder, files, is_check(description))


def is_check(description: str | None) -> bool:
    """Whether the command line has `--check`."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=raw)
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    return parser.parse_args().check


def settle(folder: Path, files: Mapping[str, str], check: bool) -> int:
    """Writes the files that differ, or only tells which; 1 if any was to be checked and differs."""
    stale = []
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path)
            if not check:
                path.write_text(text, encoding="utf-8")
    for path in stale:
        tool = f"tools/{Path(sys.argv[0]).name}"
        print(f"{path.name} {f'is stale: run {tool}' if check else 'written'}")
    return 1 if check and stale else 0


def formatted(text: str) -> str:
    """The text as Ruff formats it, its imports in order."""
    for command in (("format",), ("check", "--quiet", "--fix", "--select", "I")):
        ruff = [sys.executable, "-m", "ruff", *command, "--line-length", "100", "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def docstring(text: str) -> str:
    """A docstring whose first paragraph is folded to the width."""
    first, *rest = text.replace("\\", "\\\\").split("\n\n", 1)
    folded = "\n".join(textwrap.wrap(first, WIDTH - 8))
    text = "\n\n".join([folded, *rest])
    text += "\n" if "\n" in text and not text.endswith("\n") else ""
    return textwrap.indent(f'"""{text}"""', "    ")


def entry(name: str, told: str) -> str:
    """A line of a docstring's list, folded to the width."""
    lines = textwrap.wrap(f"{name}: {told}", WIDTH - 8, subsequent_indent="    ")
    return textwrap.indent("\n".join(lines), "    ")


def sentence(text: str) -> str:
    """The text with a capital at its beginning and a full stop."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else f"{text}."
