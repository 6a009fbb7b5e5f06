"""The two numbers of a drive that no data sheet has, with intervals, from parts of its logs.

The model is the one of the manual's page on real drives: a drive writes f·A(L/U) bytes for each of
the host's, with A the closed form of FIFO cleaning.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import quantiles

from wordline import _native
from wordline.errors import WorkloadError
from wordline.fitting.logs import FILL, UNIFORM, Log
from wordline.fitting.segments import Part, amplification

_REPEATS = 400  # of the bootstrap
_SEED = 1
_TWENTIETHS = 40  # cut points that leave 2.5 % at each end
_LEAST_MOVED = 1.01  # amplification by moved data below which it says nothing of the room
_WIDE = 0.05  # of an interval, as a share of its number: wider ones are warned of
_MISS = 0.02  # share by which an observation may miss the model
_LARGEST_ROOM = 3.0  # by what the drive exports: over-provisioning beyond is refused
_SMALL_FILL = 0.25  # of the drive
_APART, _NO_LESS = 1.02, 1.005  # spaces and amplifications that differ by less may be the same
_UNIFORM = (
    "Discard what is not written, and draw every pass anew (fio: --randrepeat=0, --norandommap; "
    "without, fio writes the same addresses in every one of its --loops)"
)


@dataclass(frozen=True)
class Number:
    """A fitted number with the ends of its interval of 95 %."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Observation:
    """A part of a log beside the model.

    Attributes:
        part: The part.
        model: Write amplification by the fitted numbers.
    """

    part: Part
    model: float

    @property
    def miss(self) -> float:
        """By how much the model is above the part, as a share."""
        return self.model / self.part.amplification - 1


@dataclass(frozen=True)
class Fit:
    """A fitted drive.

    Attributes:
        logs: The files.
        exported_gib: What the drive exports.
        room_gib: Room of its log for data, without what it holds back.
        factor: Bytes that it writes for each byte of data.
        is_factor_fitted: Whether the factor was fitted, or was given.
        observations: What was fitted to.
        warnings: What should be known before the numbers are believed.
    """

    logs: tuple[Path, ...]
    exported_gib: float
    room_gib: Number
    factor: Number
    is_factor_fitted: bool
    observations: tuple[Observation, ...]
    warnings: tuple[str, ...]

    def amplification(self, space_gib: float) -> float:
        """Write amplification where so many GiB are written uniformly."""
        return _native.log_amplification(self.room_gib.value, self.factor.value, space_gib)


def fit(
    logs: Sequence[Log],
    parts: Sequence[Part],
    exported_gib: float,
    nand_gib: float | None,
    factor: float | None,
) -> Fit:
    """The numbers that suit the parts best.

    Raises:
        WorkloadError: Fewer observations than numbers, or none that speaks of the room.
    """
    _check_enough(logs, parts, factor)
    _check_order(parts)
    found = _solve(parts, [part.amplification for part in parts], factor)
    observations = tuple(
        Observation(part, found[1] if part.workload == FILL else _at(found, part.space_gib))
        for part in parts
    )
    _check_moved(observations, found[1])
    _check_room(observations, found[0], exported_gib)
    repeats = _repeats(observations, factor)
    room, written = (_number(found[at], [repeat[at] for repeat in repeats]) for at in (0, 1))
    warnings = [note for log in logs for note in log.notes]
    warnings += _doubts(observations, exported_gib, nand_gib, room, written, factor is None)
    paths = tuple(log.path for log in logs)
    is_fitted = factor is None
    return Fit(paths, exported_gib, room, written, is_fitted, observations, tuple(warnings))


def _at(numbers: tuple[float, float], space_gib: float) -> float:
    return _native.log_amplification(*numbers, space_gib)


def _solve(
    parts: Sequence[Part], amplifications: Sequence[float], factor: float | None
) -> tuple[float, float]:
    seen = list(zip(parts, amplifications, strict=True))
    fills = [value for part, value in seen if part.workload == FILL]
    points = [(part.space_gib, value) for part, value in seen if part.workload == UNIFORM]
    return _native.fit_log(fills, points, factor)


def _repeats(
    observations: Sequence[Observation], factor: float | None
) -> list[tuple[float, float]]:
    """What other draws of the windows would have given, and other errors of the model."""
    draw = random.Random(_SEED)
    spare = len(observations) - (1 if factor else 2)
    misses = sum(math.log1p(seen.miss) ** 2 for seen in observations)
    error = math.sqrt(misses / spare) if spare else 0.0

    def drawn(part: Part) -> float:
        windows = draw.choices(part.windows, k=len(part.windows))
        return amplification(windows) * math.exp(draw.gauss(0, error))

    parts = [seen.part for seen in observations]
    return [_solve(parts, [drawn(part) for part in parts], factor) for _ in range(_REPEATS)]


