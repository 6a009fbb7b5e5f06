"""Larger super layers and larger arrays (Figures 27 and 28)."""

from collections.abc import Mapping

from wordline.reproduce.ressd.drives import IDEAL, IDEAL_LAYERS, SIZES
from wordline.reproduce.ressd.measures import MEASURES, changes, with_average
from wordline.reproduce.study import Figure, Findings

# Small requests, most of them hot: all fifteen volumes would take an hour. Of those that write
# little, most of what changes is the first blocks that ReSSD opens.
_ONE = ("hm_0",)

_THREE = ("consumption", "writes_per_erase", "write_latency")


def _fig27(found: Findings) -> Mapping[str, float]:
    """Changes against super layers of two layers."""
    return _by_two_layers(
        found, {f"{IDEAL}_layers": f"rss_{IDEAL}_layers", "virtual": "rss_virtual"}
    )


def _layers(found: Findings) -> Mapping[str, float]:
    return _by_two_layers(found, {f"{n}_layers": f"rss_{n}_layers" for n in IDEAL_LAYERS})


def _by_two_layers(found: Findings, others: Mapping[str, str]) -> dict[str, float]:
    told: dict[str, float] = {}
    for name in _THREE:
        for kind, drive in others.items():
            told |= changes(found, MEASURES[name], (drive, "rss"), f"{name}/{kind}")
    return told


def _fig28(found: Findings) -> Mapping[str, float]:
    """How each measure's share of the baseline's changes against that of four drives."""
    told: dict[str, float] = {}
    for measure in _THREE:
        of = MEASURES[measure]
        for n in SIZES:
            name = f"{measure}/{n}_drives"
            ours: dict[str, float] = {}
            for load in found.loads:
                share = of(found.result(f"rss_virtual_of_{n}", load)) / of(
                    found.result(f"raid_of_{n}", load)
                )
                four = of(found.result("rss_virtual", load)) / of(found.result("raid", load))
                ours[f"{name}/{load.name}"] = 100 * (share / four - 1)
            told |= with_average(found, ours, name)
            told |= changes(
                found, of, (f"rss_virtual_of_{n}", f"raid_of_{n}"), f"{name}_by_baseline"
            )
    return told


FIGURES = (
    Figure(
        "fig27",
        "Super layers of 32 layers, and virtual ones, against two layers",
        _fig27,
        "%",
        ("rss", "rss_virtual", f"rss_{IDEAL}_layers"),
        is_quick=False,
    ),
    Figure(
        "layers",
        "Super layers of 4 to 64 layers against two (Figure 27); one volume",
        _layers,
        "%",
        ("rss", *(f"rss_{n}_layers" for n in IDEAL_LAYERS)),
        loads=_ONE,
        is_quick=False,
    ),
    Figure(
        "fig28",
        "Arrays of more drives; one volume",
        _fig28,
        "%",
        (
            *("raid", "rss_virtual"),
            *(f"raid_of_{n}" for n in SIZES),
            *(f"rss_virtual_of_{n}" for n in SIZES),
        ),
        loads=_ONE,
        is_quick=False,
    ),
)
