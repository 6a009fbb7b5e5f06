"""Figure 7a on a drive that holds what the workload wrote and nothing else.

Section 6 fills the drive for the response times. Of the erases it does not say so.
"""

from collections.abc import Mapping

from wordline.reproduce.llh import erases, statements
from wordline.reproduce.llh.drives import OPS, SYSTEMS, name
from wordline.reproduce.llh.workloads import NOT_FILLED_NAMES, volume_of
from wordline.reproduce.study import Figure, Findings

_DRIVES = tuple(name(system, op) for system in SYSTEMS for op in OPS)


def _fig7a(found: Findings) -> Mapping[str, float]:
    return {
        f"op{op}{suffix}/{volume_of(load)}": ratio
        for op in OPS
        for system, suffix in (("half", ""), ("quarter", "_quarter"))
        for load, ratio in erases.of(found, system, op).items()
    }


FIGURES = (
    Figure(
        "fig7a_not_filled",
        "As Figure 7a, on a drive that was not filled: it holds what the workload wrote",
        _fig7a,
        "of the baseline's erases",
        _DRIVES,
        loads=NOT_FILLED_NAMES,
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
