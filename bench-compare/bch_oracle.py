"""Prints what Linux's `lib/bch` makes of words, for a test of Wordline's BCH codes to compare with.

`python bench-compare/bch_oracle.py > crates/codes/data/oracle/bch.csv` needs PyPI's `bchlib`, the
user's own copy, for it is GPL. Only what it printed is stored.
"""

import importlib.metadata
import zlib
from collections.abc import Iterator
from typing import Any

CODES = ((64, 10, 2), (64, 10, 6), (512, 13, 4), (512, 13, 24), (1024, 14, 8), (1024, 14, 64))
WORDS = 8
MASK = (1 << 64) - 1


def main() -> None:
    """Prints a line for every word."""
    peer: Any = importlib.import_module("bchlib")
    print("# python bench-compare/bch_oracle.py, bchlib", importlib.metadata.version("bchlib"))
    print("# corrected: bits, or nothing where the word was refused")
    print("data_bytes,degree,t,errors,seed,parity_crc32,sent_crc32,found_crc32,corrected")
    for data_bytes, degree, t in CODES:
        code = peer.BCH(t, m=degree)
        for errors in sorted({0, 1, t - 1, t, t + 1, t + 2, 2 * t}):
            # More words where some are miscorrected: less than one in t!.
            for seed in range(WORDS if t > 6 or errors <= t else 20 * WORDS):
                print(line(code, data_bytes, (degree, t, errors, seed)))


def line(code: Any, data_bytes: int, numbers: tuple[int, int, int, int]) -> str:
    """What becomes of one word."""
    _, _, errors, seed = numbers
    data = bytes(random_word(seed, index) & 255 for index in range(data_bytes))
    parity = bytes(code.encode(data))
    received, received_parity = bytearray(data), bytearray(parity)
    for place in places(8 * data_bytes, errors, seed):
        received[place // 8] ^= 0x80 >> place % 8
    corrected = code.decode(bytes(received), bytes(received_parity))
    if corrected > 0:
        code.correct(received, received_parity)
    crcs = (f"{zlib.crc32(part):08x}" for part in (parity, data, bytes(received)))
    told = "" if corrected < 0 else str(corrected)
    return ",".join([str(data_bytes), *map(str, numbers), *crcs, told])


def places(length: int, count: int, seed: int) -> Iterator[int]:
    """Different places below `length`."""
    met: set[int] = set()
    index = 0
    while len(met) < count:
        place = random_word(seed ^ MASK, index) % length
        index += 1
        if place not in met:
            met.add(place)
            yield place


def random_word(seed: int, index: int) -> int:
    """Wordline's `bits::random_word`: SplitMix64."""
    mixed = (seed + (index + 1) * 0x9E3779B97F4A7C15) & MASK
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & MASK
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & MASK
    return mixed ^ mixed >> 31


if __name__ == "__main__":
    main()
