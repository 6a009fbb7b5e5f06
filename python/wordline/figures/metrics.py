"""The figures that comparisons show: where they stand in a result, and which way is better."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import floor, log10
from typing import Any, Literal

from wordline.native.types.record import Named, Record

PADDING = "write_amplification_by_cause.padding"
"""Units programmed without data for each unit that the host wrote."""

CAUSES = (
    *("host", "gc", "mapping", "wear", "technique", "metadata"),
    *("parity", "padding", "refresh", "reclaim"),
)
"""Those for which units are programmed, as the result has them."""

ERASES = "wear.erases_per_host_gib"
"""Erases for each GiB that the host wrote."""

_GIB = 1 << 30


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
        brief: Whether the terminal's comparison shows it.
        kind: What it is of the run: a level; a sum over all of it, which judges no drive that was
            written another amount; or such a sum for each GiB that the host wrote.
    """

    key: str
    label: str
    path: str
    unit: str
    better: Literal["lower", "higher"]
    needs: str = ""
    brief: bool = True
    kind: Literal["level", "sum", "per GiB"] = "level"

    def of(self, result: Named) -> float | None:
        """The figure in `result`; `None` where it was not measured."""
        if self.needs and not lookup(result, self.needs):
            return None
        value = lookup(result, self.path)
        if self.kind != "per GiB" or value is None:
            return value
        written = written_gib(result)
        return value / written if written else None


def written_gib(result: Named) -> float:
    """GiB that the host wrote and the drive took: one that turned read-only refuses the rest."""
    rate = lookup(result, ERASES)
    if rate:
        return lookup(result, "flash.erases") / rate
    # A drive that erased nothing has not worn out, and took everything.
    return lookup(result, "workload.bytes_written") / _GIB


STATISTICS = {"mean": "mean", "p99": "p99", "p999": "p99.9", "p9999": "p99.99", "max": "longest"}
"""Statistics of latencies by their names in a result, and their names for people."""


def _latencies(kind: str) -> Iterator[Metric]:
    for statistic, name in STATISTICS.items():
        path = f"host.{kind}.{statistic}_us"
        key, label, count = f"{kind}_{statistic}_us", f"{name} {kind} latency", f"host.{kind}.count"
        yield Metric(key, label, path, "µs", "lower", count)


YEARS = 5
"""Of the warranty over which drive writes a day are told."""


@dataclass(frozen=True)
class _DriveWrites(Metric):
    """Drive writes a day over the warranty."""

    def of(self, result: Named) -> float | None:
        """Of the life that was run, or by the endurance."""
        life = lookup(result, self.path) or _life_by_endurance(result)
        size = lookup(result, "capacity.logical_gib")
        return life / size / (365 * YEARS) if life and size else None


def _life_by_endurance(result: Named) -> float | None:
    """GiB that the host writes until blocks have spent their cycles, if wear goes on as in the run.

    `None` where the endurance is not set, nothing was erased, or there are several drives or kinds
    of flash, of which one is spent first.
    """
    endurance = lookup(result, "config.drive.chip.endurance_pec")
    if not endurance or lookup(result, "array") or lookup(result, "wear.groups"):
        return None
    histogram = lookup(result, "wear.histogram")
    blocks = sum(count for _, count in histogram)
    # Only the cycles of a whole run begin with those before it.
    initial = 0 if lookup(result, "measured") else lookup(result, "config.drive.chip.initial_pec")
    spent = sum(cycles * count for cycles, count in histogram) - initial * blocks
    lives = lookup(result, "config.run.cycles_per_erase")
    return endurance * blocks * written_gib(result) * lives / spent if spent else None


