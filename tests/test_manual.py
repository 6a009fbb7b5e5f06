"""The manual as it is built: complete, and of itself alone."""

import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
BUILT = ROOT / "target" / "docs"
EXECUTED = ROOT / "target" / "jupyter_execute" / "notebooks"
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
_FETCHED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]+\"")


@pytest.fixture(scope="module")
def pages() -> list[Path]:
    if not (BUILT / "index.html").exists():
        pytest.skip(f"no manual in {BUILT}: `make docs` builds it")
    return sorted(BUILT.rglob("*.html"))


def test_no_page_fetches_anything(pages: list[Path]) -> None:
    found = {
        str(page.relative_to(BUILT)): fetched
        for page in pages
        if (fetched := _FETCHED.findall(page.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_charts_of_notebooks_are_drawn(pages: list[Path]) -> None:
    notebooks = BUILT / "notebooks"
    for name in ("first_steps", "over_provisioning"):
        page = (notebooks / f"{name}.html").read_text(encoding="utf-8")
        assert 'image/svg+xml"' in page or "<svg" in page or re.search(r'src="[^"]+\.svg"', page), (
            name
        )
        assert "vegaEmbed" not in page, name


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_keep_what_they_print_today(path: Path, pages: list[Path]) -> None:
    again = printed(EXECUTED / path.name)
    assert again and printed(path) == again, f"run tools/write-notebooks {path.stem}"


def printed(path: Path) -> list[str]:
    """The results of the cells as text; a chart is named alone."""
    cells = nbformat.read(path, as_version=4).cells
    outputs = (output for cell in cells for output in cell.get("outputs", ()))
    return [o.data["text/plain"] for o in outputs if o.output_type == "execute_result"]
