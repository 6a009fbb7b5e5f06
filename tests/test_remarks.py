"""What reading a trace had to mend, skip or guess reaches whoever uses the trace."""

import json
from pathlib import Path

import pytest
import wordline as wl
from click.testing import CliRunner
from wordline import traces
from wordline.cli.app import app

TICK = 10_000_000  # of 100 ns in a second
REQUESTS = 400

ORDER = "were out of order in time"
SKIPPED = "cannot be replayed and were left out"
GUESSED = "times were taken to be in"
REPEATED = "in the same order"


def disordered() -> str:
    """Four volumes one after the other, each from the beginning on."""
    lines = (
        f"{n * TICK // 1000 + disk},host,{disk},Write,{(n * 37 % 128) * 4096},4096,0\n"
        for disk in range(4)
        for n in range(1, REQUESTS // 4 + 1)
    )
    return "".join(lines)


def with_unmaps() -> str:
    """SCSI commands of which some name no range."""
    commands = ("2a", "28", "42")
    lines = (f"1,{n},{commands[n % 3]},4096,{(n * 37 % 128) * 8}\n" for n in range(1, REQUESTS))
    return "".join(lines)


def without_unit() -> str:
    """DiskSim's columns, with times in whole numbers."""
    return "".join(f"{n * 1_000_000} 0 {n * 37 % 128 * 8} 8 0\n" for n in range(1, REQUESTS))


def in_loops() -> str:
    """fio's `--loops`, which draws the same addresses in each."""
    loop = [f"/dev/sda write {n * n * 37 % 509 * 4096} 4096\n" for n in range(REQUESTS // 4)]
    return "".join(["fio version 2 iolog\n/dev/sda add\n", *loop, *loop, *loop])


MENDED = {
    "order.csv": (disordered, ORDER),
    "unmaps.txt": (with_unmaps, SKIPPED),
    "unit.txt": (without_unit, GUESSED),
    "loops.iolog": (in_loops, REPEATED),
}

FACES = {
    "run": ["run", "tiny", "--workload", "FILE"],
    "run as JSON": ["run", "tiny", "--workload", "FILE", "--json"],
    "run twice over": ["run", "tiny", "--workload", "FILE", "--set", "workload.repeat=2"],
    "run of an array": [
        *("run", "tiny", "--workload", "FILE"),
        *("--set", "array.level=raid0", "--set", "array.drives=2"),
    ],
    "run in counts": ["run", "tiny", "--workload", "FILE", "--set", "run.mode=count"],
    "run of two": ["run", "tiny", "--workload", "FILE", "--set", 'workload.interleave=["FILE"]'],
    "run of volumes together": [
        *("run", "tiny", "--workload", "FILE", "--set", "workload.layout=together"),
    ],
    "compare": [
        *("compare", "tiny", "--technique", "conventional", "--variant"),
        *("fifo:ftl.gc.policy=fifo", "--workload", "FILE", "--out", "compared"),
    ],
    "trace info": ["trace", "info", "FILE"],
    "trace convert": ["trace", "convert", "FILE", "new.wlt"],
    "trace fit": ["trace", "fit", "FILE", "--out", "model.toml"],
}


def call(*args: str) -> tuple[str, str]:
    """What a verb prints, and its warnings."""
    done = CliRunner().invoke(app, args, prog_name="wordline")
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


@pytest.fixture(params=MENDED)
def mended(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    """A file that takes mending, and what must be said of it."""
    monkeypatch.chdir(tmp_path)
    text, told = MENDED[request.param]
    Path(request.param).write_text(text())
    return request.param, told


@pytest.mark.parametrize("face", FACES)
def test_every_face_tells(mended: tuple[str, str], face: str) -> None:
    name, told = mended
    _, warnings = call(*(arg.replace("FILE", name) for arg in FACES[face]))
    # A run that repeats the workload says of that, too.
    assert warnings.count(told) in {1, 2 if "run" in face else 1}, warnings


def test_results_and_reports_tell(mended: tuple[str, str]) -> None:
    name, told = mended
    result = wl.run("tiny", name)
    assert [warning for warning in result.warnings if told in warning] != []
    call("run", "tiny", "--workload", name, "--out", "out")
    assert told in Path("out/report.html").read_text()
    assert told in Path("out/result.json").read_text()
    assert [warning for warning in traces.trace_info(name).warnings if told in warning] != []


def test_what_needs_no_mending_is_not_remarked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("unit.txt").write_text(without_unit())
    assert GUESSED not in call("run", "tiny", "--workload", "unit.txt", "--format", "mqsim")[1]
    lines = sorted(disordered().splitlines(keepends=True), key=lambda line: int(line.split(",")[0]))
    Path("order.csv").write_text("".join(lines))
    assert ORDER not in call("run", "tiny", "--workload", "order.csv")[1]
    events = "".join(
        f"8,0 1 {n} {n}.000000000 7 {event} W {n * 8} + 8 [p]\n"
        for n in range(1, 99)
        for event in "QGIDC"
    )
    Path("events.txt").write_text(events)
    assert SKIPPED not in call("run", "tiny", "--workload", "events.txt")[1]


@pytest.mark.parametrize("verb", [["run", "tiny", "--workload"], ["trace", "info"]])
def test_sorting_gives_what_the_sorted_file_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = disordered().splitlines(keepends=True)
    in_order = sorted(lines, key=lambda line: int(line.split(",")[0]))
    assert lines != in_order
    Path("t.csv").write_text("".join(in_order))
    expected, _ = call(*verb, "t.csv", "--json")
    Path("t.csv").write_text("".join(lines))
    found, warnings = call(*verb, "t.csv", "--json", "--sort")
    assert ORDER not in warnings
    assert _figures(found) == _figures(expected)
    assert _figures(call(*verb, "t.csv", "--json")[0]) != _figures(expected)


def _figures(text: str) -> dict[str, object]:
    """What does not say how it was asked, and how fast the machine was."""
    data = json.loads(text)
    return {key: data[key] for key in data.keys() - {"config", "simulator", "file"}}


def test_a_sorted_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("order.csv").write_text(disordered())
    _, warnings = call("trace", "sort", "order.csv", "sorted.csv")
    assert warnings == ""
    rows = [line.split(",") for line in Path("sorted.csv").read_text().splitlines()]
    given = [line.split(",") for line in disordered().splitlines()]
    key = [(row[2], int(row[0]), row[4]) for row in rows if row[0].isdigit()]
    first = min(int(row[0]) for row in given)
    assert [stamp - key[0][1] for _, stamp, _ in key] == sorted(int(g[0]) - first for g in given)
    assert sorted((disk, offset) for disk, _, offset in key) == sorted((g[2], g[4]) for g in given)
    assert ORDER not in call("run", "tiny", "--workload", "sorted.csv")[1]
