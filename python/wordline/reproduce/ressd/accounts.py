"""What becomes of the third page of a word line: every quantity under both accounts, side by side.

The text says that it is lost: degenerating TLC to MLC costs a third of the capacity until the
block is erased (Section 3.3.3), a word line consumes three flash pages whatever is written to it
(Section 7.2.1), and counts as two where free pages are counted (Section 7.2.5). Published moves
and GC time fall only where GC takes it for free.
"""

from collections.abc import Mapping

from wordline.reproduce.ressd.measures import MEASURES, changes
from wordline.reproduce.study import Figure, Findings

ACCOUNTS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "array": {"lost": ("rss", "raid"), "free": ("rss_free", "raid")},
    "drive": {"lost": ("ressd", "baseline"), "free": ("ressd_free", "baseline")},
}
"""With ReSSD and without, by what is compared and by what becomes of the third page."""

OF_ARRAY = (
    "consumption",
    "consumption_as_three_without_padding",
    "consumption_as_two",
    "writes",
    "writes_as_two",
    "moved",
    "erases",
    "gc_moving",
    "gc_time",
    "writes_per_erase",
    "write_latency",
    "read_latency",
    "free_pages",
)
OF_DRIVE = ("consumption", "consumption_as_two", "erases", "writes_per_erase")


def _accounts(found: Findings) -> Mapping[str, float]:
    """Mean of the volumes' changes, and the change of all volumes together, in percent."""
    told: dict[str, float] = {}
    if not found.is_whole:
        return told
    for compared, names in (("array", OF_ARRAY), ("drive", OF_DRIVE)):
        for name in names:
            for account, drives in ACCOUNTS[compared].items():
                of_loads = changes(found, MEASURES[name], drives)
                told[f"{compared}/{name}/mean/{account}"] = of_loads["change/average"]
                told[f"{compared}/{name}/total/{account}"] = of_loads["change/total"]
    return told


FIGURES = (
    Figure(
        "accounts",
        "Both accounts of the third page of a word line: lost, as the text counts, or free for GC",
        _accounts,
        "%",
        tuple(dict.fromkeys(
            drive for pairs in ACCOUNTS.values() for pair in pairs.values() for drive in pair
        )),
        is_quick=False,
    ),
)  # fmt: skip
