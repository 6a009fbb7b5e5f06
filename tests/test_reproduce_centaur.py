"""The measures and statements of Centaur, from results made up so that values follow."""

import math
from typing import Any

import pytest
from wordline import reproduce
from wordline.configuration import find
from wordline.errors import RunError
from wordline.native.types.record import Tree
from wordline.reproduce import Load, judge, runner
from wordline.reproduce.centaur import beyond, drives, lifetime, measures, shapes, workloads

LIVES = [Load("a", "a.csv", way=workloads.LIFE), Load("b", "b.csv", way=workloads.LIFE)]
TIB = 2**40


def _result(slc: float, tlc: float, written: int = TIB) -> Any:
    groups = [
        {"name": "slc", "erases_mean": slc, "valid_pages": 1, "pages": 4},
        {"name": "tlc", "erases_mean": tlc, "valid_pages": 2, "pages": 4},
    ]
    programs = {"host": 30, "gc": 10, "mapping": 0, "wear": 0, "technique": 60}
    chips = {kind: {"chip": {"endurance_pec": pec}} for kind, pec in drives.ENDURANCE_PEC.items()}
    return Tree(
        {
            "config": {"drive": {"group": chips}},
            "workload": {"bytes_written": written},
            "wear": {"groups": groups, "erases_mean": tlc},
            "flash": {"page_programs": programs, "padding": 20},
            "capacity": {"unit_bytes": 8192},
        }
    )


class Made:
    """Results by the drive's and the workload's name."""

    is_whole = True

    def __init__(self, of: Any, loads: list[Load] = LIVES) -> None:
        self.loads = loads
        self.of = of

    def result(self, drive: str, load: Load) -> Any:
        return self.of(drive, load.name)

    def traffic(self, load: Load) -> Any:
        raise AssertionError(load)


