"""The league from Python: `wordline.league`."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wordline import _native
from wordline.arguments import checked
from wordline.figures import warning_groups
from wordline.leagues import heats, outages, standings
from wordline.leagues.drives import Division
from wordline.leagues.heats import CUT, Extent, Heat, Load, Refusal
from wordline.leagues.standings import (
    DIVISION,
    HEAT,
    INTERVAL,
    NAME,
    SIZE_KIB,
    THETA,
    USUAL,
    Front,
    Standing,
    Winner,
)
from wordline.results import result_files
from wordline.results.result_table import Tabled
from wordline.results.store import DEFAULT, Store
from wordline.sweeps import library as sweeps
from wordline.sweeps import summary
from wordline.sweeps import table as columns
from wordline.sweeps.library import Sweep
from wordline.sweeps.runner import Told

POINTS, ABOUT = "points.parquet", "league.json"
NAMES = (POINTS, ABOUT, result_files.REPORT)
"""Files of a league's folder."""

_SCHEME_CHIP = re.compile(r"\berase\.\w+\.chip\b")


@dataclass(frozen=True, repr=False)
class League(Tabled):
    """A league that was carried out.

    Attributes:
        about: Its divisions, its refusals, and how it was made; `league.json` holds it.
        table: A row for each run: its division and heat, skew and intensity, and its figures.
    """

    TABLE = POINTS
    ABOUT = ABOUT

    def __len__(self) -> int:
        return len(self.table)

    @property
    def failures(self) -> list[str]:
        """Why runs could not go on; empty where all are whole."""
        return [error for error in self.table[columns.ERROR] if error]

    def standings(self) -> list[Standing]:
        """Every drive beside the conventional one of its division."""
        return standings.standings(summary.rows_of(self.table))

    def fronts(self) -> list[Front]:
        """By workload, the drives that no other one beats in life, bandwidth and write tail."""
        return standings.fronts(summary.rows_of(self.table))

    def winners(self) -> list[Winner]:
        """The best drive at each place of the map."""
        return list(standings.winners(summary.rows_of(self.table)))

    def _page(self) -> str:
        from wordline.leagues import page

        return page.render(self.about, self.table)

    def __repr__(self) -> str:
        divisions = ", ".join(one["name"] for one in self.about["divisions"])
        return f"League({len(self):,} runs: {divisions})"


@checked
def league(
    *,
    quick: bool = False,
    on: str | Executor | None = None,
    workers: int | None = None,
    store: str | Path | Store = DEFAULT,
    progress: Told | None = None,
) -> League:
    """Runs all techniques and erase schemes under the same workloads, but for what the store has.

    Args:
        quick: A part that takes three and a half minutes of CPU time.
        on: Where: `None` for the processors of this machine, `"dask:ADDRESS"`, `"slurm:…"`, or any
            executor of `concurrent.futures`.
        workers: Runs at a time on this machine; one a core where left out, if memory suffices.
        store: Folder in which every run's result is kept.
        progress: Told a few times a second how far a heat has come. In a notebook a bar is shown
            where this is left out.

    Raises:
        OutputError: The store cannot be written.
        RunError: The engine is gone, or the disk is full.
    """
    told = progress or sweeps.in_notebook("league")
    extent = heats.QUICK if quick else heats.WHOLE
    return carry_out(extent, Store.of(store), on, workers, lambda _: told)


def carry_out(
    extent: Extent,
    store: Store,
    on: str | Executor | None,
    workers: int | None,
    begin: Callable[[str], Told],
) -> League:
    """Carries out a league; `begin` is told a heat's name, and gives what is told of its course."""
    run = [
        (heat, sweeps.carry_out(heat.spec, store, on, workers, begin(heat.spec.name)))
        for heat in heats.heats(extent)
    ]
    loads = {extent.text(load, heat.division): load for heat, _ in run for load in extent.loads()}
    rows = [row for heat, sweep in run for row in _rows(heat, sweep, loads)]
    refused = [refusal for heat, _ in run for refusal in heat.refused]
    for division in heats.DIVISIONS:
        asked, unfit = outages.asked(division, extent)
        told = begin(f"{division.name}, power cuts")
        found = outages.carry_out(asked, extent.cut_every, store, workers, told)
        rows += (_row(division, CUT, heats.TYPICAL, row) for row in found)
        refused += unfit
    return League(_about(extent, run, refused), _table(rows))


