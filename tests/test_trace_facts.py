"""What is shown of a workload: each line with its value, from made-up statistics."""

from typing import Any

import pytest
from wordline.facts import trace_facts
from wordline.native.types.record import Tree

MIB = 1 << 20


def kind(first: int) -> dict[str, Any]:
    names = ("mean_kib", "p50_kib", "p99_kib", "max_kib")
    return {name: float(first + at) for at, name in enumerate(names)}


STATS: dict[str, Any] = {
    "volume": 3, "name": None,
    "time": {"span_s": 4000.0, "requests_per_s": 12.5, "mb_per_s": 1.5},
    "requests": {"reads": 3, "writes": 5, "total": 8, "write_share": 0.625, "trims": 2,
                 "flushes": 0, "fua_writes": 1},
    "bytes": {"read": 7 * MIB, "written": 9 * MIB},
    "read_size": {**kind(4), "histogram_bytes": [[4096, 1], [8192, 3]]},
    "write_size": {**kind(14), "histogram_bytes": [[8192, 1], [16_384, 1]]},
    "footprint": {
        "end_bytes": 50 * MIB,
        "block_4k": {"read_bytes": 21 * MIB, "written_bytes": 22 * MIB, "total_bytes": 23 * MIB},
        "page_16k": {"read_bytes": 31 * MIB, "written_bytes": 32 * MIB, "total_bytes": 33 * MIB},
    },
    "sequentiality": {
        "reads": {"after_last_share": 0.11, "after_recent_share": 0.12},
        "writes": {"after_last_share": 0.13, "after_recent_share": 0.14},
    },
    "skew": {"reads": {"on_hottest_20_percent": 0.21},
             "updates": {"on_hottest_20_percent": 0.22}},
    "updates": {
        "pages_written": 40, "share": 0.31, "share_of_blocks_4k": 0.32, "share_of_bytes": 0.33,
        "share_of_requests": 0.34,
        "intervals": {"zone_shares": [0.41, 0.42, 0.43, 0.44], "mean_s": 90.0, "p50_s": 2.0,
                      "p90_s": 7200.0},
    },
    "hot_writes": {"small_request_share": 0.51, "short_sequence_share": 0.52},
    "lifetimes": {
        "limits_s": [60.0, 1800.0, 3600.0, 7200.0, 86_400.0, 604_800.0, 2_592_000.0],
        "longer_than_shares": [[0.9, 0.9], [0.7, 0.75], [0.5, 0.6], [0, 1], [0, 1], [0, 1],
                               [0, 1]],
    },
    "locality": {
        "reads_behind_recent_share": 0.71, "writes_behind_recent_share": 0.72,
        "writes_behind_any_share": 0.73, "interval_correlation": 0.76,
        "merged_parts": [{"window_s": 30.0, "left_share": 0.74},
                         {"window_s": 300.0, "left_share": 0.75}],
        "rewrites": [
            {"below_kib": 16, "pages": 5, "rewritten_share": 0.77, "p50_mib": 2.0, "p90_mib": 3.0},
            {"below_kib": 64, "pages": 0, "rewritten_share": None, "p50_mib": None,
             "p90_mib": None},
            {"below_kib": None, "pages": 3, "rewritten_share": 0.0, "p50_mib": None,
             "p90_mib": None},
        ],
    },
    "arrivals": {"burstiness": 0.5, "mean_ms": 1.5,
                 "cv": 2.5, "p50_ms": 3.5, "p99_ms": 4.5, "max_ms": 5500.0,
                 "peak_per_s": 66, "dispersion": 7.5},
    "reuse": {"after_write_share": 0.61, "after_read_share": 0.62, "first_touch_share": 0.63},
}  # fmt: skip


def shown(**more: Any) -> dict[str, dict[str, tuple[str, ...]]]:
    told: Any = Tree({**STATS, **more})
    return {
        section.title: {row.name: tuple(row.values) for row in section.rows}
        for section in trace_facts.sections(told)
    }


def test_every_line_has_its_value() -> None:
    assert shown() == {
        "requests": {
            "requests": ("3", "5"),
            "share": ("37.5 %", "62.5 %"),
            "volume": ("7 MiB", "9 MiB"),
            "mean size": ("4 KiB", "14 KiB"),
            "median": ("5 KiB", "15 KiB"),
            "p99": ("6 KiB", "16 KiB"),
            "largest": ("7 KiB", "17 KiB"),
            "distinct, by 4 KiB": ("21 MiB", "22 MiB"),
            "distinct, by 16 KiB": ("31 MiB", "32 MiB"),
            "continue the last": ("11.0 %", "13.0 %"),
            "… one of the last 32": ("12.0 %", "14.0 %"),
            "on hottest 20 % of pages": ("21.0 %", "22.0 % of updates"),
            "trims": ("", "2"),
            "FUA writes": ("", "1"),
        },
        "writes": {
            "updates, of written 16 KiB pages": ("31.0 %",),
            "… of written 4 KiB blocks": ("32.0 %",),
            "… of written bytes": ("33.0 %",),
            "… of write requests": ("34.0 %",),
            "updated after < 30 min": ("41.0 %",),
            "updated after 30–60 min": ("42.0 %",),
            "updated after 60–120 min": ("43.0 %",),
            "updated after > 120 min": ("44.0 %",),
            "mean interval": ("1.5 min",),
            "median, p90": ("2 s, 2 h",),
            "in requests < 64 KiB": ("51.0 %",),
            "in sequences of ≤ 2 blocks": ("52.0 %",),
        },
        "beside earlier requests": {
            "reads behind one of the last 30 s": ("71.0 %",),
            "writes behind one of the last 30 s": ("72.0 %",),
            "writes behind any earlier one": ("73.0 %",),
            "parts left when 30 s are merged": ("74.0 %",),
            "parts left when 5 min are merged": ("75.0 %",),
            "correlation of successive intervals": ("0.7600",),
        },
        "pages by the size of their write": {
            "< 16 KiB": ("77.0 %", "2 MiB", "3 MiB"),
            "≥ 64 KiB": ("0.0 %", "–", "–"),
        },
        "written pages that lived": {  # as far as 4,000 s tell
            "longer than 1 min": ("90.0 %",),
            "longer than 30 min": ("70.0 % to 75.0 %",),
            "longer than 1 h": ("50.0 % to 60.0 %",),
        },
        "between arrivals": {
            "mean": ("1.5 ms",),
            "standard deviation / mean": ("2.500",),
            "burstiness": ("0.5000",),
            "median": ("3.5 ms",),
            "p99": ("4.5 ms",),
            "longest": ("5.5 s",),
            "most requests in a second": ("66",),
            "variance / mean of seconds": ("7.500",),
        },
        "reads of data": {
            "written before": ("61.0 %",),
            "read before only": ("62.0 %",),
            "touched for the first time": ("63.0 %",),
        },
    }


