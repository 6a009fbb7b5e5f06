"""Policies written in Python."""

import pytest
import wordline as wl
from wordline._native import Blocks

WORK = wl.workloads.zipf(requests=20_000, theta=0.9, interval_us=3000)
STEADY = wl.tables.Precondition(pattern="steady")
# What is erased does not hang on how long erases take.
ONE_BY_ONE = {"drive": {"scheduling": {"order": "in_order"}}, "ftl": {"gc": {"mode": "foreground"}}}


def fewest(blocks: Blocks) -> int:
    """The block with the fewest valid units, the oldest of equals."""
    return min(zip(blocks.valid, blocks.block, strict=True), key=lambda pair: pair[0])[1]


def oldest(blocks: Blocks) -> int:
    return blocks.block[0]


def counts(result: wl.Result) -> tuple[object, ...]:
    return result.flash.to_dict(), result.gc.to_dict(), result.wear.to_dict()


def test_the_oldest_block_is_what_fifo_takes() -> None:
    ours = wl.run("tiny", WORK, STEADY, wl.policies.gc.fifo(), custom=wl.Custom(victim=oldest))
    assert counts(ours) == counts(wl.run("tiny", WORK, STEADY, wl.policies.gc.fifo()))
    assert ours["custom"] == {"victim": "oldest"}
    assert any("oldest" in warning for warning in ours.warnings)


def test_the_emptiest_block_beats_the_oldest() -> None:
    by_valid = wl.run("tiny", WORK, STEADY, custom=wl.Custom(victim=fewest))
    by_age = wl.run("tiny", WORK, STEADY, custom=wl.Custom(victim=oldest))
    assert (by_valid.write_amplification or 9) < (by_age.write_amplification or 0)
    assert counts(by_valid) == counts(wl.run("tiny", WORK, STEADY, custom=wl.Custom(victim=fewest)))


def test_idle_work_reclaims_ahead_of_need() -> None:
    asked: list[int] = []

    def reclaim(blocks: Blocks) -> int | None:
        asked.append(blocks.free_blocks)
        return fewest(blocks) if blocks.free_blocks < 24 else None

    idle = wl.run("tiny", WORK, STEADY, custom=wl.Custom(idle=reclaim))
    plain = wl.run("tiny", WORK, STEADY)
    assert min(asked) < 24
    assert idle.flash.page_programs.technique > 0 == plain.flash.page_programs.technique
    assert idle["custom"] == {"idle": reclaim.__qualname__}


def test_erases_take_the_pulses_that_python_gives() -> None:
    seen: set[float] = set()

    def half(block: int, erases: int, erase_us: float) -> list[float]:
        seen.add(erase_us)
        assert block >= 0
        assert erases >= 0
        return [erase_us / 4, erase_us / 4]

    half_run = wl.run("tiny", WORK, STEADY, ONE_BY_ONE, custom=wl.Custom(erase=half))
    plain = wl.run("tiny", WORK, STEADY, ONE_BY_ONE)
    assert seen == {plain.config.drive.chip.erase_ms * 1000}
    assert half_run.flash.erases == plain.flash.erases
    assert half_run.flash.erase_time_ms == pytest.approx(plain.flash.erase_time_ms / 2)


READS = wl.workloads.zipf(requests=20_000, theta=0.9, read=0.5, interval_us=3000)


def worn(scheme: str, custom: wl.Custom | None = None, *, lazy: bool = False) -> wl.Result:
    """A drive of worn blocks, whose pages have to be read again, under a scheme."""
    chip = wl.tables.Chip(initial_pec=3000)
    reads = {"model": "cell", "data_age_h": 8760.0}
    own = {"erase": {"scheme": scheme, scheme: {"lazy": lazy}}, "drive": {"reads": reads}}
    return wl.run("tiny", READS, STEADY, ONE_BY_ONE, chip, own, custom=custom)


@pytest.mark.parametrize("scheme", ["ispe", "i_ispe", "dpes", "aero", "reo"])
def test_all_but_the_pulses_stays_with_the_scheme(scheme: str) -> None:
    plain = worn(scheme)
    ours = worn(scheme, wl.Custom(erase=lambda block, erases, us: [us]))
    assert ours.erase == plain.erase
    assert ours.reads is not None and ours.reads.retries_per_page > 0
    assert ours.reads == plain.reads
    assert ours.flash.to_dict() == plain.flash.to_dict()
    assert ours.host.to_dict() == plain.host.to_dict()
    assert any(f"erase.scheme = {scheme}" in warning for warning in ours.warnings)


def test_no_loop_of_the_scheme_is_left_over() -> None:
    lazy = worn("ispe", wl.Custom(erase=lambda *_: [1000.0]), lazy=True)
    assert lazy.flash.erase_time_ms == pytest.approx(1.0 * lazy.flash.erases)


def test_erases_and_idle_work_may_both_be_python() -> None:
    both = wl.Custom(
        erase=lambda *_: [1000.0],
        idle=lambda blocks: fewest(blocks) if blocks.free_blocks < 24 else None,
    )
    result = wl.run("tiny", WORK, STEADY, custom=both)
    assert result.flash.page_programs.technique > 0
    assert result.flash.erase_time_ms == pytest.approx(1.0 * result.flash.erases)


@pytest.mark.parametrize(
    ("custom", "told"),
    [
        (wl.Custom(victim=lambda blocks: 10**6), "custom.victim: it returned 1000000 "),
        (wl.Custom(victim=lambda blocks: -1), "a block that it was shown, or None"),
        (wl.Custom(victim=lambda blocks: "x"), "victim: it returned 'x'"),  # type: ignore[arg-type]
        (wl.Custom(idle=lambda blocks: 2.5), "custom.idle: it returned 2.5"),  # type: ignore[arg-type]
        (wl.Custom(erase=lambda *_: []), r"custom.erase: it returned \[\] \(return a list of 1 to"),
        (wl.Custom(erase=lambda *_: [-1.0]), "custom.erase: it returned"),
        (wl.Custom(erase=lambda *_: None), "custom.erase: it returned None"),  # type: ignore[arg-type]
    ],
)
def test_what_a_policy_returns_wrong_is_told_by_its_name(custom: wl.Custom, told: str) -> None:
    with pytest.raises(wl.ConfigError, match=told):
        wl.run("tiny", WORK, STEADY, custom=custom)


def test_what_a_policy_raises_is_what_the_caller_gets() -> None:
    class MineError(Exception):
        pass

    def fails(_: Blocks) -> int:
        raise MineError("here")

    with pytest.raises(MineError, match="here"):
        wl.run("tiny", WORK, STEADY, custom=wl.Custom(victim=fails))
