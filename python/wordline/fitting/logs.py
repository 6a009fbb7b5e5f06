"""Logs of a drive's counters: CSV with named columns, and JSON of nvme-cli and smartctl."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wordline import files
from wordline.errors import WorkloadError
from wordline.fitting.counters import (
    HOST,
    NORMALISED,
    PHYSICAL,
    SIDES,
    Counter,
    count,
    known,
    plain,
)

FILL, UNIFORM = "fill", "uniform"
WORKLOADS = (FILL, UNIFORM)
_MARKS = ("workload", "space_gib")
_GIB = 1 << 30
_WRAPS = (32, 48, 64)  # bits of counters in drives
_NEAR = 0.1  # share of a counter's range that lies near its ends
_NAMES_TOLD = 12  # names of a log that a message lists, at most
Values = Mapping[str, tuple[Counter, int]]


@dataclass(frozen=True)
class Snapshot:
    """What a drive had written by then.

    Attributes:
        place: Where the log says so.
        host: Bytes that the host had written.
        physical: Bytes that the flash had taken.
        workload: What was going on, where the log says so.
        space_gib: Space that it wrote, where the log says so.
    """

    place: str
    host: int
    physical: int
    workload: str | None
    space_gib: float | None


@dataclass(frozen=True)
class Log:
    """A log.

    Attributes:
        path: Its file.
        snapshots: In the order of the file; neither counter ever falls.
        counters: The counters that were read, by side.
        exported_bytes: What the drive exports, where the log says so.
        notes: What was done about the log's faults.
    """

    path: Path
    snapshots: tuple[Snapshot, ...]
    counters: Mapping[str, tuple[Counter, ...]]
    exported_bytes: int | None
    notes: tuple[str, ...]


@dataclass
class _Entry:
    """A row of CSV, or a value of JSON: what it says by plain names."""

    place: str
    values: list[tuple[str, Any, bool]] = field(default_factory=list)
    marks: dict[str, Any] = field(default_factory=dict)
    exported_bytes: int | None = None


def read(path: Path, chosen: Mapping[str, tuple[Counter, ...]]) -> Log:
    """A log; counters of a side that `chosen` does not name are found by their names.

    Raises:
        WorkloadError: No log, one without a counter of each side, or one whose counters fall.
    """
    try:
        text = files.read(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WorkloadError(f"byte {error.start} is no UTF-8", str(path), "give text") from None
    if not text.strip():
        raise WorkloadError("the log is empty", str(path), "log the drive's counters first")
    is_json = text.lstrip()[0] in "[{"
    entries = list(_of_json(text, path) if is_json else _of_csv(text, path))
    counters = {side: _choose(side, chosen.get(side, ()), entries, path) for side in SIDES}
    notes: list[str] = []
    raw = _paired(entries, counters, notes)
    exported = next((e.exported_bytes for e in reversed(entries) if e.exported_bytes), None)
    return Log(path, tuple(_rising(raw, counters, notes)), counters, exported, tuple(notes))


def _of_csv(text: str, path: Path) -> Iterator[_Entry]:
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        head = [plain(name) for name in next(reader)]
        for row in reader:
            place = f"{path}:{reader.line_num}"
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(head):
                what = f"{len(row)} cells under {len(head)} names"
                raise WorkloadError(what, place, "give every row a cell for each column")
            entry = _Entry(place)
            for name, cell in zip(head, row, strict=True):
                if name in _MARKS:
                    entry.marks[name] = cell.strip() or None
                else:
                    entry.values.append((name, cell, False))
            yield entry
    except csv.Error as error:
        raise WorkloadError(f"no CSV: {error}", f"{path}:{reader.line_num}", "") from None


def _of_json(text: str, path: Path) -> Iterator[_Entry]:
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at] in " \t\r\n,":
            at += 1
            continue
        place = f"{path}:{text.count(chr(10), 0, at) + 1}"
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            help = "append what `nvme … -o json` or `smartctl -j` print, one after the other"
            raise WorkloadError(f"no JSON: {error}", place, help) from None
        for part in value if isinstance(value, list) else [value]:
            if not isinstance(part, dict):
                raise WorkloadError("a value that is no object", place, "log whole outputs")
            entry = _Entry(place)
            entry.marks = {name: part[name] for name in _MARKS if name in part}
            try:
                _flatten(part, entry)
            except RecursionError:
                raise WorkloadError("nested too deeply", place, "log whole outputs") from None
            yield entry


def _flatten(table: dict[str, Any], entry: _Entry) -> None:
    """Every name of an output with its value, those of ATA's attributes among them."""
    for name, value in table.items():
        if isinstance(value, dict) and not {"hi", "lo"} <= value.keys():
            if name == "user_capacity":
                entry.exported_bytes = count(value.get("bytes"), entry.place)
            if NORMALISED in value and "raw" in value:
                entry.values.append((plain(name), value["raw"], True))
            else:
                _flatten(value, entry)
        elif isinstance(value, list):
            for part in value:
                if isinstance(part, dict) and isinstance(part.get("raw"), dict) and "name" in part:
                    raw = part["raw"].get("value")
                    entry.values.append((plain(str(part["name"])), raw, False))
                elif isinstance(part, dict):
                    _flatten(part, entry)
        elif name not in _MARKS:
            entry.values.append((plain(name), value, False))


