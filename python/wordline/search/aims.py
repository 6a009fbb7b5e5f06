"""What a search is for: figures or keys to be as low or as high as can be, and bounds of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from wordline.components import catalogue
from wordline.configuration import leaves
from wordline.errors import ConfigError
from wordline.figures import metrics
from wordline.figures.metrics import METRICS, Metric
from wordline.results.store import Head
from wordline.sweeps.points import Point

_BEST = {"least": 1, "most": -1}
_BOUNDS = {"at_most": 1, "at_least": -1}


@dataclass(frozen=True)
class Quantity:
    """A figure of the result, or a key of the configuration that has a number at every point.

    Attributes:
        name: The figure's or the key's.
        metric: The figure; `None` of a key.
    """

    name: str
    metric: Metric | None = None

    @property
    def label(self) -> str:
        """What people call it, with its unit."""
        if self.metric is None:
            return self.name
        unit = f" ({self.metric.unit})" if self.metric.unit else ""
        return f"{self.metric.label}{unit}"

    def of(self, points: Sequence[Point], heads: Sequence[Head]) -> float | None:
        """Its mean over runs of a drive, one for each workload and seed.

        Returns:
            `None` where a run has not measured it.
        """
        if self.metric is None:
            value = points[0].axes.get(self.name)
            return float(value) if isinstance(value, int | float) else None
        values = [head.figures.get(self.metric.key) for head in heads]
        known = [value for value in values if value is not None and value == value]
        return fmean(known) if known and len(known) == len(values) else None


@dataclass(frozen=True)
class Aim:
    """A quantity that is to be as low, or as high, as can be.

    Attributes:
        of: The quantity.
        sign: 1 where less is better, -1 where more is.
    """

    of: Quantity
    sign: int

    @property
    def word(self) -> str:
        """`least` or `most`."""
        return next(word for word, sign in _BEST.items() if sign == self.sign)


@dataclass(frozen=True)
class Limit:
    """A quantity that may not be beyond a bound.

    Attributes:
        of: The quantity.
        sign: 1 of an upper bound, -1 of a lower one.
        bound: The bound.
    """

    of: Quantity
    sign: int
    bound: float

    def excess(self, value: float) -> float:
        """How far a value is beyond the bound; at most 0 where it keeps it."""
        return self.sign * (value - self.bound)

    def __str__(self) -> str:
        word = "at most" if self.sign > 0 else "at least"
        return f"{self.of.label} {word} {metrics.figure(self.bound)}"


def aims(given: Any, keys: Sequence[str], place: str) -> tuple[Aim, ...]:
    """Aims from a table of names with `least` or `most`, or from a list of figures.

    Args:
        given: The table or the list.
        keys: Keys that vary, and have numbers.
        place: What messages call it.

    Raises:
        ConfigError: There is none, or one that cannot be.
    """
    if isinstance(given, Sequence) and not isinstance(given, str):
        given = {str(name): None for name in given}
    if not isinstance(given, Mapping) or not given:
        help = 'name figures: aims = {write_amplification = "least", iops = "most"}'
        raise ConfigError("there are no aims", place, help)
    return tuple(_aim(name, word, keys, f"{place}.{name}") for name, word in _quantities(given))


def _quantities(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Nested tables as dotted names; a table of bounds is a value."""
    return leaves(given, lambda table: not table or bool(set(table) & set(_BOUNDS)))


def _aim(name: str, word: Any, keys: Sequence[str], place: str) -> Aim:
    quantity = _quantity(name, keys, place)
    if word is None:
        is_high = quantity.metric is not None and quantity.metric.better == "higher"
        return Aim(quantity, -1 if is_high else 1)
    if word not in _BEST:
        raise ConfigError(f"{word!r} is no aim", place, 'write "least" or "most"')
    return Aim(quantity, _BEST[word])


def limits(given: Any, keys: Sequence[str], place: str) -> tuple[Limit, ...]:
    """Limits from a table of names with `{at_most = …}` or `{at_least = …}`.

    Raises:
        ConfigError: One that cannot be.
    """
    if not isinstance(given, Mapping):
        raise ConfigError(f"{given!r} is no table", place, "write {iops = {at_least = 1e4}}")
    found: list[Limit] = []
    for name, bounds in _quantities(given):
        where = f"{place}.{name}"
        quantity = _quantity(name, keys, where)
        if not isinstance(bounds, Mapping) or not bounds or set(bounds) - set(_BOUNDS):
            help = "write {at_most = 1.5}, {at_least = 1e4}, or both"
            raise ConfigError(f"{bounds!r} is no limit", where, help)
        for word, bound in bounds.items():
            if isinstance(bound, bool) or not isinstance(bound, int | float) or bound != bound:
                raise ConfigError(f"{bound!r} is no number", f"{where}.{word}", "give a number")
            found.append(Limit(quantity, _BOUNDS[word], float(bound)))
    return tuple(found)


def _quantity(name: str, keys: Sequence[str], place: str) -> Quantity:
    known = {metric.key: metric for metric in METRICS}
    if name in known:
        return Quantity(name, known[name])
    if name in keys:
        return Quantity(name)
    hint = catalogue.did_you_mean(name, [*known, *keys], "figures, and keys that vary,")
    raise ConfigError(f"there is no figure `{name}`, and no key of that name varies", place, hint)