def _number(value: float, repeats: Sequence[float]) -> Number:
    cuts = quantiles(repeats, n=_TWENTIETHS)
    return Number(value, min(value, cuts[0]), max(value, cuts[-1]))


def _check_enough(logs: Sequence[Log], parts: Sequence[Part], factor: float | None) -> None:
    where = ", ".join(str(log.path) for log in logs)
    spaces = {part.space_gib for part in parts if part.workload == UNIFORM}
    fills = any(part.workload == FILL for part in parts)
    if not spaces:
        what = "no uniform writes, and a fill says nothing of the room"
        raise WorkloadError(what, where, "write 4 KiB at random over the whole drive, four times")
    if factor is None and len(spaces) + fills < 2:
        help = (
            "add a fill of the empty drive, or uniform writes over another part of it; or give "
            "what it writes for each unit of data: --factor 1.04"
        )
        raise WorkloadError("one observation for two numbers: room and factor", where, help)


def _check_order(parts: Sequence[Part]) -> None:
    """Refuses a smaller space that writes more: uniform writes and an empty rest cannot do so."""
    uniform = sorted(
        (part for part in parts if part.workload == UNIFORM), key=lambda part: part.space_gib
    )
    for small, large in pairwise(uniform):
        nearly = large.space_gib < _APART * small.space_gib
        if nearly or small.amplification < _NO_LESS * large.amplification:
            continue
        what = (
            f"{small.space_gib:,.4g} GiB were written with an amplification of "
            f"{small.amplification:.3f}, and {large.space_gib:,.4g} GiB with "
            f"{large.amplification:.3f}: uniform writes of less take less"
        )
        raise WorkloadError(what, small.place, _UNIFORM)


def _check_moved(observations: Sequence[Observation], factor: float) -> None:
    """Refuses uniform writes under which next to nothing is moved: any room would do."""
    uniform = [seen for seen in observations if seen.part.workload == UNIFORM]
    if all(seen.part.amplification < _LEAST_MOVED * factor for seen in uniform):
        most = max(uniform, key=lambda seen: seen.part.space_gib)
        what = (
            f"write amplification is {most.part.amplification:.3f} at most, and {factor:.3f} "
            "without moved data: nothing speaks of the room"
        )
        raise WorkloadError(what, most.part.place, "write more of the drive")


def _check_room(observations: Sequence[Observation], room_gib: float, exported_gib: float) -> None:
    """Refuses a room that no drive has."""
    if exported_gib <= room_gib <= _LARGEST_ROOM * exported_gib:
        return
    what = (
        f"the room would be {room_gib:,.1f} GiB of a drive that exports {exported_gib:,.1f}: "
        "uniform writes of steady drives do not look so"
    )
    place = next(seen.part.place for seen in observations if seen.part.workload == UNIFORM)
    raise WorkloadError(what, place, "mend `space_gib`, --exported or the marks")


def _doubts(
    observations: Sequence[Observation],
    exported_gib: float,
    nand_gib: float | None,
    room: Number,
    factor: Number,
    is_factor_fitted: bool,
) -> list[str]:
    doubts: list[str] = []
    kinds = {(seen.part.workload, seen.part.space_gib) for seen in observations}
    if len(kinds) <= 1 + is_factor_fitted:
        doubts.append(
            "as many numbers as observations: nothing checks the fit; write another part of the "
            "drive"
        )
    for name, number in (("room", room), ("factor", factor)):
        width = (number.high - number.low) / number.value
        if width > _WIDE:
            doubts.append(f"the {name} is known within {width:.0%} only: log for longer")
    if nand_gib and room.value * factor.value > nand_gib:
        doubts.append(
            f"room and what is written besides data take {room.value * factor.value:,.1f} GiB of "
            f"{nand_gib:,.1f} of flash: the model, or --nand, cannot be right"
        )
    if factor.value < 1:
        doubts.append(f"the factor {factor.value:.4f} is below 1: does the drive compress?")
    for seen in observations:
        if abs(seen.miss) > _MISS:
            doubts.append(
                f"{seen.part.place}: the model is {seen.miss:+.1%} off; was the drive steady? "
                f"{_UNIFORM}"
            )
        if seen.part.workload == FILL and _filled_gib(seen.part) < _SMALL_FILL * exported_gib:
            doubts.append(f"{seen.part.place}: the fill is less than a quarter of the drive")
    return doubts


def _filled_gib(part: Part) -> float:
    return sum(window.host for window in part.windows) / (1 << 30)
