"""The drives: each FTL of the publication under each host, and readings of what it leaves open."""

from collections.abc import Mapping

Keys = tuple[str, ...]

# Nothing of the course of a run is shown, and the invariants are for the tests.
RUN: Keys = ("run.check=false", "run.series_points=0")
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
    for ftl in ("page", "lazy"):
        drives[packed(ftl)] = (*HOSTS["days"], "ftl.acknowledge=buffer", *FTLS[ftl])
    for of, keys in _READINGS.items():
        drives[reading(of)] = (*HOSTS["days"], *FTLS["lazy"], *keys)
    for how in SECURES:
        drives[secured(how)] = (*HOSTS["days"], *FTLS["lazy_d"], f"{_OWN}.secures={how}")
    return {drive: (*keys, *RUN) for drive, keys in drives.items()}


DRIVES = _drives()
