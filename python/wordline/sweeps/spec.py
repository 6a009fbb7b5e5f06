"""What a sweep is made of: a base drive, axes, workloads, techniques, seeds."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordline import arguments
from wordline.components import catalogue
from wordline.configuration import (
    ConfigLike,
    Configuration,
    find,
    leaves,
    overrides_of,
    read_toml,
    toml_value,
)
from wordline.errors import ConfigError, shown
from wordline.native import native_api
from wordline.runs.single_run import Variant, of_technique
from wordline.sweeps import sampling

MOST_POINTS = 1_000_000
"""Runs that a sweep may have."""

_FIELDS = ("base", "techniques", "workloads", "seeds", "variants", "set", "axes", "zip", "sample")
_RANGE = ("from", "to", "step", "count", "scale")
_METHODS = ("grid", "latin_hypercube", "sobol")
_TIDY = 12  # significant digits of a range's values: 0.3 and not 0.30000000000000004

Value = bool | int | float | str | tuple[Any, ...]
"""What a key has at a point."""


@dataclass(frozen=True)
class Axis:
    """Keys that vary together, and their values.

    Attributes:
        keys: One, or those of a zip.
        values: For each place on the axis the value of each key.
        at: The values at a share of the way along a range; none where it is a list.
    """

    keys: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    at: Callable[[float], tuple[Value, ...]] | None = None

    def place(self, share: float) -> tuple[Value, ...]:
        """The values at a share of the way from its beginning to its end."""
        if self.at:
            return self.at(share)
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]


@dataclass(frozen=True)
class Sample:
    """How the axes are combined: by a grid, or by samples of them.

    Attributes:
        method: `grid`, `latin_hypercube` or `sobol`.
        points: Samples.
        seed: Of the samples.
    """

    method: str = "grid"
    points: int = 0
    seed: int = 1


@dataclass(frozen=True)
class Spec:
    """A sweep.

    Attributes:
        base: The drive that everything is laid over.
        name: What the sweep is called.
        variants: The techniques, and drives of one's own.
        workloads: What is replayed; the base's own where empty.
        axes: What is varied.
        seeds: Seeds with which each point is repeated; the base's own where empty.
        sample: How the axes are combined.
        origin: What messages call the sweep.
    """

    base: Configuration
    name: str
    variants: tuple[Variant, ...]
    workloads: tuple[str, ...] = ()
    axes: tuple[Axis, ...] = ()
    seeds: tuple[int, ...] = ()
    sample: Sample = field(default_factory=Sample)
    origin: str = "sweep"


def read(path: Path) -> Spec:
    """The sweep that a TOML file describes.

    Raises:
        ConfigError: It cannot be read, or describes none.
    """
    return of_table(*table_of(path, "name a file that describes a sweep"), path.stem)


def table_of(path: Path, instead: str) -> tuple[dict[str, Any], str]:
    """What a TOML file holds, and what messages call it; `instead` says what may be named.

    Raises:
        ConfigError: It cannot be read.
    """
    origin = shown(str(path))
    return native_api.parse_toml(read_toml(path, instead), origin), origin


def of_table(data: Mapping[str, Any], origin: str, name: str) -> Spec:
    """The sweep that the table of a file describes.

    Raises:
        ConfigError: It describes none.
    """
    unknown = next((key for key in data if key not in _FIELDS), None)
    if unknown:
        hint = catalogue.did_you_mean(unknown, _FIELDS, "keys")
        raise ConfigError(f"a sweep has no `{unknown}`", origin, hint)
    if "base" not in data:
        raise ConfigError("`base` is missing", origin, 'name a drive: base = "tiny"')
    zips = data.get("zip", [])
    return make(
        _text(data["base"], "base", origin),
        name=name,
        techniques=data.get("techniques"),
        workloads=data.get("workloads"),
        variants=_table(data.get("variants"), "variants", origin),
        axes=_table(data.get("axes"), "axes", origin),
        zips=zips if isinstance(zips, list) else [zips],
        seeds=data.get("seeds"),
        sample=_table(data.get("sample"), "sample", origin),
        set=_table(data.get("set"), "set", origin),
        origin=origin,
    )


def make(
    base: ConfigLike,
    *,
    name: str = "sweep",
    techniques: Iterable[Any] | None = None,
    workloads: Iterable[Any] | None = None,
    variants: Mapping[str, Any] | None = None,
    axes: Mapping[str, Any] | None = None,
    zips: Sequence[Any] = (),
    seeds: Any = None,
    sample: Mapping[str, Any] | None = None,
    set: Mapping[str, Any] | None = None,
    origin: str = "sweep",
) -> Spec:
    """A sweep of its parts, as `read` finds them in a file.

    Raises:
        ConfigError: A part cannot be.
    """
    found = [*_axes(axes or {}, f"{origin}: axes")]
    found += [_zip(one, f"{origin}: zip {number}") for number, one in enumerate(zips, 1)]
    _refuse_twice([key for axis in found for key in axis.keys], origin)
    given = [*map(of_technique, _list(techniques, "techniques", origin) or [])]
    for title, changes in (variants or {}).items():
        keys = _table(changes, f"variants.{title}", origin)
        given.append(Variant(title, tuple(overrides_of(keys))))
    return Spec(
        find(base).with_overrides(overrides_of(set or {})),
        name,
        tuple(given) or (Variant(""),),
        tuple(str(one) for one in _list(workloads, "workloads", origin) or []),
        tuple(found),
        _seeds(seeds, origin),
        _sample(sample or {}, found, origin),
        origin,
    )


def _axes(tables: Mapping[str, Any], origin: str) -> Iterator[Axis]:
    """An axis for each key; a table that gives a range is a value."""
    for key, given in leaves(tables, lambda table: any(name in table for name in _RANGE)):
        yield _axis((key,), given, f"{origin}.{key}")


def _axis(keys: tuple[str, ...], given: Any, place: str) -> Axis:
    if isinstance(given, Mapping):
        values, at = _range(given, place)
    else:
        values, at = [_value(one, place) for one in _values(given, place)], None
    if not values:
        raise ConfigError("the axis is empty", place, "give it a value, or leave it out")
    _refuse_twice(values, place)
    return Axis(keys, tuple((value,) for value in values), at)


def _values(given: Any, place: str) -> Iterable[Any]:
    given = _plain(given)
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ConfigError(
            f"{given!r} is no axis", place, "give a list, or a range {from = 0.1, to = 0.5, …}"
        )
    return given


def _value(given: Any, place: str) -> Value:
    if given is None or (isinstance(given, float) and not math.isfinite(given)):
        raise ConfigError("a value is inf or nan, which no key can have", place, "give a number")
    toml_value(given, place)  # refuses what no key can have
    if isinstance(given, Mapping):
        raise ConfigError(f"{given!r} is no value of a key", place, "give a text, a number or list")
    given = _plain(given)
    return tuple(given) if isinstance(given, list) else given


def _plain(given: Any) -> Any:
    """What an array library gives as Python's own."""
    return given.tolist() if hasattr(given, "tolist") else given


