"""The comparison: medians over the runs, as a table for people and in the contract form as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from measure import Account, Segment, Totals
from wordline.figures import metrics
from workloads import Workload

PEER = "MQSim"


@dataclass(frozen=True)
class Figure:
    """A figure of a segment. Speed and memory have no tolerance: they are not meant to agree."""

    key: str
    name: str
    unit: str
    tolerance: float | None = None
    digits: int = 0

    @property
    def is_latency(self) -> bool:
        """Whether it depends on the order in which requests are served."""
        return self.unit == "us"


FIGURES = (
    Figure("read_mean_us", "mean read latency", "us", 0.05, 1),
    Figure("write_mean_us", "mean write latency", "us", 0.05, 1),
    Figure("write_amplification", "write amplification", "", 0.01, 3),
    Figure("erases", "erases", "", 0.01),
    Figure("lost_requests", "requests never served", ""),
    Figure("requests_per_cpu_s", "requests", "/CPU s"),
    Figure("flash_ops_per_cpu_s", "flash operations", "/CPU s"),
    Figure("peak_rss_mib", "peak memory", "MiB"),
)


@dataclass(frozen=True)
class Row:
    """A figure of both simulators; the peer may have failed."""

    workload: str
    figure: Figure
    theirs: float | None
    ours: float
    note: str

    @property
    def ratio(self) -> float | None:
        """Wordline's figure over the peer's; none where there is none or it is zero."""
        return self.ours / self.theirs if self.theirs else None


def rows_of(workload: Workload, prefix: Account, whole: Account) -> list[Row]:
    """Every figure that the workload has, of the medians over the runs."""
    failure = prefix.failure or whole.failure
    theirs = None if failure else _segment(prefix.theirs, whole.theirs)
    ours = _segment(prefix.ours, whole.ours)
    return [
        Row(
            workload.name,
            figure,
            theirs and getattr(theirs, figure.key),
            value,
            failure or (workload.latency_note if figure.is_latency else ""),
        )
        for figure in FIGURES
        if (value := getattr(ours, figure.key)) is not None
    ]


def _segment(prefix: Sequence[Totals], whole: Sequence[Totals]) -> Segment:
    return Segment.between(Totals.median(prefix), Totals.median(whole))


def table(rows: Sequence[Row]) -> str:
    """The comparison side by side."""
    lines = [f"{'workload':<18} {'figure':<22} {PEER:>12} {'Wordline':>12} {'ratio':>8}  unit"]
    for row in rows:
        digits = row.figure.digits
        theirs = "failed" if row.theirs is None else f"{row.theirs:,.{digits}f}"
        ratio = "" if row.ratio is None else f"{row.ratio:.3f}"
        lines.append(
            f"{row.workload:<18} {row.figure.name:<22} {theirs:>12} "
            f"{row.ours:>12,.{digits}f} {ratio:>8}  {metrics.shown_unit(row.figure.unit)}"
        )
    notes = dict.fromkeys(f"{row.workload}: {row.note}" for row in rows if row.note)
    return "\n".join([*lines, *notes])


def contract(rows: Sequence[Row]) -> Mapping[str, Any]:
    """What both simulators model as `items`; speed and memory, which differ by intent, apart."""
    return {
        "items": [_item(row, row.figure.tolerance) for row in rows if row.figure.tolerance],
        "speed": [_speed(row) for row in rows if row.figure.tolerance is None],
    }


def _item(row: Row, tolerance: float) -> Mapping[str, Any]:
    # Of a reference of zero, the difference itself.
    deviation = None if row.theirs is None else (row.ours - row.theirs) / (row.theirs or 1)
    agrees = deviation is not None and abs(deviation) <= tolerance
    status = "skipped" if deviation is None else "reproduced" if agrees else "deviates"
    return {
        **_common(row),
        "source": PEER,
        "deviation": deviation,
        "tolerance": tolerance,
        "status": status,
        "note": row.note,
    }


def _speed(row: Row) -> Mapping[str, Any]:
    return {**_common(row), "ratio": row.ratio, "note": row.note}


def _common(row: Row) -> Mapping[str, Any]:
    workload = row.workload.replace(",", "").replace(" ", "-").lower()
    return {
        "id": f"peers/{PEER.lower()}/{workload}/{row.figure.key}",
        "workload": row.workload,
        "unit": row.figure.unit,
        "reference": row.theirs,
        "ours": row.ours,
    }
