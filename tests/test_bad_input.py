"""Bad input: exit status 2, a message with what, where and help, and nothing half-written."""

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from wordline.cli.app import app

Refused = Callable[[Sequence[str], Sequence[str]], None]

COMPARE = ("compare", "tiny", "--technique", "conventional")
TRACE = "".join(f"{10_000 * n},host,0,Write,{n * 4096},4096,0\n" for n in range(100))


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refused:
    """Asserts that `wordline ARGS…` is refused in these words and leaves the folder as it was."""
    monkeypatch.chdir(tmp_path)

    def check(args: Sequence[str], told: Sequence[str]) -> None:
        before = sorted(tmp_path.iterdir())
        done = CliRunner().invoke(app, args, prog_name="wordline")
        assert isinstance(done.exception, SystemExit), done.exception
        assert done.exit_code == 2, done.stderr
        assert done.stdout == ""
        assert [part for part in told if part not in done.stderr] == [], done.stderr
        assert sorted(tmp_path.iterdir()) == before

    return check


KEYS = [
    ("drive.chanels=3", ["unknown key `chanels` in [drive]", "did you mean `channels`?"]),
    ("drve.channels=3", ["unknown table or key `drve`", "did you mean `drive`?"]),
    (
        "drive.chip.erase_us=3500",
        ["did you mean `erase_ms`? `wordline describe drive.chip` shows all"],
    ),
    ("drive.channels=many", ["drive.channels", "whole number from 1 to", "many"]),
    ("drive.channels=-1", ["drive.channels", "whole number from 1 to", "found -1"]),
    ('drive.chip.erase_ms="3.5KiB"', ["drive.chip.erase_ms", "a number from 0 to", "ms, found"]),
    ("drive.over_provisioning=7", ["from 0 to 2 (1 is 100%), found 7", '7 per cent is "7%"']),
    ("ftl.gc.policy=gredy", ["`ftl.gc.policy`", "did you mean `greedy`?"]),
    ("run.mode=tmed", ["`run.mode`", "did you mean `timed`?"]),
    ("drive.preset=tny", ["unknown drive preset `tny`", "did you mean `tiny`?"]),
    ("drive.chip.preset=reo", ["unknown chip preset `reo`", "reo-tlc"]),
    ("technique.magic={}", ["unknown technique `magic`", "help: valid:"]),
    ("drive.over_provisioning=0", ["GC could not make progress", "blocks", "help: raise"]),
    ("drive.chip.blocks_per_plane=4", ["GC could not make progress", "help: raise"]),
    ("drive.channels", ["no `=`", "override `drive.channels`", "table.key=value"]),
    ("=3", ["not a key", "table.key=value"]),
]


@pytest.mark.parametrize(("override", "told"), KEYS)
def test_overrides(refused: Refused, override: str, told: list[str]) -> None:
    refused(["run", "tiny", "--set", override, "--out", "out"], [*told, "where:"])


ARGUMENTS = [
    (["run", "tinny"], ["no file and no drive preset `tinny`", "did you mean `tiny`?"]),
    (["run", "absent.toml"], ["no such file", "where: absent.toml"]),
    (["run", "."], ["cannot be read", "where: ."]),
    (["run"], ["`CONFIG` is missing", "where: wordline run", "help: `wordline run --help`"]),
    (["run", "tiny", "--bogus"], ["--bogus"]),
    (["run", "tiny", "--progress", "bad"], ["'bad'", "'json'"]),
    (["run", "tiny", "--out", "/proc/none/such"], ["cannot be written", "/proc/none/such"]),
    (["demo", "--out", "/proc/none/such"], ["cannot be written", "/proc/none/such", "in `/proc`"]),
    (["run", "tiny", "--out", "/dev/null/such"], ["`/dev/null` is a file: name another folder"]),
    (["trace", "info", "zipf", "--html", "/proc/x.html"], ["in `/proc`: name a file elsewhere"]),
    (["compare", "tiny"], ["needs two drives", "--variant"]),
    (["compare", "tiny", "--technique", "magic"], ["unknown technique `magic`"]),
    (["compare", "tiny", "--variant", "x"], ["`x` is not a variant", "NAME:key=value"]),
    ([*COMPARE, "--variant", "conventional:run.seed=2"], ["`conventional` is given twice"]),
    ([*COMPARE, "--variant", "a:drive.chanels=2"], ["did you mean `channels`?"]),
    ([*COMPARE, "--variant", "a:drive.over_provisioning=0.001"], ["needs 132", "override"]),
    ([*COMPARE, "--variant", "a:run.seed=2", "--workload", "zipff"], ["did you mean `zipf`?"]),
    (["validate", "theroy"], ["did you mean `theory`?"]),
    (["list", "preset"], ["did you mean `presets`?"]),
    (["describe", "gredy"], ["did you mean `greedy`"]),
    (["report", "absent"], ["holds no result", "absent"]),
]


