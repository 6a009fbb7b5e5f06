"""Bad input of `code` and `lab`: what, which flag, how to mend it; no traceback, no hang."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import wordline.lab as laboratory
from click.testing import CliRunner
from wordline.cli.app import app
from wordline.codes import EccCode, Family, WomCode
from wordline.errors import ConfigError

HUGE = str(10**30)  # which no integer of a machine holds
LARGE = str(2**62)  # which one does
BCH = ("code", "bch", "--t", "4", "--data-bytes", "64")
LOST = (*BCH, "--failure-rate")
LDPC = ("code", "ldpc", "--failure-rate", "--rber", "0.01")
POLAR = ("code", "polar", "--cells", "256", "--message-bits", "8")
LDGM = ("code", "ldgm", "--cells", "256", "--message-bits", "8")
TRIPS = ("code", "round-trips", "--pages", "2")
CAMPAIGN = ("lab", "campaign", "lazyrs-tlc", "--pages", "576", "--chips", "1")
VTH = ("lab", "vth", "--chip", "planar-tlc")

REFUSED: list[tuple[Sequence[str], str]] = [
    *(
        ((*verb, flag, value), flag)
        for verb in (LOST, LDPC, (*POLAR, "--failure-rate"), (*LDGM, "--failure-rate"))
        for flag in ("--trials", "--failures")
        for value in ("0", "-1", LARGE, HUGE)
    ),
    *(
        ((*verb, flag, value), flag)
        for verb, flag in (
            (LOST, "--seed"),
            (LDPC, "--seed"),
            (POLAR, "--seed"),
            (LDGM, "--seed"),
            (TRIPS, "--seed"),
            (CAMPAIGN, "--seed"),
        )
        for value in ("-1", HUGE)
    ),
    *(
        ((*verb, flag, value), flag)
        for verb, flag in (
            (POLAR, "--tries"),
            (LDGM, "--tries"),
            (TRIPS, "--tries"),
            (POLAR, "--cells"),
            (LDGM, "--cells"),
            (POLAR, "--message-bits"),
            (LDGM, "--message-bits"),
            (TRIPS, "--pages"),
            (LDPC, "--rows"),
            (LDPC, "--reads"),
            (LDPC, "--rounds"),
            (BCH, "--t"),
            (BCH, "--data-bytes"),
            (CAMPAIGN, "--chips"),
            (CAMPAIGN, "--pages"),
            (CAMPAIGN, "--threads"),
        )
        for value in ("-5", LARGE, HUGE)
    ),
    ((*POLAR, "--message-bits", "0"), "--message-bits"),
    ((*POLAR, "--tries", "65537"), "give a whole number from 1 to 65,536"),
    (("code", "polar", "--cells", "256", "--failure-bound", "0"), "give a larger bound"),
    (("code", "polar", "--cells", "4096", "--rber", "0.3"), "correct fewer wrong cells"),
    (("code", "polar", "--cells", "256", "--failure-bound", "nan"), "--failure-bound"),
    ((*POLAR, "--writable", "nan"), "--writable"),
    ((*LDGM, "--writable", "-5", "--failure-rate"), "--writable"),
    ((*POLAR, "--rber", "nan"), "--rber"),
    ((*LDGM, "--rber", "0.1"), "no option"),
    ((*POLAR[:4], "--rate", "1.5"), "give bits per cell"),
    ((*POLAR, "--rber", "1e-3", "--read-failure", "nan"), "--read-failure"),
    ((*POLAR, "--instructions", "mmx"), "--instructions"),
    ((*BCH, "--speed", "--errors", HUGE), "--errors"),
    ((*BCH, "--speed", "--errors", "513"), "give a whole number from 0 to 512"),
    ((*LOST, "--rber", "nan"), "--rber"),
    ((*LOST, "--rber", "0.5"), "--rber"),
    (("code", "ldpc", "--reads", "2"), "an odd number up to 15, not 2"),
    (("code", "ldpc", "--reads", "99"), "an odd number up to 15, not 99"),
    (("code", "ldpc", "--rows", "11"), "one of 10, 12, 14, 16, 19"),
    (("code", "ldpc", "--rounds", "1000000000000"), "--rounds"),
    ((*TRIPS, "--reserved", "-1"), "--reserved"),
    ((*TRIPS, "--data-bytes", LARGE), "cannot be written"),
    ((*TRIPS, "--logical-bytes", LARGE), "--logical-bytes"),
    ((*CAMPAIGN, "--threads", "1000000"), "give a whole number from 1 to 1,024"),
    ((*CAMPAIGN, "--precision", "nan"), "--precision"),
    ((*CAMPAIGN, "--precision", "1"), "--precision"),
    ((*CAMPAIGN, "--confidence", "inf"), "--confidence"),
    ((*CAMPAIGN, "--references", "best"), "--references"),
    ((*CAMPAIGN, "--mode", "plc"), "--mode"),
    ((*VTH, "--pec", "many"), "--pec"),
    ((*VTH, "--age", "-1y"), "--age"),
    ((*VTH, "--temp", "400C"), "--temp"),
    ((*VTH, "--reads", "1e9"), "--reads"),
    ((*VTH, "--pec", "1e6"), "the chip's laws do not reach there"),
    (("lab", "tables", "planar-tlc", "--out", "file"), "where: file"),
    (("lab", "tables", "planer-tlc", "--out", "new"), "unknown chip"),
    (("lab", "run", "reoo"), "unknown experiment"),
    (("lab", "describe", "reo"), "unknown chip"),
]


@pytest.mark.parametrize(("args", "told"), REFUSED)
def test_what_cannot_be_is_refused_by_its_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: Sequence[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    done = CliRunner().invoke(app, list(args), prog_name="wordline")
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 2, done.output
    assert told in done.stderr, done.stderr
    assert "line 1 column" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "mine"


CHIPS = {
    "[retention]\ndiffusion = -0.5\n": "retention.diffusion is -0.5",
    "[erase]\nstep_ms = 100\n": "erase.step_ms is 100",
    "[erase]\nendurance_pec = 10\n": "erase.endurance_pec is 10",
    "[read_disturb]\nscale = 0\n": "read_disturb.scale is 0",
    "levels = 3\n": "chip.toml",
}


@pytest.mark.parametrize("text", CHIPS)
@pytest.mark.parametrize("verb", ["vth", "tables", "campaign"])
def test_no_chip_that_cannot_be_gives_a_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, verb: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chip.toml").write_text(f'base = "reo-tlc"\n{text}')
    options = {"vth": ["--chip", "chip.toml"], "tables": ["chip.toml", "--out", "tables"]}
    args = ["lab", verb, *options.get(verb, ["chip.toml"])]
    done = CliRunner().invoke(app, args, prog_name="wordline")
    assert done.exit_code == 2, done.output
    assert CHIPS[text] in done.stderr and "chip.toml" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["chip.toml"]


@pytest.mark.parametrize("counts", [[-1, 0, 5], [10**30], ["many"], {"a": 1}, None])
@pytest.mark.parametrize("verb", [LOST])
def test_kept_counts_that_cannot_be_are_refused(
    tmp_path: Path, verb: Sequence[str], counts: Any
) -> None:
    kept = tmp_path / "kept.json"
    key = "bch/t=4/data=64, rber 0.008, seed 2"
    kept.write_text(json.dumps({"counts": {key: counts}}))
    args = [*verb, "--rber", "0.008", "--trials", "10", "--tallies", str(kept)]
    done = CliRunner().invoke(app, args, prog_name="wordline")
    assert done.exit_code == 2, done.output
    assert "it does not hold counts" in done.stderr


def _wom(**options: Any) -> WomCode:
    return WomCode(Family.POLAR, 256, 8, **options)


CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: EccCode.bch(64, 4).failure(0.01, trials=-1), "trials"),
    (lambda: EccCode.bch(64, 4).failure(0.01, failures=0), "failures"),
    (lambda: EccCode.bch(64, 4).failure(0.01, seed=2**64), "seed"),
    (lambda: EccCode.bch(64, 4).failure(0.7), "rber"),
    (lambda: EccCode.bch(64, 4).encode(b"four"), "data"),
    (lambda: EccCode.bch("64", 4), "data_bytes"),  # type: ignore[arg-type]
    (lambda: EccCode.bch(64, 4).speed(seconds=float("nan")), "seconds"),
    (lambda: EccCode.ldpc(reads=2), "reads"),
    (lambda: EccCode.ldpc(rows=11), "rows"),
    (lambda: _wom(tries=0), "tries"),
    (lambda: _wom(seed=-1), "seed"),
    (lambda: _wom().attempts(1, data_cells=257), "data_cells"),
    (lambda: _wom().correct_page(bytes(32), -1, 1), "metadata"),
    (lambda: laboratory.vth("planar-tlc", pec="many"), "pec"),
    (lambda: laboratory.vth("planar-tlc", temp=None), "temp"),  # type: ignore[arg-type]
    (lambda: laboratory.campaign("planar-tlc", chips=-5), "chips"),
    (lambda: laboratory.campaign("planar-tlc", precision=float("nan")), "precision"),
    (lambda: laboratory.campaign("planar-tlc", confidence=0.2), "confidence"),
]


@pytest.mark.parametrize(("call", "argument"), CALLS)
def test_the_library_names_the_argument(call: Callable[[], object], argument: str) -> None:
    with pytest.raises(ConfigError) as caught:
        call()
    assert caught.value.place == argument
    assert caught.value.help and "--" not in str(caught.value)
