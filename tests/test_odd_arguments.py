"""The library given arguments that do not fit: a failure of ours that names each, and no other."""

# pyright: reportArgumentType=false

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from wordline import lab, traces
from wordline.arguments import checked
from wordline.codes import EccCode, Family, WomCode
from wordline.codes.wom import for_page

WORK = "uniform:requests=10"
TRACE = "".join(f"{10_000 * n},host,0,Write,{n * 4096},4096,0\n" for n in range(10))
NOTHING = object()  # which no argument takes
LONG = "x" * 3000  # for a name of a file
CYCLIC: dict[str, Any] = {}
CYCLIC["x"] = CYCLIC
ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
DEEP: dict[str, Any] = {}
for _ in range(3000):
    DEEP = {"x": DEEP}
ODD: list[Any] = [
    3, -1, math.nan, math.inf, 10**30, 1j, "x", "a\0b", b"x", [], [3], ["x"], {1, 2}, {"x": 3},
    {3: 3}, int, lambda: 0, (None,), [NOTHING], (one for one in [NOTHING]),
    LONG, Path(LONG), Path("new", LONG), CYCLIC, ENDLESS, DEEP, {"x": ENDLESS},
]  # fmt: skip


pytestmark = pytest.mark.usefixtures("short_league")


def _by_parts(drive: Any, part: Any) -> object:
    return wl.run("tiny-raid5", WORK, wl.on_drive(drive, part))


def _by_trace(path: Any, format: Any) -> object:
    return wl.run("tiny", wl.trace(path, format))


