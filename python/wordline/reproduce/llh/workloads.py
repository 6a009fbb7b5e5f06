"""The workloads: weeks of MSR Cambridge and of FIU, and three with Zipf's law (Table 6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from math import ceil
from pathlib import Path

from wordline.components import catalogue
from wordline.configuration import find
from wordline.reproduce.llh.drives import BASE, name
from wordline.reproduce.study import Figure, Findings, Load, known
from wordline.reproduce.traces import msr

SOURCE = "Margaglia et al., USENIX FAST 2016"

MSR = ("src1_2", "stg_0", "hm_0", "rsrch_0", "src2_0", "ts_0", "usr_0", "wdev_0", "prxy_0",
       "proj_0", "web_0")  # fmt: skip
FIU = ("online", "webresearch", "webusers", "webmail", "web-online")
ZIPF = ("zipf_0.9", "zipf_0.95", "zipf_1")
NAMES = (*MSR, *FIU, *ZIPF)
"""In the order of Table 6."""

_QUICK = ("stg_0", "online")

# Representative volumes of MSR, on drives of 16 and 32 GB.
TIMED_VOLUMES = ("src1_2", "stg_0", "rsrch_0")

BANKS = 16
# So many of them are simulated, with their share of the requests: each bank works for itself.
_SIMULATED = 1

# Drive capacities written before counting, and while counting: with less, the walk of the
# threshold shows.
_WARM, _COUNTED = 3.0, 6.0

# Section 6: filled, replayed twice, ten times as fast; the last twelve hours count.
_WEEK_S, _LAST_S, _REPLAYS, _FASTER = 7 * 86_400, 12 * 3600, 2, 10

# Section 5.3: of a sequence of pages, those from the third on are cold.
_HOTNESS_FIU = ('ftl.hotness.policy="sequence"', "ftl.hotness.run_kib=12")


@dataclass(frozen=True)
class Row:
    """A line of Table 6.

    Attributes:
        days: Length of the trace; 0 of what was generated.
        requests: How many.
        drive_gib: Size of the drive, all blocks.
        written_gib: Volume written.
        hot: Share of the writes that is hot.
    """

    days: int
    requests: int
    drive_gib: float
    written_gib: float
    hot: float


@cache
def rows() -> Mapping[str, Row]:
    """Table 6, as the twins have it."""
    twins = {twin["name"]: twin["values"] for twin in catalogue.load()["twins"]}
    found: dict[str, Row] = {}
    for volume in NAMES:
        values = {value["key"]: value["value"] for value in twins[f"twin:llh/{volume}"]}
        days = 7 if volume in MSR else 21 if volume in FIU else 0
        requests = values["rate_per_s"] * days * 86_400 or values["requests_m"] * 1e6
        found[volume] = Row(
            days,
            round(requests),
            values["drive_gb"],
            values["written_gib"],
            values["hot_write_ratio"],
        )
    return found


def _drive(row: Row, banks: int) -> tuple[str, ...]:
    """The keys of a drive of that size, or of some of its banks (Section 5.3)."""
    base = find(BASE).resolve()["drive"]
    channels = min(base["channels"], banks)
    blocks = round(base["chip"]["blocks_per_plane"] * row.drive_gib / 16)
    return (
        f"drive.channels={channels}",
        f"drive.chips_per_channel={banks // channels}",
        f"drive.chip.blocks_per_plane={blocks}",
    )


def _passes(row: Row) -> tuple[str, ...]:
    """The keys that replay a workload to warm a drive up, and go on for long enough to count."""
    warm, counted = (ceil(of * row.drive_gib / row.written_gib) for of in (_WARM, _COUNTED))
    return (f"workload.repeat={warm + counted}", f"run.measure_from_repeat={warm + 1}")


@cache
def hot_share(theta: float, pages: int) -> float:
    """Share of the pages, the most accessed ones, that take half of the accesses of Zipf's law."""
    sums = list(accumulate(page**-theta for page in range(1, pages + 1)))
    return sum(1 for so_far in sums if so_far <= sums[-1] / 2) / pages


def _hotness(volume: str, row: Row, banks: int) -> tuple[str, ...]:
    if volume in FIU:
        return _HOTNESS_FIU
    if volume not in ZIPF:
        return ()
    resolved = find(BASE).resolve()["drive"]
    op, unit_kib = resolved["over_provisioning"], 4
    pages = round(row.drive_gib / (1 + op) * 2**20 / unit_kib * banks / BANKS)
    share = hot_share(float(volume.removeprefix("zipf_")), pages)
    return ('ftl.hotness.policy="oracle"', f"ftl.hotness.hot_share={share:.7f}")


