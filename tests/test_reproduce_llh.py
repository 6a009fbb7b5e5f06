"""The study of LLH-FTL: what it counts, and when it refuses to."""

import operator

import pytest
import wordline as wl
from wordline import _native
from wordline.configuration import find
from wordline.errors import RunError
from wordline.native.types.run import RunResult
from wordline.native.types.trace import TraceInfo
from wordline.reproduce import Load
from wordline.reproduce.llh import erases, limits, readings, times, workloads
from wordline.reproduce.llh.drives import DRIVES
from wordline.reproduce.llh.statements import rank_correlation


class _Found:
    """Findings of one workload by drive."""

    is_whole = False

    def __init__(self, results: dict[str, RunResult]) -> None:
        self.loads = [Load("a", "uniform:writes=1")]
        self._results = results

    def result(self, drive: str, load: Load) -> RunResult:
        assert load in self.loads
        return self._results[drive]

    def traffic(self, load: Load) -> TraceInfo:
        raise NotImplementedError(load.name)


def _run(writes: int, **run: int) -> RunResult:
    return wl.run("tiny", f"uniform:writes={writes}", run={"mode": "count", **run})


def test_a_drive_that_hardly_erases_has_no_ratio() -> None:
    long, short = _run(120_000), _run(3_000)
    blocks = sum(blocks for _, blocks in long.wear.histogram)
    assert long.flash.erases >= 2 * blocks > short.flash.erases
    found = _Found({"with": short, "without": long})
    load = found.loads[0]
    ratio = erases.ratio(found, ("with", "without"), load)
    assert ratio == short.flash.erases / long.flash.erases
    with pytest.raises(RunError, match="too few for a ratio"):
        erases.ratio(found, ("without", "with"), load)


def test_a_quantile_is_one_of_reads_and_writes_together() -> None:
    result = wl.run("tiny", "uniform:requests=20000,read=0.5,interval_us=900")
    kinds = (result.host.read, result.host.write)
    for share in (0.1, 0.5, 0.9, 0.99):
        at = times.quantile_us(result, share)
        # So many take at most as long, and no more than so many less.
        for limit_us, holds in ((at, operator.ge), (at - 0.001, operator.lt)):
            below = sum(
                kind.count * max((s for us, s in kind.distribution if us <= limit_us), default=0.0)
                for kind in kinds
            )
            assert holds(below / sum(kind.count for kind in kinds), share - 1e-9)
    assert times.quantile_us(result, 1.0) == max(kind.max_us for kind in kinds)


def test_ranks_correlate_whatever_the_distances() -> None:
    assert rank_correlation([1, 2, 3], [10, 20, 4000]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [5, 4, -7]) == pytest.approx(-1)
    assert rank_correlation([1, 2, 3, 4], [1, 1, 1, 1]) == 0
    assert abs(rank_correlation([1, 2, 3, 4], [2, 1, 1, 2])) < 1e-9


def test_the_first_pages_of_zipf_take_half_of_the_accesses() -> None:
    assert (
        workloads.hot_share(1.0, 4) == 0.25
    )  # 1 of 1 + 1/2 + 1/3 + 1/4, and with 1/2 more than half
    # The share at 28 % of a drive of 16 GiB (computed from the harmonic numbers).
    assert workloads.hot_share(0.9, 3_276_800) == pytest.approx(0.00659, rel=0.01)


def test_each_volume_is_written_for_long_enough_to_be_counted() -> None:
    for volume in workloads.NAMES:
        row = workloads.rows()[volume]
        keys = dict(key.split("=", 1) for key in workloads.load(volume, None).keys)
        warm = int(keys["run.measure_from_repeat"]) - 1
        counted = int(keys["workload.repeat"]) - warm
        assert warm * row.written_gib >= row.drive_gib
        assert counted * row.written_gib >= 2.2 * row.drive_gib


def test_each_workload_from_the_fill_is_replayed_as_often_with_a_fresh_threshold() -> None:
    for volume in workloads.NAMES:
        load = workloads.from_the_fill(volume, None)
        assert workloads.volume_of(load.name) == volume
        keys = [key for key in load.keys if key.startswith(("workload.", "run."))]
        assert keys == ["workload.repeat=2"]


def test_what_is_passed_over_is_left_out_of_the_expected_erases() -> None:
    keys = ("drive.channels=1", "drive.chips_per_channel=1", "drive.chip.blocks_per_plane=32")
    drive = wl.run(
        find("llh-ftl-16g").with_overrides((*keys, "run.mode=count", 'ftl.hotness.policy="oracle"'))
        .resolve(),
        "hotcold:writes=60000,hot=0.2,share=0.6,size_kib=4",
    )  # fmt: skip
    told = drive.technique["llh_ftl"]
    hot, low = told["writes"]["hot_share"], told["reprograms"] + told["low_pages_left_out"]
    found = _Found({"half op28": drive})
    ours = erases.expected_of_reused(found, found.loads[0])
    assert told["low_pages_left_out"] > 100 < told["reprograms"]
    # Pages of a block, of which each low page that is written again adds half of one.
    pages = 1 + told["reprograms"] / low * 0.5 * 0.5
    assert ours == pytest.approx((1 - hot) + hot / pages)


def test_the_closed_form_is_the_publications_where_room_costs_nothing() -> None:
    for hot in (0.14, 0.5, 0.95):
        erases_, least = _native.reuse(hot, 0.0, 1e6, 1e6, limits._UNITS, 0.0)
        assert erases_ == pytest.approx((5 - hot) / 5, abs=1e-4)
        assert least == pytest.approx(0, abs=1e-3)


def test_the_stripe_of_zipf_has_all_banks_and_all_requests() -> None:
    loads = {load.name: load for load in readings.STUDY.loads(None, False)}
    for volume in workloads.ZIPF:
        striped, sampled = loads[f"{volume}_on_16_banks"], workloads.load(volume, None)
        assert {"drive.channels=4", "drive.chips_per_channel=4"} <= set(striped.keys)
        requests = [int(of.source.rpartition("requests=")[2]) for of in (striped, sampled)]
        assert requests[0] == pytest.approx(16 * requests[1], abs=16)
        (whole, part) = (
            float(key.partition("hot_share=")[2])
            for of in (striped, sampled)
            for key in of.keys
            if "hot_share=" in key
        )
        assert whole < part, "the whole is more skewed than a sixteenth of it"


def test_a_cell_has_a_ratio_for_each_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def ratio(_: _Found, systems: tuple[str, str], load: Load) -> float:
        assert load.name == "a"
        with_it, without = (system.split(" seed ") for system in systems)
        assert (with_it[0], without[0]) == ("half op7", "baseline op7")
        assert with_it[1:] == without[1:]  # a pair has the same seed
        return float(with_it[1]) if with_it[1:] else 1.0

    monkeypatch.setattr(erases, "ratio", ratio)
    assert erases.over_seeds(_Found({}), "half", 7) == {"a": [1, 2, 3, 4, 5]}
    # The first seed is the study's own, and each further one is a drive of the study.
    for seed in range(2, 6):
        assert f"run.seed={seed}" in DRIVES[f"half op7 seed {seed}"]
