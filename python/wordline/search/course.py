"""Carrying out a search: drives are asked for, run as the points of a sweep are, and told.

A batch is asked for before any of it is told, so that what is asked for depends on the seed alone,
not on which run ends first. A search that goes on asks for the same drives again, and finds their
results in the store: there is nothing else to keep.
"""

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from wordline import workers
from wordline.configuration import toml_value
from wordline.errors import ConfigError, WordlineError
from wordline.results.identity import Trace
from wordline.results.store import Head, Store
from wordline.search.spec import Search, is_numeric
from wordline.sweeps import engines, points, runner
from wordline.sweeps.engines import Engine
from wordline.sweeps.points import Plan, Point
from wordline.sweeps.runner import Standing
from wordline.sweeps.spec import Axis

_DRIVE = "drive"
_EXCESS = "excess"  # over the limits, as an attribute of a trial

Told = Callable[[int, Standing], object]
"""Told of trials that are over, and how far the batch under way has come."""


@dataclass(frozen=True)
class Trial:
    """A drive that was tried.

    Attributes:
        number: Its place, from 0.
        points: Its runs: one for each workload and seed.
        keys: What each is kept by.
        traces: What they replay, where they do.
        aims: What it reaches, aim by aim; empty where it failed.
        limits: The quantity of each limit, likewise.
        is_allowed: Whether it keeps the limits.
        warnings: What must be known of its runs.
        error: Why it failed.
    """

    number: int
    points: Sequence[Point]
    keys: Sequence[str] = ()
    traces: tuple[Trace, ...] = ()
    aims: tuple[float, ...] = ()
    limits: tuple[float, ...] = ()
    is_allowed: bool = False
    warnings: tuple[str, ...] = ()
    error: str = ""


def carry_out(
    search: Search, store: Store, on: "str | Executor | None", asked: int | None, told: Told
) -> list[Trial]:
    """Tries as many drives as a search has trials.

    Args:
        search: The search.
        store: Where results are kept, and found again.
        on: The engine, as `engines.begun` takes it.
        asked: Runs at a time on this machine; one a core where left out, if memory suffices.
        told: Told how far it has come.

    Raises:
        ConfigError: Optuna is not installed, or no drive of the first batch can run.
        WorkloadError: A workload cannot be used.
        RunError: The engine is gone, or the disk is full.
    """
    study, space = _study(search), _space(search)
    done: list[Trial] = []
    first = _planned(search, store, study, space, 0)
    if all(plan is None for _, _, plan in first):
        raise ConfigError(first[0][1].error, search.space.origin, "mend the base or the axes")
    need = max(plan.memory_bytes for _, _, plan in first if plan)

    def number() -> int:
        return workers.number([need] * search.batch, asked)

    with engines.begun(on, number, store.folder) as engine:
        batch = first
        while batch:
            done += _run(search, store, engine, study, batch, partial(told, len(done)))
            batch = _planned(search, store, study, space, len(done))
    return done


def _study(search: Search) -> Any:
    try:
        import optuna
        from optuna.study import StudyDirection
    except ImportError:
        what = "`optuna` is not installed"
        raise ConfigError(what, "optimise", "pip install 'optuna<6'") from None

    def excess(trial: Any) -> Sequence[float]:
        return trial.user_attrs.get(_EXCESS, ())

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    limited = excess if search.limits else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is experimental in Optuna
        sampler: Any
        if search.sampler == "nsga2":
            sampler = optuna.samplers.NSGAIISampler(
                population_size=search.batch, seed=search.seed, constraints_func=limited
            )
        elif search.sampler == "tpe":
            sampler = optuna.samplers.TPESampler(
                seed=search.seed, multivariate=True, constant_liar=True, constraints_func=limited
            )
        else:
            sampler = optuna.samplers.RandomSampler(seed=search.seed)
        ways = (StudyDirection.MAXIMIZE, StudyDirection.MINIMIZE)
        directions = [ways[aim.sign > 0] for aim in search.aims]
        return optuna.create_study(sampler=sampler, directions=directions)


def _space(search: Search) -> dict[str, Any]:
    """What is chosen, for Optuna: places on the axes, and a drive where there are several."""
    from optuna.distributions import CategoricalDistribution, IntDistribution

    def places(axis: Axis) -> Any:
        count = len(axis.values)
        return (
            IntDistribution(0, count - 1)
            if is_numeric(axis)
            else CategoricalDistribution(tuple(range(count)))
        )

    found = {_name(axis): places(axis) for axis in search.space.axes}
    variants = len(search.space.variants)
    return found | (
        {_DRIVE: CategoricalDistribution(tuple(range(variants)))} if variants > 1 else {}
    )


