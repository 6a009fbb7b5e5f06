"""Intervals and differences beyond chance, against published values and by simulation."""

import math
import random
from pathlib import Path

import polars as pl
import pytest
import wordline as wl
from wordline import _native
from wordline.errors import ConfigError
from wordline.figures import metrics, significance, statistics
from wordline.sweeps import summary


@pytest.mark.parametrize(
    ("degrees", "quantile"),  # any table of Student's t, two-sided, 95 %
    [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (30, 2.042), (1000, 1.962)],
)
def test_quantiles_are_those_of_the_tables(degrees: int, quantile: float) -> None:
    assert _native.student_quantile(degrees, 0.95) == pytest.approx(quantile, abs=6e-4)
    assert _native.student_tails(quantile, degrees) == pytest.approx(0.05, abs=1e-4)


def test_tails_have_closed_forms() -> None:
    for t in (0.0, 0.3, 1.0, 7.0, 200.0):  # of one and of two degrees of freedom
        assert _native.student_tails(t, 1) == pytest.approx(
            1 - 2 * math.atan(t) / math.pi, rel=1e-9
        )
        assert _native.student_tails(t, 2) == pytest.approx(1 - t / math.sqrt(2 + t * t), abs=1e-9)


def test_intervals_hold_the_true_mean_as_often_as_they_say() -> None:
    chance = random.Random(1)
    found = [statistics.of_values([chance.gauss(3, 1) for _ in range(5)]) for _ in range(2000)]
    share = sum(one.low <= 3 <= one.high for one in found) / len(found)
    assert 0.935 < share < 0.965


def test_ratios_are_of_pairs() -> None:
    of = statistics.of_ratios([(2.0, 1.0), (20.0, 10.0), (200.0, 100.0)])
    assert of and of.mean == pytest.approx(2) and of.chance == 0.0
    wide = statistics.of_ratios([(1.0, 2.0), (2.0, 1.0)])
    assert wide and wide.mean == pytest.approx(1) and wide.chance == pytest.approx(1)
    assert wide.low < 0.1 < 10 < wide.high
    one = statistics.of_ratios([(3.0, 2.0)])
    assert one and (one.low, one.high, one.chance) == (one.mean, one.mean, None)
    assert statistics.of_ratios([(0.0, 1.0)]) is None
    assert statistics.of_ratios([]) is None
    same = statistics.of_ratios([(1.0, 1.0), (2.0, 2.0)])
    assert same and same.chance == 1.0


def test_of_many_differences_few_are_beyond_chance() -> None:
    assert statistics.beyond_chance({"a": 0.01, "b": 0.02, "c": 0.9}) == {"a", "b"}
    assert statistics.beyond_chance({"a": 0.02, "b": 0.02, "c": 0.02}) == set()
    assert statistics.beyond_chance({"a": 0.0166, "b": 0.0249, "c": 0.05}) == {"a", "b", "c"}
    assert statistics.beyond_chance({}) == set()


def test_a_front_is_what_nothing_beats() -> None:
    rows = [(1, 5), (2, 2), (5, 1), (3, 3), (1, 5), (1, 6)]
    assert summary.front(rows, (1, 1)) == [0, 1, 2, 4]
    assert summary.front(rows, (-1, 1)) == [2]
    assert summary.front([], (1, 1)) == []


def test_tables_made_by_python_survive_parquet() -> None:
    columns = [
        ("whole", "whole", [1, 2**64 - 1, 3]),
        ("number", "number", [None, 0.5, -1.0]),
        ("text", "text", ["ä", None, ""]),
    ]
    table = _native.Table.from_columns(columns)
    again = _native.Table.from_parquet(table.parquet())
    assert again == table and again.parquet() == table.parquet()
    assert dict(again) == {name: values for name, _, values in columns}  # pyright: ignore
    assert pl.DataFrame(again).rows() == [(1, None, "ä"), (2**64 - 1, 0.5, None), (3, -1.0, "")]
    assert table != _native.Table.from_columns([("whole", "whole", [1, 2, 3]), *columns[1:]])
    with pytest.raises(ValueError, match="column `b` has 1 rows, not 2"):
        _native.Table.from_columns([("a", "whole", [1, 2]), ("b", "text", ["x"])])
    with pytest.raises(ValueError, match="no kind of column"):
        _native.Table.from_columns([("a", "wide", [])])


def test_toml_is_read_with_its_lines() -> None:
    from wordline.native import native_api

    assert native_api.parse_toml("a.b = 1.0\nc = [true]", "x") == {"a": {"b": 1.0}, "c": [True]}
    with pytest.raises(ConfigError, match=r"x\.toml:2: not valid TOML"):
        native_api.parse_toml("a = 1\nb = ", "x.toml")


