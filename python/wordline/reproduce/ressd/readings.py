"""The array of RSS-RAID as it may also be read, on all volumes.

Not published: what room the publication leaves to its simulator, where two volumes
(`ressd-ablations`) would tell too little.
"""

from collections.abc import Callable, Mapping

from wordline.reproduce.ressd.assumptions import ASSUMPTIONS, Assumption
from wordline.reproduce.ressd.drives import AS_PUBLISHED, RAID, RESSD, Keys
from wordline.reproduce.ressd.measures import MEASURES, changes_of, parts
from wordline.reproduce.ressd.workloads import loads
from wordline.reproduce.study import Figure, Findings, Study

_READINGS: Mapping[str, Assumption] = {
    **{name: ASSUMPTIONS[name] for name in ("third_page_lost", "in_parts_with_stamps_of_pages")},
    "room_to_begin_with": Assumption(
        'precondition.pattern = "random": initial data without gaps, so that GC hardly starts',
        ('precondition.pattern="random"',),
    ),
}
# What can be said where GC hardly starts.
_WITHOUT_GC = ("consumption", "writes", "free_pages", "write_latency", "read_latency")


def _pair(name: str) -> tuple[str, str]:
    return f"rss {name}", f"raid {name}"


def _drives() -> Mapping[str, Keys]:
    drives: dict[str, Keys] = {}
    for name, reading in _READINGS.items():
        with_it, without = _pair(name)
        keys = (*AS_PUBLISHED, *RAID)
        drives[without] = (*keys, *reading.shared)
        drives[with_it] = (*keys, *RESSD, *reading.shared, *reading.own)
    return drives


def _values(name: str) -> Callable[[Findings], Mapping[str, float]]:
    measures = _WITHOUT_GC if name == "room_to_begin_with" else tuple(MEASURES)

    def values(found: Findings) -> Mapping[str, float]:
        with_it, _ = _pair(name)
        return {**changes_of(*measures, drives=_pair(name))(found), **parts(found, with_it)}

    return values


STUDY = Study(
    paper="ressd-readings",
    source="not published: the array of Gao et al., ACM TOS 18(1):9, 2022, read in other ways",
    base="ressd-576g",
    drives=_drives(),
    loads=loads,
    figures=tuple(
        Figure(name, reading.told, _values(name), "%", _pair(name))
        for name, reading in _READINGS.items()
    ),
)
