"""Runs Wordline beside another simulator: on the same drive and traces, and on its own scenarios.

The other simulator's binary is the user's own: its path stands in an environment variable, and
without it there is nothing to do.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import mqsim
import ours
import report
import scenarios
from drive import Drive, drive
from measure import Account, RunError
from peers import MQSIM, NoProgramError
from wordline.native import build
from wordline.persistence import files
from workloads import WORKLOADS, Plan, Trace

FULL_BLOCKS_PER_PLANE = 1024
QUICK_BLOCKS_PER_PLANE = 256
SEED = 2


def main() -> int:
    """Runs the comparison; returns the exit status."""
    options = _options()
    try:
        binary = MQSIM.binary()
    except NoProgramError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if binary is None:
        print(MQSIM.skipped())
        return 0
    if note := build.note():
        print(note, file=sys.stderr)
    try:
        # First, because what cannot be used in them is found at once.
        own = _scenarios(binary, options) if options.scenarios or not options.quick else []
        rows = own if options.scenarios else _compare(binary, options) + own
    except RunError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(report.table(rows))
    if options.json:
        files.write(options.json, json.dumps(report.contract(rows), indent=1) + "\n")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python bench-compare", description=__doc__)
    parser.add_argument("--repeats", type=_positive, default=3, help="interleaved runs (default 3)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a drive of a quarter of the size, and none of MQSim's own scenarios",
    )
    parser.add_argument("--scenarios", action="store_true", help="MQSim's own scenarios alone")
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


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _compare(binary: Path, options: argparse.Namespace) -> list[report.Row]:
    common = drive(QUICK_BLOCKS_PER_PLANE if options.quick else FULL_BLOCKS_PER_PLANE)
    plan = Plan(common.logical_pages, common.page_bytes)
    with tempfile.TemporaryDirectory(prefix="bench-compare-") as name:
        folder = Path(name)
        prefixes = {aged: plan.prefix(folder / f"{aged}.trace", aged) for aged in (False, True)}
        traces = {w: plan.whole(folder / f"{w.name}.trace", w, SEED) for w in WORKLOADS}
        accounts = {trace: Account() for trace in (*prefixes.values(), *traces.values())}
        for repeat in range(options.repeats):
            print(f"run {repeat + 1} of {options.repeats}", file=sys.stderr)
            for trace, account in accounts.items():
                _replay(trace, account, binary, common, folder, options)
    return [
        row
        for workload, trace in traces.items()
        for row in report.rows_of(workload, accounts[prefixes[workload.aged]], accounts[trace])
    ]


def _scenarios(binary: Path, options: argparse.Namespace) -> list[report.Row]:
    with tempfile.TemporaryDirectory(prefix="bench-compare-") as name:
        return scenarios.rows(binary, Path(name), options.sets, options.timeout)


def _replay(
    trace: Trace,
    account: Account,
    binary: Path,
    common: Drive,
    folder: Path,
    options: argparse.Namespace,
) -> None:
    """Replays a trace in both simulators; where the other one failed, in Wordline alone."""
    account.ours.append(ours.totals(common, options.sets, trace, folder, options.timeout))
    if account.failure:
        return
    try:
        account.theirs.append(mqsim.totals(binary, common, trace, folder, options.timeout))
    except RunError as error:
        print(f"{trace.path.stem}: {error}", file=sys.stderr)
        account.failure = str(error)


if __name__ == "__main__":
    sys.exit(main())
