"""Reports in a real browser: light and dark, wide and narrow, by mouse and by keyboard."""

from pathlib import Path

import pytest
import wordline as wl
from playwright.sync_api import Browser, Page
from wordline.report import charts, page


@pytest.fixture(scope="module")
def report(comparison: wl.Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page.render(comparison), encoding="utf-8")
    return path


def opened(browser: Browser, report: Path, scheme: str = "light", width: int = 1280) -> Page:
    """The drawn report; anything on the console fails the test."""
    view = browser.new_page(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    told: list[str] = []
    view.on("console", lambda message: told.append(message.text))
    view.on("pageerror", lambda error: told.append(str(error)))
    view.on("request", lambda request: told.append(request.url))
    view.goto(report.as_uri())
    view.wait_for_selector("body[data-drawn=yes]")
    assert told == [report.as_uri()]  # the page itself, and nothing else
    return view


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_chart_is_drawn_and_nothing_overflows(
    browser: Browser, report: Path, comparison: wl.Comparison, scheme: str, width: int
) -> None:
    view = opened(browser, report, scheme, width)
    expected = sum(len(charts.of_cases(comparison.of(name), 2)) for name in comparison.workloads)
    expected += 1  # at a glance
    assert view.locator("figure").count() == expected
    marks = view.locator("figure").evaluate_all(
        "all => all.map(f => f.querySelectorAll('svg .mark-line path, svg .mark-rect path').length)"
    )
    assert len(marks) == expected
    assert min(marks) > 0
    assert view.evaluate("document.documentElement.scrollWidth") <= width
    view.close()


# Labels beside each other are three pixels apart, else two numbers read as one.
OVERLAPS = """() => [...document.querySelectorAll("figure")].flatMap(figure =>
  [...figure.querySelectorAll("svg .role-axis-label")].flatMap(axis => {
    const boxes = [...axis.querySelectorAll("text")]
      .filter(text => text.textContent && getComputedStyle(text).opacity !== "0")
      .map(text => [text.textContent, text.getBoundingClientRect()]);
    const apart = 3;
    return boxes.flatMap(([one, a], n) => boxes.slice(n + 1)
      .filter(([, b]) => a.left < b.right + apart && b.left < a.right + apart
                         && a.top < b.bottom - 1 && b.top < a.bottom - 1)
      .map(([other]) => `${figure.querySelector("h3").textContent}: ${one} and ${other}`));
  }))"""


def test_lines_are_equally_wide(browser: Browser, report: Path) -> None:
    view = opened(browser, report)
    widths = view.locator("figure").evaluate_all(
        """all => all.map(figure => [...figure.querySelectorAll(".mark-line path")]
          .map(line => Number(line.getAttribute("stroke-width")))).filter(all => all.length)"""
    )
    assert widths
    assert {width for of in widths for width in of} == {2}
    view.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_labels_of_axes_do_not_collide(browser: Browser, report: Path, width: int) -> None:
    view = opened(browser, report, width=width)
    assert view.locator("svg .role-axis-label text").count() > 50
    assert view.evaluate(OVERLAPS) == []
    view.close()


def test_a_table_that_is_cut_says_that_it_scrolls(browser: Browser, report: Path) -> None:
    view = opened(browser, report, width=390)
    cut = view.evaluate(
        """() => [...document.querySelectorAll(".scroll")].map(frame =>
          [frame.scrollWidth > frame.clientWidth + 1,
           frame.previousElementSibling?.className === "hint"])"""
    )
    assert [True, True] in cut
    assert all(is_cut == is_told for is_cut, is_told in cut)
    view.set_viewport_size({"width": 2400, "height": 800})
    view.wait_for_function("!document.querySelector('.hint')")
    view.close()


def test_text_stands_out_in_both_schemes(browser: Browser, report: Path) -> None:
    for scheme in ("light", "dark"):
        view = opened(browser, report, scheme)
        ink, paper = view.evaluate(
            """() => [getComputedStyle(document.querySelector("svg .role-axis-label text")).fill,
                      getComputedStyle(document.body).backgroundColor]"""
        )
        assert contrast(ink, paper) > 7, scheme
        view.close()


def contrast(ink: str, paper: str) -> float:
    """The ratio of WCAG 2.2, 1.4.3."""

    def luminance(colour: str) -> float:
        parts = [int(part) / 255 for part in colour[4:-1].split(",")]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(ink), luminance(paper)))
    return (high + 0.05) / (low + 0.05)


def test_a_chart_is_read_as_a_table_by_keyboard(browser: Browser, report: Path) -> None:
    view = opened(browser, report)
    figure = view.locator("figure").first
    figure.get_by_role("button", name="Show as a table").focus()
    view.keyboard.press("Enter")
    table = figure.locator(".data table")
    spec = figure.locator(".chart").evaluate("chart => chart.spec")
    assert table.locator("tbody tr").count() == len(spec["data"]["values"])
    assert "drive" in table.locator("thead").inner_text()
    view.keyboard.press("Enter")
    assert table.count() == 0
    view.close()


def test_what_is_drawn_has_names_for_screen_readers(browser: Browser, report: Path) -> None:
    view = opened(browser, report)
    names = view.locator("figure svg").evaluate_all(
        "all => all.map(svg => (svg.closest('[aria-label]') ?? svg.querySelector('[aria-label]'))"
        "?.getAttribute('aria-label') ?? '')"
    )
    assert names
    assert all(names)
    buttons = view.get_by_role("button").evaluate_all(
        "all => all.map(button => button.getAttribute('aria-label') ?? button.textContent)"
    )
    assert all(buttons)
    view.close()


@pytest.mark.parametrize(("kind", "magic"), [("SVG", b"<svg"), ("PNG", b"\x89PNG")])
def test_charts_are_saved_for_papers(
    browser: Browser, report: Path, tmp_path: Path, kind: str, magic: bytes
) -> None:
    view = opened(browser, report, "dark")
    with view.expect_download() as download:
        view.locator("figure").first.get_by_role("button", name=kind).click()
    saved = tmp_path / "chart"
    download.value.save_as(saved)
    assert download.value.suggested_filename == f"against-conventional.{kind.lower()}"
    data = saved.read_bytes()
    assert data.startswith(magic)
    if kind == "SVG":
        assert b'fill="white"' in data
        assert b'width="245"' in data  # a column of 3.4 inches
        assert b"#e4e8ec" not in data  # the ink of the dark page
    view.close()


def test_workloads_beyond_the_first_of_many_are_drawn_when_they_are_opened(
    browser: Browser, tmp_path: Path
) -> None:
    loads = [f"uniform:writes={n}" for n in (1000, 2000, 3000, 4000)]
    path = tmp_path / "report.html"
    path.write_text(page.render(wl.compare("tiny", ["conventional"], loads)), encoding="utf-8")
    view = opened(browser, path)
    folded = view.locator("details:has(figure)")
    assert folded.locator("h2").all_text_contents() == loads[1:]
    assert view.locator("figure svg").count() > 0
    assert folded.locator("svg").count() == 0
    folded.nth(1).locator("summary").first.click()
    charts_of_it = folded.nth(1).locator("figure")
    charts_of_it.last.locator("svg").wait_for()
    assert folded.nth(1).locator("svg").count() == charts_of_it.count()
    assert folded.nth(0).locator("svg").count() == 0
    view.close()
