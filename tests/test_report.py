"""Reports: one file, nothing loaded, readable without charts."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
import wordline as wl
from conftest import Cli
from wordline.figures import metrics
from wordline.report import calibration, charts, page, verdict

VOID = {"meta", "br", "link", "img", "input", "hr"}
OPTIONAL = {"li", "p"}


class Checker(HTMLParser):
    """Collects elements, the text of scripts, and tags that do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.mismatched: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.specs: list[dict] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID | OPTIONAL:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in OPTIONAL:
            return
        if not self.open or self.open.pop() != tag:
            self.mismatched.append(tag)

    def handle_data(self, data: str) -> None:
        if self.elements[-1:] == [("script", {"type": "application/json"})] and data.strip():
            self.specs.append(json.loads(data))


def check(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.mismatched == []
    assert checker.open == []
    return checker


@pytest.fixture(scope="module")
def html(comparison: wl.Comparison) -> str:
    return page.render(comparison)


def test_nothing_is_loaded_from_anywhere(html: str) -> None:
    elements = check(html).elements
    loading = [a for _, a in elements if {"src", "href", "srcset", "data"} & set(a)]
    here = [link for a in loading if (link := a.get("href") or "").startswith("#")]
    assert len(loading) == len(here)
    assert all(f"<section id='{link[1:]}'>" in html for link in here)
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style
    assert not re.search(r"url\(|@import", style[1])
    assert len(html.encode()) < 3_000_000


def test_charts_hold_their_data(html: str) -> None:
    specs = check(html).specs
    assert len(specs) >= 8
    assert all(spec["data"]["values"] for spec in specs)
    assert all("http" not in json.dumps(spec["data"]) for spec in specs)


def test_names_are_text_not_markup(html: str) -> None:
    assert "<b>none</b>" not in html
    assert "&lt;b&gt;none" in html


def test_tables_are_accessible(html: str) -> None:
    elements = check(html).elements
    tables = sum(tag == "table" for tag, _ in elements)
    assert tables == sum(tag == "caption" for tag, _ in elements) > 0
    assert all(a.get("scope") in ("row", "col") for tag, a in elements if tag == "th")
    assert ("html", {"lang": "en"}) in elements


def test_the_verdict_comes_first_and_names_the_winner(comparison: wl.Comparison) -> None:
    html = page.render(comparison)
    assert html.index("<h2>Verdict") < html.index("<h2>At a glance") < html.index("<table")
    assert html.count("class='charts'") == 1 + len(comparison.workloads)
    swapped = wl.Comparison(
        [case for variant in ("fifo", "conventional") for case in comparison.cases
         if case.variant == variant]
    )  # fmt: skip
    first = verdict.of_comparison(swapped)[0]
    assert "against fifo, conventional is best in" in first
    assert "write amplification" in first


def test_workloads_may_have_drives_of_their_own(comparison: wl.Comparison) -> None:
    first = comparison.cases[0]
    other = [wl.Case(name, "elsewhere", first.result) for name in ("small", "smaller")]
    both = wl.Comparison([*comparison.cases, *other])
    assert both.groups == [comparison.workloads, ["elsewhere"]]
    (told,) = (said for said in verdict.of_comparison(both) if said.startswith("elsewhere"))
    assert "small" in told
    html = page.render(both)
    check(html)
    for baseline in (first.variant, "small"):
        assert f"What differs from {baseline}" in html
        assert f"Resolved configuration of {baseline}" in html


def test_the_verdict_says_what_is_calibrated() -> None:
    plain = wl.run("tiny", "uniform:requests=10")
    assert "Nothing in these drives and workloads is calibrated" in verdict.of_run(plain)[-1]
    for name in ("twin:ressd/hm_0", "twin:webresearch"):
        twin = wl.run("tiny", f"{name}:requests=1000")
        told = verdict.of_run(twin)[-1]
        assert told.startswith("Calibrated, that is, fitted to published figures: "), told
        assert name.removeprefix("twin:") in told, told
    uncalibrated = wl.run("tiny", "twin:centaur/hm_1:requests=1000")
    assert "Nothing in these" in verdict.of_run(uncalibrated)[-1]


def test_fitted_values_of_drives_are_told(
    result: wl.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    def value(key: str, value: float, source: str) -> dict[str, object]:
        return {"key": key, "value": value, "source": source}

    chip = result.config.drive.chip
    read = value("drive.chip.read_us", chip.read_us, "calibrated: somebody, 2022, Table 2")
    fits = {"name": "ours", "values": [read, value("drive.chip.planes", chip.planes, "given")]}
    other = {"name": "not", "values": [read, value("drive.chip.planes", 77, "given")]}
    key = {"key": "program_us", "default": chip.program_us, "source": "calibrated: likewise"}
    catalogue = {
        "presets": [fits, other],
        "tables": [{"path": "drive.chip", "params": [key]}],
        "techniques": [],
        "twins": [],
    }
    monkeypatch.setattr("wordline.components.catalogue.load", lambda: catalogue)
    assert calibration.told([result, result]) == (
        "Calibrated, that is, fitted to published figures: "
        f"drive.chip.program_us = {chip.program_us}; drive.chip.read_us of ours."
    )


def test_wear_is_drawn_block_by_block(comparison: wl.Comparison) -> None:
    case = comparison.cases[0]
    chart = next(c for c in charts.of_cases([case]) if c.title == "Wear over blocks")
    rows = chart.spec["data"]["values"]
    assert (rows[0]["x"], rows[-1]["x"]) == (0, 1)
    assert (rows[0]["y"], rows[-1]["y"]) == (
        case.result.wear.erases_min, case.result.wear.erases_max,
    )  # fmt: skip
    area = sum((b["x"] - a["x"]) * a["y"] for a, b in pairwise(rows))
    assert area == pytest.approx(case.result.wear.erases_mean, rel=1e-3)


def test_a_run_in_count_mode_has_a_report_without_latencies() -> None:
    counted = wl.run("tiny", "uniform:writes=50000", run={"mode": "count"})
    titles = [chart.title for chart in charts.of_cases([wl.Case("a", "b", counted)])]
    assert "Write amplification by cause" in titles
    assert not [title for title in titles if "latency" in title.lower()]
    check(page.render(counted))


def test_warnings_fold_beneath_the_finding_and_its_picture() -> None:
    idle = wl.run("tiny", "uniform:writes=100")
    assert idle.warnings
    html = page.render(idle)
    count = len(idle.warnings)
    line = f"<summary><strong>{count} warning{'s' if count > 1 else ''}</strong></summary>"
    assert html.index("<h2>At a glance") < html.index(line) < html.index("<h2>Figures")


def test_reports_can_be_written_anew(cli: Cli, tmp_path) -> None:
    assert cli("run", "tiny", "--workload", "uniform:writes=5000", "--out", "out").returncode == 0
    report = tmp_path / "out" / "report.html"
    first = report.read_text()
    report.unlink()
    assert cli("report", "out").returncode == 0
    assert report.read_text() == first


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (0.98, "2 % lower"),
        (0.51, "49 % lower"),
        (0.25, "a factor of 4.0 lower"),
        (0.001, "a factor of 1000 lower"),
        (1.2, "20 % higher"),
        (1.99, "99 % higher"),
        (2.0, "a factor of 2.0 higher"),
        (2.5, "a factor of 2.5 higher"),
    ],
)
def test_differences_are_said_in_words(ratio: float, words: str) -> None:
    assert metrics.difference(ratio) == words


