"""What the publication leaves out.

Centaur beside an SLC cache on as many dies, and with 3D flash that lives longer, as an erase scheme
makes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wordline.native.types.run import RunResult
from wordline.reproduce.centaur.drives import BASES, DRIVES, MIXED, SCALE, Keys, chip
from wordline.reproduce.centaur.measures import chips, mean, spent
from wordline.reproduce.centaur.workloads import LIFE, QUICK, ROWS, WEEK, only
from wordline.reproduce.centaur.workloads import loads as volumes
from wordline.reproduce.study import Figure, Findings, Load, Study, known

CENTAUR, PACKED, IDP = "centaur, 7 + 1 dies", "3d, 8 dies", "3d, 8 dies, idp"
CACHES = {
    "slc cache of its own blocks, 8 dies": "static",
    "slc cache of free blocks, 8 dies": "hybrid",
}

# As much data as the drive of 7 + 1 dies holds: 7 x 33.68 GiB of 3D flash and 4 of 2D flash.
_DIE_GIB, _2D_GIB = 1437 * 768 * 32 / 2**20, 4
_LOGICAL_GIB = (7 * _DIE_GIB + _2D_GIB) / 1.25
_SPARE = f"drive.over_provisioning={8 * _DIE_GIB / _LOGICAL_GIB - 1:.4f}"

_TABLE = "technique.slc_cache"
_CACHE: Keys = (
    # Cells of one bit as the 2D flash of Table 2 has them: its times, and its share of endurance.
    f"{_TABLE}.program_us=350",
    f"{_TABLE}.read_us=35",
    f"{_TABLE}.wear={5000 / 60_000:.4f}",
    f"{_TABLE}.static_mib={_2D_GIB * 1024 / SCALE}",
)
_PLAIN: Keys = (*chip("tlc", "drive.chip"), _SPARE)
_COMMON: Keys = tuple(key for key in DRIVES["3d"] if not key.startswith(("drive.", "technique.")))

SLOW, BUSY = WEEK, "busy"
_TIMES_FASTER = 1000

LONGER = (1, 1.44, 3)
"""How many times as many cycles 3D flash takes as in Table 2; REO's TLC takes 1.44 times as many as
by ISPE (docs/erase.md)."""


def _longer(times: float) -> str:
    return f"centaur, 3d lives {times:g} x"


_DRIVES: Mapping[str, tuple[str, Keys]] = {
    CENTAUR: (BASES["iso-die"], DRIVES["iso-die"]),
    IDP: (BASES["3d"], (*DRIVES["3d"], _SPARE)),
    PACKED: (BASES["3d"], (*_COMMON, *_PLAIN)),
    **{
        name: (BASES["3d"], (*_COMMON, *_PLAIN, *_CACHE, f"{_TABLE}.size={size}"))
        for name, size in CACHES.items()
    },
    **{
        _longer(times): (
            MIXED,
            (*DRIVES["shared"], f"drive.group.tlc.chip.endurance_pec={round(5000 * times)}"),
        )
        for times in LONGER
    },
}
_AREA = (CENTAUR, IDP, PACKED, *CACHES)


def _busy(load: Load) -> Load:
    keys = (*load.keys, f"host.time_scale={1 / _TIMES_FASTER}")
    return replace(load, way=BUSY, keys=keys)


def _loads(traces: Path | None, quick: bool) -> Sequence[Load]:
    own = [load for load in volumes(traces, quick) if load.name in ROWS]
    weeks = [load for load in own if load.way == WEEK]
    lives = [load for load in own if load.way == LIFE]
    return [*lives, *weeks, *(_busy(load) for load in weeks)]


def spent_for(result: RunResult) -> float:
    """The share of its life that a drive spends for a TiB of the host, the worse part's.

    Cycles of a cache count as the share of a whole one that they wear.
    """
    if "slc_cache" not in result.technique:
        return max(spent(result).values())
    (of_chip,) = chips(result).values()
    erases = result.technique.slc_cache.erases
    wear = result.config["technique"]["slc_cache"]["wear"]
    worn = erases["slc"] * wear + erases["other"]
    written = result.workload.bytes_written / 2**40
    return (
        worn
        / sum(blocks for _, blocks in result.wear.histogram)
        / of_chip["endurance_pec"]
        / written
    )


def _area(found: Findings) -> Mapping[str, float]:
    """Lifetimes over 3D flash alone with IDP programs, and what of the latency is at the tail."""
    values: dict[str, float] = {}
    lives = only(found, LIFE)
    for drive in _AREA:
        gains = {
            load.name: spent_for(lives.result(IDP, load)) / spent_for(lives.result(drive, load))
            for load in lives.loads
        }
        values |= {f"lifetime/{drive}/{name}": gain for name, gain in gains.items()}
        if found.is_whole:
            values[f"lifetime/{drive}/mean"] = mean(gains)
        for way in (SLOW, BUSY):
            for load in only(found, way).loads:
                host = found.result(drive, load).host
                values[f"write_p999_us/{way}/{drive}/{load.name}"] = known(host.write).p999_us
                values[f"read_p999_us/{way}/{drive}/{load.name}"] = known(host.read).p999_us
    return values


def _balance(found: Findings) -> Mapping[str, float]:
    """Where the criterion ends, what goes to 3D flash, and which part wears out first."""
    values: dict[str, float] = {}
    for times in LONGER:
        for load in found.loads:
            result = found.result(_longer(times), load)
            told = result.technique.centaur
            shares = spent(result)
            both = told.dispatched_2d_bytes + told.dispatched_3d_bytes
            name = f"{times:g}/{load.name}"
            values |= {
                f"criterion_kib/{name}": told.criterion_bytes / 1024,
                f"sent_to_3d/{name}": 100 * told.dispatched_3d_bytes / max(both, 1),
                f"wear_of_3d_over_2d/{name}": shares["tlc"] / shares["slc"],
            }
    return values


STUDY = Study(
    paper="centaur-beyond",
    source="not published: what Liu et al., POMACS 4(2):28, 2020, leave out",
    base=MIXED,
    drives={name: keys for name, (_, keys) in _DRIVES.items()},
    bases={name: base for name, (base, _) in _DRIVES.items()},
    loads=_loads,
    figures=(
        Figure(
            "area",
            "Centaur and an SLC cache on as many dies",
            _area,
            "",
            _AREA,
            ways=(LIFE, SLOW, BUSY),
        ),
        Figure(
            "balance",
            "Centaur with 3D flash that takes more cycles",
            _balance,
            "",
            tuple(_longer(times) for times in LONGER),
            QUICK,
            ways=(LIFE,),
        ),
    ),
)
