"""Logs of a drive's counters: CSV with named columns, and JSON of nvme-cli and smartctl."""

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wordline.errors import WorkloadError
from wordline.fitting.counters import (
    HOST,
    HOST_PAGES,
    NORMALISED,
    OTHER_PAGES,
    PHYSICAL,
    SIDES,
    Counter,
    count,
    known,
    plain,
    together,
)
from wordline.persistence import files

FILL, UNIFORM = "fill", "uniform"
WORKLOADS = (FILL, UNIFORM)
_MARKS = ("workload", "space_gib")
_GIB = 1 << 30
_WRAPS = (32, 48, 64)  # bits of counters in drives
_NEAR = 0.1  # share of a counter's range that lies near its ends
_NAMES_TOLD = 12  # names of a log that a message lists, at most
_BEGINS = re.compile(r"^\s*[\[{]", re.MULTILINE)  # JSON
_NO_NUMBERS = re.compile(r"(?<=[:,\[\s])-?(?:nan|inf(?:inity)?)(?=\s*[,}\]])", re.IGNORECASE)
_PAGE_OFF = (0.8, 1.1)  # bytes of the host by page, as a share of a power of two
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
    attributes: dict[str, list[str]] = field(default_factory=dict)  # numbers of a name
    exported_bytes: int | None = None


def read(path: Path, chosen: Mapping[str, tuple[Counter, ...]]) -> Log:
    """A log; counters of a side that `chosen` does not name are found by their names.

    Raises:
        WorkloadError: No log, one without a counter of each side, or one whose counters fall.
    """
    text = _decoded(files.read(path), path)
    if not text.strip():
        raise WorkloadError("the log is empty", str(path), "log the drive's counters first")
    notes: list[str] = []
    is_json = _BEGINS.search(text) is not None
    entries = list(_of_json(text, path, notes) if is_json else _of_csv(text, path))
    host = _choose(HOST, chosen.get(HOST, ()), entries, path, notes)
    pages = () if chosen.get(PHYSICAL) else _pages(entries, host, notes)
    physical = pages or _choose(PHYSICAL, chosen.get(PHYSICAL, ()), entries, path, notes)
    counters = {HOST: host, PHYSICAL: physical}
    raw = _paired(entries, counters, notes)
    exported = next((e.exported_bytes for e in reversed(entries) if e.exported_bytes), None)
    return Log(path, tuple(_rising(raw, counters, notes)), counters, exported, tuple(notes))


def _decoded(content: bytes, path: Path) -> str:
    """Text of UTF-8, or of UTF-16 with its mark, as PowerShell writes it."""
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        what = f"byte {error.start} is no {encoding.removesuffix('-sig').upper()}"
        raise WorkloadError(what, str(path), "give text") from None


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


def _of_json(text: str, path: Path, notes: list[str]) -> Iterator[_Entry]:
    """The outputs in a text; dates and messages between them are passed over."""
    text = _NO_NUMBERS.sub("null", text)
    decoder, at, line, counted = json.JSONDecoder(), 0, 1, 0
    strays: list[tuple[int, str]] = []
    while at < len(text):
        if text[at] in " \t\r\n,":
            at += 1
            continue
        line, counted = line + text.count("\n", counted, at), at
        place = f"{path}:{line}"
        if text[at] not in "[{":
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            strays.append((line, text[at:end].strip()))
            at = end
            continue
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
    if strays:
        notes.append(
            f"lines between the outputs that are no JSON were passed over: {len(strays):,}, the "
            f"first at {path}:{strays[0][0]}: `{strays[0][1][:60]}`"
        )


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
                    _attribute(part, entry)
                elif isinstance(part, dict) and {"name", "value"} <= part.keys():
                    # A line of ATA's device statistics.
                    entry.values.append((plain(str(part["name"])), part["value"], False))
                elif isinstance(part, dict):
                    _flatten(part, entry)
        elif name not in _MARKS:
            entry.values.append((plain(name), value, False))
    lower = {plain(name): value for name, value in table.items() if not isinstance(value, list)}
    for name in (name for name in lower if name.endswith("_lo") and f"{name[:-2]}hi" in lower):
        halves = {"lo": lower[name], "hi": lower[f"{name[:-2]}hi"]}
        entry.values.append((name[:-3], halves, False))


def _attribute(part: dict[str, Any], entry: _Entry) -> None:
    """An attribute of ATA, by its name and by its number."""
    name, number, raw = plain(str(part["name"])), str(part.get("id", "")), part["raw"].get("value")
    entry.values += [(name, raw, False), (number, raw, False)]
    entry.attributes.setdefault(name, []).append(number)


