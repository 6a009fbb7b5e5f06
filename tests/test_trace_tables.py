"""Real traces on drives that can be bought: the tables and their signs."""

import csv
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from conftest import MakeUp

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import trace_tables  # noqa: E402
from trace_tables import EXCEEDS, OVERLOADED, TOO_LITTLE, Row  # noqa: E402

TRACES = trace_tables.traces()
AT_REST: Mapping[str, float | None] = {
    "write_amplification": 2.0, "read_mean_us": 80.0, "read_p99_us": 300.0, "write_mean_us": 1.25,
    "write_p99_us": 8.5,
}  # fmt: skip


def made(drive: str = "a", trace: str = "web_0", signs: str = "", **figures: float | None) -> Row:
    return Row(drive, trace, 1000, 4.0, None, {**AT_REST, **figures}, signs)


def table(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


@pytest.mark.parametrize(("amplification", "exceeds"), [(1.05, False), (1.0500001, True)])
def test_a_trace_may_exceed_uniform_writes_by_five_percent(
    amplification: float, exceeds: bool
) -> None:
    one = Row("a", "web_0", 1000, 1.0, None, {**AT_REST, "write_amplification": amplification})
    assert one.exceeds == exceeds
    assert trace_tables.exceeding([one]) == (
        ["a, web_0: write amplification 1.050 exceeds the 1.000 of uniform writes"]
        if exceeds
        else []
    )
    short = replace(one, signs=TOO_LITTLE)
    assert not trace_tables.exceeding([short])


def test_a_trace_is_held_to_the_larger_figure_of_uniform_writes() -> None:
    figures = {**AT_REST, "write_amplification": 5.0}
    assert Row("a", "t", 1, 4.0, 4.7, figures).exceeds
    assert not Row("a", "t", 1, 4.0, 4.8, figures).exceeds
    assert not Row("a", "t", 1, 4.8, 4.0, figures).exceeds
    assert not Row("a", "t", 1, None, None, figures).exceeds
    assert not Row("a", "t", 1, 4.0, 4.0, {**AT_REST, "write_amplification": None}).exceeds


def test_tables_have_a_row_for_each_drive_and_a_column_for_each_trace() -> None:
    rows = [
        made("a", "web_0", f"{OVERLOADED}{TOO_LITTLE}", write_amplification=4.25),
        made("a", "reads_only", write_amplification=None, write_p99_us=None),
        made("b", "web_0"),
        made("b", "reads_only", read_p99_us=1234.5),
    ]
    files = trace_tables.files(rows)
    assert table(files["traces-write-amplification.csv"]) == [
        ["drive", "closed form", "verified", "web 0", "reads only"],
        ["a", "4.000", "–", f"4.250 {EXCEEDS}{OVERLOADED}{TOO_LITTLE}", "–"],
        ["b", "4.000", "–", "2.000", "2.000"],
    ]
    assert table(files["traces-read-p99.csv"]) == [
        ["drive", "web 0", "reads only"],
        ["a", f"300.0 {OVERLOADED}", "300.0"],
        ["b", "300.0", "1,234"],
    ]
    assert table(files["traces-write-p99.csv"])[1] == ["a", f"8.500 {OVERLOADED}", "–"]
    head, first, *others = table(files["traces.csv"])
    assert first == [
        "a", "web_0", "1000", "4", "", "4.25", "80", "300", "1.25", "8.5",
        f"{EXCEEDS}{OVERLOADED}{TOO_LITTLE}",
    ]  # fmt: skip
    assert tuple(head) == trace_tables.COLUMNS
    assert [len(line) for line in others] == [len(head)] * 3


@pytest.mark.parametrize(
    ("warning", "sign"),
    [
        ("the drive could not keep up: 1000 requests arrived within 1 s", OVERLOADED),
        ("write amplification says little yet: the host wrote 0.96 GiB", TOO_LITTLE),
        ("garbage collection never ran: write amplification", TOO_LITTLE),
        ("anything else", ""),
    ],
)
def test_a_run_has_the_signs_of_its_warnings(made_up: MakeUp, warning: str, sign: str) -> None:
    figures: dict[str, Any] = {"warnings": [warning], "host.read.count": 99}
    row = trace_tables.row("tiny", made_up(figures))
    assert row.signs == sign
    assert row.figures["read_mean_us"] == 130.0
    assert row.figures["read_p99_us"] is None
    assert row.figures["write_p99_us"] == 240.0


def test_every_drive_of_the_manual_is_in_the_tables() -> None:
    page = (ROOT / "docs" / "drives.md").read_text("utf-8")
    section = page.split("## As presets", 1)[1].split("\n## ", 1)[0]
    heads = re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE)
    named = [name for head in heads for name in re.findall(r"`(.+?)`", head)]
    assert set(trace_tables.DRIVES) == {*named, "nvme-tlc-1t", "nvme-qlc-2t"}


@pytest.mark.skipif(not TRACES, reason="no traces; WORDLINE_TRACES names their folder")
def test_a_trace_is_replayed_on_a_drive(tmp_path: Path) -> None:
    told: list[str] = []
    found = trace_tables.run(
        TRACES[:1], {"peers-16g": {"blocks_per_plane": 128}}, told.append, store=tmp_path
    )
    (one,) = found
    assert told == ["peers-16g: replayed"]
    assert TRACES[0].name.startswith(one.trace)
    assert one.requests > 0
    drive = {"chip": {"blocks_per_plane": 128}}
    result = wl.run("peers-16g", {"source": str(TRACES[0]), "beyond": "wrap"}, drive=drive)
    assert one == trace_tables.row("peers-16g", result)
