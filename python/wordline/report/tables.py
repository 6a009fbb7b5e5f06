"""Tables of a report, as accessible HTML."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from wordline.facts import array_facts, placement_facts, stream_facts, tenant_facts
from wordline.figures import metrics
from wordline.figures.comparison_view import Case, Comparison, Outcome
from wordline.figures.metrics import Metric, change, figure
from wordline.figures.significance import Effect
from wordline.figures.tenants import Tenants
from wordline.native.types.run import ArraySummary, FdpSummary, StreamSummary


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column names the rows; cells are HTML already."""
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in heads)
    body = "".join(
        f"<tr><th scope='row'>{first}</th>{''.join(f'<td>{cell}</td>' for cell in rest)}</tr>"
        for first, *rest in rows
    )
    return (
        f"<div class='scroll' tabindex='0'><table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def run_table(result: Outcome) -> str:
    """A run's figures, those that were measured."""
    rows = [
        (escape(metric.label), figure(value), escape(metric.unit))
        for metric in metrics.shown([result])
        if (value := metric.of(result)) is not None
    ]
    return table(result.workload.name, ("figure", "value", "unit"), rows)


def comparison_table(comparison: Comparison, workload: str) -> str:
    """The variants on one workload, a column each: figures, and ratios to the first."""
    first, *others = cases = comparison.of(workload)
    results = [case.result for case in cases]

    def row(metric: Metric) -> Iterator[str]:
        yield escape(f"{metric.label} ({metric.unit})" if metric.unit else metric.label)
        yield figure(metric.of(first.result))
        for case in others:
            same_work = metrics.same_work([first.result, case.result])
            yield _cell(metric, metric.of(case.result), comparison.ratios(case), same_work)

    heads = ["figure", *(case.variant for case in cases)]
    ratios = [comparison.ratios(case) for case in others]
    known = metrics.shown(results)
    alike = [metric for metric in known if metrics.is_same(metric, ratios)]
    told = (f"{m.label} {figure(m.of(first.result))} {m.unit}".rstrip() for m in alike)
    same = f"; the same for all: {', '.join(told)}" if alike else ""
    caption = f"{workload}; ratios to {first.variant}{same}"
    return table(caption, heads, (list(row(m)) for m in known if m not in alike))


def _cell(
    metric: Metric, value: float | None, ratios: Mapping[str, float | None], same_work: bool
) -> str:
    ratio = ratios.get(metric.key)
    if ratio is None:
        return figure(value)
    judged = metrics.judge(metric, ratio, same_work)
    return f"{figure(value)} <span class='{judged}'>{change(ratio)}</span>"


def technique_table(caption: str, cases: Sequence[Case]) -> str:
    """What the techniques themselves report, a column a drive; empty where none reports."""
    reports = [dict(flat(case.result["technique"].to_dict())) for case in cases]
    names = list(dict.fromkeys(name for report in reports for name in report))
    rows = [
        (f"<code>{escape(name)}</code>", *(_reported(report.get(name)) for report in reports))
        for name in names
    ]
    return table(caption, ["", *(case.variant for case in cases)], rows) if rows else ""


def _reported(value: Any) -> str:
    if value is None or (isinstance(value, float | int) and not isinstance(value, bool)):
        return figure(value)
    return escape(str(value))


def array_tables(caption: str, array: ArraySummary) -> str:
    """An array's figures, and a row for each of its drives."""
    heads = [f"{name} ({unit})" if unit else name for name, unit in array_facts.DRIVE_HEADS]
    whole = [tuple(map(escape, row)) for row in array_facts.figures(array)]
    each = [tuple(map(escape, row)) for row in array_facts.drives(array)]
    return table(f"{caption}: the array", ("figure", "value", "unit"), whole) + table(
        f"{caption}: its drives", heads, each
    )


def streams_table(caption: str, streams: Iterable[StreamSummary]) -> str:
    """A row for each stream that has a queue of its own."""
    heads = [f"{name} ({unit})" if unit else name for name, unit in stream_facts.HEADS]
    rows = (tuple(map(escape, row)) for row in stream_facts.rows(streams))
    return table(f"{caption}: the streams", heads, rows)


def tenants_tables(drives: Sequence[tuple[str, Tenants]]) -> str:
    """A row for each drive, and one for each tenant of it."""
    told = (
        (
            "Drives by the slowdowns of their tenants",
            tenant_facts.JUDGED_HEADS,
            tenant_facts.judged,
        ),
        ("Tenants beside one another and alone", tenant_facts.HEADS, tenant_facts.rows),
    )
    return "".join(
        table(
            caption,
            [f"{name} ({unit})" if unit else name for name, unit in heads],
            (tuple(map(escape, row)) for row in rows(drives)),
        )
        for caption, heads, rows in told
    )


def placement_table(caption: str, told: FdpSummary, unit_bytes: int) -> str:
    """A row for each reclaim unit handle."""
    heads = [f"{name} ({unit})" if unit else name for name, unit in placement_facts.HEADS]
    rows = placement_facts.rows(told, unit_bytes)
    note = f"<p>{escape(placement_facts.sentence(told))}</p>"
    return table(f"{caption}: reclaim unit handles", heads, rows) + note


def differences(cases: Sequence[Case]) -> str:
    """The keys in which each drive differs from the first."""
    first = cases[0]
    base = dict(flat(first.result["config"].to_dict()))
    rows = []
    for case in cases[1:]:
        changed = [
            f"<code>{escape(key)} = {escape(str(value))}</code>"
            for key, value in flat(case.result["config"].to_dict())
            if base.get(key) != value
        ]
        rows.append((escape(case.variant), "<br>".join(changed) or "nothing"))
    return table(f"What differs from {first.variant}", ("drive", "keys"), rows)


def flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every key of nested tables as a dotted path, with its value."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def effects(caption: str, found: Iterable[Effect]) -> str:
    """Drives against the first one, figure by figure, and what is beyond chance."""
    told = [
        (
            escape(effect.variant),
            escape(effect.workload),
            escape(effect.metric.label),
            metrics.change(effect.ratio.mean),
            effect.interval,
            _colored(effect),
        )
        for effect in found
    ]
    caption += "; intervals of 95 %; differences judged together by Holm's procedure"
    heads = ("drive", "workload", "figure", "ratio", "interval", "beyond chance")
    return table(caption, heads, told)


def _colored(effect: Effect) -> str:
    if effect.ratio.chance is None:
        return effect.verdict
    is_better = (effect.ratio.mean < 1) == (effect.metric.better == "lower")
    kind = "same" if not effect.is_beyond_chance else "better" if is_better else "worse"
    return f"<b class='{kind}'>{effect.verdict}</b>"
