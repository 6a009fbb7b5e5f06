"""The page that plays recordings: one file, which needs nothing else."""

import base64
import zlib
from collections.abc import Sequence
from html import escape
from importlib.resources import files as resources
from string import Template

from wordline import _native
from wordline.player.reading import Recorded
from wordline.report.page import asset, in_script

_SCRIPTS = (
    "film.js",
    "state.js",
    "playback.js",
    "layout.js",
    "view.js",
    "curves.js",
    "watches.js",
    "player.js",
    "controls.js",
)
_LEVEL = 6


def render(recordings: Sequence[Recorded], names: Sequence[str]) -> str:
    """The page, with the name of each recording."""
    return Template(_own("player.html")).substitute(
        title=escape(" and ".join(names)),
        version=_native.VERSION,
        style=asset("style.css") + _own("player.css"),
        recordings="\n".join(map(_element, recordings, names)),
        script="\n".join(map(_own, _SCRIPTS)),
    )


def _element(recording: Recorded, name: str) -> str:
    """A recording as an element: its sections are deflated, in Base64."""
    about = in_script({"head": recording.head, "tail": recording.tail, "name": name})
    sections = "".join(
        f"<script type='text/plain' class='section' data-kind='{kind}'>{_packed(data)}</script>"
        for kind, data in recording.sections
    )
    return (
        f"<div class='recording' hidden><script type='application/json' class='about'>{about}"
        f"</script>{sections}</div>"
    )


def _packed(data: memoryview) -> str:
    deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(deflate.compress(data) + deflate.flush()).decode("ascii")


def _own(name: str) -> str:
    return resources("wordline.player").joinpath(name).read_text(encoding="utf-8")
