"""What there is: techniques, policies, presets, workloads, with their parameters and sources."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Literal

from wordline.arguments import checked
from wordline.native import native_api

_MOST = 4  # names that a hint offers


@cache
def load() -> dict[str, Any]:
    """The whole catalogue, as the compiled part declares it."""
    return native_api.catalogue()


def presets(kind: str) -> dict[str, dict[str, Any]]:
    """Presets of a kind (`drive`, `chip`) by name."""
    return {preset["name"]: preset for preset in load()["presets"] if preset["kind"] == kind}


def techniques() -> list[str]:
    """Names of the techniques."""
    return [technique["name"] for technique in load()["techniques"]]


def default(table: str, key: str) -> Any:
    """The value of a key that nobody sets."""
    tables = {found["path"]: found["params"] for found in load()["tables"]}
    return next(param["default"] for param in tables[table] if param["key"] == key)


@checked
def names(kind: Literal["techniques", "presets", "workloads", "twins", "formats"]) -> list[str]:
    """What there is of a kind, by name.

    Args:
        kind: `workloads` are the generators; `twins` stand for published volumes.
    """
    return [entry["name"] for entry in load()["generators" if kind == "workloads" else kind]]


def nearest(name: str, names: Iterable[str], most: int = 1) -> list[str]:
    """The names that somebody may have meant: those spelt alike, else those that begin likewise."""
    import difflib

    given, valid = _folded(name), {_folded(one): one for one in sorted(names)}
    near = difflib.get_close_matches(given, valid, n=most)
    if not near and given:
        begin = [one for one in valid if one.startswith(given)]
        near = begin if len(begin) <= _MOST else []
    return [valid[one] for one in near]


def guess(near: Sequence[str]) -> str:
    """A question, if any name is near."""
    return f"did you mean {' or '.join(f'`{one}`' for one in near)}? " if near else ""


def did_you_mean(name: str, names: Iterable[str], noun: str, listed_by: str = "") -> str:
    """A hint for an unknown `name`: the nearest one, and what is valid.

    Args:
        name: What was given.
        names: What is valid.
        noun: What these are.
        listed_by: The command that lists them, where they are too many for a message.
    """
    valid = sorted(names)
    rest = f"`{listed_by}` shows all" if listed_by else f"{noun}: {', '.join(valid) or 'none'}"
    return guess(nearest(name, valid)) + rest


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")
