"""Fitted twins beside their traces on drives: the runs, why figures miss, and the tables."""

from __future__ import annotations

import csv
import io
import itertools
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median

import wordline as wl
from wordline import _native, traces

SPAN_BYTES, SEED = 1 << 60, 1
MORE_SEEDS = (2, 3)
"""Seeds beside the first, of drives and of twins, that tell chance."""
# Full, so that garbage collection runs from the first write on.
FULL: dict[str, object] = {"precondition": {"fill": 1.0, "pattern": "steady"}}
DRIVES: dict[str, tuple[str, dict[str, object]]] = {
    "conventional": ("ressd-576g", {}),
    "ReSSD": ("ressd-576g", {"technique": {"ressd": {}}}),
    "LLH-FTL": ("llh-ftl-16g", FULL),
    "Centaur": ("centaur-mixed-256g", {"technique": {"centaur": {}}}),
    "lazyFTL": ("lazyftl-16g", FULL),
}
"""Drives as their papers have them, each with what it lays over its preset."""
TOLERANCES = {
    "write amplification": 0.05,
    "erases": 0.05,
    "mean read, µs": 0.15,
    "p99 read, µs": 0.30,
    "mean write, µs": 0.15,
    "p99 write, µs": 0.30,
}
"""Figures, and by how much a twin may miss them."""
COLUMNS = (
    "trace", "drive", "figure", "of_trace", "of_twin", "deviation", "tolerance", "ok", "cause",
)  # fmt: skip

TIMES, ORDER, READS, REGIONS, WRITES = (
    "arrival times", "order of reads and writes", "places of reads",
    "places of writes, shuffled", "places of writes",
)  # fmt: skip
"""What a twin can be given of its trace."""
WINDOW = 256
"""Writes among which `REGIONS` shuffles."""
# What mends more figures with less comes first: one property, then two, then three.
_GIVEN = tuple(
    frozenset(given)
    for count in (1, 2, 3)
    for given in itertools.combinations((TIMES, ORDER, READS, REGIONS, WRITES), count)
    if not {REGIONS, WRITES} <= set(given)
)
CHANCE_OF_DRIVE = "chance of the drive"
CHANCE_OF_TWIN = "chance of the twin"
ALL = "the whole trace"

Figures = Mapping[str, float | None]
Extent = tuple[str, str, str]
"""The volume, the first byte and the length of a request, as MSR's format has them."""


@dataclass(frozen=True)
class Requests:
    """A workload, taken apart.

    Attributes:
        ticks: When each request comes, in steps of 100 ns.
        ops: Which of them read, and which write.
        extents: Where reads go, and where writes do, each in order.
    """

    ticks: Sequence[int]
    ops: Sequence[str]
    extents: Mapping[str, Sequence[Extent]]

    @classmethod
    def of(cls, workload: Path) -> Requests:
        """The reads and writes of a trace file."""
        with tempfile.TemporaryDirectory() as folder:
            plain = Path(folder) / "plain.csv"
            traces.trace_convert([workload], plain, to="msr", lossy=True)
            rows = list(csv.reader(plain.read_text("utf-8").splitlines()))
        first = int(rows[0][0])
        extents: dict[str, list[Extent]] = {"Read": [], "Write": []}
        for _, _, volume, op, offset, size, _ in rows:
            extents[op].append((volume, offset, size))
        return cls([int(row[0]) - first for row in rows], [row[3] for row in rows], extents)

    def given(self, of: Requests, given: Iterable[str]) -> Requests:
        """What is `given` comes from another workload, everything else from this one."""
        given = set(given)
        ops = (of if ORDER in given else self).ops
        places = {"Read": READS in given, "Write": bool(given & {REGIONS, WRITES})}
        extents = {op: [*(of if theirs else self).extents[op]] for op, theirs in places.items()}
        if REGIONS in given:
            extents["Write"] = _shuffled(extents["Write"])
        counts = {op: list(ops).count(op) for op in extents}
        if counts != {op: len(places) for op, places in extents.items()}:
            raise ValueError(f"{counts} requests, but {len(extents['Write'])} places of writes")
        return Requests((of if TIMES in given else self).ticks, ops, extents)

    def write(self, to: Path) -> None:
        """Writes them in MSR's format."""
        left = {op: iter(extents) for op, extents in self.extents.items()}
        with to.open("w", encoding="utf-8") as file:
            for tick, op in zip(self.ticks, self.ops, strict=True):
                volume, offset, size = next(left[op])
                file.write(f"{tick},twin,{volume},{op},{offset},{size},0\n")


