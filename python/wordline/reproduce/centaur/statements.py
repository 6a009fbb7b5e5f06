"""What the text of the publication says of which is larger: 1 where it is so here, else 0."""

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from statistics import fmean

from wordline.native.types.run import RunResult
from wordline.reproduce.centaur.dies import IDP_KIB, WITHOUT_DISPATCHER, kib
from wordline.reproduce.centaur.drives import COMPLETED_LATE, DIES, FILLS, STATIC_KIB, WITH_IDP
from wordline.reproduce.centaur.lifetime import (
    EXTRA,
    LAYOUTS,
    RIVALS,
    STATIC,
    dispatched_share,
)
from wordline.reproduce.centaur.measures import (
    amplification,
    lifetimes,
    mean,
    spent,
    spent_by,
    throughput,
    waited_for,
)
from wordline.reproduce.centaur.speed import faster
from wordline.reproduce.centaur.workloads import (
    DIE,
    HALF,
    LIFE,
    PART,
    ROWS,
    SPANS,
    SPEED,
    WEEK,
    median_write_kib,
    only,
)
from wordline.reproduce.study import Figure, Findings, Load

Holds = Mapping[str, bool]

_LARGE_KIB = IDP_KIB["3d die"]
_BUSY_WITH_SMALL = ("prxy_0", "stg_1")
_WRITES_LARGE = ("proj_0", "proj_2")
_HIDDEN = ("hm_1", "stg_1")
# What "significantly" and "most workloads" are taken for: a third less, on seven of twelve.
_SPARED, _MOST = 1.5, 7


def _dies(found: Findings) -> Holds:
    """Section 3, Figure 5."""

    def iops(drive: str, load: Load) -> float:
        return throughput(found.result(drive, load))

    def idp(drive: str, load: Load) -> float:
        return iops(f"{drive}{WITH_IDP}", load)

    loads = found.loads
    small = [load for load in loads if kib(load.name) < _LARGE_KIB]
    large = [load for load in loads if kib(load.name) > _LARGE_KIB]
    above = [(d, load) for d in IDP_KIB for load in loads if kib(load.name) > IDP_KIB[d]]
    below = [(d, load) for d in IDP_KIB for load in loads if kib(load.name) < IDP_KIB[d]]
    worn = f"3d die{WITH_IDP}"
    others = [drive for drive in DIES if drive != worn]
    return {
        "idp_gains_above_its_unit": all(idp(d, load) > iops(d, load) for d, load in above),
        "idp_loses_below_its_unit": all(idp(d, load) < iops(d, load) for d, load in below),
        "a_3d_die_is_slower_without_idp": all(
            iops("3d die", load) < iops("2d die", load) for load in loads
        ),
        "dies_of_2d_are_fastest": all(
            iops("2d dies", load) > max(iops("2d die", load), iops("3d die", load))
            for load in loads
        ),
        "a_3d_die_with_idp_is_slowest_on_small_writes": all(
            idp("3d die", load) < min(idp("2d die", load), idp("2d dies", load)) for load in small
        ),
        "a_3d_die_with_idp_beats_a_2d_die_on_large_writes": all(
            idp("3d die", load) > idp("2d die", load) for load in large
        ),
        "idp_shortens_the_gap_on_large_writes": all(
            idp("2d dies", load) / idp("3d die", load)
            < iops("2d dies", load) / iops("3d die", load)
            for load in large
        ),
        "only_a_3d_die_with_idp_wears_much": all(
            spent_by(found, worn, load) > 2 * spent_by(found, other, load)
            for load in small
            for other in others
        ),
    }


def _workloads(found: Findings) -> Holds:
    """Section 3, Figure 6, and Section 6.2.1."""
    median = {load.name: median_write_kib(found, load) for load in found.loads}
    mean_kib = {name: row.written_gb * 2**20 / (row.writes_m * 1e6) for name, row in ROWS.items()}
    return {
        "writes_are_mostly_below_64_kb": all(size < 64 for size in median.values()),
        "writes_of_three_are_mostly_below_4_kb": all(
            median[name] <= 4 for name in ("prn_1", "prxy_0", "proj_1")
        ),
        "writes_of_two_are_about_7_kb": all(6 <= mean_kib[n] <= 8 for n in _BUSY_WITH_SMALL),
    }


def _is_more(values: Mapping[str, float], than: float = 1.0) -> bool:
    return all(value > than for value in values.values())


