"""Driving a sweep: what is missing in the store is handed out, in tasks, until nothing is."""

import collections
import time
from collections.abc import Callable, Container, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass, field, replace

from wordline import _native, workers
from wordline.errors import RunError, WordlineError
from wordline.persistence import files
from wordline.results import identity
from wordline.results.identity import Contents, Trace
from wordline.results.store import Store
from wordline.sweeps import engines
from wordline.sweeps.engines import Engine
from wordline.sweeps.points import Plan
from wordline.sweeps.work import Done, Ended, Job, Task, carry_out

_DEATHS = 3  # of workers in the middle of the same run, after which it is left alone
_MOST = 1000  # runs in a task
_AHEAD = 2  # tasks for each slot, so that no worker waits for the driver
_SLICE_S = 0.2  # of waiting, for Ctrl-C and a lost scheduler


@dataclass(frozen=True)
class Standing:
    """How far a sweep has come.

    Attributes:
        total: Runs, each counted once.
        found: Of them, those that were kept already.
        ended: Those that have ended now.
        failed: Those that could not go on.
        seconds: Since it began.
        worked_s: What the runs that have ended took together.
    """

    total: int
    found: int = 0
    ended: int = 0
    failed: int = 0
    seconds: float = 0.0
    worked_s: float = 0.0

    @property
    def done(self) -> int:
        """Runs that need not be carried out any more."""
        return self.found + self.ended

    @property
    def rate_per_s(self) -> float:
        """Runs that end in a second."""
        return self.ended / self.seconds if self.seconds else 0.0

    @property
    def remaining_s(self) -> float | None:
        """How long the rest takes at this rate; `None` as long as nothing has ended."""
        return (self.total - self.done) / self.rate_per_s if self.rate_per_s else None


Told = Callable[[Standing], object]
"""Told a few times a second how far a sweep has come; what it raises stops the sweep."""


@dataclass
class _Course:
    """A sweep under way."""

    plan: Plan
    store: Store
    engine: Engine
    told: Told
    standing: Standing
    began: float = field(default_factory=time.monotonic)
    waiting: "collections.deque[Job]" = field(default_factory=collections.deque)
    suspects: "collections.deque[Job]" = field(default_factory=collections.deque)
    open: "dict[Future[Done], Task]" = field(default_factory=dict)
    deaths: "collections.Counter[int]" = field(default_factory=collections.Counter)
    failures: dict[int, tuple[str, str, str]] = field(default_factory=dict)


def drive(
    plan: Plan,
    store: Store,
    known: Container[str],
    on: "str | Executor | Engine | None" = None,
    asked: int | None = None,
    told: Told = lambda _: None,
) -> tuple[Standing, dict[int, tuple[str, str, str]]]:
    """Carries out what the store lacks.

    Args:
        plan: The sweep.
        store: Where results are kept.
        known: Keys of runs that are kept, and whole.
        on: The engine, as `engines.begun` takes it.
        asked: Runs at a time on this machine; one a core where left out, if memory suffices.
        told: Told how far it has come.

    Returns:
        How it ended, and by the point's number what, where and why of runs that could not go on.

    Raises:
        ConfigError: There is no such engine.
        OutputError: The store cannot be written.
        RunError: The engine is gone, its workers have another simulator, or the disk is full.
    """
    missing = [point for point in plan.distinct if plan.key(point) not in known]
    standing = Standing(len(plan.distinct), len(plan.distinct) - len(missing))

    def number() -> int:
        return workers.number([plan.memory_bytes] * len(missing), asked)

    if not missing:
        told(standing)
        return standing, {}
    jobs = [
        Job(point.number, plan.key(point), point.all_overrides, plan.sources[point.load])
        for point in missing
    ]
    with engines.begun(on, number, store.folder) as engine:
        course = _Course(plan, store, engine, told, standing)
        course.waiting.extend(jobs)
        if not engine.is_local:
            store.add_traces({trace for job in jobs for trace in job.sources.traces})
        _go(course)
    return course.standing, course.failures


