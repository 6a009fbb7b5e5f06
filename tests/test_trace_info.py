"""`wordline trace info`: what a workload holds."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from test_report import check
from wordline.cli import output, plots, trace_info
from wordline.cli.app import app
from wordline.facts import trace_facts
from wordline.native.types.trace import TraceInfo
from wordline.report import trace

GENERATED = "zipf:theta=0.9,requests=20000,read=0.3,interval_us=5000"


def row(
    n: int, op: str = "Write", offset: int = 0, size: int = 4096, disk: int = 0, ticks: int = 10_000
) -> str:
    return f"{ticks * n},host,{disk},{op},{offset},{size},0\n"


TRACE = "".join(row(n, "Write" if n % 4 else "Read", n % 32 * 4096) for n in range(400))


def call(*args: str) -> Any:
    return CliRunner().invoke(app, ["trace", "info", *args], prog_name="wordline")


def found_in(path: Path, text: str, *args: str) -> dict[str, Any]:
    path.write_text(text)
    done = call(str(path), "--json", *args)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def generated() -> Any:
    return wl.trace_info(GENERATED)


def test_files_tell_what_they_are(tmp_path: Path) -> None:
    found = found_in(tmp_path / "t.csv", TRACE)
    assert found["file"]["format"] == "msr"
    assert found["file"]["time_unit"] == "100 ns"
    assert found["file"]["compression"] == "none"
    assert not found["synthetic"]
    total = found["total"]
    assert (total["requests"]["reads"], total["requests"]["writes"]) == (100, 300)
    assert total["time"]["span_s"] == pytest.approx(0.399)
    # 24 of 32 blocks are written, again and again, in eight pages of 16 KiB.
    assert total["footprint"]["block_4k"]["written_bytes"] == 24 * 4096
    assert total["updates"]["share_of_bytes"] == pytest.approx(276 / 300)
    assert total["updates"]["share"] == pytest.approx(292 / 300)
    assert found["sampling"] is None
    assert found["warnings"] == []


def test_compressed_files_hold_the_same(tmp_path: Path) -> None:
    plain = found_in(tmp_path / "t.csv", TRACE)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(TRACE.encode()))
    packed = json.loads(call(str(tmp_path / "t.csv.gz"), "--json").stdout)
    assert packed["file"]["compression"] == "gzip"
    assert packed["total"] == plain["total"]


def test_volumes_are_told_apart(tmp_path: Path) -> None:
    text = "".join(row(n, offset=0, disk=n % 2) for n in range(200))
    found = found_in(tmp_path / "t.csv", text)
    assert [volume["volume"] for volume in found["volumes"]] == [0, 1]
    pages = [v["footprint"]["page_16k"]["total_bytes"] for v in found["volumes"]]
    assert pages == [16384, 16384]
    assert found["total"]["footprint"]["page_16k"]["total_bytes"] == 32768
    assert "volumes" in call(str(tmp_path / "t.csv")).stdout


def test_lifetimes_are_told_as_far_as_the_workload_lasts(generated: Any) -> None:
    assert 60 < generated.total.time.span_s < 1800
    (section,) = (s for s in trace_facts.sections(generated["total"]) if "lived" in s.title)
    assert [row.name for row in section.rows] == ["longer than 1 min"]


SAMPLES = {
    "t.spc": ("spc", "0,20941264,8192,W,0.551706\n0,20939840,8192,R,0.554041\n", "s"),
    "t.csv": ("systor", "Timestamp,Response,IOType,LUN,Offset,Size\n1.5,0.1,R,0,8192,4096\n"
              "1.6,,W,4,8192,4096\n", "s"),
    "t.alibaba": ("alibaba", "419,W,8192,16384,1577808144360767\n"
                  "7,R,8192,16384,1577808144360768\n", "us"),
    "t.tencent": ("tencent", "1538323200,12910952,128,0,1063\n"
                  "1538323201,12910952,128,1,1063\n", "s"),
    "t.blk": ("blkparse", "8,16 5 2 0.000001850 18615 D R 1444645666 + 256 [java]\n"
              "8,16 5 3 0.000001950 18615 D W 1444645666 + 8 [java]\n", "s"),
    "t.fiu": ("fiu", "89966527950584 4253 nfsd 508516672 8 W 6 0 88b93b628d84082186026d9da044f173\n"
              "89966527996712 4253 nfsd 508516680 8 R 6 0 b5e9f4e5ab62a4fff5313a606b0ad4e3\n",
              "ns"),
    "t.ascii": ("disksim", "0.5 0 8 8 0\n1.5 0 8 8 1\n", "ms"),
}  # fmt: skip
"""Name of a file: its format, its text – a read and a write –, unit of time."""


@pytest.mark.parametrize("name", SAMPLES)
def test_every_format_is_told(tmp_path: Path, name: str) -> None:
    trace_format, text, unit = SAMPLES[name]
    found = found_in(tmp_path / name, text)
    assert (found["file"]["format"], found["file"]["time_unit"]) == (trace_format, unit)
    assert (found["total"]["requests"]["reads"], found["total"]["requests"]["writes"]) == (1, 1)


def test_volumes_have_the_names_of_their_trace(tmp_path: Path) -> None:
    text = "".join(f"{n} 1 nfsd 8 8 W 6 {n % 2} 0\n" for n in range(1, 200))
    path = tmp_path / "t.fiu"
    found = found_in(path, text, "--format", "fiu")
    assert [volume["name"] for volume in found["volumes"]] == ["6 1", "6 0"]
    assert "6 1" in call(str(path), "--format", "fiu").stdout


def test_generators_are_called_generated(generated: TraceInfo) -> None:
    assert generated.synthetic
    assert generated.file is None
    assert ("source", "generated: no recorded trace") in trace_facts.about(generated)


DOUBTS = [
    (lambda n: row(n, ticks=2_000_000_000), ["its unit of time looks wrong", "were in ns"]),
    (lambda n: row(7), ["all 400 requests have the same time"]),
    (lambda n: row(n % 4), ["out of order in time", "moved"]),
    (lambda n: row(n, offset=1 << 60), ["addresses reach 1048576 TiB"]),
    (lambda n: row(n, offset=8 * n, size=8), ["unit of addresses or sizes looks wrong"]),
]


@pytest.mark.parametrize(("line", "told"), DOUBTS)
def test_what_cannot_be_right_is_called_out(tmp_path: Path, line: Any, told: list[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("".join(map(line, range(400))))
    done = call(str(path))
    assert done.exit_code == 0
    assert [part for part in told if part not in done.stderr] == []
    assert done.stderr.startswith("warning: ")
    assert json.loads(call(str(path), "--json").stdout)["warnings"]


def five_columns(path: Path, interval_ns: int, blocks: int, unit: int) -> Path:
    """Requests of 4 KiB over a drive of so many of them, in units of `unit` bytes."""
    lines = (
        f"{n * interval_ns} 0 {n * 2654435761 % blocks * 4096 // unit} {4096 // unit} {n % 2}\n"
        for n in range(400)
    )
    path.write_text("".join(lines))
    return path


def test_bytes_taken_for_sectors_are_called_out(tmp_path: Path) -> None:
    # 32 µs between requests are 128 MB/s; 512 times that is 65.5 GB/s.
    busy = five_columns(tmp_path / "busy.txt", 32_000, 2 * 10**8, 1)
    told = call(str(busy)).stderr
    assert "65.7 GB per second" in told
    assert "multiple of 2048 KiB" in told
    assert "addresses reach" in told
    assert any("65.7 GB per second" in text for text in wl.run("tiny", str(busy)).warnings)
    # A slow trace of a small drive shows itself by its multiples alone.
    slow = five_columns(tmp_path / "slow.txt", 10**8, 2000, 1)
    assert "multiple of 2048 KiB" in call(str(slow)).stderr
    right = five_columns(tmp_path / "right.txt", 32_000, 2 * 10**8, 512)
    assert call(str(right), "--format", "mqsim").stderr == ""


def test_large_requests_are_called_out_where_their_unit_looks_wrong(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("".join(row(n) for n in range(400)) + row(400, size=(1 << 32) - 512))
    assert "looks wrong" not in call(str(path)).stderr, "one among many of 4 KiB"
    done = CliRunner().invoke(app, ["trace", "fit", str(path)])
    assert done.exit_code == 2
    assert "a request covers 4096 MiB, and a model takes 256 MiB at most" in done.stderr
    path.write_text("".join(row(n, size=(1 << 29) + 512) for n in range(400)))
    assert "the unit of sizes looks wrong" in call(str(path)).stderr


@pytest.mark.parametrize(
    ("requests", "size", "doubt"),
    [(1, 4 << 30, "the unit of sizes looks wrong"), (400, 1 << 18, "multiple of 256 KiB")],
)
def test_large_requests_are_no_doubt_where_sizes_are_said_to_be_in_bytes(
    tmp_path: Path, requests: int, size: int, doubt: str
) -> None:
    def told(unit: str, size: int) -> str:
        lines = (f"{n},W,{n * size},{size}\n" for n in range(requests))
        (tmp_path / "t.csv").write_text("".join(lines))
        columns = f"csv:time=1:s,op=2,offset=3:{unit},size=4:{unit}"
        return call(str(tmp_path / "t.csv"), "--format", columns).stderr

    right = told("bytes", size)
    assert ("read in parts of 2 GiB" in right) is (size > 2**32 - 1)
    assert "looks wrong" not in right
    assert "sectors" not in right
    assert doubt in told("sectors", size // 512)


def test_runs_call_out_the_same(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("".join(row(n, ticks=2_000_000_000) for n in range(400)))
    warnings = wl.run("tiny", str(path), host={"mode": "open"}).warnings
    assert any("its unit of time looks wrong" in warning for warning in warnings)


REFUSED = [
    (["absent.csv"], ["no such file", "where: absent.csv"]),
    (["zipff"], ["unknown generator", "did you mean `zipf`"]),
    (["zipf", "--sample", "0"], ["expected a share above 0"]),
    (["zipf", "--sample", "2"], ["expected a share above 0"]),
    (["zipf", "--memory-mib", "0"], ["--memory-mib"]),
    (["zipf", "--memory-mib", "2"], ["more than 2 MiB", "sample = 0.1", "after"]),
    (["zipf", "--format", "msr"], ["a generator takes no format"]),
    (["zipf", "--html", "/dev/null/x.html"], ["is a file", "where: /dev/null", "name a folder"]),
    (["zipf", "--html", "."], ["is a folder", "name a file"]),
    ([], ["is missing"]),
]

FILES = {
    "syntax.toml": (b"twin = 1\n[write\n", ["not valid TOML: unclosed table", "syntax.toml:2"]),
    "drive.toml": (
        b'preset = "tiny"\n',
        ["there is no key `preset`; valid: `twin`, `name`", "drive.toml:1"],
    ),
    "little.toml": (b'name = "x"\n', ["the key `twin` is missing", "little.toml:1"]),
    "kind.toml": (
        b"twin = 1\nname = 3\n",
        ["expected text, found 3", "kind.toml:2", "`wordline trace fit` writes"],
    ),
    "number.toml": (b"twin = -1\n", ["expected a whole number from 0, found -1", "number.toml:1"]),
    "list.toml": (b"twin = 1\ninterval_us = [1]\n", ["expected a number, found a list"]),
    "empty.csv": (b"", ["a trace without a request"]),
    "blank.csv": (b"\n\n \n", ["a trace without a request"]),
    "header.csv": (b"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n", ["request"]),
    "cut.csv": (TRACE[:-20].encode(), ["looks truncated", "cut.csv:400"]),
    "cut.csv.gz": (gzip.compress(TRACE.encode())[:-30], ["ends too early"]),
    "mixed.csv": (TRACE.encode() + b"1.5 0 8 8 1\n", ["column Timestamp", "mixed.csv:401"]),
    "nothing.csv": ((TRACE + row(400, size=0)).encode(), ["column Size", "`0`", "nothing.csv:401"]),
    "beyond.csv": (
        (TRACE + row(400, offset=1 << 64)).encode(),
        ["column Offset", "beyond.csv:401"],
    ),
    "noise.csv": (bytes(range(256)) * 4, ["not a trace of a known format"]),
    "long.csv": (b"7" * (1 << 20), ["not a trace of a known format"]),
    "zeros.csv": (bytes(4096), ["zeros.csv"]),
}


@pytest.mark.parametrize(("args", "told"), REFUSED)
def test_bad_arguments_are_refused(
    args: list[str], told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refuse(args, told, tmp_path)


@pytest.mark.parametrize("name", FILES)
def test_bad_files_are_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content, told = FILES[name]
    (tmp_path / name).write_bytes(content)
    refuse([name, "--html", "out.html"], [*told, "where:"], tmp_path)


def refuse(args: list[str], told: list[str], folder: Path) -> None:
    before = sorted(folder.iterdir())
    done = call(*args)
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 2, done.stderr
    assert done.stdout == ""
    assert [part for part in told if part not in done.stderr] == [], done.stderr
    assert sorted(folder.iterdir()) == before


def test_samples_say_so(generated: TraceInfo) -> None:
    sampled = wl.trace_info(GENERATED, sample=0.2)
    facts = dict(trace_facts.about(sampled))
    assert facts["sample"].startswith("estimated from 20.0 % of the addresses")
    assert "standard errors: footprint ± " in facts["sample"]
    assert "sample" not in dict(trace_facts.about(generated))


def test_progress_is_told_and_can_stop() -> None:
    def stop(phase: str, done: int, total: int | None, simulated_ns: int) -> None:
        assert (phase, total) == ("run", 200_000_000)
        assert 0 < done < 200_000_000
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wl.trace_info("zipf:requests=2e8,span_mib=16", progress=stop)


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_tables_and_plots_fit_the_terminal(
    columns: int,
    generated: TraceInfo,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal = Console(width=columns, color_system=None)
    monkeypatch.setattr(output, "console", lambda: terminal)
    trace_info.show(generated)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= columns
    assert "…" not in shown.replace("… of", "").replace("… one of", "")
    share = trace_facts.percent(generated.total.requests.write_share)
    for part in ("working set, MiB", "updated after < 30 min", share):
        assert part in shown


def test_terminals_without_blocks_get_plain_marks(
    generated: TraceInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_info, "_plain", lambda _: True)
    assert "####" in call(GENERATED).stdout
    assert "█" not in call(GENERATED).stdout


def test_output_has_no_colours_where_none_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in call("uniform:requests=1000").stdout


@given(st.lists(st.floats(0, 1e12), max_size=300), st.integers(1, 80), st.booleans())
def test_sparklines_keep_width_and_show_what_is_there(
    values: list[float], width: int, plain: bool
) -> None:
    line = plots.sparkline(values, width, plain)
    assert len(line) == min(len(values), width)
    if len(values) <= width:
        assert [mark != " " for mark in line] == [value > 0 for value in values]


@given(st.floats(0, 1), st.integers(0, 60))
def test_bars_are_as_long_as_their_share(share: float, width: int) -> None:
    eighths = sum(" ▏▎▍▌▋▊▉█".index(mark) for mark in plots.bar(share, width))
    assert eighths == round(share * width * 8)
    assert plots.bar(1, width, plain=True) == "#" * width


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "0 ns"), (2e-9, "2 ns"), (0.0015, "1.5 ms"), (59, "59 s"), (7200, "2 h"),
     (86_400 * 2000, "2,000 days")],
)  # fmt: skip
def test_times_are_in_a_fitting_unit(seconds: float, told: str) -> None:
    assert trace_facts.duration(seconds) == told


def test_pages_hold_tables_charts_and_warnings(tmp_path: Path, generated: TraceInfo) -> None:
    html = trace.render(generated)
    checker = check(html)
    assert len(checker.specs) == 14
    assert all(spec["data"]["values"] for spec in checker.specs)
    assert not [a for _, a in checker.elements if {"src", "href"} & set(a)]
    assert "generated: no recorded trace" in html
    path = tmp_path / "<b>.csv"
    path.write_text("".join(row(7, disk=n % 2) for n in range(400)))
    html = trace.render(wl.trace_info(path))
    check(html)
    assert html.index("all 400 requests have the same time") < html.index("<table")
    assert "<b>" not in html
    assert "Volumes" in html


def test_pages_are_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert call("uniform:requests=1000", "--html", str(path)).exit_code == 0
    assert path.read_text().startswith("<!doctype html>")
    assert sorted(tmp_path.iterdir()) == [path]


def test_components_name_workloads_too(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(TRACE)
    assert wl.trace_info(wl.trace(path)).total.requests.total == 400
    assert wl.trace_info(wl.workloads.uniform(requests=100)).total.requests.writes == 100
    with pytest.raises(wl.WorkloadError, match="column time"):
        wl.trace_info(wl.trace(path, "mqsim"))
