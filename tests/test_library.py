"""The library: runs, results, tables, failures."""

import io
import re
import sys
import threading
from pathlib import Path

import polars as pl
import pytest
import wordline as wl
from conftest import WORKLOAD
from hypothesis import given
from hypothesis import strategies as st
from wordline import workers
from wordline.cli.variants import split_outside_brackets
from wordline.components import catalogue
from wordline.configuration import find
from wordline.report.drawing import thin
from wordline.runs.single_run import of_technique


def test_results_have_the_fields_of_the_schema(result: wl.Result) -> None:
    assert result.workload.requests == 20_000
    assert result.host.read.count + result.host.write.count == 20_000
    assert result["host"]["read"]["count"] == result.host.read.count
    assert (result.write_amplification or 0) >= 1
    assert set(result.to_dict()) == set(result)


def test_unknown_fields_are_told_with_the_nearest(result: wl.Result) -> None:
    with pytest.raises(AttributeError, match="did you mean `workload`"):
        _ = result.worklod  # pyright: ignore[reportAttributeAccessIssue]


def test_what_to_dict_gives_is_the_callers(result: wl.Result) -> None:
    result.to_dict()["workload"]["requests"] = 0
    assert result.workload.requests == 20_000


def test_tables_reach_polars_through_arrow_and_parquet(result: wl.Result) -> None:
    for table in (result.series, result.records):
        frame = pl.DataFrame(table)
        assert frame.columns == table.names
        assert frame.height == len(table) > 0
        assert frame[table.names[0]].to_list() == table[table.names[0]]
        assert pl.read_parquet(io.BytesIO(table.parquet())).equals(frame, null_equal=True)
        again = type(table).from_parquet(table.parquet())
        assert pl.DataFrame(again).equals(frame, null_equal=True)
    assert len(result.records) == 20_000


def test_results_and_comparisons_become_frames(result: wl.Result) -> None:
    both = wl.compare("tiny", [], ["uniform:writes=2000"], variants={
        "a": wl.tables.Run(seed=4), "b": [wl.tables.Run(seed=4), wl.policies.gc.fifo()],
    }, seeds=2)  # fmt: skip
    one, all_ = result.to_polars(), both.to_polars()
    assert one["write_amplification"].to_list() == [result.write_amplification]
    assert all_.select("variant", "seed").rows() == [("a", 4), ("a", 5), ("b", 4), ("b", 5)]
    assert all_["erases"][2] == both.cases[1].result.flash.erases
    for framed in (result, both):
        ours, theirs = framed.to_polars(), framed.to_pandas()
        assert list(theirs.columns) == ours.columns and len(theirs) == ours.height


