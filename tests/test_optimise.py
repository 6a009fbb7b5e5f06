"""Searches: what they aim at, what is refused, that they find fronts, and that they go on."""

import itertools
import math
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import wordline as wl
from click.testing import CliRunner
from wordline import workers
from wordline.cli.app import app
from wordline.errors import ConfigError
from wordline.results.store import Head, Store
from wordline.search import course, front, trials
from wordline.search import spec as searches
from wordline.search.aims import aims as aims_of
from wordline.search.aims import limits as limits_of
from wordline.search.front import hypervolume
from wordline.sweeps import points, runner, spec

OP, GC, WA = "drive.over_provisioning", "ftl.gc.policy", "write_amplification"
AXES = {OP: {"from": 0.1, "to": 0.5, "count": 9}, GC: ["greedy", "fifo"]}
COUNTS: dict[str, Any] = {
    "workloads": ["zipf:theta=0.9,writes=3000"],
    "run": {"mode": "count"},
}
SEARCH = f"""
base = "tiny"
workloads = ["zipf:theta=0.9,writes=3000"]
set = {{run = {{mode = "count"}}}}

[axes]
"{OP}" = {{from = 0.1, to = 0.5, count = 9}}
"{GC}" = ["greedy", "fifo"]

[optimise]
trials = 24
batch = 8
aims = {{{WA} = "least", "{OP}" = "least"}}
"""


def found(tmp_path: Path, **more: Any) -> wl.Front:
    given: dict[str, Any] = {"aims": [WA, OP], "trials": 24, "batch": 8, **COUNTS, **more}
    return wl.optimise("tiny", AXES, store=tmp_path / "store", **given)


def grid(tmp_path: Path) -> list[dict[str, Any]]:
    table = wl.sweep("tiny", AXES, store=tmp_path / "store", **COUNTS).table
    columns = {name: list(table[name]) for name in (WA, OP, GC, "iops")}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# The front, and how large it is


def test_a_hypervolume_is_the_space_between_the_front_and_the_worst() -> None:
    assert hypervolume([(1.0,), (3.0,)], (4.0,)) == 3
    assert hypervolume([(1.0, 1.0)], (3.0, 4.0)) == 6
    # Two steps; what is beaten, or no better than the worst, adds nothing.
    assert hypervolume([(1, 1), (2, 0), (2, 2), (3, 0)], (3, 4)) == 1 * 3 + 1 * 4
    assert hypervolume([], (1.0, 1.0)) == 0
    assert hypervolume([(0, 0, 0), (0, 0, 1)], (2, 3, 4)) == 24


def test_a_hypervolume_is_what_counting_cells_gives() -> None:
    dice = random.Random(7)
    for aims in (2, 3):
        for _ in range(20):
            places = [tuple(dice.randrange(6) for _ in range(aims)) for _ in range(5)]
            cells = itertools.product(range(5), repeat=aims)
            beaten = sum(any(all(map(int.__le__, p, c)) for p in places) for c in cells)
            assert hypervolume(places, (5,) * aims) == beaten


def test_the_front_is_that_of_all_that_was_tried(tmp_path: Path) -> None:
    search = found(tmp_path)
    rows = trials.rows_of(search.table)
    assert len(rows) == search.about["trials"] == 24
    assert [row["trial"] for row in rows] == list(range(24))
    for row in rows:
        beats = [
            other
            for other in rows
            if other[WA] <= row[WA] and other[OP] <= row[OP]
            if (other[WA], other[OP]) != (row[WA], row[OP])
        ]
        assert (row["standing"] == "beaten") == bool(beats) or not row["file"], row
        assert row["file"] is None or not beats
    assert [row[WA] for row in search.rows] == sorted(row[WA] for row in search.rows)
    # A drive that was tried twice is on the front once.
    assert len({row["keys"] for row in search.rows}) == len(search.rows) == len(search)


