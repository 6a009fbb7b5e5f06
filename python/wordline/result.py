"""Results: a run and a comparison of runs."""

import copy
import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from wordline import _native, caveats, metrics

if TYPE_CHECKING:
    import altair as alt


class Record(Mapping[str, Any]):
    """A table of a result: `record.name` and `record["name"]` are the same."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def __getitem__(self, key: str) -> Any:
        value = self._data[key]
        return Record(value) if isinstance(value, dict) else value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._data:
            raise AttributeError(self._unknown(name))
        return self[name]

    def _unknown(self, name: str) -> str:
        if name.startswith("_"):
            return name
        near = difflib.get_close_matches(name, self._data, n=1)
        guess = f"did you mean `{near[0]}`? " if near else ""
        return f"no field `{name}`; {guess}fields: {', '.join(self._data)}"

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._data]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._data)})"

    def to_dict(self) -> dict[str, Any]:
        """A copy as plain dictionaries and lists."""
        return copy.deepcopy(self._data)


class Result(Record):
    """The result of a run; its fields are those of `result.json`.

    Attributes:
        series: The time series.
        records: One row per request; empty unless `run.records` was set.
        config_toml: The resolved configuration; running it again gives the same bits.
    """

    def __init__(
        self,
        data: dict[str, Any],
        config_toml: str,
        series: _native.Table,
        records: _native.Table,
    ) -> None:
        super().__init__(data)
        self.config_toml = config_toml
        self.series = series
        self.records = records

    @classmethod
    def of_run(cls, run: _native.Run, custom: Mapping[str, str]) -> "Result":
        """Dresses a finished run; `custom` names what Python chose in it."""
        data = json.loads(run.result)
        if custom:
            data["custom"] = dict(custom)
            named = ", ".join(f"{choice} by {name}" for choice, name in custom.items())
            data["warnings"].append(f"chosen in Python, which the configuration lacks: {named}")
        return cls(data, run.config, run.series, run.records)

    def charts(self) -> dict[str, "alt.Chart"]:
        """The report's charts by title, as Altair charts."""
        from wordline.report.charts import by_title

        return by_title([Case("this drive", self["workload"]["name"], self)])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th scope='row' style='text-align:left'>{escape(metric.label)}</th>"
            f"<td>{metrics.figure(value)} {escape(metric.unit)}</td></tr>"
            for metric in metrics.shown([self])
            if (value := metric.of(self)) is not None
        )
        warnings = _warnings_html(self["warnings"])
        caption = escape(self["workload"]["name"])
        return f"{warnings}<table><caption>{caption}</caption>{rows}</table>"


def _warnings_html(warnings: Sequence[str]) -> str:
    return "".join(f"<p><strong>Warning:</strong> {escape(text)}</p>" for text in warnings)


@dataclass(frozen=True)
class Case:
    """One run of a comparison.

    Attributes:
        variant: What was varied: a technique, or the name of a variant.
        workload: The workload, as it was asked for.
        result: The run's result.
        changes: What makes the variant, as `key=value`.
    """

    variant: str
    workload: str
    result: Result
    changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Workloads through several drives; the first drive of each workload is its baseline."""

    cases: list[Case] = field(default_factory=list)

    @cached_property
    def workloads(self) -> list[str]:
        """The workloads, in the order in which they were asked for."""
        return list(dict.fromkeys(case.workload for case in self.cases))

    @cached_property
    def variants(self) -> list[str]:
        """The variants, the baseline first."""
        return list(dict.fromkeys(case.variant for case in self.cases))

    @cached_property
    def groups(self) -> list[list[str]]:
        """The workloads, those together that ran on the same drives."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for workload in self.workloads:
            drives = tuple(case.variant for case in self.of(workload))
            groups.setdefault(drives, []).append(workload)
        return list(groups.values())

    def of(self, workload: str) -> list[Case]:
        """The runs of a workload, the baseline first."""
        return [case for case in self.cases if case.workload == workload]

    def ratios(self, case: Case) -> dict[str, float | None]:
        """Every metric of a run relative to the baseline's on the same workload."""
        return metrics.ratios(case.result, self.of(case.workload)[0].result)

    @cached_property
    def warnings(self) -> list[str]:
        """What must be known of the comparison, beside the warnings of its runs."""
        return caveats.of(self)

    def charts(self, workload: str | None = None) -> dict[str, "alt.Chart"]:
        """The report's charts of a workload, the first where left out, as Altair charts."""
        from wordline.report.charts import by_title

        return by_title(self.of(workload or self.workloads[0]))

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain dictionaries and lists."""
        return {
            "wordline": _native.VERSION,
            "baseline": self.variants[0] if self.cases else None,
            "warnings": self.warnings,
            "items": [
                {
                    "variant": case.variant,
                    "workload": case.workload,
                    "changes": list(case.changes),
                    "ratios": self.ratios(case),
                    "result": case.result.to_dict(),
                }
                for case in self.cases
            ],
        }

    def _repr_html_(self) -> str:
        from wordline.report.tables import comparison_table

        warnings = _warnings_html(self.warnings)
        return warnings + "".join(comparison_table(self, load) for load in self.workloads)


_NAMED = 2  # runs that a warning names before it only counts


def warnings_of(cases: Sequence[Case]) -> list[tuple[str, str]]:
    """What a reader must know first: each warning once, and which runs it concerns."""
    found: dict[str, list[str]] = {}
    for case in cases:
        for warning in case.result["warnings"]:
            found.setdefault(warning, []).append(f"{case.variant}, {case.workload}")
    return [(warning, _concerned(names, len(cases))) for warning, names in found.items()]


def _concerned(names: list[str], runs: int) -> str:
    if runs == 1:
        return ""
    if len(names) == runs:
        return "in every run"
    more = f"; and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"in {len(names)} of {runs} runs: {'; '.join(names[:_NAMED])}{more}"
