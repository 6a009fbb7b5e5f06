"""Performance beside ISPE, and the tails of reads."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from wordline.native.types.run import LatencySummary, RunResult
from wordline.reproduce.reo.drives import (
    PECS,
    RESTART,
    RESUME,
    SCHEMES,
    is_published,
    resumes,
    suspending,
)
from wordline.reproduce.study import Findings, Load


def performance(found: Findings) -> Mapping[str, float]:
    """Geometric means over the workloads, in percent of ISPE's; of a part, each workload's own."""
    values: dict[str, float] = {}
    for name, age in ((name, age) for name, age in _aged() if name != "ISPE"):
        ours = [found.result(f"{name} at {age}", load) for load in found.loads]
        base = [found.result(f"ISPE at {age}", load) for load in found.loads]
        for what, ratio in (("read", _read), ("write", _write), ("iops", _iops)):
            ratios = [ratio(one, other) for one, other in zip(ours, base, strict=True)]
            id_ = f"{name}/{what}/{age}"
            if found.is_whole:
                values[id_] = 100 * _geometric_mean(ratios)
            else:
                of_loads = zip(found.loads, ratios, strict=True)
                values |= {f"{id_}/{load.name}": 100 * value for load, value in of_loads}
    return values


def workloads(found: Findings) -> Mapping[str, float]:
    """Share of reads, mean size and time between requests of each workload."""
    values: dict[str, float] = {}
    for load in found.loads:
        told = found.traffic(load).total
        count = told.requests.reads + told.requests.writes
        moved = told.bytes.read + told.bytes.written
        values |= {
            f"reads/{load.name}": 100 * told.requests.reads / count,
            f"request_kib/{load.name}": moved / count / 1024,
            f"interval_ms/{load.name}": 1000 * told.time.span_s / max(count - 1, 1),
        }
    return values


def _read(result: RunResult, base: RunResult) -> float:
    return result.host.read.mean_us / base.host.read.mean_us


def _write(result: RunResult, base: RunResult) -> float:
    return result.host.write.mean_us / base.host.write.mean_us


def _iops(result: RunResult, base: RunResult) -> float:
    """Requests a second, if each takes as many times as long as those of its kind do on average.

    A replay at fixed times has the same for every scheme. By this reading the published latencies
    give the published IOPS within two points; by one request at a time, where writes take longer
    than reads and count more, they do not.
    """
    reads, writes = result.host.read.count, result.host.write.count
    times = reads * _read(result, base) + writes * _write(result, base)
    return (reads + writes) / times


def _geometric_mean(values: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, values)) / len(values))


QUANTILES = ("99.9", "99.99", "99.999", "99.9999")
# Of one volume: beyond it a tail is a few reads.
_OF_A_VOLUME = "99.99"
# AERO is what the publication calls REO; which age its tails are of is not known.
_AERO, _AERO_AGE = "REO", "2.5K"


def tails(found: Findings) -> Mapping[str, float]:
    """Quantiles of the latency of all reads of all workloads, in µs."""
    values: dict[str, float] = {}
    for name, drive in _tail_drives():
        pooled = [row for load in found.loads for row in _counts(_reads(found, drive, load))]
        for nines in QUANTILES:
            values[f"{name}/p{nines}"] = _quantile(pooled, float(nines) / 100)
    return values


def tails_by_volume(found: Findings) -> Mapping[str, float]:
    """A quantile of each workload's reads, where they interrupt erases, in µs."""
    values: dict[str, float] = {}
    for name, age in _aged():
        for load in found.loads:
            reads = list(_counts(_reads(found, suspending(name, age, RESTART), load)))
            id_ = f"p{_OF_A_VOLUME}/{name}/{age}/{load.name}"
            values[id_] = _quantile(reads, float(_OF_A_VOLUME) / 100)
    return values


def tail_of_aero(found: Findings) -> Mapping[str, float]:
    """By how much AERO's tails are shorter than each other scheme's, in percent.

    "The state of the art" of its abstract is not named, nor which quantile.
    """
    told = tails(found)
    values: dict[str, float] = {}
    for pulse in ("none", RESTART):
        for other in ("ISPE", "i-ISPE", "DPES"):
            for nines in QUANTILES[2:]:
                ours, theirs = (
                    told[f"{name}/{_AERO_AGE}/{pulse}/p{nines}"] for name in (_AERO, other)
                )
                values[f"by_{other}/{pulse}/p{nines}"] = 100 * (ours / theirs - 1)
    return values


def _aged() -> Iterator[tuple[str, str]]:
    return ((name, age) for name in SCHEMES for age in PECS if is_published(name, age))


def _tail_drives() -> Iterator[tuple[str, str]]:
    """Drives by how the ids of their tails begin."""
    for name, age in _aged():
        yield f"{name}/{age}/none", f"{name} at {age}"
        for pulse in (RESTART, RESUME):
            if pulse == RESTART or resumes(name, age):
                yield f"{name}/{age}/{pulse}", suspending(name, age, pulse)


def _reads(found: Findings, drive: str, load: Load) -> LatencySummary:
    return found.result(drive, load).host.read


def _counts(reads: LatencySummary) -> Iterator[tuple[float, float]]:
    """Reads of each latency: the distribution tells the share at or below it."""
    upto = 0.0
    for us, share in reads.distribution:
        yield us, (share - upto) * reads.count
        upto = share


def _quantile(pooled: Iterable[tuple[float, float]], share: float) -> float:
    rows = sorted(pooled)
    counts = list(accumulate(n for _, n in rows))
    rank = share * counts[-1]
    return next(us for (us, _), upto in zip(rows, counts, strict=True) if upto >= rank)
