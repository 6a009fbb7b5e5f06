"""The compiled part: whole runs cross the border, never single requests."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, final

VERSION: str
CHECKS_ITSELF: bool
"""Whether every assertion was compiled in, for which a run takes longer and gives the same."""
SOURCE: str
"""A digest of the simulator's sources: the same sources give the same results."""

@final
class Table:
    """A table of equally long columns, readable through the Arrow PyCapsule interface."""

    @staticmethod
    def from_parquet(data: bytes) -> Table: ...
    @staticmethod
    def from_columns(columns: Sequence[tuple[str, str, Sequence[object]]]) -> Table: ...
    @property
    def names(self) -> list[str]: ...
    def keys(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> list[Any]: ...
    def parquet(self) -> bytes: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

@final
class Run:
    """A finished run."""

    @property
    def result(self) -> str: ...
    @property
    def config(self) -> str: ...
    @property
    def series(self) -> Table: ...
    @property
    def records(self) -> Table: ...

@final
class Server:
    """A drive that is served."""

    @property
    def uri(self) -> str: ...
    @property
    def size_bytes(self) -> int: ...
    def summary(self) -> str: ...
    def stop(self) -> Run: ...

def serve(
    text: str,
    origin: str,
    overrides: Sequence[str],
    name: str,
    socket: Path | None = None,
    port: int | None = None,
    slower: float | None = None,
    image: Path | None = None,
    log: Path | None = None,
    recording: Path | None = None,
    force: bool = False,
    progress: object = None,
) -> Server: ...

@final
class Blocks:
    """Full blocks, as a policy sees them: lists of equal length, oldest first.

    Attributes:
        block: The number of each.
        valid: Its valid units.
        erases: Its P/E cycles.
        units_per_block: Units of a block; of the largest where blocks differ.
        free_blocks: Erased blocks of the drive; 0 where a victim is sought.
        now_us: Simulated time; 0 where a victim is sought.
    """

    @property
    def block(self) -> list[int]: ...
    @property
    def valid(self) -> list[int]: ...
    @property
    def erases(self) -> list[int]: ...
    @property
    def units_per_block(self) -> int: ...
    @property
    def free_blocks(self) -> int: ...
    @property
    def now_us(self) -> float: ...

@final
class HostWrite:
    """A write of the host, as a policy sees it.

    Attributes:
        unit: The logical unit that comes next.
        offset_bytes: First byte of the request.
        size_bytes: Length of the request.
        now_us: Its arrival.
        handle: The placement handle that the host gives it: its volume, device or stream.
    """

    @property
    def unit(self) -> int: ...
    @property
    def offset_bytes(self) -> int: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def now_us(self) -> float: ...
    @property
    def handle(self) -> int: ...

@final
class Planes:
    """The planes of a drive, as a policy sees them: lists by the number of the plane.

    Attributes:
        die: The die of each.
        backlog_us: Time of what its die has before it; 0 where that is idle.
        valid: Its valid units, as they were a few writes ago.
    """

    @property
    def die(self) -> list[int]: ...
    @property
    def backlog_us(self) -> list[float]: ...
    @property
    def valid(self) -> list[int]: ...

def resolve(text: str, origin: str, overrides: Sequence[str]) -> tuple[str, str]: ...
def check_drives(text: str, origin: str, overrides: Sequence[str]) -> None: ...
def check_workload(text: str, origin: str, overrides: Sequence[str]) -> None: ...
def memory_bytes(text: str, origin: str, overrides: Sequence[str]) -> int: ...
def erase_life(text: str, origin: str, overrides: Sequence[str]) -> str: ...
def run(
    text: str,
    origin: str,
    overrides: Sequence[str],
    progress: Callable[[str, int, int | None, int], object] | None = None,
    custom: object | None = None,
    record: tuple[str, float, float, int | None] | None = None,
) -> Run: ...
def power_cuts(
    text: str,
    origin: str,
    overrides: Sequence[str],
    every: int = 1,
    at: int | None = None,
    progress: Callable[[str, int, int | None, int], object] | None = None,
) -> str: ...
def cut_recorded(
    text: str,
    origin: str,
    overrides: Sequence[str],
    recording: Path,
    cuts: int,
    after: int,
    seed: int,
    of_block_layer: bool = False,
    disk: Path | None = None,
    check: Callable[[int], str | None] | None = None,
    progress: Callable[[str, int, int | None, int], object] | None = None,
) -> str: ...
def parse_toml(text: str, origin: str) -> str: ...
def student_quantile(degrees: int, confidence: float) -> float: ...
def student_tails(t: float, degrees: int) -> float: ...
def catalogue() -> str: ...
def drive_presets() -> list[str]: ...
def schemas() -> str: ...
def trace_convert(
    task: str,
    progress: Callable[[str, int, int | None, int], object] | None = None,
) -> str: ...
def trace_info(
    workload: str,
    format: str | None = None,
    sort: bool = False,
    sample: float = 1.0,
    memory_mib: int = 2048,
    progress: Callable[[str, int, int | None, int], object] | None = None,
) -> str: ...
def validate(
    suite: str,
    quick: bool,
    progress: Callable[[int, int, str], object] | None = None,
) -> str: ...
def fit_log(
    fills: list[float], points: list[tuple[float, float]], factor: float | None = None
) -> tuple[float, float]: ...
def log_amplification(room_gib: float, factor: float, space_gib: float) -> float: ...
def log_drive(
    room_gib: float, exported_gib: float, block_gib: float, units: float
) -> tuple[str, str]: ...
def expected(paper: str) -> str | None: ...
def reuse(
    hot: float,
    left_out: float,
    alpha: float,
    alpha_reserved: float,
    units_per_block: int,
    live: float,
) -> tuple[float, float]: ...
def lab_contents() -> str: ...
def lab_vth(chip: str, text: str, mode: str, pec: str, age: str, temp: str, reads: str) -> str: ...
def lab_distributions(
    chip: str, text: str, mode: str, pec: str, age: str, temp: str, reads: str
) -> Table: ...
def lab_campaign(settings: str, tallies: str, progress: Callable[[int, str], object]) -> str: ...
def lab_run(name: str) -> str: ...
def lab_tables(chip: str, text: str) -> str: ...

@final
class WomCode:
    """A code for a second write."""

    @staticmethod
    def polar(
        cells: int,
        size: tuple[int | None, float],
        writable: float,
        attempts: tuple[int, bool, int],
        reads: tuple[float, float],
        isa: str | None,
    ) -> WomCode: ...
    @staticmethod
    def ldgm(
        cells: int, message_bits: int, most_aside: int, tries: int, seed: int, isa: str | None
    ) -> WomCode: ...
    @staticmethod
    def rivest_shamir(message_bits: int) -> WomCode: ...
    @property
    def cells(self) -> int: ...
    @property
    def message_bits(self) -> int: ...
    @property
    def tries(self) -> int: ...
    @property
    def failure_bound(self) -> float | None: ...
    @property
    def correcting(self) -> int: ...
    def attempts(
        self,
        pages: tuple[int, float, int],
        counts: Sequence[int],
        trials: int,
        failures: int,
        progress: Callable[[int, int, int], object] | None,
    ) -> list[int]: ...
    def spoiled_reads(
        self,
        pages: tuple[int, float, int],
        rber: float,
        trials: int,
        failures: int,
        progress: Callable[[int, int, int], object] | None,
    ) -> tuple[int, int, int]: ...
    def round_trips(
        self,
        shape: tuple[int, int, int, int],
        seed: int,
        pages: int,
        progress: Callable[[int, int, int], object] | None,
    ) -> tuple[int, int, int, int, int]: ...
    def speed(
        self, pages: tuple[int, float, int], seconds: float
    ) -> tuple[float, float, float, int, int]: ...
    def write_page(
        self, used: bytes, logical: bytes, reserved: int
    ) -> tuple[bytes, int] | None: ...
    def read_page(
        self, page: bytes, metadata: int, logical_bytes: int, reserved: int
    ) -> tuple[bytes, int]: ...

def polar_longest(cells: int, writable: float, rates: Sequence[float]) -> list[int]: ...
def ldgm_threshold(rate: float) -> float: ...
def least_failure(cells: int, data_cells: int, writable: float, message_bits: int) -> float: ...
def failure_interval(trials: int, failures: int, confidence: float) -> tuple[float, float]: ...
def instruction_sets() -> list[str]: ...
def trace_synth(
    workload: str,
    path: str,
    span_bytes: int,
    seed: int,
    format: str | None = None,
    lossy: bool = False,
    force: bool = False,
) -> str: ...
def trace_fit(
    workload: str, name: str, format: str | None = None, sort: bool = False
) -> tuple[str, list[str]]: ...

@final
class EccCode:
    """A code that corrects errors, and how its words are read."""

    @staticmethod
    def bch(data_bytes: int, t: int) -> EccCode: ...
    @staticmethod
    def ldpc(rows: int, reads: int, rounds: int) -> EccCode: ...
    @property
    def data_bytes(self) -> int: ...
    @property
    def parity_bytes(self) -> int: ...
    @property
    def codeword_bits(self) -> int: ...
    def failure_probability(self, rber: float) -> float | None: ...
    def miscorrection_bound(self) -> float | None: ...
    def outcomes(
        self,
        rber: float,
        seed: int,
        counts: Sequence[int],
        trials: int,
        failures: int,
        progress: Callable[[int, int, int], object] | None,
    ) -> list[int]: ...
    def speed(self, errors: int, seconds: float) -> tuple[float, float, int, int]: ...
    def encode(self, data: bytes) -> bytes: ...
    def decode(self, data: bytes, parity: bytes) -> tuple[bytes, int]: ...
    def table(self) -> list[tuple[float, float]]: ...

def ldpc_measured() -> list[tuple[int, int, float, int, int]]: ...
