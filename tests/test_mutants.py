"""The lists of bugs that the tests must notice fit the code as it stands."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_bug_of_the_lists_can_be_put_in() -> None:
    told = subprocess.run(
        [sys.executable, ROOT / "tools" / "mutants", "--list"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert len(told.stdout.splitlines()) > 300
