"""The processors of this machine, as an executor: a worker process each, on its own.

The standard library's pool is broken as a whole by one process that dies, leaves its processes
behind when its driver is killed, and needs a guarded `__main__`. Here a call whose process dies
fails alone, and the next call gets a new process.
"""

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from wordline.sweeps import worker

T = TypeVar("T")
_Call = tuple["Future[Any]", tuple[Any, ...]]


class WorkerDiedError(RuntimeError):
    """The process that carried out a call has ended."""

    def __init__(self, status: int) -> None:
        told = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        super().__init__(f"the worker process {told}")


class Processes(Executor):
    """Worker processes of this machine.

    Attributes:
        workers: How many.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_over = False
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Hands a call to the next worker that is free."""
        if self._is_over:
            raise RuntimeError("the workers have been dismissed")
        future: Future[T] = Future()
        self._calls.put((future, (fn, args, kwargs)))
        return future

    def pids(self) -> list[int]:
        """The worker processes that there are."""
        with self._lock:
            return [process.pid for process in self._running]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Dismisses the workers; with `cancel_futures` in the middle of their calls."""
        self._is_over = True
        if cancel_futures:
            with suppress(queue.Empty):
                while call := self._calls.get_nowait():
                    call[0].cancel()
            with self._lock:
                for process in self._running:
                    process.kill()
        for _ in self._threads:
            self._calls.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _serve(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        while call := self._calls.get():
            future, message = call
            if not future.set_running_or_notify_cancel():
                continue
            try:
                process = process or self._start()
                is_well, answer = _ask(process, message)
            except (OSError, EOFError):
                future.set_exception(WorkerDiedError(self._end(process) if process else 0))
                process = None
            except BaseException as error:  # what cannot be sent, or read
                future.set_exception(error)
            else:
                future.set_result(answer) if is_well else future.set_exception(answer)
        if process:
            self._end(process)

    def _start(self) -> "subprocess.Popen[bytes]":
        paths = [str(Path(__file__).parents[2]), *filter(None, sys.path)]
        process = subprocess.Popen(
            [sys.executable, "-m", worker.__name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,  # Ctrl-C is not for it
        )
        with self._lock:
            self._running.add(process)
            if self._is_over:
                process.kill()
        return process

    def _end(self, process: "subprocess.Popen[bytes]") -> int:
        """Ends a worker that has nothing to do, or is dead already; returns its status."""
        with self._lock:
            self._running.discard(process)
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                _pipe(pipe).close()
        return process.wait()


def _ask(process: "subprocess.Popen[bytes]", message: Any) -> Any:
    worker.send(_pipe(process.stdin), message)  # pyright: ignore[reportArgumentType]
    return worker.receive(_pipe(process.stdout))  # pyright: ignore[reportArgumentType]


def _pipe(pipe: "IO[bytes] | None") -> "IO[bytes]":
    assert pipe is not None, "it was asked for"
    return pipe
