"""The cell laboratory, as a library and as a command."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from wordline import lab
from wordline.cli.app import app
from wordline.components import catalogue
from wordline.errors import ConfigError, OutputError

SURVEY = ("lab", "vth", "--chip", "planar-tlc", "--pec", "2K", "--age", "1y", "--temp", "30C")


def call(*args: str) -> str:
    done = CliRunner().invoke(app, args, prog_name="wordline")
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_every_chip_is_surveyed_and_every_value_has_a_source() -> None:
    for chip in lab.contents()["chips"]:
        survey = lab.vth(chip["name"], pec=1000, age="3mo")
        assert len(survey["states"]) == 2 ** (
            ["slc", "mlc", "tlc", "qlc"].index(chip["levels"]) + 1
        )
        means = [state["mean"] for state in survey["states"]]
        assert means == sorted(means)
        assert all(value["source"] for value in chip["values"])


def test_units_are_read() -> None:
    by_text = lab.vth("planar-tlc", pec="2K", age="1y", temp="303.15K")
    by_number = lab.vth("planar-tlc", pec=2000, age="8760h", temp=30)
    assert by_text["reads_by"] == by_number["reads_by"]


def test_the_command_prints_tables_or_json() -> None:
    assert "codeword failure" in call(*SURVEY)
    survey = json.loads(call(*SURVEY, "--json"))
    assert survey == lab.vth("planar-tlc", pec="2K", age="1y", temp="30C").to_dict()
    assert "planar-tlc" in call("lab", "list")
    assert "Cai et al." in call("lab", "describe", "planar-tlc")


@pytest.mark.parametrize("suffix", ["svg", "html", "png"])
def test_plots_are_written_whole(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"vth.{suffix}"
    call(*SURVEY, "--plot", str(path))
    assert path.stat().st_size > 10_000
    assert list(tmp_path.iterdir()) == [path]


# How many comparisons of each kind deviate: one that begins to, or no longer does, is a finding.
DEVIATING: dict[str, dict[str, int]] = {
    "planar-tlc": {"planar/mean/pec=3000": 1},
    "ressd": {
        "ressd/table2/one_layer/dvo": 1,
        "ressd/table2/three_layer/dvo": 1,
        "ressd/table2/three_layer/ovo": 1,
        "ressd/table3/reprogram/fresh": 2,
        "ressd/table3/reprogram/aged": 2,
        "ressd/conclusion/worst_page": 1,
    },
    "lazyrs": {},
    "llh": {
        "llh/table3/A16": 1,
        "llh/table3/B16": 1,
        "llh/table3/B29": 1,
        "llh/table4/A16": 1,
        "llh/fig4/low_low_high_above_zeros": 1,
    },
    "reo": {
        "reo/pulse_time/conservative": 2,
        "reo/pulse_time/aggressive": 10,
        "reo/pulse_time/i_ispe": 1,
        "reo/lifetime": 1,
    },
    "erase-cells": {
        "erase-cells/delta": 4,
        "erase-cells/gamma": 1,
        "erase-cells/across_blocks/straight": 1,
    },
    "centaur": {"centaur/planar": 1},
}
# And how many have each verdict.
STATUSES = {
    "planar-tlc": {"calibrated": 82, "reproduced": 13, "implied": 10, "deviates": 1},
    "ressd": {
        "reproduced": 4, "calibrated": 12, "selected": 3, "implied": 4, "deviates": 8,
        "not judged": 8, "not published": 12,
    },
    "lazyrs": {"calibrated": 5, "reproduced": 1, "not published": 24},
    "llh": {
        "not published": 30, "reproduced": 63, "calibrated": 34, "implied": 4, "not judged": 4,
        "deviates": 5,
    },
    "reo": {
        "calibrated": 58, "implied": 80, "selected": 1, "not published": 31, "reproduced": 11,
        "deviates": 14, "not judged": 13,
    },
    "erase-cells": {
        "not published": 82, "deviates": 6, "reproduced": 10, "calibrated": 4, "implied": 1,
        "not judged": 1,
    },
    "centaur": {"calibrated": 4, "implied": 4, "not published": 9, "deviates": 1},
}  # fmt: skip
AGREEING = ("reproduced", "calibrated", "selected", "implied")


@pytest.mark.parametrize("name", [entry["name"] for entry in lab.contents()["experiments"]])
def test_experiments_report_in_the_common_form(name: str) -> None:
    report = json.loads(call("lab", "run", name, "--json"))
    keys = {"id", "source", "workload", "unit", "reference", "ours", "deviation", "tolerance"}
    assert report["items"]
    for item in report["items"]:
        assert keys | {"status", "note"} == set(item)
        assert item["status"] != "deviates" or item["note"], item
        within = item["deviation"] is not None and abs(item["deviation"]) <= item["tolerance"]
        assert within == (item["status"] in AGREEING) or item["status"] == "not judged", item
    deviating = (item["id"] for item in report["items"] if item["status"] == "deviates")
    assert Counter(name.rpartition("/")[0] for name in deviating) == DEVIATING[name]
    assert Counter(item["status"] for item in report["items"]) == STATUSES[name]
    for fit in report["fits"]:
        assert fit["free"] <= fit["numbers"]
        assert fit["saturated"] == (fit["free"] == fit["numbers"])


def test_gate_voltages_of_reo_are_what_the_laboratory_finds() -> None:
    found = {item["id"]: item["ours"] for item in lab.experiment("erase-cells")["items"]}
    scheme = next(one for one in catalogue.load()["tables"] if one["path"] == "erase.reo")
    held = {param["key"]: param["default"] for param in scheme["params"]}
    needs = [found[f"erase-cells/gates/{gates}/need"] for gates in ("by_word_line", "ground")]
    assert held["gate_need"] == pytest.approx(needs[0] / needs[1], abs=5e-4)
    damage = found["erase-cells/gates/by_word_line/damage_per_ms"]
    assert held["gate_damage"] == pytest.approx(damage / 100, abs=5e-4)


def test_shipped_tables_are_written_anew_bit_for_bit(tmp_path: Path) -> None:
    shipped = Path(__file__).parent.parent / "presets" / "cells" / "tables" / "reo-tlc"
    printed = call("lab", "tables", "reo-tlc", "--out", str(tmp_path / "new"))
    written = {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}
    assert written.pop("manifest.json")
    assert written == {path.name: path.read_bytes() for path in shipped.iterdir()}
    assert all(name in printed for name in written)


def test_tables_of_ones_own_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "rber.csv").write_text("mine")
    tables = ["lab", "tables", "reo-tlc", "--out", str(tmp_path)]
    for force in ([], ["--force"]):
        done = CliRunner().invoke(app, [*tables, *force], prog_name="wordline")
        assert done.exit_code == 2
        assert "holds a `rber.csv` that no run has written" in done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["rber.csv"]


BAD = [
    (["vth", "--chip", "planr"], ["unknown chip `planr`", "valid: ", "planar-tlc"]),
    (["vth", "--chip", "planar-tlc", "--mode", "qlc"], ["no qlc mode", "valid: slc, mlc, tlc"]),
    (["vth", "--chip", "planar-tlc", "--mode", "plc"], ["unknown mode `plc`", "--mode"]),
    (["vth", "--chip", "planar-tlc", "--age=-1y"], ["a negative age", "--age", "3mo"]),
    (["vth", "--chip", "planar-tlc", "--age", "12"], ["an age without unit", "3mo"]),
    (["vth", "--chip", "planar-tlc", "--temp", "400C"], ["--temp", "-55 to 150"]),
    (["vth", "--chip", "planar-tlc", "--pec", "1.5"], ["--pec", "whole number"]),
    (["vth", "--chip", "planar-tlc", "--plot", "vth.jpg"], [".jpg", "valid: .svg, .png, .html"]),
    (["vth", "--chip", "planar-tlc", "--plot", "/dev/null/v.svg"], ["is a file", "/dev/null"]),
    (["tables", "planr", "--out", "t"], ["unknown chip `planr`", "planar-tlc"]),
    (["run", "resd"], ["unknown experiment `resd`", "valid: "]),
    (["campaign", "planr"], ["unknown chip `planr`", "planar-tlc"]),
    (["campaign", "planar-tlc", "--chips", "0"], ["0 cannot be", "--chips", "1 to 1,000,000"]),
    (["campaign", "planar-tlc", "--chips=-1"], ["-1 cannot be", "whole number"]),
    (["campaign", "planar-tlc", "--precision", "2"], ["--precision", "from 0 to 1"]),
    (["campaign", "planar-tlc", "--references", "best"], ["best", "default, optimal"]),
    (["campaign", "planar-tlc", "--store", "/dev/null/c"], ["/dev/null"]),
    (["vth", "--chip", "none.toml"], ["where: none.toml", "no such file", "lab list"]),
    (["describe", "planr"], ["unknown chip `planr`", "planar-tlc"]),
]


@pytest.mark.parametrize(("args", "told"), BAD)
def test_bad_input_is_refused(
    args: Sequence[str], told: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["lab", *args], prog_name="wordline")
    assert done.exit_code == 2, done.stderr
    assert done.stdout == ""
    assert [part for part in told if part not in done.stderr] == [], done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_library_raises_what_the_command_prints() -> None:
    with pytest.raises(ConfigError, match="unknown chip"):
        lab.vth("none")


def test_distributions_are_tables_in_arrows_format() -> None:
    table = lab.distributions("planar-tlc", pec=2000, age="1y")
    survey = lab.vth("planar-tlc", pec=2000, age="1y")
    frame = pl.DataFrame(table)
    assert frame.columns == ["voltage", *(state["name"] for state in survey["states"])]
    assert frame["voltage"].to_list() == list(survey.voltages)
    assert frame["P3"].to_list() == list(survey.states[3].density)


def test_a_chip_of_ones_own_builds_on_another(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('base = "planar-tlc"\n[program]\nnoise_sigma = 3.0\n', encoding="utf-8")
    narrow, wide = lab.vth(path), lab.vth("planar-tlc")
    assert narrow["states"][3]["sigma"] < wide["states"][3]["sigma"]
    path.write_text('base = "planar-tlc"\n[program]\nnoise = 3.0\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"own\.toml.*there is no key `noise`"):
        lab.vth(path)


CAMPAIGN = ("lab", "campaign", "lazyrs-tlc", "--pec", "1K", "--age", "1y", "--temp", "30C")
SMALL = ("--chips", "10", "--pages", "5760")


def test_campaigns_go_on_where_they_stopped(tmp_path: Path) -> None:
    whole = json.loads(call(*CAMPAIGN, *SMALL, "--json"))
    assert (whole["chips"], whole["pages"], sum(whole["histogram"])) == (10, 5760, 5760)
    store = tmp_path / "kept.json"

    class StoppedError(Exception):
        pass

    def stop(done: int, total: int) -> None:
        assert total == 10
        if done:
            raise StoppedError

    settings: dict[str, Any] = {"pec": "1K", "age": "1y", "temp": "30C", "chips": 10, "pages": 5760}
    with pytest.raises(StoppedError):
        lab.campaign("lazyrs-tlc", **settings, store=store, progress=stop)
    assert len(json.loads(store.read_text(encoding="utf-8"))["tallies"]) == 8
    assert lab.campaign("lazyrs-tlc", **settings, threads=1, store=store).to_dict() == whole
    with pytest.raises(OutputError, match="age = 1y, not 1d"):
        lab.campaign("lazyrs-tlc", **{**settings, "age": "1d"}, store=store)
    store.write_text("{}", encoding="utf-8")
    with pytest.raises(OutputError, match="does not hold a campaign"):
        lab.campaign("lazyrs-tlc", **settings, store=store)


@pytest.mark.parametrize(("kept", "said"), [(False, "nothing was written"), (True, "goes on")])
def test_a_campaign_that_is_interrupted_says_what_it_keeps(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept: bool, said: str
) -> None:
    store = tmp_path / "kept.json"

    def interrupted(*_: object, **__: object) -> None:
        if kept:
            store.write_text("{}", encoding="utf-8")
        raise KeyboardInterrupt

    monkeypatch.setattr(lab, "campaign", interrupted)
    done = CliRunner().invoke(app, [*CAMPAIGN, "--store", str(store)], prog_name="wordline")
    assert done.exit_code == 130
    assert said in done.stderr


def test_campaigns_are_printed() -> None:
    printed = call(*CAMPAIGN, *SMALL)
    assert "10 chips, 5,760 pages" in printed
    assert "beyond the code's 60 bits" in printed
