"""Fitted twins beside their traces: mixtures of both, causes of misses, and the page's tables."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import twin_tables  # noqa: E402
from twin_tables import (  # noqa: E402
    ALL,
    CHANCE_OF_DRIVE,
    CHANCE_OF_TWIN,
    ORDER,
    READS,
    REGIONS,
    TIMES,
    WINDOW,
    WRITES,
    Bench,
    Figures,
    Requests,
)

ERASES, MEAN, P99 = "erases", "mean write, µs", "p99 write, µs"
EVERY = (TIMES, ORDER, READS, WRITES)


def made(step: int, first: str, place: int, count: int = 2 * WINDOW + 3) -> Requests:
    """As many reads as writes, `step` apart, at places from `place` on."""
    other = {"Read": "Write", "Write": "Read"}[first]
    extents = {
        op: [("0", str(4096 * (place + n)), "4096") for n in range(count)]
        for op in ("Read", "Write")
    }
    return Requests([step * n for n in range(2 * count)], [first, other] * count, extents)


TRACE, TWIN = made(10, "Read", 0), made(20, "Write", 100_000)


def of(**found: float) -> Figures:
    figures = dict.fromkeys(twin_tables.TOLERANCES)
    return {
        **figures,
        **{{"erases": ERASES, "mean": MEAN, "p99": P99}[k]: v for k, v in found.items()},
    }


def bench(runs: Callable[[Requests, int], Figures], twins: Sequence[Requests] = ()) -> Bench:
    by_seed = dict(enumerate(twins or (TWIN, TWIN, TWIN), start=1))
    return Bench(TRACE, by_seed, lambda requests, _drive, seed: runs(requests, seed))


def is_of_trace(requests: Requests, what: str) -> bool:
    """Whether requests have a property of the trace; its places in any order for `REGIONS`."""
    if what == TIMES:
        return requests.ticks == TRACE.ticks
    if what == ORDER:
        return requests.ops == TRACE.ops
    op = "Read" if what == READS else "Write"
    here, there = requests.extents[op], TRACE.extents[op]
    return here == there or (what == REGIONS and sorted(here) == sorted(there))


def test_a_twin_given_nothing_is_itself_and_given_all_its_trace() -> None:
    assert TWIN.given(TRACE, ()) == TWIN
    assert TWIN.given(TRACE, EVERY) == TRACE


@pytest.mark.parametrize("what", [*EVERY, REGIONS])
def test_a_twin_is_given_one_property_and_keeps_the_others(what: str) -> None:
    mixed = TWIN.given(TRACE, {what})
    assert is_of_trace(mixed, what)
    for other in set(EVERY) - {what} - ({WRITES} if what == REGIONS else set()):
        assert not is_of_trace(mixed, other)


def test_places_are_shuffled_within_windows_alone() -> None:
    places = TRACE.extents["Write"]
    shuffled = TWIN.given(TRACE, {REGIONS}).extents["Write"]
    assert shuffled != places
    for at in range(0, len(places), WINDOW):
        window = slice(at, at + WINDOW)
        assert sorted(shuffled[window]) == sorted(places[window])


def test_workloads_with_other_counts_are_not_mixed() -> None:
    with pytest.raises(ValueError, match="places of writes"):
        TWIN.given(made(10, "Read", 0, count=5), {WRITES})


@pytest.mark.parametrize(
    "needed",
    [{TIMES}, {ORDER}, {READS}, {REGIONS}, {WRITES}, {TIMES, WRITES}, {ORDER, READS, REGIONS}],
)
def test_a_cause_is_the_least_that_mends_the_figure(needed: set[str]) -> None:
    def runs(requests: Requests, _: int) -> Figures:
        return of(mean=100.0 if all(is_of_trace(requests, what) for what in needed) else 200.0)

    row = bench(runs).row("t", "ReSSD")
    assert row.causes == {MEAN: twin_tables.combined(needed)}


def test_each_figure_has_its_own_cause_and_one_that_hits_has_none() -> None:
    def runs(requests: Requests, _: int) -> Figures:
        timed = is_of_trace(requests, TIMES)
        return of(
            erases=100.0 if is_of_trace(requests, WRITES) else 106.0,
            mean=100.0 if timed else 114.0,
            p99=100.0 if timed else 131.0,
        )

    assert bench(runs).row("t", "ReSSD").causes == {P99: TIMES, ERASES: WRITES}


def test_what_only_the_whole_trace_gives_has_all_as_its_cause() -> None:
    def runs(requests: Requests, _: int) -> Figures:
        return of(mean=100.0 if requests == TRACE else 200.0)

    assert bench(runs).row("t", "ReSSD").causes == {MEAN: ALL}


def test_a_trace_that_misses_itself_at_another_seed_tells_of_chance() -> None:
    def runs(requests: Requests, seed: int) -> Figures:
        return of(erases=4.0 + (seed == 2) if requests == TRACE else 5.0, mean=1.0)

    assert bench(runs).row("t", "ReSSD").causes == {ERASES: CHANCE_OF_DRIVE}


def test_three_twins_that_hit_on_average_tell_of_chance() -> None:
    twins = [TWIN, made(30, "Write", 0), made(40, "Write", 0)]

    def runs(requests: Requests, _: int) -> Figures:
        if requests == TRACE:
            return of(erases=100.0)
        return of(erases={20: 110.0, 30: 94.0, 40: 95.0}.get(requests.ticks[1], 200.0))

    assert bench(runs, twins).row("t", "ReSSD").causes == {ERASES: CHANCE_OF_TWIN}


def test_a_table_takes_the_place_of_the_one_with_its_head() -> None:
    page = "# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nText.\n"
    assert twin_tables.placed(page, "| a | b |\n|---|---|\n| 5 | 6 |") == (
        "# A\n\n| a | b |\n|---|---|\n| 5 | 6 |\n\nText.\n"
    )
    with pytest.raises(ValueError, match="head"):
        twin_tables.placed(page, "| c |\n|---|")


def test_the_page_shows_what_the_file_has() -> None:
    lines = twin_tables.of_csv((ROOT / "docs/validation/twins.csv").read_text("utf-8"))
    page = (ROOT / "docs/twins.md").read_text("utf-8")
    assert twin_tables.summary(lines) in page
    assert twin_tables.causes(lines) in page
    assert all(bool(line[8]) == (line[7] == "no") for line in lines)
