"""Kim and Kim, Electronics 12(4):843, 2023: programs in two stages, the second late or never."""

from wordline.reproduce.lazyrs import (
    beyond,
    modes,
    performance,
    readings,
    statements,
    workloads,
)
from wordline.reproduce.lazyrs.drives import (
    DRIVES,
    FTLS,
    PACED,
    READINGS,
    SECURES,
    accelerated,
    by_cells,
    closed,
    closed_readings,
    name,
    packed,
    reading,
    secured,
    without_days,
)
from wordline.reproduce.study import Figure, Study

_PUBLISHED = workloads.PUBLISHED
_LOADS = (*_PUBLISHED, workloads.INTENSE)
_DAYS = tuple(name(ftl, "days") for ftl in FTLS)
_BURST = tuple(name(ftl, "burst") for ftl in FTLS)
_PACED = tuple(name(ftl, PACED) for ftl in FTLS)

_NOTES = {
    "lazyrs/fig9a": "the workload was generated from these shares; what was younger when it ended "
    "is counted as living on",
    "lazyrs/fig5b_drive/fewer_errors/reading=best": "references = best has a drive read so; by "
    "the best references alone a conventional program holds a year within the code, as published",
    "lazyrs/fig5b_drive/fewer_errors/reading=default": "default references are those of a new "
    "word line; what has lost charge before its second stage loses less afterwards, and is read "
    "nearer to them. By them a conventional program has 262 errors per KiB after a year, where "
    "the paper has 54",
    "lazyrs/fig9b/first_stage": "13, 15 and 18 of 39 loops, by the laboratory's cells: the modes' "
    "names to one decimal",
    "lazyrs/fig9b/second_stage/reading=whole": "by the laboratory's cells with the step and the "
    "levels of a conventional program; they then have the fewer errors of Figure 5b",
    "lazyrs/fig9b/second_stage/reading=rest": "the fastest that holds a year in the laboratory's "
    "cells, which leaves none of the fewer errors of Figure 5b; both stages take more than a "
    "conventional program",
    "lazyrs/fig10a": "bursts at 64 in flight, with pauses on Varmail and Webproxy and none on "
    "OLTP, GC's moves in the first stage, too; depth, day and what starts a program were selected "
    "because they agree (docs/lazyrs.md)",
    "lazyrs/fig10a/lazy_over_m": "1.25 beside the 2.6 over pageFTL asks for 2.08 from lazyFTL_M, "
    "whose programs take 0.5 and more with their reads",
    "lazyrs/fig10a/lazy_over_d": "lazyFTL_D cannot leave M1 where its second stages are exposed",
    "lazyrs/fig10b": "the paper does not say of what: of first stages, by word line",
    "lazyrs/statements/exposed_is_no_worse_than_conventional": "0.3 and 1.0, the shares in the "
    "modes' names, add up to 1.3, and the fastest stages of the laboratory's cells to 1.05 and "
    "more; it holds for second_stage = rest",
}

STUDY = Study(
    paper="lazyrs",
    source="Kim and Kim, Electronics 12(4):843, 2023",
    base="lazyrs-16g",
    drives=DRIVES,
    loads=workloads.loads,
    figures=(
        Figure("table1", "Reads per write", workloads.mixes, "reads per write", loads=_PUBLISHED),
        Figure(
            "fig5",
            "Latency of a first stage by its retention, and errors by the time between the stages",
            laboratory=("lazyrs/fig5a/", "lazyrs/fig5b/", "lazyrs/acceleration/"),
        ),
        Figure(
            "fig5b_drive",
            "Errors that a second stage saves of a conventional program's, in the table that the "
            "drive reads: 1,000 P/E cycles, a year at 30 °C",
            modes.fewer_errors,
            "% fewer errors",
            loads=_PUBLISHED,
        ),
        Figure(
            "fig8",
            "When the selector changed the mode, how full the list was, and the mode's days",
            performance.transcript,
            "",
            (name("lazy", "days"),),
            (*_LOADS, workloads.PHASES),
            is_quick=False,
        ),
        Figure(
            "fig9a",
            "How long data is needed",
            workloads.lifetimes,
            "% of the data",
            loads=_PUBLISHED,
            is_quick=False,
        ),
        Figure(
            "fig9b",
            "Latency of the programs of each mode, of the conventional program",
            modes.latencies,
            "of the conventional program",
        ),
        Figure(
            "fig10a",
            "IOPS over those of other FTLs, over the bursts of a paced host",
            performance.normalized,
            "times",
            (*_PACED, by_cells("lazy"), without_days("lazy")),
            _PUBLISHED,
            ways=(PACED,),
            is_quick=False,
        ),
        Figure(
            "readings_10a",
            "The same by other hosts, depths, moves, write points and starts of programs",
            performance.by_host,
            "times",
            (
                *_DAYS,
                *_BURST,
                reading("moves=lazy"),
                *(closed(ftl, of) for ftl in ("page", "lazy") for of in closed_readings()),
            ),
            _PUBLISHED,
            is_quick=False,
        ),
        Figure(
            "fig10b",
            "Second stages for each first stage, and how many of them idle time hides",
            performance.ratios,
            "%",
            _DAYS[1:],
            _LOADS,
        ),
        Figure(
            "accelerated",
            "Short days and a host that never waits: IOPS in percent of pageFTL's",
            performance.saturated,
            "%",
            tuple(map(accelerated, FTLS)),
            (workloads.INTENSE,),
            is_quick=False,
        ),
        Figure(
            "readings",
            "What the paper leaves open, one at a time",
            readings.otherwise,
            "%",
            (
                name("page", "days"),
                name("lazy", "days"),
                packed("page"),
                packed("lazy"),
                *map(reading, READINGS),
            ),
            ("oltp", workloads.INTENSE),
            is_quick=False,
        ),
        Figure(
            "in_place_or_moved",
            "What securing data takes, in place and moved, in percent of in place",
            readings.in_place_or_moved,
            "%",
            tuple(map(secured, SECURES)),
            _LOADS,
            is_quick=False,
        ),
        Figure(
            "statements",
            "What the text says: 1 where it is so",
            statements.statements,
            "",
            (*_PACED, without_days("lazy")),
            _PUBLISHED,
            ways=(PACED,),
            is_quick=False,
        ),
    ),
    notes=_NOTES,
)

BEYOND = beyond.STUDY
