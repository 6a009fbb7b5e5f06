"""What the generated components are made of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from wordline.arguments import checked
from wordline.errors import ConfigError


@dataclass(frozen=True, kw_only=True, repr=False)
class Part:
    """Keys of one table of a configuration. A key that is left out stays as it was.

    Attributes:
        path: The table; `NAME` in it stands for the part's own `name`.
    """

    path: ClassVar[str]

    def items(self) -> Iterator[tuple[str, Any]]:
        """The keys that were given, with dots, and their values."""
        path = self.path.replace("NAME", getattr(self, "name", ""))
        given = [
            (f"{path}.{field.name.rstrip('_')}", value)
            for field in fields(self)
            if field.name != "name" and (value := getattr(self, field.name)) is not None
        ]
        # A table without keys still counts: naming a technique switches it on.
        yield from given or [(path, {})]

    def __repr__(self) -> str:
        given = (
            f"{field.name}={value!r}"
            for field in fields(self)
            if (value := getattr(self, field.name)) is not None
        )
        return f"{type(self).__name__}({', '.join(given)})"


@dataclass(frozen=True)
class Preset:
    """A drive or a chip that comes with Wordline.

    Attributes:
        kind: `drive` or `chip`.
        name: Its name, as `wordline list presets` shows it.
    """

    kind: str
    name: str

    def items(self) -> Iterator[tuple[str, Any]]:
        """The key that chooses it."""
        yield ("preset" if self.kind == "drive" else f"drive.{self.kind}.preset"), self.name


@dataclass(frozen=True)
class Workload:
    """What is replayed.

    Attributes:
        source: A trace file, or a generator with its parameters.
        format: The trace's format; `auto` where it is to be detected.
    """

    source: str
    format: str = "auto"

    @classmethod
    def generated(cls, name: str, **params: Any) -> "Workload":
        """A generator with those of its parameters that are given."""
        given = ",".join(
            f"{key.rstrip('_')}={value}" for key, value in params.items() if value is not None
        )
        return cls(f"{name}:{given}" if given else name)

    def items(self) -> Iterator[tuple[str, Any]]:
        """The keys that choose it."""
        yield "workload.source", self.source
        yield "workload.format", self.format

    def __str__(self) -> str:
        return self.source


@dataclass(frozen=True)
class OnDrive:
    """Parts that concern one drive of an array.

    Attributes:
        drive: The drive, from 0.
        parts: What differs in it: parts of `drive`, `ftl`, `erase` and `technique`.
    """

    drive: int
    parts: tuple[Part, ...]

    def items(self) -> Iterator[tuple[str, Any]]:
        """The keys that were given, those of the drive, and their values."""
        for part in self.parts:
            for key, value in part.items():
                yield f"array.drive.{self.drive}.{key}", value


def refuse_others(
    policy: str, others: Mapping[str, object], owners: Mapping[str, Sequence[str]]
) -> None:
    """Refuses parameters that a policy does not have.

    Args:
        policy: The policy.
        others: What was given besides its parameters.
        owners: The policies that have a parameter which not all of its slot have.

    Raises:
        ConfigError: A parameter of other policies, or of none.
    """
    for key in others:
        have = " and ".join(owners.get(key, ()))
        mend = f"{have} {'have' if ' and ' in have else 'has'} it" if have else ""
        raise ConfigError(f"{policy} has no parameter {key!r}", help=mend)


@checked
def on_drive(drive: int, *parts: Part) -> OnDrive:
    """What differs in one drive of an array, counted from 0.

    A drive that is given a technique has that one instead of those of the other drives.
    """
    return OnDrive(drive, parts)


@checked
def trace(path: str | Path, format: str = "auto") -> Workload:
    """A trace file; its format is detected where `format` does not name it."""
    return Workload(str(path), format)
