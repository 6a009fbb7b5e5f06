"""Small plots of text: lines of bars, and single bars."""

from collections.abc import Sequence
from itertools import pairwise

_UPRIGHT = " ▁▂▃▄▅▆▇█"
_LYING = " ▏▎▍▌▋▊▉█"
_PLAIN_UPRIGHT = " .:-=+*#@"
_PLAIN_LYING = "        #"


def sparkline(values: Sequence[float], width: int, plain: bool = False) -> str:
    """Bars side by side, at most `width` of them; the highest value has the highest bar.

    Of what falls into one bar the highest counts. A value above 0 is never drawn as none.
    """
    marks = _PLAIN_UPRIGHT if plain else _UPRIGHT
    bars = _highest(values, width)
    top = max(bars, default=0)
    if top <= 0:
        return marks[0] * len(bars)
    steps = len(marks) - 1
    return "".join(marks[max(round(bar / top * steps), int(bar > 0))] for bar in bars)


def _highest(values: Sequence[float], width: int) -> list[float]:
    if len(values) <= width:
        return list(values)
    edges = [index * len(values) // width for index in range(width + 1)]
    return [max(values[low:high]) for low, high in pairwise(edges)]


def bar(share: float, width: int, plain: bool = False) -> str:
    """A bar that fills `share` of `width`."""
    marks = _PLAIN_LYING if plain else _LYING
    eighths = round(min(max(share, 0), 1) * width * 8)
    rest = marks[eighths % 8].strip()
    return marks[8] * (eighths // 8) + rest