def _shuffled(extents: Sequence[Extent]) -> list[Extent]:
    rng = random.Random(SEED)
    windows = (extents[at : at + WINDOW] for at in range(0, len(extents), WINDOW))
    return [one for window in windows for one in rng.sample(window, len(window))]


def run(workload: Path, drive: str, seed: int = SEED) -> Figures:
    """What a drive makes of a workload."""
    preset, over = DRIVES[drive]
    tables = {"preset": preset, **over, "workload": {"beyond": "compact"}}
    result = wl.run(tables, str(workload), trace_format="msr", seed=seed).to_dict()
    found: dict[str, float | None] = {
        "write amplification": result["write_amplification"],
        "erases": result["flash"]["erases"],
    }
    for op in ("read", "write"):
        of = result["host"][op]
        found |= {f"{name} {op}, µs": of[f"{name}_us"] for name in ("mean", "p99")}
    return found


def off(was: Figures, now: Figures, name: str) -> float | None:
    """By how much one misses a figure of the other; nothing where there is none to miss."""
    before, after = was[name], now[name]
    return None if not before or after is None else after / before - 1


def missed(was: Figures, now: Figures) -> list[str]:
    """The figures that are beyond their tolerance."""
    offs = {name: off(was, now, name) for name in TOLERANCES}
    return [n for n, by in offs.items() if by is not None and abs(by) > TOLERANCES[n]]


@dataclass(frozen=True)
class Row:
    """A trace on a drive: figures of the trace and of its twin, and why those miss that do."""

    trace: str
    drive: str
    was: Figures
    now: Figures
    causes: Mapping[str, str] = field(default_factory=dict)

    def cells(self) -> Iterator[tuple[str, ...]]:
        """A row of the CSV for each figure that the trace has."""
        misses = missed(self.was, self.now)
        for name, tolerance in TOLERANCES.items():
            by = off(self.was, self.now, name)
            if by is None:
                continue
            was, now = (_plain(of[name]) for of in (self.was, self.now))
            yield (
                *(self.trace, self.drive, name, was, now, f"{100 * by:+.0f}%"),
                *(f"{100 * tolerance:.0f}%", "no" if name in misses else "yes"),
                self.causes.get(name, ""),
            )


def _plain(value: float | None) -> str:
    """A figure to four digits, without an exponent."""
    return "" if value is None else f"{float(f'{value:.4g}'):.10g}"


@dataclass
class Bench:
    """A trace and its twins, ready to be run in any mixture.

    Attributes:
        trace: The trace.
        twins: Twins of it, by seed.
        runs: Carries out a run of requests on a drive with a seed.
    """

    trace: Requests
    twins: Mapping[int, Requests]
    runs: Callable[[Requests, str, int], Figures]

    def row(self, name: str, drive: str) -> Row:
        """Trace and twin on a drive, with the cause of each miss."""
        was, now = (self.runs(of, drive, SEED) for of in (self.trace, self.twins[SEED]))
        return Row(name, drive, was, now, self.causes(drive, was, now))

    def causes(self, drive: str, was: Figures, now: Figures) -> dict[str, str]:
        """Why each figure that misses does: the first of the runs that shows a reason."""
        causes: dict[str, str] = {}
        for cause, mended in self._reasons(drive, was, now):
            left = [name for name in missed(was, now) if name not in causes]
            if not left:
                break
            causes |= {name: cause for name in left if mended(name)}
        return causes

    def _reasons(
        self, drive: str, was: Figures, now: Figures
    ) -> Iterator[tuple[str, Callable[[str], bool]]]:
        """Reasons, each with whether its runs, made when asked for, show it for a figure."""
        if not missed(was, now):
            return
        again = [self.runs(self.trace, drive, seed) for seed in MORE_SEEDS]
        yield CHANCE_OF_DRIVE, lambda name: any(name in missed(was, one) for one in again)
        twins = [now, *(self.runs(self.twins[seed], drive, SEED) for seed in MORE_SEEDS)]
        mean = {name: _mean([one[name] for one in twins]) for name in TOLERANCES}
        yield CHANCE_OF_TWIN, lambda name: name not in missed(was, mean)
        twin = self.twins[SEED]
        for given in _GIVEN:
            mixed = twin.given(self.trace, given)
            if mixed in (twin, self.trace) or (READS in given and not self.trace.extents["Read"]):
                continue
            found = self.runs(mixed, drive, SEED)
            yield combined(given), lambda name, found=found: name not in missed(was, found)
        yield ALL, lambda _: True


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def combined(given: Iterable[str]) -> str:
    """Properties as one cause."""
    return " + ".join(sorted(given, key=(TIMES, ORDER, READS, REGIONS, WRITES).index))


