"""Inputs that once hung, passed in silence or broke, in one table.

Whatever is asked, there is no traceback and no panic, the exit status is 0, 1, 2 or 130, and
nothing half written is left.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import HANGS_S
from wordline.cli.app import app

MSR = "".join(f"{10_000 * n},host,0,Write,{n * 4096},4096,0\n" for n in range(100))


def shell(text: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a line of a shell, in which `wordline` is the command."""
    program = f'wordline() {{ "{sys.executable}" -m wordline "$@"; }}; {text}'
    return subprocess.run(
        ["bash", "-c", program], cwd=folder, capture_output=True, text=True, timeout=HANGS_S,
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of files that stand in the way."""
    os.mkfifo(tmp_path / "pipe.csv")
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "tiny").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "uniform").mkdir()
    (tmp_path / "trace.csv").write_text(MSR)
    (tmp_path / "sweep.toml").write_text('base = "tiny"\n')
    (tmp_path / "bad.csv").write_text("what is this\n" + MSR)
    (tmp_path / "phases.toml").write_text("[[phase]]\nrequests = 'x'\n")
    (tmp_path / "small.toml").write_text('preset = "tiny"\n[drive]\nover_provisioning = 0.001\n')
    return tmp_path


BCH = "wordline code bch --t 4 --data-bytes 64 --failure-rate --trials 10"
TINY = "wordline run tiny --workload"
# A line of a shell, its exit status, and what is told.
LINES: list[tuple[str, int, Sequence[str]]] = [
    # Pipes, folders and names
    (f"{TINY} pipe.csv", 2, ["a pipe or a device", "where: pipe.csv"]),
    ("wordline trace info pipe.csv", 2, ["a pipe or a device"]),
    (f"{TINY} pipe.toml", 2, ["a pipe or a device", "where: pipe.toml"]),
    ("wordline run pipe.toml", 2, ["a pipe or a device", "where: pipe.toml"]),
    ("wordline sweep pipe.toml", 2, ["a pipe or a device", "where: pipe.toml"]),
    ("wordline sweep sweep.toml --store pipe.csv", 2, ["is a file", "where: pipe.csv"]),
    ("wordline lab vth --chip pipe.toml", 2, ["a pipe or a device", "where: pipe.toml"]),
    ("wordline lab campaign lazyrs-tlc --store pipe.csv", 2, ["a pipe", "where: pipe.csv"]),
    (f"{BCH} --tallies pipe.csv", 2, ["a pipe or a device", "where: pipe.csv"]),
    ("wordline report loop", 2, ["Too many levels", "where: loop"]),
    (f"{TINY} loop.csv", 2, ["Too many levels", "where: loop.csv"]),
    (
        "wordline run tiny --set drive.chip.blocks_per_plane=99999999999",
        2,
        ["override `drive.chip."],
    ),
    ("wordline report pipe.csv", 2, ["holds no result", "where: pipe.csv"]),
    ("wordline run tiny --workload uniform:writes=100", 0, []),
    ("wordline trace info uniform --json", 0, []),
    ("wordline run $'caf\\xe9.toml'", 2, ["'caf\\xe9.toml' is not UTF-8 text"]),
    ("wordline trace info $'caf\\xe9.csv'", 2, ["is not UTF-8 text", "rename the file"]),
    # Accepted in silence
    (f"{TINY} a --workload b", 2, ["`--workload` is given twice", "compare` takes several"]),
    ("wordline trace synth uniform x.wlt --seed 1 --seed 2", 2, ["`--seed` is given twice"]),
    (f"{TINY} uniform:writes=100,", 2, ["a comma with nothing behind it"]),
    (f"{TINY} uniform:", 2, ["nothing follows the colon"]),
    (f"{TINY} trace.csv --format csv:time=1:s,", 2, ["a comma with nothing behind it"]),
    ("wordline run tiny --set drive.over_provisioning=7", 2, ["from 0 to 2", 'is "7%"']),
    # Numbers
    ("wordline trace info uniform --sample nan", 2, ["`nan` is no number", "where: `--sample`"]),
    ("wordline trace synth uniform x.wlt --seed 99999999999999999999", 2, ["where: `--seed`"]),
    ("wordline trace synth uniform x.wlt --seed -1", 2, ["where: `--seed`"]),
    ("wordline trace convert trace.csv x.wlt --from inf", 2, ["`inf` is no number"]),
    ("wordline trace info uniform --memory-mib x", 2, ["where: `--memory-mib`"]),
    # Messages
    (f"{TINY} uniform:writes", 2, ["`writes` is not key=value", "write it as `writes=…`"]),
    (f"{TINY} bad.csv", 2, ["line 2 is of format msr", "where: bad.csv:1"]),
    (f"{TINY} phases.toml", 2, ["where: phases.toml:2"]),
    ("wordline describe ftl.gc.polcy", 2, ["did you mean `ftl.gc.policy`"]),
    ("wordline describe over_provisoning", 2, ["`over_provisioning`"]),
    ("wordline describe technique.ressd", 0, []),
    ("wordline run nvme", 2, ["`nvme-qlc-2t` or `nvme-tlc-1t`? `wordline list presets` shows"]),
    ("wordline run", 2, ["`CONFIG` is missing", "where: wordline run"]),
    ("wordline run tiny x", 2, ["`x` is more than the verb takes", "where: wordline run"]),
    ("wordline run tiny --set", 2, ["`--set` takes a value", "where: wordline run"]),
    ("wordline run tiny --json=3", 2, ["`--json` takes no value", "where: wordline run"]),
    ("wordline compare tiny --workers x", 2, ["it takes a whole number", "where: `--workers`"]),
    ("wordline trace info uniform --sample x", 2, ["it takes a number", "where: `--sample`"]),
    ("wordline code bch --t 0", 2, ["it must be at least 1", "where: `--t`"]),
    ("wordline run tiny --bogus", 2, ["no option `--bogus`", "help: `wordline run --help`"]),
    ("wordline run tiny --wrokload x", 2, ["did you mean `--workload`?"]),
    (
        "wordline lab vht",
        2,
        ["there is no verb `vht`", "did you mean `vth`?", "where: wordline lab"],
    ),
    ("wordline run tiny --progres json", 2, ["no option `--progres`", "`--progress`"]),
    ("wordline rnu tiny", 2, ["there is no verb `rnu`", "did you mean `run`?"]),
    ("wordline run small.toml", 2, ["GC could not make progress", "where: small.toml:3"]),
    ("wordline run tiny --set drive.over_provisioning=0", 2, ["where: override `drive.over_p"]),
    # Outputs
    ("wordline list >&-", 1, ["standard output is closed"]),
    ("wordline list nothing 2>&-", 2, []),
    ("wordline list > /dev/full", 1, ["standard output cannot be written: No space left"]),
    ("set -o pipefail; wordline list --json | head -1", 0, []),
    ("set -o pipefail; wordline list | head -1", 0, []),
    ("PYTHONIOENCODING=ascii wordline describe ftl.gc", 0, []),
    ("PYTHONIOENCODING=ascii wordline list --json | python3 -m json.tool", 0, []),
    ("ulimit -f 1; wordline trace synth uniform x.wlt", 1, ["cannot be written", "free some"]),
    ("ulimit -f 1; wordline trace info uniform --html x.html", 1, ["cannot be written"]),
    ("wordline trace info uniform --html /dev/null", 2, ["is a pipe or a device"]),
]


@pytest.mark.parametrize(("line", "status", "told"), LINES, ids=[line for line, *_ in LINES])
def test_lines(folder: Path, line: str, status: int, told: Sequence[str]) -> None:
    before = sorted(folder.iterdir())
    done = shell(f"trap '' XFSZ; {line}", folder)
    assert done.returncode == status, done.stderr
    assert [part for part in told if part not in done.stderr] == [], done.stderr
    assert "Traceback" not in done.stderr and "panicked" not in done.stderr
    assert "os error" not in done.stderr and "Errno" not in done.stderr
    assert "[type=" not in done.stderr and "Usage:" not in done.stderr
    assert sorted(folder.iterdir()) == before


def test_the_help_of_a_misspelt_key_is_short(tmp_path: Path) -> None:
    told = shell("wordline describe ftl.gc.polcy", tmp_path).stderr
    assert len(told) < 300


def test_every_technique_is_listed_with_what_it_does(tmp_path: Path) -> None:
    (line,) = [
        line
        for line in shell("wordline list techniques", tmp_path).stdout.splitlines()
        if line.startswith("ressd")
    ]
    assert "reprogram" in line


LONG = "uniform:requests=3e8,span_mib=1"  # half a minute, where nothing stops it
LOST = ("code", "bch", "--t", "4", "--data-bytes", "64", "--failure-rate", "--trials", "1000000000")
# What is asked, a file that is there once something is kept, and what is told.
STOPPED: list[tuple[Sequence[str], str, str]] = [
    (("trace", "synth", LONG, "x.wlt"), "", "nothing was written"),
    (("trace", "fit", LONG, "--out", "x.toml"), "", "nothing was written"),
    ((*LOST, "--rber", "1e-5", "--tallies", "kept.json"), "", "nothing was written"),
    (
        (*LOST, "--rber", "0.05", "--rber", "1e-5", "--failures", "1", "--tallies", "kept.json"),
        "kept.json",
        "the same command goes on from the counts kept in kept.json",
    ),
    (
        (
            "lab",
            "campaign",
            "lazyrs-tlc",
            "--chips",
            "1000000",
            "--pages",
            "1000000000",
            "--store",
            "kept.json",
        ),
        "kept.json",
        "the same command goes on from the chips kept in kept.json",
    ),
]


@pytest.mark.parametrize(("args", "kept", "told"), STOPPED)
def test_ctrl_c_stops_at_once_and_says_what_is_kept(
    args: Sequence[str], kept: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def interrupt() -> None:
        until = time.monotonic() + HANGS_S
        time.sleep(0 if kept else 0.5)
        while kept and not Path(kept).exists() and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    ctrl_c = threading.Thread(target=interrupt)
    # A shell starts what runs in its background with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        ctrl_c.start()
        done = CliRunner().invoke(app, args, prog_name="wordline")
        ctrl_c.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert (done.exit_code, done.stderr) == (130, f"stopped: {told}\n")
    assert [path.name for path in tmp_path.iterdir()] == ([kept] if kept else [])
