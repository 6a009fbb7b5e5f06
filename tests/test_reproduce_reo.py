"""The figures of REO and the measures of ReSSD, from results made up so that values follow."""

from typing import Any

import pytest
from wordline.native.types.record import Tree
from wordline.reproduce import Load
from wordline.reproduce.reo import drives, latency, waiting
from wordline.reproduce.ressd import measures

LOADS = [Load("a", "a.csv"), Load("b", "b.csv")]


class Made:
    """Results by the drive's and the workload's name."""

    is_whole = True

    def __init__(self, of: Any) -> None:
        self.loads = LOADS
        self.of = of

    def result(self, drive: str, load: Load) -> Any:
        return Tree({"host": self.of(drive, load.name)})

    def traffic(self, load: Load) -> Any:
        raise AssertionError(load)


def test_performance_is_the_geometric_mean_of_ratios_to_ispe() -> None:
    """Reads a quarter and as long: a half. Writes twice and as long: 141 %.

    One read and three writes take 1/4 and 6 in place of 4: 0.64 times the IOPS; by mean 0.8.
    """

    def host(drive: str, load: str) -> Any:
        ours = drive.startswith("REO at") and load == "a"
        read, write = (25.0, 400.0) if ours else (100.0, 200.0)
        return {"read": {"mean_us": read, "count": 1}, "write": {"mean_us": write, "count": 3}}

    told = latency.performance(Made(host))
    assert told["REO/read/2.5K"] == pytest.approx(50)
    assert told["REO/write/2.5K"] == pytest.approx(100 * 2**0.5)
    assert told["REO/iops/2.5K"] == pytest.approx(80)
    assert told["DPES/read/0.5K"] == pytest.approx(100)
    assert "i-ISPE/read/4.5K" not in told and "i-ISPE/read/2.5K" in told
    assert not any(name.startswith("ISPE/") for name in told)


def test_tails_are_of_all_reads_together() -> None:
    """900 reads of 10 µs, 95 of 20 and 5 of 30; and 9,000 of 15."""
    few = {"count": 1000, "distribution": [[10.0, 0.9], [20.0, 0.995], [30.0, 1.0]]}
    many = {"count": 9000, "distribution": [[15.0, 1.0]]}
    told = latency.tails(Made(lambda drive, load: {"read": few if load == "a" else many}))
    assert told["REO/2.5K/none/p99.9"] == 20
    assert told["REO/2.5K/none/p99.99"] == 30
    lived = {(name, age) for name in drives.SCHEMES for age in drives.PECS}
    lived.remove(("i-ISPE", "4.5K"))
    every = {f"{name}/{age}/{pulse}" for name, age in lived for pulse in ("none", "restart")}
    going_on = {f"{name}/2.5K/resume" for name in ("ISPE", "REO-", "REO")}
    assert {name.rpartition("/")[0] for name in told} == every | going_on


def test_tails_of_a_volume_are_of_its_own_reads() -> None:
    def host(drive: str, load: str) -> Any:
        slowest = 500.0 if drive == "REO at 4.5K, restart" and load == "b" else 100.0
        return {"read": {"count": 1000, "distribution": [[10.0, 0.999], [slowest, 1.0]]}}

    told = latency.tails_by_volume(Made(host))
    assert told["p99.99/REO/4.5K/b"] == 500
    assert told["p99.99/REO/4.5K/a"] == told["p99.99/ISPE/4.5K/b"] == 100
    assert "p99.99/i-ISPE/4.5K/a" not in told


def test_the_tails_of_aero_are_set_beside_each_scheme() -> None:
    """20 of 1,000 reads take 66 µs by AERO, 100 by DPES where nothing is suspended."""

    def host(drive: str, load: str) -> Any:
        slow = 100.0 if drive == "DPES at 2.5K" else 66.0
        return {"read": {"count": 1000, "distribution": [[10.0, 0.98], [slow, 1.0]]}}

    told = latency.tail_of_aero(Made(host))
    assert told["by_DPES/none/p99.999"] == pytest.approx(-34)
    assert told["by_DPES/restart/p99.999"] == told["by_ISPE/none/p99.9999"] == 0


