"""Times Wordline beside MQSim and SSDSim on the same drive and the same three traces.

Each binary is the user's own, named by MQSIM and SSDSIM; without one of them it is left out.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import mqsim
import ours
import ssdsim
from drive import Drive, drive
from measure import RunError, Work
from peers import MQSIM, SSDSIM, NoProgramError
from speeds import MODES, Runs, Table, entries, table
from wordline.native import build
from wordline.persistence import files
from workloads import Plan, Trace, Workload

BLOCKS_PER_PLANE = 1024
QUICK_BLOCKS_PER_PLANE = 512
RESERVE_SHARE = 0.05
"""Of a plane's blocks: GC runs when fewer are free."""
FILLED_SHARE = 25 / 32
"""Of the flash: 12.5 GiB of 16."""
FILL_PAGES = 32
AGING_SHARE = 0.458
"""Of the pages filled: 1.5 million writes."""
MEASURED_SHARE = 0.305
"""Of the pages filled: a million requests."""
SEED = 2

UNIFORM = Workload("uniform writes", 0.0, True, 400_000, MEASURED_SHARE)
ZIPF = Workload("Zipf, half reads", 0.5, True, 400_000, MEASURED_SHARE, zipf_theta=0.99)
WORKLOADS = {"fill, age": None, "+ uniform writes": UNIFORM, "+ Zipf, half reads": ZIPF}

Replay = Callable[[Trace], Work]


def main() -> int:
    """Runs the comparison; returns the exit status."""
    options = _options()
    try:
        binaries = {peer: peer.binary() for peer in (MQSIM, SSDSIM)}
    except NoProgramError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for peer, binary in binaries.items():
        if binary is None:
            print(peer.skipped())
    found = {peer.name: binary for peer, binary in binaries.items() if binary}
    if not found:
        return 0
    if note := build.note():
        print(note, file=sys.stderr)
    try:
        measured = _measure(found, options)
    except RunError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(table(measured))
    if options.json:
        files.write(options.json, json.dumps({"speed": entries(measured)}, indent=1) + "\n")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python bench-compare/speed.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="of all simulators (default 3)")
    parser.add_argument("--quick", action="store_true", help="a drive of half the size")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument(
        "--timeout", type=float, default=600, help="seconds for one run (default 600)"
    )
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds: at least 1")
    return options


def _measure(binaries: Mapping[str, Path], options: argparse.Namespace) -> Table:
    """Every simulator on every trace, in turn, round by round.

    Raises:
        RunError: Wordline failed.
    """
    blocks = QUICK_BLOCKS_PER_PLANE if options.quick else BLOCKS_PER_PLANE
    common = drive(blocks, round(blocks * RESERVE_SHARE))
    filled = int(common.physical_pages * FILLED_SHARE)
    plan = Plan(filled, common.page_bytes, AGING_SHARE, FILL_PAGES)
    with tempfile.TemporaryDirectory(prefix="bench-compare-") as name:
        folder = Path(name)
        traces = {
            workload: plan.prefix(folder / "0.trace", aged=True)
            if shape is None
            else plan.whole(folder / f"{number}.trace", shape, SEED)
            for number, (workload, shape) in enumerate(WORKLOADS.items())
        }
        simulators = _simulators(binaries, common, folder, options.timeout)
        measured = {workload: {name: Runs() for name in simulators} for workload in traces}
        for number in range(options.rounds):
            for workload, trace in traces.items():
                print(f"round {number + 1} of {options.rounds}: {workload}", file=sys.stderr)
                for simulator, replay in simulators.items():
                    _run(replay, trace, measured[workload][simulator], simulator in binaries)
    return measured


def _simulators(
    binaries: Mapping[str, Path], common: Drive, folder: Path, timeout_s: float
) -> Mapping[str, Replay]:
    """Peers and modes in turn, as they run."""
    peers: dict[str, Replay] = {}
    if binary := binaries.get(MQSIM.name):
        peers[MQSIM.name] = lambda trace: mqsim.totals(binary, common, trace, folder, timeout_s)
    if other := binaries.get(SSDSIM.name):
        peers[SSDSIM.name] = lambda trace: ssdsim.work(other, common, trace, folder, timeout_s)
    modes: dict[str, Replay] = {
        mode.name: lambda trace, sets=mode.sets: ours.work(common, sets, trace, folder, timeout_s)
        for mode in MODES
    }
    turns: dict[str, Replay] = {}
    waiting = list(peers.items())
    for name, replay in modes.items():
        turns.update([waiting.pop(0)] if waiting else [])
        turns[name] = replay
    return turns


def _run(replay: Replay, trace: Trace, runs: Runs, may_fail: bool) -> None:
    """Once more, unless it failed before; a peer may."""
    if runs.failure:
        return
    try:
        runs.work.append(replay(trace))
    except RunError as error:
        if not may_fail:
            raise
        print(error, file=sys.stderr)
        runs.failure = str(error)


if __name__ == "__main__":
    sys.exit(main())
