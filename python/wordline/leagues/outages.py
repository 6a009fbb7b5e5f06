"""The heat `cut`: what a power cut takes from the drives of a league without their capacitors."""

import json
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from wordline import workers
from wordline.configuration import Configuration, overrides_of, toml_value
from wordline.errors import RunError
from wordline.figures.metrics import Metric
from wordline.leagues import heats
from wordline.leagues.drives import Division
from wordline.leagues.heats import ACKNOWLEDGE, CUT, Extent, Refusal
from wordline.native.types.power import CutReport
from wordline.results import identity
from wordline.results.store import Store
from wordline.runs import power_cuts
from wordline.sweeps import table as columns
from wordline.sweeps.runner import Standing, Told

METRICS = (
    Metric("cut_lost_kib", "lost in a power cut, mean", "", "KiB", "lower"),
    Metric("cut_lost_most_kib", "lost in a power cut, at most", "", "KiB", "lower"),
    Metric("cut_flushed_percent", "cuts that take flushed data", "", "%", "lower"),
)
"""The figures of the heat. They stand in no result of a run: `figures` makes them."""

_RULES = ("erase_waits", "flush_completes", "preserves", "remembers_trims", "erases_again")
_SLICE_S = 0.2  # of waiting, for Ctrl-C


@dataclass(frozen=True)
class Outage:
    """A run whose power is cut.

    Attributes:
        division: Its division.
        acknowledge: When writes end.
        variant: The drive.
        seed: Of the run.
        workload: What it replays.
        configuration: All of that.
    """

    division: Division
    acknowledge: str
    variant: str
    seed: int
    workload: str
    configuration: Configuration

    def row(self, found: dict[str, float], error: str | None = None) -> dict[str, Any]:
        """Its row of the league's table."""
        return {
            columns.VARIANT: self.variant, columns.WORKLOAD: self.workload,
            columns.SEED: self.seed, ACKNOWLEDGE: self.acknowledge, **found,
            columns.ERROR: error,
        }  # fmt: skip


def unprotected(base: Configuration) -> Configuration:
    """The drive without capacitor and without any rule that would make up for it.

    No energy is left, so that it does not matter what operations take; it must be set all the same.
    """
    kinds = base.resolve()["drive"]["group"]
    chips = [f"drive.group.{name}.chip" for name in kinds] or ["drive.chip"]
    taken = (f"{chip}.{of}_uj=1" for chip in chips for of in ("program", "erase"))
    gone = {"power": {"protection": 0, **dict.fromkeys(_RULES, False)}}
    return base.with_overrides((*taken, *overrides_of(gone)))


def figures(report: CutReport) -> dict[str, float]:
    """What a report says, by the keys of `METRICS`."""
    bearing = report.hold_up
    assert bearing, "the protection is an energy"
    assert report.cuts, "a run that erases or programs is cut"
    kib = bearing.unit_bytes / 1024
    lost = bearing.forgotten_units / report.cuts * kib
    flushed = 100 * report.losing_cuts / report.cuts
    values = (lost, bearing.forgotten_most * kib, flushed)
    return {metric.key: value for metric, value in zip(METRICS, values, strict=True)}


def asked(division: Division, extent: Extent) -> tuple[list[Outage], list[Refusal]]:
    """The runs of a division, and the drives that cannot be cut, each with the reason.

    Raises:
        WordlineError: The conventional drive cannot be built.
    """
    base = unprotected(division.base)
    ends = [(f"{ACKNOWLEDGE}={toml_value(end)}",) for end in extent.acknowledge]
    found, refused = heats.admitted(division, base, ends, CUT)
    load = extent.cut_text()

    def outages() -> Iterator[Outage]:
        for end, keys in zip(extent.acknowledge, ends, strict=True):
            for variant in found:
                for seed in range(1, extent.seeds + 1):
                    more = (*variant.overrides, *keys, f"run.seed={seed}")
                    drive = base.with_overrides((*more, f"workload.source={load}"))
                    yield Outage(division, end, variant.name, seed, load, drive)

    return list(outages()), refused


def carry_out(
    outages: Sequence[Outage], every: int, store: Store, asked: int | None, told: Told
) -> list[dict[str, Any]]:
    """Cuts the power of runs, several at a time on this machine; returns their rows.

    Args:
        outages: The runs.
        every: Cuts at one of so many moments.
        store: Keeps what each run found.
        asked: Runs at a time; one a core where left out, as long as memory suffices.
        told: Told how far it has come.

    Raises:
        ConfigError: A drive cannot be cut.
        OutputError: The store cannot be written.
    """
    stop = threading.Event()
    keys = [_key(outage, every) for outage in outages]
    known = {key: kept for key in keys if (kept := store.outage(key)) is not None}

    def watch(*_: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt

    def work(outage: Outage, key: str) -> dict[str, Any]:
        if key in known:
            return outage.row(known[key])
        try:
            found = figures(power_cuts.cut(outage.configuration, every, progress=watch))
        except RunError as error:
            return outage.row({}, str(error))
        store.keep_outage(key, found)
        return outage.row(found)

    needs = (outage.configuration.memory_bytes() for outage in outages)
    with ThreadPoolExecutor(workers.number(needs, asked)) as pool:
        futures = [pool.submit(work, *one) for one in zip(outages, keys, strict=True)]
        try:
            _await(futures, len(known), told)
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    return [future.result() for future in futures]


def _await(futures: Sequence[Future[Any]], found: int, told: Told) -> None:
    """Waits for all, or for the first that fails, which it raises."""
    while True:
        done = wait(futures, timeout=_SLICE_S, return_when=FIRST_EXCEPTION).done
        for future in done:
            future.result()
        told(Standing(len(futures), found, max(0, len(done) - found)))
        if len(done) == len(futures):
            return


def _key(outage: Outage, every: int) -> str:
    """The name by which a run's figures are kept: of all that they depend on."""
    resolved = json.dumps(outage.configuration.resolve(), sort_keys=True)
    return identity.digest_of(identity.SIMULATOR, repr(METRICS), str(every), resolved)