def rows(trace: Path, told: Callable[[str], object] = print) -> Iterator[Row]:
    """Fits a trace, and gives a row for each drive."""
    name = trace.name.split(".")[0]
    with tempfile.TemporaryDirectory() as folder:
        profile, twin, mixed = (Path(folder) / of for of in ("twin.toml", "twin.wlt", "mixed.csv"))
        profile.write_text(_native.trace_fit(str(trace), name)[0])

        def drawn(seed: int) -> Requests:
            _native.trace_synth(str(profile), str(twin), SPAN_BYTES, seed, force=True)
            return Requests.of(twin)

        # All in one form, so that addresses are packed alike.
        def runs(requests: Requests, drive: str, seed: int) -> Figures:
            requests.write(mixed)
            return run(mixed, drive, seed)

        bench = Bench(Requests.of(trace), {s: drawn(s) for s in (SEED, *MORE_SEEDS)}, runs)
        for drive in DRIVES:
            yield bench.row(name, drive)
            told(f"{name} on {drive}")


def as_csv(lines: Iterable[Sequence[str]]) -> str:
    """Rows of figures as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([COLUMNS, *lines])
    return out.getvalue()


def of_csv(text: str) -> list[list[str]]:
    """The rows of figures of a CSV."""
    head, *lines = csv.reader(text.splitlines())
    if tuple(head) != COLUMNS:
        raise ValueError(f"columns {head}")
    return lines


def summary(lines: Sequence[Sequence[str]]) -> str:
    """For each drive and figure how many traces are within the tolerance, and the median miss."""
    shown = [f"| drive | {' | '.join(TOLERANCES)} |", f"|{'---|' * (1 + len(TOLERANCES))}"]
    for drive in DRIVES:
        cells = []
        for name in TOLERANCES:
            of = [line for line in lines if (line[1], line[2]) == (drive, name)]
            met = sum(line[7] == "yes" for line in of)
            middle = median(abs(int(line[5].rstrip("%"))) for line in of) if of else None
            cells.append(f"{met} of {len(of)}" + ("" if middle is None else f" ({middle:.0f} %)"))
        shown.append(f"| {drive} | {' | '.join(cells)} |")
    return "\n".join(shown)


def causes(lines: Sequence[Sequence[str]]) -> str:
    """How many figures each cause explains, by kind of figure, and the trace that has most."""
    heads = ("what mends the twin", "write amplification, erases", "reads", "writes", "most in")
    shown = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    by_cause: dict[str, list[Sequence[str]]] = {}
    for line in lines:
        if line[7] == "no":
            together = line[8].count(" + ")
            cause = ("two together", "three together")[together - 1] if together else line[8]
            by_cause.setdefault(cause, []).append(line)
    for cause, of in sorted(by_cause.items(), key=lambda pair: -len(pair[1])):
        reads, writes = (sum(f"{op}, µs" in one[2] for one in of) for op in ("read", "write"))
        names = [one[0].split("_")[0] for one in of]
        most = max(dict.fromkeys(names), key=names.count)
        shown.append(f"| {cause} | {len(of) - reads - writes} | {reads} | {writes} | {most} |")
    return "\n".join(shown)


def placed(page: str, table: str) -> str:
    """A page with a table in place of the one that has the same head."""
    lines, new = page.split("\n"), table.split("\n")
    if lines.count(new[0]) != 1:
        raise ValueError(f"not one table with the head {new[0]}")
    first = lines.index(new[0])
    rest = itertools.dropwhile(lambda line: line.startswith("|"), lines[first:])
    return "\n".join([*lines[:first], *new, *rest])