def test_the_verdict_says_what_the_baseline_does_best(comparison: wl.Comparison) -> None:
    two = [case for case in comparison.cases if case.variant in ("conventional", "fifo")]
    told = verdict.of_comparison(wl.Comparison(two))[0]
    assert "no drive betters conventional in " in told
    assert re.search(r"write amplification \(\d+ % higher with fifo\)", told)


def test_equal_drives_and_twins_are_told_by_name(result: wl.Result) -> None:
    cases = [
        wl.Case(drive, f"twin:ressd/{volume}:requests=10", result)
        for volume in ("hm_0", "hm_1")
        for drive in ("one", "other")
    ]
    told = verdict.of_comparison(wl.Comparison(cases))
    assert told[1] == "twin:ressd/hm_0: nothing that was measured differs from one."


def test_erases_of_worn_out_drives_are_not_judged() -> None:
    def drive(scheme: str) -> wl.Result:
        return wl.run(
            "tiny",
            "uniform:writes=5e4",
            run={"mode": "count"},
            drive={"chip": {"endurance_pec": {"one": 3, "other": 6}[scheme]}},
        )

    cases = [wl.Case(name, "uniform", drive(name)) for name in ("one", "other")]
    assert all(case.result.wear.life_gib for case in cases)
    told = verdict.of_comparison(wl.Comparison(cases))[0]
    assert "against one, other is best in " in told and " life (" in told
    assert "erases per GiB written (" in told
    assert " erases (" not in told


def test_a_life_in_windows_is_drawn() -> None:
    lived = wl.run(
        "tiny",
        "uniform:requests=2e5,read=0.3,interval_us=300,size_kib=4",
        run={"window_drive_writes": 0.5, "cycles_per_erase": 9},
        drive={"chip": {"endurance_pec": 60, "endurance_sigma": 0.1}},
        precondition={"pattern": "steady"},
    )
    assert lived.wear.life_gib == pytest.approx(lived["life"][-1]["written_gib"], rel=0.02)
    titles = [chart.title for chart in charts.of_cases([wl.Case("drive", "uniform", lived)])]
    assert "Life: mean time of an erase (ms)" in titles
    assert "Life: good blocks" in titles
    assert "Life: errors per KiB after a year" not in titles  # not known to this scheme
