"""Reproductions: what is run, how it is judged, what is kept, and what is told."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import wordline as wl
from click.testing import CliRunner
from conftest import Cli
from wordline import lab, reproduce
from wordline.cli.app import app
from wordline.configuration import Configuration
from wordline.errors import ConfigError
from wordline.figures import metrics
from wordline.reproduce import Figure, Findings, Load, Study, judge, page, runner, traces
from wordline.reproduce.study import known
from wordline.results.store import Store
from wordline.runs import single_run

EXPECTED = """id,source,unit,reference,tolerance,fitted
toy/fig1/wa/a,Toy,,1.0,0.5,no
toy/fig1/wa/b,Toy,,1.0,0.0001,no
toy/fig1/fewer_erases,Toy,%,-10,0.1,no
toy/fig2/writes/a,Toy,requests,30000,0,yes
toy/fig2/writes/b,Toy,requests,,0,no
"""


def _fig1(found: Findings) -> Mapping[str, float]:
    return {
        f"wa/{load.name}": known(found.result(drive, load).write_amplification)
        for load in found.loads
        for drive in ("fifo",)
    } | {"fewer_erases": -10.5, "beyond": 3.0}


def _fig2(found: Findings) -> Mapping[str, float]:
    return {
        f"writes/{load.name}": found.traffic(load).total.requests.writes for load in found.loads
    }


def _loads(_: Path | None, quick: bool) -> list[Load]:
    both = [Load("a", "uniform:writes=3e4"), Load("b", "hotcold:writes=3e4")]
    return both[:1] if quick else both


TOY = Study(
    paper="toy",
    source="Toy, 2026",
    base="tiny",
    drives={"greedy": (), "fifo": ("ftl.gc.policy=fifo",)},
    loads=_loads,
    figures=(Figure("fig1", "WA", _fig1, "x", ("fifo",)), Figure("fig2", "Writes", _fig2)),
    notes={"toy/fig1": "short", "toy/fig1/wa": "because"},
)


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = judge.expected

    def expected(study: Study) -> list[judge.Row]:
        if study is not TOY:
            return rows(study)
        head, *lines = EXPECTED.splitlines()
        return [dict(zip(head.split(","), line.split(","), strict=True)) for line in lines]

    monkeypatch.setattr(judge, "expected", expected)
    monkeypatch.setitem(reproduce.STUDIES, "toy", TOY)


def test_every_status_is_given_where_it_is_due() -> None:
    found = reproduce.reproduce(TOY)
    by_id = {item["id"]: item for item in found.all_items}
    statuses = {name.removeprefix("toy/"): item["status"] for name, item in by_id.items()}
    assert statuses == {
        "fig1/wa/a": "deviates",
        "fig1/wa/b": "deviates",
        "fig1/fewer_erases": "reproduced",
        "fig1/beyond": "not published",
        "fig2/writes/a": "calibrated",
        "fig2/writes/b": "not published",
    }
    assert by_id["toy/fig1/fewer_erases"]["deviation"] == pytest.approx(0.05)
    assert by_id["toy/fig1/fewer_erases"]["note"] == "short"
    assert by_id["toy/fig1/wa/a"]["note"] == "because"
    assert by_id["toy/fig1/wa/a"]["workload"] == "uniform:writes=3e4"
    alone = wl.run("tiny", "uniform:writes=3e4", wl.policies.gc.fifo())
    assert by_id["toy/fig1/wa/a"]["ours"] == alone.write_amplification


def test_only_what_a_figure_needs_is_run() -> None:
    assert set(reproduce.reproduce(TOY).results) == {("fifo", "a"), ("fifo", "b")}
    assert not reproduce.reproduce(TOY, ["fig2"]).results


def test_a_quick_run_skips_what_it_lacks_and_a_whole_one_must_not_lack_anything() -> None:
    items = reproduce.reproduce(TOY, quick=True).all_items
    assert [i["id"] for i in items if i["status"] == "skipped"] == [
        "toy/fig1/wa/b",
        "toy/fig2/writes/b",
    ]
    with pytest.raises(KeyError, match="toy/fig1/wa/a"):
        list(judge.items(TOY, TOY.figures[0], {}, (), quick=False))


def test_comparisons_of_the_laboratory_belong_to_a_figure_as_they_are() -> None:
    shown = reproduce.reproduce(reproduce.study("reo"), ["margin"], quick=True).items["margin"]
    found = [item for item in lab.experiment("reo")["items"] if "/mrber/" in item["id"]]
    assert len(shown) == len(found) > 10
    for ours, theirs in zip(shown, found, strict=True):
        assert ours["id"] == theirs["id"].replace("reo/", "reo/margin/", 1)
        assert {**ours, "id": ""} == {**theirs, "id": ""}


def test_runs_are_kept_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the store of sweeps, with which a comparison shares them."""
    kept = Store(tmp_path)
    first = reproduce.reproduce(TOY, ["fig1"], store=kept)
    assert len(kept.keys()) == 2
    monkeypatch.setattr(single_run, "simulate", lambda *_: pytest.fail("it is kept"))
    again = reproduce.reproduce(TOY, ["fig1"], store=kept)
    assert again.items == first.items
    jobs = runner._jobs(TOY, TOY.figures[:1], {"fig1": TOY.figures[0].of(TOY.loads(None, False))})
    for configuration in jobs.values():
        assert kept.find(kept.identity_of(configuration))


