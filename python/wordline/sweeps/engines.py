"""Where a sweep's runs are carried out: here, on a Dask cluster, by Slurm, or by any executor."""

import importlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from wordline import workers
from wordline.components import catalogue
from wordline.errors import ConfigError, RunError
from wordline.sweeps.processes import Processes, WorkerDiedError

T = TypeVar("T")

_CONNECT_S = 10  # within which a scheduler must answer
_TASK_S = 1.0  # of runs in a task: what an engine adds to it is then a few thousandths
_SLURM_TASK_S = 60.0  # a job of a batch system takes seconds to start
_SLURM_JOBS = 16
_POLL_S = 0.5
# What a cluster that is lost makes its client log, with tracebacks; we say it in one line.
_LOGGERS = ("distributed", "distributed.client", "tornado.application", "asyncio")
# What `--on slurm:` takes, and what submitit calls it; the rest is Slurm's own.
SLURM = {
    "cluster": str, "jobs": int, "partition": str, "account": str, "qos": str, "minutes": int,
    "cpus": int, "memory_gb": float, "constraint": str,
}  # fmt: skip
_OF_SUBMITIT = {
    "partition": "slurm_partition", "account": "slurm_account", "qos": "slurm_qos",
    "constraint": "slurm_constraint", "minutes": "timeout_min", "cpus": "cpus_per_task",
    "memory_gb": "mem_gb",
}  # fmt: skip


class LostError(RuntimeError):
    """The engine is gone, with the calls that it had."""


@dataclass(frozen=True)
class Engine:
    """An executor, and what is known of it.

    Attributes:
        name: What messages call it.
        executor: It.
        slots: Tells how many calls it carries out at a time.
        task_s: How long a call should take for its cost not to count.
        is_local: Whether its workers see the files of this process.
        is_lost: Tells whether it is gone.
    """

    name: str
    executor: Executor
    slots: Callable[[], int]
    task_s: float = _TASK_S
    is_local: bool = False
    is_lost: Callable[[], bool] = lambda: False

    def submit(self, function: Callable[..., T], *args: Any) -> "Future[T]":
        """Hands a call to the executor.

        Raises:
            LostError: It takes none any more.
        """
        try:
            return self.executor.submit(function, *args)
        except RuntimeError as error:
            raise LostError(str(error)) from None

    @staticmethod
    def has_died(error: BaseException) -> bool:
        """Whether a call failed because the worker that carried it out has ended."""
        names = {one.__name__ for one in type(error).__mro__}
        return isinstance(error, WorkerDiedError) or bool(
            names & {"KilledWorker", "FailedJobError", "UncompletedJobError"}
        )


@contextmanager
def begun(
    on: "str | Executor | Engine | None", number: Callable[[], int], folder: Path
) -> Iterator[Engine]:
    """The engine that `on` names, for as long as the block lasts.

    Args:
        on: `None` for the processors of this machine, `dask:ADDRESS`, `slurm:key=value,…`, or an
            executor or an engine, which is the caller's to end.
        number: How many runs fit this machine at a time.
        folder: Where a batch system may keep its files.

    Raises:
        ConfigError: There is no such engine, or its scheduler does not answer.
    """
    if on is None:
        local = Processes(number())
        yield from _ended(Engine("this machine", local, lambda: local.workers, is_local=True))
    elif isinstance(on, Engine):
        yield on
    elif isinstance(on, Executor):
        slots = getattr(on, "_max_workers", None) or workers.cores()
        yield Engine(type(on).__name__, on, lambda: slots)
    elif not isinstance(on, str):
        raise ConfigError(f"{on!r} is no engine", "on", "give an executor, or a text")
    elif on.startswith("dask:"):
        yield from _dask(on.removeprefix("dask:"))
    elif on == "slurm" or on.startswith("slurm:"):
        yield from _ended(_slurm(on.removeprefix("slurm").removeprefix(":"), folder))
    else:
        hint = catalogue.did_you_mean(on.partition(":")[0], ("dask:ADDRESS", "slurm:…"), "engines")
        raise ConfigError(f"unknown engine `{on}`", "on", hint)


def check(on: "str | Executor | None", workers_: int | None, folder: Path) -> None:
    """Refuses an engine that cannot be had, before anything is resolved for it.

    Raises:
        ConfigError: There is no such engine, or its scheduler does not answer.
    """
    workers.number((), workers_)
    if on is not None:
        with begun(on, lambda: 1, folder):
            pass


