"""What a publication's evaluation consists of: drives, workloads, figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from wordline.configuration import toml_value
from wordline.errors import RunError
from wordline.native.types.run import RunResult
from wordline.native.types.trace import TraceInfo
from wordline.report.drawing import Chart

T = TypeVar("T")

SYNTHETIC = ("twin:", "varmail", "oltp", "webproxy")
"""How the sources of workloads begin that were generated from published statistics."""


@dataclass(frozen=True)
class Load:
    """A workload of a study.

    Attributes:
        name: As the publication calls it.
        source: What is replayed in its place: a trace file or a generator.
        first: How many of its requests count; all where `None`.
        way: How it is replayed, in a study that replays it in several ways.
        keys: Further keys of a configuration that it needs, such as how often it is replayed.
    """

    name: str
    source: str
    first: int | None = None
    way: str = ""
    keys: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its name, and how it is replayed: no two of a study have the same."""
        return f"{self.name}, {self.way}" if self.way else self.name

    @property
    def overrides(self) -> tuple[str, ...]:
        """The keys of a configuration that replay it."""
        limit = (f"workload.first={self.first}",) if self.first else ()
        return (f"workload.source={toml_value(self.source)}", *limit, *self.keys)

    @property
    def is_synthetic(self) -> bool:
        """Whether it was generated from published statistics."""
        return self.source.startswith(SYNTHETIC)

    @property
    def is_generated(self) -> bool:
        """True for every generator, whether or not it stands for a published volume."""
        return not Path(self.source).is_file()

    @property
    def label(self) -> str:
        """What is replayed, as it stands beside every figure."""
        return f"{self.source}, synthetic" if self.is_synthetic else self.source


class Findings(Protocol):
    """What was run and read, for a figure to take its values from."""

    @property
    def loads(self) -> Sequence[Load]:
        """The workloads, in the publication's order."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether no workload of the figure was left out, so that averages mean something."""
        ...

    def result(self, drive: str, load: Load) -> RunResult:
        """The result of one of the figure's drives."""
        ...

    def traffic(self, load: Load) -> TraceInfo:
        """The statistics of a workload, as `wordline trace info` gives them."""
        ...


Item = Mapping[str, Any]
"""A comparison, in the form of every one."""


def _nothing(_: Findings) -> Mapping[str, float]:
    return {}


@dataclass(frozen=True)
class Figure:
    """A table or figure.

    Attributes:
        name: Its name in commands and ids, such as `fig13`.
        title: What it shows.
        values: Our values by id, without the publication's and the figure's name; one for each
            id of the study's `drives.csv`, and further ones that were not published. What an id
            says before its last slash is drawn together.
        unit: Of the values that were not published.
        drives: The study's drives that must have run.
        loads: Names of the workloads that it needs; all where empty.
        loads_of: Of a drive that does not run on all of them, those on which it does.
        ways: How they are replayed for it.
        rests_on: Figures whose workloads and runs it needs besides its own.
        is_quick: False where a quick run leaves it out.
        charted: Beginnings of the names of values that are drawn; all are where it is empty.
        plots: Beginnings of curves of the cell laboratory's experiments, such as `ressd/Figure 4`:
        the
            experiment, and how their title begins.
        drawn: Draws its comparisons in its own way, in place of bars.
        laboratory: Beginnings of ids of the cell laboratory's experiments, such as `reo/mrber/`:
            their comparisons belong to the figure as they are.
    """

    name: str
    title: str
    values: Callable[[Findings], Mapping[str, float]] = _nothing
    unit: str = ""
    drives: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()
    loads_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ways: tuple[str, ...] = ("",)
    rests_on: tuple["Figure", ...] = ()
    is_quick: bool = True
    charted: tuple[str, ...] = ()
    laboratory: tuple[str, ...] = ()
    plots: tuple[str, ...] = ()
    drawn: Callable[[Sequence[Item]], Chart | None] | None = None

    def of(self, loads: Sequence[Load]) -> list[Load]:
        """Those of the study's workloads that it needs."""
        found = {load for one in self.rests_on for load in one.of(loads)}
        return [load for load in loads if self._needs(load) or load in found]

    def _needs(self, load: Load) -> bool:
        return load.way in self.ways and (not self.loads or load.name in self.loads)

    def needed(self, loads: Sequence[Load]) -> list[tuple[str, Load]]:
        """What must have run of these workloads: drives, each with a workload."""
        own = [load for load in loads if self._needs(load)]
        runs = [(drive, load) for load in own for drive in self.drives if self.runs(drive, load)]
        return [*runs, *(run for one in self.rests_on for run in one.needed(loads))]

    def runs(self, drive: str, load: Load) -> bool:
        """Whether that drive runs on that workload."""
        return load.name in self.loads_of.get(drive, (load.name,))


@dataclass(frozen=True)
class Study:
    """A publication's evaluation.

    Attributes:
        paper: Its short name.
        source: Its bibliographic reference.
        base: The drive preset that its drives are built on.
        drives: What is laid over the preset for each drive, as `key=value`.
        bases: The preset of each drive that is built on another one.
        loads: The workloads, from the folder of the user's traces, where there is one; a quick run
            asks for a part that takes seconds.
        figures: Its tables and figures, in its order.
        notes: Why ids that begin so deviate; the longest beginning counts.
        trace_notes: The same where the user's own trace was replayed.
        whole: What is laid over for each drive in place of `drives` where the user's own trace is
            replayed: drives of the publication's size.
    """

    paper: str
    source: str
    base: str
    drives: Mapping[str, tuple[str, ...]]
    loads: Callable[[Path | None, bool], Sequence[Load]]
    figures: Sequence[Figure]
    notes: Mapping[str, str] = field(default_factory=dict)
    bases: Mapping[str, str] = field(default_factory=dict)
    trace_notes: Mapping[str, str] = field(default_factory=dict)
    whole: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def note(self, name: str, *, is_synthetic: bool = True) -> str:
        """What must be known of an id; empty where there is nothing."""
        notes = self.notes if is_synthetic else {**self.notes, **self.trace_notes}
        beginnings = [begin for begin in notes if name.startswith(begin)]
        return notes[max(beginnings, key=len)] if beginnings else ""

    def keys(self, drive: str, load: Load) -> tuple[str, ...]:
        """What is laid over the preset for a drive that replays this workload."""
        return (self.drives if load.is_generated else self.whole).get(drive, self.drives[drive])


def known(value: T | None) -> T:
    """A figure of a run that a study cannot do without.

    Raises:
        RunError: The run has not measured it.
    """
    if value is None:
        raise RunError("a run lacks a figure that the study needs", help="please report it")
    return value