def _about(
    extent: Extent, run: Sequence[tuple[Heat, Sweep]], refused: Sequence[Refusal]
) -> dict[str, Any]:
    divisions = {heat.division.name: heat.division for heat, _ in run}
    warnings = itertools.chain.from_iterable(sweep.about["warnings"].items() for _, sweep in run)
    return {
        "wordline": _native.VERSION,
        "simulator": _native.SOURCE,
        "extent": asdict(extent),
        "divisions": [
            {"name": one.name, "flash": one.flash, "conventional": one.base.text}
            for one in divisions.values()
        ],
        "drives": [drive for heat, sweep in run for drive in _space(heat, sweep)],
        "refused": [asdict(refusal) for refusal in refused],
        "warnings": warning_groups.together(
            (_of_any_scheme(told), runs) for told, runs in warnings
        ),
    }


def _space(heat: Heat, sweep: Sweep) -> Iterator[dict[str, Any]]:
    """What the drives of a map give up and need: flash that the host does not get, and DRAM."""
    if heat.name != heats.MAP:
        return
    told: set[tuple[str, str]] = set()
    table = sweep.table
    columns_ = (table[columns.VARIANT], table[heats.ACKNOWLEDGE], table[columns.ERROR])
    for point, (variant, acknowledge, error) in enumerate(zip(*columns_, strict=True)):
        if error or (variant, acknowledge) in told:
            continue
        told.add((variant, acknowledge))
        result = sweep.result(point)
        yield {
            "division": heat.division.name,
            "acknowledge": acknowledge,
            "variant": variant,
            "given_up": standings.given_up(result.capacity.over_provisioning),
            "dram_mib": standings.dram_mib(result.capacity, result.config),
        }


def _rows(heat: Heat, sweep: Sweep, loads: Mapping[str, Load]) -> Iterator[dict[str, Any]]:
    """The points of a heat, by the names of the league's columns."""
    names = sweep.table.names
    for values in zip(*(sweep.table[name] for name in names), strict=True):
        row = dict(zip(names, values, strict=True))
        point = row.pop(columns.POINT)  # of its sweep, and no number of the league's table
        if not row[columns.ERROR]:
            row |= _once_secured(row, sweep.result(point))
        yield _row(heat.division, heat.name, loads[row[columns.WORKLOAD]], row)


def _once_secured(row: Mapping[str, Any], result: Any) -> Mapping[str, Any]:
    """The bandwidth if the host had waited at the end for what was put off."""
    secured, iops = result.host.iops_if_secured, result.host.iops
    key = standings.THROUGHPUT
    return {key: row[key] * secured / iops} if secured and iops and row.get(key) else {}


def _row(division: Division, heat: str, load: Load, row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        DIVISION: division.name,
        HEAT: heat,
        THETA: load.theta,
        INTERVAL: load.interval_us,
        SIZE_KIB: load.size_kib,
        NAME: load.name,
        USUAL: division.over_provisioning,
        **row,
    }


def _table(rows: Sequence[Mapping[str, Any]]) -> _native.Table:
    names: Iterable[str] = dict.fromkeys(name for row in rows for name in row)
    return _native.Table.from_columns(
        [_column(name, [row.get(name) for row in rows]) for name in names]
    )


def _of_any_scheme(warning: str) -> str:
    """A warning with no erase scheme's name: every scheme of a division erases by the same chip."""
    return _SCHEME_CHIP.sub("erase.NAME.chip", warning)


def _column(name: str, values: Sequence[Any]) -> tuple[str, str, Sequence[Any]]:
    if name in (columns.ERROR, NAME):
        return name, "text", values
    return columns.column(name, values)


def load(folder: Path) -> League:
    """Reads the folder of a league.

    Raises:
        OSError, ValueError, KeyError: It holds none, or a damaged one.
    """
    return League(*League._read(folder))
