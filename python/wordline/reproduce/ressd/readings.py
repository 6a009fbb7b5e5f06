"""The array of RSS-RAID as it may also be read, on all volumes.

Not published: what room the publication leaves to its simulator, where two volumes
(`ressd-ablations`) would tell too little.
"""

from collections.abc import Callable, Mapping, Sequence

from wordline.reproduce.ressd.assumptions import ASSUMPTIONS, Assumption
from wordline.reproduce.ressd.drives import AS_PUBLISHED, FREE, MLC, RAID, RESSD, Keys
from wordline.reproduce.ressd.measures import (
    MEASURES,
    changes,
    changes_of,
    parts,
    times_as_enduring,
)
from wordline.reproduce.ressd.workloads import loads
from wordline.reproduce.study import Figure, Findings, Study

# SSDSim's cache, as its parameters are published: 131,074 bytes, eight pages of this drive. A write
# ends in it, or once what has to leave for it is programmed, the least recently used first.
_CACHE = "host.write_buffer_mib=0.125"
_SSDSIM: Keys = (_CACHE, 'ftl.incomplete="leave"')
_SSDSIM_3D: Keys = (_CACHE, 'ftl.acknowledge="buffer"')

_ROOM = "room_to_begin_with"
_READINGS: Mapping[str, Assumption] = {
    **{
        name: ASSUMPTIONS[name]
        for name in ("registers_wait_until_full", "in_parts_with_stamps_of_pages")
    },
    "in_parts_with_stamps_third_page_free": Assumption(
        "the same, and GC takes the third page for free",
        ASSUMPTIONS["in_parts_with_stamps_of_pages"].shared,
        own=(FREE,),
    ),
    "ssdsim": Assumption(
        "as SSDSim writes: a cache of 128 KiB, and a program for each page that leaves it",
        _SSDSIM,
    ),
    "ssdsim_third_page_free": Assumption(
        "the same, and GC takes the third page for free", _SSDSIM, own=(FREE,)
    ),
    "ssdsim_in_3d": Assumption(
        "as 3D_SSDSim writes: what leaves the cache waits until it fills a program",
        _SSDSIM_3D,
    ),
    "ssdsim_in_3d_third_page_free": Assumption(
        "the same, and GC takes the third page for free", _SSDSIM_3D, own=(FREE,)
    ),
    "blocking": Assumption(
        'technique.ressd.reclaim = "blocking": a hot write waits for a reclaim (Section 4.3)',
        own=('technique.ressd.reclaim="blocking"',),
    ),
    "blocking_third_page_free": Assumption(
        "the same, and GC takes the third page for free",
        own=('technique.ressd.reclaim="blocking"', FREE),
    ),
    "next_hot_write": Assumption(
        'technique.ressd.reclaim = "next_hot_write": a candidate waits for another hot write',
        own=('technique.ressd.reclaim="next_hot_write"',),
    ),
    "next_hot_write_third_page_free": Assumption(
        "the same, and GC takes the third page for free",
        own=('technique.ressd.reclaim="next_hot_write"', FREE),
    ),
    "along_word_line": Assumption(
        'technique.ressd.along = "word_line": two host writes and one moved page in a program',
        own=('technique.ressd.along="word_line"',),
    ),
    "physical_data": Assumption(
        "92 % of the physical space holds data, all of it written: GC starts at 1 % free pages, "
        "because with 8 % no room is left for the blocks that are being written",
        (
            "drive.over_provisioning=0.087",
            "precondition.fill=1.0",
            "ftl.gc.free_block_threshold=0.01",
        ),
    ),
    _ROOM: Assumption(
        'precondition.pattern = "random": initial data without gaps, so that GC hardly starts',
        ('precondition.pattern="random"',),
        beyond=("mlc",),
    ),
}
_SPACE = ("physical_data", _ROOM)
_SIMULATORS = tuple(name for name in _READINGS if name.startswith("ssdsim"))
_CANDIDATES = tuple(
    name for name in _READINGS if name.startswith(("blocking", "next_hot_write", "along"))
)
_PROGRAMS = tuple(name for name in _READINGS if name not in (*_SPACE, *_SIMULATORS, *_CANDIDATES))
# What can be said where GC hardly starts.
_WITHOUT_GC = ("consumption", "writes", "free_pages", "write_latency", "read_latency")

_ARRAYS = ("rss", "raid")
_MLC = ("raid_mlc", "raid")


def _pair(systems: tuple[str, str], name: str) -> tuple[str, str]:
    with_it, without = systems
    return f"{with_it} {name}", f"{without} {name}"


def _has_mlc(name: str) -> bool:
    return "mlc" in _READINGS[name].beyond


def _needed(name: str) -> tuple[str, ...]:
    mlc = _pair(_MLC, name)[:1] if _has_mlc(name) else ()
    return (*_pair(_ARRAYS, name), *mlc)


def _drives(names: Sequence[str]) -> Mapping[str, Keys]:
    drives: dict[str, Keys] = {}
    for name in names:
        reading = _READINGS[name]
        own = {"raid": (), "rss": (*RESSD, *reading.own), "raid_mlc": MLC}
        for drive in _needed(name):
            keys = own[drive.split(" ")[0]]
            drives[drive] = (*AS_PUBLISHED, *RAID, *reading.shared, *keys)
    return drives


def _of_mlc(found: Findings, name: str) -> Mapping[str, float]:
    """Of MLC mode the latencies and, where blocks are erased, how many times as long it endures."""
    mlc, raid = _pair(_MLC, name)
    told: dict[str, float] = {}
    for measure in ("write_latency", "read_latency"):
        told |= changes(found, MEASURES[measure], (mlc, raid), f"mlc_{measure}")
    if name != _ROOM:
        kinds = {mlc: "mlc", raid: "baseline"}
        told |= times_as_enduring(found, kinds, (mlc, raid), "mlc_endurance")
    return told


def _values(name: str) -> Callable[[Findings], Mapping[str, float]]:
    measures = _WITHOUT_GC if name == _ROOM else tuple(MEASURES)
    arrays = _pair(_ARRAYS, name)

    def values(found: Findings) -> Mapping[str, float]:
        told = {**changes_of(*measures, drives=arrays)(found), **parts(found, arrays[0])}
        return {**told, **_of_mlc(found, name)} if _has_mlc(name) else told

    return values


def _study(paper: str, what: str, names: Sequence[str]) -> Study:
    return Study(
        paper=paper,
        source=f"not published: the array of Gao et al., ACM TOS 18(1):9, 2022, {what}",
        base="ressd-576g",
        drives=_drives(names),
        loads=loads,
        figures=tuple(
            Figure(name, _READINGS[name].told, _values(name), "%", _needed(name)) for name in names
        ),
    )


STUDIES = (
    _study("ressd-readings", "by other readings of its space", _SPACE),
    _study("ressd-programs", "with programs filled in other ways", _PROGRAMS),
    _study("ressd-ssdsim", "with programs filled as public simulators do", _SIMULATORS),
    _study("ressd-candidates", "with candidates reclaimed in other ways", _CANDIDATES),
)
"""Several, because all of them take three quarters of an hour on two cores."""
