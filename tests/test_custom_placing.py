"""Where host writes go, by functions in Python: their hotness and their planes."""

import pytest
import wordline as wl
from wordline._native import HostWrite, Planes

SIZES = wl.workloads.zipf(
    requests=10_000, theta=0.9, size_kib=16, size="exponential", interval_us=20_000
)
STEADY = wl.tables.Precondition(pattern="steady")


def small(write: HostWrite) -> int:
    """What `ftl.hotness.policy = "size"` says."""
    return int(write.size_bytes > 16 * 1024)


def by_address(write: HostWrite, planes: Planes) -> int:
    """What `ftl.allocation = "PDWC"` says of planes that are numbered in that order."""
    return write.unit % len(planes.die)


def figures(result: wl.Result) -> dict[str, object]:
    """All of a result but what names the drive, and how fast it was simulated."""
    besides = {"config", "custom", "simulator", "warnings"}
    return {key: told for key, told in result.to_dict().items() if key not in besides}


def test_hotness_by_size_is_that_of_the_policy() -> None:
    ours = wl.run("tiny", SIZES, STEADY, custom=wl.Custom(hotness=small))
    assert figures(ours) == figures(wl.run("tiny", SIZES, STEADY, wl.policies.hotness.size()))
    assert figures(ours) != figures(wl.run("tiny", SIZES, STEADY))
    assert ours["custom"] == {"hotness": "small"}


def test_a_technique_goes_by_hotness_from_python() -> None:
    technique = wl.techniques.LlhFtl()
    ours = wl.run("tiny-mlc", SIZES, STEADY, technique, custom=wl.Custom(hotness=small))
    size = wl.policies.hotness.size()
    assert figures(ours) == figures(wl.run("tiny-mlc", SIZES, STEADY, technique, size))
    assert ours.technique["llh_ftl"]["reprograms"] > 0


def test_a_request_is_asked_about_once() -> None:
    """Preconditioning aside, which no request of the workload is part of."""
    asked: list[int] = []

    def hotness(write: HostWrite) -> int:
        asked.append(write.offset_bytes)
        return 2

    none = wl.tables.Precondition(pattern="none")
    custom = wl.Custom(hotness=hotness, hotness_levels=3)
    result = wl.run("tiny", SIZES, none, custom=custom)
    assert len(asked) == result.host.write.count < result.flash.page_programs.host
    assert result.config.ftl.hotness.handles == 3


def test_planes_by_address_are_those_of_the_order() -> None:
    ours = wl.run("tiny", SIZES, STEADY, custom=wl.Custom(plane=by_address))
    order = wl.run("tiny", SIZES, STEADY, wl.tables.Ftl(allocation="PDWC"))
    assert figures(ours) == figures(order)
    assert ours["custom"] == {"plane": "by_address"}


def test_no_plane_of_ones_own_is_the_one_that_is_free_first() -> None:
    ours = wl.run("tiny", SIZES, STEADY, custom=wl.Custom(plane=lambda *_: None))
    dynamic = wl.run("tiny", SIZES, STEADY, wl.tables.Ftl(allocation="dynamic"))
    assert figures(ours) == figures(dynamic)


def test_a_plane_is_asked_for_by_request_and_program() -> None:
    """Programs of four units: a request of eight that begins in an empty program fills two."""
    seen: list[int] = []

    def first(write: HostWrite, planes: Planes) -> int:
        seen.append(write.unit)
        assert (planes.die, len(planes.backlog_us)) == ([0, 0, 1, 1], 4)
        assert len(planes.valid) == 4
        return 0

    none = wl.tables.Precondition(pattern="none")
    chip = wl.tables.Chip(page_kib=16)
    ftl = wl.tables.Ftl(mapping_unit_kib=4)
    eight = wl.workloads.sequential(writes=10, size_kib=32)
    wl.run("tiny", eight, none, chip, ftl, custom=wl.Custom(plane=first))
    assert seen == list(range(0, 80, 4))


def test_the_shortest_queue_spreads_data_by_what_is_valid() -> None:
    def shortest(_: HostWrite, planes: Planes) -> int:
        waits, valid = planes.backlog_us, planes.valid
        return min(range(len(valid)), key=lambda plane: (waits[plane], valid[plane]))

    ours = wl.run("tiny", SIZES, STEADY, custom=wl.Custom(plane=shortest))
    dynamic = wl.run("tiny", SIZES, STEADY, wl.tables.Ftl(allocation="dynamic"))
    assert ours.write_amplification == pytest.approx(dynamic.write_amplification, rel=0.05)


def test_a_full_plane_leaves_writes_to_others() -> None:
    """The drive holds more than a plane does."""
    plane = wl.Custom(plane=lambda *_: 0)
    result = wl.run("tiny", SIZES, run={"check": True}, custom=plane)
    assert result.host.write.count == 10_000
    assert result.gc.count > 0


@pytest.mark.parametrize(
    ("custom", "told"),
    [
        (wl.Custom(hotness=lambda write: 2), "custom.hotness: it returned 2 .*to 1, the coldest"),
        (wl.Custom(hotness=lambda write: -1), "custom.hotness: it returned -1 "),
        (wl.Custom(hotness=lambda write: None), "hotness: it returned None"),  # type: ignore[arg-type]
        (wl.Custom(plane=lambda *_: 4), "custom.plane: it returned 4 .*0 to 3, or None"),
        (wl.Custom(plane=lambda *_: "x"), "custom.plane: it returned 'x'"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_place_is_told_by_its_name(custom: wl.Custom, told: str) -> None:
    with pytest.raises(wl.ConfigError, match=told):
        wl.run("tiny", SIZES, custom=custom)


def test_levels_that_no_drive_has_are_refused() -> None:
    with pytest.raises(wl.ConfigError, match="hotness_levels: 1 levels do not fit"):
        wl.Custom(hotness=small, hotness_levels=1)


def test_what_placing_raises_is_what_the_caller_gets() -> None:
    def fails(*_: object) -> int:
        raise ZeroDivisionError("here")

    for custom in (wl.Custom(hotness=fails), wl.Custom(plane=fails)):
        with pytest.raises(ZeroDivisionError, match="here"):
            wl.run("tiny", SIZES, custom=custom)
