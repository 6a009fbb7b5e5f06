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


def demo(out: Path, force: bool, mode: Mode | None, as_json: bool) -> None:
    """Runs the comparison, prints it, and writes its report."""
    techniques = (runs.CONVENTIONAL, *catalogue.techniques())
    drives = [*map(runs.of_technique, techniques), *_POLICIES]
    base = Configuration(_DRIVE, "the demo's drive")

    def work(start: progress.Start) -> Comparison:
        return runs.compare_variants(base, drives, _WORKLOADS, progress=start)

    show_comparison(carry_out(work, storage.save_comparison, out, force, mode), out, as_json)
