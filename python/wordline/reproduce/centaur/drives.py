"""The drives: the publication's, on a scale of 1 to 32.

Blocks are an eighth as many and a quarter as large, erases take a quarter of the time, and the DRAM
buffer is as much smaller as the drive. What a byte takes of blocks and of time stays as it is.
"""

from collections.abc import Iterator, Mapping

Keys = tuple[str, ...]

SCALE = 32
"""Capacity of the publication's drives over that of ours."""

_FEWER_BLOCKS, _SMALLER_BLOCKS = 8, 4
DRAM_MIB = 64
"""Table 2."""

MIXED = "centaur-mixed-256g"
ENDURANCE_PEC = {"slc": 60_000, "tlc": 5000}
"""Table 2."""

IDP_BYTES = 96 * 1024
"""What a program of 3D flash writes (Table 2)."""

_BLOCKS = {"slc": 2048, "tlc": 1437}
_PAGES = {"slc": 128, "tlc": 768}
_ERASE_MS = {"slc": 1.5, "tlc": 10.0}

STATIC_KIB = (32, 64, 96)
"""Dispatching criteria that stay (Figures 21 and 22)."""

EXTRA_GIB = (1, 2, 4)
"""Sizes of a 2D chip (Figure 17)."""

DRAMS_MIB = (0, 128)
"""DRAM besides that of Table 2 (Figures 18 and 19)."""


def chip(kind: str, table: str, blocks: int | None = None) -> Keys:
    """The chip whose table in the configuration is this one, on the scale."""
    return (
        f"{table}.blocks_per_plane={(blocks or _BLOCKS[kind]) // _FEWER_BLOCKS}",
        f"{table}.pages_per_block={_PAGES[kind] // _SMALLER_BLOCKS}",
        f"{table}.erase_ms={_ERASE_MS[kind] / _SMALLER_BLOCKS}",
    )


def _dram(mib: float) -> Keys:
    return (f"host.write_buffer_mib={mib / SCALE}",)


COMMON: Keys = (
    # Not given; the chip that is free first is the intra-NAND work stealer of Section 5.1.
    "ftl.allocation=dynamic",
    # As SSDSim has it, on which the publication builds: data that is read was written before.
    "host.unmapped=as_mapped",
    *_dram(DRAM_MIB),
    "run.check=false",
    "run.series_points=0",
)

_OWN = "technique.centaur"


def _mode(name: str) -> Keys:
    return (f"{_OWN}.mode={name}",)


_2D: Keys = (*chip("slc", "drive.chip"), *_mode("all_2d"))
_3D: Keys = (*chip("tlc", "drive.chip"), *_mode("all_3d"))


def _two(slc_blocks: int | None = None) -> Keys:
    return (
        *chip("slc", "drive.group.slc.chip", slc_blocks),
        *chip("tlc", "drive.group.tlc.chip"),
    )


# The criterion moves after as large a share of the parts that a drive takes.
_DISPATCHED: Keys = (*_mode("centaur"), f"{_OWN}.period_parts={1000 // SCALE}")
_CENTAUR: Keys = (*_two(), *_DISPATCHED)
_PADDED = f"{_OWN}.partial=pad"
# Without time every 2D chip would be idle.
_WITHOUT_STEALER: Keys = (f"{_OWN}.steal=never",)


def _static(kib: int) -> Keys:
    bounds = ("min_bytes", "initial_bytes", "max_bytes")
    return (f"{_OWN}.step_bytes=0", *(f"{_OWN}.{key}={kib * 1024}" for key in bounds))


_IDP_LESS: Keys = (
    'drive.group.tlc.chip.preset="centaur-tlc-page"',
    *_two(),
    *_mode("slc_mlc"),
)

_COMPLETED_LATE: Keys = ("host.rest_of_unit=on_leaving",)
COMPLETED_LATE = ", completed late"
"""How drives are called that read the rest of a page of which DRAM holds a part as it leaves."""

