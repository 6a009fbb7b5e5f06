"""The league from Python: `wordline.league`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wordline import _native, storage
from wordline.declared import checked
from wordline.leagues import heats, standings
from wordline.leagues.heats import Extent, Heat, Load
from wordline.leagues.standings import DIVISION, HEAT, INTERVAL, THETA, USUAL, Standing, Winner
from wordline.store import DEFAULT, Store
from wordline.sweeps import library as sweeps
from wordline.sweeps import summary
from wordline.sweeps import table as columns
from wordline.sweeps.library import Sweep
from wordline.sweeps.runner import Told
from wordline.tabled import Tabled

POINTS, ABOUT = "points.parquet", "league.json"
NAMES = (POINTS, ABOUT, storage.REPORT)
"""Files of a league's folder."""


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
        quick: A part that takes a minute or two.
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
    return League(_about(extent, run), _table(run, loads))


def _about(extent: Extent, run: Sequence[tuple[Heat, Sweep]]) -> dict[str, Any]:
    warnings: Counter[str] = Counter()
    for _, sweep in run:
        warnings.update(sweep.about["warnings"])
    divisions = {heat.division.name: heat.division for heat, _ in run}
    return {
        "wordline": _native.VERSION,
        "simulator": _native.SOURCE,
        "extent": asdict(extent),
        "divisions": [
            {"name": one.name, "flash": one.flash, "conventional": one.base.text}
            for one in divisions.values()
        ],
        "drives": [drive for heat, sweep in run for drive in _space(heat, sweep)],
        "refused": [asdict(refusal) for heat, _ in run for refusal in heat.refused],
        "warnings": dict(warnings),
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


def _table(run: Sequence[tuple[Heat, Sweep]], loads: Mapping[str, Load]) -> _native.Table:
    """The tables of all heats as one."""
    rows: list[dict[str, Any]] = []
    for heat, sweep in run:
        names = sweep.table.names
        for values in zip(*(sweep.table[name] for name in names), strict=True):
            row = dict(zip(names, values, strict=True))
            load = loads[row[columns.WORKLOAD]]
            rows.append({
                DIVISION: heat.division.name,
                HEAT: heat.name,
                THETA: load.theta,
                INTERVAL: load.interval_us,
                USUAL: heat.division.over_provisioning,
                **row,
            })  # fmt: skip
    names = dict.fromkeys(name for row in rows for name in row)
    del names[columns.POINT]  # of its sweep, and no number of this table
    return _native.Table.from_columns(
        [_column(name, [row.get(name) for row in rows]) for name in names]
    )


def _column(name: str, values: Sequence[Any]) -> tuple[str, str, Sequence[Any]]:
    if name == columns.ERROR:
        return name, "text", values
    return columns.column(name, values)


def load(folder: Path) -> League:
    """Reads the folder of a league.

    Raises:
        OSError, ValueError, KeyError: It holds none, or a damaged one.
    """
    return League(*League._read(folder))
