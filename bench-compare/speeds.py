"""How fast each simulator was: the modes of Wordline with their goals, and the table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from measure import Work
from peers import MQSIM, SSDSIM


@dataclass(frozen=True)
class Mode:
    """A way in which Wordline times a drive, and how many times a peer's speed it should have."""

    name: str
    sets: tuple[str, ...]
    goals: Mapping[str, float]


MODES = (
    Mode("count", ("run.mode=count", "drive.scheduling.order=in_order"), {MQSIM.name: 50}),
    Mode("in order", ("drive.scheduling.order=in_order",), {MQSIM.name: 35, SSDSIM.name: 8}),
    Mode(
        "priorities, suspension",
        (
            "drive.scheduling.order=reads_first",
            "drive.scheduling.suspend_program=true",
            "drive.scheduling.suspend_erase=true",
        ),
        {MQSIM.name: 20, SSDSIM.name: 5},
    ),
)


@dataclass
class Runs:
    """What one simulator made of one trace, round by round."""

    work: list[Work] = field(default_factory=list)
    failure: str = ""
    """Why it has no more."""

    def cpu_s(self) -> float:
        """The median."""
        return median(work.cpu_s for work in self.work)


Table = Mapping[str, Mapping[str, Runs]]
"""By workload and simulator."""


def ratios(ours: Runs, theirs: Runs) -> tuple[float, float, float] | None:
    """By how much ours is faster: of the medians, and the lowest and highest of a round.

    None where the peer has no round.
    """
    if theirs.failure or not theirs.work:
        return None
    rounds = [other.cpu_s / own.cpu_s for own, other in zip(ours.work, theirs.work, strict=True)]
    return theirs.cpu_s() / ours.cpu_s(), min(rounds), max(rounds)


def entries(measured: Table) -> Sequence[Mapping[str, Any]]:
    """A row for each workload and simulator."""
    return [
        _entry(workload, name, row)
        for workload, row in measured.items()
        for name in sorted(row, key=_place)
    ]


def _place(name: str) -> int:
    """Peers first, then our modes."""
    return [MQSIM.name, SSDSIM.name, *(mode.name for mode in MODES)].index(name)


def _entry(workload: str, name: str, row: Mapping[str, Runs]) -> Mapping[str, Any]:
    runs = row[name]
    if runs.failure:
        return {"workload": workload, "simulator": name, "failure": runs.failure}
    last = runs.work[-1]
    mode = next((mode for mode in MODES if mode.name == name), None)
    against = [peer for peer in (MQSIM.name, SSDSIM.name) if mode and peer in row]
    return {
        "workload": workload,
        "simulator": name,
        "rounds": len(runs.work),
        "cpu_s": runs.cpu_s(),
        "requests_per_cpu_s": last.requests / runs.cpu_s(),
        "flash_ops_per_cpu_s": last.flash_operations / runs.cpu_s(),
        "programs": last.programs,
        "erases": last.erases,
        "lost_requests": last.lost_requests,
        "peak_rss_mib": median(work.peak_rss_mib for work in runs.work),
        "times": {peer: ratios(runs, row[peer]) for peer in against},
        "goals": {peer: mode.goals.get(peer) for peer in against} if mode else {},
    }


def table(measured: Table) -> str:
    """The rows for people, the range of the rounds in brackets and the goal after it."""
    lines = [
        f"{'workload':<19} {'simulator':<22} {'k requests':>10} {'M flash ops':>11} "
        f"{'× MQSim':>17} {'goal':>4} {'× SSDSim':>17} {'goal':>4} "
        f"{'M programs':>10} {'lost':>5} {'MiB':>5}",
        f"{'':<42} {'/CPU s':>10} {'/CPU s':>11}",
    ]
    for row in entries(measured):
        start = f"{row['workload']:<19} {row['simulator']:<22}"
        if "failure" in row:
            lines.append(f"{start} failed: {row['failure']}")
            continue
        lines.append(
            f"{start} {row['requests_per_cpu_s'] / 1e3:>10,.0f} "
            f"{row['flash_ops_per_cpu_s'] / 1e6:>11.2f} "
            f"{_times(row, MQSIM.name)} {_times(row, SSDSIM.name)} "
            f"{row['programs'] / 1e6:>10.2f} {row['lost_requests']:>5,.0f} "
            f"{row['peak_rss_mib']:>5.0f}"
        )
    return "\n".join(lines)


def _times(row: Mapping[str, Any], peer: str) -> str:
    found, goal = row["times"].get(peer), row["goals"].get(peer)
    shown = f"{found[0]:.1f} ({found[1]:.1f}–{found[2]:.1f})" if found else ""
    return f"{shown:>17} {goal or '':>4}"
