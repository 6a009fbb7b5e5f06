"""Power cuts in the midst of what clients did on a served drive."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wordline.arguments import checked
from wordline.configuration import Change, ConfigLike, Configuration, laid_over
from wordline.errors import ConfigError
from wordline.native import native_api
from wordline.native.native_api import Progress
from wordline.native.types.power import RecordedCuts
from wordline.runs import notebook

_MOST = 2**32 - 1
"""Cuts, and seeds."""

Check = Callable[[Path], str | None]
"""Looks at a file with the bytes of a drive, which it may change: says what is wrong there."""


@checked
def recorded_cuts(
    config: ConfigLike,
    recording: str | Path,
    *changes: Change,
    check: Check | None = None,
    number: int = 100,
    after: int = 0,
    seed: int = 1,
    block_layer: bool = False,
    progress: Progress | None = None,
    **tables: Any,
) -> RecordedCuts:
    """Carries a recording of a served drive out on a drive without capacitor, and cuts its power.

    Each cut is made at a random moment: the flash's image is what it was after some of the writes
    to it, the next one torn at a border of 512 bytes. The drive restarts from there. Each of its
    units must hold what it held at the last flush, or anything newer.

    Args:
        config: A TOML file, a drive preset or its name, or a mapping of tables.
        recording: A file that `serve(recording=…)` has written.
        *changes: Parts laid over the configuration.
        check: Called with a file that holds the bytes of the drive that has come back, and may
            change it. Returns what is wrong, or nothing.
        number: How many cuts are made.
        after: All of them come after so many changes of the recording, such as those that make a
            file system.
        seed: Seed of their moments.
        block_layer: Cuts any drive that keeps its promises and no more, in place of the simulated
            one. Of what came after the last flush it keeps some writes, each of which may be torn
            at a border of 512 bytes. `units` are then sectors of 512 bytes.
        progress: Called a few times a second; what it raises stops the run.
        **tables: Tables laid over the configuration, such as `power={"protection": "none"}`.

    Raises:
        ConfigError: The configuration cannot be used, a capacitor protects the drive, or it is
            smaller than the recorded one; the recording cannot be read.
        RunError: The drive did not come back.
    """
    configuration, path = laid_over(config, changes, tables), Path(recording)
    with notebook.shown("cuts", progress) as shown:
        return cut(configuration, path, check, number, after, seed, shown, block_layer)


def cut(
    configuration: Configuration,
    recording: Path,
    check: Check | None,
    number: int,
    after: int,
    seed: int,
    progress: Progress | None,
    block_layer: bool = False,
) -> RecordedCuts:
    """Cuts the power of a configuration that has been found."""
    if not 1 <= number <= _MOST:
        raise ConfigError(f"makes {number} cuts", "number", f"give 1 to {_MOST:,}")
    if not 0 <= after <= _MOST:
        raise ConfigError(f"cuts after {after} changes", "after", f"give 0 to {_MOST:,}")
    if not 0 <= seed <= _MOST:
        raise ConfigError(f"there is no seed {seed}", "seed", f"give 0 to {_MOST:,}")
    c = configuration
    with tempfile.TemporaryDirectory(prefix="wordline-") as folder:
        disk = Path(folder) / "disk"

        def looked_at(_: int) -> str | None:
            return check(disk) if check else None

        return native_api.cut_recorded(
            c.text,
            c.origin,
            c.overrides,
            recording=recording,
            cuts=number,
            after=after,
            seed=seed,
            of_block_layer=block_layer,
            disk=disk if check else None,
            check=looked_at if check else None,
            progress=progress,
        )
