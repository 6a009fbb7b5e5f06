"""Figures and tables for people: they fit, and no number is folded or cut."""

from typing import Any

import pytest
import wordline as wl
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from wordline import peers
from wordline.cli import output
from wordline.figures import metrics


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0, "0"),
        (0.0, "0"),
        (12_345, "12,345"),
        (2.4, "2.400"),
        (999.96, "1,000"),
        (1654.8, "1,655"),
        (0.001234, "0.001234"),
        (1.2344e-7, "1.234e-07"),
    ],
)
def test_figures_have_four_digits(value: float | None, shown: str) -> None:
    assert metrics.figure(value) == shown


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [(None, ""), (1, "×1.00"), (0.0123, "×0.012"), (12.34, "×12.3"), (1234.5, "×1,234"),
     (0.0001, "×<0.001"), (9.999, "×10.0"), (99.99, "×100")],
)  # fmt: skip
def test_ratios_are_short(ratio: float | None, shown: str) -> None:
    assert metrics.change(ratio) == shown


@given(st.lists(st.text("abc=.", min_size=1), min_size=1), st.integers(5, 60))
def test_ids_fold_at_slashes_only(parts: list[str], width: int) -> None:
    name = "/".join(parts)
    lines = output.fold_id(name, width).split("\n")
    assert "".join(lines) == name
    assert all(line.endswith("/") for line in lines[:-1])
    assert all(len(line) <= width for line in lines if line.rstrip("/").count("/"))


@pytest.mark.parametrize("columns", [60, 80, 100, 140])
def test_comparisons_fit_the_terminal(
    comparison: wl.Comparison,
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal = Console(width=columns, color_system=None)
    monkeypatch.setattr(output, "console", lambda: terminal)
    output.show_comparison(comparison, comparison.workloads[0])
    shown = capsys.readouterr().out
    table = shown.splitlines()[2:]
    assert max(map(len, table)) <= columns
    assert "…" not in shown
    first, second = (comparison.cases[0].result, comparison.cases[1].result)
    for metric in metrics.shown([first, second]):
        if metric.brief:
            assert metrics.figure(metric.of(first)) in shown
            ratio = metrics.change(metrics.ratios(second, first)[metric.key])
            assert f"{metrics.figure(metric.of(second))} {ratio}" in shown or ratio == "×1.00"


def test_without_mqsim_its_checks_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(peers.VARIABLE, raising=False)
    (item,) = peers.against_mqsim(quick=True)
    assert item["status"] == "skipped"
    assert "MQSIM is not set" in item["note"]


def test_a_wrong_path_of_mqsim_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(peers.VARIABLE, "/no/such/program")
    with pytest.raises(wl.ConfigError, match="no such program") as failure:
        peers.against_mqsim(quick=True)
    assert failure.value.place == "MQSIM"


def test_a_drive_with_lazy_ftl_is_told_with_what_it_owes() -> None:
    def run(**technique: Any) -> wl.Result:
        small = {"chip": {"blocks_per_plane": 32}}
        return wl.run("lazyrs-16g", "uniform:writes=3e3", drive=small, technique=technique)

    conventional, result = run(), run(lazy_ftl={"mode": "m1"})
    lazy = result.technique["lazy_ftl"]
    told = {metric.key: metric.of(result) for metric in metrics.shown([conventional, result])}
    assert told["first_stages"] == lazy.first_stages > 0
    assert told["word_lines_waiting"] == lazy.waiting > 0
    assert told["iops_if_secured"] == result.host.iops_if_secured
    assert (result.host.iops_if_secured or 0) < (result.host.iops or 0)
    assert "second_stages_due" not in told, "there was none"
    assert any("no second stage came due" in warning for warning in result.warnings)
    # Nothing is owed there, so that both can be compared.
    assert conventional.host.iops_if_secured == conventional.host.iops
    assert metrics.ratios(result, conventional)["iops_if_secured"] is not None
    assert "first_stages" not in metrics.figures(conventional)
