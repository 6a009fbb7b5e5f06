"""The figures that comparisons show: where they stand in a result, and which way is better."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, log10
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
        short: Its name in the terminal's comparison; empty where that leaves it out.
    """

    key: str
    label: str
    path: str
    unit: str
    better: Literal["lower", "higher"]
    needs: str = ""
    short: str = ""

    def of(self, result: Mapping[str, Any]) -> float | None:
        """The figure in `result`; `None` where it was not measured."""
        if self.needs and not lookup(result, self.needs):
            return None
        return lookup(result, self.path)


def _latency(kind: str, statistic: str) -> Metric:
    path = f"host.{kind}.{statistic}_us"
    name = f"{statistic} {kind}"
    return Metric(f"{kind}_{statistic}_us", f"{name} latency", path, "µs", "lower", path, name)


METRICS = (
    Metric("iops", "IOPS", "host.iops", "", "higher", "host.iops", "IOPS"),
    Metric("bandwidth_mb_s", "bandwidth", "host.bandwidth_mb_s", "MB/s", "higher", "host.iops"),
    _latency("read", "mean"),
    _latency("read", "p99"),
    _latency("write", "mean"),
    _latency("write", "p99"),
    Metric(
        "write_amplification", "write amplification", "write_amplification", "", "lower", "", "WA"
    ),
    Metric("erases", "erases", "flash.erases", "", "lower", "workload.writes", "erases"),
    Metric("gc_pages_moved", "moved by GC", "gc.pages_moved", "pages", "lower", "workload.writes"),
    Metric("energy_mj", "energy", "energy_mj.total", "mJ", "lower", "energy_mj.total", "energy"),
    Metric("life_gib", "life", "wear.life_gib", "GiB", "higher", "wear.life_gib", "life"),
    Metric("spent_lifetime", "spent lifetime", "wear.spent_lifetime", "", "lower"),
)
"""Every metric, in the order in which tables show them."""


_TINY = 0.001
_DECIMALS = 6  # smaller figures are written with an exponent


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


def shown_unit(unit: str) -> str:
    """A unit for people, from its name for machines: `µs` from `us`."""
    return "µs" if unit == "us" else unit


def figure(value: float | None) -> str:
    """A figure for people: four significant digits, thousands separated; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, int) or not value:
        return f"{value:,.0f}"
    decimals = 3 - floor(log10(abs(float(f"{value:.4g}"))))
    return f"{value:.4g}" if decimals > _DECIMALS else f"{value:,.{max(decimals, 0)}f}"


def deviation(item: Mapping[str, Any]) -> tuple[str, str]:
    """How far a comparison is off, and how far it may be, for people; dashes where none is known.

    Both are shares of the reference, but of one of zero there are none: then they are in its unit.
    """
    off, allowed = item["deviation"], item["tolerance"]
    if off is None:
        return "–", "–"
    if not item["reference"]:
        return f"{off:+.4g}", f"{allowed:.4g}"
    # Adding zero takes the sign off what rounds to none.
    return f"{round(off, 4) + 0.0:+.2%}", f"{allowed:.2%}"


def change(ratio: float | None) -> str:
    """A ratio to the baseline for people: `×0.73`, `×12.3`, `×1,234`."""
    if ratio is None:
        return ""
    if ratio < _TINY:
        return f"×<{_TINY}"
    digits = next((d for below, d in ((0.0995, 3), (9.995, 2), (99.95, 1)) if ratio < below), 0)
    return f"×{ratio:,.{digits}f}"
