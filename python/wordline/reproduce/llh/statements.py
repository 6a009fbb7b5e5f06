"""What the text of the publication says of which is larger: 1 where it is so here, else 0."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from wordline.figures.statistics import Interval, of_values
from wordline.native.types.run import RunResult
from wordline.native.types.trace import TraceInfo
from wordline.reproduce.llh import energy, erases, times
from wordline.reproduce.llh.drives import (
    OPS,
    SEEDS,
    SYSTEMS,
    SYSTEMS_32,
    TIMED,
    name,
    of_seed,
)
from wordline.reproduce.llh.workloads import (
    FIU,
    FROM_THE_FILL,
    HOT,
    MSR,
    NAMES,
    TIMED_NAMES,
    TIMED_VOLUMES,
    rows,
    volume_of,
)
from wordline.reproduce.study import Figure, Findings, Load


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's: 1 where both rise together, -1 where one falls as the other rises."""

    def ranks(values: Sequence[float]) -> list[float]:
        # Equal values share the mean of their ranks.
        return [
            sum(other < value for other in values)
            + (sum(other == value for other in values) - 1) / 2
            for value in values
        ]

    first, second = ranks(one), ranks(other)
    middle = (len(first) - 1) / 2
    product = sum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    spread = [sum((rank - middle) ** 2 for rank in of) for of in (first, second)]
    return product / (spread[0] * spread[1]) ** 0.5 if all(spread) else 0.0


class _Of:
    """What the statements are about, from the runs."""

    def __init__(self, found: Findings) -> None:
        self.found = found
        self.loads = [load for load in found.loads if load.name in NAMES]

    def ratios(self, system: str, op: int) -> list[float]:
        found = _Only(self.found, self.loads)
        return list(erases.of(found, system, op).values())

    def means(self) -> list[float]:
        """Of each cell of Figure 7a, the mean over seeds."""
        found = _Only(self.found, self.loads)
        return [
            fmean(ratios)
            for system in SYSTEMS[1:]
            for op in OPS
            for ratios in erases.over_seeds(found, system, op).values()
        ]

    def half_over_quarter(self) -> Interval:
        """Erases of OP/2 less those of OP/4 at 28 %, over the baseline's: mean over workloads."""
        found = _Only(self.found, self.loads)
        half, quarter = (erases.over_seeds(found, system, 28) for system in SYSTEMS[1:])
        return of_values(
            [
                fmean(half[load][seed] - quarter[load][seed] for load in half)
                for seed in range(SEEDS)
            ]
        )

    def saved(self, system: str, op: int) -> float:
        return 1 - fmean(self.ratios(system, op))

    def runs(self, system: str, op: int) -> list[RunResult]:
        return [self.found.result(name(system, op), load) for load in self.loads]

    def of_expected(self, volumes: Sequence[str]) -> float:
        """Reduction over the expected one, mean over volumes, at 28 %."""
        only = _Only(self.found, [load for load in self.loads if load.name in volumes])
        saved = erases.of(only, "half", 28)
        return fmean(
            (1 - saved[load.name]) / (1 - erases.expected(only, load)) for load in only.loads
        )

    def converges(self) -> float:
        """Rank correlation of how far OP/2 is from OP/4 and of the volume written over drive size.

        Each workload is replayed as often, with a threshold that is fresh as counting begins.
        """
        gained, written = [], []
        baseline = name("baseline", 28)
        for load in self.found.loads:
            if load.name not in FROM_THE_FILL:
                continue
            half, quarter = (
                erases.ratio_of_few(self.found, (name(start, 28), baseline), load)
                for start in SYSTEMS[1:]
            )
            if half is None or quarter is None:
                continue
            row = rows()[volume_of(load.name)]
            gained.append(abs(quarter - half))
            written.append(row.written_gib / row.drive_gib)
        return rank_correlation(gained, written)

    def valid_at_reuse(self, op: int) -> float:
        """Valid units of a block as its second round begins."""
        rounds = [run.technique["llh_ftl"]["rounds"] for run in self.runs("half", op)]
        begun = sum(of["second_empty"] + of["second_beyond_threshold"] for of in rounds)
        return sum(of["valid_units_at_reuse"] for of in rounds) / max(begun, 1)

    def reused_share(self, op: int) -> float:
        """Low pages that are written again, of those that a second round comes to."""
        told = [run.technique["llh_ftl"] for run in self.runs("half-32", op)]
        again = sum(of["reprograms"] for of in told)
        return again / (again + sum(of["low_pages_left_out"] for of in told))

    def hot_reads_low(self) -> float:
        """Share of the reads of hot data that come to low pages."""
        reads = [run.technique["llh_ftl"]["hot_reads"] for run in self.runs("half-32", 28)]
        low = sum(of["low"] for of in reads)
        return low / max(low + sum(of["high"] for of in reads), 1)

    def copies(self, load: Load) -> float:
        """GC copies over those of baseline-32, in the last 12 hours."""
        with_it, without = (
            self.found.result(drive, load).flash.page_programs.gc
            for drive in times.against_baseline(times.best(self.found, load))
        )
        return with_it / max(without, 1)

    def response(self, load: Load) -> float:
        """Mean response time over that of baseline-32, in the last 12 hours."""
        drives = times.against_baseline(times.best(self.found, load))
        return times.ratio(self.found, "mean", load, drives)


