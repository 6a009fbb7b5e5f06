"""Where a configuration comes from: a file, a preset, a mapping; and what is laid over it."""

import json
import operator
import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex

from wordline import workers
from wordline.components import catalogue
from wordline.components.part import OnDrive, Part, Preset, Workload
from wordline.errors import ConfigError, RunError, WordlineError, shown
from wordline.native import native_api

if TYPE_CHECKING:
    from wordline.native.types.erase import Life

ConfigLike = str | Path | Mapping[str, Any] | Preset
Change = OnDrive | Part | Preset | Workload | Mapping[str, Any]
"""What can be laid over a configuration."""

_DEEPEST = 32  # tables in tables, and lists in lists: far more than any key has
_PROBED_BYTES = 256 << 20  # drives whose maps take more are not built twice
_LOOKED_AT = 4096  # characters of a file, for what it is instead of TOML


@dataclass(frozen=True)
class Configuration:
    """A configuration's text, what messages call it, and the overrides laid over it.

    Attributes:
        file: Name of the file that holds the text; empty where none does.
    """

    text: str
    origin: str
    overrides: tuple[str, ...] = ()
    file: str = ""

    def with_overrides(self, overrides: Iterable[str]) -> "Configuration":
        """Adds overrides, of which the last one of a key counts."""
        return replace(self, overrides=(*self.overrides, *overrides))

    def resolve(self) -> dict[str, Any]:
        """Every key with its value.

        Raises:
            ConfigError: The configuration cannot be used.
        """
        return native_api.resolve(self.text, self.origin, self.overrides)

    def memory_bytes(self) -> int:
        """Memory that a run takes, roughly, without records of requests.

        Raises:
            ConfigError: The configuration cannot be used.
        """
        return native_api.memory_bytes(self.text, self.origin, self.overrides)

    def check_memory(self) -> None:
        """Finds out whether the memory that is free now suffices for a run.

        Raises:
            RunError: A run takes more, roughly.
        """
        need, free = 0, workers.free_bytes()
        with suppress(WordlineError):
            need = self.memory_bytes()
        if free is not None and need > free:
            takes, has = (f"{bytes_ / 2**30:,.1f} GiB" for bytes_ in (need, free))
            raise RunError(
                f"the run takes about {takes} of memory, and {has} are free",
                self.origin,
                "lower drive.chip.blocks_per_plane, or raise ftl.mapping_unit_kib",
            )

    def check_drives(self) -> None:
        """Finds out whether the drive, or every one of an array, can be built; fills none.

        Takes what their maps take: see `memory_bytes`.

        Raises:
            ConfigError: The configuration cannot be used.
            RunError: A drive cannot work.
        """
        native_api.check_drives(self.text, self.origin, self.overrides)

    def probe(self) -> int:
        """Builds the drives as `check_drives` does, unless that would take long.

        Returns:
            Memory that a run takes, roughly, without records of requests.

        Raises:
            ConfigError: The configuration cannot be used.
            RunError: A drive cannot work.
        """
        need = self.memory_bytes()
        if need <= _PROBED_BYTES:
            self.check_drives()
        return need

    def check_workload(self) -> None:
        """Finds out whether the workload can be opened.

        Raises:
            ConfigError: The configuration cannot be used.
            WorkloadError: The workload cannot be used.
        """
        native_api.check_workload(self.text, self.origin, self.overrides)

    def erase_life(self) -> "Life":
        """How blocks age by the erase scheme, without a drive.

        Returns:
            `lifetime_pec`, the P/E cycles at which the mean of the worst pages' errors after a
            year passes the requirement; `first_worn_pec`, at which the first block does; and
            `ages`, every 50 cycles.

        Raises:
            ConfigError: The configuration cannot be used.
            RunError: The scheme knows nothing of wear.
        """
        return native_api.erase_life(self.text, self.origin, self.overrides)


def find(config: ConfigLike) -> Configuration:
    """The configuration that `config` means: a TOML file, a drive preset, or a mapping.

    Raises:
        ConfigError: No such file or preset, or a file that cannot be read.
    """
    if isinstance(config, Mapping):
        return Configuration("", "the mapping", tuple(overrides_of(config)))
    if isinstance(config, Preset):
        return Configuration("", repr(config), overrides_by([config]))
    path = Path(config)
    if os.path.isfile(path) or path.suffix == ".toml" or isinstance(config, Path):
        return Configuration(read_toml(path), shown(str(path)), file=shown(path.name))
    presets = native_api.drive_presets()
    if config in presets:
        return Configuration(f"preset = {json.dumps(config)}\n", f"preset {config}")
    if os.path.exists(path):
        return Configuration(read_toml(path), shown(str(path)))
    raise ConfigError(
        f"there is no file and no drive preset `{config}`",
        help=catalogue.did_you_mean(str(config), presets, "presets", "wordline list presets"),
    )


