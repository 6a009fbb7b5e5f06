"""Erases with LLH-FTL over those without it: Figures 7a and 7b."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from wordline.errors import RunError
from wordline.figures.statistics import Interval, of_values
from wordline.native.types.run import RunResult
from wordline.reproduce.llh.drives import OPS, SEEDS, SYSTEMS, SYSTEMS_32, name, of_seed
from wordline.reproduce.llh.workloads import MSR, NAMES
from wordline.reproduce.study import Figure, Findings, Load

_ERASES_OF_BLOCK = 2
"""Erases of each block without which a ratio of erases says nothing."""


def _blocks(result: RunResult) -> int:
    return sum(blocks for _, blocks in result.wear.histogram)


def ratio(found: Findings, systems: tuple[str, str], load: Load) -> float:
    """Erases on the first drive over those on the second.

    Raises:
        RunError: The second hardly erases.
    """
    with_it, without = (found.result(system, load) for system in systems)
    blocks, erases = _blocks(without), without.flash.erases
    if erases < _ERASES_OF_BLOCK * blocks:
        raise RunError(
            f"{load.name} on `{systems[1]}`: {erases} erases of {blocks} blocks are too few for a "
            "ratio",
            help="replay it more often (workload.repeat)",
        )
    return with_it.flash.erases / erases


def ratio_of_few(found: Findings, systems: tuple[str, str], load: Load) -> float | None:
    """Erases on the first drive over those on the second, however few; `None` of none."""
    with_it, without = (found.result(system, load).flash.erases for system in systems)
    return with_it / without if without else None


def of(found: Findings, system: str, op: int) -> dict[str, float]:
    """The ratio by workload, for a system such as `half-32`."""
    page = system.partition("-")[2]
    without = f"baseline-{page}" if page else "baseline"
    drives = (name(system, op), name(without, op))
    return {load.name: ratio(found, drives, load) for load in found.loads}


def over_seeds(found: Findings, system: str, op: int) -> dict[str, list[float]]:
    """The ratio of each seed by workload, for a system with pages of 8 KB."""
    drives = [name(of_system, op) for of_system in (system, "baseline")]
    return {
        load.name: [
            ratio(found, (of_seed(drives[0], seed), of_seed(drives[1], seed)), load)
            for seed in range(1, SEEDS + 1)
        ]
        for load in found.loads
    }


def expected(found: Findings, load: Load) -> float:
    """(5 - X) / 5, with the share of hot writes X that the drive saw (Section 4)."""
    writes = found.result(name("half", 28), load).technique["llh_ftl"]["writes"]
    return 1 - writes["hot_share"] / 5


def expected_of_reused(found: Findings, load: Load) -> float:
    """The expected erases, less the second writes of low pages that were passed over.

    A block takes 1 + (1 - l) / 4 blocks' worth of hot data, with the share l passed over.
    """
    told = found.result(name("half", 28), load).technique["llh_ftl"]
    low_pages = told["reprograms"] + told["low_pages_left_out"]
    reused = told["reprograms"] / low_pages if low_pages else 0.0
    hot = told["writes"]["hot_share"]
    return 1 - hot + hot / (1 + reused / 4)


def _fig7a(found: Findings) -> Mapping[str, float]:
    values = {f"expected/{load.name}": expected(found, load) for load in found.loads}
    for op in OPS:
        for system, of_system in (("half", ""), ("quarter", "_quarter")):
            ratios = of(found, system, op)
            values |= {f"op{op}{of_system}/{load}": ratios[load] for load in ratios}
    for load in found.loads:
        values[f"op28_expected_of_reused/{load.name}"] = expected_of_reused(found, load)
    return values


def _fig7a_over_seeds(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for op in OPS:
        for system in SYSTEMS[1:]:
            of_seeds = over_seeds(found, system, op)
            cells = {load: of_values(of_seeds[load]) for load in of_seeds}
            values |= {f"op{op}_{system}/{load}": cells[load].mean for load in cells}
            values |= {f"op{op}_{system}_reach/{load}": _reach(cells[load]) for load in cells}
            values[f"highest_of_a_run/op{op}_{system}"] = max(map(max, of_seeds.values()))
    return values


def _reach(of: Interval) -> float:
    """Half the width of the 95 % interval of the mean."""
    return (of.high - of.low) / 2


def reduction(found: Findings, system: str, op: int, volumes: Sequence[str] = NAMES) -> float:
    """Erases saved, in points of the baseline's, mean over workloads."""
    ratios = of(found, system, op)
    return 100 * (1 - fmean(ratios[volume] for volume in volumes))


def _less_than_8k(found: Findings, op: int, volumes: Sequence[str]) -> tuple[float, float]:
    """What pages of 32 KB save less than those of 8 KB: points, and percent of what these save."""
    small, large = (reduction(found, system, op, volumes) for system in ("half", "half-32"))
    return small - large, 100 * (1 - large / small)


def _fig7b(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for op in OPS:
        for start in SYSTEMS[1:]:
            suffix = "" if start == "half" else f"_{start}"
            ratios = of(found, f"{start}-32", op)
            values |= {f"op{op}{suffix}/{load}": ratios[load] for load in ratios}
        if found.is_whole:
            for over, volumes in (("", NAMES), ("_on_msr", MSR)):
                points, share = _less_than_8k(found, op, volumes)
                values[f"less_than_8k{over}/reading=points/op{op}"] = points
                values[f"less_than_8k{over}/reading=share/op{op}"] = share
    return values


def _drives(systems: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name(system, op) for system in systems for op in OPS)


def _figure(
    figure: str,
    title: str,
    values: Callable[[Findings], Mapping[str, float]],
    systems: tuple[str, ...],
) -> Figure:
    unit = "of the baseline's erases"
    return Figure(figure, title, values, unit, _drives(systems), loads=NAMES)


OVER_SEEDS = Figure(
    "fig7a_over_seeds",
    "Figure 7a over five seeds: means, half their 95 % intervals, and the highest of a single run",
    _fig7a_over_seeds,
    "of the baseline's erases",
    tuple(of_seed(drive, seed) for drive in _drives(SYSTEMS) for seed in range(1, SEEDS + 1)),
    loads=NAMES,
    charted=tuple(f"op{op}_{system}/" for op in OPS for system in SYSTEMS[1:]),
    is_quick=False,
)

FIGURES = (
    _figure("fig7a", "Erases of LLH-FTL over the baseline's, pages of 8 KB", _fig7a, SYSTEMS),
    _figure(
        "fig7b",
        "Erases of LLH-FTL-32 over those of baseline-32",
        _fig7b,
        (*SYSTEMS, *SYSTEMS_32),
    ),
    OVER_SEEDS,
)
