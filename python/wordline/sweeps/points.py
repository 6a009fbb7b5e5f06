"""The points of a sweep, each a run: checked before the first one starts."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from wordline.configuration import Configuration, toml_value
from wordline.errors import ConfigError, WordlineError
from wordline.results import identity
from wordline.results.identity import Sources
from wordline.results.store import Store
from wordline.runs.single_run import Variant, workload_overrides
from wordline.sweeps import sampling
from wordline.sweeps.spec import MOST_POINTS, Spec, Value
from wordline.workers import cores

T = TypeVar("T")

_TECHNIQUE = "technique."


@dataclass(frozen=True)
class Point:
    """A run of a sweep.

    Attributes:
        number: Its place, from 0.
        variant: The technique or the drive of one's own; empty where the sweep names none.
        workload: What is replayed, as the sweep names it; empty for the base's own.
        seed: Its seed; `None` for the base's own.
        axes: What the axes' keys have; a key that does not concern the variant is left out.
        overrides: The keys that it lays over the base, without workload and seed.
    """

    number: int
    variant: str
    workload: str
    seed: int | None
    axes: Mapping[str, Value]
    overrides: tuple[str, ...]

    @property
    def all_overrides(self) -> tuple[str, ...]:
        """Every key that it lays over the base."""
        seed = () if self.seed is None else (f"run.seed={self.seed}",)
        return (*self.overrides, *workload_overrides(self.workload or None, None), *seed)

    @property
    def load(self) -> tuple[str, ...]:
        """Equal for points that replay the same: the workload, and keys of its table."""
        return (self.workload, *(one for one in self.overrides if one.startswith("workload.")))

    @property
    def name(self) -> str:
        """What messages call it."""
        parts = [*(f"{key} = {value}" for key, value in self.axes.items())]
        parts += [self.variant] if self.variant else []
        parts += [f"on {self.workload}"] if self.workload else []
        parts += [f"seed {self.seed}"] if self.seed is not None else []
        return f"point {self.number} ({', '.join(parts) or 'the base'})"


@dataclass(frozen=True)
class Plan:
    """A sweep whose every point can run.

    Attributes:
        spec: The sweep.
        points: Its points.
        keys: What each is kept by.
        sources: What each workload replays, by `Point.load`.
        memory_bytes: What the largest run takes, roughly.
    """

    spec: Spec
    points: Sequence[Point]
    keys: Sequence[str]
    sources: Mapping[tuple[str, ...], Sources]
    memory_bytes: int

    def configuration(self, point: Point) -> Configuration:
        """A point's configuration."""
        return self.spec.base.with_overrides(point.all_overrides)

    @cached_property
    def distinct(self) -> list[Point]:
        """The points, but of those with equal keys the first only."""
        found: dict[str, Point] = {}
        for point, key in zip(self.points, self.keys, strict=True):
            found.setdefault(key, point)
        return list(found.values())

    def key(self, point: Point) -> str:
        """What a point's result is kept by."""
        return self.keys[point.number]


def expand(spec: Spec) -> list[Point]:
    """The points of a sweep, in the order of its table.

    Raises:
        ConfigError: There are too many.
    """
    combined = _combined(spec)
    loads, seeds = spec.workloads or ("",), spec.seeds or (None,)
    least = len(combined) * len(loads) * len(seeds)
    if least * len(spec.variants) > MOST_POINTS:
        told = f"{least * len(spec.variants):,} points, more than {MOST_POINTS:,}"
        raise ConfigError(f"the sweep has {told}", spec.origin, "thin out its axes, or sample them")
    found: list[Point] = []
    for variant, load in itertools.product(spec.variants, loads):
        for axes in _concerned(combined, variant, spec.variants):
            keys = (f"{key}={toml_value(value, key)}" for key, value in axes.items())
            overrides = (*variant.overrides, *keys)
            for seed in seeds:
                found.append(Point(len(found), variant.name, load, seed, axes, overrides))
    return found


def _combined(spec: Spec) -> list[dict[str, Value]]:
    """The values of all axes together, point by point."""
    if spec.sample.method == "grid":
        count = 1
        for axis in spec.axes:
            count *= len(axis.values)
        if count > MOST_POINTS:
            what = f"the grid has {count:,} points, more than {MOST_POINTS:,}"
            raise ConfigError(what, spec.origin, "thin out its axes, or sample them")
        rows = itertools.product(*(axis.values for axis in spec.axes))
    else:
        draw = sampling.sobol if spec.sample.method == "sobol" else sampling.latin_hypercube
        shares = draw(len(spec.axes), spec.sample.points, spec.sample.seed)
        rows = (
            tuple(axis.place(share) for axis, share in zip(spec.axes, row, strict=True))
            for row in shares
        )
    keys = [key for axis in spec.axes for key in axis.keys]
    return [dict(zip(keys, itertools.chain(*row), strict=True)) for row in rows]


