"""Sweeps: what they are made of, what is refused, what is kept, and that they go on."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
import wordline as wl
from click.testing import CliRunner
from conftest import HANGS_S, Cli
from wordline import workers
from wordline.cli.app import app
from wordline.configuration import find
from wordline.errors import ConfigError, OutputError
from wordline.results import identity, store
from wordline.results.store import Head, Kept, Store
from wordline.sweeps import engines, estimate, library, points, runner, sampling, spec, work
from wordline.sweeps.processes import Processes, WorkerDiedError
from wordline.sweeps.spec import Spec

LOADS = ["uniform:writes=300", "zipf:writes=300"]
OP = "drive.over_provisioning"


def small(**more: Any) -> Spec:
    """A sweep of eight short runs."""
    given: dict[str, Any] = {"axes": {OP: [0.2, 0.4]}, "workloads": LOADS, "seeds": 2, **more}
    return spec.make("tiny", **given)


def names(made: Spec) -> list[str]:
    return [point.name for point in points.expand(made)]


# What sweeps are made of


def test_a_grid_has_every_point_once_in_order() -> None:
    made = small(axes={"drive": {"over_provisioning": [0.2, 0.4]}, "ftl.gc.d": [2, 3]})
    assert len(points.expand(made)) == 2 * 2 * 2 * 2
    assert names(made)[:3] == [
        f"point 0 ({OP} = 0.2, ftl.gc.d = 2, on {LOADS[0]}, seed 1)",
        f"point 1 ({OP} = 0.2, ftl.gc.d = 2, on {LOADS[0]}, seed 2)",
        f"point 2 ({OP} = 0.2, ftl.gc.d = 3, on {LOADS[0]}, seed 1)",
    ]


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({"from": 1, "to": 5, "step": 2}, [1, 3, 5]),
        ({"from": 1, "to": 4, "step": 2}, [1, 3]),
        ({"from": 0.1, "to": 0.3, "step": 0.1}, [0.1, 0.2, 0.3]),
        ({"from": 5, "to": 1, "step": -2}, [5, 3, 1]),
        ({"from": 0.1, "to": 0.5, "count": 5}, [0.1, 0.2, 0.3, 0.4, 0.5]),
        ({"from": 1.0, "to": 100.0, "count": 3, "scale": "log"}, [1.0, 10.0, 100.0]),
        ({"from": 1, "to": 8, "count": 4, "scale": "log"}, [1, 2, 4, 8]),
        ({"from": 1, "to": 2, "count": 9}, [1, 2]),
        ({"from": 0.3, "to": 0.7, "count": 1}, [0.3]),
        ([1, 2.5, "x", True], [1, 2.5, "x", True]),
        ([[1, 2], [3]], [(1, 2), (3,)]),
    ],
)
def test_axes_have_the_values_that_they_say(given: Any, values: list[Any]) -> None:
    (axis,) = spec.make("tiny", axes={"ftl.gc.d": given}).axes
    assert [value for (value,) in axis.values] == values
    assert [type(value) for (value,) in axis.values] == [type(value) for value in values]


def test_keys_of_a_zip_vary_together() -> None:
    made = spec.make("tiny", zips=[{"drive.channels": [1, 2], "drive.chips_per_channel": [4, 2]}])
    assert [dict(point.axes) for point in points.expand(made)] == [
        {"drive.channels": 1, "drive.chips_per_channel": 4},
        {"drive.channels": 2, "drive.chips_per_channel": 2},
    ]


def test_a_key_of_a_technique_concerns_the_drives_that_have_it() -> None:
    key = "technique.slc_cache.share"
    made = spec.make("tiny", techniques=["conventional", "slc_cache"], axes={key: [0.1, 0.2]})
    assert [dict(point.axes) for point in points.expand(made)] == [{}, {key: 0.1}, {key: 0.2}]
    alone = spec.make("tiny", axes={key: [0.1, 0.2]})
    assert [dict(point.axes) for point in points.expand(alone)] == [{key: 0.1}, {key: 0.2}]


@pytest.mark.parametrize("draw", [sampling.latin_hypercube, sampling.sobol])
@pytest.mark.parametrize("axes", [1, 2, 7, sampling.MOST_AXES])
def test_samples_fill_every_slice_of_every_axis(
    draw: Callable[..., list[list[float]]], axes: int
) -> None:
    count = 64
    drawn = draw(axes, count, 5)
    assert drawn == draw(axes, count, 5) != draw(axes, count, 6)
    for column in zip(*drawn, strict=True):
        assert sorted(int(share * count) for share in column) == list(range(count))


def test_a_latin_hypercube_draws_anywhere_in_its_slices() -> None:
    """Where a sample lies in its slice is uniform: by the mean and the ends of a thousand."""
    count = 1000
    places = [row[0] * count % 1 for row in sampling.latin_hypercube(1, count, 7)]
    assert abs(sum(places) / count - 0.5) < 4 / (12 * count) ** 0.5
    assert min(places) < 0.01 and max(places) > 0.99


def test_a_sobol_sequence_fills_squares_where_chance_does_not() -> None:
    def squares(rows: list[list[float]], axis: int) -> int:
        return len({(int(row[0] * 8), int(row[axis] * 8)) for row in rows})

    drawn = sampling.sobol(5, 64, 1)
    assert [squares(drawn, axis) for axis in range(1, 5)] == [64] * 4
    assert squares(sampling.latin_hypercube(5, 64, 1), 1) < 64


def test_samples_of_a_range_are_within_it() -> None:
    axes = {OP: {"from": 0.1, "to": 0.4, "count": 2}, "ftl.gc.d": {"from": 1, "to": 4, "count": 2},
            "ftl.gc.policy": ["greedy", "fifo"]}  # fmt: skip
    made = spec.make("tiny", axes=axes, sample={"method": "sobol", "points": 16})
    found = [point.axes for point in points.expand(made)]
    assert len(found) == 16
    assert all(0.1 <= one[OP] <= 0.4 for one in found)  # type: ignore[operator]
    assert {one["ftl.gc.d"] for one in found} == {1, 2, 3, 4}
    assert [one["ftl.gc.policy"] for one in found].count("fifo") == 8


# What is refused, before anything starts

REFUSED: list[tuple[str, Sequence[str]]] = [
    ("", ["`base` is missing", 'base = "tiny"']),
    ('base = "tny"', ["no file and no drive preset `tny`", "did you mean `tiny`?"]),
    ("base = 3", ["3 is no text", "base"]),
    ('base = "tiny"\naxes = [1]', ["is no table", "axes"]),
    ('base = "tiny"\naxis = 1', ["a sweep has no `axis`", "did you mean `axes`?"]),
    ('base = "tiny"\n[axes', ["not valid TOML", "where: sweep.toml:2"]),
    ('base = "tiny"\n[axes]\ndrive.chanels = [1]', ["unknown key `chanels`", "`channels`?",
                                                     "point 0 (drive.chanels = 1)"]),
    ('base = "tiny"\n[axes]\ndrive.channels = []', ["the axis is empty", "axes.drive.channels"]),
    ('base = "tiny"\n[axes]\ndrive.channels = 3', ["3 is no axis", "give a list, or a range"]),
    ('base = "tiny"\n[axes]\ndrive.channels = [1, 1]', ["`1` is given twice", "axes.drive."]),
    ('base = "tiny"\n[axes]\nftl.gc.d = {from = 1, to = 3}', ["either `step` or `count`"]),
    ('base = "tiny"\n[axes]\nftl.gc.d = {from = 1, step = 3}', ["a range without `to`"]),
    ('base = "tiny"\n[axes]\nftl.gc.d = {from = 1, to = 3, step = 0}', ["the range never ends"]),
    ('base = "tiny"\n[axes]\nftl.gc.d = {from = 1, to = 3, step = -1}', ["the range never ends"]),
    ('base = "tiny"\n[axes]\nftl.gc.d = {from = 1, to = inf, step = 1}', ["inf, or no number at"]),
    ('base = "tiny"\n[axes]\nftl.gc.d = {from = 0, to = 1, step = 1e-9}', ["1,000,000,000 values"]),
    ('base = "tiny"\n[axes]\nftl.gc.d = {from = 1, to = 3, by = 1}', ["a range has no `by`"]),
    ('base = "tiny"\n[axes]\nftl.gc.d = {from = 0, to = 3, count = 2, scale = "log"}',
     ["a logarithmic range is of positive numbers"]),
    ('base = "tiny"\n[axes]\nftl.gc.d = {from = 1, to = 3, count = 2, scale = "lg"}',
     ["unknown scale 'lg'", "did you mean `log`?"]),
    ('base = "tiny"\n[axes]\nftl.gc.d = {from = 1, to = 3, count = 0}', ["0 cannot be", "count"]),
    ('base = "tiny"\n[axes]\ndrive.over_provisioning = [0.2, 7]',
     ["from 0 to 2", "point 1 (drive.over_provisioning = 7)"]),
    ('base = "tiny"\n[axes]\ndrive.over_provisioning = [0.2, 0]',
     ["GC could not make progress", "point 1 (drive.over_provisioning = 0)", "help: raise"]),
    ('base = "tiny"\n[axes]\nrun.seed = [2000-01-01]', ["is no"]),
    ('base = "tiny"\n[axes]\nftl.gc.d = [nan]', ["inf or nan, which no key can have"]),
    ('base = "tiny"\n[[zip]]\nftl.gc.d = [1]\ndrive.channels = [1, 2]', ["lists of different"]),
    ('base = "tiny"\n[[zip]]', ["the zip is empty"]),
    ('base = "tiny"\nzip = 3', ["3 is no table", "zip 1"]),
    ('base = "tiny"\n[axes]\nftl.gc.d = [1]\n[[zip]]\nftl.gc.d = [1]', ["`ftl.gc.d` is given tw"]),
    ('base = "tiny"\nworkloads = "uniform"', ["'uniform' is not a list", "write ['uniform']"]),
    ('base = "tiny"\nworkloads = []', ["the list is empty", "workloads"]),
    ('base = "tiny"\nworkloads = ["a.csv"]', ["a.csv", "point 0 (on a.csv)"]),
    ('base = "tiny"\nworkloads = ["uniform", "uniform"]', ["`uniform` is given twice"]),
    ('base = "tiny"\ntechniques = ["magic"]', ["unknown technique `magic`"]),
    ('base = "tiny"\n[variants]\na = 3', ["3 is no table", "variants.a"]),
    ('base = "tiny"\nseeds = 0', ["0 cannot be", "seeds"]),
    ('base = "tiny"\nseeds = [1, 1]', ["`1` is given twice", "seeds"]),
    ('base = "tiny"\nseeds = [-1]', ["-1 cannot be", "seeds"]),
    ('base = "tiny"\nseeds = true', ["True is neither a number of seeds nor a list"]),
    ('base = "tiny"\n[sample]\nmethod = "sobol"', ["`points` is missing"]),
    ('base = "tiny"\n[sample]\nmethod = "sobol"\npoints = 3', ["there is no axis to sample"]),
    ('base = "tiny"\n[sample]\nmethod = "sobl"', ["unknown method", "did you mean `sobol`?"]),
    ('base = "tiny"\n[sample]\nsize = 3', ["a sample has no `size`"]),
    ('base = "tiny"\nseeds = 9999\n[axes]\nftl.gc.d = {from = 1, to = 999, step = 1}',
     ["9,989,001 points, more than 1,000,000", "thin out its axes"]),
    ('base = "tiny"\nworkloads = ["uniform:requests=9"]\n[axes]\n'
     '"drive.over_provisioning" = [0.28, 0.001]\n"run.measure_from_request" = [5]',
     ["a domain has 128 blocks", "point 1 (drive.over_provisioning = 0.001"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told"), REFUSED)
def test_what_cannot_be_swept_is_refused_with_the_point(
    text: str, told: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweep.toml").write_text(text)
    done = CliRunner().invoke(app, ["sweep", "sweep.toml"], prog_name="wordline")
    assert done.exit_code == 2, done.stderr
    assert [part for part in told if part not in done.stderr] == [], done.stderr
    assert "where: sweep.toml" in done.stderr or "base" in text, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]


def test_a_store_that_is_none_or_of_a_later_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    with pytest.raises(OutputError, match="no store of results, such as `mine`"):
        Store(tmp_path)
    assert Store(tmp_path / "later").id == Store(tmp_path / "later").id != ""
    later = tmp_path / "later" / "store.json"
    later.write_text(json.dumps({"store": store.FORM + 1, "id": "x"}))
    with pytest.raises(OutputError, match="of a later version of Wordline: form 2"):
        Store(tmp_path / "later")
    later.write_text("[]")
    with pytest.raises(OutputError, match="damaged"):
        Store(tmp_path / "later")


def test_an_estimate_leaves_out_what_is_kept(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    plan = points.plan(small(), kept)
    estimate.of(plan, kept, 1)  # carries a few out, and keeps them
    found = estimate.of(plan, kept, 1)
    left = found.runs - found.kept_already
    assert 0 < left < found.runs and found.run_s
    assert found.seconds == pytest.approx(left * found.run_s)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(75, "1 min 15 s"), (7500, "2 h 5 min"), (7259, "2 h"), (93_784, "1 d 2 h")],
)  # fmt: skip
def test_times_are_told_in_their_two_largest_units(seconds: float, told: str) -> None:
    assert estimate.duration(seconds) == told


def test_engines_that_are_none_are_refused(tmp_path: Path) -> None:
    for on, told in (
        ("ray:x", "unknown engine `ray:x`"),
        ("", "unknown engine ``"),
        (3, "3 is no engine"),
        ("slurm:jbs=3", r"slurm has no `jbs`.*did you mean `jobs`"),
        ("slurm:jobs=x", "`jobs=x` is no number"),
        ("slurm:jobs=0", "`jobs=0` cannot be"),
    ):
        with pytest.raises(ConfigError, match=told):
            library.carry_out(small(), Store(tmp_path), on, None, print)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="0 cannot be"):
        library.carry_out(small(), Store(tmp_path), None, 0, print)
    assert not Store(tmp_path).keys()


def test_an_estimate_reckons_with_the_runs_that_go_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight runs of ten seconds, four at a time, take 20 s, and the memory of four."""
    monkeypatch.setattr(estimate, "_run_s", lambda *_: 10.0)
    plan = points.plan(small(), Store(tmp_path))
    found = estimate.of(plan, Store(tmp_path), 4)
    assert (found.workers, found.run_s, found.seconds) == (4, 10.0, 20.0)
    assert found.memory_mib == 4 * (plan.memory_bytes + workers.RUN_BYTES) / (1 << 20)


