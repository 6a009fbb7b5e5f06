"""The notebooks of the manual; they run when it is built (`make docs`, and so `make test`)."""

from pathlib import Path

import nbformat
import pytest
from wordline.components import catalogue

DOCS = Path(__file__).parent.parent / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
OF_TECHNIQUE = {"lazy_ftl": "lazyrs"}  # a notebook has the name of its page


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_with_what_they_print_and_draw(path: Path) -> None:
    """`tools/write-notebooks` keeps it; charts are pictures, which show without scripts."""
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    assert cells[-1].outputs and not any(cell.execution_count for cell in cells)
    for output in (output for cell in cells for output in cell.outputs):
        assert output.output_type in ("execute_result", "display_data", "stream")
        if "alt.Chart" in output.get("data", {}).get("text/plain", ""):
            assert {"image/svg+xml", "image/png"} & set(output.data)


def test_every_technique_and_the_erase_schemes_have_one() -> None:
    names = {OF_TECHNIQUE.get(name, name) for name in catalogue.techniques()}
    missing = {*names, "erase"} - {path.stem for path in NOTEBOOKS}
    assert names and not missing


def test_the_first_page_of_the_manual_marks_each_as_a_notebook() -> None:
    lines = (DOCS / "index.md").read_text(encoding="utf-8").splitlines()
    marked = {
        line.partition("<notebooks/")[2][:-1] for line in lines if line.startswith("Notebook")
    }
    assert marked == {path.stem for path in NOTEBOOKS}