def test_what_is_tried_is_what_a_sweep_gives(tmp_path: Path) -> None:
    """The figures of each trial are those of the grid, and the drives of the front run alone."""
    everywhere = {(row[OP], row[GC]): row[WA] for row in grid(tmp_path)}
    search = found(tmp_path)
    for row in trials.rows_of(search.table):
        assert row[WA] == everywhere[row[OP], row[GC]]
    first = search.rows[0]
    (tmp_path / "drive.toml").write_text(search.drives[0])
    alone = wl.run(tmp_path / "drive.toml")
    assert alone.write_amplification == first[WA]
    assert [one.write_amplification for one in search.results(0)] == [first[WA]]


def test_a_search_covers_nearly_what_the_grid_covers(tmp_path: Path) -> None:
    rows = grid(tmp_path)
    places = [(row[WA], row[OP]) for row in rows]
    worst = tuple(max(place[aim] for place in places) for aim in (0, 1))
    search = found(tmp_path, trials=14)
    own = [(row[WA], row[OP]) for row in search.rows]
    assert hypervolume(own, worst) >= 0.8 * hypervolume(places, worst)


def test_figures_are_means_over_workloads_and_seeds(tmp_path: Path) -> None:
    loads = ["zipf:theta=0.9,writes=3000", "uniform:writes=3000"]
    search = found(tmp_path, trials=2, batch=2, workloads=loads, seeds=2)
    row = search.rows[0]
    results = search.results(0)
    assert len(results) == 4
    values = [result.write_amplification or 0.0 for result in results]
    assert len(set(values)) == 4
    assert row[WA] == pytest.approx(sum(values) / 4)


@pytest.mark.parametrize(
    ("measured", "mean"), [((2.0, 5.0), 3.5), ((2.0, None), None), ((2.0, math.nan), None)]
)
def test_a_figure_that_one_of_the_runs_lacks_has_no_mean(
    measured: tuple[float | None, ...], mean: float | None
) -> None:
    (aim,) = aims_of(["read_p99_us"], (), "aims")
    heads = [Head({"read_p99_us": value}, 1.0) for value in measured]
    assert aim.of.of((), heads) == mean


def test_a_limit_says_on_which_side_of_its_bound_figures_may_be() -> None:
    given = {"iops": {"at_least": 1e4}, "read_p99_us": {"at_most": 200}}
    told = [str(limit) for limit in limits_of(given, (), "limits")]
    assert told == ["IOPS at least 10,000", "p99 read latency (µs) at most 200.0"]


def test_more_of_a_figure_may_be_better(tmp_path: Path) -> None:
    search = found(tmp_path, aims={OP: "most", WA: "least"})
    most = max(row[OP] for row in trials.rows_of(search.table))
    assert search.rows[0][OP] == most
    assert searches.make(spec.make("tiny", axes=AXES), {"aims": ["iops"]}).aims[0].word == "most"