def test_a_sweep_takes_the_memory_of_its_largest_drive(tmp_path: Path) -> None:
    made = small(axes={"drive.chip.blocks_per_plane": [64, 512, 128]}, seeds=1)
    plan = points.plan(made, Store(tmp_path))
    needs = {plan.configuration(point).memory_bytes() for point in plan.points}
    assert len(needs) == 3 and plan.memory_bytes == max(needs)


@pytest.mark.parametrize(("runs", "size"), [(80, 10), (81, 11), (8, 1), (3, 1)])
def test_a_task_leaves_two_to_each_worker_before_any_run_was_timed(runs: int, size: int) -> None:
    """Four workers, with a task each under way and another one ahead."""
    with ThreadPoolExecutor(4) as pool:
        engine = engines.Engine("four", pool, lambda: 4, task_s=60.0)
        course = SimpleNamespace(standing=runner.Standing(runs), engine=engine, waiting=range(runs))
        assert runner._size(course) == size  # type: ignore[arg-type]


class _DecidedError(Exception):
    pass


@pytest.mark.parametrize(
    ("fit_together", "decided"), [(None, 6), (3, 3), (1, 1)], ids=["all", "three", "one"]
)
def test_as_many_runs_go_at_a_time_as_are_missing_if_memory_suffices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fit_together: int | None, decided: int
) -> None:
    """Of eight runs two are kept: on sixteen processors six go at a time."""
    kept = Store(tmp_path)
    plan = points.plan(small(), kept)
    need = plan.memory_bytes + workers.RUN_BYTES
    monkeypatch.setattr(workers, "cores", lambda: 16)
    monkeypatch.setattr(
        workers, "free_bytes", lambda: None if fit_together is None else fit_together * need
    )
    number, found = workers.number, []

    def decide(*asked: Any) -> int:
        found.append(number(*asked))
        raise _DecidedError

    monkeypatch.setattr(workers, "number", decide)
    with pytest.raises(_DecidedError):
        runner.drive(plan, kept, plan.keys[:2])
    assert found == [decided]


