"""The page that plays recordings, on drives that show something of their own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from playwright.sync_api import Browser, Page
from wordline.player import page, reading
from wordline.player.recording import Recording

WORK = "zipf:requests=3e4,read=0.3,theta=0.9,interval_us=300,trim=0.02"
SLOWEST_SEEK_MS = 1000
SLOWEST_FRAME_MS = 1000 / 30


@pytest.fixture
def played(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    views: list[Page] = []

    def play(*recordings: reading.Recorded) -> Page:
        """The drawn page; anything on the console fails the test."""
        path = tmp_path / f"page-{len(views)}.html"
        path.write_text(page.render(recordings, ["a"] * len(recordings)), "utf-8")
        view = browser.new_page(viewport={"width": 1280, "height": 900})
        told: list[str] = []
        view.on("console", lambda message: told.append(message.text))
        view.on("pageerror", lambda error: told.append(str(error)))
        view.goto(path.as_uri())
        view.wait_for_selector("body[data-drawn=yes]")
        assert told == []
        views.append(view)
        return view

    yield play
    for view in views:
        view.close()


@pytest.mark.parametrize(
    ("program", "parity"), [("one_shot", "plane"), ("page", "none")], ids=["one_shot", "page"]
)
def test_superblocks_are_drawn_on_their_dies(
    played: Any, tmp_path: Path, program: str, parity: str
) -> None:
    chip = {"program": program, "blocks_per_plane": 128, "pages_per_block": 48}
    drive = {"chip": chip, "over_provisioning": 0.5}
    ftl = {"superblock_dies": 2, "superblock_parity": parity}
    short = WORK.replace("3e4", "6e3")
    result = wl.run("tiny", short, record=tmp_path / "super.wlr", drive=drive, ftl=ftl)
    view = played(reading.read(tmp_path / "super.wlr"))
    assert view.evaluate("player.verify()") == []
    shown, held = view.evaluate(
        """() => { const { main } = player.page;
          player.page.goTo(player.films[0].commands);
          const { drive } = player.films[0];
          const { lines, inLine } = main.player.state;
          const held = { p: [0, 0], d: [0, 0] };
          lines.forEach((line, at) => {
            const of = held[drive.kinds[0].held?.[at % drive.kinds[0].linesPerBlock] ?? "d"];
            of[0] += line > 0; of[1] += inLine[at] > 0;
          });
          const { panels, dies } = main.view.layout;
          return [[dies.length, panels.length, drive.kinds[0].flash.lines], held]; }"""
    )
    told = result.config["drive"]
    dies = told["channels"] * told["chips_per_channel"] * told["chip"]["dies"]
    bits = view.evaluate("player.films[0].drive.kinds[0].bits")
    assert shown == [dies, dies * told["chip"]["planes"], 48 // bits]
    assert held["d"][1] > held["d"][0] / 2 > 0
    if parity == "plane":
        assert held["p"][0] > 0 == held["p"][1]
        assert "parity" in view.locator(".legend").inner_text()
    # Each command lies on one die, and what its pages are is told with it.
    dies_of = view.evaluate(
        """() => { const { main } = player.page;
          const seen = [];
          main.player.seek(0);
          main.player.go(3000, { command: (kind, cause, block, page, pages) => {
            const { drive } = player.films[0];
            const of = drive.kindOf(block);
            if (kind !== 3) seen.push(new Set(Array.from({ length: pages },
              (_, at) => drive.place(block, of.lineOfPage[page + at]).die)).size); } });
          return seen; }"""
    )
    assert len(dies_of) > 1000
    assert set(dies_of) == {1}


def test_a_long_run_is_played_in_stretches(played: Any, tmp_path: Path) -> None:
    path = tmp_path / "long.wlr"
    # What a long run leaves, of a short one: the middle of the events is taken out.
    long = WORK.replace("3e4", "1e5")
    wl.run("tiny-tlc", long, record=path, run={"mode": "count"})
    whole = reading.read(path)
    sections = [*whole.sections]
    events = [at for at, (kind, _) in enumerate(sections) if kind == "EVNT"]
    del sections[events[len(events) // 2]]
    cut = reading.Recorded(path, whole.head, whole.tail, tuple(sections))
    view = played(cut)
    assert view.evaluate("player.verify()") == []
    first, last = view.evaluate(
        """() => { const [film] = player.films;
          const at = film.keyframes.findIndex((_, at) => film.isGap(at));
          return [film.keyframes[at].commands, film.keyframes[at + 1].commands]; }"""
    )
    steps = []
    view.evaluate(f"player.page.goTo({first - 1})")
    for by in (1, 1, 1, -1, -1, -1):
        view.evaluate(f"player.page.step({by})")
        steps.append(view.evaluate("player.page.main.player.command"))
    assert steps == [first, last, last + 1, last, first, first - 1]
    # It plays across, and looks across.
    view.select_option("#break", "count18")
    view.fill("#value", str(whole.tail["result"]["flash"]["erases"]))
    view.click("#next")
    view.wait_for_function("document.querySelector('#now').textContent.includes('stopped')")
    assert view.evaluate("player.page.main.player.command") > last
    # Where a page went meanwhile nobody knows.
    view.evaluate("player.page.follow(7)")
    assert view.evaluate(f"player.page.main.journey.place({last})") == -1


def test_the_pulses_of_an_erase_are_drawn_with_their_damage(played: Any, tmp_path: Path) -> None:
    drive = {"chip": {"blocks_per_plane": 96, "initial_pec": 3000}}
    record = Recording(tmp_path / "worn.wlr", commands=20_000)
    wl.run("tiny-tlc", WORK, record=record, drive=drive, erase={"scheme": "ispe"})
    view = played(reading.read(tmp_path / "worn.wlr"))
    view.evaluate("player.page.goTo(player.films[0].commands - 1)")
    pulses = view.evaluate("player.page.main.lastErase[5]")
    assert len(pulses) > 2
    assert view.locator(".pulses i").count() == len(pulses)
    # Each pulse of ISPE has a higher voltage than the one before: more damage in the same time.
    damage = [damage for _, damage in pulses]
    assert damage == sorted(damage) and damage[0] > 0
    told = view.locator(".erased").inner_text()
    assert f"{len(pulses)} pulses" in told and "with the damage of" in told


def test_a_million_word_lines_are_drawn_in_time_for_thirty_frames(
    played: Any, tmp_path: Path
) -> None:
    drive = {"chip": {"blocks_per_plane": 768}}
    count = {"mode": "count"}
    wl.run({"drive": drive, "run": count}, "uniform:writes=2e4", record=tmp_path / "large.wlr")
    view = played(reading.read(tmp_path / "large.wlr"))
    assert view.evaluate("player.films[0].drive.lines") > 1e6
    # The fastest of twenty, for other tests run at the same time.
    fastest = view.evaluate(
        """() => Math.min(...Array.from({ length: 20 }, (_, at) => {
          const begin = performance.now();
          player.page.goTo(1000 + 20 * at, { shows: true, recent: 180 });
          return performance.now() - begin;
        }))"""
    )
    assert fastest < SLOWEST_FRAME_MS
    begins = "const begin = performance.now()"
    jump = "player.page.goTo(player.films[0].commands)"
    assert view.evaluate(f"() => {{ {begins}; {jump}; return performance.now() - begin; }}") < (
        SLOWEST_SEEK_MS
    )
