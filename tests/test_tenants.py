"""Tenants of one drive beside one another and alone."""

import json
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from conftest import Cli
from wordline.figures.tenants import Tenants
from wordline.results.store import Store

# One die that reads a page at a time, for two readers.
DRIVE: dict[str, Any] = {
    "drive": {
        "channels": 1, "chips_per_channel": 1,
        "chip": {"dies": 1, "planes": 1, "blocks_per_plane": 32, "pages_per_block": 32,
                 "read_us": 50},
        "over_provisioning": 0.5,
    },
    "ftl": {"superblock_dies": 0, "mapping_unit_kib": 0},
    "precondition": {"pattern": "sequential"},
    "host": {
        "mode": "closed", "until_s": 0.1,
        "queue": {"few": {"streams": [0], "depth": 2}, "many": {"streams": [1], "depth": 14}},
    },
    "workload": {
        "source": "uniform:requests=5e3,read=1,size_kib=4",
        "interleave": ["uniform:requests=5e3,read=1,size_kib=4"],
    },
}  # fmt: skip


def judged(comparison: wl.Comparison, case: int = 0) -> Tenants:
    found = comparison.cases[case].tenants
    assert found
    return found


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> wl.Comparison:
    store = tmp_path_factory.mktemp("tenants") / "store"
    return wl.compare(DRIVE, tenants=True, store=store, progress=lambda _: None)


def test_slowdowns_are_those_of_a_die_that_serves_in_order(both: wl.Comparison) -> None:
    few, many = judged(both).tenants
    # Little's law: the die serves the requests of both in the time that it takes for 16.
    assert few.slowdown("mean") == pytest.approx(16 / 2, rel=0.01)
    assert many.slowdown("mean") == pytest.approx(16 / 14, rel=0.01)
    assert judged(both).fairness("mean") == pytest.approx((16 / 14) / 8, rel=0.01)
    assert judged(both).weighted_speedup("mean") == pytest.approx(1, rel=0.01)
    assert few.slowdown("p99") == few.shared.p99_us / few.alone.p99_us
    assert (few.name, many.name) == ("0 few", "1 many")


def test_what_a_tenant_sees_alone_is_a_run_of_its_stream(both: wl.Comparison) -> None:
    work = {**DRIVE["workload"], "streams": [1]}
    alone = wl.run({**DRIVE, "workload": work})
    assert alone == both.cases[0].alone[1]
    assert [one.stream for one in alone.host.streams] == [1]
    assert wl.run(DRIVE) == both.cases[0].result


def test_a_folder_keeps_tenants(both: wl.Comparison, tmp_path: Path) -> None:
    loaded = wl.load(both.save(tmp_path / "kept"))
    assert isinstance(loaded, wl.Comparison)
    assert judged(loaded).to_dict() == judged(both).to_dict()
    told = json.loads((tmp_path / "kept" / "comparison.json").read_text())["items"][0]
    assert told["tenants"] == judged(both).to_dict()
    assert told["tenants"]["streams"][0]["slowdown_mean"] > 7
    page = (tmp_path / "kept" / "report.html").read_text()
    assert "Tenants beside one another and alone" in page


def test_the_command_prints_tenants_and_keeps_their_runs(cli: Cli, tmp_path: Path) -> None:
    sets = [f"--set=host.queue.{name}.streams=[{n}]" for n, name in enumerate(("a", "b"))]
    done = cli("compare", "tiny", "--tenants", "--variant", "whole:host.window=0",
               "--variant", "one:host.window=1", *sets, "--out", str(tmp_path / "out"),
               "--store", str(tmp_path / "store"), "--set", "workload.source=uniform:writes=300",
               "--set", 'workload.interleave=["uniform:requests=300,read=1"]')  # fmt: skip
    assert "Tenants beside one another and alone" in done.stdout
    assert "weighted speedup" in done.stdout
    # Of each drive a run with both tenants, and one of each alone.
    assert len(Store(tmp_path / "store").keys()) == 6


def test_a_tenant_that_ends_early_is_told() -> None:
    host = {**DRIVE["host"], "until_s": 0.0}
    work = {**DRIVE["workload"], "source": "uniform:requests=50,read=1,size_kib=4"}
    told = wl.compare({**DRIVE, "host": host, "workload": work}, tenants=True)
    assert any("ended long before the last tenant" in text for text in told.warnings)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"workload": {"interleave": []}}, "there is one tenant"),
        ({"workload": {"streams": [1]}}, "there is one tenant"),
        ({"host": {"queue": {}}}, "all streams share one queue"),
        ({"run": {"mode": "count"}}, "no tenant is slowed"),
        ({"run": {"measure_from_request": 9}}, "run.measure_from_s"),
    ],
)
def test_runs_whose_tenants_cannot_be_judged_are_refused(
    changes: dict[str, Any], told: str
) -> None:
    drive = {**DRIVE, **{name: {**DRIVE.get(name, {}), **of} for name, of in changes.items()}}
    with pytest.raises(wl.ConfigError, match=told):
        wl.compare(drive, tenants=True)


def test_runs_that_are_not_asked_for_tenants_have_none() -> None:
    comparison = wl.compare(DRIVE, variants={"as it is": {}})
    assert comparison.cases[0].tenants is None
    assert comparison.to_dict()["items"][0]["tenants"] is None
