"""Cutting power: what is missing after a cut at any moment of a run."""

from collections.abc import Mapping
from typing import Any

from wordline.arguments import checked
from wordline.configuration import Change, ConfigLike, Configuration
from wordline.errors import ConfigError
from wordline.native import native_api
from wordline.native.native_api import Progress
from wordline.native.types.power import CutReport
from wordline.runs import notebook
from wordline.runs.single_run import WorkloadLike, asked

_MOST = 2**32 - 1
"""Moments and commands that can be named."""


@checked
def cuts(
    config: ConfigLike,
    workload: WorkloadLike | Mapping[str, Any] | None = None,
    *changes: Change,
    every: int = 1,
    at: int | None = None,
    trace_format: str | None = None,
    progress: Progress | None = None,
    **tables: Any,
) -> CutReport:
    """Runs a drive without capacitor, and cuts power at every moment of the run.

    A moment is the begin or the end of a program or an erase, or the end of a flush. Each cut is
    made on the flash as it then stood; a restart must find whatever had been acknowledged before a
    flush that was over.

    Args:
        config: A TOML file, a drive preset or its name, or a mapping of tables.
        workload: A trace file, or a generator such as `"zipf:requests=1e5,flush=0.01"`; or keys of
            the table `workload`. The one of the configuration where left out.
        *changes: Parts laid over the configuration.
        every: Cuts at one of so many moments.
        at: Cuts only while the program or erase of this number is under way.
        trace_format: The trace's format; detected where left out.
        progress: Called a few times a second; what it raises stops the run.
        **tables: Tables laid over the configuration, such as `power={"protection": "none"}`.

    Raises:
        ConfigError: The configuration cannot be used, or a capacitor protects the drive.
        WorkloadError: The workload cannot be used.
        RunError: The run could not start or go on.
    """
    configuration = asked(config, workload, changes, tables, trace_format)
    with notebook.shown("cuts", progress) as shown:
        return cut(configuration, every, at, shown)


def cut(
    configuration: Configuration,
    every: int = 1,
    at: int | None = None,
    progress: Progress | None = None,
) -> CutReport:
    """Cuts the power of a configuration that has been found."""
    if not 1 <= every <= _MOST:
        raise ConfigError(f"cuts at one of {every} moments", "every", f"give 1 to {_MOST:,}")
    if at is not None and not 0 <= at <= _MOST:
        raise ConfigError(f"{at} is the number of no command", "at", "they are counted from 0")
    c = configuration
    return native_api.power_cuts(c.text, c.origin, c.overrides, every, at, progress)
