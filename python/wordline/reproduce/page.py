"""The page of a reproduction: the publication's values, ours, and charts of both."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from wordline.figures import metrics
from wordline.native.types.lab import Plot
from wordline.report import drawing, heading, page, tables
from wordline.report.drawing import Chart, rounded
from wordline.report.vega import (
    NAME,
    QUANTITY,
    Axis,
    Channel,
    Legend,
    Mark,
    Row,
    Scale,
    chart,
    names,
    quantities,
)
from wordline.reproduce import judge
from wordline.reproduce.runner import Reproduction
from wordline.reproduce.study import Figure

_HEADS = ("value", "published", "ours", "deviation", "within", "verdict", "what must be known")
_PUBLISHED, _OURS = "published", "ours"
_CLASSES = {"reproduced": "better", "deviates": "worse"}
_EDGE = 4  # tolerances; what is further off stands at the edge of the picture
_ROW, _GAP = 26, 14
_DRIVE_OF_ARRAY = re.compile(r"^drive \d+: ")
_OF_FIGURES = (
    "reproduced", "calibrated", "selected", "implied", "deviates", "inconclusive", "not judged",
    "not published", "skipped",
)  # fmt: skip
_MEANS = (
    "Reproduced: within the tolerance, and the value served for nothing. Calibrated: within it, "
    "but a "
    "parameter was fitted to the value, or the workload was generated from it. Selected: a "
    "parameter or "
    "a reading was chosen because the value agrees then. Implied: it agrees by arithmetic."
)


def render(reproduction: Reproduction) -> str:
    """A reproduction as one HTML file that loads nothing from anywhere."""
    return page.document(escape(_title(reproduction)), _sections(reproduction))


def _title(reproduction: Reproduction) -> str:
    """The publication, its figures, and the drives and workloads that were run."""
    figures = heading.few((figure.name for figure in reproduction.figures), "figures")
    title = f"Reproduction of {reproduction.study.paper}: {figures}"
    runs = [(drive, load, result) for (drive, load), result in reproduction.results.items()]
    return f"{title}; {heading.of_runs(runs)}" if runs else title


def _sections(reproduction: Reproduction) -> Iterator[str]:
    yield page.warning_box(warnings_of(reproduction))
    first = picture(reproduction)
    yield page.section("At a glance", page.figures([first])) if first else ""
    yield page.section("Verdict", _verdict(reproduction))
    for figure in reproduction.figures:
        items = reproduction.items[figure.name]
        drawn = [*charts_of(figure, items), *map(_curves, judge.curves(figure))]
        body = page.figures(drawn) + _table(figure, items)
        anchor = f"<a id='{escape(figure.name)}'></a>"
        yield page.section(f"{figure.name}: {figure.title}", anchor + body)


def picture(reproduction: Reproduction) -> Chart | None:
    """How far every value is off, in units of what is tolerated."""
    rows: list[Row] = [
        {
            "figure": figure.name,
            "value": _short(item),
            "verdict": item["status"],
            "x": rounded(item["deviation"] / item["tolerance"]),
        }
        for figure in reproduction.figures
        for item in reproduction.items[figure.name]
        if item["deviation"] is not None and item["tolerance"]
    ]
    if not rows:
        return None
    figures = list(dict.fromkeys(row["figure"] for row in rows))
    beyond = sum(abs(row["x"]) > _EDGE for row in rows)
    dots = chart(
        rows,
        Mark(type="point", size=70, filled=True, opacity=0.6),
        {
            "x": Channel(
                field="x",
                type=QUANTITY,
                title="deviation, in tolerances",
                scale=Scale(domain=[-_EDGE, _EDGE], clamp=True),
                axis=Axis(values=[-_EDGE, -1, 0, 1, _EDGE]),
            ),
            "y": Channel(field="figure", type=NAME, title=None, sort=figures),
            "color": Channel(field="verdict", type=NAME, title=None, sort=list(_OF_FIGURES)),
            "tooltip": [*names("figure", "value", "verdict"), *quantities("x")],
        },
    )
    told = "0 is as published; between -1 and 1 a value is within its tolerance."
    told += f" {beyond} of {len(rows)} lie beyond the edges." if beyond else ""
    height = _GAP + _ROW * len(figures)
    return drawing.finish("How far each value is off", told, dots, height)


def warnings_of(reproduction: Reproduction) -> list[tuple[str, str]]:
    """What a reader must know before believing any figure."""
    found: dict[str, list[str]] = {}
    if reproduction.quick:
        found["a quick run: a part of the workloads, cut short"] = []
    for (drive, load), result in reproduction.results.items():
        for warning in dict.fromkeys(map(_of_any_drive, result["warnings"])):
            found.setdefault(warning, []).append(f"{drive}, {load}")
    runs = len(reproduction.results)
    return [(told, f"in {len(of)} of {runs} runs" if of else "") for told, of in found.items()]


def _of_any_drive(warning: str) -> str:
    """A warning without the number of the array's drive that it is of."""
    return _DRIVE_OF_ARRAY.sub("", warning)