@pytest.mark.parametrize(("args", "told"), ARGUMENTS)
def test_arguments(refused: Refused, args: list[str], told: list[str]) -> None:
    refused(args, told)


WORKLOADS = [
    ("unifrm", ["unknown generator", "did you mean `uniform`"]),
    ("zipf:requets=3", ["did you mean `requests`? `wordline describe zipf` shows all"]),
    ("twin:ressd/hm_00", ["did you mean `ressd/hm_0`? `wordline list workloads` shows all"]),
    ("uniform:wites=3", ["`wites`", "`writes`"]),
    ("uniform:size_kib=4MJ", ["size_kib = `4MJ`", "a number from", "KiB, or with one of B, kB,"]),
    ("uniform:read=3", ["read = `3`", "from 0 to 1"]),
    ("no/such.csv", ["no such file", "where: no/such.csv"]),
    (".", ["a folder, not a trace"]),
]


@pytest.mark.parametrize(("workload", "told"), WORKLOADS)
def test_workloads(refused: Refused, workload: str, told: list[str]) -> None:
    refused(["run", "tiny", "--workload", workload, "--out", "out"], [*told, "where:"])


TRACES = {
    "empty.csv": (b"", ["a trace without a request"]),
    "cut.csv": (TRACE[:-20].encode(), ["looks truncated", "cut.csv:100"]),
    "more.csv.gz": (gzip.compress(TRACE.encode()) + b"more", ["what follows it is not gzip"]),
    "cut.csv.gz": (gzip.compress(TRACE.encode())[:-30], ["ends too early", "truncated"]),
    "garbled.csv": ((TRACE + "what,is,this\n").encode(), ["column Timestamp", "garbled.csv:101"]),
    "negative.csv": ((TRACE + "9,host,0,Write,0,-1,0\n").encode(), ["column Size", "`-1`"]),
    "noise.csv": (bytes(range(256)) * 4, ["not a trace of a known format", "shows wordline, msr"]),
    "utf.csv": (TRACE.encode("utf-16"), ["not a trace of a known format"]),
}


@pytest.mark.parametrize("name", TRACES)
def test_traces(refused: Refused, tmp_path: Path, name: str) -> None:
    content, told = TRACES[name]
    (tmp_path / name).write_bytes(content)
    refused(["run", "tiny", "--workload", name, "--out", "out"], [*told, f"where: {name}"])


def test_formats(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text(TRACE)
    run = ["run", "tiny", "--workload", "trace.csv", "--format"]
    refused([*run, "mrs"], ["unknown trace format `mrs`", "did you mean `msr`?"])
    refused([*run, "mqsim"], ["column time", "trace.csv:1"])
    refused(["run", "tiny", "--format", "msr"], ["format `msr` given"])


CONFIGURATIONS = [
    ("[drive]\nchannels = \n", ["not valid TOML", "drive.toml:2"]),
    ('preset = "tny"\n', ["did you mean `tiny`?", "drive.toml:1"]),
    ('preset = "tiny"\n\n[ftl.gc]\npolicy = "gredy"\n', ["did you mean `greedy`?", "drive.toml:4"]),
    ("[drive.chip]\ndies = 2\ntR = 50\n", ["unknown key `tR`", "drive.toml:3"]),
    ("[drivel]\n", ["`drivel`", "did you mean `drive`?", "drive.toml:1"]),
    ("\x00", ["not valid TOML", "drive.toml:1"]),
]


@pytest.mark.parametrize(("text", "told"), CONFIGURATIONS)
def test_configurations(refused: Refused, tmp_path: Path, text: str, told: list[str]) -> None:
    (tmp_path / "drive.toml").write_text(text)
    refused(["run", "drive.toml", "--out", "out"], told)


def test_binary_files_are_no_configurations(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_bytes(b"\xff\xfe")
    refused(["run", "drive.toml"], ["is not UTF-8 text (byte 0)", "where: drive.toml"])
