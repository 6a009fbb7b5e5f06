"""Where reuse turns from gain to loss: a map of runs, beside a closed form.

Not published. Hot writes that are soon written over, cold writes that are uniform over what is
updated at all, and data that stays: the share of hot writes, the over-provisioning and the share of
data that stays decide what reuse saves, and what the room costs that it reserves.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordline import _native
from wordline.native.types.run import RunResult
from wordline.reproduce.llh.drives import BASE, COLDEST, COUNTED, Keys
from wordline.reproduce.llh.erases import ratio
from wordline.reproduce.study import Figure, Findings, Load, Study, known

# One bank of small blocks: closed forms hold for many blocks, however large these are.
_BLOCKS, _PAGES, _PAGE_KIB, _UNIT_KIB = 256, 64, 8, 4
_UNITS = _PAGES * _PAGE_KIB // _UNIT_KIB
_PHYSICAL_MIB = _BLOCKS * _PAGES * _PAGE_KIB / 1024
# So few hot units that hardly anything on a block is valid when it is full.
_HOT_UNITS = 2
_HOT_MIB = _HOT_UNITS * _UNIT_KIB / 1024
# Blocks of hot data without reuse: one that is full, and one that is being filled.
_HOT_BLOCKS = 1.5

# Blocks that wait, in the mean, where nothing on them is valid once the next one is full. Two take
# turns: a first round alone, one beside a block that waits, a second round beside one, one alone.
_WAIT = 0.5

_OPS = (7, 28, 50)
_HOT = (0.1, 0.3, 0.5, 0.7, 0.9)
_STAY = (0.0, 0.5, 0.9)
# Before what counts cold data is written so many times over. What counts is as long again, but no
# more than so many drive capacities.
_WARM, _COUNTED = 3, 8

_SYSTEMS: Mapping[str, Keys] = {
    "baseline": (),
    "fixed": (
        "technique.llh_ftl.threshold=0.25",
        "technique.llh_ftl.steps=1000",
        "technique.llh_ftl.failure=0.0",
    ),
    "half": ("technique.llh_ftl.threshold=0.5",),
}


@dataclass(frozen=True)
class _Point:
    """A point of the map.

    Attributes:
        op: Over-provisioning, in percent.
        hot: Share of the writes that is hot.
        stay: Share of the data that is never written again.
        size: Share of the data that is hot; 0 for so little that it is invalid at once.
    """

    op: int
    hot: float
    stay: float
    size: float = 0.0

    @property
    def name(self) -> str:
        size = f"/size{self.size:g}" if self.size else ""
        return f"op{self.op}/stays{self.stay:g}{size}/hot{self.hot:g}"

    @property
    def hot_mib(self) -> float:
        return self.size * self.logical_mib or _HOT_MIB

    @property
    def logical_mib(self) -> float:
        return _PHYSICAL_MIB / (1 + self.op / 100)

    def load(self) -> Load:
        span_mib = int((1 - self.stay) * self.logical_mib)
        drive = int(_PHYSICAL_MIB * 1024 / _UNIT_KIB)
        warm = int(_WARM * drive * max(1 - self.stay, 1 / _WARM) / (1 - self.hot))
        writes = warm + min(max(warm, 3 * drive), _COUNTED * drive)
        # Not repeated: a second replay would write each unit after the same time again.
        source = (
            f"hotcold:writes={writes},size_kib={_UNIT_KIB},span_mib={span_mib},"
            f"hot={self.hot_mib / span_mib:.8f},share={self.hot}"
        )
        keys = (
            "drive.channels=1",
            "drive.chips_per_channel=1",
            f"drive.chip.blocks_per_plane={_BLOCKS}",
            f"drive.chip.pages_per_block={_PAGES}",
            'ftl.hotness.policy="oracle"',
            f"ftl.hotness.hot_share={self.hot_mib / self.logical_mib:.8f}",
            f"run.measure_from_request={warm}",
        )
        return Load(self.name, source, keys=keys)


_POINTS = tuple(_Point(op, hot, stay) for op in _OPS for stay in _STAY for hot in _HOT)
_SIZES = tuple(
    _Point(op, hot, 0.0, size) for op in (7, 28) for hot in (0.5, 0.9) for size in (0.01, 0.05, 0.2)
)
_ALL = (*_POINTS, *_SIZES)
_QUICK = (_Point(28, 0.5, 0.0), _Point(28, 0.9, 0.5))


def _drive(system: str, op: int) -> str:
    return f"{system} op{op}"


def _drives() -> dict[str, Keys]:
    return {
        _drive(system, op): (*COUNTED, COLDEST, f"drive.over_provisioning={op / 100}", *own)
        for system, own in _SYSTEMS.items()
        for op in _OPS
    }


_ON: Mapping[str, Sequence[str]] = {
    _drive(system, op): tuple(point.name for point in _ALL if point.op == op)
    for system in _SYSTEMS
    for op in _OPS
}


def _loads(_: Path | None, quick: bool) -> Sequence[Load]:
    return [point.load() for point in (_QUICK if quick else _ALL)]


def _points(found: Findings) -> list[tuple[_Point, Load]]:
    by_name = {point.name: point for point in _ALL}
    return [(by_name[load.name], load) for load in found.loads]


def _measured(system: str) -> Callable[[Findings], Mapping[str, float]]:
    def values(found: Findings) -> Mapping[str, float]:
        return {
            point.name: ratio(found, (_drive(system, point.op), _drive("baseline", point.op)), load)
            for point, load in _points(found)
        }

    return values


def _alpha(point: _Point, result: RunResult, hot_blocks: float) -> float:
    """Units of full blocks of cold data that is updated, over that data."""
    stays = point.stay * result.capacity.logical_pages
    room = result.capacity.log_pages - stays - hot_blocks * _UNITS
    return room / (result.capacity.logical_pages - stays - _HOT_UNITS)


def _form(found: Findings, point: _Point, load: Load) -> tuple[float, float]:
    """The closed form's erases, and the least share of hot writes, at the threshold of `fixed`."""
    without, with_it = (found.result(_drive(of, point.op), load) for of in ("baseline", "fixed"))
    told = with_it.technique["llh_ftl"]
    low = told["reprograms"] + told["low_pages_left_out"]
    waiting = told["threshold"]["mean"] if told["rounds"]["second_beyond_threshold"] else _WAIT
    return _native.reuse(
        point.hot,
        told["low_pages_left_out"] / low if low else 0.0,
        _alpha(point, without, _HOT_BLOCKS),
        _alpha(point, with_it, _HOT_BLOCKS + waiting),
        _UNITS,
        _HOT_UNITS,
    )


