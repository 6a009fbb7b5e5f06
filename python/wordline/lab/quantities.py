"""Chips and quantities as people write them."""

from pathlib import Path

from wordline import arguments
from wordline.configuration import read_toml
from wordline.errors import shown

ChipLike = str | Path
"""A chip of the laboratory by name, or a TOML file in the form of its chips."""

Quantity = str | float
"""A number, or a text with its unit."""


_LARGEST = 1e12  # the laboratory says what each quantity may be


def texts(pec: Quantity, age: Quantity, temp: Quantity, reads: Quantity) -> tuple[str, ...]:
    """What the laboratory reads, in its order."""

    def text(name: str, value: Quantity) -> str:
        if isinstance(value, str):
            return value
        return f"{arguments.real(name, value, -_LARGEST, _LARGEST):.17g}"

    values = {"pec": pec, "age": age, "temp": temp, "reads": reads}
    return tuple(text(name, value) for name, value in values.items())


def named(chip: ChipLike) -> tuple[str, str]:
    """A chip's name, and the text of its file where it has one of its own.

    Raises:
        ConfigError: A file that cannot be read.
    """
    name = str(chip)
    if not name.endswith(".toml"):
        return name, ""
    return shown(name), read_toml(Path(name), "`wordline lab list` shows chips") or "\n"
