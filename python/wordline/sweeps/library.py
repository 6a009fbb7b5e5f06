"""Sweeps from Python: `wordline.sweep`."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wordline import _native, arguments
from wordline.arguments import checked
from wordline.components.part import Part
from wordline.configuration import Change, ConfigLike, overrides_by
from wordline.errors import ConfigError
from wordline.figures import data_loss, warning_groups
from wordline.results import result_files
from wordline.results.result import Result
from wordline.results.result_table import Tabled
from wordline.results.store import DEFAULT, Head, Store
from wordline.runs import notebook
from wordline.runs.single_run import Variant, WorkloadLike, refuse_twins
from wordline.sweeps import engines, points, runner, spec, table
from wordline.sweeps.points import Plan
from wordline.sweeps.runner import Standing, Told
from wordline.sweeps.spec import Spec

POINTS, ABOUT = "points.parquet", "sweep.json"
NAMES = (POINTS, ABOUT, result_files.REPORT)
"""Files of a sweep's folder."""


@dataclass(frozen=True, repr=False)
class Sweep(Tabled):
    """A sweep that was carried out.

    Attributes:
        about: Its name, what varies, and how it was made; `sweep.json` holds it.
        table: A row for each point: every key that varies, and the figures of `metrics.METRICS`.
            It reads into polars, DuckDB and pyarrow as it is.
        standing: How many runs were carried out, and how many were kept already.
        lost: Acknowledged units that each run lost which did, though it does not say that it may.
    """

    TABLE = POINTS
    ABOUT = ABOUT

    standing: Standing | None = None
    lost: Sequence[int] = ()
    _plan: Plan | None = field(default=None, compare=False)
    _store: Store | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def failures(self) -> dict[int, str]:
        """Points that could not go on, by number, and why."""
        errors = zip(self.table[table.POINT], self.table[table.ERROR], strict=True)
        return {number: error for number, error in errors if error}

    @checked
    def result(self, point: int) -> Result:
        """The whole result of a point, from the store.

        Raises:
            ConfigError: There is no such point, or its result is not kept.
            RunError: It could not go on.
        """
        if self._plan is None or self._store is None:
            raise ConfigError(
                "the sweep was read from its table", "result", "call wl.sweep, which finds its runs"
            )
        one = self._plan.points[arguments.whole("point", point, 0, len(self) - 1)]
        identity_ = self._store.identity_of(self._plan.configuration(one))
        found = self._store.find(identity_)
        if found is None:
            raise ConfigError(f"the result of {one.name} is not kept", "point", "sweep again")
        return found

    def _page(self) -> str:
        from wordline.sweeps import page

        return page.render(self.about, self.table)

    def __repr__(self) -> str:
        axes = ", ".join(self.about["axes"]) or "no axis"
        return f"Sweep({self.about['name']}: {len(self):,} points over {axes})"


@checked
def sweep(
    base: ConfigLike | Spec,
    axes: Mapping[str, Any] | None = None,
    *,
    techniques: Iterable[str | Part] | None = None,
    workloads: Iterable[WorkloadLike] | None = None,
    variants: Mapping[str, Change | Sequence[Change]] | None = None,
    seeds: int | Iterable[int] | None = None,
    sample: Mapping[str, Any] | None = None,
    on: str | Executor | None = None,
    workers: int | None = None,
    store: str | Path | Store = DEFAULT,
    progress: Told | None = None,
    **tables: Any,
) -> Sweep:
    """Runs a drive at many points; what the store has is not run again.

    Args:
        base: A TOML file, a drive preset or its name, or a mapping of tables.
        axes: What varies: keys of a configuration, each with a list of values or a range such as
            `{"from": 0.05, "to": 0.5, "count": 10, "scale": "log"}`.
        techniques: Techniques or their names; `"conventional"` is the drive without any.
        workloads: Workloads; the one of the configuration where left out.
        variants: Further drives by name, each as a part or tables laid over the configuration,
            or several of them.
        seeds: How many seeds each point is run with, from 1, or the seeds.
        sample: `{"method": "sobol", "points": 64}` for samples of the axes in the place of their
            grid; or `"latin_hypercube"`.
        on: Where: `None` for the processors of this machine, `"dask:ADDRESS"`, `"slurm:…"`, or any
            executor of `concurrent.futures`.
        workers: Runs at a time on this machine; one a core where left out, if memory suffices.
        store: Folder in which every run's result is kept.
        progress: Told a few times a second how far it has come. In a notebook a bar is shown where
            this is left out.
        **tables: Tables laid over the configuration of every point.

    Raises:
        ConfigError: A point cannot run: nothing was started then.
        WorkloadError: A workload cannot be used.
        OutputError: The store cannot be written.
        RunError: The engine is gone, or the disk is full.
    """
    asked = spec_of(base, axes, techniques, workloads, variants, seeds, sample, tables)
    return carry_out(asked, Store.of(store), on, workers, progress or in_notebook("sweep"))


