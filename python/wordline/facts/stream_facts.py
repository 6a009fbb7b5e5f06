"""What is shown of the streams of a run that have queues of their own."""

from collections.abc import Iterable, Iterator

from wordline.figures.metrics import figure
from wordline.native.types.run import StreamSummary

HEADS = (
    ("stream", ""),
    ("queue", ""),
    ("IOPS", ""),
    ("bandwidth", "MB/s"),
    ("mean read", "µs"),
    ("p99 read", "µs"),
    ("mean write", "µs"),
    ("p99 write", "µs"),
)
"""Columns and their units."""


def rows(streams: Iterable[StreamSummary]) -> Iterator[tuple[str, ...]]:
    """A row for each stream, as `HEADS` names them."""
    for one in streams:
        latencies = (
            figure(value) if kind.count else "–"
            for kind in (one.read, one.write)
            for value in (kind.mean_us, kind.p99_us)
        )
        name = f"{one.stream} {one.name}".rstrip()
        yield name, one.queue or "own", figure(one.iops), figure(one.bandwidth_mb_s), *latencies