def _name(axis: Axis) -> str:
    return ", ".join(axis.keys)


_Asked = list[tuple[Any, Trial, Plan | None]]


def _planned(search: Search, store: Store, study: Any, space: dict[str, Any], done: int) -> _Asked:
    """The next batch, with the plan of each trial whose drive can be."""
    count = min(search.batch, search.trials - done)
    asked = [study.ask(space) for _ in range(count)]
    found: _Asked = []
    for number, trial in enumerate(asked, done):
        own = _points(search, trial.params)
        try:
            plan = points.plan_of(search.space, own, store)
        except ConfigError as error:
            found.append((trial, Trial(number, own, error=str(error)), None))
        else:
            traces = tuple(trace for of in plan.sources.values() for trace in of.traces)
            found.append((trial, Trial(number, own, plan.keys, traces), plan))
    return found


def _points(search: Search, chosen: dict[str, Any]) -> list[Point]:
    """The runs of a drive: one for each workload and seed."""
    space = search.space
    variant = space.variants[chosen.get(_DRIVE, 0)]
    values = {
        key: value
        for axis in space.axes
        for key, value in zip(axis.keys, axis.values[chosen[_name(axis)]], strict=True)
        if points.concerns(key, variant, space.variants)
    }
    keys = (f"{key}={toml_value(value, key)}" for key, value in values.items())
    overrides = (*variant.overrides, *keys)
    found: list[Point] = []
    for load in space.workloads or ("",):
        for seed in space.seeds or (None,):
            found.append(Point(len(found), variant.name, load, seed, values, overrides))
    return found


def _run(
    search: Search, store: Store, engine: Engine, study: Any, batch: _Asked, told: runner.Told
) -> list[Trial]:
    """Runs a batch, and tells the sampler what came of it."""
    plans = [plan for _, _, plan in batch if plan]
    merged = _merged(search, plans)
    known = store.heads(merged.keys)
    _, failures = runner.drive(merged, store, known, engine, None, told)
    known |= store.heads(key for key in merged.keys if key not in known)
    lost = {merged.keys[number]: failure for number, failure in failures.items()}
    return [_told(search, study, trial, of, known, lost) for trial, of, _ in batch]


def _merged(search: Search, plans: Sequence[Plan]) -> Plan:
    """Plans of several drives as one, whose points are numbered anew."""
    both = [(p, key) for plan in plans for p, key in zip(plan.points, plan.keys, strict=True)]
    every = [replace(point, number=number) for number, (point, _) in enumerate(both)]
    sources = {load: of for plan in plans for load, of in plan.sources.items()}
    need = max((plan.memory_bytes for plan in plans), default=0)
    return Plan(search.space, every, [key for _, key in both], sources, need)


def _told(
    search: Search,
    study: Any,
    trial: Any,
    of: Trial,
    known: dict[str, Head],
    lost: dict[str, tuple[str, str, str]],
) -> Trial:
    found = of if of.error else _judged(search, of, known, lost)
    if found.error:
        from optuna.trial import TrialState

        study.tell(trial, state=TrialState.FAIL)
        return found
    limits = zip(search.limits, found.limits, strict=True)
    trial.set_user_attr(_EXCESS, [limit.excess(value) for limit, value in limits])
    study.tell(trial, found.aims)
    return found


def _judged(
    search: Search, of: Trial, known: dict[str, Head], lost: dict[str, tuple[str, str, str]]
) -> Trial:
    heads = [known[key] for key in of.keys if key in known]
    errors = [head.error for head in heads if head.error] + [lost[k] for k in of.keys if k in lost]
    if errors or len(heads) < len(of.keys):
        told = errors[0] if errors else ("its result is not kept", "", "")
        return replace(of, error=str(WordlineError(*told)))
    quantities = [*(aim.of for aim in search.aims), *(limit.of for limit in search.limits)]
    values = [one.of(of.points, heads) for one in quantities]
    missing = [one.name for one, v in zip(quantities, values, strict=True) if v is None]
    if missing:
        return replace(of, error=f"it has no {missing[0]}")
    every = tuple(value for value in values if value is not None)
    aims, limits = every[: len(search.aims)], every[len(search.aims) :]
    both = zip(search.limits, limits, strict=True)
    is_allowed = all(limit.excess(value) <= 0 for limit, value in both)
    told = tuple(dict.fromkeys(warning for head in heads for warning in head.warnings))
    return replace(of, aims=aims, limits=limits, is_allowed=is_allowed, warnings=told)