def test_a_part_of_the_workloads_is_told_by_workload() -> None:
    host = {"read": {"mean_us": 100.0, "count": 1}, "write": {"mean_us": 100.0, "count": 1}}
    made = Made(lambda drive, load: host)
    made.is_whole = False
    told = latency.performance(made)
    assert told["REO/read/2.5K/a"] == told["DPES/iops/0.5K/b"] == pytest.approx(100)
    assert "REO/read/2.5K" not in told


def test_dpes_is_told_in_percent_of_ispe() -> None:
    def host(drive: str, load: str) -> Any:
        read = (30.0 if load == "a" else 45.0) if drive.startswith("DPES at 0.5K") else 60.0
        return {"read": {"mean_us": read}, "write": {"mean_us": 2 * read + 30.0}}

    told = waiting.by_load(Made(host))
    assert told["read/0.5K/a"] == pytest.approx(50)
    assert told["read/0.5K/b"] == pytest.approx(75)
    assert told["write/0.5K/a"] == pytest.approx(60)  # 90 of 150
    assert told["write/2.5K/b"] == pytest.approx(100)
    assert told["suspending/read/0.5K/a"] == pytest.approx(50)


def run(**more: Any) -> Any:
    flash = {
        "page_programs": {"host": 1000, "gc": 600, "technique": 200, "mapping": 7},
        "reprograms": 400, "erases": 10, "padding": 93, **more,
    }  # fmt: skip
    return Tree({
        "flash": flash,
        "gc": {"direct": 4, "with_migration": 6, "time_ms": 77.0, "count": 11},
        "host": {"read": {"mean_us": 31.0, "count": 5}, "write": {"mean_us": 32.0, "count": 7}},
        "capacity": {"free_pages": 900},
        "technique": {"ressd": {
            "page_consumption": {"third_pages": 200}, "capacity": {"free_pages": 950},
        }},
    })  # fmt: skip


def test_measures_of_a_run() -> None:
    values = {name: measure(run()) for name, measure in measures.MEASURES.items()}
    assert values == {
        "consumption": 1700, "consumption_as_two": 1407,
        "consumption_as_three_without_padding": 1607, "writes": 893, "writes_as_two": 600,
        "moved": 800, "writes_per_erase": 100, "erases": 10,
        "gc_moving": 6, "gc_direct": 4, "gc_time": 77, "free_pages": 950, "write_latency": 32,
        "read_latency": 31,
    }  # fmt: skip
    assert measures.direct_share(run()) == pytest.approx(40)  # of erases, not of collections
    assert measures.moved_per_page(run()) == pytest.approx(60)
    assert measures.page_writes_per_erase(run(erases=0)) == 1000
    assert measures.direct_share(run(erases=0)) == 400


def test_changes_are_from_the_second_drive_to_the_first() -> None:
    """From 10 to 5 erases and from 10 to 20: -50 % and +100 %, 25 % on average."""

    class Changed(Made):
        def result(self, drive: str, load: Load) -> Any:
            erases = 10 if drive == "base" else {"a": 5, "b": 20}[load.name]
            return run(erases=erases)

    found = Changed(None)
    erases = measures.MEASURES["erases"]
    told = measures.changes(found, erases, ("ours", "base"), "n")
    assert told == pytest.approx({"n/a": -50, "n/b": 100, "n/average": 25, "n/total": 25})
    found.is_whole = False
    assert set(measures.changes(found, erases, ("ours", "base"), "n")) == {"n/a", "n/b"}
    # A measure of zero on the baseline has no change.
    found.is_whole = True
    nothing = measures.Measure(lambda of: 0.0)
    assert measures.changes(found, nothing, ("ours", "base"), "n") == {}
