"""What verbs print: tables for people, JSON for machines, warnings for both."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from wordline.components import catalogue
from wordline.facts import (
    array_facts,
    latency_breakdown,
    placement_facts,
    stream_facts,
    technique_facts,
    tenant_facts,
)
from wordline.figures import metrics
from wordline.figures.significance import Effect
from wordline.figures.tenants import Tenants
from wordline.native.types.record import Named
from wordline.native.types.run import ArraySummary
from wordline.results.result import Case, Comparison, Result

_PIPE_WIDTH = 140  # columns where standard output is no terminal
_ANY_WIDTH = 1000  # columns, when a table is asked how wide it would like to be
_ITEM_WIDTH, _ID_WIDTH = 60, 20  # columns for the figures of a check, and at least for its id
_LARGE = 1e7  # larger bounds are written with an exponent
_TOLD = ("summary", "drive", "year", "columns", "time_unit", "source", "contradiction", "figures",
         "field", "fields", "command")  # fmt: skip
_STYLES = {"deviates": "bold red", "inconclusive": "yellow", "skipped": "yellow"}


class _Console(Console):
    """One that leaves a closed pipe to whoever sets the exit status."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console() -> Console:
    """Standard output."""
    return _Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False)


def show(title: str, table: Table) -> None:
    """Prints a table; one that cannot be squeezed any further is wider than the terminal."""
    out = console()
    if title:
        out.print(title, style="bold", markup=False)
    out.print(table, width=max(out.width, _widths(out, table).minimum), crop=False)
    out.print()


def _widths(out: Console, table: Table) -> Measurement:
    return Measurement.get(out, out.options.update(max_width=_ANY_WIDTH), table)


def grid(columns: Iterable[str | Text], figures: bool = False) -> Table:
    """An empty table; with `figures`, all columns but the first hold numbers, which never fold."""
    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
        header_style="dim",
    )
    for number, name in enumerate(columns):
        right = figures and number > 0
        justify = "right" if right else "left"
        vertical = "bottom" if figures else "top"
        table.add_column(name, justify=justify, no_wrap=right, overflow="fold", vertical=vertical)
    table.show_header = any(column.header for column in table.columns)
    return table


def quantities(rows: Iterable[Sequence[str]] = ()) -> Table:
    """A table without heads, of labels, values and units."""
    table = grid(("", "", ""))
    table.columns[1].justify = "right"
    for row in rows:
        table.add_row(*row)
    return table


def show_run(result: Result) -> None:
    """Prints a run's figures, those that were measured."""
    table = quantities()
    for metric in metrics.shown([result]):
        value = metric.of(result)
        if value is not None:
            table.add_row(metric.label, metrics.figure(value), metric.unit)
    speed = result.simulator.flash_ops_per_s
    table.add_row("simulator", metrics.figure(speed), "flash operations/s", style="dim")
    show(f"{result.workload.name}, {result.workload.requests:,} requests{_default(result)}", table)
    _show_techniques([("", result)])
    if result.host.streams:
        _show_streams(result)
    if result.host.fdp:
        _show_placement(result)
    if result["breakdown"]:
        _show_waits(result)
    if result["array"]:
        _show_array(result["array"])


def _default(result: Result) -> str:
    """A line on the workload that runs where none is named; none on others."""
    work, config = result.workload, result.config
    is_default = config["workload"]["source"] == catalogue.default("workload", "source")
    if not is_default or config["host"]["mode"] != "open" or not work.arrival_span_s:
        return ""
    rate, reads = work.requests / work.arrival_span_s, 100 * work.reads / work.requests
    told = f"{rate:.0f} requests a second, {reads:.0f} % reads"
    return f"\nthe default workload: {told}; --workload names another"


def _show_techniques(results: Sequence[tuple[str, Result]]) -> None:
    """Prints what techniques counted that decides their gain, a row for each drive that has one."""
    told = [(name, technique_facts.of(result)) for name, result in results]
    for technique, facts in technique_facts.FACTS.items():
        heads = (f"{fact.label}\n{fact.unit}" for fact in facts)
        table = grid(("", *heads), figures=True)
        for name, of in told:
            if technique in of:
                table.add_row(_plain(name), *of[technique])
        if table.rows:
            show(technique, table)


def _show_streams(result: Result) -> None:
    """Prints a row for each stream."""
    table = grid((f"{name}\n{unit}".rstrip() for name, unit in stream_facts.HEADS), True)
    for row in stream_facts.rows(result.host.streams):
        table.add_row(*map(_plain, row))
    show("The streams", table)


def _show_placement(result: Result) -> None:
    """Prints a row for each reclaim unit handle."""
    told = result.host.fdp
    if told:
        table = grid((f"{name}\n{unit}".rstrip() for name, unit in placement_facts.HEADS), True)
        for row in placement_facts.rows(told, result.capacity.unit_bytes):
            table.add_row(*row)
        show(f"Reclaim unit handles\n{placement_facts.sentence(told)}", table)


