"""What a log says of a drive: parts of one workload each, and whether a part is steady."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wordline.errors import WorkloadError
from wordline.fitting.logs import FILL, UNIFORM, WORKLOADS, Log, Snapshot

_GIB = 1 << 30
PASSES_BEFORE = 2.0
"""How often a space is written before what counts: until then amplification has not settled."""
_MEASURED = 1.0  # passes that count, the last ones
_DRIFT = 0.02  # between the halves of what counts, beyond which a drive is not steady
_WINDOWS, _FEWEST_WINDOWS = 16, 8  # of what counts
_COUNTS = 40  # of each counter in a window, at least: else its unit shows
_WHOLE = 1.02  # of the drive: a fill that writes more overwrites
_PLAUSIBLE = (0.95, 100.0)  # write amplification of a log whose units are right
_LARGEST_FILL = 1.5  # write amplification of a drive that moves nothing


@dataclass(frozen=True)
class Window:
    """Writes of a while, in bytes."""

    host: int
    physical: int


@dataclass(frozen=True)
class Part:
    """A part of a log with one workload, as far as it counts.

    Attributes:
        workload: `fill` or `uniform`.
        space_gib: What is written.
        windows: What counts, cut into pieces that hold about the same.
        drift: By how much the second half writes more than the first, as a share.
        place: Where the part begins and ends.
    """

    workload: str
    space_gib: float
    windows: tuple[Window, ...]
    drift: float
    place: str

    @property
    def amplification(self) -> float:
        """Physical bytes by the host's."""
        return amplification(self.windows)


def amplification(windows: Iterable[Window]) -> float:
    """Physical bytes by the host's."""
    windows = tuple(windows)
    return sum(window.physical for window in windows) / sum(window.host for window in windows)


def parts(log: Log, workload: str | None, exported_gib: float) -> tuple[Part, ...]:
    """The parts of a log that say something.

    Args:
        log: The log.
        workload: What unmarked snapshots hold; those of a log with marks are left out if `None`.
        exported_gib: What the drive exports, which is written where nothing else is said.

    Raises:
        WorkloadError: None, one that is not steady, or one whose units cannot be right.
    """
    runs: list[list[Snapshot]] = []
    for before, after in pairwise(log.snapshots):
        mark = after.workload or workload, after.space_gib
        if mark[0] not in WORKLOADS or mark != (before.workload or workload, before.space_gib):
            continue
        if runs and runs[-1][-1] is before:
            runs[-1].append(after)
        else:
            runs.append([before, after])
    if not runs:
        raise WorkloadError(*_nothing(log, workload))
    return tuple(_part(log, run, run[0].workload or workload, exported_gib) for run in runs)


def _nothing(log: Log, workload: str | None) -> tuple[str, str, str]:
    marks = {snapshot.workload for snapshot in log.snapshots}
    if len(log.snapshots) < 2:
        what = f"{len(log.snapshots)} snapshots of both counters: nothing was written between"
        return what, str(log.path), "log them every few minutes while the drive is written"
    if marks == {None} and workload is None:
        help = '--workload uniform or fill, or marks in the log: {"workload": "uniform"}'
        return "the log does not say what was written", str(log.path), help
    told = ", ".join(sorted(f"`{mark}`" for mark in marks if mark)) or "none"
    what = f"no two snapshots in a row of a fill or of uniform writes; marks are {told}"
    return what, str(log.path), f"mark them {' or '.join(WORKLOADS)}"


