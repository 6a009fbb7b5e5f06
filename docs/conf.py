"""Sphinx: the manual, in Markdown. What is built loads nothing from anywhere."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import notebook_kernel  # noqa: E402
import player_gallery  # noqa: E402
import reference  # noqa: E402

reference.write(HERE / "reference")
player_gallery.write(HERE)

notebook_kernel.use()

project = "Wordline"
copyright = "2026, the Wordline developers"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
# A whole life of a drive takes longer than the 30 s that a cell has by default, on a busy machine.
nb_execution_timeout = 900
# Widgets are not used, and would be fetched.
nb_ipywidgets_js = {}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
add_module_names = False  # all of them are called as `wl.NAME`
html_theme = "furo"
html_title = "Wordline"
html_static_path = ["_static"]
html_css_files = ["site.css"]
exclude_patterns = ["_build"]
