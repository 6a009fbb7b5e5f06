"""Figure 7a on a drive that holds what the workload wrote and nothing else.

Section 6 fills the drive for the response times. Of the erases it does not say so.
"""

from collections.abc import Mapping

from wordline.reproduce.llh import erases, statements
from wordline.reproduce.llh.drives import OPS, SYSTEMS, name
from wordline.reproduce.llh.workloads import FIU, NOT_FILLED_NAMES, volume_of
from wordline.reproduce.study import Figure, Findings

_DRIVES = tuple(name(system, op) for system in SYSTEMS for op in OPS)
_LARGE_PAGES = ("half-32 op7", "baseline-32 op7")
"""Of FIU's workloads Section 6 says that with these erases rise."""
_FIU = tuple(load for load in NOT_FILLED_NAMES if volume_of(load) in FIU)


def _fig7a(found: Findings) -> Mapping[str, float]:
    ratios = {
        f"op{op}{suffix}/{volume_of(load)}": ratio
        for op in OPS
        for system, suffix in (("half", ""), ("quarter", "_quarter"))
        for load, ratio in erases.of(found, system, op).items()
    }
    large = {
        f"op7_32k/{volume_of(load.name)}": erases.ratio(found, _LARGE_PAGES, load)
        for load in found.loads
        if load.name in _FIU
    }
    return {**ratios, **large}


FIGURES = (
    Figure(
        "fig7a_not_filled",
        "As Figure 7a, on a drive that was not filled: it holds what the workload wrote",
        _fig7a,
        "of the baseline's erases",
        (*_DRIVES, *_LARGE_PAGES),
        loads=NOT_FILLED_NAMES,
        loads_of=dict.fromkeys(_LARGE_PAGES, _FIU),
        is_quick=False,
    ),
    Figure(
        "statements_not_filled",
        "What the text says of erases, on a drive that was not filled: 1 where it is so",
        lambda found: statements.of_erases(found, NOT_FILLED_NAMES),
        "",
        _DRIVES,
        loads=NOT_FILLED_NAMES,
        is_quick=False,
    ),
)
