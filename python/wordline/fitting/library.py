"""A user's own drive from Python: `wordline.fit_drive`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wordline.arguments import checked
from wordline.components import catalogue
from wordline.errors import ConfigError, WorkloadError
from wordline.fitting import counters, drive, logs, preset, segments
from wordline.fitting.drive import Fit
from wordline.fitting.logs import Log
from wordline.persistence import files

_GIB = 1 << 30
_SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)  # of the drive, whose write amplification is shown


@dataclass(frozen=True)
class DriveFit(Fit):
    """A drive that was fitted to logs of its counters.

    Attributes:
        name: What it is called.
        superblock_gib: What it erases together, where that was given.
    """

    name: str
    superblock_gib: float | None

    def predicted(self) -> list[tuple[float, float]]:
        """Spaces in GiB, from the whole drive down to half of it, and write amplification there."""
        spaces = [share * self.exported_gib for share in _SHARES]
        return [(space, self.amplification(space)) for space in spaces]

    def to_toml(self) -> str:
        """The drive as a configuration, with the source of every number."""
        return preset.text(self, self.name, self.superblock_gib, preset.UNITS)

    def config(self) -> dict[str, Any]:
        """What it sets, as `wordline.run` takes it."""
        return preset.tables(self, self.superblock_gib, preset.UNITS)

    @checked
    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Writes the drive as a configuration for `wordline run`.

        Args:
            path: The file.
            force: Replace one that is there.

        Raises:
            OutputError: It cannot be written, or is there and `force` is not set.
            RunError: The disk is full.
        """
        files.check_writable(Path(path), force=force)
        return files.write(Path(path), self.to_toml())

    def to_dict(self) -> dict[str, Any]:
        """As `wordline fit drive --json` prints it."""
        return {
            "logs": [str(path) for path in self.logs],
            "exported_gib": self.exported_gib,
            "room_gib": asdict(self.room_gib),
            "factor": asdict(self.factor) | {"is_fitted": self.is_factor_fitted},
            "observations": [
                {
                    "place": seen.part.place,
                    "workload": seen.part.workload,
                    "space_gib": seen.part.space_gib,
                    "measured": seen.part.amplification,
                    "model": seen.model,
                    "drift": seen.part.drift,
                }
                for seen in self.observations
            ],
            "predicted": [
                {"space_gib": space, "write_amplification": found}
                for space, found in self.predicted()
            ],
            "warnings": list(self.warnings),
        }


@checked
def fit_drive(
    log: str | Path | Sequence[str | Path],
    *,
    exported: str | None = None,
    nand: str | None = None,
    superblock: str | None = None,
    workload: str | None = None,
    factor: float | None = None,
    host: Sequence[str] = (),
    physical: Sequence[str] = (),
    name: str = "",
) -> DriveFit:
    """Fits room and factor of a drive to its own counters.

    >>> fit = wl.fit_drive("drive.log", exported="745GiB")
    >>> fit.room_gib
    >>> wl.run(fit.config(), "zipf:theta=0.9,writes=5e6")

    Args:
        log: Outputs of nvme-cli or smartctl as JSON, or CSV; several of one drive are fitted
            together.
        exported: What the drive exports, as "800GB"; else as the log says.
        nand: Its flash, if the data sheet says; checked against the fit.
        superblock: What it erases together, if that is known, as "2GiB".
        workload: What unmarked parts of the logs hold: "fill" or "uniform".
        factor: Bytes written for each byte of data, if known; else it is fitted.
        host: The counter of the host's writes and its unit, as "NAME:UNIT".
        physical: Those of physical writes, which are added up.
        name: What the drive is called; else as the first log.

    Raises:
        ConfigError: An argument that cannot be used.
        WorkloadError: A log that cannot be used.
    """
    paths = [Path(log)] if isinstance(log, str | Path) else [Path(one) for one in log]
    if not paths:
        raise ConfigError("no logs", "log", "give one, or several of the same drive")
    sizes = {"exported": exported, "nand": nand, "superblock": superblock}
    chosen = {"host": host, "physical": physical}
    return fitted(paths, sizes, chosen, workload, factor, name, "")


def fitted(
    paths: Sequence[Path],
    sizes: Mapping[str, str | None],
    chosen: Mapping[str, Sequence[str]],
    workload: str | None,
    factor: float | None,
    name: str,
    prefix: str,
) -> DriveFit:
    """Fits a drive.

    Args:
        paths: The logs, at least one.
        sizes: What it exports, its flash, and what it erases together, as far as they are known.
        chosen: By side, counters as `NAME:UNIT`.
        workload: What unmarked snapshots hold.
        factor: Bytes written for each byte of data, if known.
        name: The drive's.
        prefix: Stands before the names of arguments in messages.

    Raises:
        ConfigError: An argument that cannot be used.
        WorkloadError: A log that cannot be used.
    """
    if workload is not None and workload not in logs.WORKLOADS:
        hint = catalogue.did_you_mean(workload, logs.WORKLOADS, "workloads")
        raise ConfigError(f"unknown workload `{workload}`", f"{prefix}workload", hint)
    if factor is not None and not 1 <= factor < 2:
        help = "give 1 or more, and less than 2"
        raise ConfigError(f"a factor of {factor:g}", f"{prefix}factor", help)
    by_side = {side: counters.chosen(chosen[side], f"{prefix}{side}") for side in counters.SIDES}
    read = [logs.read(path, by_side) for path in paths]
    given = {of: _gib(text, f"{prefix}{of}") for of, text in sizes.items()}
    exported_gib = given["exported"] or _exported(read, prefix)
    parts = [part for log in read for part in segments.parts(log, workload, exported_gib)]
    fit = drive.fit(read, parts, exported_gib, given["nand"], factor)
    return DriveFit(**vars(fit), name=name or paths[0].stem, superblock_gib=given["superblock"])


def _gib(text: str | None, place: str) -> float | None:
    return None if text is None else counters.size(text, place) / _GIB


def _exported(read: Sequence[Log], prefix: str) -> float:
    found = next((log.exported_bytes for log in read if log.exported_bytes), None)
    if found is None:
        what = "no log says what the drive exports"
        help = f"give {prefix}exported, as 800GB or 745.2GiB"
        raise WorkloadError(what, str(read[0].path), help)
    return found / _GIB
