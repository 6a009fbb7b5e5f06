"""Real traces on drives that can be bought: the runs, and the tables of what they give."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import wordline as wl
from wordline.figures import metrics

DRIVES: Mapping[str, Mapping[str, Any]] = {
    "micron-7450-max-800g": {},
    # Whole, they take 4 and 8 GiB of memory and up to a minute to precondition. With blocks of a
    # quarter of the pages write amplification is within 0.2 %, and the capacity a quarter.
    "solidigm-p5520-1920g": {
        "pages_per_block": 432, "layers_per_block": 36, "erase_ms": 0.875,
    },
    "kioxia-cm7-r-3840g": {
        "pages_per_block": 336, "layers_per_block": 28, "erase_ms": 0.875,
    },
    "samsung-pm9a3-960g": {},
    "samsung-840-evo-1t": {},
    "samsung-970-evo-500g": {},
    "samsung-870-qvo-4t": {},
    "corsair-mp700-elite-2t": {},
    "hp-fx700-2t": {},
    "nvme-tlc-1t": {},
    "nvme-qlc-2t": {},
}  # fmt: skip
"""The presets of drives that can be bought, each with the keys of `drive.chip` that differ here."""

WORKERS = 2
MOST_ABOVE_UNIFORM = 0.05
"""Share by which a trace's write amplification may exceed that of uniform writes."""
P99_REQUESTS = 100
"""Requests without which p99 is the maximum, and left out."""

EXCEEDS, OVERLOADED, TOO_LITTLE = "▲", "‡", "°"
# What a warning of a result begins with or holds, and the sign of the run that has it.
_SIGNS = (
    ("the drive could not keep up", OVERLOADED),
    ("write amplification says little yet", TOO_LITTLE),
    ("garbage collection never ran", TOO_LITTLE),
)
FIGURES = (
    "write_amplification", "read_mean_us", "read_p99_us", "write_mean_us", "write_p99_us",
)  # fmt: skip
COLUMNS = ("drive", "trace", "requests", "closed_form", "verified", *FIGURES, "signs")


@dataclass(frozen=True)
class Row:
    """A trace on a drive.

    Attributes:
        drive: The preset.
        trace: The trace's name.
        requests: Reads and writes.
        closed_form: Write amplification of uniform writes in the steady state with which the drive
            begins, by the closed form.
        verified: The same, of a short run of uniform writes; `None` where that had too few victims.
        figures: `FIGURES` by name; `None` where there is none.
        signs: What to know of the run.
    """

    drive: str
    trace: str
    requests: int
    closed_form: float | None
    verified: float | None
    figures: Mapping[str, float | None]
    signs: str = ""

    @property
    def uniform(self) -> float | None:
        """The write amplification that no trace should exceed: the larger of the two."""
        known = [value for value in (self.closed_form, self.verified) if value is not None]
        return max(known, default=None)

    @property
    def exceeds(self) -> bool:
        """Whether the trace amplifies writes more than uniform writes do."""
        ours, uniform = self.figures["write_amplification"], self.uniform
        if ours is None or uniform is None:
            return False
        return ours > (1 + MOST_ABOVE_UNIFORM) * uniform


def traces() -> list[Path]:
    """The traces at hand, by name; none where their folder is absent."""
    folder = Path(os.environ.get("WORDLINE_TRACES") or "../shared/traces").resolve()
    return sorted(folder.glob("*.csv.zst"))


def run(
    paths: Sequence[Path],
    drives: Mapping[str, Mapping[str, Any]] = DRIVES,
    told: Callable[[str], object] = print,
    **options: Any,
) -> Iterator[Row]:
    """Replays each trace on each drive; results that are kept already are not computed again.

    Args:
        paths: The traces.
        drives: Presets, and the keys of `drive.chip` laid over each.
        told: Hears of each drive that is done.
        **options: Further arguments of `wordline.sweep`, such as `store`.

    Raises:
        wordline.WordlineError: A run cannot be carried out.
    """
    for drive, chip in drives.items():
        tables = {"workload": {"beyond": "wrap"}, **({"drive": {"chip": chip}} if chip else {})}
        loads = [str(path) for path in paths]
        swept = wl.sweep(drive, workloads=loads, workers=WORKERS, **tables, **options)
        told(f"{drive}: replayed")
        yield from (row(drive, swept.result(number)) for number in range(len(swept)))


