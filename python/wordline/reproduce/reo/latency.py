"""Performance beside ISPE, and the tails of reads."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from wordline.reproduce.reo.drives import (
    PECS,
    SCHEMES,
    SUSPENDING,
    TAIL_AGE,
    TAIL_SCHEMES,
    lasts,
)
from wordline.reproduce.study import Findings
from wordline.results.run import LatencySummary, RunResult


def performance(found: Findings) -> Mapping[str, float]:
    """Geometric means over the workloads, in percent of ISPE's."""
    values: dict[str, float] = {}
    for name in SCHEMES:
        for age in (age for age in PECS if name != "ISPE" and lasts(name, age)):
            ours = [found.result(f"{name} at {age}", load) for load in found.loads]
            base = [found.result(f"ISPE at {age}", load) for load in found.loads]
            for what, ratio in (("read", _read), ("write", _write), ("iops", _iops)):
                ratios = [ratio(one, other) for one, other in zip(ours, base, strict=True)]
                values[f"{name}/{what}/{age}"] = 100 * _geometric_mean(ratios)
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


def tails(found: Findings) -> Mapping[str, float]:
    """Quantiles of the latency of all reads of all workloads, in µs."""
    drives = {f"{name}/none": f"{name} at {TAIL_AGE}" for name in TAIL_SCHEMES}
    drives |= {f"{drive.split()[0]}/{drive.split()[-1]}": drive for drive in SUSPENDING}
    values: dict[str, float] = {}
    for name, drive in drives.items():
        reads = [found.result(drive, load).host.read for load in found.loads]
        pooled = [row for read in reads for row in _counts(read)]
        for nines in ("99.9", "99.99", "99.999", "99.9999"):
            values[f"{name}/p{nines}"] = _quantile(pooled, float(nines) / 100)
    return values


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
