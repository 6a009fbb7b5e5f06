"""The figures of ReSSD on single drives, from results made up so that the values follow by hand."""

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest
from wordline.reproduce import Load
from wordline.reproduce.ressd import STUDY, single
from wordline.reproduce.ressd.workloads import NAMES
from wordline.result import Record


def _record(host: int, gc: int, technique: int, reprograms: int, erases: int) -> Record:
    latency = {"mean_us": 100.0 + erases}
    parts = {"writes": host - reprograms, "gc": gc, "fully_invalidated": technique}
    return Record(
        {
            "flash": {
                "page_programs": {"host": host, "gc": gc, "technique": technique},
                "reprograms": reprograms,
                "erases": erases,
            },
            "gc": {"with_migration": erases, "direct": 0, "time_ms": float(gc)},
            "capacity": {"free_pages": 1000},
            "host": {"write": latency, "read": latency},
            "technique": {"ressd": {"page_consumption": parts}},
        }
    )


class _Made:
    """Every workload alike: the baseline, and drives of any other kind."""

    def __init__(self, names: Sequence[str]) -> None:
        self.loads = [Load(name, f"twin:ressd/{name}") for name in names]

    def result(self, drive: str, load: Load) -> Record:
        assert load in self.loads
        if drive.startswith("baseline"):
            return _record(1000, 1000, 0, 0, 20)
        return _record(1000, 600, 200, 400, 10)

    def traffic(self, load: Load) -> Record:
        raise AssertionError(load)


def _values(name: str, made: _Made) -> dict[str, float]:
    figure = next(figure for figure in STUDY.figures if figure.name == name)
    return dict(figure.values(made))


def test_changes_follow_from_pages_and_erases() -> None:
    made = _Made(NAMES)
    # 1000 + 600 + 200 - 400 pages against 2000; 100 page writes per erase against 50.
    assert _values("fig19", made)["change/average"] == pytest.approx(-30)
    assert _values("fig20", made)["change/hm_0"] == pytest.approx(100)
    assert _values("gc", made)["erases/average"] == pytest.approx(-50)
    assert _values("gc", made)["free_pages/prn_1"] == 0
    assert "gc_direct/hm_0" not in _values("gc", made), "there was none without ReSSD"
    assert _values("parts", made)["gc/hm_0"] == pytest.approx(100 * 600 / 1400)
    assert _values("mlc", made)["endurance_by_ressd/hm_0"] == pytest.approx(2000)


def test_a_part_of_the_workloads_has_no_average() -> None:
    assert list(_values("fig19", _Made(["hm_0"]))) == ["change/hm_0"]


def test_every_figure_names_its_drives_and_has_the_published_values() -> None:
    path = Path(__file__).parents[1] / "experiments" / "ressd" / "drives.csv"
    published = {row["id"] for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())}
    made = _Made(NAMES)
    for figure in single.FIGURES:
        assert set(figure.drives) <= set(STUDY.drives)
        ours = {f"ressd/{figure.name}/{name}" for name in figure.values(made)}
        assert {name for name in published if f"/{figure.name}/" in name} <= ours
    assert all(any(name.startswith(begin) for name in published) for begin in single.NOTES)
