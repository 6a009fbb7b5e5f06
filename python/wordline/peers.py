"""MQSim as a peer: the checkout's `bench-compare`, run on the user's own copy of MQSim."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from wordline.errors import ConfigError, RunError

VARIABLE = "MQSIM"
"""The environment variable that holds the path of MQSim's program."""

_FOLDER = Path(__file__).resolve().parents[2] / "bench-compare"
_BAD_INPUT = 2
_HELP = "set it to the path of MQSim's program"


def against_mqsim(quick: bool) -> list[dict[str, Any]]:
    """The comparison with MQSim as checks; one check, skipped, where there is no MQSim.

    Raises:
        ConfigError: `MQSIM` names no program.
        RunError: The comparison failed.
    """
    program = os.environ.get(VARIABLE)
    if not program:
        return [_skipped(f"{VARIABLE} is not set; {_HELP}")]
    if not shutil.which(program):
        raise ConfigError(f"no such program: {program}", VARIABLE, _HELP)
    if not _FOLDER.is_dir():
        return [_skipped("bench-compare is not here; it comes with Wordline's source")]
    with tempfile.TemporaryDirectory(prefix="wordline-peers-") as folder:
        found = Path(folder) / "comparison.json"
        command = [sys.executable, str(_FOLDER), "--json", str(found)]
        command += ["--quick", "--repeats", "1"] if quick else []
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise _failure(done)
        return json.loads(found.read_text(encoding="utf-8"))["items"]


def _skipped(why: str) -> dict[str, Any]:
    nothing = dict.fromkeys(("reference", "ours", "deviation", "tolerance"))
    texts = {"id": "peers/mqsim", "source": "MQSim", "workload": "", "unit": ""}
    return {**texts, **nothing, "status": "skipped", "note": why}


def _failure(done: subprocess.CompletedProcess[str]) -> ConfigError | RunError:
    lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
    what = lines[-1].removeprefix("error: ")
    if done.returncode == _BAD_INPUT:
        return ConfigError(what, VARIABLE, _HELP)
    return RunError(f"bench-compare failed: {what}", VARIABLE)
