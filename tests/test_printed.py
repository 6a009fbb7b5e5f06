"""What the command line prints of made-up figures, each of them a number of its own."""

import json
from collections.abc import Sequence

import pytest
import wordline as wl
from click.exceptions import Exit
from click.testing import CliRunner
from conftest import MakeUp, against
from wordline.cli import failures, output, plain, plots, progress, trace_convert, usage
from wordline.cli.app import app
from wordline.cli.options import Mode
from wordline.cli.variants import parse_variant
from wordline.errors import ConfigError
from wordline.native.types.items import Item
from wordline.native.types.trace import (
    Conversion,
    LostRequests,
    PlacedVolume,
    SkippedRecords,
    TraceFile,
    WrittenFile,
)

Printed = pytest.CaptureFixture[str]


def rows(text: str) -> list[list[str]]:
    """The words of each line that holds any."""
    return [line.split() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize(
    ("text", "overrides"),
    [
        ("a:x=1,y=2", ("x=1", "y=2")),
        ("a:x=[1, 2],y=3", ("x=[1, 2]", "y=3")),
        ("a:x={b = 1, c = [2, 3]},y=3", ("x={b = 1, c = [2, 3]}", "y=3")),
        ("a:x='1,2',y=\"},\"", ("x='1,2'", 'y="},"')),
        ("a:x=b:c", ("x=b:c",)),
    ],
)
def test_variants_are_split_at_commas_outside_of_brackets(
    text: str, overrides: tuple[str, ...]
) -> None:
    variant = parse_variant(text)
    assert (variant.name, tuple(variant.overrides)) == ("a", overrides)


@pytest.mark.parametrize("text", [":x=1", "a", "a:x", "a:x=1,y"])
def test_variants_need_a_name_and_keys_with_values(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a variant"):
        parse_variant(text)


@pytest.mark.parametrize(
    ("values", "width", "line"),
    [
        ((0, 4, 8), 5, " ▄█"),
        ((0, 0.001, 8), 3, " ▁█"),  # above zero is never drawn as none
        ((0, 8, 4, 2, 0, 1), 3, "█▄▁"),  # the highest of each two
        ((0, 0), 2, "  "),
    ],
)
def test_sparklines(values: Sequence[float], width: int, line: str) -> None:
    assert plots.sparkline(values, width) == line


def test_bars_are_drawn_by_eighths() -> None:
    drawn = [plots.bar(share, 2) for share in (0, 1 / 16, 0.5, 0.8, 1, 2)]
    assert drawn == ["", "▏", "█", "█▋", "██", "██"]
    assert plots.bar(0.8, 2, plain=True) == "#"


def test_a_comparison_has_figures_and_ratios_to_the_first(made_up: MakeUp, capsys: Printed) -> None:
    changes = {"write_amplification": 6.2, "host.read.p99_us": 70.0}
    output.show_comparison(against(made_up(), made_up(changes)), "load")
    title, _, printed = capsys.readouterr().out.partition("\n")
    note, _, table = printed.partition(")\n")
    note = " ".join(note.split())
    heads, *shown = table.splitlines()
    assert title == "load"
    assert note.startswith("(× is relative to a; the same for all: ")
    # What is the same stands above and not in the table.
    assert "p99 write latency 240.0 µs" in note and "p99 read latency" not in note
    assert heads.split() == ["a", "b"]
    cells = [line.split() for line in shown if line.strip("─ ")]
    assert ["write", "amplification", "3.100", "6.200", "×2.00"] in cells
    assert ["p99", "read", "latency", "µs", "140.0", "70.00", "×0.50"] in cells
    assert not [line for line in cells if line[:3] == ["p99", "write", "latency"]]


def item(name: str, status: str, note: str = "") -> Item:
    """A comparison with 2.0 of 2.5, which may deviate by a tenth."""
    return Item(name, "a source", "a load", "us", 2.0, 2.5, 0.25, 0.1, status, note)  # type: ignore[arg-type]


def test_checks_are_printed_with_reference_ours_and_what_must_be_known(capsys: Printed) -> None:
    output.show_items(
        [
            item("a/one", "deviates", "for a reason"),
            item("a/two", "reproduced"),
            item("a/three", "deviates", "for a reason"),
            item("a/four", "deviates", "for a reason"),
        ]
    )
    heads, _, *shown = capsys.readouterr().out.splitlines()
    assert heads.split() == ["check", "reference", "ours", "deviation", "within", "status"]
    assert shown[0].split() == ["a/one", "2.000", "µs", "2.500", "+25.00%", "10.00%", "deviates"]
    assert shown[1].split()[-1] == "reproduced"
    assert shown[-1] == "deviates: a/one and 2 more: for a reason"


def test_one_check_is_noted_alone(capsys: Printed) -> None:
    output.show_items([item("a/one", "skipped", "no trace")])
    assert capsys.readouterr().out.splitlines()[-1] == "skipped: a/one: no trace"


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("bool", "true, false"),
        ({"one_of": ["a", "b"]}, "a, b"),
        ({"int": [1, 1_000_000]}, "1 to 1,000,000"),
        ({"int": [0, 10_000_000]}, "0 to 1e+07"),
        ({"float": [0, 0.5]}, "0 to 0.5"),
        ({"floats": [0, 9]}, "0 to 9, or one per page type"),
        ({"ints": [1, 2]}, "1 to 2, a list of them"),
    ],
)
def test_ranges(kind: object, shown: str) -> None:
    assert output._range(kind) == shown