def spec_of(
    base: ConfigLike | Spec,
    axes: Mapping[str, Any] | None,
    techniques: Iterable[str | Part] | None,
    workloads: Iterable[WorkloadLike] | None,
    variants: Mapping[str, Change | Sequence[Change]] | None,
    seeds: int | Iterable[int] | None,
    sample: Mapping[str, Any] | None,
    tables: Mapping[str, Any],
) -> Spec:
    """The sweep that these arguments of `sweep` describe.

    Raises:
        ConfigError: One cannot be.
    """
    if isinstance(base, Spec):
        return base
    made = {name: _tables(changes) for name, changes in (variants or {}).items()}
    asked = spec.make(
        base, axes=axes, techniques=techniques, workloads=workloads, seeds=seeds,
        sample=sample, set=tables,
    )  # fmt: skip
    if not made:
        return asked
    own = asked.variants if techniques is not None else ()
    return _with_variants(asked, [*own, *(Variant(n, o) for n, o in made.items())])


def carry_out(
    asked: Spec, store: Store, on: str | Executor | None, workers: int | None, told: Told
) -> Sweep:
    """Carries out a sweep. See `sweep`."""
    engines.check(on, workers, store.folder)
    plan = points.plan(asked, store)
    known = store.heads(plan.keys)
    standing, failures = runner.drive(plan, store, known, on, workers, told)
    known |= store.heads(key for key in plan.keys if key not in known)
    made = table.make(plan, [known.get(key) for key in plan.keys], failures)
    warnings = (known[key].warnings for key in plan.keys if key in known)
    lost = _lost(plan, known)
    return Sweep(about(plan, warnings), made, standing, lost, plan, store)


def _lost(plan: Plan, known: Mapping[str, Head]) -> list[int]:
    """The units that each run lost that did, though its configuration does not say that it may."""
    found: list[int] = []
    for point, key in zip(plan.points, plan.keys, strict=True):
        units = data_loss.of_figures(known[key].figures) if key in known else 0
        if units and not data_loss.may_lose(plan.configuration(point).resolve()):
            found.append(units)
    return found


def about(plan: Plan, warnings: Iterable[Iterable[str]]) -> dict[str, Any]:
    """What a sweep's folder tells of it; `warnings` are those of each point."""
    asked = plan.spec
    return {
        "wordline": _native.VERSION,
        "simulator": _native.SOURCE,
        "name": asked.name,
        "base": asked.base.origin,
        "set": list(asked.base.overrides),
        "axes": [key for axis in asked.axes for key in axis.keys],
        "variants": {one.name or table.BASE: list(one.overrides) for one in asked.variants},
        "workloads": list(dict.fromkeys(table.workload_of(plan, one) for one in plan.points)),
        "seeds": list(asked.seeds),
        "sample": {"method": asked.sample.method, "points": asked.sample.points},
        "points": len(plan.points),
        "warnings": warning_groups.of_runs(warnings),
    }


def load(folder: Path) -> Sweep:
    """Reads the folder of a sweep.

    Raises:
        OSError, ValueError, KeyError: It holds none, or a damaged one.
    """
    return Sweep(*Sweep._read(folder))


def _tables(changes: Any) -> tuple[str, ...]:
    return overrides_by(changes if isinstance(changes, Sequence) else [changes])


def _with_variants(asked: Spec, variants: Sequence[Variant]) -> Spec:
    refuse_twins(variants)
    return replace(asked, variants=tuple(variants))


def in_notebook(name: str) -> Told:
    """Shows in a notebook how far a sweep has come; elsewhere nothing."""
    shown = notebook.progress(name)

    def told(standing: Standing) -> None:
        if shown:
            is_over = standing.done == standing.total
            shown("done" if is_over else "runs", standing.done, standing.total, 0)

    return told
