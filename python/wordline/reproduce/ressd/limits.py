"""Where reprogramming stops paying: ReSSD against the drive without it, one condition at a time.

Not published. One drive of 576 GiB on the twin of hm_0, and, for skew, on Zipf's law.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from wordline.reproduce.ressd.drives import Keys
from wordline.reproduce.ressd.measures import MEASURES, changes
from wordline.reproduce.study import Figure, Findings, Load, Study

_RESSD: Keys = ("technique.ressd.layers=2",)
_VOLUME = "hm_0"
_THETAS = (0.5, 0.8, 1.0, 1.2)
_WRITES = 400_000
# The time counts even while the die is busy; by default a program starts when its die is idle.
_WAIT: Keys = ('ftl.program_start="after_timeout"',)

# What is changed, in which steps. Keys that the drive without ReSSD has too, and those of ReSSD.
_DRIVE: Mapping[str, Mapping[str, Keys]] = {
    "last_bound_min": {
        str(bound): (f"ftl.hotness.intervals_min=[{bound / 4}, {bound / 2}, {bound}]",)
        for bound in (30, 60, 120, 480, 1920)
    },
    "registers_wait_s": {
        **{
            str(wait_s): (*_WAIT, f"ftl.merge_timeout_us={wait_s * 1e6}")
            for wait_s in (0.001, 1, 60, 900)
        },
        "until full": ('ftl.acknowledge="buffer"',),
    },
    "over_provisioning": {
        str(share): (f"drive.over_provisioning={share}",) for share in (0.15, 0.2, 0.28, 0.4, 0.6)
    },
}
_OWN: Mapping[str, Mapping[str, Keys]] = {
    "layers": {str(n): (f"technique.ressd.layers={n}",) for n in (1, 2, 4, 16, 64)},
    "reprogram_us": {
        str(time): (*_RESSD, f"technique.ressd.reprogram_us={time}.0")
        for time in (1000, 2000, 2705, 4000, 8000)
    },
    "candidates": {str(n): (*_RESSD, f"technique.ressd.candidates={n}") for n in (0, 1, 2, 4, 8)},
}

_ABOUT = ("consumption", "erases", "write_latency", "read_latency")


def _drives() -> Mapping[str, Keys]:
    drives: dict[str, Keys] = {"baseline": (), "ressd": _RESSD}
    for what, steps in _DRIVE.items():
        for step, keys in steps.items():
            drives[f"baseline {what} {step}"] = keys
            drives[f"ressd {what} {step}"] = (*keys, *_RESSD)
    for what, steps in _OWN.items():
        drives |= {f"ressd {what} {step}": keys for step, keys in steps.items()}
    return drives


def _loads(_: Path | None, quick: bool) -> Sequence[Load]:
    spread = f"size_kib=16,span_mib=2048,interval_us=100000,writes={_WRITES}"
    skewed = [Load(f"zipf {theta}", f"zipf:theta={theta},{spread}") for theta in _THETAS]
    return [Load(_VOLUME, f"twin:ressd/{_VOLUME}"), *([] if quick else skewed)]


def _figure(what: str, title: str, steps: Mapping[str, Keys], *, shared: bool) -> Figure:
    """The changes that ReSSD makes by the steps of one condition."""

    def pair(step: str) -> tuple[str, str]:
        return (f"ressd {what} {step}", f"baseline {what} {step}" if shared else "baseline")

    def values(found: Findings) -> Mapping[str, float]:
        told: dict[str, float] = {}
        for measure in _ABOUT:
            for step in steps:
                of_loads = changes(found, MEASURES[measure], pair(step), "change")
                if f"change/{_VOLUME}" in of_loads:
                    told[f"{measure}/{step}"] = of_loads[f"change/{_VOLUME}"]
        return told

    drives = tuple(dict.fromkeys(drive for step in steps for drive in pair(step)))
    return Figure(what, title, values, "%", drives, loads=(_VOLUME,))


def _skew(found: Findings) -> Mapping[str, float]:
    told: dict[str, float] = {}
    for measure in _ABOUT:
        of_loads = changes(found, MEASURES[measure], ("ressd", "baseline"), measure)
        # Writes alone have no latency of reads.
        names = (f"{measure}/{load.name}" for load in found.loads)
        told |= {name: of_loads[name] for name in names if name in of_loads}
    return told


STUDY = Study(
    paper="ressd-limits",
    source="not published: where the technique of Gao et al., ACM TOS 18(1):9, 2022 stops paying",
    base="ressd-576g",
    drives=_drives(),
    loads=_loads,
    figures=(
        _figure("last_bound_min", "Bounds of hotness: the last one, a half, a quarter of it",
                _DRIVE["last_bound_min"], shared=True),
        _figure("registers_wait_s", "How long a word line's registers wait for data, in seconds",
                _DRIVE["registers_wait_s"], shared=True),
        _figure("over_provisioning", "Over-provisioning", _DRIVE["over_provisioning"], shared=True),
        _figure("layers", "Layers of a super layer", _OWN["layers"], shared=False),
        Figure("skew", "Skew: the exponent of Zipf's law", _skew, "%", ("ressd", "baseline")),
        _figure("reprogram_us", "Time of a reprogram", _OWN["reprogram_us"], shared=False),
        _figure("candidates", "Candidates that may wait", _OWN["candidates"], shared=False),
    ),
)  # fmt: skip
