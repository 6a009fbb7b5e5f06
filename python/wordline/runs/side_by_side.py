"""Running the same work through several drives side by side."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from wordline import arguments
from wordline.arguments import checked, fit
from wordline.components.part import Part
from wordline.configuration import Change, ConfigLike, Configuration, laid_over, overrides_by
from wordline.errors import ConfigError
from wordline.figures import metrics
from wordline.native.native_api import Progress
from wordline.player import recording
from wordline.player.recording import Recording, RecordLike
from wordline.results.result import Case, Comparison, Result
from wordline.results.store import Store
from wordline.runs import alone, notebook
from wordline.runs.single_run import (
    CONVENTIONAL,
    Variant,
    WorkloadLike,
    of_seed,
    of_technique,
    refuse_twins,
    simulate,
    workload_overrides,
)
from wordline.workers import number


@checked
def compare(
    config: ConfigLike,
    techniques: Iterable[str | Part] | None = None,
    workloads: Iterable[WorkloadLike] | None = None,
    *,
    variants: Mapping[str, Change | Sequence[Change]] | None = None,
    tenants: bool = False,
    seed: int | None = None,
    seeds: int = 1,
    workers: int | None = None,
    store: str | Path | Store | None = None,
    record: RecordLike | None = None,
    progress: Callable[[str], Progress | None] | None = None,
    **tables: Any,
) -> Comparison:
    """Runs the same workloads through several drives; the first one is the baseline.

    Args:
        config: A TOML file, a drive preset or its name, or a mapping of tables.
        techniques: Techniques or their names; `"conventional"` is the drive without any.
        workloads: Workloads; the one of the configuration where left out.
        variants: Further drives by name, each as a part or tables laid over the configuration,
            or several of them.
        tenants: Run each stream of the workload alone, too: `tenants` of each case then has its
            slowdown beside the others, and how fair the drive is.
        seed: Seed of the first run of each drive; that of the configuration where left out.
        seeds: Seeds with which each run is carried out: from that of the configuration on. With
            several, `effects` of the comparison tells what is beyond chance.
        workers: Runs at a time; one a core where left out, as long as memory suffices.
        store: Folder in which every run's result is kept, and found again: the store of sweeps.
            Nothing is kept where it is left out.
        record: Folder for a recording of each drive, such as `conventional.wlr`, which
            `wordline play` shows, or a `Recording` whose path is a folder. Of several seeds the
            first is recorded.
        progress: Called with each run's name; what it returns is told of that run's progress.
        **tables: Tables laid over the configuration of every drive.

    Raises:
        ConfigError: A configuration cannot be used.
        WorkloadError: A workload cannot be used.
        RunError: A run could not start or go on.
    """
    drives = [of_technique(name) for name in techniques or ()]
    loads = None if workloads is None else list(workloads)
    if loads == []:
        raise ConfigError("no workload is given", "workloads", "leave it out for the drive's own")
    for name, changes in (variants or {}).items():
        several = changes if isinstance(changes, Sequence) else [changes]
        drives.append(Variant(name, overrides_by(several)))
    if techniques is not None and not drives:
        raise ConfigError(
            "no drive is given", "techniques", 'for instance ["conventional"], or name `variants`'
        )
    base = laid_over(config, (), tables, *of_seed(seed))
    return compare_variants(
        base,
        drives,
        loads or (),
        tenants=tenants,
        seeds=seeds,
        workers=workers,
        store=Store(store) if isinstance(store, str | Path) else store,
        record=None if record is None else recording.of(record),
        progress=progress or notebook.progress,
    )


def compare_variants(
    base: Configuration,
    variants: Sequence[Variant],
    workloads: Sequence[WorkloadLike] = (),
    *,
    trace_format: str | None = None,
    tenants: bool = False,
    seeds: int = 1,
    workers: int | None = None,
    store: Store | None = None,
    record: Recording | None = None,
    progress: Callable[[str], Progress | None] | None = None,
) -> Comparison:
    """Runs every variant on every workload, several at a time.

    Every drive is built and every workload opened before the first run starts, so that a mistake
    in the last one is told at once; drives whose maps take long are only built when they run.
    """
    refuse_twins(variants)
    seeds = arguments.whole("seeds", seeds, 1, arguments.MOST_SEEDS)
    variants = variants or (_as_configured(base),)
    base = _with_blocks_for_all(base, variants)
    for variant in variants:
        base.with_overrides(variant.overrides).probe()
    jobs: list[tuple[str, str, Configuration]] = []
    for workload in workloads or (None,):
        for variant in variants:
            changes = (*variant.overrides, *workload_overrides(workload, trace_format))
            configuration = base.with_overrides(changes)
            resolved = configuration.resolve()
            if tenants:
                alone.refuse_unfit(resolved)
            configuration.check_workload()
            first = resolved["run"]["seed"]
            further = (f"run.seed={first + n}" for n in range(1, seeds))
            every = [configuration, *(configuration.with_overrides((one,)) for one in further)]
            jobs += [(variant.name, resolved["workload"]["source"], one) for one in every]
    changes = {variant.name: variant.overrides for variant in variants}
    first = {n: (name, source) for n, (name, source, _) in enumerate(jobs) if n % seeds == 0}
    records = recording.of_each(record, first) if record else {}
    runs = run_all(jobs, progress or (lambda _: None), workers, store, records)
    cases = [
        replace(case, changes=changes.get(case.variant, ()), repeats=_figures(of))
        for case, *of in (runs[n : n + seeds] for n in range(0, len(runs), seeds))
    ]
    if tenants:
        firsts = (configuration for *_, configuration in jobs[::seeds])
        further = [list(alone.jobs(*of)) for of in zip(cases, firsts, strict=True)]
        every = [job for of in further for job in of]
        found = iter(run_all(every, progress or (lambda _: None), workers, store))
        cases = [
            replace(case, alone=tuple(one.result for one in islice(found, len(of))))
            for case, of in zip(cases, further, strict=True)
        ]
    return Comparison(cases)


def _with_blocks_for_all(base: Configuration, variants: Sequence[Variant]) -> Configuration:
    """A drive none of whose variants has superblocks by default if another one cannot have them."""
    key = "superblock_dies"
    unsaid = [one for one in variants if not any(key in text for text in one.overrides)]
    dies = {base.with_overrides(one.overrides).resolve()["ftl"][key] for one in unsaid}
    return base.with_overrides((f"ftl.{key}=0",)) if len(dies) > 1 and 0 in dies else base


def _as_configured(base: Configuration) -> Variant:
    return Variant(" + ".join(base.resolve().get("technique", {})) or CONVENTIONAL)


def _figures(cases: Iterable[Case]) -> tuple[Mapping[str, float | None], ...]:
    return tuple(metrics.figures(case.result) for case in cases)


def _ignore(*_: object) -> None:
    pass


def run_all(
    jobs: Sequence[tuple[str, str, Configuration]],
    progress: Callable[[str], Progress | None],
    workers: int | None = None,
    store: Store | None = None,
    records: Mapping[int, Recording] | None = None,
) -> list[Case]:
    """Runs jobs, each a variant, a workload and a configuration, several at a time.

    Args:
        jobs: The jobs.
        progress: Called with each run's name; what it returns is told of that run's progress.
        workers: Runs at a time; one a core where left out, as long as memory suffices.
        store: Where each result is kept when its run ends, whatever becomes of the others, and
            found again.
        records: What is recorded, by the place of the job: such a run is carried out anew.

    Raises:
        RunError: A run could not start or go on; those under way are stopped.
    """
    stop = threading.Event()
    at_a_time = number((configuration.memory_bytes() for *_, configuration in jobs), workers)

    def work(place: int, variant: str, workload: str, configuration: Configuration) -> Case:
        told = progress(f"{variant}, {workload}")
        report = fit("progress", told, Progress | None) or _ignore

        def watch(phase: str, done: int, total: int | None, simulated_ns: int) -> None:
            if stop.is_set():
                raise KeyboardInterrupt
            report(phase, done, total, simulated_ns)

        record = (records or {}).get(place)
        case = Case(variant, workload, _found(configuration, store, watch, record))
        report("done", case.result.workload.requests, case.result.workload.requests, 0)
        return case

    with ThreadPoolExecutor(max_workers=at_a_time) as pool:
        futures = [pool.submit(work, place, *job) for place, job in enumerate(jobs)]
        try:
            return _first_failure_or_all(futures)
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _found(
    configuration: Configuration, store: Store | None, watch: Progress, record: Recording | None
) -> Result:
    """What a run gives, from the store if it is there and nothing is to be recorded."""
    if store is None:
        return simulate(configuration, watch, record=record)
    identity = store.identity_of(configuration)
    found = None if record else store.find(identity)
    if found is None:
        found = simulate(configuration, watch, record=record)
        store.keep(identity, found)
    return replace(found, file=configuration.file)


def _first_failure_or_all(futures: list[Future[Case]]) -> list[Case]:
    # Waiting in slices lets Ctrl-C through on every platform.
    while wait(futures, timeout=0.2, return_when=FIRST_EXCEPTION).not_done:
        for future in futures:
            if future.done() and future.exception():
                future.result()
    return [future.result() for future in futures]
