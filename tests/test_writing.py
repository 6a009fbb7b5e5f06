"""What is written for strangers: short enough, in short sentences, and the same on all pages."""

import csv
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
READ_FIRST = (
    "README.md",
    *(f"docs/{name}.md" for name in (
        "index", "start", "sizing", "comparing", "cheat-sheet", "reports", "faq", "command-line",
        "python", "results", "league", "sweeps", "workloads", "traces", "validation", "glossary",
    )),
)  # fmt: skip
MOST_WORDS = 25  # in a sentence
PAGES = ("README.md", *(str(path.relative_to(ROOT)) for path in sorted(DOCS.glob("*.md"))))
# Names that papers spell in one way, and keys in another.
MISSPELT = re.compile(
    r"\b(LazyFTL|Lazyftl|lazyRS|Lazyrs|LLH FTL|ReSsd|SLC-cache|over provisioning|[0-9] us)\b"
)


def words(text: str) -> list[str]:
    """What holds a letter or a digit: rules of tables are no words."""
    return re.findall(r"\S*\w\S*", text)


def sentences(text: str) -> list[str]:
    """Those of paragraphs and lists: no code, no tables, no pictures, of links what is read."""
    for pattern in (r"^```.*?^```", r"<!--.*?-->", r"^\|.*?$", r"!\[[^]]*\]\([^)]*\)"):
        text = re.sub(pattern, "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"\n\s*\n|\n(?=\s*[-*#] |\s*\d+\. )", text)
    told = (" ".join(part.split()) for part in parts)
    return [one for part in told for one in re.split(r"(?<=[.!?:;])[*]*\s+(?=[A-Z`*\[0-9])", part)]


@pytest.mark.parametrize("page", READ_FIRST)
def test_sentences_of_pages_that_are_read_first_are_short(page: str) -> None:
    found = sentences((ROOT / page).read_text(encoding="utf-8"))
    lengths = {one: len(words(one)) for one in found}
    assert [one for one, length in lengths.items() if length > MOST_WORDS] == []


def test_the_manual_stays_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 1_200
    written = (path for path in DOCS.rglob("*.md") if path.parent.name != "reference")
    pages = sum(len(words(path.read_text(encoding="utf-8"))) for path in written)
    notebooks = (json.loads(path.read_text(encoding="utf-8")) for path in DOCS.rglob("*.ipynb"))
    told = [
        c["source"] for book in notebooks for c in book["cells"] if c["cell_type"] == "markdown"
    ]
    assert told
    assert pages + sum(len(words("".join(source))) for source in told) <= 50_000


@pytest.mark.parametrize("page", PAGES)
def test_names_have_one_spelling(page: str) -> None:
    assert MISSPELT.findall((ROOT / page).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("suite", ["theory", "timing", "disksim"])
def test_pages_that_tell_of_a_suite_tell_what_its_table_holds(suite: str) -> None:
    with (DOCS / "validation" / f"{suite}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    off = [abs(float(row["deviation"].rstrip("%"))) for row in rows]
    allowed = [float(row["within"].rstrip("%")) for row in rows]
    agree = sum(one <= limit for one, limit in zip(off, allowed, strict=True))
    told = f"| {agree} of {len(rows)} | {max(off):g} % | `wordline validate {suite}` |"
    for page in ("README.md", "docs/validation.md"):
        assert told in (ROOT / page).read_text(encoding="utf-8"), f"{page}: {told}"


def test_the_picture_of_the_sweep_is_of_what_its_page_prints() -> None:
    """`tools/draw-worth` draws it; a row is a drive, what it has, and what that is worth."""
    page = (DOCS / "sweeps.md").read_text(encoding="utf-8")
    rows = re.findall(r"^(\w+, \w+) +zipf\S+ +([\d.]+) +([\d.]+)$", page, re.MULTILINE)
    drawn = (DOCS / "figures" / "sweep.svg").read_text(encoding="utf-8")
    assert rows
    for drive, has, worth in rows:
        points = re.findall(
            rf'aria-label="[^"]*: ([\d.]+); [^"]*: ([\d.]+); drive: {drive}"', drawn
        )
        at = {float(x): float(y) for x, y in points}
        assert f"{at.get(float(has), 0):.4g}" == f"{float(worth):.4g}", (drive, has)
