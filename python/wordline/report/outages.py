"""The page of power cuts: what was lost and how long restarts took, a column for each drive."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from wordline.native.types.power import CutReport, Loss
from wordline.report import page, tables

Figures = Sequence[tuple[str, str, str]]


def render(
    title: str, reports: Mapping[str, CutReport], figures: Mapping[str, Figures], again: str
) -> str:
    """A report of cuts as one HTML file that loads nothing from anywhere."""
    return page.document(f"Power cuts: {escape(title)}", _sections(reports, figures, again))


def warnings(reports: Mapping[str, CutReport]) -> list[str]:
    """What must be known before the cuts are believed, once each."""
    return list(dict.fromkeys(told for report in reports.values() for told in report.warnings))


def _sections(
    reports: Mapping[str, CutReport], figures: Mapping[str, Figures], again: str
) -> Iterator[str]:
    yield page.warning_box((warning, "") for warning in warnings(reports))
    items = "".join(f"<li>{escape(_verdict(name, it))}" for name, it in reports.items())
    yield page.section("Verdict", f"<ul>{items}</ul>")
    first = next(iter(figures.values()))
    rows = [
        (
            escape(f"{label} ({unit})" if unit else label),
            *(escape(of_drive[at][1]) for of_drive in figures.values()),
        )
        for at, (label, _, unit) in enumerate(first)
    ]
    yield page.section("Figures", tables.table("of each drive", ("", *figures), rows))
    for name, report in reports.items():
        if report.losses:
            yield page.section(f"First losses of {name}", _losses(report.losses))
    yield page.section("To repeat", f"<pre>{escape(again)}</pre>")


def _verdict(name: str, report: CutReport) -> str:
    losing = report.losing_cuts + report.losing_double_cuts
    made = report.cuts + report.double_cuts
    if losing:
        return f"{name}: {losing:,} of {made:,} cuts lost data that a flush had promised."
    return f"{name}: {made:,} cuts, and nothing was lost that a flush had promised."


def _losses(losses: Sequence[Loss]) -> str:
    heads = ("cut", "during", "command", "requests", "logical unit", "promised", "found")
    rows = [
        tuple(
            escape(str(value))
            for value in (
                it.cut, it.moment, it.command, it.requests, it.lpn, it.promised,
                it.found or "nothing",
            )
        )
        for it in losses
    ]  # fmt: skip
    return tables.table("Versions are counted from 1.", heads, rows)
