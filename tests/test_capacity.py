"""What second writes need, from made-up counts: which count is enough, and what is left."""

from pathlib import Path
from typing import Any

import pytest
from wordline.codes import Family, capacity, references
from wordline.codes.capacity import ANY, LAYOUTS, ONE_TRY, Study
from wordline.codes.tallies import Tallies
from wordline.codes.verdicts import verdict
from wordline.codes.wom import Estimate


class Counted:
    """Counts that are what the test says, and what was asked for."""

    def __init__(self, *found: Estimate) -> None:
        self.found = list(found)
        self.asked: list[tuple[Any, ...]] = []

    def failure(self, code: Any, cells: int, trials: int, failures: int = 100) -> Estimate:
        self.asked.append((code.cells, cells, trials, failures))
        return self.found.pop(0) if len(self.found) > 1 else self.found[0]


def study(*found: Estimate, quick: bool = True) -> tuple[Study, Counted]:
    counted = Counted(*found)
    return Study(quick, counted), counted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "fits"),
    [
        (Estimate(1500, 0, 0.0, 0.0024), True),
        (Estimate(1500, 0, 0.0, 0.0025), True),
        (Estimate(1500, 3, 0.0004, 0.0026), False),  # 0.2 % failed: the interval decides
        (Estimate(1499, 0, 0.0, 0.0024), False),  # too few
    ],
)
def test_a_code_fits_where_its_interval_does(found: Estimate, fits: bool) -> None:
    of, counted = study(found)
    assert of._fits(LAYOUTS, 8192, 6144, 1000) == (fits, found)
    # Without a failure 1,500 writes show 1 - 0.025^(1/1500) = 0.246 %; with one, more than 0.25 %.
    assert counted.asked == [(8192, 6144, 1500, 1)]


def test_no_code_fits_beyond_the_limit_and_any_up_to_it() -> None:
    of, counted = study(Estimate(1500, 0, 0.0, 0.0))
    assert of._fits(ANY, 8192, 8192, 3600) == (True, None)
    for method in (ANY, LAYOUTS, ONE_TRY):
        assert of._fits(method, 8192, 8192, 4096) == (False, None)
    assert counted.asked == []


@pytest.mark.parametrize("first", [0, 1, 7, 8, 9, 16, 17, 100, 249, 250])
def test_the_least_is_found_to_the_step(first: int) -> None:
    asked: list[int] = []

    def holds(steps: int) -> bool:
        asked.append(steps)
        return steps >= first

    assert capacity._least(holds, 250) == first
    assert max(asked) <= 250 and len(asked) < 20


def test_needs_and_rates_are_in_steps_of_a_thousandth(monkeypatch: pytest.MonkeyPatch) -> None:
    of, _ = study(Estimate(1500, 0, 0.0, 0.001))
    asked: list[tuple[int, int, int]] = []

    def fits(_: Any, cells: int, random_cells: int, bits: int) -> tuple[bool, None]:
        asked.append((cells, random_cells, bits))
        return cells >= 10_370, None  # 37 of 10,000 steps of 10 cells

    monkeypatch.setattr(of, "_fits", fits)
    assert of._find_need(LAYOUTS, 10_000, True) == (pytest.approx(0.037), None)
    # A half of the data and its checksum; an erased spare area is not random.
    assert {(random, bits) for _, random, bits in asked} == {(10_000, 5032)}
    asked.clear()
    of._find_need(LAYOUTS, 10_000, False)
    assert all(cells == random for cells, random, _ in asked)
    monkeypatch.setattr(of, "_fits", lambda *of: (of[3] <= 4630, None))
    assert of._highest(LAYOUTS, 10_000) == {"rate": pytest.approx(0.463), "evidence": None}