def _choose(
    side: str,
    chosen: tuple[Counter, ...],
    entries: list[_Entry],
    path: Path,
    notes: Sequence[str],
) -> tuple[Counter, ...]:
    """The counters of a side: those that are named, or the finest of those that are known."""
    names = dict.fromkeys(name for entry in entries for name, _, _ in entry.values)
    for counter in chosen:
        if counter.name not in names:
            raise WorkloadError(f"no counter `{counter.name}`", str(path), _there_are(entries))
        _check_single(counter, entries, side)
    if chosen:
        return chosen
    found = {
        counter
        for entry in entries
        for name, _, additional in entry.values
        if (counter := known(side, name, additional))
    }
    if found:
        return together(min(found, key=lambda counter: (counter.unit, counter.name)), names)
    if side == PHYSICAL:
        what = "no counter of physical writes"
        help = "log `nvme ocp smart-add-log -o json` too, or name one: --physical NAME:UNIT"
    else:
        what = "no counter of the host's writes"
        help = "log `nvme smart-log -o json` too, or name one: --host NAME:UNIT"
    help = "; ".join([help, _there_are(entries), *notes])
    raise WorkloadError(what, str(path), help)


def _tells_no_writes(name: str) -> bool:
    """False for the names that a counter of writes may have: those are told first."""
    return not any(word in name for word in ("writ", "nand", "prog"))


def _there_are(entries: Sequence[_Entry]) -> str:
    names = dict.fromkeys(
        name for entry in entries for name, _, _ in entry.values if not name.isdigit()
    )
    numbers = {name: of for entry in entries for name, of in entry.attributes.items()}
    all_told = [
        f"{name} ({', '.join(numbers[name])})" if len(numbers.get(name, ())) > 1 else name
        for name in sorted(filter(None, names), key=_tells_no_writes)
    ]
    told = ", ".join(all_told[:_NAMES_TOLD])
    more = ", …" if len(all_told) > _NAMES_TOLD else ""
    return f"the log has {told}{more}" if names else "the log has no counters"


def _check_single(counter: Counter, entries: Sequence[_Entry], side: str) -> None:
    """Refuses the name of several attributes that count different things."""
    for entry in entries:
        values = {str(value) for name, value, _ in entry.values if name == counter.name}
        numbers = entry.attributes.get(counter.name, [])
        if len(values) > 1 and len(numbers) > 1:
            what = f"`{counter.name}` is the name of {len(numbers)} attributes"
            help = f"give the number of one: {', '.join(numbers)}, as --{side} {numbers[-1]}:UNIT"
            raise WorkloadError(what, entry.place, help)


def _pages(
    entries: Sequence[_Entry], host: tuple[Counter, ...], notes: list[str]
) -> tuple[Counter, ...]:
    """Pages programmed for the host and besides; how large one is, the host's writes say."""
    names = {name for entry in entries for name, _, _ in entry.values}
    others = next((name for name in OTHER_PAGES if name in names), None)
    if others is None or HOST_PAGES not in names:
        return ()
    pages = (Counter(HOST_PAGES, 1),)
    both = ((_sum(host, entry), _sum(pages, entry)) for entry in entries)
    seen = [(written, count) for written, count in both if written and count]
    if len(seen) < 2 or seen[-1][1] <= seen[0][1] or seen[-1][0] <= seen[0][0]:
        return ()
    bytes_a_page = (seen[-1][0] - seen[0][0]) / (seen[-1][1] - seen[0][1])
    page = 1 << round(math.log2(max(bytes_a_page, 1)))
    low, high = _PAGE_OFF
    if not low <= bytes_a_page / page <= high:
        return ()
    notes.append(f"a page of `{HOST_PAGES}` is taken to have {page:,} bytes, by the host's writes")
    return Counter(HOST_PAGES, page), Counter(others, page)


def _paired(
    entries: list[_Entry], counters: Mapping[str, tuple[Counter, ...]], notes: list[str]
) -> Iterator[Snapshot]:
    """A snapshot wherever both sides are known: outputs of two commands alternate.

    The side that comes first begins each pair, so that a missing output pairs no others.
    """
    sums: dict[str, int] = {}
    leader: str | None = None
    workload: str | None = None
    space_gib: float | None = None
    lonely = 0
    for entry in entries:
        if "workload" in entry.marks:
            workload, space_gib = _workload(entry), None
        if entry.marks.get("space_gib") is not None:
            space_gib = _space_gib(entry)
        found = {side: _sum(counters[side], entry) for side in SIDES}
        now = {side: value for side, value in found.items() if value is not None}
        leader = leader or next(iter(now), None)
        if leader in now:
            lonely += len(sums)
            sums = now
        elif now and not sums:
            lonely += 1
        else:
            sums.update(now)
        if len(sums) == len(SIDES):
            yield Snapshot(entry.place, sums[HOST], sums[PHYSICAL], workload, space_gib)
            sums = {}
    lonely += len(sums)
    if lonely:
        notes.append(
            f"{lonely} outputs lack their counterpart and were left out: did a command fail?"
        )


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
    side: str, before: Snapshot, after: Snapshot, counters: tuple[Counter, ...], notes: list[str]
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