def _zip(given: Any, origin: str) -> Axis:
    columns = {axis.keys[0]: axis for axis in _axes(_table(given, origin), origin)}
    lengths = {key: len(axis.values) for key, axis in columns.items()}
    if not columns:
        raise ConfigError("the zip is empty", origin, "give it two keys with a list each")
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"`{key}` {length}" for key, length in lengths.items())
        raise ConfigError(f"lists of different lengths: {told}", origin, "give as many values each")
    rows = zip(*(axis.values for axis in columns.values()), strict=True)
    return Axis(tuple(columns), tuple(tuple(one for (one,) in row) for row in rows))


def _range(
    given: Mapping[str, Any], place: str
) -> tuple[list[Value], Callable[[float], tuple[Value, ...]]]:
    """The values of a range, and its value at a share of the way."""
    unknown = next((key for key in given if key not in _RANGE), None)
    if unknown:
        hint = catalogue.did_you_mean(unknown, _RANGE, "keys")
        raise ConfigError(f"a range has no `{unknown}`", place, hint)
    for key in ("from", "to"):
        if key not in given:
            raise ConfigError(
                f"a range without `{key}`", place, "write {from = 1, to = 8, step = 1}"
            )
    first, last = (_number(given[key], f"{place}.{key}") for key in ("from", "to"))
    is_log = _choice(given.get("scale", "linear"), ("linear", "log"), f"{place}.scale") == "log"
    if ("step" in given) == ("count" in given):
        raise ConfigError("a range has either `step` or `count`", place, "give one of them")
    if is_log and (min(first, last) <= 0 or "step" in given):
        raise ConfigError(
            "a logarithmic range is of positive numbers and has a `count`", place, "mend the range"
        )
    whole = all(isinstance(given[key], int) for key in ("from", "to"))
    whole = whole and isinstance(given.get("step", 1), int)

    def at(share: float) -> tuple[Value, ...]:
        value = first * (last / first) ** share if is_log else first + (last - first) * share
        return (round(value) if whole else float(f"{value:.{_TIDY}g}"),)

    count = _count(given, first, last, place)
    if "step" in given:
        step = given["step"]
        raw = [first + step * number for number in range(count)]
        found = [one if whole else float(f"{one:.{_TIDY}g}") for one in raw]
    else:
        found = [at(number / (count - 1) if count > 1 else 0.0)[0] for number in range(count)]
    return list(dict.fromkeys(found)), at


