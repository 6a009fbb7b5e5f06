"""When reprogramming pays: a map over what decides it, with the publication's operating point.

Not published. A plane of 256 blocks stands for a drive, so that the whole map takes minutes: what
decides is how many hot pages share a super layer, not how many planes there are. Hot pages take as
large a share of the writes as the most updated fifth does in the publication (Figure 11). The same
plane has its other conditions varied one at a time (`conditions.py`).
"""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

from wordline.report import drawing
from wordline.report.drawing import Chart, rounded
from wordline.report.vega import (
    NAME,
    QUANTITY,
    Axis,
    Channel,
    Mark,
    Row,
    Scale,
    chart,
    names,
    quantities,
)
from wordline.reproduce.ressd import conditions
from wordline.reproduce.ressd.drives import AS_PUBLISHED, Keys
from wordline.reproduce.ressd.measures import MEASURES
from wordline.reproduce.study import Figure, Findings, Item, Load, Study

_BLOCKS = 256
_PAGE_KIB = 16
_FILL = 0.92
_HOT_WRITES = 0.739  # Section 5
_WRITES = 100_000
_INTERVAL_US = 100_000  # hot data is updated well within the bounds of hotness

_DRIVE: Keys = (
    *AS_PUBLISHED,
    'ftl.program_start="when_idle"',  # as a user's drive has it
    "drive.channels=1",
    "drive.chips_per_channel=1",
    "drive.chip.dies=1",
    "drive.chip.planes=1",
    f"drive.chip.blocks_per_plane={_BLOCKS}",
    "ftl.hotness.intervals_min=[120]",  # one open block; three would be much of a single plane
    "run.check=false",
    "run.series_points=0",
)

FILLS: Mapping[str, Keys] = {
    "padded": (),
    "wait until full": ('ftl.acknowledge="buffer"',),
    "in parts": ('ftl.incomplete="leave"',),
}
"""How programs are filled: with what has come, without data; after a wait; by pages."""
ROOMS = (0.13, 0.28, 0.5)
"""Over-provisioning."""
CANDIDATES: Mapping[str, Keys] = {
    "0": (),
    "0, next hot write": ('technique.ressd.reclaim="next_hot_write"',),
    "4": ("technique.ressd.candidates=4",),
}
"""Candidates that may wait, and when one is reclaimed."""
HOT_PAGES = (8, 32, 128, 512)
"""Hot pages of a plane; a super layer of two layers holds eight valid ones."""

OPERATING_POINT = ("padded", 0.13, "0", 32)
"""The publication's drive as it is reproduced, on the twin of hm_0: a plane has 34 hot pages."""


def _name(with_it: bool, fill: str, room: float, candidates: str = "") -> str:
    kind = f"ressd, {candidates} candidates" if with_it else "baseline"
    return f"{kind}; {fill}; {room:g}"


def _drives() -> Mapping[str, Keys]:
    drives: dict[str, Keys] = {}
    for (fill, keys), room in product(FILLS.items(), ROOMS):
        own = (*_DRIVE, *keys, f"drive.over_provisioning={room}")
        drives[_name(False, fill, room)] = own
        for candidates, more in CANDIDATES.items():
            ressd = ("technique.ressd.layers=2", *more)
            drives[_name(True, fill, room, candidates)] = (*own, *ressd)
    return drives


def _span_mib(room: float) -> int:
    """What data takes on the plane, which is filled before the run."""
    pages = int(_BLOCKS * conditions.BLOCK_PAGES * _FILL / (1 + room))
    return pages * _PAGE_KIB // 1024


def _load(hot_pages: int) -> Load:
    """Data fills the same share of the smallest drive and of larger ones."""
    mib = _span_mib(max(ROOMS))
    hot = hot_pages / (mib * 1024 / _PAGE_KIB)
    source = (
        f"hotcold:writes={_WRITES},hot={hot:.6g},share={_HOT_WRITES},size_kib={_PAGE_KIB},"
        f"span_mib={mib},interval_us={_INTERVAL_US}"
    )
    return Load(f"{hot_pages} hot pages", source)


def _loads(_: Path | None, quick: bool) -> Sequence[Load]:
    if quick:
        return [_load(HOT_PAGES[0])]
    return [*map(_load, HOT_PAGES), *conditions.loads(_span_mib)]


def _values(found: Findings, measure: str) -> Mapping[str, float]:
    of = MEASURES[measure]
    told: dict[str, float] = {}
    for fill, room, candidates, load in product(FILLS, ROOMS, CANDIDATES, found.loads):
        before = of(found.result(_name(False, fill, room), load))
        after = of(found.result(_name(True, fill, room, candidates), load))
        told[f"{fill}; {room:g}; {candidates}/{load.name}"] = 100 * (after / max(before, 1) - 1)
    return told


def _is_published(row: str, hot: str) -> bool:
    fill, room, candidates, pages = OPERATING_POINT
    return (row, hot) == (f"{fill}; {room:g}; {candidates}", f"{pages} hot pages")


def picture(items: Sequence[Item]) -> Chart | None:
    """The map: one place for each condition, coloured by what ReSSD changes."""
    rows: list[Row] = []
    for item in items:
        condition, _, hot = item["id"].split("/", 2)[2].rpartition("/")
        if item["ours"] is None:
            continue
        fill, room, candidates = condition.split("; ")
        rows.append(
            {
                "hot": int(hot.split()[0]),
                "condition": f"{fill}, {float(room):.0%} over-provisioning, {candidates} waiting",
                "y": rounded(item["ours"]),
                "what": "the paper's" if _is_published(condition, hot) else "another",
            }
        )
    if not rows:
        return None
    conditions = list(dict.fromkeys(row["condition"] for row in rows))
    places = chart(
        rows,
        Mark(type="point", size=260, filled=True, opacity=1),
        {
            "x": Channel(
                field="hot",
                type=QUANTITY,
                title="hot pages of a plane",
                scale=Scale(type="log", domain=[4, 1024]),
                axis=Axis(values=list(HOT_PAGES)),
            ),
            "y": Channel(
                field="condition",
                type=NAME,
                title=None,
                sort=conditions,
                axis=Axis(labelLimit=400),
            ),
            "color": Channel(
                field="y",
                type=QUANTITY,
                title="change, %",
                scale=Scale(domain=[-50, 0, 50], range=["#2166ac", "#f7f7f7", "#b2182b"]),
            ),
            "shape": Channel(field="what", type=NAME, title="drive"),
            "tooltip": [*names("condition", "what"), *quantities("hot", "y")],
        },
    )
    told = "Blue: ReSSD saves; red: it costs. The other shape is the paper's operating point."
    return drawing.finish("When reprogramming pays", told, places, 24 * len(conditions) + 40)


_TITLES = {
    "erases": "Erases: what ReSSD changes, by condition",
    "consumption": "Flash pages consumed, three a word line",
    "writes_per_erase": "Page writes per erase",
}


def _figure(measure: str, title: str) -> Figure:
    return Figure(
        measure,
        title,
        lambda found: _values(found, measure),
        "%",
        tuple(_drives()),
        loads=tuple(_load(pages).name for pages in HOT_PAGES),
        drawn=picture,
    )


STUDY = Study(
    paper="ressd-map",
    source="not published: when the technique of Gao et al., ACM TOS 18(1):9, 2022 pays",
    base="ressd-576g",
    drives={**_drives(), **conditions.drives(_DRIVE)},
    loads=_loads,
    figures=(
        *(_figure(measure, title) for measure, title in _TITLES.items()),
        conditions.figure(_DRIVE),
    ),
)