def load(volume: str, traces: Path | None, banks: int = _SIMULATED) -> Load:
    """A workload: the user's trace on the whole drive, or a sample of a twin on some banks."""
    row = rows()[volume]
    own = msr(volume, "llh", traces)
    whole = not own.is_synthetic
    used = BANKS if whole else banks
    keys = (*_drive(row, used), *_passes(row), *_hotness(volume, row, used))
    sample = own.source if whole else f"{own.source}:requests={row.requests * used // BANKS}"
    return Load(volume, sample, keys=keys)


def timed(volume: str, traces: Path | None) -> Load:
    """A workload whose response times are looked at: whole, and ten times as fast."""
    row = rows()[volume]
    last_s = (_REPLAYS * _WEEK_S - _LAST_S) / _FASTER
    keys = (f"workload.repeat={_REPLAYS}", f"run.measure_from_s={last_s}")
    own = msr(volume, "llh", traces)
    return Load(f"{volume}_timed", own.source, keys=(*_drive(row, BANKS), *keys))


def not_filled(volume: str, traces: Path | None) -> Load:
    """A workload on a drive that holds what it wrote, and nothing else."""
    of = load(volume, traces)
    keys = (*of.keys, 'precondition.pattern="none"')
    return replace(of, name=f"{volume}_not_filled", keys=keys)


_FROM_THE_FILL = "_from_the_fill"
FROM_THE_FILL = tuple(f"{volume}{_FROM_THE_FILL}" for volume in NAMES)


def volume_of(load: str) -> str:
    """The workload's name in Table 6."""
    return load.removesuffix(_FROM_THE_FILL)


def from_the_fill(volume: str, traces: Path | None) -> Load:
    """Filled, then replayed twice, all of it counted: with a fresh threshold."""
    of = load(volume, traces)
    keys = [key for key in of.keys if not key.startswith(("workload.", "run."))]
    name = f"{volume}{_FROM_THE_FILL}"
    return replace(of, name=name, keys=(*keys, f"workload.repeat={_REPLAYS}"))


_SPAN_MIB = 2
"""Less than a block of each bank: whatever is not among the last writes is invalid."""

HOT, HOT_FOR_LONG = "all hot", "all hot, for long"
# Enough for lives of 100 and of 1,000 cycles.
_HOT_WRITES = {HOT: 4e6, HOT_FOR_LONG: 4e7}


def _all_hot(name: str) -> Load:
    """Nothing but hot data, all of it invalid when its block is needed again."""
    source = f"uniform:writes={_HOT_WRITES[name]:g},size_kib=4,span_mib={_SPAN_MIB}"
    small = ("drive.channels=1", "drive.chips_per_channel=1", "drive.chip.blocks_per_plane=32")
    keys = ('precondition.pattern="none"', "workload.repeat=1")
    return Load(name, source, keys=(*small, *keys))


def loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    """The workloads of all figures."""
    if quick:
        return [*(load(volume, traces, 1) for volume in _QUICK), _all_hot(HOT)]
    return [
        *(load(volume, traces) for volume in NAMES),
        *(from_the_fill(volume, traces) for volume in NAMES),
        *(timed(volume, traces) for volume in TIMED_VOLUMES),
        *map(_all_hot, _HOT_WRITES),
    ]


TIMED_NAMES = tuple(f"{volume}_timed" for volume in TIMED_VOLUMES)


def _scale(found: Findings, of: Load) -> float:
    """How many times as large the published workload is as the sample of it."""
    row = rows()[of.name]
    return row.requests / found.traffic(of).total.requests.total if of.is_synthetic else 1.0


def _table6(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for of in found.loads:
        row, total, scale = rows()[of.name], found.traffic(of).total, _scale(found, of)
        hot = found.result(name("half", 28), of).technique["llh_ftl"]["writes"]["hot_share"]
        values |= {
            f"requests/{of.name}": scale * total.requests.total / 1e6,
            # What has no length of its own is sampled at its full rate.
            f"rate/{of.name}": (scale if row.days else 1) * known(total.time.requests_per_s),
            f"write_share/{of.name}": 100 * known(total.requests.write_share),
            f"hot_write_share/{of.name}": 100 * hot,
            f"written/{of.name}": scale * total.bytes.written / 2**30,
        }
    return values


TABLE6 = Figure(
    "table6",
    "Characteristics of the workloads",
    _table6,
    drives=(name("half", 28),),
    loads=NAMES,
)
