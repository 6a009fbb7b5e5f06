"""The comparison with another simulator, where there is none."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def compare(mqsim: str | None) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "MQSIM"}
    if mqsim is not None:
        environment["MQSIM"] = mqsim
    command = [sys.executable, "bench-compare"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_without_the_other_simulator_it_is_skipped_and_says_how_to_get_it():
    finished = compare(None)
    assert finished.returncode == 0
    assert finished.stdout.startswith("skipped: ")
    assert "set MQSIM" in finished.stdout


def test_a_path_without_a_program_is_an_error_that_names_it():
    finished = compare("/no/such/program")
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr == "error: MQSIM=/no/such/program: no such program\n"