def test_a_lifetime_as_long_as_the_workload_is_told() -> None:
    time = {**STATS["time"], "span_s": 3600.0}
    assert list(shown(time=time)["written pages that lived"])[-1] == "longer than 1 h"
    time["span_s"] = 3599.0
    assert list(shown(time=time)["written pages that lived"])[-1] == "longer than 30 min"


def test_sizes_are_shares_of_their_kind() -> None:
    told: Any = Tree(STATS)
    assert trace_facts.sizes(told) == [
        ("4 KiB", 0.25, 0.0), ("8 KiB", 0.75, 0.5), ("16 KiB", 0.0, 0.5),
    ]  # fmt: skip


def test_a_volume_is_a_line() -> None:
    told: Any = Tree({"volumes": [STATS, {**STATS, "name": "6 1"}], "others": None})
    section = trace_facts.volumes(told)
    assert [row.name for row in section.rows] == ["3", "6 1"]
    assert dict(zip(section.heads, section.rows[0].values, strict=True)) == {
        "requests": "8", "writes": "62.5 %", "read": "7 MiB", "written": "9 MiB",
        "distinct": "33 MiB", "updates": "31.0 %", "requests/s": "12.50",
    }  # fmt: skip


def test_volumes_without_statistics_of_their_own_are_one_line() -> None:
    others = {
        "volumes": 64_536, "requests": STATS["requests"], "bytes": STATS["bytes"],
        "footprint": STATS["footprint"], "update_share": 0.25,
    }  # fmt: skip
    told: Any = Tree({"volumes": [STATS], "others": others})
    row = trace_facts.volumes(told).rows[-1]
    assert row.name == "64,536 others"
    assert list(row.values) == ["8", "62.5 %", "7 MiB", "9 MiB", "33 MiB", "25.0 %", ""]
    assert trace_facts.count(told) == 64_537


def test_courses_are_rates_by_second() -> None:
    interval = {
        "reads": 30, "writes": 10, "bytes_read": 4_000_000, "bytes_written": 6_000_000,
        "working_set_pages": 64, "footprint_pages": 128,
        "read_footprint_pages": 192, "written_footprint_pages": 256,
    }  # fmt: skip

    def told(span_s: float, count: int) -> Any:
        series = {"interval_s": 2.0, "intervals": [interval, {**interval, "reads": 0}][:count]}
        return Tree({"series": series, "total": {"time": {"span_s": span_s}}})

    assert trace_facts.courses(told(3.9, 2)) == [
        ("reads", "requests/s", [15, 0]),
        ("writes", "requests/s", [5, 5]),
        ("read", "MB/s", [2, 2]),
        ("written", "MB/s", [3, 3]),
        ("share of writes", "", [0.25, 1]),
        ("working set", "MiB", [1, 1]),
        ("footprint", "MiB", [2, 2]),
        ("covered by reads", "MiB", [3, 3]),
        ("covered by writes", "MiB", [4, 4]),
    ]
    assert trace_facts.courses(told(2.0, 1)) == []
    assert trace_facts.courses(told(3.79, 2)) == []  # the last interval is not whole


def test_what_a_workload_is_comes_first() -> None:
    told: Any = Tree({
        "total": STATS, "volumes": [STATS] * 2, "others": None, "synthetic": False,
        "file": {"format": "msr", "compression": "gzip", "bytes": 3 * MIB, "time_unit": "us",
                 "time_unit_inferred": True},
        "skipped": [{"count": 4, "reason": "flushes"}],
        "sampling": {"share": 0.125, "pages": 4096, "footprint_error": 0.02,
                     "update_share_error": None},
    })  # fmt: skip
    assert trace_facts.about(told) == [
        ("format", "msr, gzip, 3 MiB"),
        ("times in", "µs, inferred from the first lines"),
        ("span", "1.11 h"),
        ("rate", "12.50 requests/s, 1.500 MB/s"),
        ("footprint", "33 MiB in pages of 16 KiB; addresses up to 50 MiB"),
        ("volumes", "2"),
        ("skipped", "4 flushes"),
        ("sample", "estimated from 12.5 % of the addresses, 4,096 pages; standard errors: "
                   "footprint ± 2.0 % of it"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("count", "told"),
    [(1023, "1.02e+03 B"), (1024, "1 KiB"), (1 << 20, "1 MiB"), (1 << 40, "1 TiB"),
     (1 << 50, "1,024 TiB")],
)  # fmt: skip
def test_sizes_are_in_a_fitting_unit(count: int, told: str) -> None:
    assert trace_facts.size(count) == told
