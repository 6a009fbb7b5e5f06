"""Times Wordline's BCH codes beside Linux's, as PyPI's `bchlib` packs them, on the same words.

`bchlib` (GPL) is the user's own copy; without it there is nothing to do. It goes up to t = 64,
unless `BCH_MAX_T` is raised in its source before it is built.
"""

import argparse
import importlib
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wordline.codes import EccCode
from wordline.persistence import files

DATA_BYTES = 1024
FIELD_DEGREE = 14
WORDS = 20
ROUNDS = 20


def main() -> int:
    """Runs the comparison; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--t", type=int, action="append", help="errors corrected (default 8 40 64)")
    parser.add_argument(
        "--errors", type=int, action="append", help="wrong bits (default 1, t / 2 and t)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the comparison as JSON")
    options = parser.parse_args()
    try:
        peer: Any = importlib.import_module("bchlib")
    except ImportError:
        print("skipped: there is no bchlib to compare with; `pip install bchlib`")
        return 0
    rows = []
    for t in options.t or (8, 40, 64):
        code, other = EccCode.bch(DATA_BYTES, t), peer.BCH(t, m=FIELD_DEGREE)
        if not same_parity(code, other):
            print(f"error: t = {t}: the parities differ", file=sys.stderr)
            return 1
        wrong = [errors for errors in options.errors or (1, t // 2, t) if 0 < errors <= t]
        rows += [row(code, other, t, errors) for errors in (0, *wrong)]
    print(f"{'t':>3} {'errors':>7} {'bchlib µs':>10} {'Wordline µs':>12} {'ratio':>7}")
    for at in rows:
        print("{t:>3} {what:>7} {theirs:>10.2f} {ours:>12.2f} {ratio:>7.1f}".format(**at))
    if options.json:
        files.write(options.json, json.dumps({"speed": rows}, indent=1) + "\n")
    return 0


def same_parity(code: EccCode, other: Any) -> bool:
    """Whether both encode some random data alike."""
    source = random.Random(1)
    words = [source.randbytes(DATA_BYTES) for _ in range(WORDS)]
    return all(code.encode(data) == bytes(other.encode(data)) for data in words)


def row(code: EccCode, other: Any, t: int, errors: int) -> dict[str, Any]:
    """Decoding of words with `errors` wrong bits; encoding where there are none."""
    ours = code.speed(errors, seconds=0.5)
    if errors == 0:
        data = random.Random(2).randbytes(DATA_BYTES)
        theirs = best_us(lambda: [other.encode(data) for _ in range(WORDS)])
        return entry(t, "encode", theirs, ours.encode_us)
    words = [spoilt(other, errors, seed) for seed in range(WORDS)]
    theirs = best_us(lambda: [other.decode(*word) for word in words])
    return entry(t, str(errors), theirs, ours.decode_us)


def spoilt(other: Any, errors: int, seed: int) -> tuple[bytes, bytes]:
    """Random data with wrong bits, and the parity that it had before."""
    source = random.Random(seed)
    data = bytearray(source.randbytes(DATA_BYTES))
    parity = bytes(other.encode(bytes(data)))
    for place in source.sample(range(8 * DATA_BYTES), errors):
        data[place // 8] ^= 1 << place % 8
    return bytes(data), parity


def best_us(work: Callable[[], object]) -> float:
    """The shortest time for a word, of several rounds over all words."""

    def once() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return min(once() for _ in range(ROUNDS)) / WORDS * 1e6


def entry(t: int, what: str, theirs: float, ours: float) -> dict[str, Any]:
    """A line of the comparison."""
    return {"t": t, "what": what, "theirs": theirs, "ours": ours, "ratio": theirs / ours}


if __name__ == "__main__":
    sys.exit(main())
