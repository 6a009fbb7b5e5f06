"""Larger super layers: Figure 27.

What the publication gives numbers for, and eight layers beside it; the other sizes that its figure
draws are a study of their own, for they take as long again.
"""

import math
from collections.abc import Mapping, Sequence

from wordline.reproduce.ressd.drives import IDEAL, needed_by
from wordline.reproduce.ressd.measures import MEASURES, changes
from wordline.reproduce.ressd.workloads import SOURCE, loads
from wordline.reproduce.study import Figure, Findings, Study

_THREE = ("consumption", "writes_per_erase", "write_latency")
_MORE = (4, 16, 64)


def _by_two_layers(found: Findings, others: Mapping[str, str]) -> dict[str, float]:
    told: dict[str, float] = {}
    for name in _THREE:
        for kind, drive in others.items():
            told |= changes(found, MEASURES[name], (drive, "rss"), f"{name}/{kind}")
    return told


def _drives(sizes: Sequence[int]) -> Mapping[str, str]:
    return {f"{n}_layers": f"rss_{n}_layers" for n in sizes}


def _fig27(found: Findings) -> Mapping[str, float]:
    """Changes against two layers, and the share of the ideal case that is reached."""
    told = _by_two_layers(found, {**_drives((8, IDEAL)), "virtual": "rss_virtual"})
    if found.is_whole:
        for name in _THREE:
            ideal = told[f"{name}/{IDEAL}_layers/average"]
            share = 100 * told[f"{name}/virtual/average"] / ideal if ideal else math.nan
            told[f"share_of_ideal/{name}"] = share
    return told


def _statements(found: Findings) -> Mapping[str, float]:
    """What the text says of which is larger (Section 7.2.9): 1 where it is so."""
    told = _by_two_layers(found, {**_drives((IDEAL,)), "virtual": "rss_virtual"})

    def more(measure: str) -> float:
        of_ideal, of_virtual = (
            told[f"{measure}/{kind}/average"] for kind in (f"{IDEAL}_layers", "virtual")
        )
        return of_ideal - of_virtual

    return {
        "32_layers_consume_less_than_virtual": float(more("consumption") < 0),
        "32_layers_endure_more_than_virtual": float(more("writes_per_erase") > 0),
    }


def _more(found: Findings) -> Mapping[str, float]:
    return _by_two_layers(found, _drives(_MORE))


_FIGURES = (
    Figure(
        "fig27",
        "Super layers of 8 and 32 layers, and virtual ones, against two layers",
        _fig27,
        "%",
        ("rss", "rss_virtual", *_drives((8, IDEAL)).values()),
    ),
    Figure(
        "statements",
        "What the text says of which is larger: 1 where it is so",
        _statements,
        "",
        ("rss", "rss_virtual", *_drives((IDEAL,)).values()),
        is_quick=False,
    ),
)

_ALL_OTHERS = (
    Figure(
        "layers",
        "Super layers of 4, 16 and 64 layers against two",
        _more,
        "%",
        ("rss", *_drives(_MORE).values()),
    ),
)

_PADDED = "programs that are padded move it (ressd-ablations)"

STUDIES = (
    Study(
        paper="ressd-layers",
        source=SOURCE,
        base="ressd-576g",
        drives=needed_by(_FIGURES),
        loads=loads,
        figures=_FIGURES,
        notes={
            "ressd-layers/fig27": _PADDED,
            "ressd-layers/statements": _PADDED,
            "ressd-layers/fig27/writes_per_erase/32_layers": "where programs are in parts it is "
            "as published, on two volumes (ressd-ablations)",
        },
    ),
    Study(
        paper="ressd-layers-more",
        source=f"not published: sizes without a number in Figure 27 of {SOURCE}",
        base="ressd-576g",
        drives=needed_by(_ALL_OTHERS),
        loads=loads,
        figures=_ALL_OTHERS,
    ),
)
