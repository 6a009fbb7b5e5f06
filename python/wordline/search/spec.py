"""What a search is made of: a space of drives, aims, limits, and how it goes about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline import arguments
from wordline.components import catalogue
from wordline.errors import ConfigError
from wordline.search import aims
from wordline.search.aims import Aim, Limit
from wordline.sweeps import spec
from wordline.sweeps.spec import Axis, Spec

SAMPLERS = ("tpe", "nsga2", "random")
MOST_TRIALS = 100_000
_TABLE = "optimise"
_FIELDS = ("aims", "limits", "trials", "batch", "sampler", "seed")
_GENERATIONS = 8  # at least, of the default batch
_LEAST_BATCH, _MOST_BATCH = 8, 50


@dataclass(frozen=True)
class Search:
    """A search.

    Attributes:
        space: The base, and what varies: its drives and axes are what is chosen from; each choice
            is run on all of its workloads and seeds.
        aims: What it is for.
        limits: What no drive of the front may be beyond.
        trials: Drives that are tried.
        batch: Of them, those that are chosen at a time, before any of their figures are known.
        sampler: `tpe`, `nsga2` or `random`.
        seed: Of the sampler.
    """

    space: Spec
    aims: tuple[Aim, ...]
    limits: tuple[Limit, ...]
    trials: int
    batch: int
    sampler: str
    seed: int


def read(path: Path) -> Search:
    """The search that a TOML file describes: a sweep's, with a table `optimise`.

    Raises:
        ConfigError: It cannot be read, or describes none.
    """
    data, origin = spec.table_of(path, "name a file that describes a search")
    if _TABLE not in data:
        help = f'say what is sought: [{_TABLE}] with aims = {{write_amplification = "least"}}'
        raise ConfigError(f"the table `{_TABLE}` is missing", origin, help)
    space = {key: value for key, value in data.items() if key != _TABLE}
    return make(spec.of_table(space, origin, path.stem), data[_TABLE])


def make(space: Spec, given: Any) -> Search:
    """A search of a space; `given` is the table `optimise` of a file.

    Raises:
        ConfigError: A part cannot be.
    """
    place = f"{space.origin}: {_TABLE}"
    if not isinstance(given, Mapping):
        raise ConfigError(f"{given!r} is no table", place, "give `aims`")
    unknown = next((key for key in given if key not in _FIELDS), None)
    if unknown:
        hint = catalogue.did_you_mean(unknown, _FIELDS, "keys")
        raise ConfigError(f"a search has no `{unknown}`", place, hint)
    if space.sample.method != "grid":
        help = "leave `sample` out: the search chooses its points itself"
        raise ConfigError("a search is not sampled", f"{space.origin}: sample", help)
    if not space.axes and len(space.variants) < 2:
        raise ConfigError("there is nothing to choose from", space.origin, "give `axes`")
    keys = [key for axis in space.axes for key in axis.keys if is_numeric(axis)]
    sampler = given.get("sampler", SAMPLERS[0])
    if sampler not in SAMPLERS:
        hint = catalogue.did_you_mean(str(sampler), SAMPLERS, "samplers")
        raise ConfigError(f"unknown sampler {sampler!r}", f"{place}.sampler", hint)
    trials = arguments.whole(f"{place}.trials", given.get("trials", 200), 1, MOST_TRIALS)
    batch = min(max(trials // _GENERATIONS, _LEAST_BATCH), _MOST_BATCH)
    return Search(
        space,
        aims.aims(given.get("aims"), keys, f"{place}.aims"),
        aims.limits(given.get("limits", {}), keys, f"{place}.limits"),
        trials,
        arguments.whole(f"{place}.batch", given.get("batch", batch), 2, MOST_TRIALS),
        sampler,
        arguments.whole(f"{place}.seed", given.get("seed", 1), 0, 2**32 - 1),
    )


def is_numeric(axis: Axis) -> bool:
    """Whether an axis is one key, and a number everywhere."""
    values = [value for row in axis.values for value in row]
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return len(axis.keys) == 1 and len(numbers) == len(values)
