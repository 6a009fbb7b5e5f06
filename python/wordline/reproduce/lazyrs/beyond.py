"""What the publication does not try: rivals, lifetimes apart, warmth, wear, other drives, arrays.

Not published: each figure sets variants of lazyFTL_D, or other drives, beside a base.
"""

from collections.abc import Callable, Mapping

from wordline.native.types.run import RunResult
from wordline.reproduce.lazyrs.drives import ACCELERATED, FTLS, HOSTS, RUN, SHORT_DAYS, Keys
from wordline.reproduce.lazyrs.measures import iops, lazy, programs, reprogramming_ratio
from wordline.reproduce.lazyrs.workloads import INTENSE, PUBLISHED
from wordline.reproduce.lazyrs.workloads import loads as all_loads
from wordline.reproduce.study import Figure, Findings, Study

_OWN = "technique.lazy_ftl"
_CACHE = "technique.slc_cache"

# A program with one bit in a cell, of the conventional one: the cells of presets/cells/lazyrs-tlc,
# 1,179 of 2,000 us; and the 200 us that is usual in SLC caches, whose steps are larger.
_SLC_US = {"cells": 1179, "usual": 200}
_SLC_READ_US = 26

# A dynamic cache is its static part on these drives, which are full.
_RIVALS: Mapping[str, Keys] = {
    "page": FTLS["page"],
    "lazy": FTLS["lazy"],
    "lazy, moves lazy": (*FTLS["lazy"], f"{_OWN}.moves=lazy"),
    **{
        f"slc static, {told}": (
            f"{_CACHE}.size=static",
            f"{_CACHE}.program_us={us}",
            f"{_CACHE}.read_us={_SLC_READ_US}",
        )
        for told, us in _SLC_US.items()
    },
}

_LIFETIMES: Mapping[str, Keys] = {
    "together": (),
    "by_size": ('ftl.hotness.policy="size"',),
    "by_interval": ('ftl.hotness.policy="interval"',),
    "by_page_interval": ('ftl.hotness.policy="page_interval"',),
}
"""How data that lives long is told from data that does not."""

_WARMTH_C = (30, 40, 55)

_WORN_PEC = (500, 750, 900, 950, 990)

_SELECTORS: Mapping[str, Keys] = {
    "fixed": FTLS["lazy"],
    "adaptive": (*FTLS["lazy"], f"{_OWN}.thresholds=adaptive"),
    "m1": FTLS["lazy_d"],
    "m30": FTLS["lazy_m"],
}
_DRIVEN: Mapping[str, tuple[Keys, Keys, str]] = {
    "days": (HOSTS["days"], (), "days"),
    "short days": (ACCELERATED, SHORT_DAYS, "burst"),
}
"""Of each host, its keys, those of lazyFTL's drives, and how IOPS are told."""

# The laboratory's lazyrs-qlc: a program takes 2.256 times as long as TLC's 2,000 us, and a first
# stage that holds a day 0.33 of it.
_QLC: Keys = ("drive.chip.cell=qlc", "drive.chip.program_us=4512")
_QLC_M1 = f"{_OWN}.m1_share=0.330"

_HALF_WORN = "drive.chip.initial_pec=500"
_REO: Keys = (
    "erase.scheme=reo",
    "erase.reo.chip=lazyrs-tlc",
    "drive.reads.model=cell",
    _HALF_WORN,
)
_BY_WEAR = f"{_OWN}.deadlines=by_wear"

_RAID5 = "array.level=raid5"
_PARITY = 'ftl.hotness.policy="parity"'
_MEMBERS = range(4)
_STAGGERED: Keys = tuple(
    f"array.drive.{member}.{_OWN}.{key}"
    for member in _MEMBERS
    for key in ("mode=m1", f"window={(member + 1) / 10}")
)
"""Each drive has its second stages at another time of the day."""

_OTHERS: Mapping[str, tuple[Keys, Mapping[str, Keys]]] = {
    "qlc": (_QLC, {"lazy": (*FTLS["lazy_d"], _QLC_M1)}),
    "reo": (_REO, {"lazy": FTLS["lazy_d"], "lazy, by wear": (*FTLS["lazy_d"], _BY_WEAR)}),
    "raid5": (
        (_RAID5,),
        {
            "lazy": FTLS["lazy_d"],
            "lazy, staggered": (*FTLS["lazy_d"], *_STAGGERED),
            "parity apart": (_PARITY,),
            "parity lazy": (_PARITY, *FTLS["lazy_d"], f"{_OWN}.writes=hot"),
        },
    ),
}
"""Other drives: keys of pageFTL's, and what is set beside it."""

