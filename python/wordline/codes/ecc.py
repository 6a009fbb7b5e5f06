"""Error-correcting codes: how often codewords are lost, and how long encoding and decoding take."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from wordline import _native, arguments
from wordline.arguments import checked
from wordline.codes.verdicts import TOO_FEW, verdict
from wordline.codes.wom import Estimate, Progress
from wordline.errors import ConfigError

SEED = 2
"""Of the trials, unless said otherwise; the stored measurements have another."""


class EccFamily(str, Enum):
    """The families of codes that correct errors."""

    BCH = "bch"
    LDPC = "ldpc"

    @property
    def summary(self) -> str:
        """What it is."""
        return {
            EccFamily.BCH: "binary BCH codes over GF(2^3) to GF(2^16), shortened to bytes",
            EccFamily.LDPC: "quasi-cyclic LDPC codes for 4 KiB, rates 0.87 to 0.93, min-sum",
        }[self]


AGREEMENT = 0.99
"""Confidence of the intervals by which a measurement agrees with its reference."""

_SHOWN = (0.5, 0.1, 0.01)  # failure rates near which a code is measured, unless said otherwise
_ROUNDS = 30
_MOST_ROUNDS = 10_000
_MOST_BITS = 2**16  # the codes say which sizes fit; this is what no code has


@dataclass(frozen=True)
class Point:
    """What became of random codewords at one bit error rate.

    Attributes:
        rber: Probability that a bit is wrong, by one sensing.
        counts: Codewords refused, miscorrected, and decoded after 0, 1, … rounds.
    """

    rber: float
    counts: Sequence[int]

    @property
    def estimate(self) -> Estimate:
        """Codewords lost: refused or miscorrected."""
        return Estimate.of(sum(self.counts), sum(self.counts[:2]))

    @property
    def miscorrected(self) -> int:
        """Codewords that were turned into other ones."""
        return self.counts[1]

    @property
    def mean_rounds(self) -> float | None:
        """Rounds of the decoder, over the words that it decoded."""
        decoded = self.counts[2:]
        total = sum(decoded)
        return sum(n * count for n, count in enumerate(decoded)) / total if total else None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "rber": self.rber,
            **self.estimate.to_dict(),
            "miscorrected": self.miscorrected,
            "mean_rounds": self.mean_rounds,
        }


@dataclass(frozen=True)
class Speed:
    """Times of one core of this machine, for a codeword.

    Attributes:
        encode_us: To encode.
        decode_us: To decode, from hard decisions, words with `errors` wrong bits.
        errors: Wrong bits in each word.
        refused: Words that the decoder refused.
        words: Words in a round.
    """

    encode_us: float
    decode_us: float
    errors: int
    refused: int
    words: int


class EccCode:
    """A BCH or LDPC code.

    Made by `bch` or `ldpc`.
    """

    def __init__(self, name: str, native: _native.EccCode, reads: int, rows: int | None) -> None:
        self.name = name
        self.reads = reads
        self.rows = rows
        self._native = native

    @classmethod
    @checked
    def bch(cls, data_bytes: int = 1024, t: int = 72) -> "EccCode":
        """The BCH code for `data_bytes` that corrects `t` wrong bits.

        Raises:
            ConfigError: When no field of up to 2^16 elements is large enough.
        """
        data_bytes = arguments.whole("data_bytes", data_bytes, 1, _MOST_BITS)
        t = arguments.whole("t", t, 1, _MOST_BITS)
        native = _native.EccCode.bch(data_bytes, t)
        return cls(f"bch/t={t}/data={data_bytes}", native, 1, None)

    @classmethod
    @checked
    def ldpc(cls, rows: int = 14, reads: int = 1, rounds: int = _ROUNDS) -> "EccCode":
        """The stored LDPC code for 4 KiB with `rows` × 32 bytes of parity.

        Args:
            rows: Block rows of its matrix.
            reads: Sensings of each bit, an odd number; 1 is a hard decision.
            rounds: After which decoding is given up.

        Raises:
            ConfigError: When there is no such code.
        """
        rows = arguments.whole("rows", rows, 1, _MOST_BITS)
        reads = arguments.whole("reads", reads, 1, _MOST_BITS)
        rounds = arguments.whole("rounds", rounds, 1, _MOST_ROUNDS)
        native = _native.EccCode.ldpc(rows, reads, rounds)
        return cls(f"ldpc/rows={rows}/reads={reads}", native, reads, rows)

    @property
    def data_bytes(self) -> int:
        """Bytes of data in a codeword."""
        return self._native.data_bytes

    @property
    def parity_bytes(self) -> int:
        """Bytes of parity."""
        return self._native.parity_bytes

    @property
    def codeword_bits(self) -> int:
        """Bits of a codeword."""
        return self._native.codeword_bits

    @property
    def rate(self) -> float:
        """Data bits per bit of a codeword."""
        return 8 * self.data_bytes / self.codeword_bits

    @property
    def miscorrection_bound(self) -> float | None:
        """Share of random words that decode to some codeword; none where it is not known."""
        return self._native.miscorrection_bound()

    @checked
    def encode(self, data: bytes) -> bytes:
        """The parity of `data`.

        Raises:
            ConfigError: When `data` has not the code's length.
        """
        return bytes(self._native.encode(data))

    @checked
    def decode(self, data: bytes, parity: bytes) -> tuple[bytes, int]:
        """What was encoded, from hard decisions, and how many bits of data and parity were wrong.

        Raises:
            ConfigError: When data or parity have not the code's lengths.
            RunError: When no codeword is near enough.
        """
        found, wrong = self._native.decode(data, parity)
        return bytes(found), wrong

    def table(self) -> list[tuple[float, float]]:
        """Bit error rates, ascending, and the probability at each that a codeword is lost.

        Of a BCH code in closed form, of an LDPC code as was measured. Between points both
        logarithms are to be interpolated; below the first it is no more than there.

        Raises:
            ConfigError: When nothing was measured from so many sensings.
        """
        return self._native.table()

    @checked
    def failure_probability(self, rber: float) -> float | None:
        """Probability that a codeword is lost, in closed form; none where there is no such form."""
        return self._native.failure_probability(rber)

    @checked
    def failure(
        self,
        rber: float,
        trials: int = 10_000,
        failures: int = 100,
        *,
        seed: int = SEED,
        counts: Sequence[int] = (),
        progress: Progress | None = None,
    ) -> Point:
        """Sends random codewords until there are `trials`, or `failures` were lost.

        Args:
            rber: Probability that a bit is wrong.
            trials: Codewords in all.
            failures: Losses that are enough.
            seed: Of data and errors; trial i depends on it and on i alone.
            counts: What an earlier call counted, to go on from.
            progress: Called with trials made, trials in all, and losses.

        Raises:
            ConfigError: When no bit error rate lies at `rber`.
        """
        trials, failures = arguments.limits(trials, failures)
        seed = arguments.whole("seed", seed, 0, arguments.LARGEST)
        rber = arguments.real("rber", rber, 0, 0.5)
        counts = self._native.outcomes(rber, seed, list(counts), trials, failures, progress)
        return Point(rber, tuple(counts))

    @checked
    def speed(self, errors: int = 0, seconds: float = 1.0) -> Speed:
        """Measures how long it takes with `errors` wrong bits in each word, hard decisions."""
        errors = arguments.whole("errors", errors, 0, 8 * self.data_bytes)
        seconds = arguments.real("seconds", seconds, 0, 1e6)
        encode_us, decode_us, refused, words = self._native.speed(errors, seconds)
        return Speed(encode_us, decode_us, errors, refused, words)

    def references(self) -> list[tuple[float, float, float, float]]:
        """Bit error rates, failure rates there, and the intervals in which those lie.

        Of a BCH code near three failure rates, in closed form; of an LDPC code as was measured.
        """
        if self.rows is None:
            rbers = [self._rber_at(rate) for rate in _SHOWN]
            exact = [self.failure_probability(rber) or 0.0 for rber in rbers]
            return [(rber, p, p, p) for rber, p in zip(rbers, exact, strict=True)]
        stored = []
        for rows, reads, rber, trials, failures in _native.ldpc_measured():
            if (rows, reads) == (self.rows, self.reads):
                low, high = _native.failure_interval(trials, failures, AGREEMENT)
                stored.append((rber, failures / trials, low, high))
        return stored

    def _rber_at(self, failure: float) -> float:
        """Where the closed form gives about this failure rate, to three digits."""
        low, high = 0.0, 0.5
        for _ in range(60):
            middle = (low + high) / 2
            if (self.failure_probability(middle) or 0.0) < failure:
                low = middle
            else:
                high = middle
        return float(f"{high:.3g}")


def shown(code: EccCode) -> list[float]:
    """The bit error rates at which a code is measured, unless said otherwise."""
    known = code.references()
    if not known:
        raise ConfigError(
            f"{code.name} was not measured", "rber", "name bit error rates to measure it at"
        )
    return [min(known, key=lambda at: abs(at[1] - rate))[0] for rate in _SHOWN]


def items(code: EccCode, points: Sequence[Point]) -> Iterator[dict[str, Any]]:
    """One comparison for each measured point, with the closed form or the stored measurement."""
    closed = code.rows is None
    stored = {} if closed else {at[0]: at[1:] for at in code.references()}
    for point in points:
        exact = code.failure_probability(point.rber)
        known = (exact, exact, exact) if exact is not None else stored.get(point.rber)
        found = point.estimate
        low, high = _native.failure_interval(found.trials, found.failures, AGREEMENT)
        item: dict[str, Any] = {
            "id": f"code/{code.name}/rber={point.rber:g}",
            "source": "binomial distribution" if closed else "stored measurement, another seed",
            "workload": f"{found.trials:,} random codewords",
            "unit": "",
            "reference": None,
            "ours": found.rate,
            "deviation": None,
            "tolerance": 0.0,
            "status": "not published",
            "note": "",
        }
        if known is not None:
            rate, *near = known
            status = verdict((low, high), (near[0], near[1]), rate)
            item |= {
                "reference": rate,
                "deviation": (found.rate - rate) / rate if rate else found.rate,
                "tolerance": max(high - rate, rate - low, 0.0) / rate if rate else 0.0,
                "status": status,
                "note": TOO_FEW if status == "inconclusive" else "",
            }
        yield item