def _part(log: Log, run: Sequence[Snapshot], workload: str | None, exported_gib: float) -> Part:
    first, last = run[0], run[-1]
    place = f"{first.place} to {last.place.rpartition(':')[2]}"
    space_gib = first.space_gib or exported_gib
    if space_gib > exported_gib * _WHOLE:
        what = f"{space_gib:,.1f} GiB are written of {exported_gib:,.1f} that the drive exports"
        raise WorkloadError(what, place, "mend `space_gib`, or --exported")
    host, physical = last.host - first.host, last.physical - first.physical
    if not host:
        raise WorkloadError("the host writes nothing", place, "remove the part")
    _check_units(log, physical / host, place)
    if workload == FILL:
        _check_fill(host / _GIB, physical / host, space_gib, place)
        counted = list(run)
    else:
        counted = _last_pass(run, space_gib, place)
    windows = _windows(counted, log, place)
    drift = _drift(windows)
    if workload == UNIFORM and abs(drift) > _DRIFT:
        raise WorkloadError(
            f"not steady: write amplification {'rises' if drift > 0 else 'falls'} by "
            f"{abs(drift):.1%} between the halves of the last pass",
            place,
            "; ".join([f"write on until the halves differ by less than {_DRIFT:.0%}", *log.notes]),
        )
    return Part(workload or "", space_gib, windows, drift, place)


def _check_units(log: Log, found: float, place: str) -> None:
    low, high = _PLAUSIBLE
    if low <= found <= high:
        return
    units = ", ".join(
        f"`{counter.name}` was read in units of {counter.unit:,} bytes"
        for counters in log.counters.values()
        for counter in counters
    )
    what = f"the flash takes {found:.4g} bytes for each of the host's; {units}"
    help = "say the units: --host NAME:UNIT, --physical NAME:UNIT; drives that compress do not fit"
    raise WorkloadError(what, place, help)


def _check_fill(host_gib: float, found: float, space_gib: float, place: str) -> None:
    if host_gib > space_gib * _WHOLE:
        what = f"the fill writes {host_gib:,.1f} GiB over {space_gib:,.1f}: it overwrites"
        raise WorkloadError(what, place, "mark as fill what is written once, to an empty drive")
    if found > _LARGEST_FILL:
        what = f"the fill has a write amplification of {found:.3f}: the drive was not empty"
        raise WorkloadError(what, place, "erase the drive, then fill it in order")


def _last_pass(run: Sequence[Snapshot], space_gib: float, place: str) -> list[Snapshot]:
    """The snapshots of the last pass over the space."""
    written = (run[-1].host - run[0].host) / _GIB
    needed = (PASSES_BEFORE + _MEASURED) * space_gib
    if written < needed:
        what = (
            f"not steady: {space_gib:,.1f} GiB were written {written / space_gib:.1f} times, and "
            f"{PASSES_BEFORE + _MEASURED:.0f} are needed"
        )
        raise WorkloadError(what, place, f"write {needed - written:,.1f} GiB more")
    begin = run[-1].host - _MEASURED * space_gib * _GIB
    first = max(index for index, snapshot in enumerate(run) if snapshot.host <= begin)
    return list(run[first:])


def _windows(run: Sequence[Snapshot], log: Log, place: str) -> tuple[Window, ...]:
    """Pieces that hold about the same, each with counts enough for its unit not to show."""
    smallest = (run[-1].host - run[0].host) / _WINDOWS
    units = [max(counter.unit for counter in counters) for counters in log.counters.values()]
    least = max(smallest * (1 - 1e-9), _COUNTS * max(units))
    found: list[Window] = []
    begin = run[0]
    for snapshot in run[1:]:
        if snapshot.host - begin.host >= least:
            found.append(Window(snapshot.host - begin.host, snapshot.physical - begin.physical))
            begin = snapshot
    if len(found) < _FEWEST_WINDOWS:
        what = f"{len(found)} pieces in what counts, and {_FEWEST_WINDOWS} are needed"
        help = f"log at least every {smallest / _GIB:,.1f} GiB"
        if least > smallest:
            help = (
                f"a piece needs {_COUNTS} counts, and one is {max(units):,} bytes: take a finer "
                f"counter, or write {_FEWEST_WINDOWS * least / _GIB:,.1f} GiB or more of the drive"
            )
        raise WorkloadError(what, place, help)
    return tuple(found)


def _drift(windows: Sequence[Window]) -> float:
    half = len(windows) // 2
    return amplification(windows[half:]) / amplification(windows[:half]) - 1