def _lives(found: Findings) -> Holds:
    """Section 6.2.1, Figures 11 to 13."""
    shared, dedicated = (lifetimes(found, drive, "3d") for drive in ("shared", "dedicated"))
    wa = {d: fmean(amplification(found.result(d, load)) for load in found.loads) for d in LAYOUTS}
    results = [found.result("shared", load) for load in found.loads]
    in_2d, in_3d = zip(*(_groups(result, "valid_pages") for result in results), strict=True)
    room = [_groups(result, "pages")[0] for result in results]
    erased = [
        _groups(found.result(drive, load), "erases_mean")
        for drive in ("shared", "dedicated")
        for load in found.loads
    ]
    return {
        "2d_lives_longest": all(
            _is_more(lifetimes(found, "2d", other), 1 - 1e-9) for other in LAYOUTS[1:]
        ),
        "shared_outlives_3d": _is_more(shared),
        "dedicated_outlives_3d": _is_more(dedicated),
        "layouts_live_alike": 0.9 <= mean(lifetimes(found, "shared", "dedicated")) <= 1.1,
        "prxy_0_and_stg_1_gain_most": all(shared[name] > mean(shared) for name in _BUSY_WITH_SMALL),
        "proj_0_and_proj_2_gain_little": all(shared[n] < mean(shared) for n in _WRITES_LARGE),
        "write_amplification_nearer_to_2d": abs(wa["shared"] - wa["2d"])
        < abs(wa["shared"] - wa["3d"]),
        "2d_is_erased_more_than_3d": all(two > three for two, three in erased),
        "most_data_ends_in_3d": sum(in_3d) > sum(in_2d),
        "2d_is_not_full": all(held < all_ for held, all_ in zip(in_2d, room, strict=True)),
        "most_data_is_sent_to_3d": mean(dispatched_share(found, "shared")) > 50,
    }


def _groups(result: RunResult, what: str) -> tuple[float, float]:
    """A figure of the 2D flash, and of the 3D flash."""
    by_name = {group.name: group for group in result.wear.groups}
    return by_name["slc"][what], by_name["tlc"][what]


def _speeds(found: Findings) -> Holds:
    """Sections 6.2.1 and 6.2.3 to 6.2.5."""
    extra = [mean(faster(found, drive, "3d")) for drive in EXTRA]
    gains = {
        drive: [mean(faster(found, of, f"{drive}, 0 mb")) for of in (drive, f"{drive}, 128 mb")]
        for drive in ("3d", "shared")
    }
    return {
        "shared_is_faster_than_3d": _is_more(faster(found, "shared", "3d")),
        "dedicated_is_faster_than_3d": _is_more(faster(found, "dedicated", "3d")),
        "shared_is_faster_than_dedicated": mean(faster(found, "shared", "dedicated")) > 1,
        "throughput_rises_with_extra_2d": _rises(extra),
        "dram_speeds_both": all(gain[0] > 1 for gain in gains.values()),
        "throughput_saturates_with_dram": all(b - a < a - 1 for a, b in gains.values()),
        "centaur_is_faster_than_slc_mlc": mean(faster(found, "shared", RIVALS[0])) > 1,
        "slc_mlc_without_idp_is_slow": mean(faster(found, RIVALS[1], RIVALS[0])) < 1,
    }


def _rises(values: list[float]) -> bool:
    return all(one < other for one, other in pairwise(values))


_READINGS = {"on_arrival": "", "on_leaving": COMPLETED_LATE}
"""When the rest of a page is read that DRAM holds in part, and the ends of such drives' names."""


def _waits(found: Findings) -> Holds:
    """Section 6.2.1, Figures 14 and 15."""
    told = [found.result("shared", load).technique.centaur for load in found.loads]
    holds = {
        "most_reads_are_of_3d": sum(one.read_3d_units for one in told)
        > sum(one.read_2d_units for one in told),
    }
    for reading, suffix in _READINGS.items():
        of_reading = _writes(found, suffix)
        holds |= {f"{name}/reading={reading}": is_so for name, is_so in of_reading.items()}
    return holds


def _writes(found: Findings, suffix: str) -> Holds:
    """Of drives whose names end so."""

    def write_us(drive: str, load: Load) -> float:
        return found.result(f"{drive}{suffix}", load).host.write.mean_us

    seen = [load for load in found.loads if load.name not in _HIDDEN]
    parts = [waited_for(found.result(f"shared{suffix}", load), "write") for load in found.loads]
    reads_us = sum(us for of in parts for part, us in of.items() if "_read_" in part)
    return {
        "reads_cost_writes_little": reads_us < sum(sum(of.values()) for of in parts) / 10,
        "dram_hides_writes_of_two": all(
            write_us("shared", load) < 10 for load in found.loads if load.name in _HIDDEN
        ),
        "shared_writes_faster_than_dedicated": fmean(write_us("shared", load) for load in seen)
        < fmean(write_us("dedicated", load) for load in seen),
        "shared_writes_faster_than_3d": all(
            write_us("shared", load) < write_us("3d", load) for load in seen
        ),
    }


