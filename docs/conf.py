"""Sphinx: the manual, in Markdown."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import reference  # noqa: E402

reference.write(HERE / "reference")

project = "Wordline"
copyright = "2026, the Wordline developers"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
autodoc_member_order = "bysource"
autodoc_typehints = "description"
html_theme = "furo"
html_title = "Wordline"
exclude_patterns = ["_build"]