def _go(course: _Course) -> None:
    while course.waiting or course.suspects or course.open:
        _hand_out(course)
        done = wait(course.open, timeout=_SLICE_S, return_when=FIRST_COMPLETED).done
        for future in done:
            _take(course, future, course.open.pop(future))
        if not done and course.engine.is_lost():
            raise engines.explained(course.engine, engines.LostError("it does not answer any more"))
        _tell(course)


def _hand_out(course: _Course) -> None:
    """Hands out tasks; a run that may have killed its worker goes alone, when all else is done."""
    room = _AHEAD * course.engine.slots() - len(course.open)
    while room > 0 and course.waiting:
        size = min(_size(course), len(course.waiting))
        _submit(course, [course.waiting.popleft() for _ in range(size)])
        room -= 1
    if course.suspects and not course.open and not course.waiting:
        _submit(course, [course.suspects.popleft()])


def _size(course: _Course) -> int:
    """Runs in a task: as many as take long enough, but few enough for all to have work."""
    standing, engine = course.standing, course.engine
    share = -(-len(course.waiting) // (_AHEAD * engine.slots()))
    if not standing.ended or not standing.worked_s:
        return 1 if engine.task_s <= 1 else share
    enough = round(engine.task_s * standing.ended / standing.worked_s)
    return max(1, min(enough, share, _MOST))


def _submit(course: _Course, jobs: Sequence[Job], lacking: Iterable[str] = ()) -> None:
    store, base = course.store, course.plan.spec.base
    wanted = set(lacking)
    traces = {trace.digest: trace for job in jobs for trace in job.sources.traces}
    contents = {digest: _content(store, traces[digest]) for digest in sorted(wanted)}
    place = (str(store.folder.resolve()), store.id)
    version = _native.VERSION
    task = Task(identity.SIMULATOR, version, place, base, tuple(jobs), contents)
    try:
        course.open[course.engine.submit(carry_out, task)] = task
    except engines.LostError as error:
        raise engines.explained(course.engine, error) from None


def _content(store: Store, trace: Trace) -> bytes:
    path = store.trace_path(trace)
    return files.read(path) if Contents().is_at(path, trace) else trace.content_bytes()


def _take(course: _Course, future: "Future[Done]", task: Task) -> None:
    """What a task has come to."""
    try:
        done = future.result()
    except WordlineError:
        raise
    except (Exception, CancelledError) as error:
        if not course.engine.has_died(error):
            raise engines.explained(course.engine, error) from None
        _bury(course, task, error)
        return
    if done.other:
        version, source, host = done.other
        raise RunError(
            f"a worker on {host} has another simulator: Wordline {version}, {source[:8]}, and this "
            f"one is {_native.VERSION}, {identity.SIMULATOR[:8]}",
            course.engine.name,
            "install the same wheel there",
        )
    if done.lacking:
        _submit(course, task.jobs, done.lacking)
        return
    for ended, job in zip(done.ended, task.jobs, strict=True):
        if ended.data:
            course.store.put(job.key, ended.data)
        _count(course, ended)


def _count(course: _Course, ended: Ended) -> None:
    now = course.standing
    if ended.error:
        course.failures[ended.number] = ended.error
    course.standing = replace(
        now,
        found=now.found + ended.is_found,
        ended=now.ended + (not ended.is_found),
        failed=now.failed + bool(ended.error),
        worked_s=now.worked_s + ended.seconds,
    )


def _bury(course: _Course, task: Task, error: BaseException) -> None:
    """Hands out again what a dead worker had; the run that it died in, if that kills, is left."""
    rest = [job for job in task.jobs if course.store.head(job.key) is None]
    for job in task.jobs:
        if job not in rest:
            _count(course, Ended(job.number))
    if not rest:
        return
    first, *others = rest  # runs are carried out in their order
    course.deaths[first.number] += 1
    if course.deaths[first.number] < _DEATHS:
        course.suspects.append(first)
    else:
        what = f"its worker died {_DEATHS} times: {error}"
        _count(course, Ended(first.number, error=(what, "", "run it alone to see why")))
    course.waiting.extendleft(reversed(others))


def _tell(course: _Course) -> None:
    now = time.monotonic() - course.began
    course.standing = replace(course.standing, seconds=now)
    course.told(course.standing)