def test_a_chip_is_enough_where_its_spare_area_is(monkeypatch: pytest.MonkeyPatch) -> None:
    chip = {"chip": "it", "page_kib": "8", "spare_percent": "15", "source": "sheet"}
    monkeypatch.setattr(capacity, "rows", lambda name: [chip])
    of, _ = study(Estimate(1500, 0, 0.0, 0.001))
    needs = {True: 0.05, False: 0.15}
    monkeypatch.setattr(of, "needed", lambda method, size, erased: (needs[erased], None))
    found = [row for row in of.chips() if row["code"] == ANY.name]
    keys = ("spare_area", "needed_percent", "enough", "bch_bits_per_kib_twice")
    # A tenth of 8,192 bits is 819.2: twice 409.6, of 14 bits each, 29.
    assert [tuple(row[key] for key in keys) for row in found] == [
        ("erased", 5.0, True, 29), ("written", 15.0, True, 0),
    ]  # fmt: skip
    needs[False] = 0.1501
    assert [row["enough"] for row in of.chips() if row["spare_area"] == "written"] == [False] * 2


def test_a_curve_ends_where_nearly_every_write_fails() -> None:
    last = Estimate(300, 273, 0.8, 0.95)
    of, counted = study(Estimate(300, 3, 0.001, 0.03), Estimate(300, 270, 0.7, 0.94), last)
    drawn = list(of._curve(LAYOUTS, 8192))
    assert [(row["rate"], row["failure"], row["low"], row["high"]) for row in drawn] == [
        (0.35, 0.01, 0.001, 0.03), (0.355, 0.9, 0.7, 0.94), (0.36, 0.91, 0.8, 0.95),
    ]  # fmt: skip
    assert counted.asked == [(8192, 8192, 300, 100)] * 3


class Code:
    """A code that tells what it was asked, and fails in three of ten writes."""

    family, rate = Family.POLAR, 0.4

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def __str__(self) -> str:
        return "code"

    def attempts(self, trials: int, failures: int, **more: Any) -> list[int]:
        self.asked.append((trials, failures, more["data_cells"], list(more["counts"])))
        return [4, 3, 3]


def test_counts_go_on_until_trials_or_failures_are_enough(tmp_path: Path) -> None:
    code: Any = Code()
    path = tmp_path / "deep" / "tallies.json"
    tallies = Tallies(path, lambda _: lambda *_: None)
    assert tallies.failure(code, 64, 10, 5) == Estimate.of(10, 3)
    assert tallies.failure(code, 64, 10, 5) == Estimate.of(10, 3)  # trials enough
    assert tallies.failure(code, 64, 99, 3) == Estimate.of(10, 3)  # failures enough
    assert code.asked == [(10, 5, 64, [])]
    again = Tallies(path, lambda _: lambda *_: None)
    again.failure(code, 64, 11, 4)
    assert code.asked[1:] == [(11, 4, 64, [4, 3, 3])]
    again.failure(code, 32, 1, 1)
    assert code.asked[2:] == [(1, 1, 32, [])]  # of another number of cells: another count


@pytest.mark.parametrize(
    ("ours", "band", "status"),
    [
        ((8.0, 12.0), (12.0, 14.0), "reproduced"),  # they touch
        ((8.0, 11.9), (12.0, 14.0), "deviates"),
        ((14.1, 15.0), (12.0, 14.0), "deviates"),
        ((5.0, 20.0), (9.0, 11.0), "reproduced"),  # half and twice
        ((4.9, 20.0), (9.0, 11.0), "inconclusive"),
        ((5.0, 20.1), (9.0, 11.0), "inconclusive"),
        ((9.0, 11.0), (4.9, 11.0), "inconclusive"),
    ],
)
def test_a_verdict_at_its_edges(
    ours: tuple[float, float], band: tuple[float, float], status: str
) -> None:
    assert verdict(ours, band, 10.0) == status


@pytest.mark.parametrize(
    ("ours", "status"), [(9.0, "reproduced"), (8.9, "deviates"), (11.0, "reproduced")]
)
def test_a_reference_has_a_tolerance_to_both_sides(ours: float, status: str) -> None:
    row = {"id": "it", "source": "sheet", "cells": "4096", "unit": "", "reference": "10",
           "tolerance": "0.1"}  # fmt: skip
    item = references._item(row, ours, (ours, ours), "")
    assert item["status"] == status
    assert item["deviation"] == pytest.approx((ours - 10) / 10)
    assert item["workload"] == "random messages over random pages of 4,096 cells"