def _recorded(place: Path) -> dict[str, tuple[Any, dict[str, Any]]]:
    """What records runs, and what plays them."""
    return {
        "compare": (wl.compare, {"config": "tiny", "techniques": ["conventional"], "progress": None,
                                 "workloads": [WORK], "variants": None, "workers": 1,
                                 "tenants": False,
                                 "record": None}),
        "play": (wl.play, {"recordings": place / "run.wlr", "out": place / "x", "force": True}),
        "Recording": (wl.Recording, {"path": place / "x.wlr", "from_s": 0, "seconds": 1,
                                     "commands": 9, "force": True}),
    }  # fmt: skip


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, dict[str, Any]]]:
    """What users call, with arguments that fit."""
    place = tmp_path_factory.mktemp("odd")
    (place / "t.csv").write_text(TRACE)
    run = wl.run("tiny", WORK, record=place / "run.wlr")
    run.save(place / "run")
    both = wl.compare("tiny", ["conventional"], [WORK])
    many = wl.sweep("tiny", {"run.seed": [1]}, workloads=[WORK], store=place / "store")
    bch, polar = EccCode.bch(64, 4), WomCode(Family.POLAR, 256, 8)
    to = place / "to"
    counting = {"trials": 10, "failures": 1, "progress": None}
    aged = {"chip": "planar-tlc", "mode": "", "pec": 0, "age": 0, "temp": "40C", "reads": 0}
    return {
        "run": (wl.run, {"config": "tiny", "workload": WORK, "trace_format": None,
                         "custom": None, "record": None, "progress": None}),
        **_recorded(place),
        "cuts": (wl.cuts, {"config": "tiny", "workload": WORK, "every": 1, "at": 0,
                           "power": {"protection": "none"}, "trace_format": None,
                           "progress": None}),
        "serve": (wl.serve, {"config": "tiny", "socket": None, "port": 0, "pace": "virtual",
                             "image": None, "log": None, "recording": None, "force": True,
                             "progress": None}),
        "recorded_cuts": (wl.recorded_cuts, {
            "config": "tiny", "recording": place / "none", "check": None, "number": 1, "after": 0,
            "seed": 1, "block_layer": False, "power": {"protection": "none"}, "progress": None}),
        "sweep": (wl.sweep, {"base": "tiny", "axes": None, "techniques": None, "seeds": 1,
                             "workloads": [WORK], "variants": None, "sample": None, "on": None,
                             "workers": 1, "store": place / "store", "progress": None}),
        "optimise": (wl.optimise, {
            "base": "tiny", "axes": {"run.seed": [1, 2]}, "aims": ["erases"], "limits": None,
            "trials": 2, "batch": None, "sampler": "random", "seed": 1, "techniques": None,
            "workloads": [WORK], "variants": None, "seeds": 1, "on": None, "workers": 1,
            "store": place / "store", "progress": None,
        }),
        "league": (wl.league, {"quick": True, "on": None, "workers": 1, "store": place / "store",
                               "progress": None}),
        "fit_drive": (wl.fit_drive, {
            "log": place / "none.log", "exported": None, "nand": None, "superblock": None,
            "workload": None, "factor": None, "host": (), "physical": (), "name": ""}),
        "names": (wl.names, {"kind": "twins"}),
        "load": (wl.load, {"folder": place / "run"}),
        "trace_info": (wl.trace_info, {"workload": WORK, "trace_format": None, "sample": 1.0,
                                       "memory_mib": 100, "progress": None}),
        "convert": (traces.trace_convert, {
            "sources": [place / "t.csv"], "target": place / "u.csv", "to": None, "volumes": (),
            "trace_format": None, "from_s": 0, "until_s": None, "first": None,
            "layout": "together", "time_scale": 1, "repeat": 1, "split": False, "lossy": True,
            "force": True, "progress": None}),
        "trace": (_by_trace, {"path": place / "t.csv", "format": "auto"}),
        "on_drive": (_by_parts, {"drive": 0, "part": wl.policies.gc.fifo()}),
        "custom": (wl.Custom, {"victim": None, "idle": None, "erase": None, "hotness": None,
                               "hotness_levels": 2, "plane": None}),
        "store": (wl.Store, {"folder": place / "store"}),
        "Result.save": (run.save, {"folder": to, "force": True}),
        "Result.to_json": (run.to_json, {"indent": 1}),
        "Comparison.save": (both.save, {"folder": to, "force": True}),
        "Comparison.to_json": (both.to_json, {"indent": 1}),
        "Comparison.of": (both.of, {"workload": WORK}),
        "Comparison.charts": (both.charts, {"workload": WORK}),
        "Comparison.ratios": (both.ratios, {"case": both.cases[0]}),
        "Sweep.save": (many.save, {"folder": to, "force": True}),
        "Sweep.result": (many.result, {"point": 0}),
        "vth": (lab.vth, aged),
        "distributions": (lab.distributions, aged),
        "tables": (lab.tables, {"chip": "planar-tlc"}),
        "experiment": (lab.experiment, {"name": "reo"}),
        "campaign": (lab.campaign, {**aged, "references": "default", "chips": 1, "pages": 1,
                                    "precision": 0, "confidence": 0.9, "seed": 1, "threads": 1,
                                    "store": None, "progress": None}),
        "bch": (EccCode.bch, {"data_bytes": 64, "t": 4}),
        "ldpc": (EccCode.ldpc, {"rows": 10, "reads": 1, "rounds": 3}),
        "encode": (bch.encode, {"data": bytes(64)}),
        "decode": (bch.decode, {"data": bytes(64), "parity": bch.encode(bytes(64))}),
        "loss": (bch.failure_probability, {"rber": 0.01}),
        "lost": (bch.failure, {**counting, "rber": 0.01, "seed": 1, "counts": ()}),
        "EccCode.speed": (bch.speed, {"errors": 0, "seconds": 0}),
        "WomCode": (WomCode, {"family": Family.POLAR, "cells": 256, "message_bits": 8, "tries": 1,
                              "failure_rate": 0.01, "writable": 0.5, "shuffle": True, "seed": 0,
                              "rber": 0, "read_failure": 1e-3, "instructions": None}),
        "attempts": (polar.attempts, {**counting, "data_cells": None, "counts": ()}),
        "failure": (polar.failure, {**counting, "data_cells": None}),
        "lost_reads": (polar.lost_reads, {**counting, "rber": None}),
        "round_trips": (polar.round_trips, {"pages": 1, "shape": (30, 2, 0, 8), "progress": None}),
        "WomCode.speed": (polar.speed, {"seconds": 0}),
        "write_page": (polar.write_page, {"used": b"\xff" * 32, "logical": b"", "reserved": 0}),
        "read_page": (polar.read_page, {"page": bytes(32), "metadata": 0, "logical_bytes": 1,
                                        "reserved": 0}),
        "for_page": (for_page, {"family": Family.POLAR, "page_bytes": 64, "logical_bytes": 4,
                                "reserved": 0}),
    }  # fmt: skip


