"""What needs no tables: JSON for machines, warnings for both. Tables are slow to import."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from wordline.figures.caveats import warnings_of
from wordline.native.types import record
from wordline.results.result import Case


def print_json(data: Any) -> None:
    """Prints `data` as the only thing on standard output."""
    data = record.plain(data)
    text = json.dumps(data, indent=1, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data, indent=1)
    sys.stdout.write(f"{text}\n")


def warn(cases: Sequence[Case]) -> None:
    """Prints what a reader must know before believing the figures."""
    warn_of(warnings_of(cases))


def warn_of(warnings: Iterable[tuple[str, str]]) -> None:
    """Prints warnings, each with what it concerns, which may be empty."""
    for warning, concerned in warnings:
        where = f" ({concerned})" if concerned else ""
        _print_warning(f"warning: {warning}{where}")


def _print_warning(text: str) -> None:
    if not sys.stderr.isatty():
        print(text, file=sys.stderr)
        return
    from rich.console import Console

    Console(stderr=True, highlight=False).print(text, style="bold yellow", markup=False)