def test_a_comparison_over_seeds_tells_what_is_beyond_chance(tmp_path: Path) -> None:
    """Ratios are geometric means over pairs of equal seed; the first seed is the drive's own."""
    work, over = "zipf:theta=0.9,writes=3000", {"drive": {"over_provisioning": 0.5}}
    drives = {"base": {}, "same": {"run": {"records": True}}, "more": over}
    found = wl.compare("tiny", None, [work], variants=drives, seeds=5)
    base, same, more = found.cases
    assert [len(case.repeats) for case in found.cases] == [4, 4, 4]
    alone = wl.run("tiny", work, over, run={"seed": 3})
    assert more.repeats[1] == metrics.figures(alone)
    assert more.figures[0] == metrics.figures(more.result)
    of = {(effect.variant, effect.metric.key): effect for effect in found.effects}
    amplification = of["more", "write_amplification"]
    pairs = zip(more.figures, base.figures, strict=True)
    logs = [
        math.log(ours["write_amplification"] / theirs["write_amplification"])  # pyright: ignore
        for ours, theirs in pairs
    ]
    assert amplification.ratio.mean == pytest.approx(math.exp(sum(logs) / 5))
    assert amplification.ratio.repeats == 5 and amplification.verdict == "yes"
    assert of["same", "write_amplification"].verdict == "no"  # nothing else is written
    assert same.figures == base.figures
    assert found.to_dict()["effects"][0]["repeats"] == 5
    found.save(tmp_path / "out")
    again = wl.load(tmp_path / "out")
    assert isinstance(again, wl.Comparison)
    assert [effect.to_dict() for effect in again.effects] == found.to_dict()["effects"]
    assert "Beyond chance" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(("repeats", "told"), [(1, "–"), (2, "×1.10 to ×1.30")])
def test_two_repeats_have_an_interval_and_one_has_none(repeats: int, told: str) -> None:
    ratio = statistics.Interval(1.2, 1.1, 1.3, repeats)
    assert significance.Effect("b", "w", metrics.METRICS[0], ratio, False).interval == told


def test_further_seeds_follow_that_of_the_configuration() -> None:
    work = "uniform:requests=2000,interval_us=3000"
    (case,) = wl.compare("tiny", ["conventional"], [work], seeds=3, run={"seed": 7}).cases
    alone = [wl.run("tiny", work, run={"seed": seed}) for seed in (8, 9)]
    assert list(case.repeats) == [metrics.figures(result) for result in alone]


def test_a_comparison_with_one_seed_judges_nothing() -> None:
    found = wl.compare("tiny", None, ["uniform:writes=300"], variants={"a": {}, "b": {}})
    assert found.effects == [] and found.cases[0].repeats == ()
    with pytest.raises(ConfigError, match="seeds"):
        wl.compare("tiny", ["conventional"], seeds=0)


def test_a_comparison_finds_its_runs_in_the_store(tmp_path: Path) -> None:
    """Those of a sweep over the same drives as well."""
    work = "uniform:writes=300"
    wl.sweep("tiny", {"drive.over_provisioning": [0.3]}, workloads=[work], seeds=2, store=tmp_path)
    kept = wl.Store(tmp_path)
    assert len(kept.keys()) == 2
    drives = {"a": {"drive": {"over_provisioning": 0.3}}, "b": {}}
    first = wl.compare("tiny", None, [work], variants=drives, seeds=2, store=tmp_path)
    assert len(kept.keys()) == 4
    again = wl.compare("tiny", None, [work], variants=drives, seeds=2, store=kept)
    assert again.to_dict() == first.to_dict() and len(kept.keys()) == 4


def test_an_interval_of_three_repeats_is_that_of_two_degrees_of_freedom() -> None:
    found = statistics.of_values([1.0, 2.0, 3.0])
    reach = 4.302653 / math.sqrt(3)  # Student's t of two degrees at 97.5 %, by table
    assert found.mean == 2.0
    assert found.high - found.mean == pytest.approx(reach, rel=1e-6)
    assert found.mean - found.low == pytest.approx(reach, rel=1e-6)


def test_effects_are_judged_together() -> None:
    known = metrics.METRICS[:2]
    measured = {
        ("drive", "load", metric.key): statistics.Interval(0.9, 0.85, 0.95, 5, chance)
        for metric, chance in zip(known, (0.03, 0.04), strict=True)
    }
    # Alone each would be: together one of them is by chance too often.
    assert [effect.verdict for effect in significance.judged(measured, known)] == ["no", "no"]
    one = dict([next(iter(measured.items()))])
    assert [effect.verdict for effect in significance.judged(one, known)] == ["yes"]


def test_a_drive_better_here_and_worse_there_is_judged_by_the_axis_that_turns_it() -> None:
    worth = {("program", 1): 0.7, ("program", 3): 0.66, ("buffer", 1): 1.3, ("buffer", 3): 1.2}
    rows = [
        {
            "variant": variant,
            "workload": "load",
            "seed": seed,
            "ends": ends,
            "space": space,
            "write_amplification": (2 + 0.01 * seed) * (1 if variant == "first" else ratio),
            "iops": 100.0 if variant == "first" else 100.001,
        }
        for (ends, space), ratio in worth.items()
        for seed in range(1, 7)
        for variant in ("first", "other")
    ]
    known = {metric.key: metric for metric in metrics.METRICS}
    found = summary.effects(rows, ["space", "ends"], [known["write_amplification"], known["iops"]])
    told = {it.workload: (round(it.ratio.mean, 3), it.is_beyond_chance) for it in found}
    assert told == {
        "load, ends=program": (round((0.7 * 0.66) ** 0.5, 3), True),
        "load, ends=buffer": (round((1.3 * 1.2) ** 0.5, 3), True),
        "load": (1.0, False),  # less than 1 % is no difference, however sure
    }
