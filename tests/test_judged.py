"""How values of a reproduction are judged, kept and shown, from made-up rows."""

from typing import Any

import pytest
from wordline.errors import RunError
from wordline.native.types.record import Tree
from wordline.reproduce import Figure, Load, Study, judge, page, runner
from wordline.reproduce.study import known

LOADS = [Load("a", "twin:toy/a"), Load("b", "b.csv", 30)]
TOY = Study(
    paper="toy",
    source="Toy, 2026",
    base="tiny",
    drives={"fifo": ("ftl.gc.policy=fifo",), "plain": ()},
    loads=lambda traces, quick: LOADS,
    figures=(Figure("fig1", "WA"), Figure("fig2", "Writes", loads=("b",), drives=("fifo",))),
    notes={"toy/fig1": "short", "toy/fig1/wa": "because"},
)


def row(name: str, **more: str) -> dict[str, str]:
    return {"id": f"toy/fig1/{name}", "source": "Toy", "unit": "x", **more}


@pytest.mark.parametrize(
    ("more", "ours", "deviation", "status"),
    [
        ({"reference": "8", "tolerance": "0.25", "fitted": "no"}, 10.0, 0.25, "reproduced"),
        ({"reference": "8", "tolerance": "0.24", "fitted": "no"}, 10.0, 0.25, "deviates"),
        ({"reference": "8", "tolerance": "0.25", "fitted": "no"}, 5.0, -0.375, "deviates"),
        ({"reference": "-8", "tolerance": "0.25", "fitted": "no"}, -6.0, -0.25, "reproduced"),
        ({"reference": "8", "tolerance": "0.25", "fitted": "yes"}, 10.0, 0.25, "calibrated"),
        ({"reference": "8", "tolerance": "0.24", "fitted": "yes"}, 10.0, 0.25, "deviates"),
        ({"reference": "8", "tolerance": "0.25", "fitted": "selected"}, 10.0, 0.25, "selected"),
        ({"reference": "8", "tolerance": "0.24", "fitted": "selected"}, 10.0, 0.25, "deviates"),
        ({"reference": "8", "tolerance": "0.25", "fitted": "implied"}, 10.0, 0.25, "implied"),
        ({"reference": "8", "tolerance": "0.25", "fitted": "unjudged"}, 10.0, 0.25, "not judged"),
        ({"reference": "8", "tolerance": "0.24", "fitted": "unjudged"}, 10.0, 0.25, "not judged"),
        # Of nothing there is no share: the deviation is in the value's own unit.
        ({"reference": "0", "tolerance": "3"}, 2.5, 2.5, "reproduced"),
        # What names no tolerance tolerates nothing.
        ({"reference": "8"}, 8.0, 0.0, "reproduced"),
        ({"reference": "8"}, 8.1, 0.0125, "deviates"),
        ({"reference": "8", "tolerance": ""}, 8.1, 0.0125, "deviates"),
        ({"reference": "8", "tolerance": "9"}, None, None, "skipped"),
        ({"reference": "", "tolerance": "9"}, 8.0, None, "not published"),
    ],
)
def test_a_value_is_judged_by_its_tolerance(
    more: dict[str, str], ours: float | None, deviation: float | None, status: str
) -> None:
    item = judge.item(TOY, row("wa/a", **more), ours, LOADS)
    assert item["status"] == status
    assert item["deviation"] == (None if deviation is None else pytest.approx(deviation))
    assert item["note"] == ("a quick run leaves it out" if status == "skipped" else "because")


def test_what_is_no_number_deviates() -> None:
    nan = judge.item(TOY, row("x", reference="1", tolerance="9"), float("nan"), LOADS)
    assert nan["status"] == "deviates"


@pytest.mark.parametrize(
    ("name", "status", "workload"),
    [
        ("wa/a", "calibrated", "twin:toy/a, synthetic"),
        ("wa/b", "reproduced", "b.csv"),
        ("wa/average", "calibrated", "twin:toy/a, synthetic; b.csv"),
        ("wa/aab", "calibrated", "twin:toy/a, synthetic; b.csv"),
    ],
)
def test_what_is_fitted_to_a_twin_is_calibrated_where_a_twin_was_run(
    name: str, status: str, workload: str
) -> None:
    fitted = row(name, reference="1", tolerance="0", fitted="twin")
    item = judge.item(TOY, fitted, 1.0, LOADS)
    assert (item["status"], item["workload"]) == (status, workload)


def test_published_values_come_first_and_only_those_of_the_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [row("b", reference="1"), row("a", reference="2")]
    rows.append({**row("a"), "id": "toy/fig10/a"})
    monkeypatch.setattr(judge, "expected", lambda study: rows)
    ours = {"own": 3.0, "a": 2.0, "b": 4.0}
    shown = list(judge.items(TOY, Figure("fig1", "WA", unit="ms"), ours, LOADS, quick=False))
    assert [(item["id"], item["ours"], item["unit"]) for item in shown] == [
        ("toy/fig1/b", 4.0, "x"), ("toy/fig1/a", 2.0, "x"), ("toy/fig1/own", 3.0, "ms"),
    ]  # fmt: skip
    assert [item["status"] for item in shown] == ["deviates", "reproduced", "not published"]


