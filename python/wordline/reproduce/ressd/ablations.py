"""What moves the results of ReSSD: one assumption at a time set otherwise.

The publication gives none of these values, or leaves room in what it says. Each figure shows one
measure under all of them: the change that ReSSD makes, as mean, lowest and highest of the
volumes, and by how much the assumption moves the mean.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from wordline.reproduce.ressd.assumptions import AS_IS, ASSUMPTIONS
from wordline.reproduce.ressd.drives import (
    AS_PUBLISHED,
    IDEAL,
    MLC,
    RAID,
    RESSD,
    VIRTUAL,
    Keys,
    ideal,
)
from wordline.reproduce.ressd.measures import (
    MEASURES,
    Value,
    changes,
    direct_share,
    moved_per_page,
    part,
    times_as_enduring,
)
from wordline.reproduce.study import Figure, Findings, Load, Study
from wordline.reproduce.traces import msr

# Soon run, and of such pairs one whose means lie near those of all fifteen.
_VOLUMES = ("stg_0", "prn_1")

# What is compared: the system with ReSSD or its like, and the one without, by how drives are named.
_PAIRS: Mapping[str, tuple[str, str]] = {
    "array": ("rss", "raid"),
    "drive": ("ressd", "baseline"),
    "virtual": ("rss_virtual", "rss"),
    "layers": (f"rss_{IDEAL}_layers", "rss"),
    "mlc": ("raid_mlc", "raid"),
}
_SYSTEMS: Mapping[str, Keys] = {
    "raid": RAID,
    "rss": (*RAID, *RESSD),
    "rss_virtual": (*RAID, *VIRTUAL),
    f"rss_{IDEAL}_layers": (*RAID, *ideal(IDEAL)),
    "raid_mlc": (*RAID, *MLC),
    "baseline": (),
    "ressd": RESSD,
}


def _is_of_ressd(system: str) -> bool:
    return any(key.startswith("technique.ressd") for key in _SYSTEMS[system])


def _drive(system: str, name: str) -> str:
    """The name of a system under an assumption; where it changes nothing, that of as it is."""
    assumed = ASSUMPTIONS[name]
    is_changed = assumed.shared or (assumed.own and _is_of_ressd(system))
    return f"{system} {name}" if is_changed else f"{system} {AS_IS}"


def _assumed(compared: str) -> list[str]:
    """The assumptions under which a pair is compared."""
    return [
        name
        for name, assumed in ASSUMPTIONS.items()
        if compared == "array" or compared in assumed.beyond
    ]


def _drives() -> Mapping[str, Keys]:
    drives: dict[str, Keys] = {}
    for compared, pair in _PAIRS.items():
        for name in _assumed(compared):
            assumed = ASSUMPTIONS[name]
            for system in pair:
                own = assumed.own if _is_of_ressd(system) else ()
                keys = (*AS_PUBLISHED, *_SYSTEMS[system], *assumed.shared, *own)
                drives[_drive(system, name)] = keys
    return drives


def _told(found: Findings, by_name: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Of an assumption's values by volume the mean, the ends, and how far it moves the mean."""
    told: dict[str, float] = {}
    means: dict[str, float] = {}
    for name, values in by_name.items():
        of_loads = [
            values[f"of/{load.name}"] for load in found.loads if f"of/{load.name}" in values
        ]
        means[name] = fmean(of_loads)
        told |= {
            f"mean/{name}": means[name],
            f"lowest/{name}": min(of_loads),
            f"highest/{name}": max(of_loads),
        }
    shifts = {f"moves_mean/{name}": mean - means[AS_IS] for name, mean in means.items()}
    return told | {name: shift for name, shift in shifts.items() if not name.endswith(AS_IS)}


def _pair(compared: str, name: str) -> tuple[str, str]:
    with_it, without = _PAIRS[compared]
    return _drive(with_it, name), _drive(without, name)


def _changes(found: Findings, compared: str, measure: str) -> Mapping[str, float]:
    of = MEASURES[measure]
    names = _assumed(compared)
    return _told(found, {n: changes(found, of, _pair(compared, n), "of") for n in names})


def _of_one(found: Findings, system: str, value: Value) -> Mapping[str, float]:
    """A value of one of the arrays by itself."""

    def values(name: str) -> Mapping[str, float]:
        drive = _drive(system, name)
        return {f"of/{load.name}": value(found.result(drive, load)) for load in found.loads}

    return _told(found, {name: values(name) for name in _assumed("array")})


def _endurance(found: Findings) -> Mapping[str, float]:
    def values(name: str) -> Mapping[str, float]:
        mlc, raid = _pair("mlc", name)
        return times_as_enduring(found, {mlc: "mlc", raid: "baseline"}, (mlc, raid), "of")

    return _told(found, {name: values(name) for name in _assumed("mlc")})


def _needed(compared: str) -> tuple[str, ...]:
    names = _assumed(compared)
    return tuple(dict.fromkeys(drive for name in names for drive in _pair(compared, name)))