def _sensitivity(found: Findings) -> Holds:
    """Sections 6.2.2 to 6.2.7."""
    iso_die = lifetimes(found, "iso-die", "3d")
    extra = [mean(lifetimes(found, drive, "3d")) for drive in EXTRA]
    with_64 = lifetimes(found, "3d", "3d, 0 mb")
    with_128 = lifetimes(found, "3d, 128 mb", "3d, 0 mb")
    stealer = lifetimes(found, "shared", "no stealer")
    in_2d = {
        drive: fmean(spent(found.result(drive, load))["slc"] for load in found.loads)
        for drive in ("cache", "shared")
    }
    return {
        "iso_die_is_worse_on_two": all(iso_die.get(n, math.inf) < 1 for n in ("hm_1", "proj_2")),
        "iso_die_is_better_on_most": sum(v > 1 for v in iso_die.values()) > len(iso_die) / 2,
        "lifetime_rises_with_extra_2d": _rises(extra),
        "64_mb_of_dram_spare_3d_much": sum(v >= _SPARED for v in with_64.values()) >= _MOST,
        "128_mb_of_dram_spare_3d_little_more": 1 / mean(with_64) - 1 / mean(with_128)
        < 1 - 1 / mean(with_64),
        "centaur_outlives_slc_mlc": mean(lifetimes(found, "shared", RIVALS[0])) > 1,
        "slc_mlc_without_idp_outlives_slc_mlc": mean(lifetimes(found, *reversed(RIVALS))) > 1,
        "cache_mode_wears_2d": in_2d["cache"] > in_2d["shared"],
        "proj_2_gains_by_the_stealer": stealer["proj_2"] > mean(stealer),
    }


def _best(found: Findings, value: Callable[[str, Load], float]) -> list[int]:
    """The criterion that stays, of the largest value, for each workload."""
    names = dict(zip(STATIC_KIB, STATIC, strict=True))
    return [max(names, key=lambda size: value(names[size], load)) for load in found.loads]


def _criteria(lives: Findings, speeds: Findings) -> Holds:
    """Section 6.2.6, Figures 21 and 22."""
    by_life = _best(lives, lambda drive, load: -spent_by(lives, drive, load))
    by_speed = _best(speeds, lambda drive, load: throughput(speeds.result(drive, load)))
    return {
        "best_static_dc_for_life_within_bounds": all(32 <= size <= 96 for size in by_life),
        "no_static_dc_is_best_for_all": len(set(by_life)) > 1,
        "best_static_dc_for_speed_is_another": by_life != by_speed,
    }


def _uniform(found: Findings) -> Holds:
    """Section 6.2.8, Figure 24: by where the writes go, at either length."""
    holds: dict[str, bool] = {}
    for span, way in SPANS.items():
        at_lengths = [_gains(only(found, f"{way}{end}")) for end in ("", HALF)]
        for name in at_lengths[0]:
            holds[f"{name}/reading={span}"] = all(one[name] for one in at_lengths)
    return holds


def _gains(found: Findings) -> Holds:
    drive = WITHOUT_DISPATCHER
    small = [load for load in found.loads if kib(load.name) < 64]
    large = [load for load in found.loads if kib(load.name) >= _LARGE_KIB]
    # Where nothing is erased there is no gain.
    lives = lifetimes(found, drive, "3d")
    gain = {load: lives.get(load.name, 1.0) for load in found.loads}
    speed = {
        load: throughput(found.result(drive, load)) / throughput(found.result("3d", load))
        for load in found.loads
    }
    return {
        "small_writes_gain_by_centaur": all(gain[load] > 1 and speed[load] > 1 for load in small),
        "large_writes_gain_less": max(gain[load] for load in large)
        < min(gain[load] for load in small),
    }


def _part(found: Findings) -> Holds:
    """Section 4, Figure 7c."""
    (load,) = found.loads
    little, much = (spent_by(found, drive, load) for drive in FILLS)
    return {"more_valid_data_shortens_life": much > little}


def _statements(found: Findings) -> Mapping[str, float]:
    lives, speeds = only(found, LIFE), only(found, SPEED)
    holds = {
        **_dies(only(found, DIE)),
        **_workloads(speeds),
        **_part(only(found, PART)),
        **_lives(lives),
        **_speeds(speeds),
        **_waits(only(found, WEEK)),
        **_sensitivity(lives),
        **_criteria(lives, speeds),
        **_uniform(found),
    }
    return {name: float(holds[name]) for name in holds}


def statements(figures: tuple[Figure, ...]) -> Figure:
    """The statements, which rest on the runs of these figures."""
    beside = Figure("fills", "Life spent by how much data stays", drives=tuple(FILLS), ways=(PART,))
    return Figure(
        "statements",
        "What the text says of which is larger: 1 where it is so",
        _statements,
        ways=(),
        rests_on=(*figures, beside),
        is_quick=False,
    )
