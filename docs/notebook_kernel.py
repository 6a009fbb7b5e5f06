"""The kernel of notebooks that are kept or built: charts are pictures, and load nothing."""

import os
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent.parent / "target" / "docs-kernel"
_STARTUP = "import altair\n\naltair.renderers.enable('svg')\n"


def use() -> None:
    """Lets kernels that this process starts draw charts as SVG.

    In Jupyter charts are interactive, by scripts that are fetched.
    """
    startup = _FOLDER / "profile_default" / "startup" / "charts.py"
    startup.parent.mkdir(parents=True, exist_ok=True)
    startup.write_text(_STARTUP, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(_FOLDER)
