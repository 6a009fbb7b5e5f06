"""Running a study: each drive on each workload once, whatever figures ask for it."""

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from wordline import _native
from wordline.components import catalogue
from wordline.configuration import Configuration, find
from wordline.errors import ConfigError, RunError
from wordline.native.native_api import Progress
from wordline.native.types.run import RunResult
from wordline.native.types.trace import TraceInfo
from wordline.reproduce import judge
from wordline.reproduce.study import Figure, Load, Study
from wordline.results.store import Store
from wordline.runs import side_by_side
from wordline.traces import trace_convert, trace_info

Start = Callable[[str], Progress | None]
"""Begins a task of that name; what it returns is told of its progress."""

Key = tuple[str, str]
"""A drive's name and a workload's."""


@dataclass(frozen=True)
class Reproduction:
    """A study's figures beside ours.

    Attributes:
        study: The study.
        figures: The figures that were asked for.
        items: The comparisons by the figure's name.
        results: What was run, by drive and workload.
        quick: True where a part was run.
    """

    study: Study
    figures: Sequence[Figure]
    items: Mapping[str, list[dict[str, Any]]]
    results: Mapping[Key, RunResult] = field(repr=False)
    quick: bool = False

    @property
    def all_items(self) -> list[dict[str, Any]]:
        """All comparisons, figure by figure."""
        return [item for figure in self.figures for item in self.items[figure.name]]

    def to_dict(self) -> dict[str, Any]:
        """The reproduction in the form of every comparison."""
        return {
            "wordline": _native.VERSION,
            "paper": self.study.paper,
            "source": self.study.source,
            "quick": self.quick,
            "items": self.all_items,
        }


_MOST_BEYOND = 0.01


class _Findings:
    """What was run and read."""

    def __init__(
        self, loads: Sequence[Load], results: Mapping[Key, RunResult], *, is_whole: bool
    ) -> None:
        self.loads = loads
        self.is_whole = is_whole
        self._results = results

    def result(self, drive: str, load: Load) -> RunResult:
        return self._results[drive, load.title]

    def traffic(self, load: Load) -> TraceInfo:
        return _traffic(load)


@cache
def _traffic(load: Load) -> TraceInfo:
    if not load.first:
        return trace_info(load.source)
    with tempfile.TemporaryDirectory(prefix="wordline-reproduce-") as folder:
        part = Path(folder) / "part.wlt"
        trace_convert([load.source], part, first=load.first)
        return trace_info(part)


def choose(study: Study, names: Iterable[str]) -> list[Figure]:
    """The figures of these names, in the publication's order; all where none is named.

    Raises:
        ConfigError: The study has no such figure.
    """
    known = {figure.name: figure for figure in study.figures}
    wanted = list(names)
    for name in wanted:
        if name not in known:
            help_ = catalogue.did_you_mean(name, known, "figures")
            raise ConfigError(f"{study.paper} has no figure `{name}`", "--figure", help_)
    return [figure for figure in study.figures if not wanted or figure.name in wanted]


def reproduce(
    study: Study,
    figures: Iterable[str] = (),
    *,
    quick: bool = False,
    traces: Path | None = None,
    store: Store | None = None,
    progress: Start | None = None,
) -> Reproduction:
    """Runs what the figures need and sets their values beside the publication's.

    Args:
        study: The study.
        figures: Names of figures; all where left out.
        quick: Run a part that takes seconds.
        traces: Folder of the user's own traces; generated twins replace those that it lacks.
        store: Where each run's result is kept when it ends, and found again.
        progress: Called with each run's name; what it returns is told of that run's progress.

    Raises:
        ConfigError: An unknown figure, or a folder of traces that is none.
        WorkloadError: A trace cannot be used.
        RunError: A run could not start or go on, or a trace lies beyond the drive.
    """
    chosen = choose(study, figures)
    if traces is not None and not os.path.isdir(traces):
        raise ConfigError("is no folder", str(traces), "name the folder that holds the traces")
    loads = study.loads(traces, quick)
    needed = {
        figure.name: figure.of(loads) if figure.is_quick or not quick else [] for figure in chosen
    }
    results = _run(_jobs(study, chosen, needed), store, progress or (lambda _: None))
    every = {load for own in needed.values() for load in own}
    for load in every:
        if not load.is_generated:
            _check_fits(
                load.title, [of for (_, title), of in results.items() if title == load.title]
            )

    def judged(figure: Figure) -> list[dict[str, Any]]:
        own = needed[figure.name]
        found = _Findings(own, results, is_whole=not quick)
        ours = figure.values(found) if own else {}
        shown = list(judge.items(study, figure, ours, own, quick=quick))
        return shown + list(judge.of_laboratory(study, figure))

    items = {figure.name: judged(figure) for figure in chosen}
    return Reproduction(study, chosen, items, results, quick)


def _jobs(
    study: Study, figures: Sequence[Figure], loads: Mapping[str, Sequence[Load]]
) -> dict[Key, Configuration]:
    """Every drive that a figure needs, on every workload that it needs."""
    needed = dict.fromkeys(run for figure in figures for run in figure.needed(loads[figure.name]))
    bases = {name: find(name) for name in {study.base, *study.bases.values()}}

    def on(drive: str, load: Load) -> Configuration:
        base = bases[study.bases.get(drive, study.base)]
        return base.with_overrides((*study.keys(drive, load), *load.overrides))

    return {(drive, load.title): on(drive, load) for drive, load in needed}


def _run(
    jobs: Mapping[Key, Configuration], store: Store | None, start: Start
) -> dict[Key, RunResult]:
    asked = [(*key, configuration) for key, configuration in jobs.items()]
    cases = side_by_side.run_all(asked, start, store=store)
    return {(case.variant, case.workload): case.result for case in cases}


def _check_fits(workload: str, results: Iterable[RunResult]) -> None:
    """Refuses a trace of which too much lies beyond a drive: wrapped, it is another workload.

    Raises:
        RunError: More than a hundredth of the requests do.
    """
    told = [result.workload for result in results]
    share = max((one.beyond_drive / max(one.requests, 1) for one in told), default=0.0)
    if share > _MOST_BEYOND:
        raise RunError(
            f"{share:.0%} of the requests lie beyond the drive",
            workload,
            "take a volume that fits the paper's drive, or leave its trace out for a twin",
        )
