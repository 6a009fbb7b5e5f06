"""The drives: each FTL of the publication under each host, and readings of what it leaves open."""

from collections.abc import Mapping, Sequence
from itertools import product

Keys = tuple[str, ...]

# Nothing of the course of a run is shown, and the invariants are for the tests. A program that is
# not full starts after a millisecond; `readings_10a` has the default beside it.
RUN: Keys = ("run.check=false", "run.series_points=0", "ftl.program_start=after_timeout")
"""What every run of these studies has."""

_OWN = "technique.lazy_ftl"

FTLS: Mapping[str, Keys] = {
    "page": (),
    "lazy": (f"{_OWN}.mode=selected",),
    "lazy_d": (f"{_OWN}.mode=m1",),
    "lazy_m": (f"{_OWN}.mode=m30",),
}
"""Section 5.2: pageFTL, lazyFTL, and lazyFTL with one mode alone."""

HOSTS: Mapping[str, Keys] = {
    # Requests come when they came; IOPS are the reciprocal of mean latency.
    "days": ("host.mode=open",),
    # 16 requests at a time until all are done, which is over long before a day is: no second stage.
    "burst": ("host.mode=closed", "host.queue_depth=16"),
}
"""How the host is driven, which the publication does not say."""

PACED = "paced"
"""Bursts with pauses between them, in days so short that second stages come due."""

_DEPTH = 64
_PACED: Keys = ("host.mode=closed", f"host.queue_depth={_DEPTH}")
_PACED_LAZY: Keys = (f"{_OWN}.moves=lazy",)
_PACED_DAY: Keys = (f"{_OWN}.day_s=15", f"{_OWN}.margin_s=1")

# 13, 15 and 18 of the 39 loops of a conventional program: presets/cells/tables/lazyrs-tlc.
_BY_CELLS: Keys = tuple(
    f"{_OWN}.{mode}_share={share}" for mode, share in (("m1", 0.333), ("m7", 0.385), ("m30", 0.462))
)

PAUSES: Mapping[str, Keys] = {
    # A day of these twins is 11,111 requests; a burst of them and a pause last for about a day.
    "varmail": ("host.burst_requests=11111", "host.pause_s=14"),
    "webproxy": ("host.burst_requests=11111", "host.pause_s=14"),
    # "A small idle interval": none.
    "oltp": (),
}
"""By workload, the "time intervals" that the publication created, and does not give."""

_CLOSED: Mapping[str, Sequence[str]] = {
    "moves": ("secured", "lazy"),
    "depth": ("16", "64"),
    "frontiers": ("separate", "shared"),
    "start": ("after_timeout", "when_idle"),
}
_KEYS = {
    "depth": "host.queue_depth",
    "frontiers": "ftl.frontiers",
    "start": "ftl.program_start",
}

DAY_S = 150.0
"""Length of a day in the accelerated runs: about what pageFTL takes for a day's requests of
`oltp_intense`, 16 at a time."""

ACCELERATED: Keys = HOSTS["burst"]
SHORT_DAYS: Keys = (f"{_OWN}.day_s={DAY_S}", f"{_OWN}.margin_s=1")
"""What lazyFTL's drives have in those runs."""

_READINGS: Mapping[str, Keys] = {
    "second_stage=rest": (f"{_OWN}.second_stage=rest",),
    "length=own": (f"{_OWN}.length=own",),
    "length=due": (f"{_OWN}.length=due",),
    "length=surviving": (f"{_OWN}.length=surviving",),
    "length_of=logical": (f"{_OWN}.length_of=logical",),
    "moves=lazy": (f"{_OWN}.moves=lazy",),
}
READINGS = tuple(_READINGS)
"""What the publication leaves open, one at a time."""

SECURES = ("in_place", "moved", "cheaper")
"""What becomes of data that outlives its first stage."""


def name(ftl: str, host: str) -> str:
    """The name of an FTL's drive under a host."""
    return f"{ftl}, {host}"


def without_days(ftl: str) -> str:
    """The name of an FTL's paced drive on which no day ends within a run."""
    return name(ftl, "paced without days")


def by_cells(ftl: str) -> str:
    """The name of an FTL's paced drive whose first stages take what the laboratory's cells do."""
    return name(ftl, "paced by cells")


def closed_readings() -> list[dict[str, str]]:
    """What is read in several ways where the host never waits.

    Only lazy moves may share the host's blocks.
    """
    every = [dict(zip(_CLOSED, values, strict=True)) for values in product(*_CLOSED.values())]
    return [of for of in every if of["moves"] == "lazy" or of["frontiers"] == "separate"]


def closed(ftl: str, of: Mapping[str, str]) -> str:
    """The name of an FTL's drive by one of these readings; pageFTL has no second way to move."""
    told = [f"{what}={value}" for what, value in of.items() if ftl != "page" or what != "moves"]
    return name(ftl, ",".join(told))


def accelerated(ftl: str) -> str:
    """The name of an FTL's drive on which days are short and the host waits for none."""
    return name(ftl, f"days of {DAY_S:g} s")


def reading(of: str) -> str:
    """The name of the drive on which one thing is read otherwise."""
    return name("lazy", of)


def packed(ftl: str) -> str:
    """The name of an FTL's drive whose buffer waits until word lines are full."""
    return name(ftl, "packed")


def secured(how: str) -> str:
    """The name of lazyFTL_D's drive that secures data in this way."""
    return name("lazy_d", how)


def _drives() -> Mapping[str, Keys]:
    drives: dict[str, Keys] = {}
    for ftl, own in FTLS.items():
        for host, keys in HOSTS.items():
            drives[name(ftl, host)] = (*keys, *own)
        day = () if ftl == "page" else SHORT_DAYS
        drives[accelerated(ftl)] = (*ACCELERATED, *own, *day)
    for ftl, own in FTLS.items():
        lazy = () if ftl == "page" else _PACED_LAZY
        drives[name(ftl, PACED)] = (*_PACED, *own, *lazy, *(_PACED_DAY if lazy else ()))
    drives[by_cells("lazy")] = (*drives[name("lazy", PACED)], *_BY_CELLS)
    drives[without_days("lazy")] = (*_PACED, *FTLS["lazy"], *_PACED_LAZY)
    for of in closed_readings():
        keys = ("host.mode=closed", *(f"{key}={of[what]}" for what, key in _KEYS.items()))
        drives[closed("page", of)] = keys
        drives[closed("lazy", of)] = (*keys, *FTLS["lazy"], f"{_OWN}.moves={of['moves']}")
    for ftl in ("page", "lazy"):
        drives[packed(ftl)] = (*HOSTS["days"], "ftl.acknowledge=buffer", *FTLS[ftl])
    for of, keys in _READINGS.items():
        drives[reading(of)] = (*HOSTS["days"], *FTLS["lazy"], *keys)
    for how in SECURES:
        drives[secured(how)] = (*HOSTS["days"], *FTLS["lazy_d"], f"{_OWN}.secures={how}")
    return {drive: (*RUN, *keys) for drive, keys in drives.items()}


DRIVES = _drives()
