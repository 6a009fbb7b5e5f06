"""Failures: a message on standard error and an exit status."""

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from click import UsageError
from click.exceptions import Exit

from wordline.cli import usage
from wordline.errors import RunError, WordlineError

FAILED_RUN = 1
BAD_INPUT = 2
INTERRUPTED = 130

# What stands for letters that an output cannot hold.
_PLAIN = {"×": "x", "µ": "u", "–": "-", "…": "...", "≤": "<=", "≥": ">=", "°": "", "ä": "ae"}
_PLAIN_ERRORS = "wordline-plain"


@contextmanager
def as_exit_status() -> Iterator[None]:
    """Says what went wrong, where, and how to mend it; 2 for bad input, 1 for a failed run."""
    try:
        yield
    except WordlineError as error:
        tell(error)
        status = FAILED_RUN if isinstance(error, RunError) else BAD_INPUT
        raise Exit(status) from None
    except UsageError as mistake:
        if usage.is_help(mistake):
            raise
        tell(usage.explained(mistake))
        raise Exit(BAD_INPUT) from None
    except KeyboardInterrupt as stop:
        print(f"stopped: {str(stop) or 'nothing was written'}", file=sys.stderr)
        raise Exit(INTERRUPTED) from None
    except BrokenPipeError:  # whoever read it has had enough
        _silence(sys.stdout)
        raise Exit from None


@contextmanager
def keeping(told: str, place: Path | None) -> Iterator[None]:
    """Says what is kept when Ctrl-C stops the block, if `place` is a file or a folder with one.

    Args:
        told: What is kept, ahead of the words `in PLACE`.
        place: Where; nothing is kept where it is left out.
    """
    try:
        yield
    except KeyboardInterrupt:
        if place is None or not (
            os.path.isfile(place) or (os.path.isdir(place) and any(place.iterdir()))
        ):
            raise
        raise KeyboardInterrupt(f"{told} in {place}") from None


@contextmanager
def of_output() -> Iterator[None]:
    """Says when what a verb prints cannot be written, as to a full disk or a closed output."""
    _prepare()
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.stdout)
    except OSError as error:
        if error.filename is not None:
            raise
        _silence(sys.stdout)
        print(f"error: standard output cannot be written: {error.strerror}", file=sys.stderr)
        sys.exit(FAILED_RUN)


def _prepare() -> None:
    """Makes the standard streams fit for what is printed."""
    # Python leaves out streams that the caller has closed, whatever their declared type.
    if not sys.stderr:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (it stays open)
    if not sys.stdout:
        print("error: standard output is closed", file=sys.stderr)
        sys.exit(FAILED_RUN)
    codecs.register_error(_PLAIN_ERRORS, _plain)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_PLAIN_ERRORS)  # pyright: ignore


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_PLAIN.get(letter, "?") for letter in letters), error.end


def _silence(stream: TextIO) -> None:
    """Lets the interpreter flush what is left on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def tell(error: WordlineError) -> None:
    """Prints the three parts of a failure, each on a line of its own."""
    print(f"error: {error.what}", file=sys.stderr)
    if error.place:
        print(f"  where: {error.place}", file=sys.stderr)
    if error.help:
        print(f"  help: {error.help}", file=sys.stderr)
