"""Drives of a comparison, as `--variant` gives them."""

from wordline.errors import ConfigError
from wordline.runs.single_run import Variant

_FORM = "NAME:key=value,key=value, for instance fifo:ftl.gc.policy=fifo"


def parse_variant(text: str) -> Variant:
    """The variant that `text` describes.

    Raises:
        ConfigError: `text` is not of the form `NAME:key=value,key=value`.
    """
    name, colon, changes = text.partition(":")
    overrides = split_outside_brackets(changes)
    if not name or not colon or not all("=" in override for override in overrides):
        raise ConfigError(f"`{text}` is not a variant", "--variant", _FORM)
    return Variant(name, tuple(overrides))


def split_outside_brackets(text: str) -> list[str]:
    """Splits at commas, but not at those within brackets, braces or quotes."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        if letter == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
