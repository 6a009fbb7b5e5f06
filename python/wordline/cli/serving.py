"""The verb `serve`."""

import json
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wordline import workers
from wordline.cli import failures, output, plain, progress, simulation
from wordline.cli.options import Mode
from wordline.configuration import find
from wordline.native.types.served import Summary
from wordline.results import result_files
from wordline.results.result import Case, Result
from wordline.runs import serving

_PERIOD_S = 0.5
_LAG_LIMIT = 0.01
_LARGE_BYTES = 1 << 30
"""Memory of a drive from which on it is told."""


def serve(
    config: str,
    sets: Sequence[str],
    socket: Path | None,
    port: int | None,
    pace: str,
    image: Path | None,
    log: Path | None,
    recording: Path | None,
    out: Path | None,
    force: bool,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Serves a drive until Ctrl-C or SIGTERM, or until it fails: the exit status is 1 then."""
    configuration = find(config).with_overrides(sets)
    last: list[Summary] = []

    def work(start: progress.Start) -> Result:
        with until_told() as told:
            for line in memory_told(configuration.memory_bytes(), workers.free_bytes()):
                _say(line)
            shown = start(config)
            served = serving.begin(
                configuration, socket, port, pace, image, log, recording, force, shown
            )
            shown("done", 0, None, 0)
            _say(f"serving {config}, {served.size_bytes / 2**20:,.0f} MiB, at {served.uri}")
            _say("stop it with Ctrl-C")
            with served:
                while not (told(_PERIOD_S) or served.summary().failure):
                    _tell(served.summary(), progress_mode)
                last.append(served.summary())
            return served.stop()

    result = simulation.carry_out(work, result_files.save_run, out, force, Mode.NONE)
    with failures.keeping("the whole results are", out):
        plain.warn([Case(config, result.workload.name, result)])
        for warning in _warnings(last[0]):
            _say(f"warning: {warning}")
        if as_json:
            plain.print_json({"served": last[0].to_dict(), "run": result.to_dict()})
            return
        output.show_run(result)
        _show(last[0])
        simulation.tell_report(out)


def memory_told(need: int, free: int | None) -> Iterator[str]:
    """What to say of the memory that a drive takes before anything is written to it."""
    takes = f"the drive may take {need / 2**30:,.1f} GiB of memory before anything is written"
    if free is not None and need > free:
        yield (
            f"warning: {takes}, and {free / 2**30:,.1f} GiB are free: lower "
            "drive.chip.blocks_per_plane, or raise ftl.mapping_unit_kib"
        )
    elif need > _LARGE_BYTES:
        yield takes


@contextmanager
def until_told() -> Iterator[Callable[[float], bool]]:
    """Gives a function that waits so many seconds for Ctrl-C or SIGTERM: whether one has come."""
    read, write = os.pipe()  # an event has a lock, which what a handler interrupts may hold
    numbers = (signal.SIGINT, signal.SIGTERM)
    earlier = [signal.signal(number, lambda *_: os.write(write, b"!")) for number in numbers]
    try:
        yield lambda seconds: bool(select.select([read], [], [], seconds)[0])
    finally:
        for number, handler in zip(numbers, earlier, strict=True):
            signal.signal(number, handler)
        os.close(read)
        os.close(write)


def _tell(summary: Summary, mode: Mode | None) -> None:
    """One line of what it does, over the one before on a terminal."""
    if mode is Mode.JSON:
        _say(json.dumps({"phase": "serve", **summary.to_dict()}))
    elif mode is Mode.BAR or (mode is None and sys.stderr.isatty()):
        lag = "" if summary.mean_lag is None else f"   lag {summary.mean_lag:.1%}"
        line = (
            f"{summary.requests:,} requests   {summary.simulated_s:.3f} s simulated   "
            f"{summary.connections} clients   {summary.lost_units} units lost{lag}"
        )
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()


def _say(line: str) -> None:
    start = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{start}{line}", file=sys.stderr, flush=True)


def _warnings(summary: Summary) -> Iterator[str]:
    if summary.lost_units:
        yield (
            f"{summary.lost_units:,} units could not be read: their code corrects too little "
            "for data.errors (data.code, data.bch_bits, data.ldpc_rows, data.retries)"
        )
    if summary.mean_lag is not None and summary.mean_lag > _LAG_LIMIT:
        yield (
            f"replies came {summary.mean_lag:.1%} later than the simulated drive's: what clients "
            "measure is this machine; --pace slow:K makes it small"
        )
    if summary.connections_broken:
        yield f"{summary.connections_broken} connections ended by a breach of the protocol"


def _show(summary: Summary) -> None:
    rows = [
        ("requests", f"{summary.requests:,}", ""),
        ("served for", f"{summary.elapsed_s:,.1f}", "s"),
        ("simulated time", f"{summary.simulated_s:,.3f}", "s"),
        ("units read by clients", f"{summary.units_read:,}", ""),
        ("units read to move them", f"{summary.units_moved:,}", ""),
        ("wrong bits corrected", f"{summary.corrected_bits:,}", ""),
        ("reads again", f"{summary.retries:,}", ""),
        ("units lost", f"{summary.lost_units:,}", ""),
    ]
    if summary.repaired_pages:
        rows.append(("pages from other drives", f"{summary.repaired_pages:,}", ""))
    if summary.mean_lag is not None and summary.longest_lag_us is not None:
        rows.append(("lag of replies, mean", f"{100 * summary.mean_lag:.2f}", "%"))
        rows.append(("lag of replies, longest", f"{summary.longest_lag_us:,.0f}", "µs"))
    output.show("Served", output.quantities(rows))
