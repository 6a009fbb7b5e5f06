"""The gallery of the player: each scene shows what it is about, without a word on the console."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import player_gallery  # noqa: E402
from player_gallery import Scene  # noqa: E402

MOST_KB = 350

# What must happen in a recording for its scene to be there, as JavaScript.
HAPPENS: Mapping[str, str] = {
    "ressd": "counts[17] > 20",
    "lazy_ftl": "counts[17] > 20",
    "llh_ftl": "counts[17] > 20",
    "centaur": "[0, 1].every(at => state.touched.some((on, line) => on "
    "&& drive.kinds[at] === drive.kindOf(drive.blockOfLine(line))))",
    "slc_cache": "state.lines.some(line => drive.head.modes[line & 15] === 'one_bit')",
    "superblocks": "drive.head.word_lines.includes('p')",
    "wear": "Math.max(...state.erases) > 1",
}  # fmt: skip


@pytest.mark.parametrize("scene", player_gallery.SCENES, ids=lambda scene: scene.name)
def test_each_scene_is_recorded_and_drawn(browser: Browser, tmp_path: Path, scene: Scene) -> None:
    page = player_gallery.play(scene, tmp_path)
    assert page.stat().st_size < 1000 * MOST_KB
    view = browser.new_page(viewport={"width": 1100, "height": 800})
    told: list[Any] = []
    view.on("console", lambda message: told.append(message.text))
    view.on("pageerror", lambda error: told.append(str(error)))
    view.goto(page.as_uri() + scene.view)
    view.wait_for_selector("body[data-drawn=yes]")
    assert view.evaluate("player.verify()") == []
    view.evaluate("player.page.goTo(player.films[0].commands - 1)")
    assert view.evaluate(
        f"""() => {{ const {{ state }} = player.page.main.player;
          const {{ counts, drive }} = state;
          return counts[18] > 10 && ({HAPPENS.get(scene.name, "true")}); }}"""
    )
    assert told == []
    view.close()


def test_there_are_twelve_scenes() -> None:
    assert len({scene.name for scene in player_gallery.SCENES}) == 12
