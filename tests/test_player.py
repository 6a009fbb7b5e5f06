"""Recordings and the page that plays them: as files, and in a real browser."""

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from playwright.sync_api import Browser, Page
from wordline.player import page, reading
from wordline.player.recording import Recording

WORK = "zipf:requests=3e4,read=0.3,theta=0.9,interval_us=300,trim=0.02"
DRIVES: dict[str, dict[str, Any]] = {
    "conventional": {},
    "ressd": {"technique": {"ressd": {}}},
    "slc_cache": {"technique": {"slc_cache": {}}},
}
SLOWEST_SEEK_MS = 1000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of each drive, and the page that plays it."""
    folder = tmp_path_factory.mktemp("player")
    for name, tables in DRIVES.items():
        path = folder / f"{name}.wlr"
        wl.run("tiny-tlc", WORK, record=path, **tables)
        (folder / f"{name}.html").write_text(page.render([reading.read(path)], [name]), "utf-8")
    both = [reading.read(folder / f"{name}.wlr") for name in ("conventional", "ressd")]
    (folder / "both.html").write_text(page.render(both, ["conventional", "ressd"]), "utf-8")
    return folder


@pytest.fixture
def shown(browser: Browser, folder: Path) -> Iterator[Any]:
    views: list[Page] = []

    def show(name: str, fragment: str = "", width: int = 1280, scheme: Any = "light") -> Page:
        """The drawn page; anything on the console, or from the network, fails the test."""
        view = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        told: list[str] = []
        address = (folder / f"{name}.html").as_uri()
        view.on("console", lambda message: told.append(message.text))
        view.on("pageerror", lambda error: told.append(str(error)))
        view.on("request", lambda request: told.append(request.url))
        view.goto(address + fragment)
        view.wait_for_selector("body[data-drawn=yes]")
        assert told == [address]
        views.append(view)
        return view

    yield show
    for view in views:
        view.close()


def told_of(view: Page) -> str:
    return view.locator(".stage summary").inner_text()


def commands(view: Page) -> int:
    return view.evaluate("player.page.main.player.command")


def test_a_recording_changes_no_figure_and_is_the_same_again(folder: Path, tmp_path: Path) -> None:
    bare = wl.run("tiny-tlc", WORK, technique={"ressd": {}})
    again = wl.run("tiny-tlc", WORK, record=tmp_path / "again.wlr", technique={"ressd": {}})
    assert again == bare
    assert (tmp_path / "again.wlr").read_bytes() == (folder / "ressd.wlr").read_bytes()


def test_a_recording_can_be_a_part_of_a_run(folder: Path, tmp_path: Path) -> None:
    whole = reading.read(folder / "conventional.wlr")
    first = tmp_path / "first.wlr"
    wl.run("tiny-tlc", WORK, record=Recording(first, commands=5000))
    found = reading.read(first)
    assert found.tail["ended_by"] == "commands"
    assert 5000 <= found.tail["commands"] < 6000 < whole.tail["commands"]
    assert "--record-commands" in found.in_words()
    middle = tmp_path / "middle.wlr"
    wl.run("tiny-tlc", WORK, record=Recording(middle, from_s=3, seconds=1))
    found = reading.read(middle)
    assert found.tail["ended_by"] == "time"
    assert 0 < found.tail["commands"] < whole.tail["commands"]
    with pytest.raises(wl.ConfigError, match="begins 1000 s after"):
        wl.run("tiny-tlc", WORK, record=Recording(tmp_path / "late.wlr", from_s=1000))
    assert not (tmp_path / "late.wlr").exists()


def test_a_file_that_is_there_stays_unless_forced(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.wlr"
    path.write_text("mine")
    with pytest.raises(wl.OutputError, match="exists already"):
        wl.run("tiny-tlc", WORK, record=path)
    assert path.read_text() == "mine"
    wl.run("tiny-tlc", WORK, record=Recording(path, force=True))
    assert path.read_bytes() == (folder / "conventional.wlr").read_bytes()


def test_a_comparison_records_each_drive_on_each_workload(tmp_path: Path) -> None:
    loads = ["uniform:writes=500", "zipf:writes=500"]
    names = ["conventional", "ressd"]
    wl.compare("tiny-tlc", names, loads, record=tmp_path / "kept", workers=1, seeds=2)
    found = {path.name: reading.read(path) for path in (tmp_path / "kept").iterdir()}
    assert sorted(found) == [f"{name}-{n}.wlr" for name in names for n in (1, 2)]
    for name, one in found.items():
        assert one.tail["result"]["workload"]["name"] == loads[int(name[-5]) - 1]
        assert one.tail["result"]["seed"] == found["ressd-1.wlr"].tail["result"]["seed"]
    with pytest.raises(wl.OutputError, match="exists already"):
        wl.compare("tiny-tlc", names, loads, record=tmp_path / "kept")


def test_an_array_is_refused(tmp_path: Path) -> None:
    with pytest.raises(wl.ConfigError, match="a recording shows one drive"):
        wl.run("tiny-raid5", "uniform:writes=100", record=tmp_path / "x.wlr")
    assert list(tmp_path.iterdir()) == []


def test_damage_is_told_with_its_place(folder: Path, tmp_path: Path) -> None:
    whole = (folder / "conventional.wlr").read_bytes()
    path = tmp_path / "damaged.wlr"

    def fault(data: bytes) -> str:
        path.write_bytes(data)
        with pytest.raises(wl.WorkloadError) as raised:
            reading.read(path)
        return str(raised.value)

    for at in range(0, len(whole), len(whole) // 40):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << at % 8
        told = fault(bytes(flipped))
        assert "damaged" in told or "not a recording" in told or "cut off" in told
        assert "cut off" in fault(whole[:at]) or at < len(reading.MAGIC)
    assert "not a recording" in fault(b"")
    assert "of format 9" in fault(_with_format(whole, 9))


def _with_format(whole: bytes, number: int) -> bytes:
    """The recording as one of another format, with the checksum that it then has."""
    begin = len(reading.MAGIC) + 12
    length = int.from_bytes(whole[begin - 8 : begin], "little")
    head = json.loads(whole[begin : begin + length]) | {"format": number}
    data = json.dumps(head).encode()
    section = b"HEAD" + len(data).to_bytes(8, "little") + data
    checksum = zlib.crc32(section).to_bytes(4, "little")
    return reading.MAGIC + section + checksum + whole[begin + length + 4 :]


@pytest.mark.parametrize("name", DRIVES)
def test_what_is_drawn_is_what_the_simulator_had(shown: Any, folder: Path, name: str) -> None:
    view = shown(name)
    assert view.evaluate("player.films[0].keyframes.length") > 1
    assert view.evaluate("player.verify()") == []
    view.keyboard.press("End")
    counts = view.evaluate("[...player.page.main.player.state.counts]")
    flash = reading.read(folder / f"{name}.wlr").tail["result"]["flash"]
    assert counts[:8] == list(flash["page_programs"].values())
    assert counts[8:16] == list(flash["page_reads"].values())
    sums = ("program_operations", "reprograms", "erases", "padding", "parity")
    assert [counts[at] for at in (16, 17, 18, 20, 21)] == [flash[of] for of in sums]
    so_far = re.match(r"Write amplification (\S+) so far, (\S+) at", told_of(view))
    assert so_far and so_far[1] == so_far[2]


def test_it_steps_back_to_what_was(shown: Any) -> None:
    view = shown("ressd", "#at=40000")
    assert commands(view) == 40000
    state = """JSON.stringify(["lines", "inLine", "stands", "erases", "counts"]
      .map(of => [...player.page.main.player.state[of]]))"""
    before = view.evaluate(state)
    for _ in range(3):
        view.keyboard.press("ArrowRight")
    assert commands(view) == 40003
    assert view.evaluate(state) != before
    for _ in range(3):
        view.click("#back")
    assert commands(view) == 40000
    assert view.evaluate(state) == before


@pytest.mark.parametrize("colours", ["state", "stream", "wear"])
def test_what_changed_is_drawn_as_if_all_were(shown: Any, colours: str) -> None:
    view = shown("ressd")
    view.select_option("#view", colours)
    differing = view.evaluate(
        """() => {
          const { page } = player;
          const { view } = page.main;
          const pixels = () => view.textures.flatMap(texture => [...texture.pixels]);
          const steps = [1, 30, 700, 2, -40, 9000, 1, 5];
          return steps.map((by, at) => {
            page.goTo(page.main.player.command + by, { shows: true, recent: 1 + 50 * (at % 3) });
            const some = pixels();
            view.look = "";
            view.draw();
            const all = pixels();
            return all.filter((pixel, place) => pixel !== some[place]).length;
          });
        }"""
    )
    assert differing == [0] * 8


def test_it_says_how_old_a_word_line_is(shown: Any) -> None:
    view = shown("ressd")
    view.evaluate("player.page.goTo(player.films[0].commands - 5)")
    view.evaluate(
        """() => { const { main } = player.page; const { state } = main.player;
          const line = state.since.findLastIndex(time => time >= 0 && time < state.time);
          const block = state.drive.blockOfLine(line);
          main.view.chosen = { block, line: line - state.drive.lineOf(block, 0) };
          player.page.show(1); }"""
    )
    assert " ago; " in view.locator(".chosen").inner_text()
    # The same from a keyframe after the program as from one before.
    same = view.evaluate(
        """() => { const { film, player: one } = player.page.main;
          const last = film.keyframes.length - 2;
          one.open(last);
          one.go(film.keyframes[last].commands + 5);
          const early = new one.constructor(film);
          early.go(one.command);
          const lines = [...one.state.lines.keys()].filter(line => one.state.lines[line]);
          const some = lines.filter((_, at) => at % Math.ceil(lines.length / 50) === 0);
          return some.map(line => [one.programmedAt(line), early.programmedAt(line)])
            .filter(([a]) => a.isSure).map(([a, b]) => a.time === b.time); }"""
    )
    assert same
    assert all(same)


def test_it_seeks_in_no_time(shown: Any) -> None:
    view = shown("ressd")
    took = view.evaluate(
        """() => [0.9, 0.1, 0.99, 0.5, 0].map(share => {
          const begin = performance.now();
          player.page.goTo(Math.round(share * player.films[0].commands));
          return performance.now() - begin;
        })"""
    )
    assert max(took) < SLOWEST_SEEK_MS


def test_it_stops_where_it_is_asked_to(shown: Any) -> None:
    view = shown("conventional")
    view.select_option("#break", "cycles")
    view.fill("#value", "3")
    view.click("#next")
    view.wait_for_function("document.querySelector('#now').textContent.includes('stopped')")
    stopped = commands(view)
    assert view.evaluate("Math.max(...player.page.main.player.state.erases)") == 3
    view.keyboard.press("ArrowLeft")
    assert view.evaluate("Math.max(...player.page.main.player.state.erases)") == 2
    view.select_option("#break", "gc")
    view.click("#next")
    view.wait_for_function(f"player.page.main.player.command >= {stopped}")
    view.wait_for_function("document.querySelector('#now').textContent.includes('stopped')")
    assert view.evaluate("player.page.main.player.state.stands.includes(4)")


def test_it_follows_a_page(shown: Any) -> None:
    view = shown("conventional", "#follow=7")
    end = view.evaluate("player.films[0].commands")
    places = view.evaluate("player.page.main.journey.units")
    assert len(places) > 1
    for at in (0, end // 2, end):
        view.evaluate(f"player.page.goTo({at})")
        unit = view.evaluate("player.page.main.view.followed")
        assert unit in places
        assert view.evaluate(f"player.page.main.player.state.valid[{unit}]") == 1
        owner = "player.ownerOf(player.films[0], {}, {})"
        assert view.evaluate(owner.format(unit, at)) == 7


def test_it_plays_and_pauses(shown: Any) -> None:
    view = shown("conventional")
    view.keyboard.press("Space")
    view.wait_for_function("player.page.main.player.command > 200")
    view.keyboard.press("Space")
    assert view.locator("#play").get_attribute("aria-label") == "Play"
    at = commands(view)
    view.wait_for_function(f"location.hash.includes('at={at}')")
    view.reload()
    view.wait_for_selector("body[data-drawn=yes]")
    assert commands(view) == at


def test_two_drives_go_by_what_the_host_has_written(shown: Any) -> None:
    view = shown("both")
    assert view.locator("canvas[role=img]").count() == 2
    view.evaluate("player.page.goTo(player.films[0].commands / 2)")
    written = view.evaluate("player.page.stages.map(stage => stage.player.state.counts[19])")
    assert written[0] > 0
    assert abs(written[0] - written[1]) < 0.1 * written[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_is_drawn_and_nothing_overflows(shown: Any, width: int, scheme: str) -> None:
    view = shown("slc_cache", "#at=30000", width, scheme)
    assert view.evaluate("document.documentElement.scrollWidth") <= width
    colours = view.evaluate(
        """() => { const canvas = document.querySelector("canvas[role=img]");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return new Set(new Uint32Array(data.buffer)).size; }"""
    )
    assert colours > 10
    for colour in ("stream", "wear", "state"):
        view.select_option("#view", colour)
        assert view.locator(".legend li").count() > 3
    assert "word lines" in view.locator("canvas[role=img]").get_attribute("aria-label")


def test_it_stops_at_the_nth_victim_and_at_any_count(shown: Any) -> None:
    view = shown("ressd")
    victims = view.evaluate(
        """() => { const { main } = player.page; const found = [];
          new main.player.constructor(main.film).go(main.film.commands, {
            block: (_, stand) => { if (stand === 4) found.push(1); } });
          return found.length; }"""
    )
    view.select_option("#break", "gc")
    for number, does in ((victims, "stopped"), (1, "not happen again")):
        view.fill("#value", str(number))
        view.click("#next")
        view.wait_for_function(f"document.querySelector('#now').textContent.includes('{does}')")
    view.keyboard.press("Home")
    view.select_option("#break", "count17")
    view.fill("#value", "5")
    view.click("#next")
    view.wait_for_function("document.querySelector('#now').textContent.includes('stopped')")
    assert view.evaluate("player.page.main.player.state.counts[17]") == 5
    assert "programs again" in view.locator(".done").inner_text()
    view.keyboard.press("ArrowLeft")
    assert view.evaluate("player.page.main.player.state.counts[17]") == 4


def test_it_says_how_often_a_word_line_may_be_programmed_again(shown: Any) -> None:
    view = shown("ressd")
    view.evaluate("player.page.goTo(player.films[0].commands)")
    view.select_option("#view", "left")
    assert "twice more" in view.locator(".legend").inner_text()
    left = view.evaluate(
        """() => { const { main } = player.page;
          const { lines } = main.player.state;
          const { drive } = main.film;
          const told = [];
          for (const left of [0, 1, 2]) {
            const at = lines.findIndex(line => line && drive.left[line] === left);
            const block = drive.blockOfLine(at);
            main.view.chosen = { block, line: at - drive.lineOf(block, 0) };
            player.page.show(1);
            told.push([lines[at] >> 8, main.root.querySelector(".chosen").textContent]);
          }
          return told; }"""
    )
    ends = ("may not be programmed again", "programmed again once.", "programmed again twice.")
    assert all(end in told for end, (_, told) in zip(ends, left, strict=True))
    assert [passes for passes, _ in left][1:] == [1, 0]
    assert "word lines may be programmed again" in told_of(view)
    # By the keyboard to the next word line.
    before = view.evaluate("player.page.main.view.chosen")
    view.keyboard.press("s")
    after = view.evaluate("player.page.main.view.chosen")
    assert after == before | {"line": before["line"] + 1}
