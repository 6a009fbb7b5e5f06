"""Tables of reports and terminal: each figure, mark and colour, from made-up figures."""

import re
from typing import Any

import pytest
import wordline as wl
from conftest import MakeUp, against
from rich.console import Console
from wordline.cli import output
from wordline.facts import array_facts
from wordline.figures import metrics
from wordline.native.types.record import Tree
from wordline.report import tables

SHOWN = {
    "IOPS": "1,100",
    "bandwidth (MB/s)": "12.00",
    "mean read latency (µs)": "130.0",
    "p99 read latency (µs)": "140.0",
    "p99.9 read latency (µs)": "150.0",
    "p99.99 read latency (µs)": "160.0",
    "longest read latency (µs)": "170.0",
    "mean write latency (µs)": "230.0",
    "p99 write latency (µs)": "240.0",
    "p99.9 write latency (µs)": "250.0",
    "p99.99 write latency (µs)": "260.0",
    "longest write latency (µs)": "270.0",
    "write amplification": "3.100",
    "of it padding": "0.3000",
    "erases": "3,200",
    "erases per GiB written": "3,200",
    "moved by GC (pages)": "34,000",
    "energy (mJ)": "36.00",
    "energy per GiB written (mJ)": "36.00",
    "spent lifetime": "0.3700",
}
"""What a table shows of the figures that are made up where nothing else is said."""

ROW = re.compile(r"<tr><th scope='row'>(.*?)</th>(.*?)</tr>")
CELL = re.compile(r"<td>(.*?)</td>")


def rows(html: str) -> dict[str, list[str]]:
    return {name: CELL.findall(cells) for name, cells in ROW.findall(html)}


def test_every_figure_of_a_run_is_shown_with_its_unit(made_up: MakeUp) -> None:
    shown = rows(
        tables.run_table(made_up({"flash.erases": 6400, "wear.erases_per_host_gib": 3200.0}))
    )
    named = {f"{name} ({unit})" if unit else name: value for name, (value, unit) in shown.items()}
    assert named == {**SHOWN, "erases": "6,400", "energy per GiB written (mJ)": "18.00"}


def test_a_life_is_shown_where_a_drive_wore_out(made_up: MakeUp) -> None:
    shown = rows(tables.run_table(made_up({"wear.life_gib": 21.5})))
    assert shown["life"] == ["21.50", "GiB"]
    assert "life" not in rows(tables.run_table(made_up()))


def test_a_comparison_shows_figures_and_ratios(made_up: MakeUp) -> None:
    other = made_up({"host.iops": 1650.0, "gc.pages_moved": 17_000, "host.read.p9999_us": 161.0})
    table = tables.comparison_table(against(made_up(), other), "load")
    shown = rows(table)
    differing = ["IOPS", "p99.99 read latency (µs)", "moved by GC (pages)"]
    assert {name: cells[0] for name, cells in shown.items()} == {n: SHOWN[n] for n in differing}
    assert shown["IOPS"][1] == "1,650 <span class='better'>×1.50</span>"
    assert shown["moved by GC (pages)"][1] == "17,000 <span class='better'>×0.50</span>"
    assert shown["p99.99 read latency (µs)"][1] == "161.0 <span class='same'>×1.01</span>"
    told = re.search(r"the same for all: (.*?)</caption>", table)
    assert told and "p99 read latency 140.0 µs, " in told[1]
    alike = [name for name in SHOWN if name not in differing and "per GiB" not in name]
    assert told[1].count(",") - told[1].count("3,200") == len(alike) - 1


@pytest.mark.parametrize(
    ("ratio", "lower", "higher"),
    [(0.5, "better", "worse"), (2.0, "worse", "better"), (1.0099, "same", "same"),
     (0.9899, "better", "worse"), (1.0101, "worse", "better")],
)  # fmt: skip
def test_colours_follow_what_is_better(ratio: float, lower: str, higher: str) -> None:
    """Throughput, bandwidth, life and drive writes a day are better higher, all else lower."""
    for metric in metrics.METRICS:
        is_higher = metric.key in ("iops", "bandwidth_mb_s", "life_gib", "dwpd")
        assert metrics.judge(metric, ratio, True) == (higher if is_higher else lower), metric.key


def test_ratios_have_their_names_and_values(made_up: MakeUp) -> None:
    """Each figure of the second drive is another multiple of the first's."""
    paths = {metric.key: metric.path for metric in metrics.METRICS if metric.kind != "per GiB"}
    paths = {key: path for key, path in paths.items() if key not in ("life_gib", "dwpd")}
    times = {key: 1 + n / 10 for n, key in enumerate(paths, 1)}
    other = made_up({path: metrics.lookup(made_up(), path) * times[key]
                     for key, path in paths.items()})  # fmt: skip
    ratios = metrics.ratios(other, made_up())
    assert {key: ratios[key] for key in times} == pytest.approx(times)
    assert list(ratios) == [
        "iops", "bandwidth_mb_s", "read_mean_us", "read_p99_us", "read_p999_us", "read_p9999_us",
        "read_max_us", "write_mean_us", "write_p99_us", "write_p999_us", "write_p9999_us",
        "write_max_us", "write_amplification", "padding", "erases", "erases_per_gib",
        "gc_pages_moved", "energy_mj", "energy_mj_per_gib", "life_gib", "dwpd", "spent_lifetime",
    ]  # fmt: skip
    assert ratios["life_gib"] is None


