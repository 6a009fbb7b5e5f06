"""Sphinx: the manual, in Markdown."""

project = "Wordline"
copyright = "2026, the Wordline developers"
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Wordline"
exclude_patterns = ["_build"]
