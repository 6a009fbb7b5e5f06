"""What DPES' slower programs cost where writes, and reads, wait for them: by load."""

import math
from collections.abc import Mapping
from itertools import product

from wordline.configuration import find
from wordline.reproduce.reo.drives import PERFORMANCE
from wordline.reproduce.study import Findings, Load

_BUSY_PCT = (5, 10, 20, 30, 40)
_AGES = ("0.5K", "2.5K")  # DPES is as ISPE later
_REQUESTS = 100_000


def _loads() -> tuple[Load, ...]:
    """Reads and writes of a page at random places that hold data, at random times, half and half.

    Programs by ISPE alone would keep each die busy for so many percent of the time.
    """
    resolved = find("reo-1t").resolve()
    drive = resolved["drive"]
    chip = drive["chip"]
    dies = drive["channels"] * drive["chips_per_channel"] * chip["dies"]
    pages = dies * chip["planes"] * chip["blocks_per_plane"] * chip["pages_per_block"]
    share = resolved["precondition"]["fill"] / (1 + drive["over_provisioning"])
    span_mib = math.floor(share * pages * chip["page_kib"] / 1024)

    def load(percent: int) -> Load:
        interval_us = 0.5 * chip["program_us"] / dies / (percent / 100)
        return Load(
            f"{percent} % busy",
            f"uniform:requests={_REQUESTS},read=0.5,size_kib={chip['page_kib']:g},"
            f"span_mib={span_mib},interval_us={interval_us:g}",
        )

    return tuple(map(load, _BUSY_PCT))


LOADS = _loads()
"""The loads; none of them is published."""


# How the ids begin, what the drive's name says, and keys. AERO's simulator suspends nothing.
_PROGRAMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "": ("unbuffered", ()),
    "suspending/": ("suspending", ("drive.scheduling.suspend_program=true",)),
}


def _name(scheme: str, age: str, kind: str) -> str:
    return f"{scheme} at {age}, {kind}"


DRIVES = {
    _name(scheme, age, kind): (
        *PERFORMANCE[f"{scheme} at {age}"],
        "host.write_buffer_mib=0",
        *keys,
    )
    for scheme in ("ISPE", "DPES")
    for age in _AGES
    for kind, keys in _PROGRAMS.values()
}
"""Without write buffer, for which load is what reaches the chips; with and without reads that
interrupt programs."""


def by_load(found: Findings) -> Mapping[str, float]:
    """Latency by DPES in percent of that by ISPE."""
    values: dict[str, float] = {}
    for begin, (kind, _) in _PROGRAMS.items():
        for what, age, load in product(("write", "read"), _AGES, found.loads):
            ours, base = (
                found.result(_name(scheme, age, kind), load).host[what]["mean_us"]
                for scheme in ("DPES", "ISPE")
            )
            values[f"{begin}{what}/{age}/{load.name}"] = 100 * ours / base
    return values