def test_a_study_says_what_is_run() -> None:
    assert TOY.note("toy/fig1/x") == "short"
    assert TOY.note("toy/fig1/wa/x") == "because"
    assert TOY.note("toy/fig2") == ""
    assert LOADS[1].overrides == ('workload.source="b.csv"', "workload.first=30")
    assert LOADS[0].overrides == ('workload.source="twin:toy/a"',)
    assert [figure.of(LOADS) for figure in TOY.figures] == [LOADS, LOADS[1:]]
    assert known(0.0) == 0.0
    with pytest.raises(RunError, match="lacks a figure"):
        known(None)


def test_every_drive_of_a_figure_runs_on_every_workload_of_it() -> None:
    figures = [Figure("one", "", drives=("fifo", "plain")), Figure("two", "", drives=("fifo",))]
    loads = {"one": LOADS[:1], "two": LOADS}
    jobs = runner._jobs(TOY, figures, loads)
    assert list(jobs) == [("fifo", "a"), ("plain", "a"), ("fifo", "b")]
    assert jobs["fifo", "b"].overrides == ("ftl.gc.policy=fifo", *LOADS[1].overrides)
    assert jobs["plain", "a"].overrides == LOADS[0].overrides


def made(items: list[dict[str, Any]], results: Any = None, quick: bool = False) -> Any:
    by_figure = {"fig1": items, "fig2": []}
    return runner.Reproduction(TOY, TOY.figures, by_figure, results or {}, quick)


def item(name: str, status: str, **more: Any) -> dict[str, Any]:
    empty = {"reference": 4.0, "ours": 3.0, "deviation": -0.25, "tolerance": 0.5, "note": ""}
    return {"id": f"toy/fig1/{name}", "unit": "ms", "status": status, **empty, **more}


def test_the_page_counts_verdicts() -> None:
    statuses = ["deviates"] * 3 + ["reproduced"] * 2 + ["calibrated"]
    html = page._verdict(made([item(str(n), status) for n, status in enumerate(statuses)]))
    assert "<p>3 deviates, 2 reproduced, 1 calibrated. " in html
    heads = "".join(
        f"<th scope='col'>{head}</th>"
        for head in ("figure", "reproduced", "calibrated", "deviates", "shows")
    )
    assert heads in html
    assert "fig1</a></th><td>2</td><td>1</td><td>3</td>" in html
    assert "fig2</a></th><td>–</td><td>–</td><td>–</td>" in html


def test_a_row_of_the_page_has_value_deviation_and_verdict() -> None:
    html = page._table(
        TOY.figures[0],
        [
            item("wa/a", "reproduced", note="once"),
            item("wa/b", "deviates", ours=None, deviation=None, note="once"),
            item("wa/c", "skipped", note="never"),
            item("wa/d", "not published", note="other", unit=""),
        ],
    )
    nbsp = "\N{NO-BREAK SPACE}"
    assert (
        f"wa/a</th><td>4.000{nbsp}ms</td><td>3.000{nbsp}ms</td><td>-25.00%</td><td>50.00%</td>"
        "<td><b class='better'>reproduced</b></td><td><div class='note'>once</div></td>"
    ) in html
    assert (
        f"wa/b</th><td>4.000{nbsp}ms</td><td>–</td><td>–</td><td>–</td>"
        "<td><b class='worse'>deviates</b></td><td><div class='note'></div></td>"
    ) in html
    assert "wa/c" not in html
    assert "<td>4.000</td><td>3.000</td>" in html
    assert "<b class='same'>not published</b></td><td><div class='note'>other</div>" in html


def test_warnings_name_how_many_runs_they_are_of() -> None:
    results = {
        ("fifo", "a"): Tree({"warnings": ["drive 1: full", "drive 2: full", "slow"]}),
        ("fifo", "b"): Tree({"warnings": ["full"]}),
        ("plain", "a"): Tree({"warnings": []}),
    }
    told = page.warnings_of(made([], results, quick=True))
    assert told[0][0].startswith("a quick run")
    assert told[1:] == [("full", "in 2 of 3 runs"), ("slow", "in 1 of 3 runs")]


def test_bars_are_the_published_values_and_ours() -> None:
    items = [item("wa/a", "", ours=3.0), item("wa/b", "", reference=None, ours=5.0)]
    (chart,) = page.charts_of(TOY.figures[0], items)
    assert chart.spec["data"]["values"] == [
        {"kind": "published", "of": "a", "y": 4},
        {"kind": "ours", "of": "a", "y": 3},
        {"kind": "ours", "of": "b", "y": 5},
    ]
    assert chart.caption.startswith("Published values beside ours.")
    (alone,) = page.charts_of(TOY.figures[0], [{**of, "reference": None} for of in items])
    assert alone.caption.startswith("Ours; nothing was published.")
    charted = Figure("fig1", "WA", charted=("else/",))
    assert page.charts_of(charted, items) == []