def _choose(
    side: str, chosen: tuple[Counter, ...], entries: list[_Entry], path: Path
) -> tuple[Counter, ...]:
    """The counters of a side: those that are named, or the finest of those that are known."""
    names = dict.fromkeys(name for entry in entries for name, _, _ in entry.values)
    for counter in chosen:
        if counter.name not in names:
            raise WorkloadError(f"no counter `{counter.name}`", str(path), _there_are(names))
    if chosen:
        return chosen
    found = {
        counter
        for entry in entries
        for name, _, additional in entry.values
        if (counter := known(side, name, additional))
    }
    if found:
        return (min(found, key=lambda counter: (counter.unit, counter.name)),)
    if side == PHYSICAL:
        what = "no counter of physical writes"
        help = "log `nvme ocp smart-add-log -o json` too, or name one: --physical NAME:UNIT"
    else:
        what = "no counter of the host's writes"
        help = "log `nvme smart-log -o json` too, or name one: --host NAME:UNIT"
    raise WorkloadError(what, str(path), f"{help}; {_there_are(names)}")


def _there_are(names: Mapping[str, None]) -> str:
    told = ", ".join(list(names)[:_NAMES_TOLD])
    more = ", …" if len(names) > _NAMES_TOLD else ""
    return f"the log has {told}{more}" if names else "the log has no counters"


def _paired(
    entries: list[_Entry], counters: Mapping[str, tuple[Counter, ...]], notes: list[str]
) -> Iterator[Snapshot]:
    """A snapshot wherever both sides are known: outputs of two commands alternate."""
    sums: dict[str, int] = {}
    workload: str | None = None
    space_gib: float | None = None
    lonely = 0
    for entry in entries:
        if "workload" in entry.marks:
            workload, space_gib = _workload(entry), None
        if entry.marks.get("space_gib") is not None:
            space_gib = _space_gib(entry)
        found = {side: _sum(counters[side], entry) for side in SIDES}
        for side, value in found.items():
            if value is not None:
                lonely += side in sums
                sums[side] = value
        if len(sums) == len(SIDES):
            yield Snapshot(entry.place, sums[HOST], sums[PHYSICAL], workload, space_gib)
            sums = {}
    lonely += len(sums)
    if lonely:
        notes.append(f"{lonely} outputs without their counterpart were left out")


def _workload(entry: _Entry) -> str | None:
    value = entry.marks["workload"]
    if value is None or isinstance(value, str):
        return value
    help = f"give {' or '.join(WORKLOADS)}, or another name for what is to be left out"
    raise WorkloadError("`workload` is no text", entry.place, help)


def _space_gib(entry: _Entry) -> float:
    value = entry.marks["space_gib"]
    try:
        if (space := float(value)) > 0 and space < float("inf"):
            return space
    except (TypeError, ValueError):
        pass
    raise WorkloadError(f"`space_gib` is `{value}`", entry.place, "give GiB that are written")


def _sum(counters: tuple[Counter, ...], entry: _Entry) -> int | None:
    """Bytes of a side, if the entry has all of its counters."""
    total = 0
    for counter in counters:
        raw = next((value for name, value, _ in entry.values if name == counter.name), None)
        value = count(raw, entry.place)
        if value is None:
            if raw is None or raw == "":
                return None
            what = f"`{counter.name}` is `{str(raw)[:40]}`, which is no count"
            raise WorkloadError(what, entry.place, "mend or remove it")
        total += value * counter.unit
    return total


def _rising(
    snapshots: Iterator[Snapshot], counters: Mapping[str, tuple[Counter, ...]], notes: list[str]
) -> Iterator[Snapshot]:
    """The snapshots with what counters lost when they began anew after their largest value."""
    lost = dict.fromkeys(SIDES, 0)
    before: Snapshot | None = None
    for raw in snapshots:
        for side in SIDES:
            if before and getattr(raw, side) < getattr(before, side):
                lost[side] += _wrapped(side, before, raw, counters[side], notes)
        before = raw
        yield replace(raw, host=raw.host + lost[HOST], physical=raw.physical + lost[PHYSICAL])


def _wrapped(
    side: str,
    before: Snapshot,
    after: Snapshot,
    counters: tuple[Counter, ...],
    notes: list[str],
) -> int:
    """Bytes that a counter which began anew had counted."""
    unit = counters[0].unit
    old, new = getattr(before, side) // unit, getattr(after, side) // unit
    for bits in _WRAPS if len(counters) == 1 else ():
        if old < 1 << bits and old > (1 - _NEAR) * (1 << bits) and new < _NEAR * (1 << bits):
            notes.append(f"`{counters[0].name}` began anew after {bits} bits at {after.place}")
            return unit << bits
    names = " and ".join(f"`{counter.name}`" for counter in counters)
    what = f"{names} falls from {old:,} to {new:,}"
    help = "the counter was reset, or it is another drive: give the part of the log since then"
    raise WorkloadError(what, after.place, help)
