"""Write-once-memory codes for a second write over used cells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from wordline import _native, arguments
from wordline.arguments import checked
from wordline.errors import ConfigError

CONFIDENCE = 0.95
"""Of every interval that is reported."""

MOST_TRIES = 65_536
"""Attempts that a write may make."""

CELLS = (256, 1_048_576)
"""Fewest and most cells of a code."""

_SHAPE = ("data_bytes", "spare_bytes", "reserved", "logical_bytes")

CHECKSUM_BITS = 32
"""Bits that a page spends on noticing that it was not read as it was written."""

Progress = Callable[[int, int, int], object]
"""Called with trials made, trials in all, and failures."""


class Family(str, Enum):
    """The families of codes for a second write."""

    POLAR = "polar"
    LDGM = "ldgm"
    ELIMINATION = "elimination"
    RIVEST_SHAMIR = "rivest-shamir"

    @property
    def summary(self) -> str:
        """What it is."""
        return {
            Family.POLAR: "polar codes by successive cancellation (Burshtein & Strugatski 2013)",
            Family.LDGM: "LDGM codes by message passing (En Gad et al. 2015)",
            Family.ELIMINATION: "the same codes; elimination solves what message passing leaves",
            Family.RIVEST_SHAMIR: "two bits in three cells, twice (Rivest & Shamir 1982)",
        }[self]


class PageCode(str, Enum):
    """Codes for the second write of a page, by their names in `technique.llh_ftl.code`."""

    POLAR = "polar"
    POLAR64 = "polar64"
    LDGM = "ldgm"
    ELIMINATION = "elimination"

    @property
    def family(self) -> Family:
        """The family that it is of."""
        return Family.POLAR if self is PageCode.POLAR64 else Family(self.value)

    @property
    def tries(self) -> int:
        """Attempts that a write makes."""
        return {PageCode.POLAR: 1, PageCode.POLAR64: 64}.get(self, 8)

    @property
    def summary(self) -> str:
        """What it is."""
        tries = "once" if self.tries == 1 else f"{self.tries} layouts"
        return f"{self.family.summary}; tries {tries}"


@dataclass(frozen=True)
class Estimate:
    """A failure rate by Monte Carlo.

    Attributes:
        trials: Writes made.
        failures: Those that failed.
        low: Lower end of the exact 95 % interval.
        high: Upper end.
    """

    trials: int
    failures: int
    low: float
    high: float

    @classmethod
    def of(cls, trials: int, failures: int) -> "Estimate":
        """With the interval of Clopper and Pearson."""
        low, high = _native.failure_interval(trials, failures, CONFIDENCE)
        return cls(trials, failures, low, high)

    @property
    def rate(self) -> float:
        """Failures per write."""
        return self.failures / self.trials if self.trials else 0.0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "trials": self.trials,
            "failures": self.failures,
            "rate": self.rate,
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True)
class Speed:
    """Times on one core of this machine; of every page the best of several.

    Attributes:
        write_us: Of a write, all attempts included.
        read_us: Of a read.
        attempts: Attempts of a write, on average.
        failed: Writes that failed.
        pages: Writes that were timed.
    """

    write_us: float
    read_us: float
    attempts: float
    failed: int
    pages: int


@dataclass(frozen=True)
class RoundTrips:
    """Random pages that were written, read, damaged and read again, by what became of them.

    Attributes:
        refused: Came back; with wrong cells or other metadata they were refused.
        corrected: Came back, and again in spite of wrong cells, or of metadata that happened to be
            the same.
        unnoticed: Came back, but with wrong cells or other metadata they gave another logical page.
        does_not_fit: The write said so.
        wrong: A zero had become a one, a reserved byte had changed, or the page did not come back.
    """

    refused: int
    corrected: int
    unnoticed: int
    does_not_fit: int
    wrong: int

    @property
    def came_back(self) -> int:
        """Pages that were written and read as they were."""
        return self.refused + self.corrected + self.unnoticed


class WomCode:
    """A code for a second write.

    Args:
        family: Which one.
        cells: Cells that a message is written over, 256 to 1,048,576.
        message_bits: Bits of a message.
        failure_rate: For polar codes in place of `message_bits`: the longest message whose failure
            rate has this bound, for one attempt.
        writable: Share of the cells that is expected to be writable; polar codes are built for it.
        tries: Attempts that a write may make.
        shuffle: Whether each attempt of a polar code lays the cells out anew besides taking a new
            dither; LDGM codes always do.
        seed: From which dithers, layouts and graphs are drawn.
        rber: Share of wrong cells that reads of a polar code correct; its message gives up
            sub-channels for that. None where 0.
        read_failure: Share of such reads that may be lost, by a bound that is far from tight.
        instructions: The instruction set; the best one of this processor where left out. The
            outcome does not depend on it.

    Raises:
        ConfigError: Where there is no such code.
    """

    @checked
    def __init__(
        self,
        family: Family,
        cells: int,
        message_bits: int | None = None,
        *,
        failure_rate: float = 0.0025,
        writable: float = 0.5,
        tries: int = 1,
        shuffle: bool = True,
        seed: int = 0,
        rber: float = 0.0,
        read_failure: float = 1e-3,
        instructions: str | None = None,
    ) -> None:
        cells = arguments.whole("cells", cells, *CELLS)
        if message_bits is not None:
            message_bits = arguments.whole("message_bits", message_bits, 1, cells)
        tries = arguments.whole("tries", tries, 1, MOST_TRIES)
        seed = arguments.whole("seed", seed, 0, arguments.LARGEST)
        writable = arguments.real("writable", writable, 0, 1)
        rber = arguments.real("rber", rber, 0, 0.5)
        failure_rate = arguments.real("failure_rate", failure_rate, 0, 1)
        read_failure = arguments.real("read_failure", read_failure, 0, 1)
        self.family = family
        self.rber = rber
        self.read_failure = read_failure
        self.writable = writable
        self.seed = seed
        self.shuffle = shuffle
        if family is Family.POLAR:
            size = (message_bits, failure_rate)
            attempts, reads = (tries, shuffle, seed), (rber, read_failure)
            self._code = _native.WomCode.polar(cells, size, writable, attempts, reads, instructions)
            return
        if rber:
            raise ConfigError(
                f"reads of {family.value} codes correct no wrong cells", "rber", "take a polar code"
            )
        if family is Family.RIVEST_SHAMIR:
            self._code = _native.WomCode.rivest_shamir(cells // 3 * 2)
            return
        aside = 0 if family is Family.LDGM else cells
        bits = message_bits or 0
        self._code = _native.WomCode.ldgm(cells, bits, aside, tries, seed, instructions)

    def __str__(self) -> str:
        layout = ", in order" if self.family is Family.POLAR and not self.shuffle else ""
        return (
            f"{self.family.value}: {self.message_bits} bits in {self.cells} cells, writable "
            f"{self.writable}, tries {self.tries}, seed {self.seed}{layout}{self._reads()}"
        )

    def _reads(self) -> str:
        return f", {self.read_failure:g} of reads lost at {self.rber:g}" if self.rber else ""

    @property
    def cells(self) -> int:
        """Cells that a message is written over."""
        return self._code.cells

    @property
    def message_bits(self) -> int:
        """Bits of a message."""
        return self._code.message_bits

    @property
    def tries(self) -> int:
        """Attempts that a write may make."""
        return self._code.tries

    @property
    def rate(self) -> float:
        """Bits of message per cell."""
        return self.message_bits / self.cells

    @property
    def failure_bound(self) -> float | None:
        """Upper bound of the failure rate of one attempt, where the construction gives one."""
        return self._code.failure_bound

    @property
    def correcting(self) -> int:
        """Sub-channels that bear no message so that reads correct wrong cells."""
        return self._code.correcting

    @checked
    def attempts(
        self,
        trials: int,
        failures: int = 100,
        *,
        data_cells: int | None = None,
        counts: Sequence[int] = (),
        progress: Progress | None = None,
    ) -> list[int]:
        """Writes random messages over random pages: how many succeeded at each attempt, and failed.

        The counts depend on code, seed and limits alone; given back as `counts` with a larger
        limit they go on where they stopped. Every write is read back.

        Args:
            trials: Stops at so many writes in all,
            failures: or at so many failures.
            data_cells: The first so many cells hold random data, the rest is erased; all cells
                where left out.
            counts: What an earlier call returned.
            progress: Called ten times a second; may raise to stop.
        """
        pages = self._pages(self.cells if data_cells is None else data_cells)
        trials, failures = arguments.limits(trials, failures)
        return self._code.attempts(pages, list(counts), trials, failures, progress)

    def _pages(self, data_cells: int) -> tuple[int, float, int]:
        """Pages whose writable share, erased cells included, is what the code was built for."""
        data_cells = arguments.whole("data_cells", data_cells, 0, self.cells)
        used = (1 - self.writable) * self.cells / data_cells if data_cells else 0.0
        return data_cells, 1 - min(1.0, used), self.seed

    @checked
    def failure(
        self,
        trials: int,
        failures: int = 100,
        *,
        data_cells: int | None = None,
        progress: Progress | None = None,
    ) -> Estimate:
        """How often writes fail; see `attempts`."""
        counts = self.attempts(trials, failures, data_cells=data_cells, progress=progress)
        return Estimate.of(sum(counts), counts[-1])

    @checked
    def lost_reads(
        self,
        trials: int,
        failures: int = 100,
        *,
        rber: float | None = None,
        progress: Progress | None = None,
    ) -> Estimate:
        """How often pages of which cells are wrong are not read as they were written.

        Args:
            trials: Stops at so many writes in all, of which some may fail,
            failures: or at so many lost reads.
            rber: Probability that a cell is wrong; what the code was built for where left out.
            progress: Called ten times a second; may raise to stop.

        Raises:
            ConfigError: Where there is no such error rate.
        """
        pages, wrong = self._pages(self.cells), self.rber if rber is None else rber
        trials, failures = arguments.limits(trials, failures)
        right, lost, _ = self._code.spoiled_reads(pages, wrong, trials, failures, progress)
        return Estimate.of(right + lost, lost)

    @checked
    def round_trips(
        self,
        pages: int,
        shape: tuple[int, int, int, int],
        progress: Progress | None = None,
    ) -> RoundTrips:
        """Writes random logical pages over random used ones, reads them, damages and reads again.

        Every other page is damaged in one to eight cells, the others are read with random metadata.

        Args:
            pages: How many.
            shape: Bytes of data, of spare area, which is erased, of the reserved part at its end,
                and of a logical page.
            progress: Called ten times a second; may raise to stop.

        Raises:
            ConfigError: Where the code is not for such pages.
        """
        pages = arguments.whole("pages", pages, 1, arguments.MOST_TRIALS)
        data, spare, reserved, logical = (
            arguments.whole(name, size, 0, CELLS[1])
            for name, size in zip(_SHAPE, shape, strict=True)
        )
        sizes = (data, spare, reserved, logical)
        return RoundTrips(*self._code.round_trips(sizes, self.seed, pages, progress))

    @checked
    def speed(self, seconds: float = 1.0) -> Speed:
        """How long writes and reads of random pages take on one core.

        Reads are those of pages that the code did not write: where it corrects wrong cells these
        take the longest.
        """
        seconds = arguments.real("seconds", seconds, 0, 1e6)
        return Speed(*self._code.speed(self._pages(self.cells), seconds))

    @checked
    def write_page(
        self, used: bytes, logical: bytes, reserved: int = 0
    ) -> tuple[bytes, int] | None:
        """Writes a logical page over a used one.

        Args:
            used: The page as it is, spare area included; erased bytes are 0xff.
            logical: The logical page.
            reserved: Bytes at the end of the page that stay as they are.

        Returns:
            The page to program, in which no zero of `used` became a one, and the metadata that a
            read needs; `None` if it does not fit.

        Raises:
            ConfigError: Where the code is not for pages of these lengths.
        """
        reserved = arguments.whole("reserved", reserved, 0, len(used))
        return self._code.write_page(used, logical, reserved)

    @checked
    def read_page(self, page: bytes, metadata: int, logical_bytes: int, reserved: int = 0) -> bytes:
        """Reads what `write_page` stored.

        Raises:
            ConfigError: Where the code is not for pages of these lengths.
            RunError: Where the page or the metadata are not those of a write.
        """
        return self.correct_page(page, metadata, logical_bytes, reserved)[0]

    @checked
    def correct_page(
        self, page: bytes, metadata: int, logical_bytes: int, reserved: int = 0
    ) -> tuple[bytes, int]:
        """What `read_page` gives, and how many cells were wrong."""
        metadata = arguments.whole("metadata", metadata, 0, 2**32 - 1)
        logical_bytes = arguments.whole("logical_bytes", logical_bytes, 1, self.cells)
        reserved = arguments.whole("reserved", reserved, 0, len(page))
        return self._code.read_page(page, metadata, logical_bytes, reserved)


@checked
def for_page(
    family: Family, page_bytes: int, logical_bytes: int, reserved: int = 0, **options: Any
) -> WomCode:
    """The code that stores a logical page with its checksum over a page of `page_bytes`."""
    arguments.whole("logical_bytes", logical_bytes, 1, CELLS[1])
    cells = 8 * (page_bytes - arguments.whole("reserved", reserved, 0, page_bytes))
    if not CELLS[0] <= cells <= CELLS[1]:
        what = f"a page of {page_bytes:,} bytes, {reserved:,} of them reserved, cannot be written"
        low, high = (size // 8 for size in CELLS)
        raise ConfigError(what, "the page", f"take {low:,} to {high:,} bytes besides reserved ones")
    return WomCode(family, cells, 8 * logical_bytes + CHECKSUM_BITS, **options)
