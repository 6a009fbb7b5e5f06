"""Larger super layers and larger arrays (Figures 27 and 28), and ablations."""

from collections.abc import Mapping

from wordline.reproduce.ressd.drives import CANDIDATES, IDEAL_LAYERS, SIZES
from wordline.reproduce.ressd.measures import MEASURES, changes, times_as_enduring, with_average
from wordline.reproduce.ressd.single import ARRAYS, PAIR
from wordline.reproduce.study import Figure, Findings

# Small requests, most of them hot: all fifteen volumes would take an hour. Of those that write
# little, most of what changes is the first blocks that ReSSD opens.
_FEW = ("hm_0", "prn_0")
_ONE = _FEW[:1]

# What the publication gives values for; of the other sizes it shows the trend.
_IDEAL = 32

_THREE = ("consumption", "writes_per_erase", "write_latency")
_ABLATED = (
    "consumption",
    "moved",
    "erases",
    "gc_moving",
    "gc_time",
    "writes_per_erase",
    "write_latency",
)


def _fig27(found: Findings) -> Mapping[str, float]:
    """Changes against super layers of two layers."""
    return _by_two_layers(
        found, {f"{_IDEAL}_layers": f"rss_{_IDEAL}_layers", "virtual": "rss_virtual"}
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


def _ablations(found: Findings) -> Mapping[str, float]:
    """The change that ReSSD makes where what is not published is set otherwise."""
    pairs = {
        "as_is": PAIR,
        "waiting_for_full_word_lines": ("ressd_waits", "baseline_waits"),
        "less_over_provisioning": ("ressd_tight", "baseline_tight"),
        **{f"{n}_candidates_may_wait": (f"ressd_{n}_wait", "baseline") for n in CANDIDATES},
        "array": ARRAYS,
        "array_stripes_of_16_kib": ("rss_16k", "raid_16k"),
        "array_spent_blocks_left_to_gc": ("rss_left", "raid"),
        "array_programs_in_parts": ("rss_in_parts", "raid_in_parts"),
    }
    told: dict[str, float] = {}
    for name, drives in pairs.items():
        for measure in _ABLATED:
            told |= changes(found, MEASURES[measure], drives, f"{measure}/{name}")
    mlc = ("raid_mlc_in_parts", "raid_in_parts")
    kinds: dict[str, str] = dict(zip(mlc, ("mlc", "baseline"), strict=True))
    return told | times_as_enduring(found, kinds, mlc, "times_mlc_endures/array_programs_in_parts")


FIGURES = (
    Figure(
        "fig27",
        "Super layers of 32 layers, and virtual ones, against two layers",
        _fig27,
        "%",
        ("rss", "rss_virtual", f"rss_{_IDEAL}_layers"),
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
    Figure(
        "ablations",
        "What the publication leaves open, set otherwise; two volumes",
        _ablations,
        "%",
        (
            *PAIR,
            *("baseline_waits", "ressd_waits", "baseline_tight", "ressd_tight"),
            *(f"ressd_{n}_wait" for n in CANDIDATES),
            *(*ARRAYS, "raid_16k", "rss_16k", "rss_left"),
            *("raid_in_parts", "rss_in_parts", "raid_mlc_in_parts"),
        ),
        loads=_FEW,
        is_quick=False,
    ),
)
