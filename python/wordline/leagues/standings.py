"""What a league's runs say: each drive beside the conventional one, and who wins where."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordline.figures import metrics
from wordline.figures.metrics import Metric
from wordline.figures.significance import Effect
from wordline.figures.statistics import Interval
from wordline.leagues import outages
from wordline.leagues.heats import (
    ACKNOWLEDGE,
    CUT,
    FLAT_OUT,
    LIFE,
    MAP,
    NAMED,
    OVER_PROVISIONING,
    SPACE,
    TYPICAL,
    Load,
)
from wordline.runs.single_run import CONVENTIONAL
from wordline.sweeps import summary
from wordline.sweeps import table as columns

Row = Mapping[str, Any]
"""A point: its division, its heat, and the columns of its sweep's table."""

DIVISION, HEAT, THETA, INTERVAL = "division", "heat", "theta", "interval_us"
SIZE_KIB, NAME = "size_kib", "load"
USUAL = "usual_over_provisioning"

METRICS = {metric.key: metric for metric in (*metrics.METRICS, *outages.METRICS)}
"""Every figure of a league, by its key."""

_LEVELS = (
    "erases_per_gib", "write_amplification", "padding", "read_mean_us", "read_p999_us",
    "read_p9999_us", "write_p999_us", "write_p9999_us", "energy_mj_per_gib", "spent_lifetime",
)  # fmt: skip
THROUGHPUT, _LIFE, _ERASES, _WEAR, _WRITES = (
    "bandwidth_mb_s", "life_gib", "erases_per_gib", "spent_lifetime", "write_p999_us",
)  # fmt: skip

_CUT = tuple(metric.key for metric in outages.METRICS)

FIGURES = (*_LEVELS, THROUGHPUT, _LIFE, *_CUT)
"""The figures of the table, by the names of `METRICS`."""

WON_BY = (_LIFE, _WEAR, "read_p999_us", _WRITES, THROUGHPUT)
"""The figures by which the map tells winners.

A life ends by the damage that erases do. P/E cycles, which no erase scheme changes, count where no
drive was written to its end.
"""

GOALS = (_LIFE, _WEAR, THROUGHPUT, _WRITES)
"""What a drive is chosen for: life, or else spent cycles; bandwidth; the tail of writes."""

_MAP_BYTES = 4  # of an entry of the map


@dataclass(frozen=True)
class Standing:
    """A drive of a division beside the conventional one.

    Attributes:
        division: The division.
        acknowledge: When writes end: `ftl.acknowledge`.
        variant: The drive.
        values: Its figures, means over the seeds.
        effects: Their ratios to the conventional drive; none for that drive itself.
        worth: Over-provisioning that the conventional drive needs for as few erases; `None` where
            it was not run, or lies beyond what was.
    """

    division: str
    acknowledge: str
    variant: str
    values: Mapping[str, float]
    effects: Mapping[str, Effect]
    worth: float | None

    def to_dict(self) -> dict[str, Any]:
        """The standing as plain values."""
        return {
            "division": self.division,
            "acknowledge": self.acknowledge,
            "variant": self.variant,
            "values": dict(self.values),
            "effects": [effect.to_dict() for effect in self.effects.values()],
            "worth_over_provisioning": self.worth,
        }


@dataclass(frozen=True)
class Winner:
    """The best drive at a place of the map.

    Attributes:
        division: The division.
        acknowledge: When writes end.
        load: Skew and intensity.
        figure: The figure that it is best in.
        variant: The drive; the conventional one where no other is better beyond chance.
        ratio: To the conventional drive.
    """

    division: str
    acknowledge: str
    load: Load
    figure: str
    variant: str
    ratio: float

    def to_dict(self) -> dict[str, Any]:
        """The winner as plain values."""
        return {
            "division": self.division,
            "acknowledge": self.acknowledge,
            THETA: self.load.theta,
            INTERVAL: self.load.interval_us,
            "figure": self.figure,
            "variant": self.variant,
            "ratio": self.ratio,
        }


