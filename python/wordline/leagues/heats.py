"""The heats: what a league runs, each a sweep over the drives of a division."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wordline.configuration import Configuration, overrides_of, toml_value
from wordline.errors import WordlineError
from wordline.leagues.drives import DIVISIONS, Division, asked
from wordline.runs.single_run import Variant
from wordline.sweeps.spec import Axis, Spec

MAP, SIZE, NAMED, SPACE, LIFE, ARRAY, CUT = (
    "map", "size", "named", "space", "life", "array", "cut",
)  # fmt: skip
"""Names of the heats: workloads by skew and intensity, by the size of requests, and by what drives
are for; over-provisioning, lives to their end, a RAID 5, power cuts."""

ACKNOWLEDGE, OVER_PROVISIONING = "ftl.acknowledge", "drive.over_provisioning"
_BUFFER, _PROGRAM = "buffer", "program"
FLAT_OUT_US = 0
"""The interval of requests that arrive as fast as the drive takes them."""


@dataclass(frozen=True)
class Load:
    """A workload: skew, intensity and size, or one that is named after what writes it.

    Attributes:
        theta: Exponent of Zipf's law; 0 for uniform addresses, and for those in sequence.
        interval_us: Mean time between requests; 0 for 32 requests in flight at any time.
        size_kib: Size of a request.
        name: What writes it; empty in the map.
        generator: The beginning of its text, without the addresses' skew; empty for Zipf's law.
        read: Share of requests that read.
        more: Further parameters of the generator.
    """

    theta: float
    interval_us: int
    size_kib: int = 16
    name: str = ""
    generator: str = ""
    read: float = 0.25
    more: str = ""

    def text(self, requests: int) -> str:
        """The generator; hot addresses come first, for the oracle.

        But for flushes it writes as much as the typical one does with so many requests.
        """
        # What the typical one writes: three of four requests of 16 KiB.
        count = round(requests * (0.75 / (1 - self.read)) * (16 / self.size_kib))
        begin = self.generator or f"zipf:theta={self.theta:g}"
        end = "" if self.generator else ",scatter=off"
        return (
            f"{begin},interval_us={self.interval_us},requests={count},"
            f"read={self.read:g},size_kib={self.size_kib}{self.more}{end}"
        )

    @property
    def flat_out(self) -> "Load":
        """The load with requests as fast as the drive takes them."""
        return replace(self, interval_us=FLAT_OUT_US)


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
        lives: Whether drives live to their end under every workload, not the typical one alone.
        sizes_kib: Sizes of requests in the heat `size`; none leaves it out.
        named: Workloads of the heat `named`, each at its times and flat out.
        worn_only: Further heats that only divisions run whose drives live to their end.
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
    lives: bool
    sizes_kib: tuple[int, ...]
    named: tuple[Load, ...]
    worn_only: tuple[str, ...]
    has_array: bool
    cut_requests: int
    cut_every: int

    def loads(self) -> list[Load]:
        """Every workload."""
        return [*dict.fromkeys((*self.mapped(), *self.sized(), *self.asked()))]

    def mapped(self) -> list[Load]:
        """Every workload of the map."""
        return [Load(*one) for one in itertools.product(self.thetas, self.intervals_us)]

    def sized(self) -> list[Load]:
        """The typical one with other requests, each at its times and flat out."""
        of_sizes = (replace(TYPICAL, size_kib=size_kib) for size_kib in self.sizes_kib)
        return [one for load in of_sizes for one in (load, load.flat_out)]

    def asked(self) -> list[Load]:
        """The named ones, each at its times and flat out."""
        return [one for load in self.named for one in (load, load.flat_out)]

    def lived(self) -> list[Load]:
        """Those under which drives live to their end, at their times: intensity hardly counts."""
        every = [load for load in self.loads() if load.interval_us != FLAT_OUT_US]
        return every if self.lives else [TYPICAL]

    def text(self, load: Load, division: Division) -> str:
        """A workload for drives of a division."""
        return load.text(self.requests * (division.longer if self.settles else 1))

    def cut_text(self) -> str:
        """The workload of runs whose power is cut: the typical one, with flushes."""
        return f"{TYPICAL.text(self.cut_requests)},flush={_FLUSHES}"


TYPICAL = Load(0.9, 3000)
"""The workload of the heats beside the map, and of the table."""
FLAT_OUT = TYPICAL.flat_out
"""The workload that throughput is taken from."""

FOR = (
    # Every record is flushed.
    Load(0, 2000, 16, "database log", "sequential:streams=1", 0.0, ",flush=0.5"),
    # Files that are merged and written anew, and read meanwhile.
    Load(0, 12_000, 128, "key-value store", "sequential:streams=8", 0.5),
    Load(0.9, 6000, 32, "file server", read=0.5, more=",flush=0.05"),
    Load(0, 30_000, 256, "video ingest", "sequential:streams=4", 0.0),
    Load(1.2, 3000, 16, "cache", read=0.5),
)
"""What drives are bought for, as generated workloads; their parameters are chosen, not measured."""

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
    lives=True,
    sizes_kib=(32, 48, 96),
    named=FOR,
    worn_only=(),
    has_array=True,
    cut_requests=20_000,
    cut_every=50,
)
QUICK = Extent(
    thetas=(0.9,),
    intervals_us=(3000, FLAT_OUT_US),
    requests=20_000,
    settles=False,
    acknowledge=(_BUFFER,),
    spare=(),
    seeds=3,
    cycles_per_erase=200,
    repeats=200,
    lives=False,
    sizes_kib=(),
    named=FOR,
    worn_only=(NAMED,),
    has_array=False,
    cut_requests=4000,
    cut_every=50,
)

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
        name: `map`, `size`, `named`, `space`, `life` or `array`.
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
    plans = [_Plan(MAP, extent.mapped())]
    if extent.sizes_kib:
        plans.append(_Plan(SIZE, extent.sized()))
    if extent.named:
        plans.append(_Plan(NAMED, extent.asked()))
    if extent.spare:
        plans.append(_Plan(SPACE, [TYPICAL], spare=extent.spare))
    living = {
        "run": {"cycles_per_erase": extent.cycles_per_erase},
        "workload": {"repeat": extent.repeats},
        "ftl": _LEVELLED,
    }
    plans.append(_Plan(LIFE, extent.lived(), living, wears_out=True))
    if extent.has_array:
        plans.append(_Plan(ARRAY, [TYPICAL], {"array": {"level": "raid5"}}))
    for division, plan in itertools.product(DIVISIONS, plans):
        if division.is_worn_out or not (plan.wears_out or plan.name in extent.worn_only):
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
