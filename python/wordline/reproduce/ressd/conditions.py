"""What decides whether reprogramming pays: one condition at a time, beside padding and victims.

Not published. The drive is the plane of the map (`paying.py`) at 28 % over-provisioning, and its
workload follows Zipf's law over all of its data.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from wordline.native.types.run import RunResult
from wordline.report import drawing
from wordline.report.drawing import Chart, rounded
from wordline.report.vega import NAME, QUANTITY, Channel, Mark, Row, chart, names, quantities
from wordline.reproduce.ressd.drives import Keys
from wordline.reproduce.ressd.measures import MEASURES
from wordline.reproduce.study import Figure, Findings, Item, Load, known

ROOM = 0.28
"""Over-provisioning where it is not varied."""
ROOMS = (0.13, 0.5, 1.0)
"""Over-provisioning beside it: the more there is, the less is valid in GC's victims."""
BLOCK_PAGES = 384
"""Pages of a block."""
_PAGE_KIB = 16  # a word line is three of them
_WRITES = 400_000  # of a page: the data is written almost six times over
_INTERVAL_US = 100_000  # between writes of a page; larger ones come as much later
# Where requests follow one another at once, hot is what some 70,000 writes separate, as at 100 ms.
_BOUND_AT_DEPTH = "ftl.hotness.intervals_min=[4]"

SIZES_KIB = (16, 32, 48, 64, 96)
BUFFERS_KIB = (16, 32, 48, 64, 96, 192, 480, 0)
"""What the buffer that acknowledges holds; 0: two programs of every open block."""
DEPTHS = (1, 4, 8, 16, 32, 64)
"""Requests in flight, where each begins when another ends."""
THETAS = (0.9, 1.2, 1.4)
POLICIES = ("greedy", "cost_benefit", "d_choices", "windowed_greedy", "fifo")
ENDINGS = ("program", "buffer")
"""When a write ends."""
WAITING = (0, 4)
"""Candidates that may wait."""


class Point(NamedTuple):
    """A condition: the drive's, without ReSSD, and the workload's."""

    axis: str
    step: str
    ending: str
    buffer_kib: int = 0
    policy: str = "greedy"
    theta: float = THETAS[0]
    size_kib: int = _PAGE_KIB
    depth: int = 0
    room: float = ROOM

    @property
    def drive(self) -> str:
        """The name of the drive without ReSSD; no two drives have the same."""
        held = f" of {self.buffer_kib} KiB" if self.buffer_kib else ""
        depth = f", {self.depth} in flight" if self.depth else ""
        return f"{self.ending}{held}, {self.policy}{depth}{self._room}"

    @property
    def _room(self) -> str:
        return "" if self.room == ROOM else f", {self.room:.0%} over-provisioning"

    @property
    def keys(self) -> Keys:
        """What is laid over the plane."""
        return (
            f"drive.over_provisioning={self.room}",
            f'ftl.acknowledge="{self.ending}"',
            f"ftl.buffer_kib={self.buffer_kib}",
            f'ftl.gc.policy="{self.policy}"',
            *((f"host.queue_depth={self.depth}", _BOUND_AT_DEPTH) if self.depth else ()),
        )

    @property
    def load(self) -> str:
        """The name of the workload."""
        way = ", closed loop" if self.depth else ""
        return f"Zipf {self.theta}, {self.size_kib} KiB{way}{self._room}"

    def source(self, span_mib: int) -> Load:
        """The workload: as many bytes, and as many a second, whatever the size of a request."""
        pages = self.size_kib // _PAGE_KIB
        return Load(
            self.load,
            f"zipf:theta={self.theta},size_kib={self.size_kib},writes={_WRITES // pages},"
            f"interval_us={0 if self.depth else _INTERVAL_US * pages},span_mib={span_mib}",
        )


def _points() -> Sequence[Point]:
    sizes = (Point("request size", f"{n} KiB", "program", size_kib=n) for n in SIZES_KIB)
    depths = (Point("in flight", str(n), "program", depth=n) for n in DEPTHS)
    buffers = (
        Point("buffer_kib", str(n) if n else "default", "buffer", buffer_kib=n) for n in BUFFERS_KIB
    )
    skews = (Point(f"skew, {end}", f"Zipf {n}", end, theta=n) for end in ENDINGS for n in THETAS)
    policies = (Point(f"GC, {end}", of, end, policy=of) for end in ENDINGS for of in POLICIES)
    rooms = (
        Point(f"over-provisioning, {end}", f"{room:.0%}", end, room=room)
        for end in ENDINGS
        for room in ROOMS
    )
    return [*sizes, *depths, *buffers, *skews, *policies, *rooms]


