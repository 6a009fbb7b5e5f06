"""LLH-FTL and lazyFTL beside what else a drive may have: erase schemes, arrays, and one another."""

import pytest
import wordline as wl
from click.testing import CliRunner
from wordline.cli.app import app
from wordline.configuration import find
from wordline.errors import ConfigError, RunError
from wordline.facts import technique_facts

SCHEMES = ("fixed", "ispe", "i_ispe", "dpes", "aero", "reo")
LEVELS = ("raid0", "raid1", "raid5")
HOT = "hotcold:writes=100000,size_kib=4,interval_us=2000,hot=0.02,share=0.9"


def _reusing(*keys: str) -> wl.Result:
    """A bank of MLC, or an array of such, that LLH-FTL writes twice."""
    own = (
        "drive.channels=1",
        "drive.chips_per_channel=1",
        "drive.over_provisioning=0.5",
        "drive.chip.blocks_per_plane=32",
        "drive.chip.pages_per_block=64",
        "ftl.hotness.policy=oracle",
        "ftl.hotness.hot_share=0.02",
        "array.chunk_kib=16",
        "run.series_points=0",
    )
    return wl.run(find("llh-ftl-16g").with_overrides((*own, *keys)).resolve(), HOT)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pages_are_reused_under_every_erase_scheme(scheme: str) -> None:
    result = _reusing(f"erase.scheme={scheme}")
    assert result.flash.reprograms > 200
    assert result.technique["llh_ftl"]["rounds"]["second_empty"] > 10
    # No table of MLC's erases is measured: the laboratory's are told to be borrowed.
    told = [text for text in result.warnings if "llh-a16" in text]
    assert bool(told) == (scheme != "fixed"), result.warnings


@pytest.mark.parametrize("level", LEVELS)
def test_arrays_reuse_pages_on_each_of_their_drives(level: str) -> None:
    result = _reusing(f"array.level={level}")
    assert result.array
    for drive in result.array.drives:
        assert drive["flash"]["reprograms"] > 20, drive["flash"]


def test_the_parity_of_raid_5_may_be_what_is_hot() -> None:
    result = _reusing("array.level=raid5", "ftl.hotness.policy=parity")
    assert result.array
    parity, data = (result.array.pages_written[kind] for kind in ("parity", "data"))
    told = [drive["technique"]["llh_ftl"] for drive in result.array.drives]
    assert all(of["reprograms"] > 200 for of in told)
    hot, cold = (sum(of["writes"][kind] for of in told) for kind in ("hot", "cold"))
    assert hot / (hot + cold) == pytest.approx(parity / (parity + data), abs=0.01)


@pytest.mark.parametrize(("other", "key"), [("ressd", "layers=2"), ("lazy_ftl", "mode=m1")])
def test_a_second_technique_that_places_data_is_refused_by_name(other: str, key: str) -> None:
    with pytest.raises((ConfigError, RunError)) as refused:
        _reusing(f"technique.{other}.{key}")
    assert other in str(refused.value)


BANK = ("drive.channels=1", "drive.chips_per_channel=1", "drive.chip.blocks_per_plane=32")


def test_what_decides_whether_reuse_pays_is_printed_and_a_preset_does_not_warn() -> None:
    result = _reusing()
    told = result.technique["llh_ftl"]
    low_pages = told["reprograms"] + told["low_pages_left_out"]
    hot, again, passed_over = technique_facts.of(result)["llh_ftl"]
    assert float(hot) == pytest.approx(100 * told["writes"]["hot_share"], abs=0.1)
    assert int(again.replace(",", "")) == told["reprograms"]
    assert float(passed_over) == pytest.approx(
        100 * told["low_pages_left_out"] / low_pages, abs=0.1
    )
    assert not [text for text in result.warnings if "llh_ftl" in text]


def test_uniform_writes_that_are_all_called_hot_are_warned_of() -> None:
    keys = [part for key in BANK for part in ("--set", key)]
    options = ["--workload", "uniform:writes=60000", *keys]
    drives = ["--technique", "conventional", "--technique", "llh_ftl"]
    for verb, more in (("run", []), ("compare", drives)):
        preset = "llh-ftl-16g" if verb == "run" else "llh-emulator-16g"
        done = CliRunner().invoke(app, [verb, preset, *options, *more], prog_name="wordline")
        assert done.exit_code == 0, done.output
        assert "low pages passed over" in done.output
        assert "are called hot, so that nothing is told apart" in done.output
        assert "and were passed over" in done.output
