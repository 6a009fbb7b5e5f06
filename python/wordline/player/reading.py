"""Recordings as files: their sections, and what is wrong with one that is damaged."""

import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline.errors import WorkloadError
from wordline.persistence import files

MAGIC = b"\x93WLR\r\n\x1a\n"
FORMAT = 2

_HEAD = struct.Struct("<4sQ")
_CHECKSUM = struct.Struct("<I")
_AGAIN = "record the run again, with `wordline run … --record`"


@dataclass(frozen=True)
class Recorded:
    """A recording that was read.

    Attributes:
        path: Its file.
        head: The drive: groups of dies, modes of word lines, rows of operations.
        tail: What it adds up to, and the result of its run.
        sections: The kind and the bytes of every section between the two.
    """

    path: Path
    head: dict[str, Any]
    tail: dict[str, Any]
    sections: tuple[tuple[str, memoryview], ...]

    def in_words(self) -> str:
        """What was recorded, in one sentence."""
        size = sum(len(data) for _, data in self.sections) / 1e6
        commands, kept = self.tail["commands"], self.tail["kept_commands"]
        told = f"{commands:,} flash commands, {size:.1f} MB"
        if kept < commands:
            told = (
                f"{kept:,} of {told}, in stretches that are spread over them "
                f"(--record-from and --record-seconds choose a part)"
            )
        rest = {
            "commands": f"{told}; the rest of the run is not recorded (--record-commands)",
            "time": f"{told}, of the time that was asked for",
        }
        return rest.get(self.tail["ended_by"], told)


def read(path: Path) -> Recorded:
    """A recording, whole and undamaged.

    Raises:
        WorkloadError: It is none, is damaged, was cut off, or is of another format.
    """
    data = memoryview(files.read(path))
    if data[: len(MAGIC)] != MAGIC:
        raise WorkloadError("is not a recording", str(path), "name a file that --record wrote")
    sections = tuple(_sections(data, path))
    kinds = [kind for kind, _ in sections]
    if "HEAD" not in kinds[:1] or kinds[-1] != "TAIL":
        raise WorkloadError(f"is cut off at byte {len(data)}", str(path), _AGAIN)
    head, tail = (json.loads(bytes(sections[at][1])) for at in (0, -1))
    if head["format"] != FORMAT:
        what = f"is of format {head['format']}; this version reads format {FORMAT}"
        raise WorkloadError(what, str(path), _AGAIN)
    return Recorded(path, head, tail, sections[1:-1])


def _sections(data: memoryview, path: Path) -> Iterator[tuple[str, memoryview]]:
    at = len(MAGIC)
    while at < len(data):
        begin = at + _HEAD.size
        if begin > len(data):
            raise WorkloadError(f"is cut off at byte {len(data)}", str(path), _AGAIN)
        kind, length = _HEAD.unpack(data[at:begin])
        end = begin + length
        if end + _CHECKSUM.size > len(data):
            raise WorkloadError(
                f"is cut off at byte {len(data)}, or damaged at byte {at}", str(path), _AGAIN
            )
        (checksum,) = _CHECKSUM.unpack(data[end : end + _CHECKSUM.size])
        if zlib.crc32(data[at:end]) != checksum:
            raise WorkloadError(
                f"is damaged between bytes {at} and {end + _CHECKSUM.size}", str(path), _AGAIN
            )
        yield kind.decode("ascii", "replace"), data[begin:end]
        at = end + _CHECKSUM.size
