"""Results as values: typed, frozen, equal, kept; what crosses the border is what is declared."""

import copy
import dataclasses
import json
import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from conftest import WORKLOAD
from wordline import lab, loading
from wordline.figures import metrics
from wordline.native import native_api
from wordline.native.types.items import Item
from wordline.native.types.record import Tree, freeze, plain
from wordline.native.types.run import HostSummary, RunResult

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("tool", ["generate-components", "generate-results"])
def test_the_generated_modules_are_what_rust_declares(tool: str) -> None:
    command = [sys.executable, str(ROOT / "tools" / tool), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_result_survives_pickle_copy_and_json(result: wl.Result) -> None:
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result), copy.copy(result)):
        assert again == result
        assert repr(again) == repr(result)
        assert again.series["requests"] == result.series["requests"]
    assert json.loads(result.to_json()) == result.to_dict()
    assert native_api.decode(RunResult, result.to_dict()).to_dict() == result.to_dict()


def test_results_are_equal_if_what_was_simulated_is(result: wl.Result) -> None:
    host = dataclasses.replace(result.host, mean_us=result.host.mean_us + 1)
    assert dataclasses.replace(result, host=host) != result
    slow = dataclasses.replace(result.simulator, wall_s=result.simulator.wall_s + 1)
    assert dataclasses.replace(result, simulator=slow) == result
    assert dataclasses.replace(result, records=result.series) != result


def test_two_runs_of_the_same_are_equal_and_of_another_seed_are_not() -> None:
    one, same, other = (wl.run("tiny", WORKLOAD, run={"seed": seed}) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_nothing_of_a_result_can_be_changed(result: wl.Result) -> None:
    changes: list[Any] = [
        lambda: setattr(result, "seed", 2),
        lambda: setattr(result.host, "iops", 0.0),
        lambda: setattr(result.config, "drive", {}),
        lambda: result.config.update({}),  # a tree has no such method
        lambda: result.warnings.append("none"),  # pyright: ignore[reportAttributeAccessIssue]
        lambda: delattr(result, "host"),
    ]
    for change in changes:
        with pytest.raises(AttributeError):
            change()
    assert isinstance(result.host.read.distribution, tuple)


def test_repr_shows_the_main_figures() -> None:
    shown = repr(wl.run("tiny", "uniform:writes=50000", run={"mode": "count"}))
    assert shown.startswith("Result(uniform:writes=50000: 50,000 requests, ")
    assert "write amplification 2" in shown
    assert "latency" not in shown  # not timed
    warned = repr(wl.run("tiny", "uniform:writes=10"))
    assert warned.endswith(" warnings)") or warned.endswith(" warning)")


def test_pyright_refuses_a_misspelt_field_and_name(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(
        "import wordline as wl\n"
        "result = wl.run('tiny')\n"
        "result.write_amplificaton\n"
        "result.host.reed\n"
        "wl.nonexistent\n"
        "reveal_type(result.host.read.p99_us)\n"
        "reveal_type(result.write_amplification)\n"
    )
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "use.py"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    for line, name in ((3, "write_amplificaton"), (4, "reed"), (5, "nonexistent")):
        assert any(f"use.py:{line}:" in row and f'"{name}"' in row for row in told.splitlines()), (
            told
        )
    assert 'is "float"' in told
    assert 'is "float | None"' in told
    assert "3 errors" in told


@pytest.mark.parametrize("metric", metrics.METRICS, ids=lambda metric: metric.key)
def test_every_metric_is_a_field_that_rust_declares(
    metric: metrics.Metric, result: wl.Result
) -> None:
    for path in filter(None, (metric.path, metric.needs)):
        metrics.lookup(result, path)  # raises where there is no such field
    renamed = dataclasses.replace(metric, path=metric.path + "x", needs="")
    with pytest.raises(KeyError, match="no field"):
        renamed.of(result)


def test_what_differs_from_its_type_is_told_with_its_place(result: wl.Result) -> None:
    def decoded(path: str, value: object) -> str:
        data = result.to_dict()
        *above, last = path.split(".")
        table = data
        for key in above:
            table = table[key]
        if value is KeyError:
            del table[last]
        else:
            table[last] = value
        with pytest.raises(native_api.MalformedError) as failure:
            native_api.decode(RunResult, data)
        return str(failure.value)

    assert decoded("host.read.p99_us", KeyError) == "`host.read.p99_us` is missing"
    assert decoded("workload.requests", "many") == "`workload.requests` is str"
    assert decoded("workload.synthetic", 1) == "`workload.synthetic` is int"
    assert decoded("wear.histogram", [[1, 2, 3]]) == "`wear.histogram` has 3 values, not 2"


def test_absent_options_are_none_and_what_is_no_number_is_kept(result: wl.Result) -> None:
    data = result.to_dict()
    del data["array"]
    data["host"]["mean_us"] = None
    data["beyond"] = "of a later version"
    found = native_api.decode(RunResult, data)
    assert found.array is None
    assert math.isnan(found.host.mean_us)
    assert found.to_dict()["host"]["mean_us"] is None


def test_a_result_written_by_another_version_is_refused_by_its_field(
    result: wl.Result, tmp_path: Path
) -> None:
    folder = result.save(tmp_path / "kept")
    data = json.loads((folder / "result.json").read_text())
    del data["gc"]["pages_moved"]
    (folder / "result.json").write_text(json.dumps(data))
    with pytest.raises(wl.OutputError, match=r"gc\.pages_moved"):
        loading.load(folder)


def test_save_writes_what_out_writes_and_load_gives_it_back(
    result: wl.Result, comparison: wl.Comparison, tmp_path: Path
) -> None:
    assert wl.load(result.save(tmp_path / "run")) == result
    assert (tmp_path / "run" / "report.html").stat().st_size > 900_000
    assert wl.load(comparison.save(str(tmp_path / "both"))) == comparison
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("kept")
    with pytest.raises(wl.OutputError):
        result.save(tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_trees_are_as_dictionaries_and_frozen() -> None:
    tree = Tree({"a": {"b": [1, {"c": None}]}})
    assert tree.a.b[1].c is None
    assert tree == {"a": {"b": (1, {"c": None})}}
    assert plain(tree) == {"a": {"b": [1, {"c": None}]}}
    assert pickle.loads(pickle.dumps(tree)) == copy.deepcopy(tree) == tree
    assert freeze(tree) is tree
    with pytest.raises(AttributeError, match="did you mean `a`"):
        _ = tree.aa
    with pytest.raises(AttributeError, match="cannot be changed"):
        tree.a = 1


def test_tables_are_values(result: wl.Result) -> None:
    series = result.series
    assert dict(series) == {name: series[name] for name in series.names}  # pyright: ignore
    assert repr(series).startswith(f"Table({len(series)} rows: requests, ")
    assert series == pickle.loads(pickle.dumps(series))
    assert series != result.records
    assert series != 1


def test_comparisons_with_references_are_typed() -> None:
    report = lab.experiment("planar-tlc")
    assert all(isinstance(item, Item) for item in report.items)
    assert {field.name for field in dataclasses.fields(Item)} == set(report.items[0].to_dict())
    assert HostSummary.__doc__
