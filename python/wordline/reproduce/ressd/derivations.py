"""What the published averages say of one another, by arithmetic alone.

No run has a part in these values. They show which averages go together, and under which account of
the third page of a word line. Percentages of Section 7.2.1 are of all that the array without ReSSD
consumes.
"""

from collections.abc import Mapping
from functools import cache

from wordline.reproduce import judge
from wordline.reproduce.ressd.measures import MEASURES, by_load, moved_per_page
from wordline.reproduce.study import Figure, Findings, Study

_MLC_PEC_OVER_TLC = 30_000 / 1_500  # Section 7.2.7
_MLC_PAGES_OVER_TLC = 2 / 3
_PAGES, _PAGES_BY_REPROGRAMS = 3, 4  # of a word line


@cache
def _published() -> Mapping[str, float]:
    """The published averages, by figure and name."""
    end = "/average"
    return {
        row["id"].removeprefix(f"{paper}/").removesuffix(end): float(row["reference"])
        for paper in ("ressd", "ressd-layers")
        for row in judge.expected(Study(paper, "", "", {}, lambda _, __: (), ()))
        if row["id"].endswith(end) and row["reference"]
    }


def _change(name: str) -> float:
    """What a published change leaves: 0.7 for one of -30 %."""
    return 1 + _published()[name] / 100


class _Pages:
    """The pages that Figure 13 implies, in percent of all that the array without ReSSD consumes."""

    def __init__(self) -> None:
        ours = 100 * _change("fig13/consumption")
        shares = {
            of: _published()[f"fig13/share_of_{of}"] / 100
            for of in ("writes", "gc", "fully_invalidated")
        }
        self.writes = shares["writes"] * ours
        self.moves = (shares["gc"] + shares["fully_invalidated"]) * ours
        self.writes_before = self.writes / _change("fig13/writes")
        self.moves_before = self.moves / _change("fig13/moved")

    @property
    def all_before(self) -> float:
        """100, if the published averages are of totals."""
        return self.writes_before + self.moves_before

    @property
    def third(self) -> float:
        """Each word line of two bits takes two reprograms, which consume no page."""
        return (self.writes_before - self.writes) / 2


def _direct_before() -> float:
    """The share of direct erases without ReSSD by which both changes give that of all erases."""
    moving, direct, every = (
        _change(f"fig15/{name}") for name in ("gc_moving", "gc_direct", "erases")
    )
    return (every - moving) / (direct - moving)


def _derivations(found: Findings) -> Mapping[str, float]:
    pages = _Pages()
    direct = _direct_before()
    taken = pages.writes + pages.moves
    told = {
        "fig13/parts_before": pages.all_before,
        "fig13/moved_per_page": 100 * pages.moves_before / pages.writes_before,
        "fig13/least_writes_by_three_a_word_line": 100 * (_PAGES / _PAGES_BY_REPROGRAMS - 1),
        "writes_per_erase/least_by_plain_means": 100 * (1 / _change("fig15/erases") - 1),
        "writes_per_erase/by_a_lost_third_page": 100
        * (pages.all_before / (taken + pages.third) - 1),
        "writes_per_erase/by_a_free_third_page": 100 * (pages.all_before / taken - 1),
        "writes_per_erase/times_erases": _change("fig16/writes_per_erase")
        * _change("fig15/erases"),
        "writes_per_erase/by_mlc": 100
        * (_published()["fig22/endurance_by_raid"] / _published()["fig22/endurance_by_rss"] - 1),
        "mlc_endurance/by_cycles_and_pages": _MLC_PEC_OVER_TLC * _MLC_PAGES_OVER_TLC,
        "fig15/direct_share_before": 100 * direct,
        "fig15/direct_share": 100 * direct * _change("fig15/gc_direct") / _change("fig15/erases"),
        **{
            f"fig27/share_of_ideal/{name}": 100
            * _published()[f"fig27/{name}/virtual"]
            / _published()[f"fig27/{name}/32_layers"]
            for name in ("consumption", "writes_per_erase", "write_latency")
        },
    }
    return {**told, **_ours(found)} if found.is_whole else told


def _ours(found: Findings) -> Mapping[str, float]:
    """The mean of our quotients times the quotient of the totals."""
    pages, erases = MEASURES["writes_per_erase"], MEASURES["erases"]
    told = by_load(found, "ours/moved_per_page", moved_per_page, "raid")
    for account, drive in (("lost", "rss"), ("free", "rss_free")):
        pairs = [[found.result(of, load) for load in found.loads] for of in (drive, "raid")]
        ratios = [pages(after) / pages(before) for after, before in zip(*pairs, strict=True)]
        fewer = erases.total(pairs[0]) / erases.total(pairs[1])
        told[f"ours/writes_per_erase_times_erases/{account}"] = sum(ratios) / len(ratios) * fewer
    return told


FIGURES = (
    Figure(
        "derivations",
        "What the published averages say of one another, and ours beside it",
        _derivations,
        "",
        ("raid", "rss", "rss_free"),
        is_quick=False,
    ),
)