def _concerned(
    combined: Sequence[dict[str, Value]], variant: Variant, variants: Sequence[Variant]
) -> Iterator[dict[str, Value]]:
    """The values for one variant: a key of a technique concerns the variants that have it."""
    told: set[str] = set()
    for values in combined:
        own = {key: v for key, v in values.items() if concerns(key, variant, variants)}
        name = repr(own)
        if name not in told:
            told.add(name)
            yield own


def concerns(key: str, variant: Variant, variants: Sequence[Variant]) -> bool:
    """Whether a key means anything to a variant: a technique's does to those that have it."""
    if not key.startswith(_TECHNIQUE):
        return True
    table = ".".join(key.split(".")[:2])

    def has(one: Variant) -> bool:
        return any(change.startswith((f"{table}.", f"{table}=")) for change in one.overrides)

    return has(variant) or not any(map(has, variants))


def plan(spec: Spec, store: Store) -> Plan:
    """Checks every point of a sweep, and finds what it is kept by.

    What was found once is kept in the store, so that the same sweep is not resolved again.

    Raises:
        ConfigError: A point cannot run; the place names it.
        WorkloadError: A workload cannot be used.
    """
    return plan_of(spec, expand(spec), store)


def plan_of(spec: Spec, points: Sequence[Point], store: Store) -> Plan:
    """Checks given points, numbered from 0, and finds what each is kept by. See `plan`."""
    sources = _sources(spec, points, store)
    contents = (one for found in sources.values() for one in found.contents)
    asked = (repr((point.all_overrides, point.number)) for point in points)
    base = spec.base
    about = (identity.SIMULATOR, base.text, repr(base.overrides))
    digest = identity.digest_of(*about, *sorted(set(contents)), *asked)
    known = store.plan(digest)
    if known and len(known) == len(points) + 1:
        return Plan(spec, points, known[1:], sources, int(known[0]))
    found = [*_resolved(spec, points, store)]
    keys = [key for key, _ in found]
    made = Plan(spec, points, keys, sources, max((need for _, need in found), default=0))
    store.keep_plan(digest, [made.memory_bytes, *keys])
    return made


def _sources(spec: Spec, points: Sequence[Point], store: Store) -> dict[tuple[str, ...], Sources]:
    """What each workload of the points replays."""
    found: dict[tuple[str, ...], Sources] = {}
    for point in points:
        if point.load not in found:
            configuration = spec.base.with_overrides(point.all_overrides)
            workload = _located(spec, point, configuration.resolve)["workload"]
            found[point.load] = store.contents.sources(workload)
    return found


def _resolved(spec: Spec, points: Sequence[Point], store: Store) -> Iterator[tuple[str, int]]:
    """The key of each point, and what its run takes."""

    def resolve(point: Point) -> Mapping[str, Any]:
        configuration = spec.base.with_overrides(point.all_overrides)
        return _located(spec, point, configuration.resolve)

    def key(point: Point) -> str:
        given = resolved[_but_seed(point)]
        if point.seed is not None:
            given = {**given, "run": {**given["run"], "seed": point.seed}}
        return identity.of_resolved(given, store.contents).key

    def open_workload(point: Point) -> None:
        configuration = spec.base.with_overrides(point.all_overrides)
        _located(spec, point, configuration.check_workload)

    def probe(point: Point) -> int:
        return _located(spec, point, spec.base.with_overrides(point.overrides).probe)

    drives: dict[tuple[str, ...], Point] = {}
    replays: dict[tuple[str, ...], Point] = {}
    for point in points:
        drives.setdefault(point.overrides, point)
        replays.setdefault(_but_seed(point), point)
    with ThreadPoolExecutor(cores()) as pool:
        try:
            resolved = dict(zip(replays, pool.map(resolve, replays.values()), strict=True))
            keys = map(key, points)
            opened = pool.map(open_workload, replays.values())
            probed = dict(zip(drives, pool.map(probe, drives.values()), strict=True))
            list(opened)  # raises what one of them has raised
            yield from ((key, probed[p.overrides]) for key, p in zip(keys, points, strict=True))
        finally:
            pool.shutdown(cancel_futures=True)


def _but_seed(point: Point) -> tuple[str, ...]:
    """Equal for points that differ in their seed alone: they resolve and open alike."""
    return (point.workload, *point.overrides)


def _located(spec: Spec, point: Point, work: Callable[[], T]) -> T:
    """Does work for a point; what is wrong with it is told with the point."""
    try:
        return work()
    except WordlineError as error:
        where = ", ".join(filter(None, (f"{spec.origin}: {point.name}", error.place)))
        raise type(error)(error.what, where, error.help) from None
