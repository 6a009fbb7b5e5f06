"""`wordline trace convert`: what goes in comes out, in parts if asked; bad input leaves nothing."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from wordline.cli.app import app
from wordline.traces import trace_convert, trace_info

MSR = "".join(
    f"{10_000_000 * n},host,{n % 2},{'Read' if n % 3 else 'Write'},{n * 4096},4096,0\n"
    for n in range(100)
)


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trace of two disks with a request a second, in the folder that is worked in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trace.csv").write_text(MSR)
    return Path("trace.csv")


def convert(*args: str) -> Any:
    done = CliRunner().invoke(app, ["trace", "convert", *args, "--json"], prog_name="wordline")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["a.wlt", "a.wlt.zst", "a.trace.gz", "a.iolog", "a.ascii"])
def test_there_and_back(trace: Path, name: str) -> None:
    (there,) = convert(str(trace), name)["written"]
    assert there["requests"] == 100
    assert there["bytes"] == Path(name).stat().st_size
    assert sum(there["lost"].values()) == 0
    convert(name, "back.csv")
    back = [line.split(",") for line in Path("back.csv").read_text().splitlines()]
    told = [line.split(",") for line in MSR.splitlines()]
    assert [[*row[:1], *row[2:]] for row in back] == [[*row[:1], *row[2:]] for row in told]


PARTS: list[tuple[list[str], list[int]]] = [
    (["--first", "7"], list(range(7))),
    (["--from", "10", "--until", "20.5"], list(range(10, 21))),
    (["--volume", "1"], list(range(1, 100, 2))),
    (["--volume", "1", "--from", "50", "--first", "3"], [51, 53, 55]),
]


@pytest.mark.parametrize(("options", "wanted"), PARTS)
def test_parts(trace: Path, options: list[str], wanted: list[int]) -> None:
    convert(str(trace), "part.csv", *options)
    rows = [line.split(",") for line in Path("part.csv").read_text().splitlines()]
    assert [int(row[4]) // 4096 for row in rows] == wanted
    assert [int(row[0]) // 10_000_000 for row in rows] == [n - wanted[0] for n in wanted]


def test_volumes_go_into_files_of_their_own(trace: Path) -> None:
    written = convert(str(trace), "disk.csv.gz", "--split")["written"]
    assert [(file["path"], file["volume"]) for file in written] == [
        ("disk.0.csv.gz", 0),
        ("disk.1.csv.gz", 1),
    ]
    lines = gzip.decompress(Path("disk.1.csv.gz").read_bytes()).decode().splitlines()
    assert [line.split(",")[2] for line in lines] == ["1"] * 50


def test_volumes_lie_side_by_side(trace: Path) -> None:
    done = trace_convert([trace, trace], "both.wlt", layout="side_by_side", repeat=2)
    assert done.written[0]["requests"] == 400
    assert [placed["first_byte"] for placed in done.volumes] == [0, 2**20, 2**21, 3 * 2**20]
    assert trace_info("both.wlt").total.requests.total == 400


def test_losses_are_refused_or_counted(trace: Path) -> None:
    odd = MSR + "1000000001,host,0,Write,100,50,0\n"
    trace.write_text(odd)
    args = ["trace", "convert", str(trace), "x.iolog.zst", "--to", "mqsim"]
    done = CliRunner().invoke(app, args, prog_name="wordline")
    assert done.exit_code == 2
    assert "1 not in whole sectors of 512 bytes" in done.stderr
    assert "--lossy" in done.stderr
    assert [path.name for path in Path().iterdir()] == ["trace.csv"]
    (written,) = convert(*args[2:], "--lossy")["written"]
    assert (written["lost"]["widened"], written["requests"]) == (1, 101)


BAD: list[tuple[list[str], Sequence[str]]] = [
    (["trace.csv", "x.dat"], ["its ending stands for no format", "where: x.dat", "--to"]),
    (["trace.csv", "x.csv", "--to", "mrs"], ["`mrs`", "did you mean `msr`?"]),
    (["trace.csv", "trace.csv"], ["exists already", "--force"]),
    (["trace.csv", "x.csv.bz2"], ["not written", ".gz or .zst"]),
    (["trace.csv", "trace.csv/x.csv"], ["is a file", "where: trace.csv"]),
    (["absent.csv", "x.csv"], ["no such file", "where: absent.csv"]),
    (["trace.csv", "x.csv", "--volume", "7"], ["no request is left"]),
    (["trace.csv", "x.csv", "--from", "5", "--until", "5"], ["ends before it begins"]),
    (["trace.csv", "x.csv", "--interleave", "absent.csv"], ["no such file"]),
    (["trace.csv", "x.csv", "--first", "0"], ["--first"]),
    (["cut.wlt", "x.csv"], ["looks truncated", "where: cut.wlt"]),
]


@pytest.mark.parametrize(("args", "told"), BAD)
def test_bad_input_leaves_nothing(trace: Path, args: list[str], told: Sequence[str]) -> None:
    convert(str(trace), "cut.wlt")
    cut = Path("cut.wlt")
    cut.write_bytes(cut.read_bytes()[:-40])
    before = sorted(path.name for path in Path().iterdir())
    done = CliRunner().invoke(app, ["trace", "convert", *args], prog_name="wordline")
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 2
    assert done.stdout == ""
    assert [part for part in told if part not in done.stderr] == [], done.stderr
    assert sorted(path.name for path in Path().iterdir()) == before


def test_what_was_read_is_told(trace: Path) -> None:
    lines = MSR.splitlines(keepends=True)
    trace.write_text("".join([lines[1], lines[0], *lines[2:]]))
    done = CliRunner().invoke(app, ["trace", "convert", str(trace), "x.wlt"], prog_name="wordline")
    assert done.exit_code == 0
    assert "1 of 100 requests (1.0 %) were out of order" in done.stderr
    assert "wordline" in done.stdout
