"""Copies of the working tree, in which mutants are put, and commands that run there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from mutating.places import ROOT

WORK = ROOT / "target" / "mutants"


def copy_tree(tree: Path, texts: dict[str, str]) -> None:
    """Brings a copy up to date, with other texts for some files.

    Files that did not change keep their times, so builds go on.
    """
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True).stdout
    wanted = {name.decode() for name in names.split(b"\0") if name}
    wanted = {name for name in wanted if (ROOT / name).is_file()}
    wanted |= {str(path.relative_to(ROOT)) for path in ROOT.glob("python/wordline/_native*.so")}
    for path in tree.rglob("*"):
        if path.is_file() and str(path.relative_to(tree)) not in wanted:
            path.unlink()
    for name in wanted:
        source, target = ROOT / name, tree / name
        content = texts[name].encode() if name in texts else source.read_bytes()
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != content:
            target.write_bytes(content)
            shutil.copymode(source, target)


def environment(tree: Path, build: Path) -> dict[str, str]:
    """Tests see the copy, whatever is installed."""
    python = ROOT / ".venv" / "bin"
    return {
        **os.environ,
        "CARGO_TARGET_DIR": str(build),
        "PYTHONPATH": str(tree / "python"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": f"{python}{os.pathsep}{os.environ['PATH']}",
        "RUST_BACKTRACE": "0",
    }