def test_a_library_that_is_not_installed_is_told(
    result: wl.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(wl.ConfigError, match="pandas is not installed") as told:
        result.to_pandas()
    assert told.value.help == "pip install pandas"


def test_names_are_those_of_the_components() -> None:
    presets = {name.replace("-", "_") for name in wl.names("presets")}
    assert presets == set(dir(wl.presets))
    assert "hm_0" in {name.rpartition("/")[2] for name in wl.names("twins")}


@pytest.mark.parametrize(
    ("where", "wrong", "told"),
    [
        (wl.techniques, "ressd", "wl.techniques has no `ressd`: did you mean `Ressd`?"),
        (wl.techniques, "llh_ftl", "did you mean `LlhFtl`?"),
        (wl.workloads, "zipff", "did you mean `zipf`?"),
        (wl.presets, "nosuch", "wl.presets has no `nosuch`: `dir(wl.presets)` lists all"),
        (wl.policies.gc, "Fifo", "wl.policies.gc has no `Fifo`: did you mean `fifo`?"),
        (wl.policies.gc, "_fifo", "wl.policies.gc has no `_fifo`"),
    ],
)
def test_a_wrong_name_is_told_the_nearest(where: object, wrong: str, told: str) -> None:
    with pytest.raises(AttributeError, match=f"^.*{re.escape(told)}"):
        getattr(where, wrong)


def test_charts_have_keys(result: wl.Result) -> None:
    charts = result.charts()
    assert "read_latency_tail" in charts and all(key.isidentifier() for key in charts)


def test_charts_of_papers_are_as_wide_as_a_column(result: wl.Result, tmp_path: Path) -> None:
    for kind in ("pdf", "svg"):
        for chart in result.charts(width_in=3.4).values():
            chart.save(tmp_path / f"chart.{kind}")
            written = (tmp_path / f"chart.{kind}").read_bytes()
            # 72 points an inch.
            assert (b"MediaBox [0 0 245 " if kind == "pdf" else b'width="245"') in written


def test_tables_as_keyword_arguments_lie_over_the_configuration() -> None:
    changed = wl.run("tiny", WORKLOAD, ftl={"gc": {"policy": "fifo"}}, run={"seed": 5})
    assert changed.config.ftl.gc.policy == "fifo"
    assert changed.seed == 5


def test_a_configuration_may_be_a_mapping() -> None:
    config = find({"preset": "tiny", "drive": {"chip": {"program_us": [500, 900, 1300]}}}).resolve()
    assert config["drive"]["chip"]["program_us"] == [500, 900, 1300]
    again = find(config).resolve()
    assert again == config


def test_failures_carry_what_where_and_help() -> None:
    with pytest.raises(wl.ConfigError) as failure:
        wl.run("tiny", drive={"chanels": 3})
    assert "chanels" in failure.value.what
    assert "drive.chanels=3" in failure.value.place
    assert "channels" in failure.value.help
    assert isinstance(failure.value, ValueError)
    with pytest.raises(wl.WorkloadError, match="unifrm"):
        wl.run("tiny", "unifrm")


def test_what_progress_raises_stops_the_run() -> None:
    class EnoughError(Exception):
        pass

    def stop(*_: object) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        wl.run("tiny", "uniform:writes=1e12", progress=stop)


def test_other_threads_go_on_during_a_run() -> None:
    ticks, done = [0], threading.Event()

    def tick() -> None:
        while not done.wait(0.005):
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    thread.start()
    wl.run("tiny", "uniform:writes=2e6")
    done.set()
    thread.join()
    assert ticks[0] > 3


def test_comparisons_are_the_single_runs(comparison: wl.Comparison) -> None:
    assert comparison.variants == ["conventional", "fifo", "<b>none</b>"]
    for case in comparison.cases:
        policy = "fifo" if case.variant == "fifo" else "greedy"
        alone = wl.run("tiny", case.workload, ftl={"gc": {"policy": policy}}).to_dict()
        ours = case.result.to_dict()
        del alone["simulator"], ours["simulator"]
        assert ours == alone


def test_conventional_takes_the_technique_of_every_preset_away() -> None:
    conventional = of_technique("conventional")
    own = {name: find(name).resolve()["technique"] for name in catalogue.presets("drive")}
    assert sum(map(bool, own.values())) >= 8
    for name in own:
        for drive in (
            find(name).with_overrides(conventional.overrides),
            find({"preset": name, "technique": {}}),
        ):
            assert drive.resolve()["technique"] == {}


def test_a_comparison_tells_the_conventional_drive_from_that_of_the_configuration() -> None:
    chip = {"chip": {"pages_per_block": 48}}
    drive = {"preset": "tiny", "drive": chip, "technique": {"slc_cache": {"static_share": 0.1}}}
    both = wl.compare(drive, ["conventional", "slc_cache"], ["uniform:requests=2e4"])
    runs = {case.variant: case.result for case in both.cases}
    assert list(runs["conventional"].config.technique) == []
    assert list(runs["slc_cache"].technique) == ["slc_cache"]
    assert runs["conventional"].host.write.mean_us != runs["slc_cache"].host.write.mean_us
    alone = wl.compare(drive, workloads=["uniform:requests=2e4"])
    assert alone.variants == ["slc_cache"]


def test_a_mistake_in_the_last_variant_is_told_before_the_first_run() -> None:
    variants = {"long": {}, "wrong": {"ftl": {"gc": {"policy": "gredy"}}}}
    with pytest.raises(wl.ConfigError, match="gredy"):
        wl.compare("tiny", workloads=["uniform:writes=1e12"], variants=variants)
    with pytest.raises(wl.WorkloadError, match="absent"):
        wl.compare("tiny", workloads=["uniform:writes=1e12", "absent.csv"])


WORDS = st.text("abc=.:0 ", max_size=6)


@given(
    st.lists(st.one_of(WORDS, WORDS.map(lambda w: f"[{w},{w}]"), WORDS.map(lambda w: f'"{w},"')))
)
def test_variants_split_where_they_were_joined(parts: list[str]) -> None:
    assert split_outside_brackets(",".join(parts)) == (parts or [""])


@given(st.lists(st.integers(), min_size=1), st.integers(2, 50))
def test_thinning_keeps_order_and_both_ends(points: list[int], most: int) -> None:
    kept = list(thin(list(enumerate(points)), most))
    assert len(kept) == min(len(points), most)
    assert kept == sorted(set(kept))
    assert kept[0][0] == 0
    assert kept[-1][0] == len(points) - 1


@given(st.text(max_size=200))
def test_no_text_breaks_the_loader(text: str) -> None:
    from wordline import _native

    try:
        _native.resolve(text, "fuzz.toml", [])
    except wl.ConfigError as error:
        assert error.what
        assert "internal error" not in error.what


def test_a_run_that_does_not_fit_into_memory_is_told_before_it_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    need = find("tiny").memory_bytes()
    monkeypatch.setattr(workers, "free_bytes", lambda: need)
    assert wl.run("tiny", WORKLOAD).workload.requests > 0
    monkeypatch.setattr(workers, "free_bytes", lambda: need - 1)
    with pytest.raises(wl.RunError, match=r"of memory, and 0\.0 GiB are free"):
        wl.run("tiny", WORKLOAD)
    with pytest.raises(wl.RunError, match="preset tiny"):
        wl.compare("tiny", variants={"a": {}, "b": {}}, workloads=[WORKLOAD], store=tmp_path)