def test_sums_over_lives_of_different_length_have_no_colour(made_up: MakeUp) -> None:
    longer = made_up({
        "wear.life_gib": 2.0, "flash.erases": 4800, "wear.erases_per_host_gib": 2400.0,
        "gc.pages_moved": 51_000, "energy_mj.total": 90.0, "wear.spent_lifetime": 0.74,
    })  # fmt: skip
    shown = rows(tables.comparison_table(against(made_up({"wear.life_gib": 1.0}), longer), "load"))
    assert shown["erases"][1] == "4,800 <span class='same'>×1.50</span>"
    assert shown["moved by GC (pages)"][1] == "51,000 <span class='same'>×1.50</span>"
    assert shown["energy (mJ)"][1] == "90.00 <span class='same'>×2.50</span>"
    assert shown["spent lifetime"][1] == "0.7400 <span class='same'>×2.00</span>"
    assert shown["erases per GiB written"][1] == "2,400 <span class='better'>×0.75</span>"
    assert shown["energy per GiB written (mJ)"][1] == "45.00 <span class='worse'>×1.25</span>"
    assert shown["life (GiB)"][1] == "2.000 <span class='better'>×2.00</span>"


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_the_terminal_shows_every_drive_whatever_its_width(
    made_up: MakeUp,
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(output, "console", lambda: Console(width=columns, color_system=None))
    drives = [made_up({"write_amplification": 3.1 * factor}) for factor in (1, 1.5, 2, 2.5, 3)]
    output.show_comparison(against(*drives), "load")
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert lines[0] == "load"
    assert max(map(len, lines[2:])) <= columns
    for cell in ("3.100", "4.650 ×1.50", "6.200 ×2.00", "7.750 ×2.50", "9.300 ×3.00"):
        assert shown.count(cell) == 1, cell
    assert "p99.99 read latency 160.0 µs" in " ".join(shown.split())  # the same for all


def test_what_an_array_rebuilt_is_told_with_its_time(made_up: MakeUp) -> None:
    array = {
        "page_bytes": 4096, "pages_written": {"log": 512},
        "level": "raid5", "members": 3, "bytes_programmed_per_byte_written": 2.5,
        "parity": {"per_data": 0.6, "held_back_per_data": 0.4, "data_interval_s": 3.0,
                   "parity_interval_s": 4.0, "updates_on_hottest_fifth": 0.8},
        "failed_at_s": 5.0,
        "stripes": {"full": 11, "read_modify": 12, "reconstruct": 13, "cached": 14,
                    "computed_pages": 15},
        "syncs": [
            {"kind": "rebuild", "began_s": 6.0, "over_s": 7.5, "done": 1.0,
             "progress": [[7.5, 1.0]]},
            {"kind": "scrub", "began_s": 8.0, "over_s": None, "done": 0.25,
             "progress": [[8.5, 0.1], [10.0, 0.25]]},
        ],
        "latency": [
            {"state": "whole", "reads": 3, "read_mean_us": 70.0, "writes": 0, "write_mean_us": 0.0},
            {"state": "degraded", "reads": 0, "read_mean_us": 0.0, "writes": 4,
             "write_mean_us": 90.0},
        ],
        "drives": [{"state": "whole"}],
    }  # fmt: skip
    told: Any = Tree(array)
    assert list(array_facts.figures(told)) == [
        ("raid5, drives", "3", ""),
        ("programmed per byte of the host", "2.500", ""),
        ("parity written per data", "0.6000", ""),
        ("… if it were held back", "0.4000", ""),
        ("update interval of data", "3.000", "s"),
        ("update interval of parity", "4.000", "s"),
        ("updates on the hottest fifth", "0.8000", ""),
        ("drive failed at", "5.000", "s"),
        ("stripes written whole", "11", ""),
        ("stripes read, modified, written", "12", ""),
        ("stripes reconstructed", "13", ""),
        ("stripes written from the cache", "14", ""),
        ("pages computed", "15", ""),
        ("partial parity log", "2.000", "MiB"),
        ("rebuild at 6.000 s", "100 % in 1.500", "s"),
        ("scrub at 8.000 s", "25 % in 2.000", "s"),
        ("mean read latency, whole", "70.00", "µs"),
        ("mean write latency, degraded", "90.00", "µs"),
    ]
    mib = 1 << 20
    drive = {
        "drive": 1, "state": "spare", "techniques": ["ressd"], "erase_scheme": "reo",
        "pages_written": {"data": 2, "parity": 3, "sync": 5}, "write_amplification": 1.7,
        "flash": {"erases": 19},
        "host": {"read": {"count": 7, "mean_us": 23.0}, "write": {"count": 0, "mean_us": 29.0}},
    }  # fmt: skip
    told = Tree({"drives": [drive], "page_bytes": mib})
    (row,) = array_facts.drives(told)
    heads = [name for name, _ in array_facts.DRIVE_HEADS]
    assert dict(zip(heads, row, strict=True)) == {
        "drive": "1", "state": "spare", "technique": "ressd, reo", "data": "2.000",
        "parity": "3.000", "rebuild": "5.000", "WA": "1.700", "erases": "19", "read": "23.00",
        "write": "–",
    }  # fmt: skip


def test_what_differs_is_listed_key_by_key(comparison: wl.Comparison) -> None:
    shown = rows(tables.differences(comparison.of(comparison.workloads[0])))
    assert shown["fifo"] == ["<code>ftl.gc.policy = fifo</code>"]
    assert shown["&lt;b&gt;none&lt;/b&gt;"] == ["nothing"]
