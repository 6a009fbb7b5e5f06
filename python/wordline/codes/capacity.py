"""What second writes need: spare area by page and code, rates by length, failures by rate."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from wordline import _native
from wordline.codes.references import TARGET, rows
from wordline.codes.tallies import Tallies
from wordline.codes.wom import CHECKSUM_BITS, Estimate, Family, WomCode

TRIES = 64
"""Attempts where a write makes several: six bits of metadata."""

FEW_TRIES = 8
"""Attempts where one is slow, and a second one seldom needed: three bits of metadata."""

_STEP = 1e-3  # of the page, or bits per cell: to which needs and rates are told
_ENOUGH = 1_500  # writes: without a failure they show that less than 0.25 % fail
_CURVE_TRIALS = {True: 300, False: 1_000}
_SLOW_TRIALS = 300  # of LDGM codes
_BCH_BITS = 14  # parity per corrected bit: a code over GF(2^14), which 1 KiB of data needs


@dataclass(frozen=True)
class Method:
    """A code as it is used: which family, and how often it tries.

    Attributes:
        name: Its name in tables.
        family: `None` stands for the best that any code could do.
        tries: Attempts of a write.
        shuffle: Whether they lay the cells out anew.
    """

    name: str
    family: Family | None
    tries: int = 1
    shuffle: bool = True

    def code(self, cells: int, bits: int, writable: float) -> WomCode:
        """The code for these cells and this message."""
        if self.family is None:
            raise ValueError("no code is the best that any code could do")
        return WomCode(
            self.family,
            cells,
            bits,
            writable=writable,
            tries=self.tries,
            shuffle=self.shuffle,
        )


ANY = Method("any code", None)
ONE_TRY = Method("polar, one try", Family.POLAR)
LAYOUTS = Method(f"polar, {TRIES} layouts", Family.POLAR, TRIES)
DITHERS = Method(f"polar, {TRIES} dithers", Family.POLAR, TRIES, shuffle=False)
LDGM_ONE_TRY = Method("LDGM, one try", Family.LDGM)
LDGM = Method(f"LDGM, {FEW_TRIES} layouts", Family.LDGM, FEW_TRIES)
COMPLETE = Method("LDGM, elimination", Family.ELIMINATION, FEW_TRIES)
METHODS = (ONE_TRY, LAYOUTS, LDGM, COMPLETE, ANY)


@dataclass
class Study:
    """The study: quick or in full, with its counts.

    Attributes:
        quick: Only what takes seconds.
        tallies: Where counts are kept.
    """

    quick: bool
    tallies: Tallies
    _needs: dict[tuple[int, bool, str], tuple[float, Estimate | None]] = field(default_factory=dict)

    def chips(self) -> Iterator[dict[str, Any]]:
        """For every chip, whether its spare area is enough, by code and state of the spare area."""
        for chip in rows("chips.csv"):
            page_bytes = int(chip["page_kib"]) * 1024
            spare = float(chip["spare_percent"])
            for erased in (True, False):
                for method in self._methods(8 * page_bytes):
                    needed, evidence = self.needed(method, page_bytes, erased)
                    yield {
                        "chip": chip["chip"],
                        "page_kib": int(chip["page_kib"]),
                        "spare_percent": spare,
                        "source": chip["source"],
                        "spare_area": "erased" if erased else "written",
                        "code": method.name,
                        "needed_percent": round(100 * needed, 2),
                        "enough": spare >= 100 * needed,
                        "bch_bits_per_kib_twice": _bch_bits(spare - 100 * needed),
                        "evidence": evidence.to_dict() if evidence else None,
                    }

    def _methods(self, cells: int) -> Sequence[Method]:
        if not self.quick:
            return METHODS
        return (ONE_TRY, LAYOUTS, ANY) if cells <= 1 << 15 else (ONE_TRY, ANY)

    def needed(
        self, method: Method, page_bytes: int, erased: bool
    ) -> tuple[float, Estimate | None]:
        """The least spare area, as a share of the page, with which half a page of data fits.

        It goes over a used page and fails in at most 0.25 % of all writes, which the counts show.
        """
        key = (page_bytes, erased, method.name)
        if key not in self._needs:
            self._needs[key] = self._find_need(method, 8 * page_bytes, erased)
        return self._needs[key]

    def _find_need(
        self, method: Method, data_cells: int, erased: bool
    ) -> tuple[float, Estimate | None]:
        bits = data_cells // 2 + CHECKSUM_BITS
        evidence: dict[int, Estimate | None] = {}

        def enough(steps: int) -> bool:
            cells = data_cells + round(steps * _STEP * data_cells)
            random_cells = data_cells if erased else cells
            fits, evidence[steps] = self._fits(method, cells, random_cells, bits)
            return fits

        steps = _least(enough, 250)
        return steps * _STEP, evidence[steps]

    def rates(self) -> Iterator[dict[str, Any]]:
        """The highest rate of each code at 0.25 %, by number of cells; random data, no spare."""
        for log_cells in (10, 12) if self.quick else (10, 12, 14, 16):
            cells = 1 << log_cells
            for method in (*METHODS[:2], DITHERS, *METHODS[2:]):
                yield {"cells": cells, "code": method.name, **self._highest(method, cells)}

    def _highest(self, method: Method, cells: int) -> dict[str, Any]:
        evidence: dict[int, Estimate | None] = {}

        def holds(steps: int) -> bool:
            bits = round((0.5 - steps * _STEP) * cells)
            fits, evidence[steps] = self._fits(method, cells, cells, bits)
            return fits

        steps = _least(holds, 400)
        found = evidence[steps]
        return {"rate": 0.5 - steps * _STEP, "evidence": found.to_dict() if found else None}

    def _fits(
        self, method: Method, cells: int, random_cells: int, bits: int
    ) -> tuple[bool, Estimate | None]:
        """Whether at most 0.25 % of all writes fail; where counted, with 97.5 % confidence."""
        if _native.least_failure(cells, random_cells, 0.5, bits) > TARGET:
            return False, None
        if method.family is None:
            return True, None
        writable = 1 - 0.5 * random_cells / cells
        if method is ONE_TRY:
            return _native.polar_longest(cells, writable, [TARGET])[0] >= bits, None
        code = method.code(cells, bits, writable)
        failures = next(n for n in range(_ENOUGH) if Estimate.of(_ENOUGH, n).high > TARGET)
        estimate = self.tallies.failure(code, random_cells, _ENOUGH, failures)
        return estimate.trials >= _ENOUGH and estimate.high <= TARGET, estimate

    def curves(self) -> Iterator[dict[str, Any]]:
        """Failure rates by rate, for each code; random data, no spare cells."""
        cells = 1 << 12 if self.quick else 1 << 13
        for method in (ONE_TRY, DITHERS, LAYOUTS, LDGM_ONE_TRY, LDGM, COMPLETE, ANY):
            yield from self._curve(method, cells)

    def _curve(self, method: Method, cells: int) -> Iterator[dict[str, Any]]:
        for thousandths in range(350, 505, 5):
            bits = thousandths * cells // 1000
            row = {"cells": cells, "code": method.name, "rate": thousandths / 1000}
            if method.family is None:
                yield {**row, "failure": _native.least_failure(cells, cells, 0.5, bits)}
                continue
            code = method.code(cells, bits, 0.5)
            polar = method.family is Family.POLAR
            trials = _CURVE_TRIALS[self.quick] if polar else _SLOW_TRIALS
            estimate = self.tallies.failure(code, cells, trials)
            yield {**row, "failure": estimate.rate, "low": estimate.low, "high": estimate.high}
            if estimate.rate > 0.9:
                return


def _least(holds: Callable[[int], bool], most: int) -> int:
    """The least number up to `most` from which on a condition holds that once it does stays so."""
    low, high = -1, 8
    while high < most and not holds(high):
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _bch_bits(left_percent: float) -> int:
    """Bits per 1 KiB that each of two BCH codes can correct in what is left of the spare area.

    One is for the first write, one, in fresh cells, for the second.
    """
    return max(0, int(left_percent / 100 / 2 * 8192 / _BCH_BITS))
