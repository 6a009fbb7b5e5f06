"""The workloads, whole weeks of twelve volumes of MSR Cambridge: Table 1 and Figure 6."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordline.reproduce.centaur.drives import SCALE
from wordline.reproduce.study import Figure, Findings, Load, known
from wordline.reproduce.traces import find
from wordline.traces import trace_info

SOURCE = "Liu et al., POMACS 4(2):28, 2020"

LIFE, SPEED, WEEK = "life", "speed", "week"
"""Ways to replay a volume: until erases are steady, as fast as it goes, and at its times."""

WINDOW = "window"
"""As fast as it goes on drives of the publication's size: the first requests of the whole week."""

DIE, UNIFORM, PART = "die", "uniform", "part"
"""Random writes of one size: to dies, to whole drives, and to a part of a die."""

SPANS = {"whole": UNIFORM, "24_gb": "uniform in 24 GB"}
"""Where random writes of a size go: Figure 5 writes 24 GB, which fit the 2D flash."""

HALF = ", half"
"""How ways end that write half as much."""

SIZES_KIB = (4, 8, 16, 32, 64, 96, 192, 512, 2048)
"""Figure 5."""

DRIVE_SIZES_KIB = (8, 32, 64, 96, 192)
"""Figure 24."""


@dataclass(frozen=True)
class Row:
    """A row of Table 1: millions of requests, GB written, and GB touched by reads and by writes."""

    reads_m: float
    writes_m: float
    written_gb: float
    touched_gb: float


# In the order of Table 1.
ROWS = {
    "hm_1": Row(0.58, 0.028, 0.553, 2.64),
    "prn_0": Row(0.602, 4.983, 45.96, 16.1),
    "prn_1": Row(8.464, 2.77, 30.78, 85.3),
    "proj_0": Row(0.527, 3.697, 144.26, 3.39),
    "proj_1": Row(21.143, 2.497, 25.57, 702.53),
    "proj_2": Row(25.642, 3.625, 168.68, 564.5),
    "prxy_0": Row(0.384, 12.135, 53.8, 0.44),
    "src1_1": Row(43.576, 2.17, 30.34, 120.85),
    "src1_2": Row(0.484, 1.424, 44.14, 2.2),
    "stg_1": Row(1.4, 0.796, 5.98, 79.81),
    "usr_1": Row(41.426, 3.858, 56.12, 675.72),
    "usr_2": Row(8.575, 1.995, 26.46, 387.82),
}

QUICK = ("prxy_0", "src1_2")
"""Mostly small writes, and mostly larger ones."""

# Gigabytes that the host of the scaled drive writes; the second half of them counts.
_LIFE_GB = 8.0
_LIFE_GB_QUICK = 2.0
# The same of a trace, whose drives are 32 times as large: enough for the criterion to move.
_TRACE_GB = 32.0
# Of the logical space, which a twin must fit.
_LOGICAL_GB = 214.0 * 0.85
# How often the initial data is overwritten before that. It takes 0.46 of the 3D flash that has it
# all, so that 1.1 times fill what is free.
_OVERWRITES = 1.5
# Requests of a replay as fast as it goes.
_SPEED_REQUESTS = 400_000
_SPEED_REQUESTS_QUICK = 40_000


def sample(name: str, most: float) -> float:
    """The share of a week's requests that is generated: a spatial sample that fits the drive."""
    row = ROWS[name]
    fits = min(1.0, _LOGICAL_GB / row.touched_gb)
    return min(fits / SCALE, most / ((row.reads_m + row.writes_m) * 1e6))


def _requests(name: str, share: float) -> int:
    row = ROWS[name]
    return round((row.reads_m + row.writes_m) * 1e6 * share)


AGED = (f"precondition.overwrites={_OVERWRITES}",)
"""No block is fresh: erases have a steady rate as soon as programs have one."""


def _life(name: str, path: Path | None, quick: bool) -> Load:
    """Writes alone, again and again; the second half of them counts."""
    if path:
        # On drives of the publication's size (`WHOLE`).
        written_gb, least_gb = trace_info(path).total.bytes.written / _GIB, _TRACE_GB
    else:
        written_gb, least_gb = ROWS[name].written_gb / SCALE, _LIFE_GB
    laps = 2 * max(1, round((_LIFE_GB_QUICK if quick else least_gb) / written_gb / 2))
    keys = (
        "host.mode=open",
        f"workload.repeat={laps}",
        f"run.measure_from_repeat={laps // 2 + 1}",
        *AGED,
    )
    requests = _requests(name, 1 / SCALE)
    source = str(path) if path else f"twin:centaur/{name}:requests={requests},ops=write"
    return Load(name, source, way=LIFE, keys=keys)


