"""What the pages promise: every verb is named, links lead somewhere, versions agree."""

import os
import re
from pathlib import Path

import pytest
from test_command_line import VERBS
from test_documents import DOCUMENTS, ROOT

# Sphinx checks the manual's own links; these pages are read where they are.
READ_IN_PLACE = [document for document in DOCUMENTS if not document.startswith("docs/")]
_LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def headings(path: Path) -> set[str]:
    """The anchors that a page's headings have."""
    titles = re.findall(r"^#+ (.+)$", _FENCE.sub("", path.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", READ_IN_PLACE)
def test_links_lead_to_files_and_headings_that_there_are(document: str) -> None:
    page = ROOT / document
    for link in _LINK.findall(_FENCE.sub("", page.read_text())):
        file, _, heading = link.partition("#")
        target = (page.parent / file) if file else page
        assert target.exists(), link
        assert not heading or heading in headings(target), link


def test_the_page_on_the_command_line_names_every_verb() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text()
    named = re.findall(r"`([^`\n]+)`", text)
    verbs = {verb for verb, command in VERBS.items() if not hasattr(command, "commands")}
    missing = {v for v in verbs if not any(n == v or n.startswith(f"{v} ") for n in named)}
    assert verbs, "no verbs"
    assert missing == set()


def test_the_citation_has_the_version_of_the_crates() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    assert version
    assert f"version: {version[1]}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_public_ci_runs_the_one_list_of_checks() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    steps = re.findall(r"^ +- run: (.+)$", workflow, re.MULTILINE)
    assert steps == [".ci/run"]
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
