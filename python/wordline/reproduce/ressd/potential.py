"""Larger super layers and larger arrays (Figures 27 and 28), and ablations, on a few volumes."""

from collections.abc import Mapping

from wordline.reproduce.ressd.drives import CANDIDATES, IDEAL_LAYERS, SIZES
from wordline.reproduce.ressd.measures import MEASURES, changes, with_average
from wordline.reproduce.ressd.single import ARRAYS, PAIR
from wordline.reproduce.study import Figure, Findings

# Mostly written, mostly read, and large requests: all fifteen would take an hour.
_FEW = ("hm_0", "proj_4", "src1_2")
_TWO = _FEW[:2]

_THREE = ("consumption", "writes_per_erase", "write_latency")
_ABLATED = ("consumption", "erases", "writes_per_erase")


def _fig27(found: Findings) -> Mapping[str, float]:
    """Changes against super layers of two layers."""
    told: dict[str, float] = {}
    others = {f"{n}_layers": f"rss_{n}_layers" for n in IDEAL_LAYERS} | {"virtual": "rss_virtual"}
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


def _ablations(found: Findings) -> Mapping[str, float]:
    """The change that ReSSD makes where what is not published is set otherwise."""
    pairs = {
        "as_is": PAIR,
        "waiting_for_full_word_lines": ("ressd_waits", "baseline_waits"),
        "less_over_provisioning": ("ressd_tight", "baseline_tight"),
        **{f"{n}_candidates_may_wait": (f"ressd_{n}_wait", "baseline") for n in CANDIDATES},
        "array": ARRAYS,
        "array_stripes_of_16_kib": ("rss_16k", "raid_16k"),
    }
    told: dict[str, float] = {}
    for name, drives in pairs.items():
        for measure in _ABLATED:
            told |= changes(found, MEASURES[measure], drives, f"{measure}/{name}")
    return told


FIGURES = (
    Figure(
        "fig27",
        "Super layers of more layers, and virtual ones, against two layers; three volumes",
        _fig27,
        "%",
        ("rss", "rss_virtual", *(f"rss_{n}_layers" for n in IDEAL_LAYERS)),
        loads=_FEW,
        is_quick=False,
    ),
    Figure(
        "fig28",
        "Arrays of more drives; two volumes",
        _fig28,
        "%",
        (
            *("raid", "rss_virtual"),
            *(f"raid_of_{n}" for n in SIZES),
            *(f"rss_virtual_of_{n}" for n in SIZES),
        ),
        loads=_TWO,
        is_quick=False,
    ),
    Figure(
        "ablations",
        "What the publication leaves open, set otherwise; three volumes",
        _ablations,
        "%",
        (
            *PAIR,
            *("baseline_waits", "ressd_waits", "baseline_tight", "ressd_tight"),
            *(f"ressd_{n}_wait" for n in CANDIDATES),
            *(*ARRAYS, "raid_16k", "rss_16k"),
        ),
        loads=_FEW,
        is_quick=False,
    ),
)
