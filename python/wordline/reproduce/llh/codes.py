"""What remains of the saved erases with codes as they are, and spare areas as chips have them.

Not published: the publication assumes half a page in a page, and a failure in 0.25 % of the writes.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from wordline.codes.references import rows as rows_of
from wordline.reproduce.llh.drives import BASE, COLDEST, COUNTED, Keys, pages_of_board
from wordline.reproduce.llh.erases import ratio
from wordline.reproduce.llh.workloads import load
from wordline.reproduce.study import Figure, Findings, Load, Study

_VOLUMES = ("rsrch_0", "stg_0", "online")
_OP = "drive.over_provisioning=0.28"
_BLOCK_KIB = 4096

_ROOM: Mapping[str, Sequence[str]] = {
    "a16": ("polar", "polar64", "ldgm", "elimination"),
    "a27": ("polar64", "ldgm", "elimination"),
    "b16": ("polar", "polar64", "ldgm", "elimination"),
    "b29": ("ldgm", "elimination"),
    "c35": ("ldgm", "elimination"),
}
"""The codes for which each chip has room (docs/ecc.md)."""

_BOARD = ("polar", "polar64", "ldgm", "elimination")
"""Codes on pages of 32 KB whose spare area cannot be used, as on the OpenSSD board."""


def _chip(name: str) -> tuple[float, float]:
    """Its page in KiB, and its spare area in percent (Table 2)."""
    row = next(row for row in rows_of("chips.csv") if row["chip"].lower() == name)
    return float(row["page_kib"]), float(row["spare_percent"])


def _pages(page_kib: float) -> Keys:
    """The keys of a drive with such pages: blocks of 4 MB, units of half a page at most."""
    return (
        f"drive.chip.page_kib={page_kib:g}",
        f"drive.chip.pages_per_block={_BLOCK_KIB / page_kib:g}",
        f"ftl.mapping_unit_kib={min(4.0, page_kib / 2):g}",
    )


def _own(code: str, spare_percent: float) -> Keys:
    own = "technique.llh_ftl"
    return (f"{own}.threshold=0.5", f"{own}.code={code}", f"{own}.spare_percent={spare_percent}")


def _base(chip: str) -> str:
    return f"baseline, {chip}"


def _coded(chip: str, code: str) -> str:
    return f"{code}, {chip}"


def _drives() -> dict[str, Keys]:
    shared = (*COUNTED, COLDEST, _OP)
    drives: dict[str, Keys] = {}
    for chip, codes in _ROOM.items():
        page_kib, spare = _chip(chip)
        pages = (*shared, *_pages(page_kib))
        drives[_base(chip)] = pages
        for code in ("assumed", *codes):
            drives[_coded(chip, code)] = (*pages, *_own(code, spare))
    board = (*shared, *pages_of_board())
    drives[_base("board")] = board
    for code in ("assumed", *_BOARD):
        drives[_coded("board", code)] = (*board, *_own(code, 0.0))
    return drives


def _loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    return [load(volume, traces) for volume in (_VOLUMES[:1] if quick else _VOLUMES)]


def _codes(found: Findings) -> Mapping[str, float]:
    """Erases; of second writes the share that fails, and the part of a page that they carry."""
    values: dict[str, float] = {}
    for chip, codes in {**_ROOM, "board": _BOARD}.items():
        for code in ("assumed", *codes):
            for of in found.loads:
                drives = (_coded(chip, code), _base(chip))
                values[f"erases/{chip}/{code}/{of.name}"] = ratio(found, drives, of)
            told = found.result(_coded(chip, code), found.loads[0]).technique["llh_ftl"]
            encoding = told["encoding"]
            values |= {
                f"fails_pct/{chip}/{code}": 100 * encoding["failure"],
                f"carries_of_a_page/{chip}/{code}": encoding["share_of_page"],
                f"encoding_us/{chip}/{code}": encoding["encode_us"],
            }
    return values


STUDY = Study(
    paper="llh-codes",
    source="not published: what Margaglia et al., USENIX FAST 2016, save with codes as they are",
    base=BASE,
    drives=_drives(),
    loads=_loads,
    figures=(
        Figure(
            "codes",
            "Erases over those without reuse, 28 %, OP/2, by chip and code for second writes",
            _codes,
            "of the baseline's erases",
            tuple(_drives()),
            loads=_VOLUMES,
        ),
    ),
    notes={
        "llh-codes/codes": "half a page fits with every code on A16 and B16, with 64 layouts or "
        "LDGM on A27, with LDGM alone on B29 and C35, and with none where the spare area cannot be "
        "used; `wordline code wom-capacity` says so for each chip, and how many wrong bits the "
        "rest of its spare area corrects",
    },
)
