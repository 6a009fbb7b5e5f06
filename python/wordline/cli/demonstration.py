"""The verb `demo`: techniques, erase schemes and policies on built-in workloads."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wordline import comparing, cutting, runs, storage
from wordline.cli import progress
from wordline.cli.options import Mode
from wordline.cli.simulation import carry_out, default_folder, show_comparison
from wordline.configuration import Configuration
from wordline.leagues import drives, heats
from wordline.leagues.drives import Division
from wordline.report import outages
from wordline.result import Comparison
from wordline.results.power import CutReport

# 512 MiB: small enough for seconds, large enough that every plane holds hundreds of blocks.
_DRIVE = """
[drive]
channels = 4
chips_per_channel = 1
over_provisioning = 0.28
[drive.chip]
planes = 2
blocks_per_plane = 256
pages_per_block = 64
page_kib = 4
endurance_pec = 3000
[precondition]
pattern = "steady"
"""

# The dies work a third of the time, GC included: latencies show GC and not a growing queue.
_WORKLOADS = (
    "uniform:requests=3e5,read=0.3,interval_us=1000",
    "zipf:requests=3e5,theta=0.99,read=0.3,interval_us=1000",
    "hotcold:requests=3e5,hot=0.2,share=0.8,read=0.3,interval_us=1000",
    "mixed:requests=1e5,read=0.5,interval_us=8000",
)

_COST_BENEFIT = "ftl.gc.policy=cost_benefit"
_READS_FIRST = "drive.scheduling.order=reads_first"
_SUSPEND = ("drive.scheduling.suspend_program=true", "drive.scheduling.suspend_erase=true")

_POLICIES = (
    runs.Variant("GC fifo", ("ftl.gc.policy=fifo",)),
    runs.Variant("GC 5 choices", ("ftl.gc.policy=d_choices", "ftl.gc.d=5")),
    runs.Variant("GC cost-benefit", (_COST_BENEFIT,)),
    runs.Variant("hot/cold oracle", (_COST_BENEFIT, "ftl.hotness.policy=oracle")),
    runs.Variant("GC preemptible", ("ftl.gc.mode=preemptible", "ftl.gc.idle_us=0")),
    runs.Variant("reads first", (_READS_FIRST,)),
    runs.Variant("reads suspend", (_READS_FIRST, *_SUSPEND)),
)

# The drive of ReSSD's evaluation, whole, and a twin of one of its volumes.
_REPROGRAMMED = """
preset = "ressd-576g"
[workload]
source = "twin:ressd/hm_0"
"""

# A bank of LLH-FTL's drive, and a sixteenth of a volume's twin; the drive is warmed up first.
_WRITTEN_TWICE = """
preset = "llh-emulator-16g"
[drive]
channels = 1
chips_per_channel = 1
[ftl]
frontiers = "coldest"
[run]
measure_from_repeat = 2
[workload]
source = "twin:llh/stg_0:requests=127000"
repeat = 3
"""

# The drive of Centaur's evaluation, a 32nd of it, and the writes of one of its volumes.
_TWO_KINDS = """
preset = "centaur-mixed-256g"
[drive.group.slc.chip]
blocks_per_plane = 256
pages_per_block = 32
[drive.group.tlc.chip]
blocks_per_plane = 179
pages_per_block = 192
[host]
write_buffer_mib = 2
[workload]
source = "twin:centaur/prxy_0:requests=3e5,ops=write"
"""

_DISPATCHERS = (
    runs.Variant("SLC/MLC", ("technique.centaur.mode=slc_mlc",)),
    runs.Variant("Centaur", ("technique.centaur.mode=centaur",)),
)

# A drive of today in small, and bursts that its SLC cache holds.
_TODAY = """
preset = "nvme-tlc-1t"
[drive]
over_provisioning = 0.3
[drive.chip]
blocks_per_plane = 40
pages_per_block = 66
layers_per_block = 0
[technique.slc_cache]
static_mib = 44
dynamic_mib = 220
[precondition]
pattern = "random"
fill = 0.5
[workload]
source = "uniform:requests=2e5,read=0.3,size_kib=16,interval_us=100,arrival=bursty,burst=4000"
"""

# LazyRS's drive, and as many requests of its mail server as show how writes gain.
_LATE = """
preset = "lazyrs-16g"
[workload]
source = "varmail:requests=1e5"
"""

# A small drive of REO's chip, written until it turns read-only; an erase wears a block as 49 would.
_WORN_OUT = """
[run]
cycles_per_erase = 49
window_drive_writes = 1.0
[drive]
channels = 2
chips_per_channel = 1
over_provisioning = 0.28
scheduling.order = "reads_first"
scheduling.suspend_erase = true
[drive.chip]
preset = "reo-tlc"
planes = 2
blocks_per_plane = 64
pages_per_block = 96
[ftl]
gc.free_block_threshold = 0.03
wear.policy = "static"
wear.threshold = 300
[precondition]
pattern = "steady"
[workload]
source = "zipf:requests=1e5,read=0.5,interval_us=2000,size_kib=16"
repeat = 1000
"""

# A drive without capacitor, the program in whose midst power fails, and the drive if flushes lie.
_CUT = """
preset = "tiny"
[power]
protection = "none"
[workload]
source = "zipf:requests=5e3,theta=0.9,flush=0.01,trim=0.005"
"""
_CUT_AT = 9_000
_CUT_DRIVES = (runs.Variant("no capacitor"), runs.Variant("flushes lie", ("power.flushes=lie",)))

_NO_CACHE = ("size=static", "static_mib=0", "static_share=0")

_CACHES = (
    runs.Variant("no cache", tuple(f"technique.slc_cache.{key}" for key in _NO_CACHE)),
    runs.Variant("SLC cache"),
)

_ERASES = (
    runs.Variant("ISPE", ("erase.scheme=ispe",)),
    runs.Variant("AERO", ("erase.scheme=aero",)),
    runs.Variant("REO", ("erase.scheme=reo",)),
)


def _with_and_without(technique: str) -> tuple[runs.Variant, ...]:
    return tuple(map(runs.of_technique, (runs.CONVENTIONAL, technique)))


def demo(out: Path | None, force: bool, progress_mode: Mode | None, as_json: bool) -> None:
    """Runs the comparisons, prints them, and writes their report."""

    def work(start: progress.Start) -> Comparison:
        parts = (
            _part("ReSSD's drive", _REPROGRAMMED, _with_and_without("ressd"), (), start),
            _part("LLH-FTL's drive", _WRITTEN_TWICE, _with_and_without("llh_ftl"), (), start),
            _part("2D and 3D flash", _TWO_KINDS, _DISPATCHERS, (), start),
            _part("a drive of today", _TODAY, _CACHES, (), start),
            _part("LazyRS's drive", _LATE, _with_and_without("lazy_ftl"), (), start),
            _part("a life", _WORN_OUT, _ERASES, (), start),
            *(of_league(division, start) for division in drives.DIVISIONS),
            _part(
                "policies", _DRIVE, (runs.Variant(runs.CONVENTIONAL), *_POLICIES), _WORKLOADS, start
            ),
        )
        reports.update(power_cut(start))
        return Comparison([case for part in parts for case in part.cases])

    def save(comparison: Comparison, folder: Path) -> None:
        storage.save_comparison(comparison, folder)
        storage.save_cuts(reports, folder)

    reports: dict[str, CutReport] = {}
    out = out or default_folder("demo", force)
    comparison = carry_out(work, save, out, force, progress_mode)
    show_comparison(comparison, out, as_json, outages.story(reports))


def power_cut(start: progress.Start) -> dict[str, CutReport]:
    """What a power cut takes from a drive, and from one that lies."""
    base = Configuration(_CUT, "the demo: a power cut")
    return {
        drive.name: cutting.cut(
            base.with_overrides(drive.overrides), at=_CUT_AT, progress=start(drive.name)
        )
        for drive in _CUT_DRIVES
    }


def of_league(division: Division, start: progress.Start) -> Comparison:
    """What competes in a division of the quick league, under its typical workload.

    The workload's name tells the division: drives on other flash are not compared with these.
    """
    base = division.base.with_overrides([f"{heats.ACKNOWLEDGE}={heats.QUICK.acknowledge[0]}"])
    found, _ = heats.admitted(division, base, ())
    load = heats.QUICK.text(heats.TYPICAL, division)
    cases = comparing.compare_variants(base, found, [load], progress=start).cases
    name = f"the league, {division.name}: {load}"
    return Comparison([replace(case, workload=name) for case in cases])


def _part(
    name: str,
    drive: str,
    variants: Sequence[runs.Variant],
    workloads: Sequence[str],
    start: progress.Start,
) -> Comparison:
    base = Configuration(drive, f"the demo: {name}")
    return comparing.compare_variants(base, variants, workloads, progress=start)
