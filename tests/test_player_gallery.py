"""The gallery of the player: each scene shows what it is about, without a word on the console."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from wordline.components import catalogue

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import player_gallery  # noqa: E402
from player_gallery import SCENES, Scene  # noqa: E402

MOST_KB = 400

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


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
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
        f"""() => player.page.stages.every(stage => {{ const {{ state }} = stage.player;
          const {{ counts, drive }} = state;
          return counts[18] > 10 && ({HAPPENS.get(scene.name, "true")}); }})"""
    )
    assert told == []
    view.close()


def test_there_is_a_scene_of_each_technique_scheme_and_policy() -> None:
    drives = [drive for scene in SCENES for drive in (scene.tables, scene.beside) if drive]
    techniques = {name for drive in drives for name in drive.get("technique", {})}
    schemes = {drive["erase"]["scheme"] for drive in drives if "erase" in drive}
    policies = {drive.get("ftl", {}).get("gc", {}).get("policy") for drive in drives}
    choices = {
        (table["path"], param["key"]): set(param["kind"]["one_of"])
        for table in catalogue.load()["tables"]
        for param in table["params"]
        if "one_of" in param["kind"]
    }
    assert set(catalogue.techniques()) <= techniques
    assert choices["erase", "scheme"] <= schemes
    assert choices["ftl.gc", "policy"] <= policies