def _figures(compared: str, beginning: str, titles: Mapping[str, str]) -> list[Figure]:
    return [
        Figure(
            f"{beginning}{measure}",
            title,
            partial(_changes, compared=compared, measure=measure),
            "%",
            _needed(compared),
            charted=("mean/",),
        )
        for measure, title in titles.items()
    ]


def _of_ones() -> list[Figure]:
    ones: Mapping[str, tuple[str, str, Value]] = {
        "moved_per_page": (
            "Pages that GC moves per page written, without ReSSD (implied by Section 7.2.1: 180 %)",
            "raid",
            moved_per_page,
        ),
        "share_of_writes": (
            "Pages consumed by writes, of all with ReSSD (Section 7.2.1: 34.5 %)",
            "rss",
            part("writes"),
        ),
        "share_of_gc": (
            "Pages consumed by GC, of all with ReSSD (Section 7.2.1: 51.1 %)",
            "rss",
            part("gc"),
        ),
        "share_of_fully_invalidated": (
            "Pages consumed by moves from candidates and spent blocks (Section 7.2.1: 14.4 %)",
            "rss",
            part("fully_invalidated"),
        ),
        "direct_share": (
            "Direct erases, of all with ReSSD (implied by Section 7.2.2: 28 %)",
            "rss",
            direct_share,
        ),
    }
    return [
        Figure(
            name,
            title,
            partial(_of_one, system=system, value=value),
            "%",
            _needed("array"),
            charted=("mean/",),
        )
        for name, (title, system, value) in ones.items()
    ]


_OF_ARRAY = {
    "consumption": "Flash pages consumed (Figure 13: −29.9 %)",
    "writes": "Flash pages consumed by writes (Section 7.2.1: −31.6 %)",
    "moved": "Flash pages consumed by moves (Section 7.2.1: −27.9 %)",
    "erases": "Erases (Figure 15: −30.6 %)",
    "gc_moving": "GC that moves pages (Figure 15: −49.4 %)",
    "gc_time": "GC time (Figure 14: −48.3 %)",
    "writes_per_erase": "Page writes per erase (Figure 16: +30.3 %)",
    "write_latency": "Write latency (Figure 17: −16.7 %)",
    "read_latency": "Read latency (Figure 17: −6.3 %)",
    "free_pages": "Free pages (Figure 18: +7.71 %)",
}
_OF_DRIVE = {
    "consumption": "Flash pages consumed by one drive (Figure 19: −20.5 %)",
    "writes_per_erase": "Page writes per erase of one drive (Figure 20: +13.3 %)",
}
_OF_VIRTUAL = {
    "consumption": "Virtual super layers: flash pages consumed (Figure 27: −5.5 %)",
    "erases": "Virtual super layers: erases (Figure 25: −2.1 %)",
    "gc_time": "Virtual super layers: GC time (Figure 14: −2.5 %)",
    "writes_per_erase": "Virtual super layers: page writes per erase (+6.5 or +12.2 %)",
    "write_latency": "Virtual super layers: write latency (−0.8 or −0.3 %)",
}
_OF_LAYERS = {
    "consumption": "32 layers: flash pages consumed (Figure 27: −7 %)",
    "writes_per_erase": "32 layers: page writes per erase (Figure 27: +16.6 %)",
    "write_latency": "32 layers: write latency (Figure 27: −0.8 %)",
}
_OF_MLC = {
    "write_latency": "MLC mode: write latency (Figure 22: −27.8 %)",
    "read_latency": "MLC mode: read latency (Figure 22: −8.5 %)",
}

FIGURES: Sequence[Figure] = (
    *_figures("array", "", _OF_ARRAY),
    *_of_ones(),
    *_figures("drive", "drive_", _OF_DRIVE),
    *_figures("virtual", "virtual_", _OF_VIRTUAL),
    *_figures("layers", "layers_", _OF_LAYERS),
    *_figures("mlc", "mlc_", _OF_MLC),
    Figure(
        "mlc_endurance",
        "MLC mode: how many times as long it endures as TLC (Figure 22: 13.4 times)",
        _endurance,
        "times",
        _needed("mlc"),
        charted=("mean/",),
    ),
)


def _notes() -> Mapping[str, str]:
    """What each assumption sets, beside its mean."""
    return {
        f"ressd-ablations/{figure.name}/mean/{name}": assumed.told
        for figure in FIGURES
        for name, assumed in ASSUMPTIONS.items()
    }


def _loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    names = _VOLUMES[:1] if quick else _VOLUMES
    return [msr(name, "ressd", traces, 1_000_000) for name in names]


STUDY = Study(
    paper="ressd-ablations",
    source="not published: what moves the results of Gao et al., ACM TOS 18(1):9, 2022",
    base="ressd-576g",
    drives=_drives(),
    loads=_loads,
    figures=FIGURES,
    notes=_notes(),
)