# What is kept


def test_a_sweep_runs_once_and_gives_what_single_runs_give(tmp_path: Path) -> None:
    first = wl.sweep(small(), store=tmp_path)
    assert first.standing and (first.standing.ended, first.standing.found) == (8, 0)
    again = wl.sweep(small(), store=tmp_path)
    assert again.standing and (again.standing.ended, again.standing.found) == (0, 8)
    assert again.table.parquet() == first.table.parquet()
    frame = first.to_polars()
    assert frame.columns[:5] == ["point", "variant", "workload", "seed", OP]
    assert frame["seed"].to_list() == [1, 2] * 4
    for row in frame.iter_rows(named=True):
        run = wl.run("tiny", row["workload"], drive={"over_provisioning": row[OP]},
                     run={"seed": row["seed"]})  # fmt: skip
        assert row["write_amplification"] == run.write_amplification
        assert row["write_p99_us"] == run.host.write.p99_us
        assert row["read_mean_us"] is None
        found = again.result(row["point"])
        assert found == run
        assert found.config_toml == run.config_toml


def test_a_result_is_kept_under_what_it_depends_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store(tmp_path / "store")

    def key(*overrides: str) -> str:
        return kept.identity_of(find("tiny").with_overrides(overrides)).key

    assert key() == key("run.seed=1") != key("run.seed=2")
    one, other = tmp_path / "one" / "t.csv", tmp_path / "other" / "t.csv"
    for place in (one, other):
        place.parent.mkdir()
        place.write_text("1,host,0,Write,0,4096,0\n")
    assert key(f'workload.source="{one}"') == key(f'workload.source="{other}"')
    other.write_text("2,host,0,Write,4096,4096,0\n")
    assert key(f'workload.source="{one}"') != key(f'workload.source="{other}"')
    more = [f'workload.source="{one}"', f'workload.interleave=["{other}"]']
    assert len({key(more[0]), key(*more), key(f'workload.source="{other}"')}) == 3
    here = key()
    monkeypatch.setattr(identity, "SIMULATOR", "another")
    assert key() != here


