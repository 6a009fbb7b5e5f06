"""Runs Wordline beside another simulator on the same drive and the same traces.

The other simulator's binary is the user's own: its path stands in an environment variable, and
without it there is nothing to do.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import mqsim
import ours
import report
from drive import Drive, drive
from measure import RunError, Segment, Totals
from workloads import WORKLOADS, Plan, Trace

FULL_BLOCKS_PER_PLANE = 1024
QUICK_BLOCKS_PER_PLANE = 256
SEED = 2


def main() -> int:
    """Runs the comparison; returns the exit status."""
    options = _options()
    found = os.environ.get("MQSIM")
    if not found:
        print(
            "skipped: there is no MQSim to compare with; build github.com/CMU-SAFARI/MQSim "
            "and set MQSIM to the path of its binary"
        )
        return 0
    resolved = shutil.which(found)
    if resolved is None:
        print(f"error: MQSIM={found}: no such program", file=sys.stderr)
        return 2
    binary = Path(resolved).resolve()
    try:
        runs = _compare(binary, options)
    except RunError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    comparison = report.summarise(runs)
    print(report.table(comparison))
    if options.json:
        options.json.write_text(json.dumps(report.contract(comparison), indent=1) + "\n")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python bench-compare", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="interleaved runs (default 3)")
    parser.add_argument("--quick", action="store_true", help="a drive of a quarter of the size")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the comparison as JSON")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="sets",
        help="override a key of Wordline's configuration alone",
    )
    parser.add_argument(
        "--timeout", type=float, default=300, help="seconds for one run (default 300)"
    )
    return parser.parse_args()


def _compare(binary: Path, options: argparse.Namespace) -> report.Runs:
    common = drive(QUICK_BLOCKS_PER_PLANE if options.quick else FULL_BLOCKS_PER_PLANE)
    plan = Plan(common.logical_pages, common.page_bytes)
    runs = {w.name: report.WorkloadRuns(w.latency_note) for w in WORKLOADS}
    with tempfile.TemporaryDirectory(prefix="bench-compare-") as name:
        folder = Path(name)
        simulators = Simulators(binary, common, folder, options)
        prefixes = {aged: plan.prefix(folder / f"{aged}.trace", aged) for aged in (False, True)}
        traces = {w: plan.whole(folder / f"{w.name}.trace", w, SEED) for w in WORKLOADS}
        for repeat in range(options.repeats):
            print(f"run {repeat + 1} of {options.repeats}", file=sys.stderr)
            before = {
                aged: (simulators.theirs(trace), simulators.ours(trace))
                for aged, trace in prefixes.items()
            }
            for workload, trace in traces.items():
                their_prefix, our_prefix = before[workload.aged]
                run = runs[workload.name]
                run.ours.append(Segment.between(our_prefix, simulators.ours(trace)))
                if run.failure:
                    continue
                try:
                    run.theirs.append(Segment.between(their_prefix, simulators.theirs(trace)))
                except RunError as error:
                    print(f"{workload.name}: {error}", file=sys.stderr)
                    run.failure = str(error)
    return runs


@dataclass(frozen=True)
class Simulators:
    """The two, on the common drive."""

    binary: Path
    common: Drive
    folder: Path
    options: argparse.Namespace

    def theirs(self, trace: Trace) -> Totals:
        """MQSim's account of a trace."""
        return mqsim.totals(self.binary, self.common, trace, self.folder, self.options.timeout)

    def ours(self, trace: Trace) -> Totals:
        """Wordline's account of a trace."""
        options = self.options
        return ours.totals(self.common, options.sets, trace, self.folder, options.timeout)


if __name__ == "__main__":
    sys.exit(main())
