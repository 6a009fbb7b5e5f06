"""Results: a run and a comparison of runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from wordline import _native
from wordline.arguments import checked
from wordline.errors import ConfigError
from wordline.figures import caveats, comparison_view, metrics
from wordline.figures import tenants as tenancy
from wordline.figures.comparison_view import Outcome
from wordline.figures.tenants import Tenants
from wordline.native.types.record import Record, Tree, as_json
from wordline.native.types.run import RunResult
from wordline.results import frames
from wordline.results.frames import Framed

if TYPE_CHECKING:
    import altair as alt

    from wordline.figures.significance import Effect
    from wordline.figures.statistics import Interval

__all__ = ["Case", "Comparison", "Record", "Result", "Tree"]


_MAIN = ("iops", "read_mean_us", "read_p99_us", "write_mean_us", "write_p99_us",
         "write_amplification", "erases", "life_gib")  # fmt: skip
"""Metrics that the `repr` of a result shows."""


class Result(Outcome, Framed):
    """The result of a run; its fields are those of `result.json`.

    Two results are equal if everything but `simulator`, which tells how fast the run was, is.

    Attributes:
        config_toml: The resolved configuration; running it again gives the same bits.
        series: The time series.
        records: One row per request; empty unless `run.records` was set.
        custom: What Python chose in the run, and by which function; empty where nothing.
        file: Name of the file that describes the drive; empty where none does.
    """

    @classmethod
    def of_run(
        cls, found: RunResult, run: _native.Run, custom: Mapping[str, str], file: str = ""
    ) -> "Result":
        """Dresses a finished run; `custom` names what Python chose in it, `file` the drive's."""
        if custom:
            named = ", ".join(f"{choice} by {name}" for choice, name in custom.items())
            warning = f"chosen in Python, which the configuration lacks: {named}"
            found = replace(found, warnings=(*found.warnings, warning))
        return cls._of(found, run.config, run.series, run.records, Tree(custom), file)

    @checked
    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Writes the folder that `wordline run --out` writes, whole or not at all.

        Args:
            folder: Created if need be.
            force: Replace earlier results, and write beside files that are not results.

        Raises:
            OutputError: It cannot be written, or holds results and `force` is not set.
        """
        from wordline.results.result_files import save_run

        return _save(self, save_run, folder, force)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        return frames.figures({"workload": [self.workload.name]}, [metrics.figures(self)])

    @checked
    def charts(self, *, width_in: float | None = None) -> dict[str, "alt.Chart"]:
        """The report's charts, such as `write_latency_tail`, as Altair charts.

        Args:
            width_in: Width in inches for a paper, such as 3.4 of one column: ink on white in small
                letters, without a title. Left out, the size is that of a page.
        """
        from wordline.report.charts import by_key

        return by_key([Case("this drive", self.workload.name, self)], width_in)

    def __repr__(self) -> str:
        figures = [
            f"{metric.label} {metrics.figure(value)}{f' {metric.unit}' if metric.unit else ''}"
            for metric in metrics.METRICS
            if metric.key in _MAIN and (value := metric.of(self)) is not None
        ]
        count = len(self.warnings)
        warned = f"; {count} warning{'s' if count > 1 else ''}" if count else ""
        told = ", ".join([f"{self.workload.requests:,} requests", *figures])
        return f"Result({self.workload.name}: {told}{warned})"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><th scope='row' style='text-align:left'>{escape(metric.label)}</th>"
            f"<td>{metrics.figure(value)} {escape(metric.unit)}</td></tr>"
            for metric in metrics.shown([self])
            if (value := metric.of(self)) is not None
        )
        warnings = _warnings_html(self.warnings)
        caption = escape(self.workload.name)
        return f"{warnings}<table><caption>{caption}</caption>{rows}</table>"


def _warnings_html(warnings: Sequence[str]) -> str:
    from html import escape

    return "".join(f"<p><strong>Warning:</strong> {escape(text)}</p>" for text in warnings)


@dataclass(frozen=True)
class Case(comparison_view.Case):
    """One run of a comparison.

    Attributes:
        variant: What was varied: a technique, or the name of a variant.
        workload: The workload, as it was asked for.
        result: The run's result.
        changes: What makes the variant, as `key=value`.
        repeats: The figures of runs with further seeds, by the names of `metrics.METRICS`.
        alone: A run of each of its streams alone, where tenants are judged.
    """

    result: Result
    alone: tuple[Result, ...] = ()

    @property
    def tenants(self) -> Tenants | None:
        """How its streams fare beside one another; `None` where none was run alone."""
        return tenancy.of(self.result, self.alone) if self.alone else None

    @property
    def figures(self) -> list[Mapping[str, float | None]]:
        """The figures of every seed, those of `result` first."""
        return [metrics.figures(self.result), *self.repeats]


@dataclass(frozen=True, repr=False)
class Comparison(Framed):
    """Workloads through several drives; the first drive of each workload is its baseline."""

    cases: Sequence[Case] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "cases", tuple(self.cases))

    @property
    def workloads(self) -> list[str]:
        """The workloads, in the order in which they were asked for."""
        return list(dict.fromkeys(case.workload for case in self.cases))

    @property
    def variants(self) -> list[str]:
        """The variants, the baseline first."""
        return list(dict.fromkeys(case.variant for case in self.cases))

    @property
    def groups(self) -> list[list[str]]:
        """The workloads, those together that ran on the same drives."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for workload in self.workloads:
            drives = tuple(case.variant for case in self.of(workload))
            groups.setdefault(drives, []).append(workload)
        return list(groups.values())

    @checked
    def of(self, workload: str) -> list[Case]:
        """The runs of a workload, the baseline first."""
        return [case for case in self.cases if case.workload == workload]

    @checked
    def ratios(self, case: comparison_view.Case) -> dict[str, float | None]:
        """Every metric of a run relative to the baseline's on the same workload."""
        return metrics.ratios(case.result, self.of(case.workload)[0].result)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        runs = [(case, *run) for case in self.cases for run in enumerate(case.figures)]
        named = {
            "workload": [case.workload for case, _, _ in runs],
            "variant": [case.variant for case, _, _ in runs],
            "seed": [case.result.config["run"]["seed"] + number for case, number, _ in runs],
        }
        return frames.figures(named, [row for _, _, row in runs])

    @property
    def warnings(self) -> list[str]:
        """What must be known of the comparison, beside the warnings of its runs."""
        return caveats.of(self)

    @property
    def effects(self) -> "list[Effect]":
        """Every drive against the baseline over all seeds; none where there is one seed."""
        from wordline.figures import significance, statistics

        shown = metrics.shown([case.result for case in self.cases]) if self.cases else []
        measured: dict[tuple[str, str, str], Interval] = {}
        for workload in self.workloads:
            first, *others = self.of(workload)
            for case, metric in product(others, shown):
                pairs = zip(case.figures, first.figures, strict=True)
                both = [
                    (ours.get(metric.key) or 0, theirs.get(metric.key) or 0)
                    for ours, theirs in pairs
                ]
                ratio = statistics.of_ratios(both) if case.repeats else None
                if ratio:
                    measured[case.variant, workload, metric.key] = ratio
        return significance.judged(measured, shown)

    @checked
    def charts(
        self, workload: str | None = None, *, width_in: float | None = None
    ) -> dict[str, "alt.Chart"]:
        """The report's charts of a workload, the first where left out, as Altair charts.

        Args:
            workload: Its name.
            width_in: Width in inches for a paper, as of a run's charts.
        """
        from wordline.report.charts import by_key

        found = self.of(workload or next(iter(self.workloads), ""))
        if not found:
            known = ", ".join(self.workloads) or "none"
            raise ConfigError(f"no run is of {workload!r}", "workload", f"those of this: {known}")
        return by_key(found, width_in)

    @checked
    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Writes the folder that `wordline compare --out` writes, whole or not at all.

        Args:
            folder: Created if need be.
            force: Replace earlier results, and write beside files that are not results.

        Raises:
            OutputError: It cannot be written, or holds results and `force` is not set.
        """
        from wordline.results.result_files import save_comparison

        return _save(self, save_comparison, folder, force)

    @checked
    def to_json(self, indent: int | None = None) -> str:
        """The comparison as JSON."""
        return as_json(self.to_dict(), indent)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain dictionaries and lists."""
        return {
            "wordline": _native.VERSION,
            "baseline": self.variants[0] if self.cases else None,
            "warnings": self.warnings,
            "effects": [effect.to_dict() for effect in self.effects],
            "items": [
                {
                    "variant": case.variant,
                    "workload": case.workload,
                    "changes": list(case.changes),
                    "ratios": self.ratios(case),
                    "repeats": [dict(figures) for figures in case.repeats],
                    "tenants": case.tenants and case.tenants.to_dict(),
                    "result": case.result.to_dict(),
                }
                for case in self.cases
            ],
        }

    def __repr__(self) -> str:
        drives, loads = ", ".join(self.variants), ", ".join(self.workloads)
        return f"Comparison({drives} on {loads}: {len(self.cases)} runs)"

    def _repr_html_(self) -> str:
        from wordline.report.tables import comparison_table

        warnings = _warnings_html(self.warnings)
        return warnings + "".join(comparison_table(self, load) for load in self.workloads)


T = TypeVar("T", Result, Comparison)


def _save(result: T, write: Callable[[T, Path], None], folder: str | Path, force: bool) -> Path:
    from wordline.persistence import files, folders
    from wordline.report import page
    from wordline.results import result_files

    target = Path(folder)
    with folders.output_folder(target, result_files.NAMES, force=force) as partial:
        write(result, partial)
        files.write(partial / result_files.REPORT, page.render(result))
    return target
