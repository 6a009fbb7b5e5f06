"""Each tenant of a drive alone on it: what it is judged against beside the others."""

from collections.abc import Iterator, Mapping
from typing import Any

from wordline.configuration import Configuration
from wordline.errors import ConfigError
from wordline.results.result import Case

Job = tuple[str, str, Configuration]
"""A variant, a workload and a configuration."""

_SEVERAL = 2


def refuse_unfit(resolved: Mapping[str, Any]) -> None:
    """Refuses a run, every key of which is known, whose tenants cannot be judged.

    Raises:
        ConfigError: Streams share a queue, nothing takes time, or requests of all are counted.
    """
    host, run, streams = resolved["host"], resolved["run"], resolved["workload"]["streams"]
    if host["streams"] == "together" and not host["queue"]:
        raise ConfigError(
            "all streams share one queue, and have no figures of their own",
            "host.streams",
            'set host.streams to "each", or give them queues: [host.queue.NAME]',
        )
    if run["mode"] == "count":
        raise ConfigError(
            'nothing takes time with "count", so that no tenant is slowed', "run.mode", "set timed"
        )
    if run["measure_from_request"]:
        raise ConfigError(
            "counts requests of all tenants, of which one alone has fewer",
            "run.measure_from_request",
            "set run.measure_from_s in its place",
        )
    if len(streams) == 1:
        raise _one_alone(f"workload.streams = {streams}")


def _one_alone(place: str) -> ConfigError:
    help_ = "add another to workload.interleave, or choose a trace of several volumes"
    return ConfigError("there is one tenant, and nobody beside it", place, help_)


def jobs(case: Case, configuration: Configuration) -> Iterator[Job]:
    """A run of each stream of a run alone.

    Raises:
        ConfigError: The run had one stream.
    """
    streams = case.result.host.streams
    if len(streams) < _SEVERAL:
        raise _one_alone(f"workload.source = {case.workload}")
    for one in streams:
        name = f"{case.workload}, tenant {one.stream} alone"
        chosen = (f"workload.streams=[{one.stream}]",)
        yield case.variant, name, configuration.with_overrides(chosen)
