"""How tenants of one drive fare beside one another, against each of them alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wordline.figures.comparison_view import Outcome
from wordline.native.types.run import StreamSummary

Statistic = Literal["mean", "p99"]
STATISTICS: tuple[Statistic, ...] = ("mean", "p99")
"""The latencies by which tenants are judged."""

_EARLY = 0.9  # of the run: a tenant that ends before leaves the others alone


@dataclass(frozen=True)
class Tenant:
    """A stream beside the others and alone.

    Attributes:
        shared: What it saw beside the others.
        alone: What it saw alone on the same drive.
    """

    shared: StreamSummary
    alone: StreamSummary

    @property
    def name(self) -> str:
        """Its number, and its queue or, where it has one of its own, its name in the workload."""
        return f"{self.shared.stream} {self.shared.queue or self.shared.name}".rstrip()

    def slowdown(self, statistic: Statistic) -> float | None:
        """Its latency beside the others by that alone; `None` where it took no time alone."""
        shared, alone = (one[f"{statistic}_us"] for one in (self.shared, self.alone))
        return shared / alone if alone else None

    @property
    def span_s(self) -> float | None:
        """From its first arrival to its last end, beside the others."""
        requests = self.shared.read.count + self.shared.write.count
        return requests / self.shared.iops if self.shared.iops else None

    def to_dict(self) -> dict[str, Any]:
        """It as plain values."""
        told: dict[str, Any] = {key: self.shared[key] for key in ("stream", "name", "queue")}
        for key in ("iops", "mean_us", "p99_us"):
            told |= {key: self.shared[key], f"alone_{key}": self.alone[key]}
        return told | {f"slowdown_{one}": self.slowdown(one) for one in STATISTICS}


@dataclass(frozen=True)
class Tenants:
    """The tenants of a run."""

    tenants: Sequence[Tenant]

    def slowdowns(self, statistic: Statistic) -> list[float] | None:
        """Those of all tenants; `None` where one has none."""
        found = [tenant.slowdown(statistic) for tenant in self.tenants]
        known = [one for one in found if one]
        return known if len(known) == len(found) else None

    def fairness(self, statistic: Statistic) -> float | None:
        """The least slowdown by the greatest: 1 where all tenants are slowed alike."""
        slowdowns = self.slowdowns(statistic)
        return min(slowdowns) / max(slowdowns) if slowdowns else None

    def weighted_speedup(self, statistic: Statistic) -> float | None:
        """The sum of latencies alone by those beside the others: as many as tenants at best."""
        slowdowns = self.slowdowns(statistic)
        return sum(1 / one for one in slowdowns) if slowdowns else None

    def to_dict(self) -> dict[str, Any]:
        """They as plain values."""
        told: dict[str, Any] = {"streams": [tenant.to_dict() for tenant in self.tenants]}
        for one in STATISTICS:
            told[f"fairness_{one}"] = self.fairness(one)
            told[f"weighted_speedup_{one}"] = self.weighted_speedup(one)
        return told

    def ended_early(self) -> Iterator[Tenant]:
        """Tenants that ended long before the last, which was then as good as alone."""
        spans = [(tenant, tenant.span_s or 0.0) for tenant in self.tenants]
        longest = max(span for _, span in spans)
        yield from (tenant for tenant, span in spans if span < _EARLY * longest)


def of(shared: Outcome, alone: Sequence[Outcome]) -> Tenants:
    """The tenants of a run, from one run of each of its streams alone."""
    by_number = {one.stream: one for run in alone for one in run.host.streams}
    return Tenants([Tenant(one, by_number[one.stream]) for one in shared.host.streams])
