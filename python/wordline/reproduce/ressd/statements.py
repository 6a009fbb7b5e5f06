"""What the text of the publication says of which is larger: 1 where it is so here, else 0.

A quick run judges them by its two volumes.
"""

import math
from collections.abc import Mapping
from statistics import fmean

from wordline.native.types.run import RunResult
from wordline.reproduce.ressd.measures import MEASURES, changes
from wordline.reproduce.ressd.single import ARRAYS, PAIR
from wordline.reproduce.ressd.workloads import switches_of
from wordline.reproduce.study import Figure, Findings

_MLC = ("raid_mlc", "raid")
_VIRTUAL = ("rss_virtual", "rss")


# What "almost nothing" is taken for, of the share of direct erases.
_ALMOST_NOTHING = 0.01


_MOST_READ = 2


def _read_along(run: RunResult) -> float:
    """Valid pages of candidates that are read and moved for a host write to a normal block.

    Every program with such pages holds one of the host at least.
    """
    programs = run.flash.page_programs.host - run.flash.reprograms
    return run.technique.ressd.fully_invalidated.along / max(programs, 1)


def _stays_hot(found: Findings) -> bool:
    """Whether hot data that leaves its zone goes to a hot one more often than to zone 4."""
    tables = [switches for _, switches in switches_of(found)]
    cooled = sum(row[3] for table in tables for row in table[:3])
    switched = sum(sum(row) - row[zone] for table in tables for zone, row in enumerate(table[:3]))
    return switched - cooled > cooled


def _statements(found: Findings) -> Mapping[str, float]:
    def change(measure: str, drives: tuple[str, str], load: str = "") -> float:
        told = changes(found, MEASURES[measure], drives)
        if load:
            return told.get(f"change/{load}", math.nan)
        each = [told.get(f"change/{one.name}") for one in found.loads]
        return fmean(one for one in each if one is not None)

    def direct_share(drive: str) -> float:
        runs = [found.result(drive, load) for load in found.loads]
        return sum(run.gc.direct for run in runs) / sum(run.flash.erases for run in runs)

    holds = {
        # Section 4.3
        "at_most_two_valid_pages_are_read_with_a_host_write": all(
            _read_along(found.result(drive, load)) <= _MOST_READ
            for drive in ("ressd", "rss")
            for load in found.loads
        ),
        # Section 7.2.2
        "gc_with_moves_falls_more_than_gc": change("gc_moving", ARRAYS) < change("erases", ARRAYS),
        "a_larger_share_of_gc_is_direct": direct_share("rss") > direct_share("raid"),
        # Section 7.2.5
        "proj_4_gains_less_space": change("free_pages", ARRAYS, "proj_4")
        < change("free_pages", ARRAYS),
        # Section 7.2.6
        "the_array_consumes_less_than_a_drive": change("consumption", ARRAYS)
        < change("consumption", PAIR),
        "the_array_endures_more_than_a_drive": change("writes_per_erase", ARRAYS)
        > change("writes_per_erase", PAIR),
        "the_array_writes_faster_than_a_drive": change("write_latency", ARRAYS)
        < change("write_latency", PAIR),
        "the_array_reads_faster_than_a_drive": change("read_latency", ARRAYS)
        < change("read_latency", PAIR),
        # Section 7.2.7
        "mlc_mode_writes_faster": change("write_latency", _MLC) < change("write_latency", ARRAYS),
        "mlc_mode_reads_faster": change("read_latency", _MLC) < change("read_latency", ARRAYS),
        "mlc_mode_writes_proj_1_slower": change("write_latency", _MLC, "proj_1")
        > change("write_latency", ARRAYS, "proj_1"),
        # Section 7.2.8
        "virtual_layers_leave_the_ratio_of_gc": abs(
            direct_share("rss_virtual") - direct_share("rss")
        )
        < _ALMOST_NOTHING,
        "hot_data_that_switches_stays_hot": _stays_hot(found),
        "virtual_layers_consume_less": change("consumption", _VIRTUAL) < 0,
        "virtual_layers_endure_more": change("writes_per_erase", _VIRTUAL) > 0,
        "virtual_layers_write_faster": change("write_latency", _VIRTUAL) < 0,
    }
    names = {load.name for load in found.loads}
    of_one = {"proj_4_gains_less_space": "proj_4", "mlc_mode_writes_proj_1_slower": "proj_1"}
    return {name: float(so) for name, so in holds.items() if of_one.get(name) in {None, *names}}


STATEMENTS = Figure(
    "statements",
    "What the text says of which is larger: 1 where it is so",
    _statements,
    "",
    ("baseline", "ressd", "raid", "rss", "raid_mlc", "rss_virtual"),
)