METRICS = (
    Metric("iops", "IOPS", "host.iops", "", "higher", "host.iops"),
    Metric("bandwidth_mb_s", "bandwidth", "host.bandwidth_mb_s", "MB/s", "higher", "host.iops",
           brief=False),
    *_latencies("read"),
    *_latencies("write"),
    Metric("write_amplification", "write amplification", "write_amplification", "", "lower"),
    Metric("padding", "of it padding", PADDING, "", "lower", PADDING),
    Metric("erases", "erases", "flash.erases", "", "lower", "workload.writes", kind="sum"),
    Metric("erases_per_gib", "erases per GiB written", "flash.erases", "", "lower",
           "workload.writes", kind="per GiB"),
    Metric("gc_pages_moved", "moved by GC", "gc.pages_moved", "pages", "lower", "workload.writes",
           brief=False, kind="sum"),
    Metric("energy_mj", "energy", "energy_mj.total", "mJ", "lower", "energy_mj.total", kind="sum"),
    Metric("energy_mj_per_gib", "energy per GiB written", "energy_mj.total", "mJ", "lower",
           "energy_mj.total", kind="per GiB"),
    Metric("life_gib", "life", "wear.life_gib", "GiB", "higher", "wear.life_gib"),
    _DriveWrites("dwpd", f"drive writes a day over {YEARS} years", "wear.life_gib", "", "higher",
                 brief=False),
    Metric("spent_lifetime", "spent lifetime", "wear.spent_lifetime", "", "lower", brief=False,
           kind="sum"),
)  # fmt: skip
"""Every metric, in the order in which tables show them."""


def figures(result: Named) -> dict[str, float | None]:
    """Every metric of a result, by name."""
    return {metric.key: metric.of(result) for metric in _all_of(result)}


_STATES = {
    "whole": "before the failure",
    "degraded": "degraded",
    "rebuild": "in the rebuild",
    "rebuilt": "after the rebuild",
}
"""What an array of which a drive fails is doing, by the names in a result."""


@dataclass(frozen=True)
class _Took(Metric):
    """How long a rebuild or scrub took."""

    def of(self, result: Named) -> float | None:
        sync = lookup(result, self.path)
        over_s = lookup(sync, "over_s") if sync else None
        return None if over_s is None else over_s - lookup(sync, "began_s")


def _phases() -> Iterator[Metric]:
    for (state, when), kind in product(_STATES.items(), ("read", "write")):
        for statistic in ("mean", "p999"):
            path = f"array.latency.{state}"
            key, name = f"{kind}_{statistic}_us", STATISTICS[statistic]
            yield Metric(f"{state}_{key}", f"{name} {kind} latency, {when}", f"{path}.{key}", "µs",
                         "lower", f"{path}.{kind}s")  # fmt: skip


FAILURE = (_Took("rebuild_s", "rebuild", "array.syncs.rebuild", "s", "lower"), *_phases())
"""Metrics of an array of which a drive failed."""


_LAZY = "technique.lazy_ftl"

LAZY = (
    Metric("iops_if_secured", "IOPS once all is secured", "host.iops_if_secured", "", "higher",
           "host.iops_if_secured"),
    Metric("first_stages", "first stages", f"{_LAZY}.first_stages", "word lines", "higher",
           kind="sum"),
    Metric("second_stages_idle", "second stages in idle time", f"{_LAZY}.second_stages.idle",
           "word lines", "lower", kind="sum"),
    Metric("second_stages_due", "second stages that were due", f"{_LAZY}.second_stages.due",
           "word lines", "lower", kind="sum"),
    Metric("word_lines_waiting", "waiting for a second stage", f"{_LAZY}.waiting", "word lines",
           "lower", kind="sum"),
    Metric("blocks_secured", "refused a first stage", f"{_LAZY}.blocks_opened.secured", "blocks",
           "lower", kind="sum"),
    Metric("lost_units", "lost without power", f"{_LAZY}.without_power.lost_units", "units",
           "lower", kind="sum"),
)  # fmt: skip
"""Metrics of a drive with lazyFTL."""


def _all_of(result: Named) -> tuple[Metric, ...]:
    """The metrics that a result may have."""
    has_failed = lookup(result, "array.failed_at_s") is not None
    is_lazy = lookup(result, f"{_LAZY}.first_stages") is not None
    return (*METRICS, *(FAILURE if has_failed else ()), *(LAZY if is_lazy else ()))


EQUAL = 0.01
"""Runs that differ by less are called equal: it is about what another seed would change."""

Judgement = Literal["better", "worse", "same"]

_TINY = 0.001
# In percent it would have more than six digits.
_LARGE_SHARE = 1e4
_DECIMALS = 6  # smaller figures are written with an exponent