@dataclass(frozen=True)
class Front:
    """The drives that no other one of their division beats: each costs something to leave.

    Attributes:
        division: The division.
        acknowledge: When writes end.
        load: The workload's name; empty for the typical one.
        drives: Those drives by their gains in `GOALS`: 2 for twice as good, 1 within chance.
    """

    division: str
    acknowledge: str
    load: str
    drives: Mapping[str, Mapping[str, float]]

    def to_dict(self) -> dict[str, Any]:
        """The front as plain values."""
        return {
            "division": self.division,
            "acknowledge": self.acknowledge,
            "load": self.load,
            "drives": {name: dict(gains) for name, gains in self.drives.items()},
        }


def _of(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    names = {"acknowledge": ACKNOWLEDGE, "over_provisioning": OVER_PROVISIONING}
    asked = {names.get(name, name): value for name, value in wanted.items()}
    return [row for row in rows if all(row[name] == value for name, value in asked.items())]


def settings(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Divisions, each with the ways that its writes end."""
    return list(dict.fromkeys((row[DIVISION], row[ACKNOWLEDGE]) for row in rows))


def standings(rows: Sequence[Row]) -> list[Standing]:
    """Every drive under the typical workload, by division and by when writes end."""
    found: list[Standing] = []
    for division, acknowledge in settings(rows):
        own = _of(rows, division=division, acknowledge=acknowledge)
        typical = _at(own, MAP, TYPICAL)
        parts = (*_parts(own, MAP, TYPICAL, _LEVELS), (_at(own, CUT, TYPICAL), _CUT))
        worth = _worth(_of(own, heat=SPACE))
        values, effects = _values(parts), _effects(parts)
        found += (
            Standing(division, acknowledge, of, values[of], effects.get(of, {}), worth.get(of))
            for of in dict.fromkeys(row[columns.VARIANT] for row in typical)
        )
    return found


def together(every: Sequence[Standing]) -> dict[tuple[str, str], list[Standing]]:
    """Standings by division and by when writes end."""
    found: dict[tuple[str, str], list[Standing]] = {}
    for one in every:
        found.setdefault((one.division, one.acknowledge), []).append(one)
    return found


Parts = Sequence[tuple[Sequence[Row], Sequence[str]]]


def _at(rows: Sequence[Row], heat: str, load: Load) -> list[Row]:
    place = {THETA: load.theta, INTERVAL: load.interval_us, SIZE_KIB: load.size_kib}
    return [row for row in _of(rows, heat=heat, **place) if row[NAME] == load.name]


def _parts(rows: Sequence[Row], heat: str, load: Load, levels: Sequence[str]) -> Parts:
    """Runs of a workload at its times, flat out and to the drive's end, with what each tells."""
    return (
        (_at(rows, heat, load), levels),
        (_at(rows, heat, load.flat_out), (THROUGHPUT,)),
        (_at(rows, LIFE, load), (_LIFE,)),
    )


def fronts(rows: Sequence[Row]) -> list[Front]:
    """Of the typical workload and of each named one, by division and by when writes end."""
    found: list[Front] = []
    for division, acknowledge in settings(rows):
        own = _of(rows, division=division, acknowledge=acknowledge)
        named = dict.fromkeys(_load(row) for row in own if row[HEAT] == NAMED)
        at_times = [load for load in named if load.interval_us != FLAT_OUT.interval_us]
        for heat, load in ((MAP, TYPICAL), *((NAMED, load) for load in at_times)):
            effects = _effects(_parts(own, heat, load, (_WEAR, _WRITES)))
            found.append(Front(division, acknowledge, load.name, unbeaten(effects)))
    return found


def _load(row: Row) -> Load:
    return Load(row[THETA], row[INTERVAL], row[SIZE_KIB], row[NAME])


def unbeaten(effects: Mapping[str, Mapping[str, Effect]]) -> dict[str, dict[str, float]]:
    """The drives that no other one beats, and their gains; the conventional one is all ones.

    One drive beats another that is better in no goal, and worse in one at least.
    """
    told = {key for own in effects.values() for key in own}
    goals = [key for key in GOALS if key in told and not (key == _WEAR and _LIFE in told)]
    gains = {CONVENTIONAL: dict.fromkeys(goals, 1.0)} | {
        drive: {key: _gain(own.get(key)) for key in goals} for drive, own in effects.items()
    }

    def is_beaten(one: Mapping[str, float]) -> bool:
        return any(
            all(other[key] >= one[key] for key in goals)
            and any(other[key] > one[key] for key in goals)
            for other in gains.values()
        )

    return {drive: own for drive, own in gains.items() if not is_beaten(own)}


def _gain(effect: Effect | None) -> float:
    """How many times as good as the conventional drive: 1 where it may be chance."""
    if effect is None or not effect.is_beyond_chance:
        return 1.0
    ratio = effect.ratio.mean
    return ratio if effect.metric.better == "higher" else 1 / ratio


def _values(parts: Parts) -> dict[str, dict[str, float]]:
    """The figures of every drive, means over the seeds."""
    found: dict[str, dict[str, float]] = {}
    for rows, keys in parts:
        for key in keys:
            for place in summary.places(rows, (), METRICS[key]):
                found.setdefault(place.row[columns.VARIANT], {})[key] = place.of.mean
    return found


def _effects(parts: Parts) -> dict[str, dict[str, Effect]]:
    """Each drive against the conventional one, by figure."""
    found: dict[str, dict[str, Effect]] = {}
    for rows, keys in parts:
        for effect in summary.effects(rows, (), [METRICS[key] for key in keys]):
            found.setdefault(effect.variant, {})[effect.metric.key] = effect
    return found


def _worth(rows: Sequence[Row]) -> dict[str, float]:
    """Over-provisioning that the conventional drive needs for as few erases as another."""
    if not rows:
        return {}
    found = summary.worth(rows, [OVER_PROVISIONING], METRICS[_ERASES])
    usual = rows[0][USUAL]
    return {one.variant: one.needs for one in found if one.has == usual and one.needs is not None}


def winners(rows: Sequence[Row]) -> Iterator[Winner]:
    """The best drive at each place of the map, by each figure of `WON_BY`."""
    for division, acknowledge in settings(rows):
        own = _of(rows, division=division, acknowledge=acknowledge, heat=MAP)
        lives = _of(rows, division=division, acknowledge=acknowledge, heat=LIFE)
        by_cycles = [METRICS[key] for key in WON_BY if not (lives and key == _WEAR)]
        effects = [
            *summary.effects(own, (), [one for one in by_cycles if one.key != _LIFE]),
            *summary.effects(lives, (), [METRICS[_LIFE]]),
        ]
        loads = {row[columns.WORKLOAD]: _load(row) for row in own}
        for workload, load in loads.items():
            for key in WON_BY:
                here = [e for e in effects if e.workload == workload and e.metric.key == key]
                if here and is_told(key, load):
                    variant, ratio = _best(here, METRICS[key])
                    yield Winner(division, acknowledge, load, key, variant, ratio)


def is_told(key: str, load: Load) -> bool:
    """Whether a figure says anything: throughput does flat out, and latencies otherwise.

    Flat out every request waits for a slot, and otherwise the host decides how much is done.
    """
    if key in (_LIFE, _WEAR):
        return True
    return (key == THROUGHPUT) == (load.interval_us == FLAT_OUT.interval_us)


def _best(effects: Sequence[Effect], metric: Metric) -> tuple[str, float]:
    """The best of the drives that are better by a percent at least, and beyond chance."""
    sign = 1 if metric.better == "lower" else -1
    best = (CONVENTIONAL, 1.0)
    for effect in effects:
        ratio = effect.ratio.mean
        is_better = metrics.judge(metric, ratio, same_work=True) == "better"
        if is_better and effect.is_beyond_chance and sign * ratio < sign * best[1]:
            best = (effect.variant, ratio)
    return best


def interval_words(ratio: Interval) -> str:
    """A ratio with its interval, for people."""
    told = metrics.change(ratio.mean)
    if ratio.repeats < 2:
        return told
    return f"{told} ({metrics.change(ratio.low)[1:]} to {metrics.change(ratio.high)[1:]})"


def given_up(over_provisioning: float) -> float:
    """Share of the flash that over-provisioning takes from the host."""
    return over_provisioning / (1 + over_provisioning)


def dram_mib(capacity: Any, config: Mapping[str, Any]) -> float:
    """DRAM of the map and of the buffers; what a technique's own tables take is not modelled."""
    mib = 1 << 20
    map_mib = capacity.logical_pages * _MAP_BYTES / mib
    return map_mib + capacity.buffer_bytes / mib + config["host"]["write_buffer_mib"]
