"""Wordline, run as its user would: the command line, in a process of its own."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drive import PRESET, Drive
from measure import Totals, Work, run
from workloads import Trace


def totals(
    drive: Drive, sets: Sequence[str], trace: Trace, folder: Path, timeout_s: float
) -> Totals:
    """Replays `trace` on an empty drive, `sets` laid over its configuration.

    Raises:
        RunError: Wordline failed.
    """
    done, result = _replay(drive, sets, trace, folder, timeout_s)
    host = result["host"]
    return Totals(
        **vars(done),
        page_reads=trace.page_reads,
        page_writes=trace.page_writes,
        read_sum_us=_sum_us(host["read"]),
        write_sum_us=_sum_us(host["write"]),
    )


def work(drive: Drive, sets: Sequence[str], trace: Trace, folder: Path, timeout_s: float) -> Work:
    """Replays a trace without latencies, which a run that only counts has none of.

    Raises:
        RunError: Wordline failed.
    """
    return _replay(drive, sets, trace, folder, timeout_s)[0]


def _replay(
    drive: Drive, sets: Sequence[str], trace: Trace, folder: Path, timeout_s: float
) -> tuple[Work, dict[str, Any]]:
    command = [sys.executable, "-m", "wordline", "run", PRESET, "--json", "--progress", "none"]
    command += ["--workload", str(trace.path), "--format", "mqsim"]
    for override in (*drive.overrides, *sets):
        command += ["--set", override]
    finished = run(command, folder, timeout_s)
    result = json.loads(finished.output)
    flash = result["flash"]
    done = Work(
        requests=trace.requests,
        lost_requests=trace.requests - result["workload"]["requests"],
        programs=sum(flash["page_programs"].values()),
        reads=sum(flash["page_reads"].values()),
        erases=flash["erases"],
        cpu_s=finished.cpu_s,
        peak_rss_mib=finished.peak_rss_mib,
    )
    return done, result


def _sum_us(latency: dict[str, Any]) -> float:
    return latency["mean_us"] * latency["count"]