def _show_waits(result: Result) -> None:
    """Prints of what mean latencies consist, a row a part."""
    table = grid(("", "read", "write"), True)
    reads, writes = (latency_breakdown.of(result, kind) for kind in ("read", "write"))
    for name in latency_breakdown.PARTS:
        if reads[name] or writes[name]:
            table.add_row(name, *(metrics.figure(side[name]) for side in (reads, writes)))
    show("Mean latencies by part, µs", table)


def _show_array(array: ArraySummary) -> None:
    """Prints an array's figures, and a row for each of its drives."""
    show("The array", quantities(array_facts.figures(array)))
    table = grid((f"{name}\n{unit}".rstrip() for name, unit in array_facts.DRIVE_HEADS), True)
    for number in (1, 2):
        table.columns[number].justify = "left"
    for row in array_facts.drives(array):
        table.add_row(*row)
    show("Its drives: written for what, and mean latencies of the array's requests", table)


def show_comparison(comparison: Comparison, workload: str) -> None:
    """Prints the variants on one workload, a column each: figures, and ratios to the first.

    What does not fit beside one another stands below.
    """
    first, *others = cases = comparison.of(workload)
    known = [m for m in metrics.shown([case.result for case in cases]) if m.brief]
    ratios = [comparison.ratios(case) for case in others]
    alike = [m for m in known if metrics.is_same(m, ratios)]
    shown = [m for m in known if m not in alike]
    same = (f"{m.label} {metrics.figure(m.of(first.result))} {m.unit}".rstrip() for m in alike)
    note = f"; the same for all: {', '.join(same)}" if alike else ""
    title = f"{workload}\n(× is relative to {first.variant}{note})"
    results = [(case.variant, case.result) for case in cases]
    while cases:
        fitting = _fitting(comparison, cases, shown)
        show(title, _comparison_table(comparison, cases[:fitting], shown))
        title, cases = "", cases[fitting:]
    _show_techniques(results)
    tenants = [(case.variant, case.tenants) for case in comparison.of(workload)]
    _show_tenants([(drive, of) for drive, of in tenants if of])


def _show_tenants(drives: Sequence[tuple[str, Tenants]]) -> None:
    """Prints how tenants fare beside one another, a row each, and what that makes of drives."""
    told = (
        ("Tenants beside one another and alone", tenant_facts.HEADS, tenant_facts.rows),
        (
            "Drives by the slowdowns of their tenants",
            tenant_facts.JUDGED_HEADS,
            tenant_facts.judged,
        ),
    )
    for title, heads, rows in told if drives else ():
        table = grid((f"{name}\n{unit}".rstrip() for name, unit in heads), figures=True)
        for row in rows(drives):
            table.add_row(*map(_plain, row))
        show(title, table)


def _fitting(comparison: Comparison, cases: Sequence[Case], shown: Sequence[metrics.Metric]) -> int:
    """How many of the drives fit beside one another, at least one."""
    out = console()
    tables = (
        (n, _comparison_table(comparison, cases[:n], shown)) for n in range(len(cases), 1, -1)
    )
    return next((n for n, table in tables if _widths(out, table).maximum <= out.width), 1)


def _comparison_table(
    comparison: Comparison, cases: Sequence[Case], shown: Sequence[metrics.Metric]
) -> Table:
    baseline = comparison.of(cases[0].workload)[0]
    table = grid(("", "", *(_plain(case.variant) for case in cases)), figures=True)
    table.columns[1].justify = "left"
    ratios = [{} if case is baseline else comparison.ratios(case) for case in cases]
    for metric in shown:
        cells = (
            _cell(metric.of(case.result), of.get(metric.key), case is baseline)
            for case, of in zip(cases, ratios, strict=True)
        )
        table.add_row(metric.label, metric.unit, *cells)
    return table


def _cell(value: float | None, ratio: float | None, is_baseline: bool) -> str:
    shown = metrics.figure(value)
    return shown if is_baseline else f"{shown} {metrics.change(ratio):>5}"


def show_effects(title: str, effects: Iterable[Effect]) -> None:
    """Shows drives against the first one, and what is beyond chance."""
    table = grid(("drive", "workload", "figure", "ratio", "interval", "beyond chance"))
    for effect in effects:
        ratio = metrics.change(effect.ratio.mean)
        cells = (effect.variant, effect.workload, effect.metric.label, ratio)
        table.add_row(*cells, effect.interval, effect.verdict)
    show(title, table)


