"""Energy: Figure 8, and the averages of Table 5."""

from collections.abc import Mapping

from wordline.configuration import find
from wordline.reproduce.llh.drives import BASE, OPS, name
from wordline.reproduce.llh.workloads import HOT, NAMES
from wordline.reproduce.study import Figure, Findings, Load

_PAGE_KIB = 16
"""Pages of chip A16, on which energy was measured."""


def ratio(found: Findings, op: int, load: Load) -> float:
    """Energy of LLH-FTL-32 over that of baseline-32."""
    with_it, without = (found.result(name(of, op), load) for of in ("half-32", "baseline-32"))
    return with_it.energy_mj.total / without.energy_mj.total


def _fig8(found: Findings) -> Mapping[str, float]:
    return {f"op{op}/{load.name}": ratio(found, op, load) for op in OPS for load in found.loads}


def _per_page_uj(found: Findings, drive: str) -> float:
    """Energy for each page's worth of data that the host writes, where all of it is hot."""
    result = found.result(drive, found.loads[0])
    return 1e3 * result.energy_mj.total / (result.workload.bytes_written / (_PAGE_KIB * 1024))


def _read_uj(found: Findings) -> Mapping[str, float]:
    """Energy to read a page's worth, over all that a block takes between two erases.

    Each page that is read costs what the drive's chip has for it. A reused low page gives half a
    page's worth.
    """
    chip = find(BASE).resolve()["drive"]["chip"]
    low, high = (uj * _PAGE_KIB / chip["page_kib"] for uj in chip["read_uj"])
    again = found.result("half energy", found.loads[0]).technique["llh_ftl"]
    reused = again["reprograms"] / (again["reprograms"] + again["low_pages_left_out"])
    # Low pages read as first written, low pages read encoded, high pages.
    energy = low + reused * low + high
    return {
        "logical_read/baseline": (low + high) / 2,
        "logical_read/llh": energy / (1 + reused / 2 + 1),
    }


def _table5(found: Findings) -> Mapping[str, float]:
    return {
        **_read_uj(found),
        "logical_write/baseline": _per_page_uj(found, "baseline energy"),
        "logical_write/llh": _per_page_uj(found, "half energy"),
    }


FIGURES = (
    Figure(
        "fig8",
        "Energy of LLH-FTL-32 over that of baseline-32",
        _fig8,
        "of baseline-32's energy",
        tuple(name(system, op) for system in ("baseline-32", "half-32") for op in OPS),
        loads=NAMES,
    ),
    Figure(
        "table5",
        "Energy of logical reads and writes, all of them hot",
        _table5,
        "µJ per page's worth of data",
        ("baseline energy", "half energy"),
        loads=(HOT,),
    ),
)
