"""The verb `trace info`."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from wordline import traces
from wordline.cli import output, plain, plots, progress
from wordline.cli.options import Mode
from wordline.facts import trace_facts
from wordline.facts.trace_facts import Section
from wordline.native.types.trace import TraceInfo, VolumeStats
from wordline.persistence import files

_BAR_WIDTH = 24  # columns at most
_SPARK_WIDTH = 100  # columns at most
_SIZE_FIGURES = 34  # columns beside the two bars
_VOLUMES = 20  # shown at most; machines get them all


def info(
    workload: str,
    trace_format: str | None,
    sort: bool,
    sample: float,
    memory_mib: int,
    html: Path | None,
    progress_mode: Mode | None,
    as_json: bool,
) -> None:
    """Shows what a workload holds."""
    with progress.shown(progress_mode) as start:
        update = start(workload)
        found = traces.trace_info(
            workload,
            trace_format=trace_format,
            sort=sort,
            sample=sample,
            memory_mib=memory_mib,
            progress=update,
        )
        update("done", found.total.requests.total, None, 0)
    plain.warn_of((warning, "") for warning in found.warnings)
    if html:
        from wordline.report import trace

        files.write(html, trace.render(found))
    if as_json:
        plain.print_json(found.to_dict())
        return
    show(found)
    if html:
        output.console().print(f"report: {html}", markup=False, soft_wrap=True)


def show(found: TraceInfo) -> None:
    """Prints tables and small plots."""
    out = output.console()
    table = output.grid(("", ""))
    for name, value in trace_facts.about(found):
        table.add_row(name, Text(value))
    output.show(f"{found.workload}: {found.total.requests.total:,} requests", table)
    for section in trace_facts.sections(found.total):
        _show_section(out, section)
    _show_sizes(out, found.total)
    _show_courses(out, found)
    if len(found.volumes) > 1:
        _show_volumes(found)


def _plain(out: Console) -> bool:
    """Whether the terminal can show ASCII alone."""
    return not out.encoding.lower().startswith("utf")


def _show_section(out: Console, section: Section) -> None:
    drawn = any(row.share is not None for row in section.rows)
    table = output.grid(("", *section.heads, *([""] if drawn else [])), figures=True)
    table.show_header = any(section.heads)
    if drawn:
        table.columns[-1].justify = "left"
    names = max(len(row.name) for row in section.rows)
    values = max(len(value) for row in section.rows for value in row.values)
    room = max(0, min(_BAR_WIDTH, out.width - names - values - 4))
    for row in section.rows:
        bar = [] if not drawn else [plots.bar(row.share or 0, room, _plain(out))]
        table.add_row(Text(row.name), *row.values, *bar)
    output.show(section.title, table)


def _show_sizes(out: Console, stats: VolumeStats) -> None:
    classes = trace_facts.sizes(stats)
    if not classes:
        return
    table = output.grid(("up to", "reads", "", "writes", ""), figures=True)
    for column in (2, 4):
        table.columns[column].justify = "left"
    room = max(0, min(_BAR_WIDTH, (out.width - _SIZE_FIGURES) // 2))
    for limit, *shares in classes:
        cells = []
        for share in shares:
            shown = trace_facts.percent(share) if share else ""
            cells += [shown, plots.bar(share, room, _plain(out)).ljust(room)]
        table.add_row(limit, *cells)
    output.show("sizes", table)


def _show_courses(out: Console, found: TraceInfo) -> None:
    courses = trace_facts.courses(found)
    if not courses:
        return
    heads = [f"{name}, {unit}".rstrip(", ") for name, unit, _ in courses]
    tops = [trace_facts.figure(max(values)) for _, _, values in courses]
    room = out.width - max(map(len, heads)) - max(map(len, tops)) - len("to ") - 4
    width = max(10, min(_SPARK_WIDTH, room))
    table = output.grid(("", "", ""))
    for head, top, (_, _, values) in zip(heads, tops, courses, strict=True):
        table.add_row(head, plots.sparkline(values, width, _plain(out)), f"to {top}")
    span = trace_facts.duration(len(courses[0][2]) * found.series.interval_s)
    output.show(f"course over {span}", table)


def _show_volumes(found: TraceInfo) -> None:
    section = trace_facts.volumes(found)
    table = output.grid(("volume", *section.heads), figures=True)
    ends = section.rows[len(found.volumes) :]
    for row in (*section.rows[: min(_VOLUMES, len(found.volumes))], *ends):
        table.add_row(row.name, *row.values)
    more = len(found.volumes) - _VOLUMES
    output.show(f"volumes{f' (and {more} more: --json)' if more > 0 else ''}", table)
