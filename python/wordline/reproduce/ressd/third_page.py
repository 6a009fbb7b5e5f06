"""What is left of RSS-RAID where GC does not take the third page of a word line for free.

Not published: the publication's array again, with its count of free pages set right.
"""

from wordline.reproduce.ressd.drives import AS_PUBLISHED, LOST, RAID, RESSD
from wordline.reproduce.ressd.measures import MEASURES, changes_of, parts
from wordline.reproduce.ressd.workloads import loads
from wordline.reproduce.study import Figure, Findings, Study

_PAIR = ("rss", "raid")


def _shares(found: Findings) -> dict[str, float]:
    return parts(found, "rss")


STUDY = Study(
    paper="ressd-third-page",
    source="not published: the array of Gao et al., ACM TOS 18(1):9, 2022, its third pages lost",
    base="ressd-576g",
    drives={
        "raid": (*AS_PUBLISHED, *RAID),
        "rss": (*AS_PUBLISHED, *RAID, *RESSD, LOST),
    },
    loads=loads,
    figures=(
        Figure(
            "changes",
            "The array with ReSSD against the one without",
            changes_of(*MEASURES, drives=_PAIR),
            "%",
            _PAIR,
        ),
        Figure("parts", "Flash pages consumed by the array with ReSSD", _shares, "%", ("rss",)),
    ),
)
