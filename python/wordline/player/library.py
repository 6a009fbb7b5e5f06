"""Playing recordings: the page, from Python and for the verb `play`."""

from collections.abc import Sequence
from pathlib import Path

from wordline.arguments import checked
from wordline.errors import ConfigError
from wordline.persistence import files
from wordline.player import page, reading

_AT_ONCE = 2


@checked
def play(
    recordings: str | Path | Sequence[str | Path], out: str | Path, *, force: bool = False
) -> Path:
    """Writes a page that plays recordings, word line by word line.

    Args:
        recordings: What a run wrote as its `record`; of two the drives stand side by side.
        out: The page, such as `run.html`: one file, which needs no network.
        force: Replace one that is there.

    Raises:
        ConfigError: There are more recordings than the page shows.
        OutputError: The page cannot be written, or is there and `force` is not set.
        WorkloadError: A recording is damaged, or none.
    """
    paths = [recordings] if isinstance(recordings, str | Path) else list(recordings)
    if not 1 <= len(paths) <= _AT_ONCE:
        what = f"{len(paths)} recordings: the page shows one or two"
        raise ConfigError(what, "recordings", "name one or two")
    files.check_writable(Path(out), force=force)
    found = [reading.read(Path(path)) for path in paths]
    return files.write(Path(out), page.render(found, [one.path.stem for one in found]))