def _ended(engine: Engine) -> Iterator[Engine]:
    """The engine, whose calls are given up when the block fails."""
    is_well = False
    try:
        yield engine
        is_well = True
    finally:
        engine.executor.shutdown(cancel_futures=not is_well)


def _installed(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        what = f"`{package}` is not installed"
        raise ConfigError(what, "on", f"pip install {package}") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing below a critical failure is logged by a cluster's client meanwhile."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _dask(address: str) -> Iterator[Engine]:
    distributed = _installed("distributed")
    with _quiet():
        yield from _client(distributed, address)


def _client(distributed: Any, address: str) -> Iterator[Engine]:
    try:
        client = distributed.Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        told = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ConfigError(
            f"no Dask scheduler answers: {told}",
            f"on dask:{address}",
            "start one with `dask scheduler`, and name its address, such as tcp://host:8786",
        ) from None

    def slots() -> int:
        with suppress(Exception):
            return max(1, sum(client.nthreads().values()))
        return 1

    executor = client.get_executor(pure=False)
    try:
        yield Engine(
            f"Dask at {address}", executor, slots, is_lost=lambda: client.status != "running"
        )
    finally:
        with suppress(Exception):
            executor.shutdown(wait=False, cancel_futures=True)
        with suppress(Exception):
            client.close(timeout=2)


def _slurm(text: str, folder: Path) -> Engine:
    submitit = _installed("submitit")
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in SLURM:
            hint = catalogue.did_you_mean(key, SLURM, "keys")
            raise ConfigError(f"slurm has no `{key}`", f"on slurm:{text}", hint)
        try:
            options[key] = SLURM[key](value)
        except ValueError:
            raise ConfigError(f"`{key}={value}` is no number", f"on slurm:{text}") from None
    cluster, jobs = options.pop("cluster", None), options.pop("jobs", _SLURM_JOBS)
    if jobs < 1:
        raise ConfigError(f"`jobs={jobs}` cannot be", f"on slurm:{text}", "give 1 or more")
    try:
        batch = submitit.AutoExecutor(folder=folder / "slurm" / "%j", cluster=cluster)
        given = {_OF_SUBMITIT[key]: value for key, value in options.items()}
        batch.update_parameters(**given)
    except (RuntimeError, ValueError, TypeError) as error:
        raise ConfigError(
            f"Slurm takes no jobs: {error}", f"on slurm:{text}", "run it where `sbatch` is"
        ) from None
    task_s = _SLURM_TASK_S if batch.cluster == "slurm" else _TASK_S
    return Engine("Slurm", Submitted(batch), lambda: jobs, task_s)


class Submitted(Executor):
    """Jobs of a batch system, by submitit, as an executor of the standard library."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch
        self._lock = threading.Lock()
        self._open: list[tuple[Any, Future[Any]]] = []
        self._is_over = False
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Hands a call to the batch system, as a job."""
        if self._is_over:
            raise RuntimeError("the jobs have been dismissed")
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        job = self._batch.submit(fn, *args, **kwargs)
        with self._lock:
            self._open.append((job, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Dismisses the jobs; with `cancel_futures` those that run as well."""
        self._is_over = True
        if cancel_futures:
            with self._lock:
                for job, _ in self._open:
                    with suppress(Exception):
                        job.cancel(check=False)
                self._open.clear()
        if wait:
            self._thread.join()

    def _watch(self) -> None:
        while True:
            with self._lock:
                known = list(self._open)
            if self._is_over and not known:
                return
            ended = [one for one in known if one[0].done()]
            for job, future in ended:
                _settle(job, future)
            with self._lock:
                self._open = [one for one in self._open if one not in ended]
            time.sleep(_POLL_S)


def _settle(job: Any, future: "Future[Any]") -> None:
    try:
        future.set_result(job.result())
    except Exception as error:
        future.set_exception(error)


def explained(engine: Engine, error: BaseException) -> BaseException:
    """What broke a call, in our words, unless it is a failure that says so itself."""
    again = "the same command goes on from the runs that are kept"
    if isinstance(error, ModuleNotFoundError):
        what = f"a worker of {engine.name} lacks `{error.name}`"
        return RunError(what, help="install the same wheel of Wordline there")
    if isinstance(error, BrokenExecutor | LostError) or engine.is_lost():
        return RunError(f"{engine.name} is gone: {str(error) or type(error).__name__}", help=again)
    return RunError(f"{engine.name} failed: {type(error).__name__}: {error}", help=again)
