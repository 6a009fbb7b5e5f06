"""The picture that a report begins with: what matters most, before any word."""

from collections.abc import Sequence
from math import log, log10

from wordline.figures import metrics
from wordline.figures.caveats import geometric_mean
from wordline.figures.comparison_view import Comparison, Outcome
from wordline.figures.metrics import EQUAL, Metric
from wordline.report.drawing import Chart, colours, decades, finish, rounded
from wordline.report.heading import few
from wordline.report.vega import (
    NAME,
    PLACE,
    QUANTITY,
    Axis,
    Channel,
    Encoding,
    Legend,
    Mark,
    Row,
    Scale,
    Spec,
    chart,
    names,
    quantities,
)

_STATISTICS = {
    "p50_us": "50", "p95_us": "95", "p99_us": "99", "p999_us": "99.9", "p9999_us": "99.99",
    "max_us": "all",
}  # fmt: skip
_LEFT_OUT = ("bandwidth_mb_s", "padding", "gc_pages_moved", "spent_lifetime", "dwpd")
_BAR, _GAP, _AXIS = 11, 7, 30
_LEAST = 1 / 1.1  # that the axis has room for, and as much gain
_TICKS = (1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000, 10_000)
_APART = 0.16  # of the axis, at least, between two labels
_NEAR = (1.02, 1.05, 1.1, 1.15)
_ROUND = (1.2, 1.3, 1.4, 1.5, 1.7, 2, 2.5, 3, 4, 5, 6, 8, 10)
_TIMES = (
    "datum.value > 1.001 ? '×' + format(datum.value, '~r') : "
    "datum.value < 0.999 ? '÷' + format(1 / datum.value, '.3~r') : '1'"
)


def of_run(result: Outcome) -> Chart | None:
    """How long most requests took, and how long the slowest: empty where nothing was timed."""
    rows: list[Row] = [
        {"kind": f"{kind}s", "share": name, "y": rounded(latency_us)}
        for kind in ("read", "write")
        for statistic, name in _STATISTICS.items()
        if (latency_us := result.host[kind][statistic])
    ]
    if not rows:
        return None
    drawing = chart(
        rows,
        Mark(type="line", point=Mark(size=60, filled=True)),
        {
            "x": Channel(
                field="share",
                type=PLACE,
                title="share of the requests (%)",
                sort=list(_STATISTICS.values()),
                axis=Axis(labelAngle=0),
            ),
            "y": Channel(
                field="y",
                type=QUANTITY,
                title="took at most (µs)",
                scale=Scale(type="log"),
                axis=decades(row["y"] for row in rows),
            ),
            "color": Channel(field="kind", type=NAME, title=None, sort=None),
            "tooltip": [*names("kind", "share"), *quantities("y")],
        },
    )
    caption = "What 50 % of the requests took at most, what 95 %, and so on; logarithmic."
    return finish("Latency, from the usual to the slowest", caption, drawing)


def of_comparison(comparison: Comparison, workloads: Sequence[str]) -> Chart | None:
    """By how many times each drive is better or worse than the first, figure by figure."""
    baseline, *others = (case.variant for case in comparison.of(workloads[0]))
    rows: list[Row] = []
    for metric in _shown(comparison, workloads):
        for drive in others:
            gain = _gain(comparison, workloads, metric, drive)
            if gain and abs(gain - 1) > EQUAL:
                rows.append({"figure": metric.label, "drive": drive, "x": rounded(gain)})
    if not rows:
        return None
    figures = list(dict.fromkeys(row["figure"] for row in rows))
    height = _AXIS + len(figures) * (_BAR * len(others) + _GAP)
    means = ", by geometric mean over the workloads" if len(workloads) > 1 else ""
    # A drive alone has no legend that names it.
    who = others[0] if len(others) == 1 else "a drive"
    caption = f"Where {who} is better or worse than {baseline}{means}; equal figures are left out."
    # Drives that ran on other workloads are drawn apart.
    on = "" if len(comparison.groups) == 1 else f", on {few(workloads, 'workloads')}"
    title = f"{f'{who} against' if len(others) == 1 else 'Against'} {baseline}{on}"
    return finish(title, caption, _bars(rows, figures, baseline, others), height)


def _shown(comparison: Comparison, workloads: Sequence[str]) -> list[Metric]:
    """Sums over a run where the host wrote as much to every drive, else what a GiB cost."""
    results = [[case.result for case in comparison.of(workload)] for workload in workloads]
    left_out = "per GiB" if all(map(metrics.same_work, results)) else "sum"
    return [m for m in metrics.METRICS if m.key not in _LEFT_OUT and m.kind != left_out]


def _gain(
    comparison: Comparison, workloads: Sequence[str], metric: Metric, drive: str
) -> float | None:
    """Above one where the drive is better; `None` where there is no ratio on some workload."""
    cases = [case for load in workloads for case in comparison.of(load) if case.variant == drive]
    ratios = [comparison.ratios(case)[metric.key] for case in cases]
    known = [ratio for ratio in ratios if ratio]
    if len(known) < len(ratios):
        return None
    mean = geometric_mean(known)
    return mean if metric.better == "higher" else 1 / mean


def _end(times: float) -> float:
    """The round number of times at which an axis ends that has to reach `times`."""
    if times <= _NEAR[-1]:
        return next(end for end in _NEAR if times <= end)
    decade = 10.0 ** int(log10(times))
    return decade * next(end for end in (1, *_ROUND) if times <= decade * end)


def _ticks(low: float, high: float) -> list[float]:
    """1, the ends, and round numbers of times between, whose labels do not collide."""
    apart = _APART * log(high / low)
    found = [1.0]
    for end, is_gain in ((high, True), (1 / low, False)):
        if log(end) < apart:
            continue
        side = [1.0]
        for times in _TICKS:
            if min(log(times / side[-1]), log(end / times)) >= apart:
                side.append(times)
        side.append(end)
        found += side[1:] if is_gain else [1 / times for times in side[1:]]
    return sorted(found)


def times_better(rows: Sequence[Row]) -> Encoding:
    """Bars to both sides of 1, by the field `x` of the rows: above 1 is better."""
    low = 1 / _end(1 / min(_LEAST, *(row["x"] for row in rows)))
    high = _end(max(1 / _LEAST, *(row["x"] for row in rows)))
    x = Channel(
        field="x",
        type=QUANTITY,
        title="times better (×), worse (÷)",
        scale=Scale(type="log", domain=[low, high], nice=False),
        axis=Axis(values=_ticks(low, high), labelExpr=_TIMES),
    )
    return {"x": x, "x2": {"datum": 1}}


def _bars(rows: list[Row], figures: Sequence[str], baseline: str, drives: Sequence[str]) -> Spec:
    colour = Channel(
        field="drive",
        type=NAME,
        title=None,
        # As in the charts that show the baseline too.
        scale=Scale(domain=[baseline, *drives]) | colours(1 + len(drives)),
        legend=Legend(values=list(drives)) if len(drives) > 1 else None,
    )
    place = Channel(
        field="figure", type=NAME, title=None, sort=list(figures), axis=Axis(labelLimit=160)
    )
    encoding = {
        **times_better(rows),
        "y": place,
        "yOffset": Channel(field="drive", type=NAME, sort=list(drives)),
        "color": colour,
        "tooltip": [*names("drive", "figure"), *quantities("x")],
    }
    return chart(rows, Mark(type="bar"), encoding)
