"""What the laboratory prints and draws of made-up figures, each of them a number of its own."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from wordline import lab
from wordline.cli.app import app
from wordline.errors import ConfigError, OutputError
from wordline.lab import plots, quantities
from wordline.native import native_api
from wordline.native.types.lab import (
    CampaignOutcome,
    Curve,
    ExperimentReport,
    Fit,
    Plot,
    Reading,
    State,
    Survey,
)

SURVEY = Survey(
    chip="a-chip", mode="mlc", pec=3000.0, age_h=48.0, temperature_c=40.0, reads=1500.0,
    equivalent_h=77.0,
    states=(
        State("ER", "11", 12.34, 5.67, (0.5, 1e-8)), State("P1", "01", 98.76, 4.32, (0.0, 1e-6)),
    ),
    reads_by=(
        Reading("default", (55.0, 66.0), (1e-3, 2e-3), (8.5, 17.0), (1e-9, 3e-7)),
        Reading("optimal", (44.0, 77.0), (4e-4, 5e-4), (3.25, 4.75), (1e-15, 1e-12)),
    ),
    retries=0, ecc_bits=60, ecc_data_bytes=1024, voltages=(10.0, 20.0),
)  # fmt: skip

OUTCOME = CampaignOutcome(
    chips=11, pages=5760, errors_by_page=(1.5, 2.5), errors=2.0, errors_low=1.75, errors_high=2.25,
    errors_between_chips=0.125, worst_codeword=((0.01, 31), (0.0001, 47)), ecc_bits=60,
    uncorrectable=1234, is_precise=True, histogram=(5760,),
)  # fmt: skip


def fit(free: int, numbers: int) -> Fit:
    return Fit(
        "a-chip",
        (("program.step", 12.5),),
        free,
        "Figure 3",
        numbers,
        free >= numbers,
        "least squares",
    )


REPORT = ExperimentReport("one", "of one", (), (fit(2, 30), fit(3, 40)), ())


def printed(*args: str) -> list[list[str]]:
    """The words of each line that `wordline lab ARGS…` prints."""
    done = CliRunner().invoke(app, ["lab", *args], prog_name="wordline")
    assert done.exit_code == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines() if line.strip("─ ")]


def test_a_survey_tells_states_and_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "vth", lambda *_, **__: SURVEY)
    shown = printed("vth", "--chip", "planar-tlc")
    title = "a-chip, MLC mode: 3,000 P/E cycles, 48.00 h at 40 °C, 1,500 reads; voltages in units"
    assert " ".join(shown[0]) == title
    assert shown[1] == ["state", "bits", "mean", "sigma"]
    assert shown[2] == ["ER", "11", "12.3", "5.7"]
    assert shown[3] == ["P1", "01", "98.8", "4.3"]
    assert " ".join(shown[4]) == "reads, with a code of 60 bits per 1,024 bytes"
    assert " ".join(shown[5]) == "references page RBER errors per codeword codeword failure"
    assert shown[6] == ["default", "0", "1.00e-03", "8.5", "1.00e-09"]
    assert shown[7] == ["1", "2.00e-03", "17", "3.00e-07"]
    assert shown[8] == ["optimal", "0", "4.00e-04", "3.25", "1.00e-15"]


@pytest.mark.parametrize(("retries", "told"), [(0, "0"), (3, "3"), (None, "not enough")])
def test_retries_are_told_or_that_none_is_enough(
    monkeypatch: pytest.MonkeyPatch, retries: int | None, told: str
) -> None:
    fields = {name: getattr(SURVEY, name) for name in SURVEY}
    monkeypatch.setattr(lab, "vth", lambda *_, **__: Survey(**{**fields, "retries": retries}))
    last = printed("vth", "--chip", "planar-tlc")[-1]
    assert " ".join(last) == f"read retries until the worst page can be corrected: {told}"


def test_a_campaign_tells_errors_their_interval_and_the_worst(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lab, "campaign", lambda *_, **__: OUTCOME)
    shown = [" ".join(words) for words in printed("campaign", "a-chip", "--confidence", "0.9")]
    assert shown == [
        "a-chip: 11 chips, 5,760 pages",
        "errors per codeword",
        "page 0 1.5",
        "page 1 2.5",
        "all pages 2",
        "its interval, 0.9 1.75 to 2.25",
        "standard deviation of chips 0.125",
        "worst codeword of 1.00% of the pages, at most 31",
        "worst codeword of 0.01% of the pages, at most 47",
        "1,234 pages beyond the code's 60 bits",
    ]


def test_fits_tell_free_parameters_and_numbers_and_their_sums(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lab, "experiment", lambda _: REPORT)
    shown = [" ".join(words) for words in printed("run", "one")]
    one = "free parameters of a-chip to"
    assert f"fitted: 2 {one} 30 numbers (Figure 3), by least squares" in shown
    assert f"fitted: 3 {one} 40 numbers (Figure 3), by least squares" in shown
    assert "program.step 12.5" in shown
    assert "fitted in all: 5 free parameters to 70 numbers" in shown


def values(chart: Any) -> list[Any]:
    """The rows of each layer of a chart."""
    return [layer["data"]["values"] for layer in chart.to_dict()["layer"]]


def test_a_survey_is_drawn_down_to_its_tails_with_every_reference() -> None:
    densities, references = values(plots.of_survey(SURVEY))
    assert densities == [
        {"state": "ER", "x": 10.0, "y": 0.5},
        {"state": "P1", "x": 20.0, "y": 1e-6},
    ]
    assert [(row["references"], row["x"]) for row in references] == [
        ("default", 55.0), ("default", 66.0), ("optimal", 44.0), ("optimal", 77.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("log_y", "points"), [(False, [(1.0, 0.0), (2.0, 3.0)]), (True, [(2.0, 3.0)])]
)
def test_points_at_zero_are_drawn_where_the_scale_has_it(
    log_y: bool, points: list[tuple[float, float]]
) -> None:
    plot = Plot("a title", "x", "y", log_y, (Curve("one", ((1.0, 0.0), (2.0, 3.0))),))
    chart = plots._plot(plot).to_dict()
    assert [(row["x"], row["y"]) for row in chart["data"]["values"]] == points
    assert (chart["encoding"]["y"]["scale"].get("type") == "log") == log_y


def test_quantities_keep_their_order_and_all_their_digits() -> None:
    assert quantities.texts(1000, "1y", 30.123456789012345, 7) == (
        "1000", "1y", "30.123456789012344", "7",
    )  # fmt: skip


def asked(monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[dict[str, Any], list[Any]]:
    """What a campaign asks of the compiled part, and the progress that it passes on."""
    found: dict[str, Any] = {}
    told: list[Any] = []

    def run(settings: dict[str, Any], _: str, progress: Any) -> CampaignOutcome:
        found.update(settings)
        progress(4, "[]")
        return OUTCOME

    monkeypatch.setattr(native_api, "lab_campaign", run)
    lab.campaign("planar-tlc", **options, progress=lambda *numbers: told.append(numbers))
    return found, told


def test_a_campaign_asks_for_what_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    settings, told = asked(
        monkeypatch, mode="mlc", pec=1, age="2h", temp="3C", reads=4, references="optimal",
        chips=5, pages=6, precision=0.25, confidence=0.5, seed=9, threads=10,
    )  # fmt: skip
    assert settings == {
        "chip": "planar-tlc", "text": "", "mode": "mlc", "pec": "1", "age": "2h", "temp": "3C",
        "reads": "4", "is_optimal": True, "chips": 5, "pages": 6, "precision": 0.25,
        "confidence": 0.5, "seed": 9, "threads": 10,
    }  # fmt: skip
    assert told == [(4, 5)]
    assert asked(monkeypatch, references="default")[0]["is_optimal"] is False


@pytest.mark.parametrize(
    "wrong", [{"confidence": 1.5}, {"confidence": -0.1}, {"precision": 1.1}, {"seed": -1}]
)
def test_settings_beyond_their_ranges_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as refused:
        lab.campaign("planar-tlc", **wrong)
    assert refused.value.place == next(iter(wrong))


@pytest.mark.parametrize("key", ["seed", "chips", "pages", "references"])
def test_another_campaign_does_not_go_on(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_: dict[str, Any], __: str, progress: Any) -> CampaignOutcome:
        progress(1, "[]")
        return OUTCOME

    monkeypatch.setattr(native_api, "lab_campaign", run)
    store = tmp_path / "kept.json"
    given: dict[str, Any] = {"seed": 2, "chips": 20, "pages": 99, "references": "optimal"}
    lab.campaign("planar-tlc", **given, store=store)
    lab.campaign("planar-tlc", **given, store=store, precision=0.5, confidence=0.5, threads=2)
    other = {**given, key: "default" if key == "references" else given[key] + 1}
    with pytest.raises(OutputError, match="it holds a campaign with"):
        lab.campaign("planar-tlc", **other, store=store)