def _closed(found: Findings) -> Mapping[str, float]:
    values: dict[str, float] = {}
    for point, load in _points(found):
        ours = ratio(found, (_drive("fixed", point.op), _drive("baseline", point.op)), load)
        form, _ = _form(found, point, load)
        values[f"closed_form/{point.name}"] = form
        values[f"measured_over_closed_form/{point.name}"] = ours / form
    return values


def _least(found: Findings) -> Mapping[str, float]:
    """The share of hot writes from which on reuse pays, by the closed form; the baseline's WA."""
    values: dict[str, float] = {}
    for point, load in _points(found):
        values[f"write_amplification/{point.name}"] = known(
            found.result(_drive("baseline", point.op), load).write_amplification
        )
        values[f"least_hot_share/{point.name}"] = _form(found, point, load)[1]
    return values


def _sizes(found: Findings) -> Mapping[str, float]:
    """Erases, low pages passed over and blocks that wait, by how much data is hot."""
    values: dict[str, float] = {}
    for point, load in _points(found):
        drives = (_drive("half", point.op), _drive("baseline", point.op))
        told = found.result(drives[0], load).technique["llh_ftl"]
        low = told["reprograms"] + told["low_pages_left_out"]
        values |= {
            f"erases/{point.name}": ratio(found, drives, load),
            f"left_out/{point.name}": told["low_pages_left_out"] / max(low, 1),
            f"waiting_blocks/{point.name}": told["blocks"]["partially_used"],
        }
        for drive, name in zip(drives, ("llh", "baseline"), strict=True):
            amplification = known(found.result(drive, load).write_amplification)
            values[f"write_amplification/{name}/{point.name}"] = amplification
    return values


def _figure(
    figure: str,
    title: str,
    values: Callable[[Findings], Mapping[str, float]],
    unit: str,
    systems: Sequence[str],
) -> Figure:
    drives = tuple(_drive(system, op) for system in systems for op in _OPS)
    on = {drive: _ON[drive] for drive in drives}
    names = tuple(point.name for point in _POINTS)
    return Figure(figure, title, values, unit, drives, loads=names, loads_of=on)


_ERASES = "of the baseline's erases"
STUDY = Study(
    paper="llh-limits",
    source="not published: where the technique of Margaglia et al., USENIX FAST 2016, stops paying",
    base=BASE,
    drives=_drives(),
    loads=_loads,
    figures=(
        _figure("half", "Erases at OP/2", _measured("half"), _ERASES, ("baseline", "half")),
        _figure(
            "loss",
            "Erases where the threshold stays at OP/4, and by the closed form",
            _closed,
            _ERASES,
            ("baseline", "fixed"),
        ),
        _figure(
            "least",
            "Share of hot writes from which on reuse saves erases, with the threshold at OP/4",
            _least,
            "",
            ("baseline", "fixed"),
        ),
        Figure(
            "size",
            "Where hot data is not yet invalid: erases at OP/2 by the share of data that is hot",
            _sizes,
            "",
            tuple(_drive(system, op) for system in ("baseline", "half") for op in (7, 28)),
            loads=tuple(point.name for point in _SIZES),
            loads_of=_ON,
            is_quick=False,
        ),
    ),
    notes={
        "llh-limits/loss": "the closed form takes three things from the run: the share of low "
        "pages passed over, the mean threshold and the drive's spare space",
    },
)
