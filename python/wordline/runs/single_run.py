"""Running one simulation."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordline.arguments import checked
from wordline.components import catalogue
from wordline.components.custom import Custom
from wordline.components.part import Part, Workload
from wordline.configuration import (
    Change,
    ConfigLike,
    Configuration,
    laid_over,
    overrides_by,
    toml_value,
)
from wordline.errors import ConfigError
from wordline.native import native_api
from wordline.native.native_api import Progress
from wordline.player import recording
from wordline.player.recording import Recording, RecordLike
from wordline.player.recording import of as of_record
from wordline.results.result import Result
from wordline.runs import notebook

WorkloadLike = str | os.PathLike[str] | Workload
"""A trace file, or a generator with its parameters."""

CONVENTIONAL = "conventional"
"""The variant without any technique."""


@dataclass(frozen=True)
class Variant:
    """A drive of a comparison: a name, and the overrides that make it."""

    name: str
    overrides: tuple[str, ...] = ()


@checked
def run(
    config: ConfigLike,
    workload: WorkloadLike | Mapping[str, Any] | None = None,
    *changes: Change,
    seed: int | None = None,
    trace_format: str | None = None,
    custom: Custom | None = None,
    record: RecordLike | None = None,
    progress: Progress | None = None,
    **tables: Any,
) -> Result:
    """Runs one simulation; other Python threads go on meanwhile.

    Args:
        config: A TOML file, a drive preset or its name, or a mapping of tables.
        workload: A trace file, or a generator such as `"uniform:writes=1e6"`; or keys of the table
            `workload`, such as `{"source": "trace.csv", "first": 1000}`. The one of the
            configuration where left out.
        *changes: Parts laid over the configuration, such as `wl.policies.gc.d_choices(d=5)`.
        seed: Seed of everything random; that of the configuration where left out.
        trace_format: The trace's format; detected where left out.
        custom: Policies written in Python.
        record: File such as `run.wlr` for a recording that `wordline play` shows, or a
            `Recording` that says how much of the run it has.
        progress: Called a few times a second; what it raises stops the run. In a notebook a bar
            is shown where this is left out.
        **tables: Tables laid over the configuration, such as `ftl={"gc": {"policy": "fifo"}}`.

    Raises:
        ConfigError: The configuration cannot be used.
        WorkloadError: The workload cannot be used.
        RunError: The run could not start or go on.
    """
    configuration = asked(config, workload, changes, tables, trace_format, seed)
    with notebook.shown("run", progress) as shown:
        return simulate(configuration, shown, custom, None if record is None else of_record(record))


def asked(
    config: ConfigLike,
    workload: WorkloadLike | Mapping[str, Any] | None,
    changes: Iterable[Change],
    tables: Mapping[str, Any],
    trace_format: str | None,
    seed: int | None = None,
) -> Configuration:
    """The configuration that the arguments of `run` or `cuts` mean."""
    if isinstance(workload, Mapping):
        tables, workload = {**tables, "workload": workload}, None
    replayed = workload_overrides(workload, trace_format)
    return laid_over(config, changes, tables, *replayed, *of_seed(seed))


def simulate(
    configuration: Configuration,
    progress: Progress | None = None,
    custom: Custom | None = None,
    record: Recording | None = None,
) -> Result:
    """Runs a configuration that has been found."""
    c = configuration.with_overrides(custom.overrides() if custom else ())
    c.check_memory()
    with recording.being_made(record) as wanted:
        found, run = native_api.run(c.text, c.origin, c.overrides, progress, custom, wanted)
    return Result.of_run(found, run, custom.names() if custom else {}, c.file)


def of_seed(seed: int | None) -> tuple[str, ...]:
    """What a seed overrides; nothing where there is none."""
    return () if seed is None else (f"run.seed={seed}",)


def of_technique(technique: str | Part) -> Variant:
    """The drive with one technique; at its defaults where only its name is given.

    Raises:
        ConfigError: There is no such technique.
    """
    if isinstance(technique, Part):
        return Variant(technique.path.rpartition(".")[2], overrides_by([technique]))
    name = technique
    if name == CONVENTIONAL:
        return Variant(name, ("technique={}",))
    known = catalogue.techniques()
    if name not in known:
        raise ConfigError(
            f"unknown technique `{name}`",
            "techniques",
            catalogue.did_you_mean(name, [CONVENTIONAL, *known], "techniques"),
        )
    return Variant(name, (f"technique.{name}={{}}",))


def workload_overrides(
    workload: WorkloadLike | None, trace_format: str | None, sort: bool = False
) -> tuple[str, ...]:
    """The overrides that replay `workload`; none where nothing is asked for."""
    if isinstance(workload, Workload):
        workload, trace_format = workload.source, trace_format or workload.format
    asked = {"source": workload, "format": trace_format, "sort": sort or None}
    return tuple(
        f"workload.{key}={toml_value(value, 'workload')}"
        for key, value in asked.items()
        if value is not None
    )


def refuse_twins(variants: Sequence[Variant]) -> None:
    """Refuses variants of which two have the same name.

    Raises:
        ConfigError: Two have.
    """
    names = [variant.name for variant in variants]
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise ConfigError(f"variant `{twins[0]}` is given twice", help="give each its own name")
