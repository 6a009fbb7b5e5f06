"""Campaigns over many chips, kept in a file so that they go on where they stopped."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wordline import arguments
from wordline.arguments import checked
from wordline.errors import ConfigError, OutputError
from wordline.lab.quantities import ChipLike, Quantity, named, texts
from wordline.native import native_api
from wordline.native.types.lab import CampaignOutcome
from wordline.persistence import files

_KIND = "wordline campaign 1"
_FREE = ("precision", "confidence", "threads")  # what may change when a campaign goes on
_MOST_THREADS = 1024
REFERENCES = ("default", "optimal")


@checked
def campaign(
    chip: ChipLike,
    *,
    mode: str = "",
    pec: Quantity = 0,
    age: Quantity = 0,
    temp: Quantity = "40C",
    reads: Quantity = 0,
    references: str = "optimal",
    chips: int = 160,
    pages: int = 11_059_200,
    precision: float = 0.0,
    confidence: float = 0.95,
    seed: int = 1,
    threads: int | None = None,
    store: str | Path | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> CampaignOutcome:
    """Measures the pages of many chips: errors per codeword, and those of each page's worst one.

    Error rates come from the distributions, evaluated for word lines that differ as the chip says,
    and interpolated; the errors of a page's worst codeword are drawn. The same seed gives the same,
    for any number of threads, and in one go or several.

    Args:
        chip: A chip of `contents()`, or a TOML file in the form of those chips.
        mode: slc, mlc, tlc or qlc; the chip's own where empty.
        pec: P/E cycles.
        age: Time since the program, with its unit.
        temp: Temperature over that time.
        reads: Reads of other pages of the block in that time.
        references: "default", or "optimal" for each word line's best.
        chips: Chips at most.
        pages: Pages of all of them together, rounded up to whole blocks.
        precision: Stop when the interval of the mean is within this share of it; 0 for all chips.
        confidence: Probability with which the interval holds the mean of all such chips.
        seed: Seed.
        threads: Threads; all processors where left out.
        store: A file that keeps what was counted, and from which the campaign goes on.
        progress: Called with the chips done and in all; what it raises stops the campaign.

    Raises:
        ConfigError: An unknown chip, or settings that cannot be.
        OutputError: A file that holds something else, or another campaign.
    """
    if references not in REFERENCES:
        raise ConfigError(
            f"unknown references `{references}`", "references", f"valid: {', '.join(REFERENCES)}"
        )
    whole, real = arguments.whole, arguments.real
    chips = whole("chips", chips, 1, 1_000_000)
    pages = whole("pages", pages, 1, 10**12)
    precision = real("precision", precision, 0, 1)
    confidence = real("confidence", confidence, 0, 1)
    seed = whole("seed", seed, 0, arguments.LARGEST)
    if threads is not None:
        threads = whole("threads", threads, 1, _MOST_THREADS)
    quantities = zip(("pec", "age", "temp", "reads"), texts(pec, age, temp, reads), strict=True)
    name, text = named(chip)
    settings = {
        "chip": name,
        "text": text,
        "mode": mode,
        **dict(quantities),
        "is_optimal": references == "optimal",
        "chips": chips,
        "pages": pages,
        "precision": precision,
        "confidence": confidence,
        "seed": seed,
        "threads": threads or os.cpu_count() or 1,
    }
    path = None if store is None else Path(store)
    tallies = _stored(path, settings) if path and os.path.exists(path) else "[]"
    if path:
        files.check_writable(path)

    def told(done: int, counted: str) -> None:
        if path and done:
            kept = json.dumps(_lasting(settings))
            files.write(path, f'{{"kind": "{_KIND}", "settings": {kept}, "tallies": {counted}}}\n')
        if progress:
            progress(done, chips)

    return native_api.lab_campaign(settings, tallies, told)


def _lasting(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key not in _FREE}


def _stored(path: Path, settings: Mapping[str, Any]) -> str:
    """The tallies that a file keeps, as JSON."""
    text = files.read(path)
    try:
        held = json.loads(text)
        if held["kind"] != _KIND:
            raise ValueError(f"its kind is `{held['kind']}`")
        other = [k for k, value in _lasting(settings).items() if held["settings"][k] != value]
        tallies = json.dumps(held["tallies"])
    except (ValueError, KeyError, TypeError) as error:
        raise OutputError(
            f"it does not hold a campaign: {error}", str(path), "remove it to start anew"
        ) from None
    if other:
        key = other[0]
        raise OutputError(
            f"it holds a campaign with {key} = {held['settings'][key]}, not {settings[key]}",
            str(path),
            "go on with that, or name another file",
        )
    return tallies
