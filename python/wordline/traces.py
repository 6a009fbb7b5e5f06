"""Workloads by themselves: what a trace or a generator holds."""

import json
from pathlib import Path

from wordline import _native
from wordline.components.part import Workload
from wordline.result import Record
from wordline.runs import Progress

MEMORY_MIB = 2048
"""Memory that statistics may take unless told otherwise."""


def trace_info(
    workload: str | Path | Workload,
    *,
    trace_format: str | None = None,
    sample: float = 1.0,
    memory_mib: int = MEMORY_MIB,
    progress: Progress | None = None,
) -> Record:
    """Reads a workload from its first request to its last and takes its statistics.

    Args:
        workload: A trace file, or a generator such as `"zipf:theta=0.9"`.
        trace_format: The trace's format; detected where left out.
        sample: Share of the addresses that is looked at; 1 makes every figure exact.
        memory_mib: Memory that may be taken; a workload that needs more is refused.
        progress: Called a few times a second; what it raises stops the reading.

    Raises:
        WorkloadError: The workload cannot be used, or needs more memory.
    """
    if isinstance(workload, Workload) and workload.format != "auto":
        trace_format = trace_format or workload.format
    text = _native.trace_info(str(workload), trace_format, sample, memory_mib, progress)
    return Record(json.loads(text))
