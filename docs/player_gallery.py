"""Short recordings with the player, and the page that leads to them, made when the manual is built.

    .venv/bin/python docs/player_gallery.py FOLDER

writes the recordings into a folder that is there.
"""

import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import wordline as wl
from wordline.player import reading
from wordline.player.page import render
from wordline.player.recording import Recording

PAGES = "_static/player"
"""Where the pages are, below the manual's folder."""

_HEAD = """# Gallery of the player

**Every policy of garbage collection, every erase scheme and every technique in short recordings,
each with what to watch.** Press Space to play, N to go to the next victim, and + to zoom in.
[Watch a drive](../player.md) explains the player.
"""

_COMMANDS = 10_000
_COMMANDS_OF_TWO = 5_000
_TLC_BLOCKS = 96  # of a plane, which is enough to look at
_WORN_PEC = 3000


@dataclass(frozen=True)
class Scene:
    """A short recording.

    Attributes:
        name: The name of its page.
        title: What it shows.
        watch: What to look at, in a sentence or two.
        workload: What the host does.
        preset: The drive.
        tables: What is laid over the drive.
        beside: What is laid over another drive, which is shown beside it.
        from_s: Simulated time at which the recording begins, seconds.
        view: What the page opens with, as at the end of its address.
    """

    name: str
    title: str
    watch: str
    workload: str
    preset: str = "tiny"
    tables: dict[str, Any] = field(default_factory=dict)
    beside: dict[str, Any] | None = None
    from_s: float = 0.0
    view: str = "#at=2000"


def _tlc(pec: int = 0, **tables: Any) -> dict[str, Any]:
    chip = {"blocks_per_plane": _TLC_BLOCKS, "initial_pec": pec}
    return {"drive": {"chip": chip}, **tables}


def _gc(policy: str) -> dict[str, Any]:
    return {"ftl": {"gc": {"policy": policy}}}


def _worn(scheme: str) -> dict[str, Any]:
    return _tlc(_WORN_PEC, erase={"scheme": scheme})


_ERASES = "#at=0&break=cycles,1"
_ZIPF = "zipf:requests=4e4,read=0.2,theta=0.9,interval_us=400"
_HOT_COLD = "hotcold:requests=4e4,read=0.2,hot=0.1,share=0.9,interval_us=400"
_TLC = "zipf:requests=4e4,read=0.3,theta=0.9,interval_us=1500"