def show_catalogue(kind: str, entries: Iterable[Mapping[str, Any]]) -> None:
    """Prints names and what they are."""
    listed = list(entries)
    with_years = any(entry.get("year") for entry in listed)
    table = grid(("name", *(["year"] if with_years else []), ""))
    for entry in listed:
        told = [entry[key] for key in ("summary", "drive") if entry.get(key)]
        year = [str(entry.get("year", ""))] if with_years else []
        table.add_row(_plain(entry["name"]), *year, _plain("\n".join(told)))
    show(kind, table)


def show_policies(slots: Iterable[Mapping[str, Any]]) -> None:
    """Prints the slots for policies, and what fits each."""
    table = grid(("key", "policies", ""))
    for slot in slots:
        table.add_row(slot["key"], _plain(", ".join(slot["names"])), _plain(slot["help"]))
    show("policies", table)


def describe(entry: Mapping[str, Any]) -> None:
    """Prints an entry of the catalogue: what it is, its parameters, its values with sources."""
    out = console()
    out.print(f"{entry['name']} ({entry['kind']})", style="bold", markup=False)
    for key in _TOLD:
        if entry.get(key):
            label = "" if key in ("summary", "drive") else f"{key.replace('_', ' ')}: "
            text = metrics.shown_unit(entry[key]) if key == "time_unit" else entry[key]
            out.print(f"{label}{text}", markup=False)
    if entry.get("key"):
        out.print(f"chosen by: {entry['key']} = {json.dumps(entry['name'])}", markup=False)
    if entry.get("params"):
        show("", _params_table(entry["params"]))
    if entry.get("values"):
        show("", _values_table(entry["values"]))


def _params_table(params: Iterable[Mapping[str, Any]]) -> Table:
    table = grid(("key", "default", "range", "what it does"))
    for param in params:
        source = f" [{param['source']}]" if param["source"] else ""
        default = param["default"]
        shown = default if isinstance(default, str) else json.dumps(default)
        bounds = f"{_range(param['kind'])} {metrics.shown_unit(param['unit'])}".rstrip()
        table.add_row(*map(_plain, (param["key"], shown, bounds, param["help"] + source)))
    table.columns[0].no_wrap = True
    return table


def _values_table(values: Iterable[Mapping[str, Any]]) -> Table:
    table = grid(("key", "value", "source"))
    for value in values:
        cells = (value["key"], json.dumps(value["value"]), value["source"])
        table.add_row(*map(_plain, cells))
    return table


def _range(kind: Any) -> str:
    """What a parameter may hold."""
    if isinstance(kind, str):
        texts = {"bool": "true, false", "text": "any text", "texts": "a list of texts"}
        return texts.get(kind, kind)
    ((name, bounds),) = kind.items()
    if name == "one_of":
        return ", ".join(bounds)
    if name == "one_of_or":
        names, low, high = bounds
        return f"{', '.join(names)}, or {_bound(low)} to {_bound(high)}"
    low, high = bounds
    suffix = {"floats": ", or one per page type", "ints": ", a list of them"}.get(name, "")
    return f"{_bound(low)} to {_bound(high)}{suffix}"


def _bound(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and value < _LARGE else f"{value:.3g}"


def show_items(items: Sequence[Named]) -> None:
    """Prints comparisons with references, and below them what must be known of some."""
    columns = ("check", "reference", "ours", "deviation", "within", "status")
    table = grid(columns, figures=True)
    table.columns[-1].justify = "left"
    room = max(_ID_WIDTH, console().width - _ITEM_WIDTH)
    for item in items:
        style = _STYLES.get(item["status"], "")
        cells = (
            fold_id(item["id"], room),
            _with_unit(item["reference"], item["unit"]),
            metrics.figure(item["ours"]),
            *metrics.deviation(item),
            item["status"],
        )
        table.add_row(*map(_plain, cells), style=style)
    show("", table)
    _show_notes(items)


def _show_notes(items: Iterable[Named]) -> None:
    """Prints each note once, with the checks that it concerns."""
    noted: dict[tuple[str, str], list[str]] = {}
    for item in items:
        if item["note"]:
            noted.setdefault((item["note"], item["status"]), []).append(item["id"])
    for (note, status), ids in noted.items():
        more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
        style = _STYLES.get(status, "dim")
        console().print(f"{status}: {ids[0]}{more}: {note}", style=style, markup=False)


def fold_id(name: str, width: int) -> str:
    """An id in lines of at most `width` where its parts allow it: it is folded at slashes only."""
    lines = [""]
    for part in name.replace("/", "/\0").split("\0"):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _with_unit(value: float | None, unit: str) -> str:
    shown = metrics.figure(value)
    return shown if value is None else f"{shown} {metrics.shown_unit(unit)}".rstrip()


def _plain(text: str) -> Text:
    """Text whose brackets are no markup."""
    return Text(text)
