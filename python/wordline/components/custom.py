"""Policies written in Python."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wordline._native import Blocks, HostWrite, Planes
from wordline.arguments import checked
from wordline.errors import ConfigError

_LEVELS = range(2, 129)  # as many as `ftl.hotness.handles` may have


@checked
@dataclass(frozen=True, kw_only=True)
class Custom:
    """Choices of a run that Python makes; each is asked once an event, such as a request.

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
        hotness: Given a host write; returns its hotness, from 0, which is written over soonest, to
            `hotness_levels - 1`. Asked once a request, and again if units of other requests come
            between its own, as from a write buffer. In place of `ftl.hotness.policy`.
        hotness_levels: The levels that `hotness` tells apart, 2 to 128. Each has open blocks of its
            own. The configuration of the result has as many placement handles.
        plane: Given a host write and the planes of the drive; returns the number of one of them, or
            `None` for the one that is free first. Asked once a request, and again for each further
            program that its units begin. If the planes of a die share an open block, each stands
            for the die. In place of `ftl.allocation` and `ftl.plane_allocation`, on a drive
            without superblocks. A technique that chooses among groups of dies goes before it.
    """

    victim: Callable[[Blocks], int | None] | None = None
    idle: Callable[[Blocks], int | None] | None = None
    erase: Callable[[int, int, float], Sequence[float]] | None = None
    hotness: Callable[[HostWrite], int] | None = None
    hotness_levels: int = 2
    plane: Callable[[HostWrite, Planes], int | None] | None = None

    def __post_init__(self) -> None:
        """Refuses levels that no drive has."""
        if self.hotness_levels not in _LEVELS:
            what = f"{self.hotness_levels} levels do not fit"
            raise ConfigError(what, "hotness_levels", "give 2 to 128")

    def overrides(self) -> tuple[str, ...]:
        """What the configuration must say of the drive for the callables to choose."""
        handles = ('ftl.hotness.policy="handle"', f"ftl.hotness.handles={self.hotness_levels}")
        dynamic = ('ftl.allocation="dynamic"',)
        chosen = ((self.hotness, handles), (self.plane, dynamic))
        return tuple(key for call, keys in chosen if call is not None for key in keys)

    def names(self) -> dict[str, str]:
        """The callables that were given, by what they choose."""
        return {
            choice: getattr(call, "__qualname__", repr(call))
            for choice in ("victim", "idle", "erase", "hotness", "plane")
            if (call := getattr(self, choice)) is not None
        }