def test_a_kept_run_that_is_damaged_is_run_again(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    first = reproduce.reproduce(TOY, ["fig1"], store=kept)
    for path in (tmp_path / "runs").glob("*/*"):
        path.write_text("")
    assert reproduce.reproduce(TOY, ["fig1"], store=kept).items == first.items
    assert all(path.read_bytes() for path in (tmp_path / "runs").glob("*/*"))


def test_a_twin_is_no_measurement_and_a_trace_takes_its_place(tmp_path: Path) -> None:
    twin = traces.msr("hm_0", "ressd", tmp_path)
    assert twin.is_synthetic
    assert twin.label == "twin:ressd/hm_0, synthetic"
    (tmp_path / "hm_0.csv.gz").touch()
    own = traces.msr("hm_0", "ressd", tmp_path, 10)
    assert own.source == str(tmp_path / "hm_0.csv.gz")
    assert "workload.first=10" in own.overrides
    row = {"id": "x/y/hm_0", "source": "", "unit": "", "reference": "1", "tolerance": "1"}
    for load, status in ((twin, "calibrated"), (own, "reproduced")):
        item = judge.item(TOY, {**row, "fitted": "twin"}, 1.0, [load])
        assert item["status"] == status


@pytest.mark.parametrize("paper", [name for name in reproduce.STUDIES if name != "toy"])
def test_published_values_and_drives_belong_to_figures(paper: str) -> None:
    study = reproduce.study(paper)
    rows = judge.expected(study)
    names = {row["id"].split("/")[1] for row in rows}
    assert rows or study.source.startswith("not published")
    assert all(row["source"] and row["id"].startswith(f"{paper}/") for row in rows)
    assert names <= {figure.name for figure in study.figures}
    loads = study.loads(None, False)
    runs = {run for figure in study.figures for run in figure.needed(loads)}
    assert {drive for drive, _ in runs} == set(study.drives)
    assert len({load.title for load in loads}) == len(loads)


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("paper", [name for name in reproduce.STUDIES if name != "toy"])
def test_every_drive_can_be_built_and_opens_every_workload_of_its_study(
    paper: str, quick: bool
) -> None:
    study = reproduce.study(paper)
    loads = study.loads(None, quick)
    needed = {figure.name: figure.of(loads) for figure in study.figures}
    drives: dict[str, Configuration] = {}
    for (drive, _), configuration in runner._jobs(study, study.figures, needed).items():
        configuration.check_workload()
        drives.setdefault(drive, configuration)
    # As new, and empty: to age blocks and to fill them takes long, and decides nothing.
    new = {}
    for one in drives.values() if not quick else ():
        keys = (key for key in one.overrides if not key.startswith("drive.chip.initial_pec"))
        one = replace(one, overrides=(*keys, "precondition.fill=0.0"))
        new[repr(one)] = one
    for one in new.values():
        one.check_drives()


def test_the_command_writes_a_page_and_the_items(tmp_path: Path) -> None:
    out = tmp_path / "toy"
    args = ["reproduce", "toy", "--out", str(out), "--json"]
    done = CliRunner().invoke(app, args, prog_name="wordline")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout) == json.loads((out / "items.json").read_text())
    text = (out / "report.html").read_text()
    assert "Toy, 2026" in text
    assert "what must be known" in text
    titles = (
        "Reproduction of toy: fig1 and fig2; tiny, 50 MiB, fifo, on a and b",
        "At a glance",
        "Verdict",
    )
    places = [text.index(title) for title in titles]
    assert places == sorted(places)


