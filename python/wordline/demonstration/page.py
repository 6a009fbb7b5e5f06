"""The demo's report: a sentence and a chart for each technique."""

from collections.abc import Iterator
from html import escape

from wordline.demonstration import questions
from wordline.demonstration.questions import Question
from wordline.figures import metrics
from wordline.figures.caveats import warnings_of
from wordline.figures.metrics import Metric
from wordline.report import drawing, glance, page
from wordline.report.drawing import Chart, rounded
from wordline.report.vega import NAME, Axis, Channel, Mark, Row, chart, names, quantities
from wordline.results.result import Comparison


def render(found: Comparison) -> str:
    """The demo as one HTML file that loads nothing from anywhere."""
    return page.document("When does which technique pay?", _sections(found))


def in_words(metric: Metric) -> str:
    """A figure and its unit."""
    return ", ".join(filter(None, (metric.label, metric.unit)))


def _sections(found: Comparison) -> Iterator[str]:
    linked = (
        f"<li><a href='#{_anchor(question)}'>{escape(question.name)}</a> {escape(question.does)}"
        for question in questions.QUESTIONS
    )
    yield f"<nav aria-label='Contents'><ul>{''.join(linked)}</ul></nav>"
    for question in questions.QUESTIONS:
        told = f"<p>{escape(_sentence(question, found))}</p>"
        body = told + page.figures([_chart(question, found)])
        yield f"<div id='{_anchor(question)}'>{page.section(question.name, body)}</div>"
    yield page.warning_box(warnings_of(found.cases))


def _anchor(question: Question) -> str:
    return question.page


def _sentence(question: Question, found: Comparison) -> str:
    """What the two loads say."""
    told = [f"{question.name} {question.does}."]
    for load in question.loads:
        without, with_it = question.pair(load, found)
        ratio = metrics.change(with_it / without)
        values = f"{metrics.figure(without)} to {metrics.figure(with_it)} {load.figure.unit}"
        begun = load.name[0].upper() + load.name[1:]
        told.append(f"{begun}: {load.figure.label} {ratio} ({values.strip()}).")
    return " ".join(told)


def _chart(question: Question, found: Comparison) -> Chart:
    rows: list[Row] = []
    for load in question.loads:
        without, with_it = question.pair(load, found)
        gain = with_it / without if load.figure.better == "higher" else without / with_it
        rows.append({"load": load.name, "x": rounded(gain)})
    encoding = {
        **glance.times_better(rows),
        "y": Channel(field="load", type=NAME, title=None, sort=None, axis=Axis(labelLimit=120)),
        "tooltip": [*names("load"), *quantities("x")],
    }
    drawn = chart(rows, Mark(type="bar"), encoding)
    figures = " and ".join(dict.fromkeys(load.figure.label for load in question.loads))
    caption = f"By {figures}, against the drive without it."
    finished = drawing.finish(f"{question.name}: does it pay?", caption, drawn, height=70)
    assert finished is not None
    return finished
