"""What verbs print: tables for people, JSON for machines, warnings for both."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from wordline import metrics
from wordline.result import Case, Comparison, Result, warnings_of

_PIPE_WIDTH = 140  # columns where standard output is no terminal


def console() -> Console:
    """Standard output."""
    return Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False)


def print_json(data: Any) -> None:
    """Prints `data` as the only thing on standard output."""
    json.dump(data, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")


def warn(cases: Sequence[Case]) -> None:
    """Prints what a reader must know before believing the figures."""
    stderr = Console(stderr=True, highlight=False)
    for warning, concerned in warnings_of(cases):
        where = f" ({concerned})" if concerned else ""
        stderr.print(f"warning: {warning}{where}", style="bold yellow", markup=False)


def grid(title: str, columns: Iterable[str], right: bool = False) -> Table:
    """An empty table; `right` aligns all but the first column to the right."""
    table = Table(title=title, title_justify="left", title_style="bold", header_style="dim")
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if right and number else "left", overflow="fold")
    return table


def run_table(result: Result) -> Table:
    """A run's figures, those that were measured."""
    table = grid(f"{result.workload.name}, {result.workload.requests:,} requests", ("", "", ""))
    table.show_header = False
    table.columns[1].justify = "right"
    for metric in metrics.METRICS:
        value = metric.of(result)
        if value is not None:
            table.add_row(metric.label, metrics.figure(value), metric.unit)
    speed = result.simulator.flash_ops_per_s
    table.add_row("simulator", metrics.figure(speed), "flash operations/s", style="dim")
    return table


def comparison_table(comparison: Comparison, workload: str) -> Table:
    """The variants on one workload: figures, and ratios to the first."""
    cases = comparison.of(workload)
    shown = [m for m in metrics.METRICS if m.brief and any(m.of(c.result) for c in cases)]
    heads = [f"{m.label}\n{m.unit}" for m in shown]
    table = grid(f"{workload} (ratios to {cases[0].variant})", ("", *heads), right=True)
    for case in cases:
        ratios = comparison.ratios(case) if case is not cases[0] else {}
        cells = (
            f"{metrics.figure(m.of(case.result))} {metrics.change(ratios.get(m.key))}".strip()
            for m in shown
        )
        table.add_row(case.variant, *cells)
    return table


def catalogue_table(kind: str, entries: Iterable[Mapping[str, Any]]) -> Table:
    """Names and what they are."""
    table = grid(kind, ("name", ""))
    for entry in entries:
        table.add_row(_plain(entry["name"]), _plain(entry.get("summary", "")))
    return table


def policy_table(slots: Iterable[Mapping[str, Any]]) -> Table:
    """The slots for policies, and what fits each."""
    table = grid("policies", ("key", "policies", ""))
    for slot in slots:
        table.add_row(slot["key"], _plain(", ".join(slot["names"])), _plain(slot["help"]))
    return table


def describe(entry: Mapping[str, Any]) -> None:
    """Prints an entry of the catalogue: what it is, its parameters, its values with sources."""
    out = console()
    out.print(f"{entry['name']} ({entry['kind']})", style="bold", markup=False)
    for key in ("summary", "columns", "time_unit", "source"):
        if entry.get(key):
            label = "" if key == "summary" else f"{key.replace('_', ' ')}: "
            out.print(f"{label}{entry[key]}", markup=False)
    if entry.get("key"):
        out.print(f"chosen by: {entry['key']} = {json.dumps(entry['name'])}", markup=False)
    if entry.get("params"):
        out.print(_params_table(entry["params"]))
    if entry.get("values"):
        out.print(_values_table(entry["values"]))


def _params_table(params: Iterable[Mapping[str, Any]]) -> Table:
    table = grid("", ("key", "default", "unit", "range", "what it does"))
    for param in params:
        source = f" [{param['source']}]" if param["source"] else ""
        default = param["default"]
        shown = default if isinstance(default, str) else json.dumps(default)
        cells = (param["key"], shown, param["unit"], _range(param["kind"]), param["help"] + source)
        table.add_row(*map(_plain, cells))
    return table


def _values_table(values: Iterable[Mapping[str, Any]]) -> Table:
    table = grid("", ("key", "value", "source"))
    for value in values:
        cells = (value["key"], json.dumps(value["value"]), value["source"])
        table.add_row(*map(_plain, cells))
    return table


def _range(kind: Any) -> str:
    """What a parameter may hold."""
    if isinstance(kind, str):
        return {"bool": "true, false", "text": "any text"}.get(kind, kind)
    ((name, bounds),) = kind.items()
    if name == "one_of":
        return ", ".join(bounds)
    low, high = bounds
    suffix = ", or one per page type" if name == "floats" else ""
    return f"{low:g} to {high:g}{suffix}"


def items_table(items: Iterable[Mapping[str, Any]]) -> Table:
    """Comparisons with references."""
    columns = ("id", "reference", "ours", "deviation", "tolerance", "status", "note")
    table = grid("", columns)
    for item in items:
        style = {"deviates": "bold red", "skipped": "yellow"}.get(item["status"], "")
        deviation = "–" if item["deviation"] is None else f"{item['deviation']:+.2%}"
        cells = (
            item["id"],
            f"{metrics.figure(item['reference'])} {item['unit']}",
            f"{metrics.figure(item['ours'])} {item['unit']}",
            deviation,
            f"{item['tolerance']:.2%}",
            item["status"],
            item["note"],
        )
        table.add_row(*map(_plain, cells), style=style)
    return table


def _plain(text: str) -> Text:
    """Text whose brackets are no markup."""
    return Text(text)
