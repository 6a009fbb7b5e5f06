"""A worker process: it reads calls from its input, and writes what they return to its output.

It ends when its input does, in the middle of a call as well, so that no worker outlives its driver.
"""

import os
import pickle
import queue
import signal
import sys
import threading
from typing import Any, BinaryIO

_LENGTH_BYTES = 8


def send(pipe: BinaryIO, message: Any) -> None:
    """Writes a message.

    Raises:
        OSError: Nobody reads it.
    """
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    pipe.write(len(data).to_bytes(_LENGTH_BYTES, "little") + data)
    pipe.flush()


def receive(pipe: BinaryIO) -> Any:
    """Reads a message.

    Raises:
        EOFError: There is none any more.
    """
    head = pipe.read(_LENGTH_BYTES)
    data = pipe.read(int.from_bytes(head, "little")) if len(head) == _LENGTH_BYTES else b""
    if not data:
        raise EOFError
    return pickle.loads(data)


def main() -> None:
    """Serves the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's, which ends its workers
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a call prints is no answer
    calls: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(calls,), daemon=True).start()
    while True:
        function, args, options = calls.get()
        try:
            answer = (True, function(*args, **options))
        except BaseException as error:
            answer = (False, error)
        send(answers, answer)


def _read(calls: "queue.SimpleQueue[Any]") -> None:
    try:
        while True:
            calls.put(receive(sys.stdin.buffer))
    except BaseException:
        os._exit(0)


if __name__ == "__main__":
    main()
