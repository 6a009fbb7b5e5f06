"""The figures that comparisons show: where they stand in a result, and which way is better."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Metric:
    """A figure of a result.

    Attributes:
        key: Its name for machines; ends in the unit.
        label: Its name for people.
        path: Where it stands in the result.
        unit: Its unit; empty for a pure number.
        better: Whether lower or higher values are better.
        needs: A count in the result that must not be zero for the figure to mean anything.
        brief: Whether the terminal's table shows it.
    """

    key: str
    label: str
    path: str
    unit: str
    better: Literal["lower", "higher"]
    needs: str = ""
    brief: bool = True

    def of(self, result: Mapping[str, Any]) -> float | None:
        """The figure in `result`; `None` where it was not measured."""
        if self.needs and not lookup(result, self.needs):
            return None
        return lookup(result, self.path)


METRICS = (
    Metric("iops", "IOPS", "host.iops", "1/s", "higher", "host.iops"),
    Metric(
        "bandwidth_mb_s", "bandwidth", "host.bandwidth_mb_s", "MB/s", "higher", "host.iops", False
    ),
    Metric(
        "read_mean_us", "mean read latency", "host.read.mean_us", "µs", "lower", "host.read.mean_us"
    ),
    Metric(
        "read_p99_us", "p99 read latency", "host.read.p99_us", "µs", "lower", "host.read.p99_us"
    ),
    Metric(
        "write_mean_us",
        "mean write latency",
        "host.write.mean_us",
        "µs",
        "lower",
        "host.write.mean_us",
    ),
    Metric(
        "write_p99_us", "p99 write latency", "host.write.p99_us", "µs", "lower", "host.write.p99_us"
    ),
    Metric("write_amplification", "write amplification", "write_amplification", "", "lower"),
    Metric("erases", "erases", "flash.erases", "", "lower", "workload.writes"),
    Metric(
        "gc_pages_moved",
        "moved by GC",
        "gc.pages_moved",
        "pages",
        "lower",
        "workload.writes",
        False,
    ),
    Metric("energy_mj", "energy", "energy_mj.total", "mJ", "lower", "energy_mj.total"),
    Metric("spent_lifetime", "spent lifetime", "wear.spent_lifetime", "", "lower", "", False),
)
"""Every metric, in the order in which tables show them."""


_TINY = 0.001


def lookup(tree: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path; `None` where there is none."""
    value: Any = tree
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


def ratios(result: Mapping[str, Any], baseline: Mapping[str, Any]) -> dict[str, float | None]:
    """Every metric of `result` relative to `baseline`; `None` where there is nothing to divide."""

    def ratio(metric: Metric) -> float | None:
        ours, theirs = metric.of(result), metric.of(baseline)
        return ours / theirs if ours is not None and theirs else None

    return {metric.key: ratio(metric) for metric in METRICS}


def figure(value: float | None) -> str:
    """A figure for people: four significant digits, thousands separated; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, int) or abs(value) >= 10_000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def change(ratio: float | None) -> str:
    """A ratio to the baseline for people: `×0.73`."""
    if ratio is None:
        return ""
    return f"×{ratio:.3g}" if ratio >= _TINY else f"×<{_TINY}"
