"""What reports, files and caveats see of a run and of a comparison: its figures, not its faces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from wordline import _native
from wordline.native import native_api
from wordline.native.types.record import Tree
from wordline.native.types.run import RunResult

if TYPE_CHECKING:
    from wordline.figures.significance import Effect

T = TypeVar("T", bound="Outcome")


class Outcome(RunResult):
    """What a run left: the fields of `result.json`, its configuration and its tables.

    Attributes:
        config_toml: The resolved configuration; running it again gives the same bits.
        series: The time series.
        records: One row per request; empty unless `run.records` was set.
        custom: What Python chose in the run, and by which function; empty where nothing.
        file: Name of the file that describes the drive; empty where none does.
    """

    config_toml: str
    series: _native.Table
    records: _native.Table
    custom: Tree
    file: str = field(compare=False)

    @classmethod
    def of_json(
        cls: type[T],
        data: Mapping[str, Any],
        config_toml: str,
        series: _native.Table,
        records: _native.Table,
    ) -> T:
        """A result that was kept as JSON, beside its configuration and its tables.

        Raises:
            MalformedError: It is no such result.
        """
        found = native_api.decode(RunResult, data)
        more = (Tree(data.get("custom")), data.get("file", ""))
        return cls._of(found, config_toml, series, records, *more)

    @classmethod
    def _of(cls: type[T], found: RunResult, *more: Any) -> T:
        return cls(*(getattr(found, name) for name in found), *more)

    def keys(self) -> tuple[str, ...]:
        """The names of the fields that `result.json` holds, in order."""
        names = (one.name for one in fields(RunResult))
        return (*names, *(name for name in ("custom", "file") if getattr(self, name)))


@dataclass(frozen=True)
class Case:
    """One run of a comparison, or one that is compared with none: see `results.result.Case`."""

    variant: str
    workload: str
    result: Outcome
    changes: tuple[str, ...] = ()
    repeats: tuple[Mapping[str, float | None], ...] = ()
    alone: tuple[Outcome, ...] = ()


class Comparison(Protocol):
    """Workloads through several drives; the first drive of each workload is its baseline."""

    @property
    def cases(self) -> Sequence[Case]:
        """The runs."""
        ...

    @property
    def workloads(self) -> list[str]:
        """The workloads, in the order in which they were asked for."""
        ...

    @property
    def variants(self) -> list[str]:
        """The variants, the baseline first."""
        ...

    @property
    def groups(self) -> list[list[str]]:
        """The workloads, those together that ran on the same drives."""
        ...

    @property
    def warnings(self) -> list[str]:
        """What must be known of the comparison, beside the warnings of its runs."""
        ...

    @property
    def effects(self) -> "list[Effect]":
        """Every drive against the baseline over all seeds; none where there is one seed."""
        ...

    def of(self, workload: str) -> Sequence[Case]:
        """The runs of a workload, the baseline first."""
        ...

    def ratios(self, case: Case) -> dict[str, float | None]:
        """Every metric of a run relative to the baseline's on the same workload."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain dictionaries and lists."""
        ...
