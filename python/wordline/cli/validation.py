"""The verb `validate`."""

import json
from collections import Counter
from typing import Any

import typer

from wordline import _native, catalogue, peers
from wordline.cli import failures, output, progress
from wordline.cli.options import Mode
from wordline.errors import ConfigError
from wordline.runs import Progress

_MQSIM = "mqsim"
_SUITES = {
    "theory": ("theory",),
    "timing": ("timing",),
    "disksim": ("disksim",),
    _MQSIM: (_MQSIM,),
    "peers": ("disksim", _MQSIM),
    "all": ("theory", "timing", "disksim", _MQSIM),
}


def validate(name: str, quick: bool, mode: Mode | None, as_json: bool) -> None:
    """Runs suites of checks; the exit status is 1 if anything deviates."""
    if name not in _SUITES:
        hint = catalogue.did_you_mean(name, _SUITES, "suites")
        raise ConfigError(f"unknown suite `{name}`", help=hint)
    items: list[dict[str, Any]] = []
    with progress.shown(mode) as start:
        for suite in _SUITES[name]:
            items.extend(_run(suite, quick, start(suite)))
    if as_json:
        output.print_json({"items": items})
    else:
        output.show_items(items)
        output.console().print(summary(items), markup=False)
    if any(item["status"] == "deviates" for item in items):
        raise typer.Exit(failures.FAILED_RUN)


def _run(suite: str, quick: bool, update: Progress) -> list[dict[str, Any]]:
    def watch(done: int, total: int, _: str) -> None:
        update("run", done, total, 0)

    if suite == _MQSIM:
        items = peers.against_mqsim(quick)
    else:
        items = json.loads(_native.validate(suite, quick, watch))
    update("done", len(items), len(items), 0)
    return items


def summary(items: list[dict[str, Any]]) -> str:
    """How many items have each status."""
    counts = Counter(item["status"] for item in items)
    return ", ".join(f"{number} {status}" for status, number in counts.items())
