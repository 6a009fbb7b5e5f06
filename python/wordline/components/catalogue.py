"""What there is: techniques, policies, presets, workloads, with their parameters and sources."""

from collections.abc import Iterable
from functools import cache
from typing import Any, Literal

from wordline.arguments import checked
from wordline.native import native_api


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


@checked
def names(kind: Literal["techniques", "presets", "workloads", "twins", "formats"]) -> list[str]:
    """What there is of a kind, by name.

    Args:
        kind: `workloads` are the generators; `twins` stand for published volumes.
    """
    return [entry["name"] for entry in load()["generators" if kind == "workloads" else kind]]


def did_you_mean(name: str, names: Iterable[str], noun: str) -> str:
    """A hint for an unknown `name`: the nearest one, and all that are valid."""
    import difflib

    valid = sorted(names)
    near = difflib.get_close_matches(name.lower(), valid, n=1)
    guess = f"did you mean `{near[0]}`? " if near else ""
    return f"{guess}{noun}: {', '.join(valid) or 'none'}"
