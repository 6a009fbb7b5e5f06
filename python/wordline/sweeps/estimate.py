"""How long a sweep will take, and how much memory: told before it starts."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from wordline import workers
from wordline.errors import WordlineError
from wordline.figures.metrics import figure
from wordline.results import store
from wordline.results.store import Store
from wordline.sweeps.points import Plan, Point

_TIMED = 5  # runs that are carried out to time them
_BUDGET_S = 10.0  # for all of them; a run that takes longer is judged by how far it has come
_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


@dataclass(frozen=True)
class Estimate:
    """What a sweep will take.

    Attributes:
        points: Rows of its table.
        runs: Runs, each counted once.
        kept_already: Of them, those that need not be carried out.
        run_s: What one run takes, by those that were timed or kept; `None` where none is left.
        workers: Runs at a time on this machine.
        seconds: What the rest takes here.
        memory_mib: What the runs at a time take together, roughly.
    """

    points: int
    runs: int
    kept_already: int
    run_s: float | None
    workers: int
    seconds: float
    memory_mib: float

    def to_dict(self) -> dict[str, Any]:
        """Its fields."""
        return asdict(self)

    def words(self) -> list[tuple[str, str]]:
        """Its fields for people."""
        found = [
            ("points", f"{self.points:,}"),
            ("runs", f"{self.runs:,}, of which {self.kept_already:,} are kept already"),
        ]
        if self.run_s is not None:
            found.append(("a run", f"about {duration(self.run_s)}"))
        return [
            *found,
            ("runs at a time", str(self.workers)),
            ("all of them", f"about {duration(self.seconds)}"),
            ("memory", f"about {figure(self.memory_mib)} MiB"),
        ]


def of(plan: Plan, kept: Store, asked: int | None) -> Estimate:
    """What is left of a sweep. A few of its runs are carried out for it, and kept.

    Raises:
        ConfigError: `asked` is no number of workers.
        OutputError, RunError: The store cannot be written.
    """
    known = kept.heads(plan.keys)
    missing = [point for point in plan.distinct if plan.key(point) not in known]
    at_a_time = workers.number([plan.memory_bytes] * max(1, len(missing)), asked)
    runs = len(plan.distinct)
    run_s = _run_s(plan, kept, _spread(missing, _TIMED)) if missing else None
    need = at_a_time * (plan.memory_bytes + workers.RUN_BYTES)
    left = len(missing) * (run_s or 0.0) / at_a_time
    return Estimate(
        len(plan.points), runs, runs - len(missing), run_s, at_a_time, left, need / (1 << 20)
    )


def _spread(points: Sequence[Point], most: int) -> list[Point]:
    """A few points, evenly over all."""
    step = max(1, len(points) // most)
    return list(points[step // 2 :: step][:most])


class _OutOfTime(Exception):  # noqa: N818 (it is no error)
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


def _run_s(plan: Plan, kept: Store, points: Sequence[Point]) -> float:
    """The mean time of runs, those that end within the budget kept."""
    until = time.monotonic() + _BUDGET_S
    found: list[float] = []
    for point in points:
        found.append(_timed(plan, kept, point, until))
        if time.monotonic() > until:
            break
    return fmean(found)


def _timed(plan: Plan, kept: Store, point: Point, until: float) -> float:
    began = time.monotonic()

    def watch(_: str, done: int, total: int | None, __: int) -> None:
        now = time.monotonic()
        if now > until:
            share = done / total if done and total else 0.5
            raise _OutOfTime((now - began) / share)

    traces = plan.sources[point.load].traces
    try:
        found = store.carried_out(plan.configuration(point), traces, watch)
    except _OutOfTime as late:
        return late.seconds
    except WordlineError:  # the sweep will tell it
        return time.monotonic() - began
    kept.put(plan.key(point), found.encoded())
    return time.monotonic() - began


def duration(seconds: float) -> str:
    """A time for people, in its two largest units: `2 h 5 min`."""
    if seconds < 10:
        return f"{figure(float(f'{seconds:.2g}'))} s"
    rest = round(seconds)
    parts: list[str] = []
    for unit, name in _UNITS:
        many, rest = divmod(rest, unit)
        if many or parts:
            parts.append(f"{many} {name}")
    return " ".join(part for part in parts[:2] if not part.startswith("0 "))