def test_digests_of_traces_are_remembered_until_they_change(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("1,host,0,Write,0,4096,0\n")
    os.utime(trace, (1, 1))
    contents = identity.Contents(tmp_path / "kept.json")
    first = contents.trace(str(trace))
    assert first and contents.is_at(trace, first)
    contents.keep()
    trace.write_text("1,host,0,Write,0,8192,0\n")
    os.utime(trace, (1, 1))  # as no editor would
    again = identity.Contents(tmp_path / "kept.json").trace(str(trace))
    assert again == first
    os.utime(trace, (2, 2))
    changed = identity.Contents(tmp_path / "kept.json").trace(str(trace))
    assert changed and changed.digest != first.digest and not contents.is_at(trace, first)
    assert contents.trace("uniform") is None


def test_what_is_damaged_is_run_again(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    first = wl.sweep(small(), store=kept)
    paths = sorted((tmp_path / "runs").rglob("??????*"))
    assert len(paths) == 8
    whole = [path.read_bytes() for path in paths]
    paths[0].write_bytes(b"")
    paths[1].write_bytes(whole[1][:100])
    paths[2].write_bytes(whole[2][:-1] + b"x")
    assert [kept.head(path.name) for path in paths[:3]] == [None] * 3
    again = wl.sweep(small(), store=kept)
    assert again.standing and again.standing.ended == 3
    assert again.table.parquet() == first.table.parquet()


def test_every_flipped_bit_of_a_kept_run_is_noticed(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    (key,) = {*wl.sweep(small(seeds=1, axes={}, workloads=LOADS[:1]), store=kept).table["key"]}
    (path,) = (tmp_path / "runs").rglob("??????*")
    whole = path.read_bytes()
    beginning = range(8 * 1500)  # the line with the figures
    for bit in [*beginning, *range(beginning.stop, 8 * len(whole), 997)]:
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        assert kept.head(key) is None and kept.get(key) is None, f"bit {bit}"


def test_flipped_bits_in_any_file_of_a_store_change_nothing(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("".join(f"{10_000 * n},host,0,Write,{n * 4096},4096,0\n" for n in range(50)))
    os.utime(trace, (1, 1))  # long ago: its digest is remembered
    folder, made = tmp_path / "store", small(seeds=1, workloads=[*LOADS, str(trace)])
    first = wl.sweep(made, store=folder)
    store.Store(folder).keep_outage("abc", {"cut_lost_kib": 1.5})
    kept = [path for path in folder.rglob("*") if path.is_file() and path.name != store.ABOUT]
    assert {path.relative_to(folder).parts[0] for path in kept} == {
        "runs", "plans", "cuts", "digests"
    }  # fmt: skip
    random = Random(7)
    for _ in range(5):
        for path in kept:
            flipped = bytearray(path.read_bytes())
            flipped[random.randrange(len(flipped))] ^= 1 << random.randrange(8)
            path.write_bytes(flipped)
        assert Store(folder).outage("abc") is None
        again = wl.sweep(made, store=folder)
        assert again.standing and (again.standing.found, again.standing.ended) == (0, 6)
        assert again.table.parquet() == first.table.parquet()
        store.Store(folder).keep_outage("abc", {"cut_lost_kib": 1.5})


@pytest.mark.parametrize("place", ["store.json", "plans/*", "runs/*/*"])
def test_a_pipe_in_a_store_is_told_at_once(place: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("1,host,0,Write,0,4096,0\n")
    os.utime(tmp_path / "t.csv", (1, 1))
    (tmp_path / "s.toml").write_text('base = "tiny"\nworkloads = ["t.csv"]\nseeds = 2\n')
    sweep = ("sweep", "s.toml", "--store", "st", "--progress", "none", "--out")
    assert cli(*sweep, "a").returncode == 0
    digests, found = tmp_path / "st" / "digests", next((tmp_path / "st").glob(place))
    for pipe in (digests, found):  # of these the first is made anew in memory
        pipe.unlink()
        os.mkfifo(pipe)
    done = cli(*sweep, "b")
    assert done.returncode == 2, done.stderr
    assert str(found.relative_to(tmp_path)) in done.stderr
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("length", [0, 10, 65_536, 65_537, 300_000])
def test_texts_of_any_length_are_kept(length: int) -> None:
    kept = Kept(Head({}, 1.0), "r" * length, "c" * length, b"series")
    data = kept.encoded()
    assert Kept.decoded(data) == kept
    assert len(data) < 140_000, "long texts are compressed"


def test_figures_of_an_earlier_version_are_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store(tmp_path)
    (key,) = {*wl.sweep(small(seeds=1, axes={}, workloads=LOADS[:1]), store=kept).table["key"]}
    before = kept.head(key)
    monkeypatch.setattr(store, "_columns", lambda: "other")
    assert kept.head(key) == before


def test_a_run_that_cannot_go_on_is_kept_as_such() -> None:
    head = store.Head({}, 0.0, ("worn out", "", "stop"))
    kept = store.Kept.decoded(store.Kept(head).encoded())
    assert kept.head == head
    with pytest.raises(wl.RunError, match=r"worn out \(stop\)"):
        kept.result_at(())


# Where it runs


def local(folder: Path, **more: Any) -> library.Sweep:
    return library.carry_out(small(**more), Store(folder), None, 2, lambda _: None)


def test_every_executor_gives_the_same_keys_and_the_same_table(tmp_path: Path) -> None:
    here = local(tmp_path / "here")
    with ThreadPoolExecutor(2) as pool:
        there = wl.sweep(small(), on=pool, store=tmp_path / "there")
    assert there.table.parquet() == here.table.parquet()
    assert Store(tmp_path / "here").keys() == Store(tmp_path / "there").keys()


def test_traces_travel_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "here" / "t.csv"
    trace.parent.mkdir()
    trace.write_text("".join(f"{10_000 * n},host,0,Write,{n * 4096},4096,0\n" for n in range(50)))
    made = small(workloads=[str(trace)])
    here = library.carry_out(made, Store(tmp_path / "a"), None, 1, lambda _: None)

    class Elsewhere(ThreadPoolExecutor):
        """A machine that sees neither the trace nor the store."""

        def submit(self, fn: Any, /, task: work.Task) -> Any:  # type: ignore[override]
            jobs = tuple(replace(job, sources=gone(job.sources)) for job in task.jobs)
            return super().submit(fn, replace(task, store=("/no/such", "x"), jobs=jobs))

    def gone(sources: identity.Sources) -> identity.Sources:
        return sources.moved({t: replace(t, path="/no/such/t.csv") for t in sources.traces})

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with Elsewhere(1) as pool:
        there = wl.sweep(made, on=pool, store=tmp_path / "b")
    assert there.table.parquet() == here.table.parquet()
    point = there.result(0)
    assert point == here.result(0) == wl.run("tiny", trace, drive={"over_provisioning": 0.2})
    assert point.config.workload.source == str(trace)


def test_a_trace_is_known_by_its_content_wherever_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    lines = "1,host,0,Write,0,4096,0\n"
    here = tmp_path / "t.csv"
    here.write_text(lines)
    trace = identity.Contents().trace(str(here))
    assert trace
    kept = Store(tmp_path / "store")
    kept.add_traces([trace])
    in_store = kept.trace_path(trace)
    own = tmp_path / f"wordline-traces-{os.getuid()}" / trace.digest / "t.csv"
    own.parent.mkdir(parents=True)
    own.write_text(lines)

    def place() -> str | None:
        monkeypatch.setattr(work, "_CONTENTS", identity.Contents())  # of another process
        return work._place(trace, kept, {})

    for path in (here, in_store, own):
        assert place() == str(path)
        path.write_text(lines.replace("Write", "Read "))  # of the same size
    assert place() is None
    assert own.parent.parent.stat().st_mode & 0o777 == 0o700
    here.write_text(lines)
    kept.add_traces([trace])
    assert in_store.read_text() == lines, "what is damaged in the store is copied anew"


def test_a_trace_that_changes_under_a_sweep_is_told(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("1,host,0,Write,0,4096,0\n")
    plan = points.plan(small(workloads=[str(trace)]), Store(tmp_path / "store"))
    trace.write_text("1,host,0,Read ,0,4096,0\n")
    for on in (None, ThreadPoolExecutor(1)):
        with pytest.raises(wl.WorkloadError, match="has changed since the sweep began"):
            runner.drive(plan, Store(tmp_path / "store"), (), on)


def test_a_folder_of_traces_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = tmp_path / f"wordline-traces-{os.getuid()}"
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="belongs to another user"):
        work._own_folder()
    folder.unlink()
    other = os.getuid() + 1
    (tmp_path / f"wordline-traces-{other}").mkdir()
    monkeypatch.setattr("os.getuid", lambda: other)
    with pytest.raises(OutputError, match="belongs to another user"):
        work._own_folder()


def test_a_worker_with_another_simulator_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry_out = work.carry_out

    def other(task: work.Task) -> work.Done:
        return carry_out(replace(task, simulator="0123456789"))

    monkeypatch.setattr(runner, "carry_out", other)
    told = pytest.raises(wl.RunError, match="has another simulator: Wordline")
    with ThreadPoolExecutor(1) as pool, told as failure:
        wl.sweep(small(), on=pool, store=tmp_path)
    assert failure.value.help == "install the same wheel there"
    assert not Store(tmp_path).keys()


def test_an_executor_that_breaks_is_told() -> None:
    engine = engines.Engine("it", ThreadPoolExecutor(1), lambda: 1)
    for error, told in (
        (ModuleNotFoundError("No module", name="wordline"), "a worker of it lacks `wordline`"),
        (engines.LostError("x"), "it is gone: x"),
        (ValueError("x"), "it failed: ValueError: x"),
    ):
        assert told in str(engines.explained(engine, error))
    engine.executor.shutdown()
    with pytest.raises(engines.LostError):
        engine.submit(print)


# Processes


def test_a_call_whose_process_dies_fails_alone() -> None:
    pool = Processes(1)
    dying = pool.submit(os._exit, 3)
    after = pool.submit(pow, 2, 5)
    with pytest.raises(WorkerDiedError, match="ended with status 3"):
        dying.result(30)
    assert after.result(30) == 32
    with pytest.raises(ZeroDivisionError):
        pool.submit(divmod, 1, 0).result(30)
    assert pool.submit(print, "no answer").result(30) is None
    with pytest.raises(Exception, match="pickle"):
        pool.submit(pow, lambda: 0).result(30)
    pool.shutdown()
    assert pool.pids() == []
    with pytest.raises(RuntimeError):
        pool.submit(pow, 1, 1)


def test_workers_end_with_their_driver() -> None:
    code = (
        "import sys, time, os\nfrom wordline.sweeps.processes import Processes\n"
        "pool = Processes(1); pool.submit(time.sleep, 600)\n"
        "while not pool.pids(): time.sleep(0.01)\n"
        "pool.submit(pow, 1, 1); print(pool.pids()[0], flush=True); time.sleep(1); os._exit(9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=HANGS_S
    )
    pid = int(done.stdout)
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
            return
        os.sched_yield()
        __import__("time").sleep(0.05)
    raise AssertionError("the worker goes on")


def test_a_run_that_kills_its_worker_is_reported_and_the_rest_completes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = small()
    plan = points.plan(made, Store(tmp_path / "x"))
    tries: list[work.Task] = []

    class Poisoned(Processes):
        def submit(self, fn: Any, /, task: work.Task) -> Any:  # type: ignore[override]
            if any(job.key == plan.keys[3] for job in task.jobs):
                tries.append(task)
                return super().submit(_die_at, task, plan.keys[3])
            return super().submit(fn, task)

    monkeypatch.setattr(engines, "Processes", Poisoned)
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    found = library.carry_out(made, Store(tmp_path / "y"), None, 2, lambda _: None)
    assert list(found.failures) == [3]
    assert "its worker died 3 times: the worker process was killed" in found.failures[3]
    assert len(tries) == 3
    rest = found.to_polars().filter(pl.col("error").is_null())
    assert rest.height == 7 and rest["write_amplification"].null_count() == 0
    monkeypatch.undo()
    assert not library.carry_out(made, Store(tmp_path / "y"), None, 2, lambda _: None).failures


def _die_at(task: work.Task, key: str) -> work.Done:
    before = tuple(job for job in task.jobs if job.key != key)
    work.carry_out(replace(task, jobs=before[: [job.key for job in task.jobs].index(key)]))
    os.kill(os.getpid(), 9)
    raise AssertionError
