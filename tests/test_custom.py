"""Policies written in Python."""

import pytest
import wordline as wl
from wordline._native import Blocks

WORK = wl.workloads.zipf(requests=20_000, theta=0.9, interval_us=3000)
STEADY = wl.tables.Precondition(pattern="steady")


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
    assert by_valid.write_amplification < by_age.write_amplification
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

    half_run = wl.run("tiny", WORK, STEADY, custom=wl.Custom(erase=half))
    plain = wl.run("tiny", WORK, STEADY)
    assert seen == {plain.config.drive.chip.erase_ms * 1000}
    assert half_run.flash.erases == plain.flash.erases
    assert half_run.flash.erase_time_ms == pytest.approx(plain.flash.erase_time_ms / 2)


@pytest.mark.parametrize(
    ("custom", "told"),
    [
        (wl.Custom(victim=lambda blocks: 10**6), "block 1000000 is not among the blocks"),
        (wl.Custom(victim=lambda blocks: "x"), "'str' object"),  # type: ignore[arg-type]
        (wl.Custom(erase=lambda *_: []), "expected 1 to"),
        (wl.Custom(erase=lambda *_: [-1.0]), "expected 1 to"),
        (wl.Custom(idle=lambda blocks: 1 // 0), "by zero"),
    ],
)
def test_what_a_policy_does_wrong_reaches_the_caller(custom: wl.Custom, told: str) -> None:
    with pytest.raises((ValueError, TypeError, ZeroDivisionError), match=told):
        wl.run("tiny", WORK, STEADY, custom=custom)


def test_what_a_policy_raises_is_what_the_caller_gets() -> None:
    class MineError(Exception):
        pass

    def fails(_: Blocks) -> int:
        raise MineError("here")

    with pytest.raises(MineError, match="here"):
        wl.run("tiny", WORK, STEADY, custom=wl.Custom(victim=fails))