def _count(given: Mapping[str, Any], first: float, last: float, place: str) -> int:
    """How many values a range has."""
    if "count" in given:
        return arguments.whole(f"{place}.count", given["count"], 1, MOST_POINTS)
    step = _number(given["step"], f"{place}.step")
    if step == 0 or (last - first) / step < 0:
        what = f"the range never ends: it goes from {first:g} to {last:g} by {step:g}"
        raise ConfigError(what, place, "give a `step` that leads from the one to the other")
    count = math.floor((last - first) / step + 1e-9) + 1
    if count > MOST_POINTS:
        what = f"the range has {count:,} values, more than {MOST_POINTS:,}"
        raise ConfigError(what, place, "give a larger `step`")
    return count


def _number(given: Any, place: str) -> float:
    if given is None:
        raise ConfigError("it is inf, or no number at all", place, "give a finite number")
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise ConfigError(f"{given!r} is no number", place, "give a finite number")
    return given


def _choice(given: Any, names: Sequence[str], place: str) -> str:
    if given not in names:
        hint = catalogue.did_you_mean(str(given), names, "valid")
        raise ConfigError(f"unknown {place.rpartition('.')[2]} {given!r}", place, hint)
    return given


def _sample(given: Mapping[str, Any], axes: Sequence[Axis], origin: str) -> Sample:
    place = f"{origin}: sample"
    unknown = next((key for key in given if key not in ("method", "points", "seed")), None)
    if unknown:
        hint = catalogue.did_you_mean(unknown, ("method", "points", "seed"), "keys")
        raise ConfigError(f"a sample has no `{unknown}`", place, hint)
    method = _choice(given.get("method", "grid"), _METHODS, f"{place}.method")
    if method == "grid":
        return Sample()
    if "points" not in given:
        raise ConfigError("`points` is missing", place, "say how many samples: points = 64")
    if not axes:
        raise ConfigError("there is no axis to sample", place, "give `axes`")
    if method == "sobol" and len(axes) > sampling.MOST_AXES:
        what = f"a Sobol sequence has at most {sampling.MOST_AXES} axes, not {len(axes)}"
        raise ConfigError(what, place, 'set method = "latin_hypercube"')
    points = arguments.whole(f"{place}.points", given["points"], 1, MOST_POINTS)
    seed = arguments.whole(f"{place}.seed", given.get("seed", 1), 0, arguments.LARGEST)
    return Sample(method, points, seed)


def _seeds(given: Any, origin: str) -> tuple[int, ...]:
    """Seeds: a list of them, or how many."""
    place = f"{origin}: seeds"
    if given is None:
        return ()
    if isinstance(given, bool | str):
        raise ConfigError(f"{given!r} is neither a number of seeds nor a list", place)
    if isinstance(given, Iterable):
        seeds = tuple(arguments.whole(place, one, 0, 2**63 - 1) for one in given)
        if not seeds:
            raise ConfigError("the list is empty", place, "leave it out, or give seeds")
        _refuse_twice(seeds, place)
        return seeds
    return tuple(range(1, arguments.whole(place, given, 1, arguments.MOST_SEEDS) + 1))


def _refuse_twice(given: Sequence[Any], place: str) -> None:
    seen: set[str] = set()
    for one in given:
        if repr(one) in seen:
            raise ConfigError(f"`{one}` is given twice", place, "give it once")
        seen.add(repr(one))


def _list(given: Any, name: str, origin: str) -> list[Any] | None:
    if given is None:
        return None
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise ConfigError(f"{given!r} is not a list", f"{origin}: {name}", f"write [{given!r}]")
    found = list(given)
    if not found:
        raise ConfigError("the list is empty", f"{origin}: {name}", "leave it out, or fill it")
    _refuse_twice(found, f"{origin}: {name}")
    return found


def _table(given: Any, name: str, origin: str = "") -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        place = f"{origin}: {name}" if origin else name
        raise ConfigError(f"{given!r} is no table", place, "give keys and values")
    return given


def _text(given: Any, name: str, origin: str) -> str:
    if not isinstance(given, str):
        raise ConfigError(f"{given!r} is no text", f"{origin}: {name}", "put it in quotes")
    return given
