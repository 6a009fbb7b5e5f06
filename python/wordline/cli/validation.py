"""The verb `validate`."""

from collections import Counter
from collections.abc import Iterable, Sequence

from click.exceptions import Exit

from wordline import peers
from wordline.cli import failures, output, plain, progress
from wordline.cli.options import Mode
from wordline.components import catalogue
from wordline.errors import ConfigError
from wordline.native import native_api
from wordline.native.native_api import Progress
from wordline.native.types.record import Named

_MQSIM = "mqsim"
_SUITES = {
    "theory": ("theory",),
    "timing": ("timing",),
    "disksim": ("disksim",),
    "drives": ("drives",),
    "fdp": ("fdp",),
    _MQSIM: (_MQSIM,),
    "peers": ("disksim", _MQSIM),
    "all": ("theory", "timing", "disksim", "drives", "fdp", _MQSIM),
}


def validate(name: str, quick: bool, progress_mode: Mode | None, as_json: bool) -> None:
    """Runs suites of checks; the exit status is 1 if anything deviates."""
    if name not in _SUITES:
        hint = catalogue.did_you_mean(name, _SUITES, "suites")
        raise ConfigError(f"unknown suite `{name}`", help=hint)
    items: list[Named] = []
    with progress.shown(progress_mode) as start:
        for suite in _SUITES[name]:
            items.extend(_run(suite, quick, start(suite)))
    if as_json:
        plain.print_json({"items": items})
    else:
        output.show_items(items)
        output.console().print(summary(items), markup=False)
    if any(item["status"] == "deviates" for item in items):
        raise Exit(failures.FAILED_RUN)


def _run(suite: str, quick: bool, update: Progress) -> Sequence[Named]:
    def watch(done: int, total: int, _: str) -> None:
        update("run", done, total, 0)

    ours = suite != _MQSIM
    items = native_api.validate(suite, quick, watch) if ours else peers.against_mqsim(quick)
    update("done", len(items), len(items), 0)
    return items


def summary(items: Iterable[Named]) -> str:
    """How many items have each status."""
    counts = Counter(item["status"] for item in items)
    return ", ".join(f"{number} {status}" for status, number in counts.items())
