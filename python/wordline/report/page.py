"""The page: verdict, comparison, charts, configuration and the command that repeats it."""

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from wordline import _native
from wordline.figures import tenants
from wordline.figures.caveats import warnings_of
from wordline.figures.comparison_view import Case, Comparison, Outcome
from wordline.report import charts, drawing, glance, heading, tables, verdict
from wordline.report.drawing import Chart

_CODE, _AS_CODE = re.compile("`([^`]*)`"), r"<code>\1</code>"
_PART = re.compile("<section id='([^']*)'><h2>(.*?)</h2>")
_LONG = 5  # parts from which on a page has contents
_UNFOLDED = 3  # workloads at most; of more, the first one's charts stand open


def render(result: Outcome | Comparison) -> str:
    """A report as one HTML file that loads nothing from anywhere."""
    if isinstance(result, Outcome):
        title = heading.of_cases([Case("", result.workload.name, result)])
        return document(escape(f"Run: {title}"), _of_run(result))
    title = heading.of_cases(result.cases) if result.cases else "nothing was run"
    return document(escape(f"Comparison: {title}"), _of_comparison(result))


def _of_run(result: Outcome) -> Iterable[str]:
    case = Case("this drive", result.workload.name, result)
    first = [chart for chart in (glance.of_run(result), charts.causes([case])) if chart]
    yield findings(verdict.of_run(result))
    yield section("At a glance", figures(first))
    yield warning_box(warnings_of([case]))
    yield section("Figures", tables.run_table(result))
    yield _streams([case])
    yield _placement([case])
    yield _arrays([case])
    told = {chart.title for chart in first}
    yield section("Charts", figures(c for c in charts.of_cases([case]) if c.title not in told))
    yield _techniques(result.workload.name, [case])
    yield section("Configuration", _configuration(case))
    yield _repeat(["wordline run config.toml"], result)


def _of_comparison(comparison: Comparison) -> Iterable[str]:
    yield findings(verdict.of_comparison(comparison))
    pictures = (glance.of_comparison(comparison, group) for group in comparison.groups)
    yield section("At a glance", figures(picture for picture in pictures if picture))
    yield warning_box(
        [*((told, "") for told in comparison.warnings), *warnings_of(comparison.cases)]
    )
    workloads = comparison.workloads
    both = "".join(tables.comparison_table(comparison, workload) for workload in workloads)
    yield section("Comparison", both)
    if comparison.effects:
        caption = f"Ratios to {comparison.variants[0]}, in pairs of equal seed"
        yield section("Beyond chance", tables.effects(caption, comparison.effects))
    for number, workload in enumerate(workloads):
        folds = len(workloads) > _UNFOLDED and number > 0
        yield _of_workload(workload, comparison.of(workload), len(workloads), folds)
    drives = [comparison.of(group[0]) for group in comparison.groups]
    shown = (tables.differences(cases) + _configuration(cases[0]) for cases in drives)
    yield section("Configuration", "".join(shown))
    again = [f"wordline run runs/{n}/config.toml" for n in range(len(comparison.cases))]
    yield _repeat(again, comparison.cases[0].result)


def _of_workload(workload: str, cases: Sequence[Case], workloads: int, folds: bool) -> str:
    """What is known of the drives under one workload; one that folds is drawn when it is opened."""
    charts_of_it = figures(charts.of_cases(cases, workloads))
    more = "".join(of(cases) for of in (_tenants, _streams, _placement, _arrays)) + _techniques(
        workload, cases
    )
    if not folds:
        return section(workload, charts_of_it) + more
    return f"<details><summary><h2>{escape(workload)}</h2></summary>{charts_of_it}{more}</details>"


def warning_box(warnings: Iterable[tuple[str, str]]) -> str:
    """What must be known before anything is believed, under one line, with what it concerns."""
    items = [
        f"<li><strong>{_CODE.sub(_AS_CODE, escape(warning))}</strong> "
        f"<small>{escape(concerned)}</small>"
        for warning, concerned in warnings
    ]
    if not items:
        return ""
    count = f"{len(items)} warning{'s' if len(items) > 1 else ''}"
    return (
        f"<aside role='note'><details><summary><strong>{count}</strong></summary>"
        f"<ul>{''.join(items)}</ul></details></aside>"
    )


