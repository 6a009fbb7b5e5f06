"""The scripts in examples/ run, and are listed."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_example_runs_and_is_listed(script: str, tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert f"`{script}`" in (EXAMPLES / "README.md").read_text()