class _Only:
    """Findings of some of the workloads."""

    def __init__(self, found: Findings, loads: Sequence[Load]) -> None:
        self._found = found
        self.loads = loads
        self.is_whole = found.is_whole

    def result(self, drive: str, load: Load) -> RunResult:
        return self._found.result(drive, load)

    def traffic(self, load: Load) -> TraceInfo:
        return self._found.traffic(load)


def _of_erases(of: _Of) -> Mapping[str, bool]:
    means = of.means()
    hot = [rows()[load.name].hot for load in of.loads]
    half, beyond_quarter = of.ratios("half", 28), of.half_over_quarter()
    return {
        "no_reduction_beyond_a_fifth": min(means) >= 0.8,
        "erases_between_0_8_and_1": min(means) >= 0.8 and max(means) <= 1,
        "hotter_writes_save_more": rank_correlation([1 - value for value in half], hot) > 0,
        "op28_saves_more_than_op7": of.saved("half", 28) > of.saved("half", 7),
        "op7_leaves_more_valid_when_reused": of.valid_at_reuse(7) > of.valid_at_reuse(28),
        "half_saves_at_least_quarter_at_op28": beyond_quarter.mean <= 0,
        "thresholds_differ_less_where_more_is_written": of.converges() < 0,
        "fiu_saves_less_of_the_expected": of.of_expected(FIU) < of.of_expected(MSR),
    }


def _of_large_pages(of: _Of) -> Mapping[str, bool]:
    return {
        "32k_saves_less_than_8k": of.saved("half-32", 28) < of.saved("half", 28),
        "32k_reuses_fewer_pages_at_op7": of.reused_share(7) < of.reused_share(28),
    }


def _of_times(of: _Of) -> Mapping[str, bool]:
    timed = times.timed(of.found)
    saved = [value for value, load in zip(of.ratios("half-32", 28), of.loads, strict=True)
             if load.name in TIMED_VOLUMES]  # fmt: skip
    copies = {load.name: of.copies(load) for load in timed}
    return {
        "response_time_does_not_follow_erases": fmean(map(of.response, timed)) > fmean(saved),
        "hot_data_lies_on_low_pages": of.hot_reads_low() > 0.5,
        "gc_copies_at_most_half_more": max(copies.values()) <= 1.5,
        "gc_copies_fewer_on_src1_2": copies["src1_2_timed"] < 1,
    }


def _of_energy(of: _Of) -> Mapping[str, bool]:
    pairs = [
        (value, energy.ratio(of.found, op, load), load.name, op)
        for op in OPS
        for value, load in zip(of.ratios("half-32", op), of.loads, strict=True)
    ]
    fiu = [pair for pair in pairs if pair[2] in FIU and pair[3] == 7]
    hot = next(load for load in of.found.loads if load.name == HOT)
    again, without = (of.found.result(f"{system} energy", hot) for system in ("half", "baseline"))
    chip = again.config["drive"]["chip"]
    reprogram_uj = chip["program_uj"][0] * again.config["technique"]["llh_ftl"]["low_again_energy"]
    logical_uj = (
        1e3 * without.energy_mj.total / (without.workload.bytes_written / (chip["page_kib"] * 1024))
    )
    return {
        "energy_rises_where_erases_fall": all(pair[1] > 1 for pair in pairs if pair[0] < 1),
        "energy_rises_with_the_reduction": rank_correlation(
            [pair[1] for pair in pairs if pair[0] < 1], [pair[0] for pair in pairs if pair[0] < 1]
        )
        < 0,
        "fiu_costs_erases_and_energy_at_op7": all(min(pair[:2]) > 1 for pair in fiu),
        "reprogram_below_average_write": reprogram_uj < logical_uj,
    }


def _statements(found: Findings) -> Mapping[str, float]:
    of = _Of(found)
    holds = {**_of_erases(of), **_of_large_pages(of), **_of_times(of), **_of_energy(of)}
    return {statement: float(holds[statement]) for statement in holds}


_ON: Mapping[str, Sequence[str]] = {
    **{name(system, op): NAMES for system in (*SYSTEMS, *SYSTEMS_32) for op in OPS},
    **{name(system, 28): (*NAMES, *FROM_THE_FILL) for system in SYSTEMS},
    **{
        of_seed(name(system, op), seed): NAMES
        for system in SYSTEMS
        for op in OPS
        for seed in range(2, SEEDS + 1)
    },
    **dict.fromkeys(TIMED.values(), TIMED_NAMES),
    **dict.fromkeys(("baseline energy", "half energy"), (HOT,)),
}

STATEMENTS = Figure(
    "statements",
    "What the text says of which is larger: 1 where it is so",
    _statements,
    "",
    tuple(_ON),
    loads_of=_ON,
    is_quick=False,
)
