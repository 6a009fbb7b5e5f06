"""The workloads: deterministic traces in MQSim's ASCII format, which Wordline reads as well.

Every trace begins with a prefix, which fills the drive and may age it with uniform writes until GC
runs; the requests after the prefix are what is measured.
"""

import random
from bisect import bisect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import gcd
from pathlib import Path
from typing import TextIO

SECTOR_BYTES = 512
FILL_PAGES = 16
FILL_GAP_NS = 1_000_000
"""Between two requests of `FILL_PAGES`; larger ones come less often."""
AGING_GAP_NS = 400_000
"""With a write amplification of 3, the dies work about 40 % of the time."""

WRITE, READ = 0, 1

Pages = Callable[[random.Random], int]


@dataclass(frozen=True)
class Workload:
    """What is measured: requests of one page, all writes or a mixture."""

    name: str
    read_share: float
    aged: bool
    gap_ns: int
    measured_share: float
    """Measured requests, as a share of the logical pages."""
    zipf_theta: float | None = None
    latency_note: str = ""
    """Why latencies differ, where the two do not model the same thing."""

    def pages(self, span_pages: int) -> Pages:
        """Draws page numbers below `span_pages`."""
        return (
            _uniform(span_pages) if self.zipf_theta is None else _zipf(span_pages, self.zipf_theta)
        )


GC_FIRST = "MQSim serves GC before the host, Wordline here the host before GC"

WORKLOADS = (
    # Few enough writes to fit into the free blocks: every latency is the flash's and the queues'.
    Workload("mixed, no GC", read_share=0.5, aged=False, gap_ns=60_000, measured_share=0.1),
    Workload(
        "uniform writes",
        read_share=0.0,
        aged=True,
        gap_ns=400_000,
        measured_share=0.3,
        latency_note=GC_FIRST,
    ),
    Workload(
        "Zipf, half reads",
        read_share=0.5,
        aged=True,
        gap_ns=400_000,
        measured_share=0.3,
        zipf_theta=0.99,
        latency_note=GC_FIRST,
    ),
)


def _uniform(span_pages: int) -> Pages:
    return lambda rng: int(rng.random() * span_pages)


def _zipf(span_pages: int, theta: float) -> Pages:
    """Zipf's law by inversion of its exact distribution; the ranks are scattered over the drive."""
    cumulative = list(accumulate(rank**-theta for rank in range(1, span_pages + 1)))
    total = cumulative[-1]
    stride = next(s for s in range(int(span_pages * 0.618), span_pages) if gcd(s, span_pages) == 1)

    def page(rng: random.Random) -> int:
        rank = min(bisect(cumulative, rng.random() * total), span_pages - 1)
        return rank * stride % span_pages

    return page


@dataclass(frozen=True)
class Trace:
    """A trace on disk and how many page-sized requests of each kind it holds."""

    path: Path
    requests: int
    page_reads: int
    page_writes: int


@dataclass(frozen=True)
class Plan:
    """How the traces are laid out on a drive."""

    logical_pages: int
    page_bytes: int
    aging_share: float = 0.5
    """Writes that age the drive, as a share of the logical pages."""
    fill_pages: int = FILL_PAGES
    """Pages of a request that fills the drive."""

    def prefix(self, path: Path, aged: bool) -> Trace:
        """Writes the trace that fills the drive, and ages it if so wished."""
        with path.open("w", encoding="ascii") as out:
            return self._write_prefix(path, out, aged)[0]

    def whole(self, path: Path, workload: Workload, seed: int) -> Trace:
        """Writes the prefix, and the measured requests after it."""
        requests = int(self.logical_pages * workload.measured_share)
        rng = random.Random(seed)
        pages = workload.pages(self.logical_pages)
        reads = 0
        with path.open("w", encoding="ascii") as out:
            prefix, start_ns = self._write_prefix(path, out, workload.aged)
            for number in range(requests):
                is_read = rng.random() < workload.read_share
                reads += is_read
                time_ns = start_ns + number * workload.gap_ns
                out.write(self._line(time_ns, pages(rng), 1, READ if is_read else WRITE))
        writes = prefix.page_writes + requests - reads
        return Trace(path, prefix.requests + requests, reads, writes)

    def _write_prefix(self, path: Path, out: TextIO, aged: bool) -> tuple[Trace, int]:
        """The prefix, and the time of the first request after it."""
        fill_requests = -(-self.logical_pages // self.fill_pages)
        aging_writes = int(self.logical_pages * self.aging_share) if aged else 0
        fill_end_ns = fill_requests * self._fill_gap_ns
        out.writelines(self._fill())
        out.writelines(self._aging(aging_writes, fill_end_ns))
        requests, writes = fill_requests + aging_writes, self.logical_pages + aging_writes
        return Trace(path, requests, 0, writes), fill_end_ns + aging_writes * AGING_GAP_NS

    @property
    def _fill_gap_ns(self) -> int:
        return FILL_GAP_NS * self.fill_pages // FILL_PAGES

    def _fill(self) -> Iterator[str]:
        for number, page in enumerate(range(0, self.logical_pages, self.fill_pages)):
            pages = min(self.fill_pages, self.logical_pages - page)
            yield self._line(number * self._fill_gap_ns, page, pages, WRITE)

    def _aging(self, writes: int, start_ns: int) -> Iterator[str]:
        rng = random.Random(1)
        pages = _uniform(self.logical_pages)
        for number in range(writes):
            yield self._line(start_ns + number * AGING_GAP_NS, pages(rng), 1, WRITE)

    def _line(self, time_ns: int, page: int, pages: int, kind: int) -> str:
        sectors = self.page_bytes // SECTOR_BYTES
        return f"{time_ns} 0 {page * sectors} {pages * sectors} {kind}\n"