_SECURES = ("in_place", "moved")
_FILLED = 'ftl.acknowledge="buffer"'
"""Acknowledged in the buffer, so that word lines are filled."""


def _rival(of: str, host: str) -> str:
    return f"{of}, {host}"


def _apart(of: str) -> str:
    return f"lifetimes {of}"


def _warm(at_c: int) -> str:
    return f"at {at_c} C"


def _filled(how: str) -> str:
    return f"filled, {how}"


def _worn(pec: int) -> str:
    return f"at {pec} P/E cycles"


def _selector(of: str, host: str) -> str:
    return f"selector {of}, {host}"


def _other(kind: str, of: str) -> str:
    return f"{kind}, {of}"


def _drives() -> dict[str, Keys]:
    drives: dict[str, Keys] = {}
    days, one_mode = HOSTS["days"], FTLS["lazy_d"]
    for of, own in _RIVALS.items():
        for host, keys in HOSTS.items():
            drives[_rival(of, host)] = (*keys, *own)
    for of, own in _LIFETIMES.items():
        drives[_apart(of)] = (*days, *one_mode, *own)
    for at_c in _WARMTH_C:
        drives[_warm(at_c)] = (*days, *one_mode, f"{_OWN}.temperature_c={at_c}")
    for how in _SECURES:
        drives[_filled(how)] = (*days, *one_mode, _FILLED, f"{_OWN}.secures={how}")
    drives[_filled("page")] = (*days, _FILLED)
    for pec in _WORN_PEC:
        drives[_worn(pec)] = (*days, *one_mode, _BY_WEAR, f"drive.chip.initial_pec={pec}")
    for host, (keys, own, _) in _DRIVEN.items():
        drives[_selector("page", host)] = keys
        drives |= {_selector(of, host): (*keys, *of_it, *own) for of, of_it in _SELECTORS.items()}
    for kind, (keys, variants) in _OTHERS.items():
        drives[_other(kind, "page")] = (*days, *keys)
        drives |= {_other(kind, of): (*days, *keys, *own) for of, own in variants.items()}
    return {drive: (*keys, *RUN) for drive, keys in drives.items()}


def _busy(result: RunResult) -> float:
    return sum(result.flash.die_utilisation)


def _beside(
    found: Findings, base: str, drives: Mapping[str, str], host: str
) -> Mapping[str, float]:
    """IOPS, programs, die time and erases in percent of those of `base`, by name of the drive."""
    values: dict[str, float] = {}
    for load in found.loads:
        of = found.result(base, load)
        for name, drive in drives.items():
            result = found.result(drive, load)
            measures = {
                "iops": iops(result, host) / iops(of, host),
                "programs": programs(result) / programs(of),
                "die_time": _busy(result) / _busy(of),
                "erases": result.flash.erases / max(of.flash.erases, 1),
            }
            values |= {f"{key}_pct/{load.name}/{name}": 100 * measures[key] for key in measures}
    return values


def _rivals(host: str) -> Callable[[Findings], Mapping[str, float]]:
    def values(found: Findings) -> Mapping[str, float]:
        drives = {of: _rival(of, host) for of in _RIVALS if of != "page"}
        return _beside(found, _rival("page", host), drives, host)

    return values


def _second_stages(found: Findings, drives: Mapping[str, str]) -> Mapping[str, float]:
    """Second stages for each first one, and how many came late in idle time, or were due."""
    values: dict[str, float] = {}
    for load in found.loads:
        for name, drive in drives.items():
            told = lazy(found.result(drive, load))
            values |= {
                f"reprogramming_ratio/{load.name}/{name}": reprogramming_ratio(
                    found.result(drive, load)
                ),
                f"due/{load.name}/{name}": told.second_stages.due,
                f"opened_secured/{load.name}/{name}": told.blocks_opened.secured,
            }
    return values


