"""The verb `demo`: policies and every technique on built-in workloads."""

from pathlib import Path

from wordline import catalogue, runs, storage
from wordline.cli import progress
from wordline.cli.options import Mode
from wordline.cli.simulation import carry_out, show_comparison
from wordline.configuration import Configuration
from wordline.result import Comparison

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

# ReSSD needs word lines of three bits, and data that returns after minutes to hours.
_TLC_DRIVE = """
[drive]
channels = 2
chips_per_channel = 1
over_provisioning = 0.28
[drive.chip]
preset = "ressd-tlc"
planes = 2
blocks_per_plane = 64
layers_per_block = 8
pages_per_block = 48
[ftl]
acknowledge = "buffer"
hotness.policy = "interval"
hotness.intervals_min = [30, 60, 120]
[precondition]
pattern = "steady"
"""

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

# Techniques that the demo's drive cannot carry: a drive that can, what it is called without the
# technique, and a workload.
_OTHER_DRIVES = {"ressd": (_TLC_DRIVE, "conventional TLC", "twin:ressd/hm_0:requests=5e4")}


def demo(out: Path, force: bool, mode: Mode | None, as_json: bool) -> None:
    """Runs the comparison, prints it, and writes its report."""

    def work(start: progress.Start) -> Comparison:
        parts = [_on_one_drive(start), *(_on_its_own(name, start) for name in _OTHER_DRIVES)]
        return Comparison([case for part in parts for case in part.cases])

    show_comparison(carry_out(work, storage.save_comparison, out, force, mode), out, as_json)


def _on_one_drive(start: progress.Start) -> Comparison:
    techniques = [name for name in catalogue.techniques() if name not in _OTHER_DRIVES]
    drives = [*map(runs.of_technique, (runs.CONVENTIONAL, *techniques)), *_POLICIES]
    base = Configuration(_DRIVE, "the demo's drive")
    return runs.compare_variants(base, drives, _WORKLOADS, progress=start)


def _on_its_own(technique: str, start: progress.Start) -> Comparison:
    text, conventional, workload = _OTHER_DRIVES[technique]
    base = Configuration(text, f"the demo's drive of {technique}")
    drives = (runs.Variant(conventional), runs.of_technique(technique))
    return runs.compare_variants(base, drives, [workload], progress=start)
