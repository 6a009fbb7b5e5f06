"""What the publication measures, from the result of a run."""

from wordline.native.types.record import Tree
from wordline.native.types.run import RunResult
from wordline.reproduce.study import known


def lazy(result: RunResult) -> Tree:
    """What lazyFTL reports."""
    return result.technique["lazy_ftl"]


def iops(result: RunResult, host: str) -> float:
    """Requests a second.

    A replay at fixed times has the same for every drive: of it, the reciprocal of mean latency.
    """
    return 1e6 / result.host.mean_us if host == "days" else known(result.host.iops)


def second_stages(result: RunResult) -> int:
    """Word lines that had a second stage."""
    done = lazy(result).second_stages
    return done.idle + done.due


def reprogramming_ratio(result: RunResult) -> float:
    """Second stages in percent of first stages; the publication does not say of what."""
    return 100 * second_stages(result) / max(lazy(result).first_stages, 1)


def idle_share(result: RunResult) -> float:
    """Second stages in idle time, in percent of all."""
    return 100 * lazy(result).second_stages.idle / max(second_stages(result), 1)


def programs(result: RunResult) -> int:
    """Program operations of all kinds."""
    return result.flash.program_operations