def _lifetimes(found: Findings) -> Mapping[str, float]:
    drives = {of: _apart(of) for of in _LIFETIMES}
    beside = _beside(found, _apart("together"), drives, "days")
    return {**beside, **_second_stages(found, drives)}


def _warmth(found: Findings) -> Mapping[str, float]:
    drives = {f"{at_c}_c": _warm(at_c) for at_c in _WARMTH_C}
    beside = _beside(found, _warm(_WARMTH_C[0]), drives, "days")
    return {**beside, **_second_stages(found, drives)}


def _wear(found: Findings) -> Mapping[str, float]:
    drives = {f"{pec}_pec": _worn(pec) for pec in _WORN_PEC}
    return _second_stages(found, {"rated": _warm(_WARMTH_C[0]), **drives})


def _selectors(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for host, (_, _, told) in _DRIVEN.items():
        drives = {f"{of}/{host}": _selector(of, host) for of in _SELECTORS}
        values |= _beside(found, _selector("page", host), drives, told)
        values |= _second_stages(found, drives)
    return values


def _others(kind: str) -> Callable[[Findings], Mapping[str, float]]:
    def values(found: Findings) -> Mapping[str, float]:
        drives = {of: _other(kind, of) for of in _OTHERS[kind][1]}
        beside = _beside(found, _other(kind, "page"), drives, "days")
        two_stages = {of: drive for of, drive in drives.items() if "lazy" in of}
        return {**beside, **_second_stages(found, two_stages)}

    return values


def _filled_lines(found: Findings) -> Mapping[str, float]:
    drives = {how: _filled(how) for how in _SECURES}
    beside = _beside(found, _filled("page"), drives, "days")
    return {**beside, **_second_stages(found, drives)}


_LOADS = (*PUBLISHED, INTENSE)

STUDY = Study(
    paper="lazyrs-beyond",
    source="not published: what Kim and Kim, Electronics 12(4):843, 2023, does not try",
    base="lazyrs-16g",
    drives=_drives(),
    loads=all_loads,
    figures=(
        *(
            Figure(
                f"rivals_{host}",
                f"LazyRS and SLC caches of the same chip, {told}: in percent of pageFTL's",
                _rivals(host),
                "%",
                tuple(_rival(of, host) for of in _RIVALS),
                _LOADS,
            )
            for host, told in (("days", "requests at their times"), ("burst", "16 at a time"))
        ),
        Figure(
            "lifetimes",
            "Data told apart by how long it lives: in percent of all of it together",
            _lifetimes,
            "%",
            tuple(map(_apart, _LIFETIMES)),
            _LOADS,
            is_quick=False,
        ),
        Figure(
            "warmth",
            "Deadlines by the drive's temperature: in percent of 30 degrees",
            _warmth,
            "%",
            tuple(map(_warm, _WARMTH_C)),
            ("oltp", INTENSE),
            is_quick=False,
        ),
        Figure(
            "filled",
            "Word lines that are filled, secured in place and moved: in percent of pageFTL's",
            _filled_lines,
            "%",
            tuple(_filled(how) for how in ("page", *_SECURES)),
            _LOADS,
            is_quick=False,
        ),
        Figure(
            "wear",
            "Deadlines by wear: second stages of first ones",
            _wear,
            "%",
            (_warm(_WARMTH_C[0]), *map(_worn, _WORN_PEC)),
            ("oltp", INTENSE),
            is_quick=False,
        ),
        Figure(
            "selector",
            "Thresholds that go by what idle time has no room for: in percent of pageFTL's",
            _selectors,
            "%",
            tuple(_selector(of, host) for host in _DRIVEN for of in ("page", *_SELECTORS)),
            (INTENSE,),
            is_quick=False,
        ),
        *(
            Figure(
                kind,
                f"{told}: in percent of pageFTL's",
                _others(kind),
                "%",
                tuple(_other(kind, of) for of in ("page", *_OTHERS[kind][1])),
                loads,
                is_quick=False,
            )
            for kind, told, loads in (
                ("qlc", "Four bits in a cell", _LOADS),
                ("reo", "Erases by REO at 500 P/E cycles", ("oltp", INTENSE)),
                ("raid5", "A RAID 5 of four drives", ("oltp", "varmail")),
            )
        ),
    ),
)
