"""The heats: what a league runs, each a sweep over the drives of a division."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wordline.configuration import Configuration, overrides_of, toml_value
from wordline.errors import WordlineError
from wordline.leagues.drives import DIVISIONS, Division, asked
from wordline.runs import Variant
from wordline.sweeps.spec import Axis, Spec

MAP, SPACE, LIFE, ARRAY, CUT = "map", "space", "life", "array", "cut"
"""Names of the heats: workloads, over-provisioning, lives to their end, a RAID 5, power cuts."""

ACKNOWLEDGE, OVER_PROVISIONING = "ftl.acknowledge", "drive.over_provisioning"
_BUFFER, _PROGRAM = "buffer", "program"
FLAT_OUT_US = 0
"""The interval of requests that arrive as fast as the drive takes them."""


@dataclass(frozen=True)
class Load:
    """A workload: skew and intensity.

    Attributes:
        theta: Exponent of Zipf's law; 0 for uniform addresses.
        interval_us: Mean time between requests; 0 for 32 requests in flight at any time.
    """

    theta: float
    interval_us: int

    def text(self, requests: int) -> str:
        """The generator: three of four requests write; hot addresses come first, for the oracle."""
        return (
            f"zipf:theta={self.theta:g},interval_us={self.interval_us},requests={requests},"
            "read=0.25,size_kib=16,scatter=off"
        )


@dataclass(frozen=True)
class Extent:
    """How much a league runs.

    Attributes:
        thetas: Skews of the map.
        intervals_us: Intensities of the map.
        requests: Requests of a run.
        settles: Whether divisions whose drives need more to settle get them.
        acknowledge: When writes end.
        spare: Over-provisioning in the heat `space`, of the division's own; none leaves it out.
        seeds: Seeds of each run.
        cycles_per_erase: P/E cycles that an erase stands for in the heat `life`.
        repeats: How often the workload is replayed there, at most.
        has_array: Whether the heat `array` is run.
        cut_requests: Requests of a run whose power is cut.
        cut_every: Its power is cut at one of so many moments.
    """

    thetas: tuple[float, ...]
    intervals_us: tuple[int, ...]
    requests: int
    settles: bool
    acknowledge: tuple[str, ...]
    spare: tuple[float, ...]
    seeds: int
    cycles_per_erase: int
    repeats: int
    has_array: bool
    cut_requests: int
    cut_every: int

    def loads(self) -> list[Load]:
        """Every workload of the map."""
        return [Load(*one) for one in itertools.product(self.thetas, self.intervals_us)]

    def text(self, load: Load, division: Division) -> str:
        """A workload for drives of a division."""
        return load.text(self.requests * (division.longer if self.settles else 1))

    def cut_text(self) -> str:
        """The workload of runs whose power is cut: the typical one, with flushes."""
        return f"{TYPICAL.text(self.cut_requests)},flush={_FLUSHES}"


WHOLE = Extent(
    thetas=(0, 0.9, 1.2),
    intervals_us=(10_000, 3000, FLAT_OUT_US),
    requests=100_000,
    settles=True,
    acknowledge=(_BUFFER, _PROGRAM),
    spare=(0.75, 1, 1.5, 2, 3),
    seeds=5,
    cycles_per_erase=100,
    repeats=40,
    has_array=True,
    cut_requests=20_000,
    cut_every=50,
)
QUICK = Extent(
    thetas=(0, 0.9),
    intervals_us=(3000, FLAT_OUT_US),
    requests=60_000,
    settles=False,
    acknowledge=(_BUFFER,),
    spare=(),
    seeds=3,
    cycles_per_erase=400,
    repeats=20,
    has_array=False,
    cut_requests=20_000,
    cut_every=50,
)

TYPICAL = Load(0.9, 3000)
"""The workload of the heats beside the map, and of the table."""
FLAT_OUT = Load(TYPICAL.theta, FLAT_OUT_US)
"""The workload that throughput is taken from."""

_FLUSHES = 0.01  # of the requests of a run whose power is cut

_LEVELLED: Mapping[str, Any] = {"wear": {"policy": "static", "threshold": 300}}


@dataclass(frozen=True)
class Refusal:
    """A drive that cannot be built, and why.

    Attributes:
        division: Its division.
        heat: The heat that it is missing in.
        variant: What was to be on it.
        why: What the simulator says.
    """

    division: str
    heat: str
    variant: str
    why: str


@dataclass(frozen=True)
class Heat:
    """A sweep over the drives of a division.

    Attributes:
        division: The division.
        name: `map`, `space`, `life` or `array`.
        spec: The sweep; the conventional drive is its first.
        refused: Drives that cannot be built.
    """

    division: Division
    name: str
    spec: Spec
    refused: Sequence[Refusal]


@dataclass(frozen=True)
class _Plan:
    """A heat of any division."""

    name: str
    loads: Sequence[Load]
    tables: Mapping[str, Any] = field(default_factory=dict)
    spare: Sequence[float] = ()
    wears_out: bool = False


def heats(extent: Extent) -> Iterator[Heat]:
    """Every heat of every division, its drives tried.

    Raises:
        WordlineError: A conventional drive cannot be built.
    """
    plans = [_Plan(MAP, extent.loads())]
    if extent.spare:
        plans.append(_Plan(SPACE, [TYPICAL], spare=extent.spare))
    living = {
        "run": {"cycles_per_erase": extent.cycles_per_erase},
        "workload": {"repeat": extent.repeats},
        "ftl": _LEVELLED,
    }
    plans.append(_Plan(LIFE, [TYPICAL], living, wears_out=True))
    if extent.has_array:
        plans.append(_Plan(ARRAY, [TYPICAL], {"array": {"level": "raid5"}}))
    for division, plan in itertools.product(DIVISIONS, plans):
        if division.is_worn_out or not plan.wears_out:
            yield _heat(division, plan, extent)


def _heat(division: Division, plan: _Plan, extent: Extent) -> Heat:
    axes: dict[str, Sequence[Any]] = {ACKNOWLEDGE: extent.acknowledge}
    if plan.spare:
        axes[OVER_PROVISIONING] = [division.over_provisioning * times for times in plan.spare]
    base = division.base.with_overrides(overrides_of(plan.tables))
    settings = [
        tuple(f"{key}={toml_value(value)}" for key, value in zip(axes, values, strict=True))
        for values in itertools.product(*axes.values())
    ]
    found, refused = admitted(division, base, settings, plan.name)
    spec = Spec(
        base,
        name=f"{division.name}, {plan.name}",
        variants=tuple(found),
        workloads=tuple(extent.text(load, division) for load in plan.loads),
        axes=tuple(Axis((key,), tuple((v,) for v in values)) for key, values in axes.items()),
        seeds=tuple(range(1, extent.seeds + 1)),
        origin="the league",
    )
    return Heat(division, plan.name, spec, refused)


def admitted(
    division: Division, base: Configuration, settings: Sequence[tuple[str, ...]], heat: str = ""
) -> tuple[list[Variant], list[Refusal]]:
    """Drives that can be built with all settings; the others, each with the reason.

    Raises:
        WordlineError: The conventional drive cannot be built.
    """
    found: list[Variant] = []
    refused: list[Refusal] = []
    for variant in asked(division):
        why = _refusal(base, variant, settings or [()])
        if why is None:
            found.append(variant)
        elif found:
            refused.append(Refusal(division.name, heat, variant.name, why.what))
        else:  # the conventional drive itself
            raise why
    return found, refused


def _refusal(
    base: Configuration, variant: Variant, settings: Sequence[tuple[str, ...]]
) -> WordlineError | None:
    """Why a drive cannot be built with one of these settings; `None` where it can with all."""
    try:
        for keys in settings:
            base.with_overrides((*variant.overrides, *keys)).check_drives()
    except WordlineError as error:
        return error
    return None
