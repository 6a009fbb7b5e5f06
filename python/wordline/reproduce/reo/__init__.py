"""Kim and Kim, Electronics 14:738, 2025: erases as short as each block allows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wordline.reproduce.reo import drives, latency, lives, waiting
from wordline.reproduce.study import Figure, Load, Study
from wordline.reproduce.traces import msr

NAMES = (
    "ali_32", "ali_3", "ali_12", "ali_121", "ali_124", "rsrch_0", "stg_0", "hm_0", "prxy_1",
    "proj_2", "usr_1",
)  # fmt: skip
"""The workloads, in the publication's order."""

# Both written and read. One alone, for setting up drives of a terabyte is most of a quick run.
_QUICK = ("hm_0",)

_REQUESTS = 300_000
_REQUESTS_QUICK = 50_000


def _loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    first = _REQUESTS_QUICK if quick else _REQUESTS
    names = _QUICK if quick else NAMES
    volumes = [replace(msr(name, "reo", traces), first=first) for name in names]
    return [*volumes, *(() if quick else waiting.LOADS)]


_NOTES = {
    "reo/perf": "read retries are calibrated to REO+'s read latency; a replay at fixed times has "
    "the same IOPS for every scheme: they are the reciprocal of latency beside ISPE's, averaged "
    "over requests, by which the published columns agree with one another",
    "reo/perf/DPES/write": "at the published rates of arrival hardly a write waits for another: it "
    "takes as many times as long as its programs do, and no more; where writes keep each die "
    "busy a fifth of the time and reads interrupt programs, reads and writes take what is "
    "published "
    "(figure `load`), but which load the paper measured is not told (docs/erase.md)",
    "reo/perf/REO/read": "that errors go by cycles, not by damage, was chosen because REO reads "
    "no faster "
    "than ISPE in the paper; a block that a shorter erase leaves short has more errors here",
    "reo/perf/REO+/iops": "follows from its read latency, to which retries are calibrated",
    "reo/load": "a load of ours: half reads and half writes of a page, without write buffer; a "
    "fifth was chosen because writes take what is published there",
    "reo/load/suspending": "the same with `drive.scheduling.suspend_program`, which AERO's "
    "simulator does not have",
    "reo/tail_of_aero": "34 % on average over the state of the art, which the abstract does not "
    "name: one of twelve readings would agree by chance; beyond p99.999 a tail of these runs is 18 "
    "reads, beyond p99.9999 two",
    "reo/workloads": "the twins are generated from these values",
    "reo/lifetime": "until the mean of the blocks' worst pages has 63 errors per KiB after a year; "
    "the laboratory's damage was fitted to ISPE and i-ISPE (docs/cell.md)",
    "reo/sensitivity": "erases that spend the margin are published as hardly shorter than others, "
    "but the prediction table takes off a millisecond; both cannot be met (docs/cell.md)",
    "reo/sensitivity/margin=data": "a quarter of the table's margin, which blocks of 0 and 500 "
    "cycles show; from 4,000 cycles on even erases that spend none are shorter here than published "
    "(reo/pulse_time/conservative)",
    "reo/sensitivity/misprediction": "not published: a wrong prediction takes a pulse of half a "
    "millisecond more",
    "reo/sensitivity/lifetime": "not published: as in the figure `lifetime`",
    "reo/lifetime/REO": "what programs wear, and what a millisecond too short costs, were chosen "
    "because lifetimes then agree",
    "reo/lifetime/REO by data": "a quarter of the margin spares less of the pulses' time; what "
    "programs wear was chosen by the table's",
    "reo/lifetime/DPES": "what a lower voltage spares is assumed, not known",
}

STUDY = Study(
    paper="reo",
    source="Kim and Kim, Electronics 14:738, 2025",
    base="reo-1t",
    drives=drives.PERFORMANCE | drives.SUSPENDING | waiting.DRIVES,
    loads=_loads,
    figures=(
        Figure(
            "blocks",
            "Device study: blocks by what an erase takes, by scheme",
            laboratory=(
                "reo/n_ispe/",
                "reo/need/",
                "reo/pulse_time/",
                "reo/sources/",
                "reo/any_law/",
            ),
        ),
        Figure(
            "fail_bits",
            "Device study: failing bits by what is left of an erase, and what they predict",
            laboratory=(
                "erase-cells/fail_bits/",
                "erase-cells/straight/",
                "erase-cells/across_blocks/",
                "erase-cells/delta/",
                "erase-cells/gamma/",
                "reo/prediction/",
            ),
        ),
        Figure(
            "margin",
            "Device study: errors of the worst page after a year, and what they leave to the code",
            laboratory=("reo/mrber/",),
        ),
        Figure(
            "word_lines",
            "Device study: word lines that erase unlike, and gate voltages that make them alike",
            laboratory=("erase-cells/gates/", "erase-cells/ablation/"),
        ),
        Figure("workloads", "Reads, sizes and rates", latency.workloads, loads=NAMES),
        Figure("lifetime", "Lifetime of blocks", lives.lifetimes, "P/E cycles"),
        Figure(
            "perf",
            "Latency and IOPS, in percent of ISPE's",
            latency.performance,
            "% of ISPE",
            tuple(drives.PERFORMANCE),
            NAMES,
        ),
        Figure(
            "load",
            "DPES' latency by how busy writes keep each die, in percent of ISPE's",
            waiting.by_load,
            "% of ISPE",
            tuple(waiting.DRIVES),
            tuple(load.name for load in waiting.LOADS),
            is_quick=False,
        ),
        Figure(
            "tail",
            "Tails of read latency at three ages, with and without suspended erases",
            latency.tails,
            "us",
            (*drives.PERFORMANCE, *drives.SUSPENDING),
            NAMES,
            is_quick=False,  # a quick run has too few reads for such quantiles
            charted=("REO/",),
        ),
        Figure(
            "tail_by_volume",
            "Tails of each volume's reads, which interrupt erases",
            latency.tails_by_volume,
            "us",
            tuple(drives.SUSPENDING),
            NAMES,
            is_quick=False,
        ),
        Figure(
            "tail_of_aero",
            "By how much tails are shorter than another scheme's at 2.5K P/E cycles",
            latency.tail_of_aero,
            "%",
            (*drives.PERFORMANCE, *drives.SUSPENDING),
            NAMES,
            is_quick=False,
        ),
        Figure("sensitivity", "Sensitivity of REO", lives.sensitivity, "ms under pulses"),
    ),
    notes=_NOTES,
)