def test_the_picture_shows_deviations_in_tolerances() -> None:
    """`off` at half its tolerance, `far` at ten: beyond the edge; what has none is left out."""

    def item(name: str, status: str, off: float | None, tolerance: float) -> dict[str, object]:
        return {
            "id": f"toy/fig1/{name}", "status": status, "deviation": off, "tolerance": tolerance,
        }  # fmt: skip

    items = [
        item("off", "reproduced", -0.05, 0.1),
        item("far", "deviates", 2.0, 0.2),
        item("none", "not published", None, 0.1),
        item("exact", "reproduced", 0.0, 0.0),
    ]
    found = runner.Reproduction(TOY, TOY.figures[:1], {"fig1": items}, {})
    picture = page.picture(found)
    assert picture
    assert picture.spec["data"]["values"] == [
        {"figure": "fig1", "value": "off", "verdict": "reproduced", "x": -0.5},
        {"figure": "fig1", "value": "far", "verdict": "deviates", "x": 10},
    ]
    assert picture.caption.endswith("1 of 2 lie beyond the edges.")
    assert page.picture(runner.Reproduction(TOY, TOY.figures[:1], {"fig1": items[2:]}, {})) is None


@pytest.mark.parametrize("is_kept", [True, False])
def test_ctrl_c_says_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    def stopped(*_: object, store: Store, **__: object) -> None:
        if is_kept:
            store.put("ab12", b"a run")
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "reproduce", stopped)
    kept_in = tmp_path / "new/store"
    args = ["reproduce", "toy", "--out", str(tmp_path / "new/out"), "--store", str(kept_in)]
    done = CliRunner().invoke(app, args, prog_name="wordline")
    assert done.exit_code == 130
    kept = f"the same command goes on from the runs kept in {kept_in / 'runs'}"
    assert done.stderr == f"stopped: {kept if is_kept else 'nothing was written'}\n"
    assert (tmp_path / "new").exists() == is_kept


def _titles(units: Mapping[str, str]) -> list[str]:
    items = [
        {"id": f"toy/fig1/{name}", "unit": unit, "reference": None, "ours": 1.0}
        for name, unit in units.items()
    ]
    return [chart.title for chart in page.charts_of(TOY.figures[0], items)]


def test_values_are_drawn_with_those_of_their_unit() -> None:
    assert _titles({"wa/a": "", "wa/b": "", "single": "%", "other": "x"}) == ["wa"]
    assert _titles({"a": "%", "b": "%", "c": "x"}) == ["WA"]
    both = {"g/a": "%", "g/b": "%", "g/c": "ms", "g/d": "ms"}
    assert _titles(both) == ["g, %", "g, ms"]


def test_mistakes_are_told(cli: Cli) -> None:
    with pytest.raises(ConfigError, match="no figure"):
        reproduce.reproduce(TOY, ["fig3"])
    for args, told in (
        (("resd",), "did you mean `ressd`"),
        (("ressd", "--figure", "table4"), "did you mean `table6`"),
        (("ressd", "--traces", "/nowhere"), "is no folder"),
        (("ressd", "--out", "/proc/x"), "cannot be written"),
    ):
        done = cli("reproduce", *args)
        assert done.returncode == 2, done.stderr
        assert told in done.stderr


@pytest.mark.parametrize(
    ("reference", "off", "allowed", "told"),
    [
        (4.0, -0.25, 0.5, ("-25.00%", "50.00%")),
        (4.0, -0.00001, 0.02, ("+0.00%", "2.00%")),
        (4.5e-40, -1.0, 1.15e40, ("-100.00%", "1.15e+42%")),
        (4.5e-40, 2e38, 12.5, ("+2.00e+40%", "1,250.00%")),
        (0.0, 1.5, 5.0, ("+1.5", "5")),  # of nothing there is no share
        (None, None, 0.0, ("–", "–")),
    ],
)
def test_deviations_are_shares_of_what_is_not_zero(
    reference: float | None, off: float | None, allowed: float, told: tuple[str, str]
) -> None:
    item = {"reference": reference, "deviation": off, "tolerance": allowed}
    assert metrics.deviation(item) == told
