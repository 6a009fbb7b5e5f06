"""Counters of drives: names for writes of the host and of the flash, and their units."""

import math
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wordline.errors import ConfigError, WorkloadError

HOST, PHYSICAL = "host", "physical"
SIDES = (HOST, PHYSICAL)

_SECTOR, _DATA_UNIT, _MIB, _GIB = 512, 512_000, 1 << 20, 1 << 30
_UNITS = {
    "bytes": 1,
    "sectors": _SECTOR,
    "data_units": _DATA_UNIT,
    **{f"{prefix}B": 1000**power for power, prefix in enumerate(("", "k", "M", "G", "T"))},
    **{f"{prefix}iB": 1024**power for power, prefix in enumerate(("K", "M", "G", "T"), 1)},
}
_UNITS_TOLD = "bytes, sectors, data_units, or a size such as 32MiB"
_MOST, _DIGITS = 1 << 128, 40  # of a counter, and a length that it does not reach
_SIZE = re.compile(r"\s*([0-9]*\.?[0-9]+(?:[eE][0-9]+)?)?\s*([A-Za-z_]+)?\s*")

# Names as nvme-cli and smartctl print them, in lower case, with one underscore between words. Units
# stand in the name, or in the sources of the two.
_KNOWN: dict[str, dict[str, int]] = {
    HOST: {
        "host_bytes": 1,
        "host_bytes_written": 1,
        "host_sectors_written": _SECTOR,
        "logical_sectors_written": _SECTOR,
        "data_units_written": _DATA_UNIT,
        "total_lbas_written": _SECTOR,
        "total_host_lba_written": _SECTOR,
        "host_writes_mib": _MIB,
        "host_writes_32mib": 32 * _MIB,
        "host_writes_gib": _GIB,
        "lifetime_writes_gib": _GIB,
        "total_writes_gib": _GIB,
        "total_writes_gb": 1000**3,
    },
    PHYSICAL: {
        "physical_bytes": 1,
        "physical_bytes_written": 1,
        "nand_bytes_written": 1,
        "physical_media_units_written": 1,
        "flash_lbas_written": _SECTOR,
        "flash_writes_lbas": _SECTOR,
        "flash_writes_sectors": _SECTOR,
        "nand_sectors_written": _SECTOR,
        "nand_write_sector_cnt": _SECTOR,
        "sectors_written_to_nand": _SECTOR,
        "nand_writes_32mib": 32 * _MIB,
        "flash_writes_32mib": 32 * _MIB,
        "nand_writes_1gib": _GIB,
        "nand_writes_gib": _GIB,
        "nand_gib_written": _GIB,
        "flash_writes_gib": _GIB,
        "total_nand_writes_gib": _GIB,
        "lifetime_nand_prg_gib": _GIB,
        "total_nand_prog_ct_gib": _GIB,
        "physical_nand_bytes_written": 1,
        "nand_writes_bytes_written": 1,
        "physical_media_units_written_tlc": 1,
        "nand_writes_tlc_bytes": 1,
        "tlc_writes_32mib": 32 * _MIB,
        "nand_gb_written_tlc": _GIB,
    },
}
# Writes of SLC are counted apart by some, and belong to what the flash takes.
_WITH_SLC = ("nand_gb_written", "physical_media_units_written", "nand_writes_tlc", "tlc_writes")
HOST_PAGES = "host_program_page_count"
"""Pages that Micron's and Crucial's drives program for the host."""
OTHER_PAGES = ("ftl_program_page_count", "bckgnd_program_page_cnt")
"""Names of the pages that they program besides."""
# nvme-cli's additional logs of Intel's, Solidigm's and DapuStor's drives count these in 32 MiB, and
# have a normalised value beside each.
_ADDITIONAL = 32 * _MIB
NORMALISED = "normalized"


@dataclass(frozen=True)
class Counter:
    """A counter of one side, as the log names it.

    Attributes:
        name: Its name, in lower case, with one underscore between words.
        unit: Bytes that one count stands for.
    """

    name: str
    unit: int


def plain(name: str) -> str:
    """A name as the table has them: `Host writes` is `host_writes`."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def known(side: str, name: str, additional: bool = False) -> Counter | None:
    """The counter of this side with a name in plain form, if the name stands for one."""
    unit = _KNOWN[side].get(name)
    if unit is None:
        return None
    return Counter(name, _ADDITIONAL if additional and name.endswith("_bytes_written") else unit)


def together(counter: Counter, names: Container[str]) -> tuple[Counter, ...]:
    """A counter, and the one of SLC beside it if the log has that."""
    of_slc = counter.name.replace("tlc", "slc")
    is_alone = not counter.name.startswith(_WITH_SLC) or of_slc == counter.name
    return (
        (counter,) if is_alone or of_slc not in names else (counter, replace(counter, name=of_slc))
    )


def chosen(texts: Sequence[str], option: str) -> tuple[Counter, ...]:
    """The counters that `NAME:UNIT` name.

    Raises:
        ConfigError: Another form, or an unknown unit.
    """
    found: list[Counter] = []
    for text in texts:
        name, colon, unit = text.rpartition(":")
        if not colon or not plain(name):
            help = f"such as nand_pages:16KiB; units are {_UNITS_TOLD}"
            raise ConfigError(f"`{text}` is not NAME:UNIT", option, help)
        found.append(Counter(plain(name), round(size(unit, option))))
    return tuple(found)


def size(text: str, place: str) -> float:
    """Bytes of a size such as `800GB`, `745.2GiB` or `sectors`.

    Raises:
        ConfigError: It is none, or nothing.
    """
    match = _SIZE.fullmatch(text)
    number, unit = match.groups() if match else (None, None)
    factor = _UNITS.get(unit or "bytes")
    if not match or not text.strip() or factor is None:
        raise ConfigError(f"`{text}` is no size", place, f"units are {_UNITS_TOLD}")
    found = float(number or 1) * factor
    if not 1 <= found < math.inf:
        raise ConfigError(f"`{text}` is no size of a drive", place, "give a byte or more")
    return found


def count(value: Any, place: str) -> int | None:
    """A counter's value: a number, digits, or halves of 128 bits; `None` of anything else.

    Raises:
        WorkloadError: A number that counts nothing.
    """
    if isinstance(value, dict):
        halves = [count(value.get(half), place) for half in ("hi", "lo")]
        return None if None in halves else (halves[0] or 0) << 64 | (halves[1] or 0)
    if isinstance(value, str):
        digits = value.strip().replace(",", "")
        if re.fullmatch(r"0[xX][0-9a-fA-F]+", digits):
            return int(digits, 16)
        if not re.fullmatch(r"[-+]?[0-9]+(\.[0-9]*)?([eE]\+?[0-9]+)?", digits):
            return None
        value = int(digits) if digits.isdigit() and len(digits) < _DIGITS else float(digits)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 <= value < _MOST:
        raise WorkloadError(f"`{value}` is no count", place, "a counter has 0 to 128 bits")
    return round(value)