def _window(name: str, path: Path | None, quick: bool) -> Load:
    most = _SPEED_REQUESTS_QUICK if quick else _SPEED_REQUESTS
    fits = min(1.0, _LOGICAL_GB / ROWS[name].touched_gb)
    source = str(path) if path else f"twin:centaur/{name}:requests={_requests(name, fits)}"
    return Load(name, source, most, WINDOW, ("host.mode=closed", "host.queue_depth=32"))


def _once(name: str, path: Path | None, quick: bool, way: str) -> Load:
    most = _SPEED_REQUESTS_QUICK if quick else _SPEED_REQUESTS
    requests = _requests(name, sample(name, most))
    as_fast_as_it_goes = ("host.mode=closed", "host.queue_depth=32")
    mode = as_fast_as_it_goes if way == SPEED else ("host.mode=open", "host.breakdown=true")
    if path:
        return Load(name, str(path), most, way, mode)
    return Load(name, f"twin:centaur/{name}:requests={requests}", way=way, keys=mode)


def size(kib: int) -> str:
    """What random writes of a size are called."""
    return f"{kib} kb"


# Figure 5 writes 24 GB; on the scale, and as much again before it counts.
_DIE_MIB = 24 * 1024 / SCALE
_TWICE = ("host.mode=closed", "workload.repeat=2", "run.measure_from_repeat=2")


def _random(kib: int, mib: float, way: str, more: str = "") -> Load:
    writes = max(1, round(mib * 1024 / kib))
    keys = _TWICE if way in (DIE, PART) else (*_TWICE, *AGED)
    return Load(size(kib), f"uniform:writes={writes},size_kib={kib}{more}", way=way, keys=keys)


def _random_writes(quick: bool) -> list[Load]:
    dies = (8, 192) if quick else SIZES_KIB
    drives = (8, 192) if quick else DRIVE_SIZES_KIB
    of_drives_mib = 1024 * (_LIFE_GB_QUICK if quick else _LIFE_GB) / 2
    return [
        *(_random(kib, _DIE_MIB, DIE) for kib in dies),
        *(
            _random(kib, of_drives_mib / times, f"{way}{end}", more)
            for way, more in ((UNIFORM, ""), (SPANS["24_gb"], f",span_mib={_DIE_MIB:g}"))
            for times, end in ((1, ""), (2, HALF))
            for kib in drives
        ),
        # A fifth of what the die holds.
        _random(8, _DIE_MIB, PART, f",span_mib={round(0.2 * 26 * 1024 / SCALE)}"),
    ]


def loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    """The user's traces, or twins of the rows of Table 1, each in all ways."""
    names = QUICK if quick else tuple(ROWS)
    paths = {name: find(name, traces) for name in names}
    return [
        *(_life(name, path, quick) for name, path in paths.items()),
        *(_once(name, path, quick, way) for way in (SPEED, WEEK) for name, path in paths.items()),
        *(_window(name, path, quick) for name, path in paths.items()),
        *_random_writes(quick),
    ]


_GIB = 2**30


class _Some:
    """What was found of some of the workloads."""

    def __init__(self, found: Findings, loads: Sequence[Load]) -> None:
        self.loads = loads
        self.is_whole = found.is_whole
        self.result = found.result
        self.traffic = found.traffic


def only(found: Findings, way: str, names: Collection[str] = ()) -> Findings:
    """What was found of workloads that are replayed in one way; of all, where none is named."""
    own = [load for load in found.loads if load.way == way]
    return _Some(found, [load for load in own if not names or load.name in names])


def _table1(found: Findings) -> Mapping[str, float]:
    """The statistics of what is replayed, a sample's as much larger as the week is."""
    values: dict[str, float] = {}
    for load in found.loads:
        total = found.traffic(load).total
        row = ROWS[load.name]
        published = (row.reads_m + row.writes_m) * 1e6
        times = published / total.requests.total if load.is_synthetic else 1.0
        values |= {
            f"reads/{load.name}": total.requests.reads * times / 1e6,
            f"writes/{load.name}": total.requests.writes * times / 1e6,
            f"read/{load.name}": total.bytes.read * times / _GIB,
            f"written/{load.name}": total.bytes.written * times / _GIB,
            f"read_coverage/{load.name}": total.footprint.block_4k.read_bytes * times / _GIB,
            f"write_coverage/{load.name}": total.footprint.block_4k.written_bytes * times / _GIB,
        }
    return values


def median_write_kib(found: Findings, load: Load) -> float:
    """The size that half of the writes do not exceed."""
    return known(found.traffic(load).total.write_size).p50_kib


def _fig6(found: Findings) -> Mapping[str, float]:
    return {f"median_write/{load.name}": median_write_kib(found, load) for load in found.loads}


FIGURES = (
    Figure("table1", "Characteristics of the workloads", _table1, ways=(SPEED,)),
    Figure("fig6", "Sizes of writes: the median", _fig6, "KiB", ways=(SPEED,)),
)
