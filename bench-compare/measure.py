"""Runs of a simulator as a process of its own, with the resources that it took."""

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from statistics import median


class RunError(Exception):
    """A simulator failed, hung or gave a result that cannot be used."""


@dataclass(frozen=True)
class Work:
    """What a run did in all, and the resources that it took."""

    requests: float
    lost_requests: float
    programs: float
    reads: float
    erases: float
    cpu_s: float
    peak_rss_mib: float

    @property
    def flash_operations(self) -> float:
        """Pages programmed and read, and blocks erased."""
        return self.programs + self.reads + self.erases


@dataclass(frozen=True)
class Totals(Work):
    """What a run reports about the whole trace; latencies are sums over page-sized operations."""

    page_reads: float
    page_writes: float
    read_sum_us: float
    write_sum_us: float

    @staticmethod
    def median(runs: Sequence["Totals"]) -> "Totals":
        """The median of every field: runs of a simulator differ in the resources that they take."""
        return Totals(
            **{f.name: median(getattr(run, f.name) for run in runs) for f in fields(Totals)}
        )


@dataclass
class Account:
    """What both simulators made of a trace, run by run."""

    theirs: list[Totals] = field(default_factory=list)
    ours: list[Totals] = field(default_factory=list)
    failure: str = ""
    """Why the other simulator has no or no more runs."""


@dataclass(frozen=True)
class Segment:
    """What was measured between the end of the prefix and the end of the trace."""

    read_mean_us: float | None
    write_mean_us: float
    write_amplification: float
    erases: float
    lost_requests: float
    requests_per_cpu_s: float | None
    flash_ops_per_cpu_s: float | None
    peak_rss_mib: float

    @staticmethod
    def between(prefix: Totals, whole: Totals) -> "Segment":
        """The difference of two runs of which one is a prefix of the other.

        Rates are missing where the difference in CPU time is lost in noise.
        """
        reads = whole.page_reads - prefix.page_reads
        writes = whole.page_writes - prefix.page_writes
        programs = whole.programs - prefix.programs
        erases = whole.erases - prefix.erases
        operations = whole.flash_operations - prefix.flash_operations
        cpu_s = whole.cpu_s - prefix.cpu_s
        return Segment(
            read_mean_us=(whole.read_sum_us - prefix.read_sum_us) / reads if reads else None,
            write_mean_us=(whole.write_sum_us - prefix.write_sum_us) / writes,
            write_amplification=programs / writes,
            erases=erases,
            lost_requests=whole.lost_requests - prefix.lost_requests,
            requests_per_cpu_s=(whole.requests - prefix.requests) / cpu_s if cpu_s > 0 else None,
            flash_ops_per_cpu_s=operations / cpu_s if cpu_s > 0 else None,
            peak_rss_mib=whole.peak_rss_mib,
        )


@dataclass(frozen=True)
class Finished:
    """A process that ended well."""

    output: str
    cpu_s: float
    peak_rss_mib: float


def run(command: Sequence[str], folder: Path, timeout_s: float, success: int = 0) -> Finished:
    """Runs `command` in `folder`, its standard input closed, until it ends with status `success`.

    Raises:
        RunError: It could not start, failed, or took longer than `timeout_s`.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=errors
            )
        except OSError as error:
            raise RunError(f"{command[0]}: {error.strerror}") from None
        status, usage = _wait(process, command[0], timeout_s)
        output.seek(0)
        errors.seek(0)
        if status != success:
            said = errors.read().decode(errors="replace").strip().splitlines()
            raise RunError(f"{command[0]}: exit status {status}: {said[-1] if said else 'silent'}")
        cpu_s = usage.ru_utime + usage.ru_stime
        return Finished(output.read().decode(errors="replace"), cpu_s, usage.ru_maxrss / 1024)


def _wait(
    process: subprocess.Popen[bytes], name: str, timeout_s: float
) -> tuple[int, resource.struct_rusage]:
    """Waits for the end and takes the resources of this process alone."""
    end_s = time.monotonic() + timeout_s
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage
        if time.monotonic() > end_s:
            process.kill()
            process.wait()
            raise RunError(f"{name} did not end within {timeout_s:.0f} s")
        time.sleep(0.02)