def laid_over(
    config: ConfigLike, changes: Iterable[Change], tables: Mapping[str, Any], *more: str
) -> Configuration:
    """The configuration that `config` means, with changes, tables and overrides laid over it.

    Raises:
        ConfigError: It cannot be read, or a value is none that a key can have.
    """
    overrides = (*overrides_by(changes), *overrides_of(tables), *more)
    return find(config).with_overrides(overrides)


def read_toml(path: Path, instead: str = "`wordline list presets` shows drives") -> str:
    """The text of a file; `instead` says what may be named where there is none.

    Raises:
        ConfigError: It cannot be read, or is no text.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            kind = "a folder" if os.path.isdir(path) else "a pipe or a device"
            raise ConfigError(f"cannot be read: it is {kind}", str(path), "name a TOML file")
        text = path.read_text(encoding="utf-8")
        if "<Execution_Parameter_Set>" in text[:_LOOKED_AT]:
            help = "`wordline import mqsim` writes it as TOML"
            raise ConfigError("MQSim's description of a drive, no TOML", str(path), help)
        return text
    except FileNotFoundError:
        raise ConfigError("no such file", str(path), instead) from None
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", str(path)) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"is not UTF-8 text (byte {error.start})", str(path)) from None


def leaves(
    tables: Mapping[str, Any], is_value: Callable[[Mapping[str, Any]], bool], prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    """Nested tables as dotted keys with their values, of which some may be tables again.

    Raises:
        ConfigError: The tables have no end.
    """
    if prefix.count(".") > _DEEPEST:
        what = f"tables lie more than {_DEEPEST} deep in one another"
        raise ConfigError(what, f"{prefix[:20]}…", "give tables of keys, as in a TOML file")
    for key, value in tables.items():
        if isinstance(value, Mapping) and not is_value(value):
            yield from leaves(value, is_value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def overrides_of(tables: Mapping[str, Any]) -> Iterator[str]:
    """Nested tables as `key=value` overrides with dotted keys; `None` leaves a key alone.

    Raises:
        ConfigError: A value that no key can have.
    """
    # A table without keys still counts: it switches a technique on.
    for path, value in leaves(tables, operator.not_):
        if value is not None:
            yield f"{path}={toml_value(value, path)}"


def overrides_by(changes: Iterable[Change]) -> tuple[str, ...]:
    """Changes as `key=value` overrides, in their order.

    Raises:
        ConfigError: A value that no key can have.
    """
    found: list[str] = []
    for change in changes:
        if isinstance(change, Mapping):
            found += overrides_of(change)
        else:
            found += (f"{key}={toml_value(value, key)}" for key, value in change.items())
    return tuple(found)


def toml_value(value: Any, place: str = "", depth: int = 0) -> str:
    """A value as TOML; JSON's forms of text, numbers, booleans and lists are TOML's as well.

    Args:
        value: A text, a path, a number or a boolean, of an array library too, or several of these.
        place: The key or the argument that it is given for.
        depth: How many lists it lies in.

    Raises:
        ConfigError: Anything else, or a text that is not UTF-8.
    """
    if isinstance(value, Mapping) and not value:
        return "{}"
    value = os.fspath(value) if isinstance(value, os.PathLike) else value
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, str):
        return _text(value, place)
    if isinstance(value, bool | int):
        return json.dumps(value)
    if isinstance(value, Iterable) and not isinstance(value, bytes | Mapping) and depth < _DEEPEST:
        return f"[{', '.join(toml_value(one, place, depth + 1) for one in value)}]"
    if isinstance(value, SupportsIndex) and not isinstance(value, type):
        return str(operator.index(value))
    if isinstance(value, SupportsFloat) and not isinstance(value, type):
        return repr(float(value))
    raise ConfigError(
        f"{reprlib.repr(value)} is no value of a configuration",
        place,
        "give a text, a number, or a list",
    )


def _text(value: str, place: str) -> str:
    if shown(value) != value:
        raise ConfigError(f"`{value}` is not UTF-8 text", place, "rename the file")
    return json.dumps(value, ensure_ascii=False)
