"""Searches from Python: `wordline.optimise`."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordline import _native, arguments
from wordline.arguments import checked
from wordline.components.part import Part
from wordline.configuration import Change, ConfigLike
from wordline.errors import ConfigError
from wordline.figures import warning_groups
from wordline.persistence import files
from wordline.results.result import Result
from wordline.results.result_table import Tabled
from wordline.results.store import DEFAULT, Store
from wordline.runs.single_run import WorkloadLike
from wordline.search import course, front, spec, trials
from wordline.search.course import Told, Trial
from wordline.search.spec import Search
from wordline.sweeps import engines
from wordline.sweeps import library as sweeps
from wordline.sweeps.spec import Spec

TRIALS, ABOUT = "trials.parquet", "search.json"


@dataclass(frozen=True, repr=False)
class Front(Tabled):
    """What a search found.

    Attributes:
        about: What was sought, and how; `search.json` holds it.
        table: A row for each drive that was tried: what was chosen, what it reaches in each aim,
            whether it keeps the limits and is on the front.
        drives: The resolved configurations of the front, as TOML, in the order of the first aim.
    """

    TABLE = TRIALS
    ABOUT = ABOUT

    drives: Sequence[str]
    _found: Sequence[Trial] = field(default=(), compare=False)
    _store: Store | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return len(self.drives)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The drives of the front, as rows of the table."""
        return trials.front_of(self.table)

    @checked
    def results(self, place: int) -> list[Result]:
        """The results of a drive of the front, one for each workload and seed, from the store.

        Raises:
            ConfigError: There is no such drive, or its results are not kept.
        """
        if self._store is None:
            what = "the search was read from its table"
            raise ConfigError(what, "results", "call wl.optimise, which finds its runs")
        one = self._found[arguments.whole("place", place, 0, max(len(self) - 1, 0))]
        return [_result(self._store, one, key) for key in one.keys]

    def files(self) -> dict[str, str | bytes]:
        """The files of its folder, by name."""
        drives = {trials.file_of(place): text for place, text in enumerate(self.drives, 1)}
        return {**super().files(), **drives}

    def _page(self) -> str:
        from wordline.search import page

        return page.render(self.about, self.table)

    def __repr__(self) -> str:
        aims = ", ".join(f"{word} {name}" for name, word in self.about["aims"].items())
        return f"Front({len(self)} of {len(self.table):,} drives: {aims})"


@checked
def optimise(
    base: ConfigLike | Spec,
    axes: Mapping[str, Any] | None = None,
    *,
    aims: Mapping[str, Any] | Sequence[str],
    limits: Mapping[str, Any] | None = None,
    trials: int = 200,
    batch: int | None = None,
    sampler: str = "tpe",
    seed: int = 1,
    techniques: Iterable[str | Part] | None = None,
    workloads: Iterable[WorkloadLike] | None = None,
    variants: Mapping[str, Change | Sequence[Change]] | None = None,
    seeds: int | Iterable[int] | None = None,
    on: str | Executor | None = None,
    workers: int | None = None,
    store: str | Path | Store = DEFAULT,
    progress: Told | None = None,
    **tables: Any,
) -> Front:
    """Searches a space of drives for those that no other one beats in every aim.

    The same call finds the same front, and runs nothing that the store has.

    Args:
        base: A TOML file, a drive preset or its name, or a mapping of tables.
        axes: What is chosen: keys of a configuration with their values, as for `sweep`.
        aims: Figures of `metrics.METRICS` or keys of `axes`, each with `"least"` or `"most"`; of a
            list, each figure is sought where it is better, and each key as low as can be.
        limits: Figures or keys with `{"at_most": …}` or `{"at_least": …}`, which the front keeps.
        trials: Drives that are tried.
        batch: Of them, those that are chosen at a time; an eighth of them where left out, from 8
            to 50.
        sampler: `"tpe"`, `"nsga2"` or `"random"`, of Optuna.
        seed: Of the sampler.
        techniques: Techniques or their names to choose from; `"conventional"` is the drive without.
        workloads: Workloads; a drive is judged by the mean over all of them.
        variants: Further drives by name to choose from, each as a part or tables.
        seeds: How many seeds each drive is run with, or the seeds: it is judged by the mean.
        on: Where, as for `sweep`.
        workers: Runs at a time on this machine; one a core where left out, if memory suffices.
        store: Folder in which every run's result is kept.
        progress: Told a few times a second how many drives were tried, and how far the runs under
            way have come.
        **tables: Tables laid over the configuration of every drive.

    Raises:
        ConfigError: Optuna is not installed, an argument cannot be, or no drive can run.
        WorkloadError: A workload cannot be used.
        OutputError: The store cannot be written.
        RunError: The engine is gone, or the disk is full.
    """
    space = sweeps.spec_of(base, axes, techniques, workloads, variants, seeds, None, tables)
    given = {"aims": aims, "limits": limits or {}, "trials": trials, "sampler": sampler}
    given |= {"seed": seed} | ({} if batch is None else {"batch": batch})
    told = progress or (lambda *_: None)
    return carry_out(spec.make(space, given), Store.of(store), on, workers, told)


def carry_out(
    search: Search, store: Store, on: str | Executor | None, workers: int | None, told: Told
) -> Front:
    """Carries out a search. See `optimise`."""
    engines.check(on, workers, store.folder)
    done = course.carry_out(search, store, on, workers, told)
    best = front.of(search, done)
    drives = [_drive(store, one) for one in best]
    return Front(_about(search, done), trials.make(search, done, best), drives, best, store)


def load(folder: Path) -> Front:
    """Reads the folder of a search.

    Raises:
        OSError, ValueError, KeyError: It holds none, or a damaged one.
    """
    told, table = Front._read(folder)
    names = [row[trials.FILE] for row in trials.front_of(table)]
    return Front(told, table, [files.bytes_of(folder / name).decode() for name in names])


def _drive(store: Store, trial: Trial) -> str:
    """The resolved configuration of a drive's first run."""
    return _result(store, trial, trial.keys[0]).config_toml


def _result(store: Store, trial: Trial, key: str) -> Result:
    kept = store.get(key)
    if kept is None:
        what = f"the result of trial {trial.number} is not kept any more"
        raise ConfigError(what, str(store.folder), "search again")
    return kept.result_at(trial.traces)


def _about(search: Search, done: Sequence[Trial]) -> dict[str, Any]:
    space = search.space
    failed = [trial for trial in done if trial.error]
    return {
        "wordline": _native.VERSION,
        "simulator": _native.SOURCE,
        "name": space.name,
        "base": space.base.origin,
        "set": list(space.base.overrides),
        "axes": [key for axis in space.axes for key in axis.keys],
        "variants": [variant.name or trials.BASE for variant in space.variants],
        "workloads": list(space.workloads),
        "seeds": list(space.seeds),
        "aims": {aim.of.name: aim.word for aim in search.aims},
        "labels": {aim.of.name: aim.of.label for aim in search.aims},
        "limits": [str(limit) for limit in search.limits],
        "sampler": search.sampler,
        "seed": search.seed,
        "batch": search.batch,
        "trials": len(done),
        "drives": len({tuple(trial.keys) for trial in done if trial.keys}),
        "failed": len(failed),
        "why": failed[0].error if failed else "",
        "warnings": warning_groups.of_runs(trial.warnings for trial in done),
    }