_LAID_OVER: Mapping[str, tuple[str, Keys]] = {
    "2d": ("centaur-2d-256g", _2D),
    "3d": ("centaur-3d-256g", _3D),
    "shared": (MIXED, _CENTAUR),
    "dedicated": ("centaur-dedicated-256g", _CENTAUR),
    "no stealer": (MIXED, (*_CENTAUR, *_WITHOUT_STEALER)),
    # The criterion at the start, which the publication does not name there.
    "no dispatcher": (MIXED, (*_CENTAUR, *_WITHOUT_STEALER, f"{_OWN}.step_bytes=0")),
    "cache": (MIXED, (*_two(), *_mode("cache"))),
    "cache partial": (MIXED, (*_two(), *_mode("cache_partial"))),
    "slc/mlc": (MIXED, (*_two(), *_mode("slc_mlc"))),
    "slc/mlc without idp": (MIXED, _IDP_LESS),
    "iso-die": ("centaur-iso-die-228g", _CENTAUR),
    **{
        f"extra {gib} gb": (
            "centaur-extra-chip-288g",
            (*_two(_BLOCKS["slc"] * gib // 4), *_DISPATCHED),
        )
        for gib in EXTRA_GIB
    },
    **{f"static {kib} kb": (MIXED, (*_CENTAUR, *_static(kib))) for kib in STATIC_KIB},
    **{f"shared, {mib} mb": (MIXED, (*_CENTAUR, *_dram(mib))) for mib in DRAMS_MIB},
    **{f"3d, {mib} mb": ("centaur-3d-256g", (*_3D, *_dram(mib))) for mib in DRAMS_MIB},
    f"3d{COMPLETED_LATE}": ("centaur-3d-256g", (*_3D, *_COMPLETED_LATE)),
    f"shared{COMPLETED_LATE}": (MIXED, (*_CENTAUR, *_COMPLETED_LATE)),
    f"dedicated{COMPLETED_LATE}": ("centaur-dedicated-256g", (*_CENTAUR, *_COMPLETED_LATE)),
    "3d, padded": ("centaur-3d-256g", (*_3D, _PADDED)),
    "shared, padded": (MIXED, (*_CENTAUR, _PADDED)),
}

# Figure 4: one die, or as many GB of 2D dies as a 3D die has. Small writes share no programs, not
# even those that come while the die is busy: so each program starts with its first page.
_ALONE: Keys = (
    "drive.channels=1",
    "drive.chips_per_channel=1",
    "host.write_buffer_mib=0",
    'ftl.program_start="after_timeout"',
    "ftl.merge_timeout_us=0",
)
_PLANES_TOGETHER = "drive.chip.multi_plane=true"
_2D_DIE: Keys = (*chip("slc", "drive.chip"), *_ALONE)
_2D_DIES: Keys = (*_2D_DIE, "drive.channels=8")
_PAGES_ALONE: Keys = (
    'drive.chip.preset="centaur-tlc-page"',
    *chip("tlc", "drive.chip"),
    *_ALONE,
)
WITH_IDP = ", idp"
DIES: Mapping[str, tuple[str, Keys]] = {
    "2d die": ("centaur-2d-256g", _2D_DIE),
    "2d dies": ("centaur-2d-256g", _2D_DIES),
    "3d die": ("centaur-3d-256g", _PAGES_ALONE),
    f"2d die{WITH_IDP}": ("centaur-2d-256g", (*_2D_DIE, _PLANES_TOGETHER)),
    f"2d dies{WITH_IDP}": ("centaur-2d-256g", (*_2D_DIES, _PLANES_TOGETHER)),
    f"3d die{WITH_IDP}": ("centaur-3d-256g", (*_3D, *_ALONE)),
}
"""With and without intra-die parallelism."""

# Figure 7c: the same writes beside less and more data that stays.
FILLS: Mapping[str, tuple[str, Keys]] = {
    f"3d die, {percent} % full": (
        "centaur-3d-256g",
        (*_PAGES_ALONE, f"precondition.fill={percent / 100}"),
    )
    for percent in (30, 90)
}


def _whole(keys: Keys) -> Iterator[str]:
    """The keys of a drive on the scale, without the scale."""
    for key in keys:
        name, _, value = key.partition("=")
        last = name.rpartition(".")[2]
        if last == "blocks_per_plane":
            if int(value) not in {blocks // _FEWER_BLOCKS for blocks in _BLOCKS.values()}:
                yield f"{name}={int(value) * _FEWER_BLOCKS}"
        elif last == "write_buffer_mib":
            yield f"{name}={float(value) * SCALE}"
        elif last not in ("pages_per_block", "erase_ms", "period_parts"):
            yield key


_SCALED = {**_LAID_OVER, **DIES, **FILLS}
WHOLE: Mapping[str, Keys] = {
    name: tuple(_whole((*COMMON, *keys))) for name, (_, keys) in _SCALED.items()
}
"""The drives in the paper's size, with its 64 MiB of DRAM: for real traces."""

WHOLE_SIZE = ", whole"
"""How drives are called that have the publication's size on twins, too."""

_ALL = {
    **{name: (base, (*COMMON, *keys)) for name, (base, keys) in _SCALED.items()},
    **{f"{name}{WHOLE_SIZE}": (_SCALED[name][0], WHOLE[name]) for name in ("2d", "3d", "shared")},
}
DRIVES: Mapping[str, Keys] = {name: keys for name, (_, keys) in _ALL.items()}
BASES: Mapping[str, str] = {name: base for name, (base, _) in _ALL.items()}
