"""The verb `play`."""

from collections.abc import Sequence
from pathlib import Path

from wordline.cli import plain
from wordline.errors import ConfigError
from wordline.persistence import files
from wordline.player import page, reading

_AT_ONCE = 2


def play(recordings: Sequence[Path], out: Path, as_json: bool) -> None:
    """Writes the page.

    Raises:
        ConfigError: There are more recordings than the page shows.
        WorkloadError: A recording is damaged, or none.
    """
    if len(recordings) > _AT_ONCE:
        raise ConfigError(f"the page shows {_AT_ONCE} recordings", "RECORDINGS", "name fewer")
    found = [reading.read(path) for path in recordings]
    files.write(out, page.render(found, [path.stem for path in recordings]))
    if as_json:
        plain.print_json({"page": str(out), "commands": [one.tail["commands"] for one in found]})
        return
    for one in found:
        print(f"{one.path}: {one.in_words()}")
    print(f"page: {out}")