def findings(sentences: Sequence[str]) -> str:
    """What a page begins with; nothing where nothing was found."""
    if not sentences:
        return ""
    items = "".join(f"<li>{escape(sentence)}" for sentence in sentences)
    return section("Verdict", f"<ul>{items}</ul>")


def section(title: str, body: str) -> str:
    """A part of the page."""
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return f"<section id='{name}'><h2>{escape(title)}</h2>{body}</section>"


def _contents(sections: Sequence[str]) -> str:
    """Links to the parts of a long page."""
    parts = dict(part for text in sections for part in _PART.findall(text))
    if len(parts) < _LONG:
        return ""
    links = "".join(f"<li><a href='#{name}'>{title}</a>" for name, title in parts.items())
    return f"<nav aria-label='Contents'><ul>{links}</ul></nav>"


def figures(shown: Iterable[Chart]) -> str:
    """Charts side by side."""
    return f"<div class='charts'>{''.join(map(_figure, shown))}</div>"


def _figure(chart: Chart) -> str:
    title = escape(chart.title)
    saves = "".join(
        f"<button type='button' data-save='{kind}' aria-label='Save {title} as {kind.upper()}'>"
        f"{kind.upper()}</button>"
        for kind in ("svg", "png")
    )
    return (
        f"<figure><h3>{title}</h3><div class='chart'>"
        f"<script type='application/json'>{in_script(chart.spec)}</script></div>"
        f"<figcaption>{escape(chart.caption)}</figcaption><div class='tools'>"
        "<button type='button' aria-expanded='false'>Show as a table</button>"
        f"{saves}</div></figure>"
    )


def _streams(cases: Sequence[Case]) -> str:
    streams = ((case.variant, case.result.host.streams) for case in cases)
    body = "".join(tables.streams_table(name, of) for name, of in streams if of)
    return section("Streams", body) if body else ""


def _tenants(cases: Sequence[Case]) -> str:
    drives = [(case.variant, tenants.of(case.result, case.alone)) for case in cases if case.alone]
    return section("Tenants", tables.tenants_tables(drives)) if drives else ""


def _placement(cases: Sequence[Case]) -> str:
    told = ((case.variant, case.result) for case in cases)
    body = "".join(
        tables.placement_table(name, of.host.fdp, of.capacity.unit_bytes)
        for name, of in told
        if of.host.fdp
    )
    return section("Placement", body) if body else ""


def _arrays(cases: Sequence[Case]) -> str:
    arrays = ((case.variant, case.result["array"]) for case in cases)
    body = "".join(tables.array_tables(name, array) for name, array in arrays if array)
    return section("Arrays", body) if body else ""


def _techniques(workload: str, cases: Sequence[Case]) -> str:
    body = tables.technique_table(workload, cases)
    return section("Reported by the techniques", body) if body else ""


def _configuration(case: Case) -> str:
    text = escape(case.result.config_toml)
    title = f"Resolved configuration of {escape(case.variant)}"
    return f"<details><summary>{title}</summary><pre>{text}</pre></details>"


def _repeat(commands: Sequence[str], result: Outcome) -> str:
    lines = escape("\n".join(commands))
    version = f"Wordline {escape(result['wordline'])}, seed {result['seed']}."
    note = f"<p>From this folder; the same configuration gives the same bits. {version}</p>"
    return section("To repeat", f"{note}<pre>{lines}</pre>")


def in_script(data: Any) -> str:
    """JSON that cannot end the script element around it."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def document(title: str, sections: Iterable[str]) -> str:
    """A whole page; `title` and `sections` are HTML already."""
    parts = list(sections)
    return Template(asset("page.html")).substitute(
        title=title,
        version=_native.VERSION,
        style=asset("style.css"),
        body="\n".join([_contents(parts), *parts]),
        vega=asset("vega.js"),
        paper=in_script(drawing.PAPER),
        script=asset("page.js"),
    )


def asset(name: str) -> str:
    """A file that reports are made of."""
    return files("wordline.report").joinpath(name).read_text(encoding="utf-8")
