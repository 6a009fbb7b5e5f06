"""The verb `play`."""

from collections.abc import Sequence
from pathlib import Path

from wordline.cli import plain
from wordline.player import library, reading


def play(recordings: Sequence[Path], out: Path, as_json: bool) -> None:
    """Writes the page, which was found to be writable."""
    library.play(recordings, out, force=True)
    if as_json:
        plain.print_json({"page": str(out), "recordings": [str(path) for path in recordings]})
        return
    for path in recordings:
        print(f"{path}: {reading.read(path).in_words()}")
    print(f"page: {out}")
