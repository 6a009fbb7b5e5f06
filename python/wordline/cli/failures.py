"""Failures: a message on standard error and an exit status."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from wordline.errors import RunError, WordlineError

FAILED_RUN = 1
BAD_INPUT = 2
INTERRUPTED = 130


@contextmanager
def as_exit_status() -> Iterator[None]:
    """Says what went wrong, where, and how to mend it; 2 for bad input, 1 for a failed run."""
    try:
        yield
    except WordlineError as error:
        tell(error)
        status = FAILED_RUN if isinstance(error, RunError) else BAD_INPUT
        raise typer.Exit(status) from None
    except KeyboardInterrupt:
        print("stopped: nothing was written", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def of_output() -> Iterator[None]:
    """Says when what a verb prints cannot be written, as to a full disk."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # whoever read it has had enough
        raise
    except OSError as error:
        if error.filename is not None:
            raise
        # Nothing must be left for the interpreter to flush on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"error: standard output cannot be written: {error.strerror}", file=sys.stderr)
        sys.exit(FAILED_RUN)


def tell(error: WordlineError) -> None:
    """Prints the three parts of a failure, each on a line of its own."""
    print(f"error: {error.what}", file=sys.stderr)
    if error.place:
        print(f"  where: {error.place}", file=sys.stderr)
    if error.help:
        print(f"  help: {error.help}", file=sys.stderr)
