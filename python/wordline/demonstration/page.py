"""The demo's report: a sentence and a chart for each technique."""

from collections.abc import Iterator
from html import escape

from wordline.demonstration import questions
from wordline.demonstration.questions import Question
from wordline.figures import metrics, warning_groups
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
    for question in questions.QUESTIONS:
        told = f"<p>{escape(_sentence(question, found))}</p>"
        body = told + page.figures([_chart(question, found)])
        yield page.section(question.name, body)
    yield page.warning_box(warnings_of(found))


def warnings_of(found: Comparison) -> list[tuple[str, str]]:
    """What the runs warn of, those together that differ in their numbers alone."""
    runs = [case.result.warnings for case in found.cases]
    return warning_groups.concerned(warning_groups.of_runs(runs), len(runs), "runs")


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
