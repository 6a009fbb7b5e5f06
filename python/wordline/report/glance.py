"""The picture that a report begins with: what matters most, before any word."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from wordline import metrics
from wordline.caveats import geometric_mean
from wordline.metrics import EQUAL, Metric
from wordline.report.drawing import Chart, Row, data, decades, finish, rounded
from wordline.result import Comparison, Result

_STATISTICS = {
    "p50_us": "50 %", "p95_us": "95 %", "p99_us": "99 %", "p999_us": "99.9 %",
    "p9999_us": "99.99 %", "max_us": "all",
}  # fmt: skip
_LEFT_OUT = ("bandwidth_mb_s", "padding", "gc_pages_moved", "spent_lifetime")
_BAR, _GAP, _AXIS = 11, 7, 30
_TICKS = (1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000, 10_000)
_MOST_TICKS = 3  # to each side of 1
_TIMES = (
    "datum.value > 1.001 ? format(datum.value, '~r') + '× better' : "
    "datum.value < 0.999 ? format(1 / datum.value, '.3~r') + '× worse' : 'same'"
)


def of_run(result: Result) -> Chart | None:
    """How long most requests took, and how long the slowest: empty where nothing was timed."""
    rows: list[Row] = [
        {"kind": f"{kind}s", "share": name, "y": rounded(latency_us)}
        for kind in ("read", "write")
        for statistic, name in _STATISTICS.items()
        if (latency_us := result.host[kind][statistic])
    ]
    if not rows:
        return None
    colour = alt.Color("kind:N", title=None, sort=None)
    drawing = (
        alt.Chart(data(rows))
        .mark_line(point=alt.OverlayMarkDef(size=60, filled=True))
        .encode(
            x=alt.X(
                "share:O",
                title="share of the requests",
                sort=list(_STATISTICS.values()),
                axis=alt.Axis(labelAngle=0),
            ),
            y=alt.Y(
                "y:Q",
                title="took at most (µs)",
                scale=alt.Scale(type="log"),
                axis=decades(row["y"] for row in rows),
            ),
            color=colour,
            tooltip=["kind:N", "share:O", "y:Q"],
        )
    )
    caption = "So long took 50 % of the requests at most, 95 %, and so on; logarithmic."
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
    caption = (
        f"Where a drive is better or worse than {baseline}{means}; equal figures are left out."
    )
    return finish(f"Against {baseline}", caption, _bars(rows, figures, others, baseline), height)


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


def _ticks(most: float) -> Sequence[float]:
    """Round numbers of times up to the largest."""
    return [tick for tick in _TICKS if tick <= most][-_MOST_TICKS:]


def _bars(rows: list[Row], figures: Sequence[str], drives: Sequence[str], baseline: str) -> Any:
    legend = alt.Legend() if len(drives) > 1 else None
    low, high = (of(row["x"] for row in rows) for of in (min, max))
    ticks = [1.0, *_ticks(high), *(1 / tick for tick in _ticks(1 / low))]
    return (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X(
                "x:Q",
                title=f"times as good as {baseline}",
                scale=alt.Scale(type="log", domain=[min(low, 0.9), max(high, 1.1)], nice=False),
                axis=alt.Axis(values=ticks, labelExpr=_TIMES, labelOverlap=True),
            ),
            x2=alt.datum(1),
            y=alt.Y("figure:N", title=None, sort=list(figures)),
            yOffset=alt.YOffset("drive:N", sort=list(drives)),
            color=alt.Color("drive:N", title=None, sort=list(drives), legend=legend),
            tooltip=["drive:N", "figure:N", "x:Q"],
        )
    )