def _verdict(reproduction: Reproduction) -> str:
    counts = Counter(item["status"] for item in reproduction.all_items)
    shares = ", ".join(f"{number} {status}" for status, number in counts.items())
    told = f"<p>{escape(reproduction.study.source)}</p><p>{shares}. {_MEANS}</p>"
    return told + _by_figure(reproduction)


def _by_figure(reproduction: Reproduction) -> str:
    """How many values of each figure have which verdict; those without any are left out."""
    counts = {
        figure.name: Counter(item["status"] for item in reproduction.items[figure.name])
        for figure in reproduction.figures
    }
    found = [status for status in _OF_FIGURES if any(of[status] for of in counts.values())]
    rows = [
        [
            f"<a href='#{escape(figure.name)}'>{escape(figure.name)}</a>",
            *(str(counts[figure.name][status] or "–") for status in found),
            f"<div class='note'>{escape(figure.title)}</div>",
        ]
        for figure in reproduction.figures
    ]
    return tables.table("Values by their verdict", ["figure", *found, "shows"], rows)


def _table(figure: Figure, items: Sequence[Mapping[str, Any]]) -> str:
    """A figure's values; what must be known stands at the first that it is about."""
    told: list[list[str]] = []
    known: set[str] = set()
    for item in items:
        if item["status"] != "skipped":
            told.append(_row(item, "" if item["note"] in known else item["note"]))
            known.add(item["note"])
    return tables.table(figure.title, _HEADS, told)


def _row(item: Mapping[str, Any], note: str) -> list[str]:
    unit = f"\N{NO-BREAK SPACE}{item['unit']}" if item["unit"] else ""
    values = (item["reference"], item["ours"])
    cells = (
        _short(item),
        *("–" if value is None else f"{metrics.figure(value)}{unit}" for value in values),
        *metrics.deviation(item),
    )
    verdict = f"<b class='{_CLASSES.get(item['status'], 'same')}'>{escape(item['status'])}</b>"
    return [*map(escape, cells), verdict, f"<div class='note'>{escape(note)}</div>"]


def _short(item: Mapping[str, Any]) -> str:
    """An id without the publication's and the figure's name."""
    return item["id"].split("/", 2)[2]


def charts_of(figure: Figure, items: Iterable[Mapping[str, Any]]) -> list[Chart]:
    """The figure's own chart, or one for values of a unit whose ids differ in the last part."""
    if figure.drawn:
        own = figure.drawn(list(items))
        return [own] if own else []
    groups: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for item in items:
        if figure.charted and not _short(item).startswith(figure.charted):
            continue
        name = _short(item).rpartition("/")[0] or figure.title
        groups.setdefault(name, {}).setdefault(item["unit"], []).append(item)
    found: list[Chart | None] = []
    for name, by_unit in groups.items():
        drawn = {unit: group for unit, group in by_unit.items() if len(group) > 1}
        for unit, group in drawn.items():
            title = f"{name}, {unit}" if len(drawn) > 1 else name
            found.append(_chart(title, unit, group))
    return [chart for chart in found if chart]


def _curves(plot: Plot) -> Chart:
    """Curves of the cell laboratory, which the publication draws without numbers."""
    rows: list[Row] = [
        {"series": series.name, "x": rounded(x), "y": rounded(y)}
        for series in plot.series
        for x, y in series.points
        if y > 0 or not plot.log_y
    ]
    vertical = Scale(type="log") if plot.log_y else Scale(zero=False)
    lines = chart(
        rows,
        Mark(type="line"),
        {
            "x": Channel(field="x", type=QUANTITY, title=plot.x, scale=Scale(zero=False)),
            "y": Channel(field="y", type=QUANTITY, title=plot.y, scale=vertical),
            "color": Channel(field="series", type=NAME, title=None),
            "tooltip": [*names("series"), *quantities("x", "y")],
        },
    )
    drawn = drawing.finish(plot.title, "Ours, by the cell laboratory.", lines)
    assert drawn is not None, "there are lines"
    return drawn


def _chart(title: str, unit: str, items: Sequence[Mapping[str, Any]]) -> Chart | None:
    rows = [
        {"kind": kind, "of": _short(item).rpartition("/")[2], "y": rounded(value)}
        for item in items
        for kind, value in ((_PUBLISHED, item["reference"]), (_OURS, item["ours"]))
        if value is not None
    ]
    if not rows:
        return None
    places = list(dict.fromkeys(row["of"] for row in rows))
    kinds = [kind for kind in (_PUBLISHED, _OURS) if any(row["kind"] == kind for row in rows)]
    bars = chart(
        rows,
        Mark(type="bar"),
        {
            "x": Channel(field="of", type=NAME, title=None, sort=places, axis=Axis(labelAngle=-45)),
            "y": Channel(field="y", type=QUANTITY, title=unit or "value"),
            "xOffset": Channel(field="kind", type=NAME, sort=[_PUBLISHED, _OURS]),
            "color": Channel(
                field="kind",
                type=NAME,
                scale=Scale(domain=[_PUBLISHED, _OURS]),
                legend=Legend(title=None, values=kinds),
            ),
            "tooltip": [*names("kind", "of"), *quantities("y")],
        },
    )
    is_published = any(item["reference"] is not None for item in items)
    told = "Published values beside ours." if is_published else "Ours; nothing was published."
    return drawing.finish(title, told, bars)