def row(drive: str, result: wl.Result) -> Row:
    """The figures of a run."""
    figures = metrics.figures(result)
    known = {name: figures[name] for name in FIGURES}
    for kind in ("read", "write"):
        if metrics.lookup(result, f"host.{kind}.count") < P99_REQUESTS:
            known[f"{kind}_p99_us"] = None
    start = result.steady_state.preconditioning
    closed_form, verified = start.expected_write_amplification, start.verified_write_amplification
    signs = dict.fromkeys(
        sign for text, sign in _SIGNS if any(text in warning for warning in result.warnings)
    )
    work = result.workload
    return Row(drive, work.name, work.requests, closed_form, verified, known, "".join(signs))


def files(rows: Sequence[Row]) -> dict[str, str]:
    """The tables as CSV, by the names of their files."""
    return {
        "traces.csv": _csv([COLUMNS, *map(_whole, rows)]),
        "traces-write-amplification.csv": _compact(
            rows, "write_amplification", ("closed form", "verified"), _uniform
        ),
        "traces-read-p99.csv": _compact(rows, "read_p99_us"),
        "traces-write-p99.csv": _compact(rows, "write_p99_us"),
    }


def exceeding(rows: Iterable[Row]) -> list[str]:
    """A line for each trace that wrote enough and amplifies writes more than uniform writes do."""
    return [
        f"{one.drive}, {one.trace}: write amplification "
        f"{metrics.figure(one.figures['write_amplification'])} exceeds the "
        f"{metrics.figure(one.uniform)} of uniform writes"
        for one in rows
        if one.exceeds and TOO_LITTLE not in one.signs
    ]


def _whole(one: Row) -> list[str]:
    numbers = (one.closed_form, one.verified, *(one.figures[name] for name in FIGURES))
    # Plain numbers, which programs read too.
    cells = ["" if value is None else f"{value:.6g}" for value in numbers]
    return [one.drive, one.trace, str(one.requests), *cells, _signs(one)]


def _uniform(one: Row) -> list[str]:
    return [metrics.figure(value) for value in (one.closed_form, one.verified)]


def _compact(
    rows: Sequence[Row],
    name: str,
    heads: Sequence[str] = (),
    lead: Callable[[Row], Sequence[str]] = lambda _: (),
) -> str:
    """A figure by drive and trace, as a table of drives by traces; `lead` gives the cells ahead."""
    names = list(dict.fromkeys(one.trace for one in rows))
    # A head of words can be folded.
    lines = [["drive", *heads, *(trace.replace("_", " ") for trace in names)]]
    for drive in dict.fromkeys(one.drive for one in rows):
        of_drive = {one.trace: one for one in rows if one.drive == drive}
        cells = [_cell(of_drive[trace], name) for trace in names]
        lines.append([drive, *lead(next(iter(of_drive.values()))), *cells])
    return _csv(lines)


def _cell(one: Row, name: str) -> str:
    value = one.figures[name]
    if value is None:
        return metrics.figure(value)
    # Too little writing says nothing of latencies.
    signs = _signs(one) if name == "write_amplification" else _signs(one, OVERLOADED)
    return f"{metrics.figure(value)} {signs}".rstrip()


def _signs(one: Row, among: str = f"{EXCEEDS}{OVERLOADED}{TOO_LITTLE}") -> str:
    signs = f"{EXCEEDS if one.exceeds else ''}{one.signs}"
    return "".join(sign for sign in signs if sign in among)


def _csv(lines: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue()
