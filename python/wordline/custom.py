"""Policies written in Python."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wordline._native import Blocks
from wordline.declared import checked


@checked
@dataclass(frozen=True, kw_only=True)
class Custom:
    """Choices of a run that Python makes; each is asked once an event, never once a page.

    What a callable raises stops the run and reaches the caller. The configuration of the result
    does not hold them: `result.custom` names them.

    Attributes:
        victim: Given the full blocks among which garbage collection may choose, oldest first;
            returns the number of one of them, or `None` to reclaim nothing. In place of
            `ftl.gc.policy`.
        idle: Given all full blocks when the drive has nothing to do; returns the number of one that
            is to be reclaimed now, or `None`.
        erase: Given a block's number, its P/E cycles, and the time in µs that its erase would take;
            returns the lengths in µs of the pulses by which it is erased. In place of the pulses of
            `erase.scheme` alone: when a block is worn out, how it is programmed and how often its
            pages are read again still follow from the scheme's own pulses, and so does what
            `erase` in the result reports.
    """

    victim: Callable[[Blocks], int | None] | None = None
    idle: Callable[[Blocks], int | None] | None = None
    erase: Callable[[int, int, float], Sequence[float]] | None = None

    def names(self) -> dict[str, str]:
        """The callables that were given, by what they choose."""
        return {
            choice: getattr(call, "__qualname__", repr(call))
            for choice in ("victim", "idle", "erase")
            if (call := getattr(self, choice)) is not None
        }