NAMES = [
    "run", "compare", "cuts", "serve", "recorded_cuts", "sweep", "optimise", "league",
    "fit_drive", "names", "load", "trace_info", "convert", "trace", "on_drive", "custom", "store",
    "Result.save", "Result.to_json", "Comparison.save", "play", "Recording",
    "Comparison.to_json", "Comparison.of", "Comparison.charts", "Comparison.ratios", "Sweep.save",
    "Sweep.result", "vth",
    "distributions", "tables", "experiment", "campaign", "bch", "ldpc", "encode", "decode", "loss",
    "lost", "EccCode.speed", "WomCode", "attempts", "failure", "lost_reads", "round_trips",
    "WomCode.speed", "write_page", "read_page", "for_page",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_each_argument_that_does_not_fit_is_named(
    calls: dict[str, Any], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call, good = calls[name]
    for argument in good:
        with pytest.raises(wl.ConfigError) as failure:
            call(**{**good, argument: NOTHING})
        assert failure.value.place == {"part": "parts"}.get(argument, argument)
        assert failure.value.help.startswith("give "), failure.value
        for odd in ODD:
            if argument == "seconds" or (argument == "progress" and callable(odd)):
                continue  # it would take them; what a function raises is the caller's own
            try:
                call(**{**good, argument: odd})
            except wl.WordlineError as error:
                assert str(error)
                assert "internal error" not in str(error)


def test_every_call_is_tried(calls: dict[str, Any]) -> None:
    assert set(calls) == set(NAMES)
    functions = {n for n in wl.__all__ if callable(getattr(wl, n)) and n.islower()}
    assert functions <= {call.__name__ for call, _ in calls.values()} | {"trace", "on_drive"}


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: wl.run(3), "config: 3 does not fit (give a text, a path, a mapping or a Preset)"),
        (lambda: wl.run("tiny", custom=3), "custom: 3 does not fit (give a Custom)"),
        (
            lambda: wl.run("tiny", progress=lambda done: None),
            "(give a function of 4 arguments)",
        ),
        (lambda: wl.compare("tiny", "ressd"), "techniques: 'ressd' does not fit (give a list:"),
        (lambda: wl.compare("tiny", workloads=Path("t.csv")), "t.csv') does not fit (give a list:"),
        (lambda: wl.compare("tiny", [3]), "techniques: [3] does not fit (give a list)"),
        (lambda: wl.compare("tiny", workloads=[]), "workloads: no workload is given"),
        (lambda: WomCode("polar", 256, 8), "family: 'polar' does not fit (give Family.POLAR, "),
        (lambda: EccCode.bch(64, 4).failure(0.01, counts={1}), "counts: {1} does not fit"),
        (lambda: traces.trace_convert(["a"], "b", layout="x"), "(give 'together' or 'side_by_side"),
    ],
)  # fmt: skip
def test_the_message_says_what_to_give(call: Callable[[], object], told: str) -> None:
    with pytest.raises(wl.ConfigError) as failure:
        call()
    assert told in str(failure.value)


def test_what_fits_goes_through_as_it_is() -> None:
    @checked
    def call(one: int, *more: str | Path, several: list[int] | None = None, **rest: int) -> Any:
        return one, more, several, rest

    assert call(1, "a", Path("b"), several=[2], left=3) == (
        1, ("a", Path("b")), [2], {"left": 3},
    )  # fmt: skip
    with pytest.raises(wl.ConfigError, match=r"^more: 4 does not fit"):
        call(1, "a", 4)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'one'"):
        call()  # pyright: ignore[reportCallIssue]
    assert call.__name__ == "call"
