"""What the demo asks of each technique: a drive, a load that suits it, and one that does not."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from wordline.configuration import Configuration, find
from wordline.figures.metrics import LAZY, METRICS, Metric
from wordline.results.result import Comparison
from wordline.runs.single_run import CONVENTIONAL, Variant, of_technique


@dataclass(frozen=True)
class Load:
    """A workload, and by what a drive is judged under it.

    Attributes:
        name: What it stands for.
        workload: Its specification.
        metric: The name of the figure.
        keys: What it changes of the drive, as `key=value`.
    """

    name: str
    workload: str
    metric: str
    keys: tuple[str, ...] = ()

    @property
    def figure(self) -> Metric:
        """The figure by which a drive is judged."""
        return next(metric for metric in (*METRICS, *LAZY) if metric.key == self.metric)


@dataclass(frozen=True)
class Question:
    """Whether a technique pays.

    Attributes:
        name: The technique.
        does: What it does, as a clause that follows its name.
        drive: The tables of the drive on which it runs.
        loads: One that suits it, and one that does not.
        variants: The drive without the technique, and with it.
    """

    name: str
    does: str
    drive: Mapping[str, Any]
    loads: tuple[Load, Load]
    variants: tuple[Variant, Variant]

    def base(self, load: Load) -> Configuration:
        """The drive without the technique, for a load."""
        return find(self.drive).with_overrides(load.keys)

    def label(self, load: Load) -> str:
        """A load of this question, among those of all."""
        return f"{self.name}: {load.name}"

    def named(self, load: Load, found: Comparison) -> Comparison:
        """The runs of a load, under its name."""
        return Comparison([replace(case, workload=self.label(load)) for case in found.cases])

    def pair(self, load: Load, found: Comparison) -> tuple[float, float]:
        """The figure of a load without the technique, and with it.

        Raises:
            ValueError: A run lacks the figure.
        """
        without, with_it = (load.figure.of(case.result) for case in found.of(self.label(load)))
        if not without or with_it is None:
            raise ValueError(f"{self.label(load)} has no {load.figure.label}")
        return without, with_it


def _by_technique(name: str) -> tuple[Variant, Variant]:
    return of_technique(CONVENTIONAL), of_technique(name)


def _by(key: str, without: str, with_it: str) -> tuple[Variant, Variant]:
    return Variant(without, (f"{key}={without}",)), Variant(with_it, (f"{key}={with_it}",))


# A day of LazyRS's modes takes ten seconds, so that second stages come due within the run.
_LAZY = {
    "preset": "tiny-tlc",
    "host": {"mode": "closed", "queue_depth": 8},
    "technique": {"lazy_ftl": {"day_s": 10, "moves": "lazy"}},
}

# A drive of REO's chip; an erase wears a block as 200 would, so that a life takes a second.
_REO = {
    "preset": "tiny-tlc",
    "run": {"cycles_per_erase": 200, "window_drive_writes": 1.0},
    "drive": {
        "chip": {
            "preset": "reo-tlc",
            "planes": 1,
            "blocks_per_plane": 64,
            "pages_per_block": 48,
            "page_kib": 4,
        },
        "reads": {"model": "cell"},
    },
    "ftl": {"wear": {"policy": "static", "threshold": 300}},
}

_CACHE = {"size": "hybrid", "static_mib": 4, "dynamic_mib": 44, "program_us": 200, "read_us": 30}
_NO_CACHE = ("size=static", "static_mib=0", "static_share=0")


def _bursts(name: str, requests: int) -> Load:
    """Bursts of so many requests, eight of them in flight, with a second of rest after each."""
    rest = ("host.mode=closed", "host.queue_depth=8", "host.pause_s=1")
    keys = (*rest, f"host.burst_requests={requests}")
    return Load(name, "uniform:requests=2e5,read=0.3", "iops", keys)


QUESTIONS = (
    Question(
        "ReSSD",
        "reprograms word lines before an erase, once some of their pages are invalid",
        {"preset": "tiny-tlc"},
        (
            Load(
                "half are flushes",
                "zipf:requests=1e5,theta=0.9,read=0.3,flush=0.5,interval_us=2000",
                "erases_per_gib",
            ),
            Load(
                "no flushes",
                "zipf:requests=1e5,theta=0.9,read=0.3,interval_us=2000",
                "erases_per_gib",
            ),
        ),
        _by_technique("ressd"),
    ),
    Question(
        "LazyRS",
        "programs fast first, and a second time only what lives long",
        _LAZY,
        (
            Load(
                "a few hot pages",
                "zipf:requests=1e5,theta=1.2,read=0.3",
                "iops_if_secured",
            ),
            Load("all pages alike", "uniform:requests=1e5,read=0.3", "iops_if_secured"),
        ),
        _by_technique("lazy_ftl"),
    ),
    Question(
        "LLH-FTL",
        "writes MLC pages twice before an erase, by a code",
        {"preset": "tiny-mlc"},
        (
            Load(
                "a few hot pages",
                "zipf:requests=2e5,theta=1.2,read=0.3,interval_us=500",
                "erases_per_gib",
            ),
            Load(
                "all pages alike",
                "uniform:requests=2e5,read=0.3,interval_us=500",
                "erases_per_gib",
            ),
        ),
        _by_technique("llh_ftl"),
    ),
    Question(
        "Centaur",
        "gives each write to planar SLC or to 3D TLC, as its size, wear and load ask",
        {"preset": "tiny-mixed"},
        (
            Load(
                "small hot writes",
                "hotcold:requests=2e5,hot=0.04,share=0.99,read=0.3,interval_us=500",
                "spent_lifetime",
            ),
            Load(
                "large, in sequence",
                "sequential:writes=3e4,size_kib=64,interval_us=4000",
                "write_mean_us",
            ),
        ),
        _by_technique("centaur"),
    ),
    Question(
        "SLC cache",
        "writes one bit in a cell first, and folds the data later",
        {"preset": "tiny-tlc", "technique": {"slc_cache": _CACHE}},
        (
            _bursts("bursts that fit", 1_000),
            _bursts("bursts that do not", 20_000),
        ),
        (
            Variant("no cache", tuple(f"technique.slc_cache.{key}" for key in _NO_CACHE)),
            Variant("SLC cache"),
        ),
    ),
    Question(
        "REO",
        "erases each block only as long, and at as high a voltage, as it needs",
        _REO,
        (
            Load(
                "until it is worn out",
                "zipf:requests=1e5,theta=0.9,read=0.3,interval_us=500",
                "life_gib",
                ("workload.repeat=1000",),
            ),
            Load(
                "mostly reads",
                "uniform:requests=1e5,read=0.9,interval_us=5000",
                "read_p99_us",
            ),
        ),
        _by("erase.scheme", "ispe", "reo"),
    ),
)
"""The techniques of the papers, and the SLC cache."""