def test_the_worse_part_is_what_a_drive_has_spent() -> None:
    """600 of 60,000 cycles are 1 %, 25 of 5,000 half of that; for half a TiB twice as much."""
    shares = measures.spent(_result(600, 25))
    assert shares == pytest.approx({"slc": 0.01, "tlc": 0.005})
    found = Made(lambda *_: _result(600, 25, TIB // 2))
    assert measures.spent_by(found, "shared", LIVES[0]) == pytest.approx(0.02)


def test_what_is_programmed_counts_with_and_without_data() -> None:
    result = _result(0, 0, written=60 * 8192)
    assert measures.amplification(result) == pytest.approx((100 + 20) / 60)


def test_a_steady_kind_of_flash_erases_what_it_programs() -> None:
    """Four pages a kind: six units of 8 KiB to the one, a program of 96 KiB to the other."""
    result = _result(1.5, 1.5)
    told = {"programmed_bytes": 6 * 8192 + drives.IDP_BYTES, "programs_3d": 1}
    whole: Any = Tree({**result.to_dict(), "technique": {"centaur": told}})
    assert measures.programmed(whole) == pytest.approx({"slc": 1.5, "tlc": 3.0})
    shares = lifetime.erased_of_programmed(whole)
    assert shares == pytest.approx({"slc": 1.0, "tlc": 0.5})


def test_means_are_of_workloads_that_wear_both() -> None:
    """b erases nothing of the one drive; on a it lives four times as long."""

    def of(drive: str, load: str) -> Any:
        return (
            _result(0, 0)
            if load == "b" and drive == "shared"
            else _result(0, 5 if drive == "shared" else 20)
        )

    found = Made(of)
    told = measures.lifetimes(found, "shared", "dedicated")
    assert told == pytest.approx({"a": 4.0})
    assert measures.mean(told) == measures.geometric(told) == pytest.approx(4.0)
    assert measures.ratio_of_means(found, "shared", "dedicated") == pytest.approx(4.0)
    assert math.isnan(measures.mean({}))


def test_loads_are_chosen_by_how_they_are_replayed() -> None:
    loads = [*LIVES, Load("a", "a.csv", way=workloads.SPEED)]
    found = Made(lambda *_: None, loads)
    assert workloads.only(found, workloads.SPEED).loads == loads[2:]
    assert workloads.only(found, workloads.LIFE, ["b"]).loads == loads[1:2]


@pytest.mark.parametrize("name", workloads.ROWS)
def test_rows_are_those_of_the_twins(name: str) -> None:
    """Requests, and what the samples are of."""
    rows = {
        row["id"]: float(row["reference"])
        for row in judge.expected(reproduce.study("centaur"))
        if row["reference"]
    }
    row = workloads.ROWS[name]
    told = [rows[f"centaur/table1/{what}/{name}"] for what in ("reads", "writes", "written")]
    assert told == [row.reads_m, row.writes_m, row.written_gb]
    touched = sum(
        rows[f"centaur/table1/{what}/{name}"] for what in ("read_coverage", "write_coverage")
    )
    assert touched == pytest.approx(row.touched_gb, abs=0.01)


def test_lives_count_from_their_second_half_on() -> None:
    for load in workloads.loads(None, False):
        if load.way == workloads.LIFE:
            keys = dict(key.split("=") for key in load.keys)
            laps = int(keys["workload.repeat"])
            assert int(keys["run.measure_from_repeat"]) == laps // 2 + 1
            assert laps % 2 == 0
            assert "ops=write" in load.source


def test_the_scale_keeps_what_a_byte_takes() -> None:
    """Capacity, DRAM and the time of an erase for each byte of a block."""
    for name, base in drives.BASES.items():
        if name not in {"2d", "3d", "shared", "iso-die"}:
            continue
        whole = find(base).resolve()
        small = find(base).with_overrides(drives.DRIVES[name]).resolve()
        groups = whole["drive"]["group"]
        pairs = [
            (whole["drive"]["group"][kind]["chip"], small["drive"]["group"][kind]["chip"])
            for kind in groups
        ] or [(whole["drive"]["chip"], small["drive"]["chip"])]
        for one, other in pairs:
            times = [one[key] / other[key] for key in ("blocks_per_plane", "pages_per_block")]
            assert math.prod(times) == pytest.approx(drives.SCALE, rel=0.005)
            assert one["erase_ms"] / other["erase_ms"] == times[1]
            kind = "slc" if one["cell"] == "slc" else "tlc"
            assert one["endurance_pec"] == drives.ENDURANCE_PEC[kind]
        dram = [config["host"]["write_buffer_mib"] for config in (whole, small)]
        assert dram[0] / dram[1] == drives.SCALE


def test_shapes_are_those_of_the_presets() -> None:
    found = Made(None)
    told = shapes.FIGURES[0].values(found)
    assert told["chip_capacity/2d"] == 4
    assert told["idp_unit"] == 96


def test_a_cache_wears_by_the_share_of_a_cycle() -> None:
    """40 erases of one bit at a twelfth and 10 others, of 5 blocks with 5,000 cycles."""
    config = {
        "drive": {"group": {}, "chip": {"cell": "tlc", "endurance_pec": 5000}},
        "technique": {"slc_cache": {"wear": 0.1}},
    }
    result: Any = Tree(
        {
            "config": config,
            "workload": {"bytes_written": TIB // 2},
            "wear": {"groups": [], "histogram": [[0, 2], [3, 3]]},
            "technique": {"slc_cache": {"erases": {"slc": 40, "other": 10}}},
        }
    )
    assert beyond.spent_for(result) == pytest.approx(2 * (4 + 10) / 5 / 5000)


def test_latencies_consist_of_what_each_kind_of_flash_took() -> None:
    """One kind of flash has no name of its own."""
    parts = {"operations": 1, "wait_us": 1.0, "array_us": 2.0, "transfer_us": 3.0}
    flash = [{"group": "", "operation": "program", **parts}]
    of = {"requests": 1, "mean_us": 10.0, "controller_us": 4.0, "flash": flash}
    result: Any = Tree(
        {
            "config": {"drive": {"group": {}, "chip": {"cell": "tlc"}}},
            "breakdown": {"write": of, "read": {**of, "flash": []}},
        }
    )
    told = measures.waited_for(result, "write")
    assert sum(told.values()) == of["mean_us"]
    assert told["tlc_program_array"] == parts["array_us"]
    assert measures.waited_for(result, "read") == {"controller": 4.0}


def test_a_trace_runs_on_drives_of_the_published_size() -> None:
    for name in ("2d", "3d", "shared", "iso-die", "extra 2 gb"):
        whole = find(drives.BASES[name]).with_overrides(drives.WHOLE[name]).resolve()
        preset = find(drives.BASES[name]).resolve()
        assert whole["host"]["write_buffer_mib"] == drives.DRAM_MIB
        pairs = [(preset["drive"]["chip"], whole["drive"]["chip"])]
        groups = preset["drive"]["group"]
        pairs = [
            (groups[of]["chip"], whole["drive"]["group"][of]["chip"]) for of in groups
        ] or pairs
        for ours, theirs in pairs:
            assert ours["pages_per_block"] == theirs["pages_per_block"]
            halved = name.startswith("extra") and ours["cell"] == "slc"
            assert theirs["blocks_per_plane"] * (2 if halved else 1) == ours["blocks_per_plane"]
    study = reproduce.study("centaur")
    assert study.keys("3d", Load("a", __file__)) == drives.WHOLE["3d"]
    assert study.keys("3d", Load("a", "twin:centaur/prn_0")) == drives.DRIVES["3d"]
    assert "twin" not in study.note("centaur/fig11a/x", is_synthetic=False)
    assert "twin" in study.note("centaur/fig11a/x")


def test_a_trace_that_lies_beyond_the_drive_is_refused() -> None:
    def result(beyond: int) -> Any:
        return Tree({"workload": {"beyond_drive": beyond, "requests": 1000}})

    runner._check_fits("a", [result(0), result(10)])
    with pytest.raises(RunError, match="2% of the requests lie beyond the drive"):
        runner._check_fits("a", [result(0), result(20)])