def test_warnings_go_to_standard_error_and_name_what_they_concern(capsys: Printed) -> None:
    plain.warn_of([("it is short", "fifo"), ("it is long", "")])
    told = capsys.readouterr()
    assert told.err == "warning: it is short (fifo)\nwarning: it is long\n"
    assert told.out == ""


def test_progress_as_lines_tells_seconds(capsys: Printed) -> None:
    with progress.shown(Mode.JSON) as start:
        start("a task")("run", 3, 7, 2_500_000_000)
    expected = {"task": "a task", "phase": "run", "done": 3, "total": 7, "simulated_s": 2.5}
    assert json.loads(capsys.readouterr().err) == expected


def conversion(files: int) -> Conversion:
    """Two traces become `files`, of which the second loses what the first does not."""

    def written(number: int) -> WrittenFile:
        lost = LostRequests(7 * (number == 2), 0, 0, 0, 0, 0, 0)
        return WrittenFile(f"new-{number}", None, "msr", "none", 1000 + number, 4096, lost)

    sources = (TraceFile("old.csv", "csv", "gzip", "us", True, 2048),)
    skipped = (SkippedRecords("flushes", 1234),)
    volumes = (PlacedVolume(3, "c", 65_536, 8192),)
    new = tuple(written(number) for number in range(1, files + 1))
    return Conversion("0", "load", False, sources, 56, skipped, (), volumes, new)


def test_a_conversion_tells_each_file_and_what_it_lost(capsys: Printed) -> None:
    trace_convert.show(conversion(22))
    printed = rows(capsys.readouterr().out)
    heads = printed[1]
    assert heads == ["file", "format", "requests", "size", "times", "rounded"]
    assert ["old.csv", "csv,", "gzip", "2", "KiB"] in printed
    assert ["new-1", "msr", "1,001", "4", "KiB", "0"] in printed
    assert ["new-2", "msr", "1,002", "4", "KiB", "7"] in printed
    assert ["and", "2", "more"] in printed
    assert not [row for row in printed if row[0] == "new-21"]
    assert ["3", "65,536", "8", "KiB"] in printed


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (wl.RunError("it failed"), 1),
        (wl.ConfigError("it is wrong"), 2),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 0),
    ],
)
def test_failures_have_their_exit_status(
    error: BaseException, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "_silence", lambda _: None)
    with pytest.raises(Exit) as ended, failures.as_exit_status():
        raise error
    assert ended.value.exit_code == status


@pytest.mark.parametrize("number", [2**63, -(2**63), 1e400, -1e400])
def test_numbers_beyond_any_are_refused(number: float) -> None:
    with pytest.raises(ConfigError, match="number here"):
        usage._refuse_odd(number, "`--seed`")


@pytest.mark.parametrize("number", [2**63 - 1, 1 - 2**63, 0, 1e300])
def test_large_numbers_are_passed_on(number: float) -> None:
    usage._refuse_odd(number, "`--seed`")


def test_the_drive_without_a_technique_is_listed_with_the_techniques() -> None:
    done = CliRunner().invoke(app, ["list", "techniques", "--json"], prog_name="wordline")
    assert json.loads(done.stdout)["techniques"][0]["name"] == "conventional"


@pytest.mark.parametrize("only", [["--variant", "a:run.seed=1"], ["--technique", "ressd"]])
def test_one_drive_is_no_comparison(only: list[str]) -> None:
    done = CliRunner().invoke(app, ["compare", "tiny", *only], prog_name="wordline")
    assert done.exit_code == 2
    assert "a comparison needs two drives" in done.stderr