POINTS = _points()


def _with(drive: str, waiting: int) -> str:
    return f"ressd, {waiting} candidates; {drive}"


def drives(plane: Keys) -> Mapping[str, Keys]:
    """The plane under each condition, with and without ReSSD."""
    found: dict[str, Keys] = {}
    for point in POINTS:
        found[point.drive] = own = (*plane, *point.keys)
        for waiting in WAITING:
            ressd = ("technique.ressd.layers=2", f"technique.ressd.candidates={waiting}")
            found[_with(point.drive, waiting)] = (*own, *ressd)
    return found


def loads(span_mib: Callable[[float], int]) -> Sequence[Load]:
    """The workloads, each once; data takes `span_mib` of a plane with that over-provisioning."""
    return list({point.load: point.source(span_mib(point.room)) for point in POINTS}.values())


def _invalid(before: RunResult) -> float:
    """Of the pages in GC's victims, the share without valid data."""
    return 1 - before.gc.pages_moved / (max(before.gc.count, 1) * BLOCK_PAGES)


def _values(found: Findings) -> Mapping[str, float]:
    by_name = {load.name: load for load in found.loads}
    erases = MEASURES["erases"]
    told: dict[str, float] = {}
    for point in POINTS:
        load = by_name[point.load]
        before = found.result(point.drive, load)
        padding = known(before.write_amplification_by_cause).padding
        told[f"padding, {point.axis}/{point.step}"] = 100 * padding
        told[f"invalid in victims, {point.axis}/{point.step}"] = 100 * _invalid(before)
        for waiting in WAITING:
            after = found.result(_with(point.drive, waiting), load)
            change = 100 * (erases(after) / max(erases(before), 1) - 1)
            told[f"erases, {point.axis}, {waiting} waiting/{point.step}"] = change
    return told


def picture(items: Sequence[Item]) -> Chart | None:
    """What ReSSD changes of the erases over the padding without it, condition by condition."""
    ours = {item["id"].split("/", 2)[2]: item["ours"] for item in items}
    rows: list[Row] = [
        {
            "padding": rounded(padding / 100),
            "invalid": rounded(invalid),
            "y": rounded(change),
            "varied": point.axis,
            "step": point.step,
            "waiting": f"{waiting} candidates wait",
        }
        for point in POINTS
        for waiting in WAITING
        if (padding := ours.get(f"padding, {point.axis}/{point.step}")) is not None
        if (invalid := ours.get(f"invalid in victims, {point.axis}/{point.step}")) is not None
        if (change := ours.get(f"erases, {point.axis}, {waiting} waiting/{point.step}")) is not None
    ]
    if not rows:
        return None
    places = chart(
        rows,
        Mark(type="point", size=90, filled=True, opacity=0.7),
        {
            "x": Channel(
                field="padding", type=QUANTITY, title="padding without ReSSD, units a host write"
            ),
            "y": Channel(field="y", type=QUANTITY, title="change of the erases, %"),
            "color": Channel(field="varied", type=NAME, title="varied"),
            "shape": Channel(field="waiting", type=NAME, title=None),
            "tooltip": [
                *names("varied", "step", "waiting"),
                *quantities("padding", "invalid", "y"),
            ],
        },
    )
    told = "Below 0 ReSSD saves erases. Each place is a condition; one thing is varied at a time."
    return drawing.finish("Where programs are padded, reprogramming pays", told, places, 320)


def figure(plane: Keys) -> Figure:
    """The figure of all conditions."""
    runs: dict[str, list[str]] = {}
    for point in POINTS:
        for drive in (point.drive, *(_with(point.drive, waiting) for waiting in WAITING)):
            runs.setdefault(drive, []).append(point.load)
    return Figure(
        "conditions",
        "Erases: what ReSSD changes; without it, padding and what is invalid in victims",
        _values,
        "%",
        tuple(drives(plane)),
        loads=tuple(dict.fromkeys(point.load for point in POINTS)),
        loads_of=runs,
        is_quick=False,
        drawn=picture,
    )