SCENES = (
    Scene(
        "greedy",
        "Greedy garbage collection beside the oldest block first",
        "On the left each victim is the palest block, so few arcs leave it. On the right victims "
        "take turns whatever they hold, and write amplification is higher.",
        _ZIPF,
        tables=_gc("greedy"),
        beside=_gc("fifo"),
    ),
    Scene(
        "cost_benefit",
        "Cost-benefit beside random",
        "Cost-benefit passes over pale blocks that were written lately, because they turn paler "
        "yet. Random victims hold whatever they hold.",
        _HOT_COLD,
        tables=_gc("cost_benefit"),
        beside=_gc("random"),
    ),
    Scene(
        "d_choices",
        "The best of a few blocks beside the best of the oldest",
        "d-choices draws some blocks and takes the palest of them. Windowed greedy looks at the "
        "oldest blocks alone. Both come close to greedy.",
        _ZIPF,
        tables=_gc("d_choices"),
        beside=_gc("windowed_greedy"),
    ),
    Scene(
        "streams",
        "Hot and cold data apart",
        "Colours say who filled a block. Blocks of hot data turn pale as a whole, "
        "and are collected almost empty.",
        _HOT_COLD,
        tables={"ftl": {"hotness": {"policy": "oracle", "hot_share": 0.1}}},
        view="#at=2000&view=stream",
    ),
    Scene(
        "wear",
        "Static wear levelling",
        "Colours are P/E cycles. Cold blocks stay blue until wear levelling moves "
        "their data and uses them.",
        _HOT_COLD,
        tables={"ftl": {"wear": {"policy": "static"}}},
        view="#at=9000&view=wear",
    ),
    Scene(
        "superblocks",
        "A superblock with parity",
        "One column spans all dies. Violet word lines hold the parity of the others, and no data.",
        _ZIPF,
        tables={
            "drive": {
                "chip": {"program": "one_shot", "blocks_per_plane": 128, "pages_per_block": 48},
                "over_provisioning": 0.5,
            },
            "ftl": {"superblock_dies": 2, "superblock_parity": "plane"},
        },
    ),
    Scene(
        "ressd",
        "ReSSD",
        "Green word lines hold two bits in a cell. Once their data is invalid they take two more "
        "pages before the next erase: magenta marks the moment.",
        _TLC,
        preset="tiny-tlc",
        tables=_tlc(technique={"ressd": {}}),
        from_s=20,
    ),
    Scene(
        "lazy_ftl",
        "LazyRS",
        "First programs are fast, and green. What lives long is programmed a second time in "
        "place, and turns orange.",
        _TLC,
        preset="tiny-tlc",
        tables=_tlc(technique={"lazy_ftl": {"mode": "m1", "day_s": 8, "margin_s": 1}}),
        from_s=20,
    ),
    Scene(
        "llh_ftl",
        "LLH-FTL",
        "Low pages are written, invalidated, and written again by a code before the "
        "block is erased.",
        "hotcold:requests=4e4,read=0.2,hot=0.02,share=0.5,interval_us=1500",
        preset="tiny-mlc",
        tables={"drive": {"chip": {"blocks_per_plane": 48}}, "technique": {"llh_ftl": {}}},
        from_s=20,
    ),
    Scene(
        "centaur",
        "Centaur",
        "Small parts of requests go to the dies of SLC, and large parts to the dies of TLC.",
        "hotcold:requests=4e4,read=0.3,hot=0.2,share=0.8,size_kib=32,interval_us=3000",
        preset="tiny-mixed",
        tables={"technique": {"centaur": {}}},
        from_s=30,
    ),
    Scene(
        "slc_cache",
        "SLC cache",
        "Writes go to blocks with one bit in a cell. In idle time their data is "
        "folded into TLC blocks.",
        "zipf:requests=4e4,read=0.3,theta=0.9,interval_us=1500,burst=200",
        preset="tiny-tlc",
        tables=_tlc(technique={"slc_cache": {}}),
        from_s=20,
    ),
    Scene(
        "ispe",
        "Erases of a fixed time beside ISPE",
        "Press N to go from erase to erase: bars show its pulses, as wide as their time and as "
        "high as their damage. ISPE raises the voltage from pulse to pulse until a block is "
        "erased.",
        _TLC,
        preset="tiny-tlc",
        tables=_worn("fixed"),
        beside=_worn("ispe"),
        from_s=20,
        view=_ERASES,
    ),
    Scene(
        "dpes",
        "i-ISPE beside DPES",
        "i-ISPE begins at the voltage at which the last erase ended: fewer pulses, and more "
        "damage. DPES lowers the voltage, and slows programs down.",
        _TLC,
        preset="tiny-tlc",
        tables=_worn("i_ispe"),
        beside=_worn("dpes"),
        from_s=20,
        view=_ERASES,
    ),
    Scene(
        "reo",
        "AERO beside REO",
        "Both end the last pulse once a block is erased. Compare the times and the damage below "
        "the drives with those of ISPE.",
        _TLC,
        preset="tiny-tlc",
        tables=_worn("aero"),
        beside=_worn("reo"),
        from_s=20,
        view=_ERASES,
    ),
)


def play(scene: Scene, folder: Path) -> Path:
    """Records a scene, and writes its page into a folder."""
    drives = [scene.tables] if scene.beside is None else [scene.tables, scene.beside]
    commands = _COMMANDS if len(drives) == 1 else _COMMANDS_OF_TWO
    with tempfile.TemporaryDirectory() as place:
        found = []
        for at, tables in enumerate(drives):
            record = Recording(
                Path(place) / f"{scene.name}-{at}.wlr", from_s=scene.from_s, commands=commands
            )
            wl.run(scene.preset, scene.workload, record=record, **tables)
            found.append(reading.read(Path(record.path)))
        page = folder / f"{scene.name}.html"
        names = [scene.title] if len(drives) == 1 else scene.title.split(" beside ")
        page.write_text(render(found, names), encoding="utf-8")
        return page


def write(manual: Path) -> None:
    """Writes every page, and the one that leads to them, into the manual's folder."""
    folder = manual / PAGES
    folder.mkdir(parents=True, exist_ok=True)
    told = [_HEAD]
    for scene in SCENES:
        address = f"../{PAGES}/{play(scene, folder).name}{scene.view}"
        told.append(f'**<a href="{address}">{scene.title}</a>.** {scene.watch}')
    (manual / "reference").mkdir(exist_ok=True)
    (manual / "reference" / "player-gallery.md").write_text(
        "\n\n".join(told) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    for one in SCENES:
        written = play(one, Path(sys.argv[1]))
        print(f"{written}  {written.stat().st_size / 1e3:.0f} kB")