def test_the_front_keeps_the_limits(tmp_path: Path) -> None:
    free = found(tmp_path)
    bound = sorted(row[WA] for row in free.rows)[len(free) // 2]
    limits = {WA: {"at_most": bound}, "drive": {"over_provisioning": {"at_least": 0.2}}}
    search = found(tmp_path, limits=limits)
    assert all(row[WA] <= bound and row[OP] >= 0.2 for row in search.rows)
    beyond = [r for r in trials.rows_of(search.table) if r["standing"] == "beyond a limit"]
    assert beyond and all(row[WA] > bound or row[OP] < 0.2 for row in beyond)
    nothing = found(tmp_path, limits={WA: {"at_most": 0.5}})
    assert len(nothing) == 0 and nothing.drives == []
    assert "no drive keeps the limits" in str(nothing.files()["report.html"])


def test_techniques_are_chosen_among(tmp_path: Path) -> None:
    """A key of a technique concerns the drives that have it."""
    key = "technique.ressd.candidates"
    chip = {"program": "one_shot", "pages_per_block": 48, "layers_per_block": 8}
    search = wl.optimise(
        "tiny",
        {key: [1, 2], OP: [0.2, 0.3]},
        techniques=["conventional", "ressd"],
        aims=[WA, OP],
        trials=16,
        batch=8,
        store=tmp_path,
        workloads=["uniform:writes=500"],
        drive={"chip": {**chip, "blocks_per_plane": 192}},
        ftl={"hotness": {"policy": "interval"}},
    )
    rows = trials.rows_of(search.table)
    assert {row["variant"] for row in rows} == {"conventional", "ressd"}
    assert all((row[key] is None) == (row["variant"] == "conventional") for row in rows)


def test_a_drive_that_cannot_be_is_left_out_and_told(tmp_path: Path) -> None:
    """The search goes on; where no drive of the first batch can be, it does not begin."""
    search = wl.optimise(
        "tiny", {OP: [0.2, 0.3], "drive.chip.blocks_per_plane": [2, 64]}, aims=[WA, OP],
        trials=16, batch=8, store=tmp_path / "a", **COUNTS,
    )  # fmt: skip
    failed = [row for row in trials.rows_of(search.table) if row["standing"] == "failed"]
    assert failed and all(row["drive.chip.blocks_per_plane"] == 2 for row in failed)
    assert search.about["failed"] == len(failed) and all(row["error"] for row in failed)
    with pytest.raises(ConfigError, match="block"):
        wl.optimise(
            "tiny", {"drive.chip.blocks_per_plane": [1, 2]}, aims=[WA], store=tmp_path / "b",
            **COUNTS,
        )  # fmt: skip
    assert not (tmp_path / "b" / "runs").exists()


# How many runs go at a time

MIB = 1 << 20


def test_memory_for_the_hungriest_drive_of_a_batch_decides_how_many_go_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch of 8 drives: three fit beside one another if each takes what the hungriest does."""
    planned = itertools.count()
    real_plan, real_number, real_drive = points.plan_of, workers.number, runner.drive
    decided: list[int] = []
    needs: list[int] = []

    def plan(space: spec.Spec, own: list[points.Point], store: Store) -> points.Plan:
        need = (800 if next(planned) == 5 else 10) * MIB
        return replace(real_plan(space, own, store), memory_bytes=need)

    def number(runs_bytes: Iterable[int], asked: int | None = None) -> int:
        decided.append(real_number(runs_bytes, asked))
        return 1

    def drive(plan: points.Plan, *more: Any) -> Any:
        needs.append(plan.memory_bytes)
        return real_drive(plan, *more)

    monkeypatch.setattr(points, "plan_of", plan)
    monkeypatch.setattr(workers, "number", number)
    monkeypatch.setattr(runner, "drive", drive)
    monkeypatch.setattr(workers, "cores", lambda: 8)
    monkeypatch.setattr(workers, "free_bytes", lambda: 3 * (800 * MIB + workers.RUN_BYTES))
    loads, counts = COUNTS["workloads"], {"run": COUNTS["run"]}
    space = spec.make("tiny", axes=AXES, workloads=loads, set=counts)
    search = searches.make(space, {"aims": {WA: "least"}, "trials": 8, "batch": 8})
    course.carry_out(search, Store(tmp_path), None, None, lambda *_: None)
    assert (decided, needs) == ([3], [800 * MIB])


def test_no_more_drives_are_tried_than_asked_for(tmp_path: Path) -> None:
    """The last of three batches has two drives."""
    tried = found(tmp_path, trials=10, batch=4, sampler="random")
    assert list(tried.table["trial"]) == list(range(10))


# The same call


def test_a_search_found_again_is_the_same_and_runs_nothing(tmp_path: Path) -> None:
    first = found(tmp_path)
    runs = sorted((tmp_path / "store" / "runs").rglob("*"))
    again = found(tmp_path)
    assert sorted((tmp_path / "store" / "runs").rglob("*")) == runs
    assert again.table.parquet() == first.table.parquet()
    assert again.files() == first.files()
    assert found(tmp_path, seed=2).table.parquet() != first.table.parquet()
    saved = first.save(tmp_path / "out")
    loaded = wl.load(saved)
    assert isinstance(loaded, wl.Front)
    assert loaded.rows == first.rows and list(loaded.drives) == list(first.drives)


def test_a_search_that_was_killed_goes_on_to_the_same_front(tmp_path: Path) -> None:
    (tmp_path / "search.toml").write_text(SEARCH.replace("trials = 24", "trials = 40"))
    command = [sys.executable, "-m", "wordline", "optimise", "search.toml", "--progress", "none"]
    once = [*command, "--store", "a", "--out", "once"]
    subprocess.run(once, cwd=tmp_path, check=True, capture_output=True)
    killed = subprocess.Popen(
        [*command, "--store", "b", "--out", "twice"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    kept = tmp_path / "b" / "runs"
    for _ in range(600):
        if len([*kept.rglob("*")]) > 12 or killed.poll() is not None:
            break
        time.sleep(0.05)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert not (tmp_path / "twice" / "trials.parquet").exists()
    again = [*command, "--store", "b", "--out", "twice"]
    subprocess.run(again, cwd=tmp_path, check=True, capture_output=True)
    names = {path.name for path in (tmp_path / "once").iterdir()}
    assert names == {path.name for path in (tmp_path / "twice").iterdir()}
    for name in names:
        assert (tmp_path / "once" / name).read_bytes() == (tmp_path / "twice" / name).read_bytes()


# The command line


def test_the_verb_writes_table_drives_and_report(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("search.toml").write_text(SEARCH)
    done = CliRunner().invoke(app, ["optimise", "search.toml"], prog_name="wordline")
    assert done.exit_code == 0, done.stderr
    assert "one seed: the front takes chance for merit" in done.stderr
    folder = Path("wordline-out/optimise-search")
    table = pl.read_parquet(folder / "trials.parquet")
    assert len(table) == 24
    count = table["file"].drop_nulls().len()
    assert f"24 trials of {table['keys'].n_unique()} drives, {count} on the front" in done.stdout
    assert len([*folder.glob("front-*.toml")]) == count
    report = (folder / "report.html").read_text()
    assert f"{OP} against write amplification" in report
    assert "How soon the front was found" in report
    again = CliRunner().invoke(app, ["optimise", "search.toml", "--json"], prog_name="wordline")
    assert again.exit_code == 0 and f'"{WA}": "least"' in again.stdout


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ((f'{WA} = "least"', 'iopps = "most"'), ["`iopps`", "did you mean `iops`", "aims.iopps"]),
        (('"least"}', '"less"}'), ["'less' is no aim", '"least" or "most"']),
        ((f'aims = {{{WA} = "least", "{OP}" = "least"}}', ""), ["there are no aims"]),
        (("[optimise]", "[optimize]"), ["the table `optimise` is missing"]),
        (("trials = 24", "trials = 0"), ["0 cannot be", "optimise.trials"]),
        (("batch = 8", 'sampler = "tpee"'), ["unknown sampler 'tpee'", "did you mean `tpe`"]),
        (("batch = 8", "limits = {iops = 3}"), ["3 is no limit", "at_most"]),
        (("batch = 8", "limits = {iops = {at_most = true}}"), ["is no number", "iops.at_most"]),
        (("batch = 8", "tries = 3"), ["a search has no `tries`"]),
        (("[axes]", 'sample = {method = "sobol", points = 4}\n[axes]'), ["is not sampled"]),
        ((f'"{OP}" = {{from', '"drive.over_provisionin" = {from'), ["over_provisionin"]),
    ],
)  # fmt: skip
def test_what_cannot_be_sought_is_refused(
    change: tuple[str, str], parts: list[str], tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert change[0] in SEARCH
    Path("search.toml").write_text(SEARCH.replace(*change))
    done = CliRunner().invoke(app, ["optimise", "search.toml"], prog_name="wordline")
    assert done.exit_code == 2, done.stdout
    assert all(part in done.stderr for part in [*parts, "search.toml"]), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["search.toml"]


def test_without_optuna_the_package_is_named(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ConfigError, match="optuna") as told:
        found(tmp_path)
    assert "optuna" in told.value.help


def test_the_front_takes_one_of_equal_drives() -> None:
    search = searches.make(spec.make("tiny", axes=AXES), {"aims": [WA, OP]})
    space = search.space
    assert space.axes[0].keys == (OP,) and searches.is_numeric(space.axes[0])
    assert not searches.is_numeric(space.axes[1])
    assert front.of(search, []) == []