def lookup(tree: Named, path: str) -> Any:
    """The value at a dotted path; `None` where a tree has none, or a table holds `None`.

    Raises:
        KeyError: A table of a result declares no such field.
    """
    value: Any = tree
    for key in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(value, Record):
            value = value[key]
        elif isinstance(value, Sequence) and not isinstance(value, str):
            # Of several, the first that is of this kind, or in this state.
            value = next((one for one in value if _is_called(one, key)), None)
        else:
            return None
    return value


def _is_called(one: Any, name: str) -> bool:
    labels = one.keys()
    return any(label in labels and one[label] == name for label in ("kind", "state"))


def ratios(result: Named, baseline: Named) -> dict[str, float | None]:
    """Every metric of `result` relative to `baseline`; `None` where there is nothing to divide."""

    def ratio(metric: Metric) -> float | None:
        ours, theirs = metric.of(result), metric.of(baseline)
        return ours / theirs if ours is not None and theirs else None

    return {metric.key: ratio(metric) for metric in _all_of(result)}


def judge(metric: Metric, ratio: float, same_work: bool) -> Judgement:
    """Whether a ratio to the baseline is better or worse; `same` within a percent.

    Args:
        metric: What was measured.
        ratio: To the baseline.
        same_work: Whether the host wrote as much to both drives: sums over a run tell nothing
            where it did not, as where one drive lived longer.
    """
    if abs(ratio - 1) <= EQUAL or (metric.kind == "sum" and not same_work):
        return "same"
    return "better" if (ratio < 1) == (metric.better == "lower") else "worse"


def same_work(results: Sequence[Named]) -> bool:
    """Whether the host wrote as much to every drive, within a percent."""
    written = [written_gib(result) for result in results]
    return max(written) - min(written) <= EQUAL * max(written)


def shown(results: Sequence[Named]) -> list[Metric]:
    """The metrics that any of the results measured.

    Rates for each GiB written are left out of a comparison in which the host wrote as much to
    every drive, for there they say what the sums say.
    """
    alike = len(results) > 1 and same_work(results)
    every = dict.fromkeys(metric for result in results for metric in _all_of(result)) or METRICS
    measured = [metric for metric in every if any(metric.of(result) for result in results)]
    return [metric for metric in measured if metric.kind != "per GiB" or not alike]


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


def deviation(item: Named) -> tuple[str, str]:
    """How far a comparison is off, and how far it may be, for people; dashes where none is known.

    Both are shares of the reference, but of one of zero there are none: then they are in its unit.
    """
    off, allowed = item["deviation"], item["tolerance"]
    if off is None:
        return "–", "–"
    if not item["reference"]:
        return f"{off:+.4g}", f"{allowed:.4g}"
    return _percent(off, "+"), _percent(allowed, "")


def _percent(share: float, sign: str) -> str:
    """A share in percent; one of many digits by its power of ten."""
    if abs(share) >= _LARGE_SHARE:
        return f"{share * 100:{sign}.2e}%"
    # Adding zero takes the sign off what rounds to none.
    return f"{round(share, 4) + 0.0:{sign},.2%}"


def change(ratio: float | None) -> str:
    """A ratio to the baseline for people: `×0.73`, `×12.3`, `×1,234`."""
    if ratio is None:
        return ""
    if ratio < _TINY:
        return f"×<{_TINY}"
    digits = next((d for below, d in ((0.0995, 3), (9.995, 2), (99.95, 1)) if ratio < below), 0)
    return f"×{ratio:,.{digits}f}"


def percent(share: float) -> str:
    """A share in whole percent, for sentences."""
    return f"{share * 100:.0f} %"


def difference(ratio: float) -> str:
    """A ratio to the baseline in words."""
    word = "lower" if ratio < 1 else "higher"
    if 0.5 < ratio < 2:
        return f"{percent(abs(1 - ratio))} {word}"
    times = max(ratio, 1 / ratio)
    return f"a factor of {times:.{0 if times >= 10 else 1}f} {word}"


def is_same(metric: Metric, ratios: Iterable[Mapping[str, float | None]]) -> bool:
    """Whether a figure is the same for all drives as it is shown, by their ratios to the first."""
    of_it = [ratio.get(metric.key) for ratio in ratios]
    return bool(of_it) and all(ratio is not None and change(ratio) == "×1.00" for ratio in of_it)
