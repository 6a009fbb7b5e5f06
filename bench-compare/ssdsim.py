"""SSDSim (Hu et al., ICS 2011; github.com/narges64/SSDSim-Original), run as its user built it.

It ends with status 1 when all is well, waits in an endless loop after most errors, cuts file names
short, and writes its results into its working directory.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from drive import Drive
from measure import RunError, Work, run
from workloads import READ, SECTOR_BYTES, Trace

STATUS_OF_SUCCESS = 1
TRACE, DRIVE, TIME_SCALE = "trace", "drive", "1"
"""What its files are named by. Names of 30 characters and more it cuts."""

STATIC, ALLOCATIONS = 1, {"CWDP": 1, "CPWD": 2, "CDWP": 3}
"""Its numbers for what page goes to which plane."""

MAX_SECTORS = 31
"""Of a page: it keeps a bit for each in a signed number."""


def work(binary: Path, drive: Drive, trace: Trace, folder: Path, timeout_s: float) -> Work:
    """Replays `trace` on an empty drive.

    Raises:
        RunError: SSDSim failed or hung, or cannot have this drive.
    """
    own = folder / "ssdsim"
    own.mkdir(exist_ok=True)
    settings = "".join(f"{key} = {value};\n" for key, value in parameters(drive).items())
    (own / f"page.parameters_{DRIVE}").write_text(settings, encoding="ascii")
    link = own / TRACE
    link.unlink(missing_ok=True)
    link.symlink_to(_converted(trace, own))
    result = own / f"stat1_{TRACE}_{DRIVE}.{TIME_SCALE}"
    result.unlink(missing_ok=True)
    command = [str(binary), TRACE, DRIVE, TIME_SCALE]
    finished = run(command, own, timeout_s, STATUS_OF_SUCCESS)
    if "the simulation is completed!" not in finished.output:
        raise RunError("SSDSim ended before its simulation was completed")
    try:
        text = result.read_text("ascii", errors="replace")
    except OSError as error:
        raise RunError(f"SSDSim's result cannot be read: {error.strerror}") from None
    counts = statistics(text)
    served = counts["read request count"] + counts["write request count"]
    return Work(
        requests=trace.requests,
        lost_requests=trace.requests - served,
        programs=counts["write flash count"],
        reads=counts["read count"],
        erases=counts["erase count"],
        cpu_s=finished.cpu_s,
        peak_rss_mib=finished.peak_rss_mib,
    )


NEEDED = (
    "read request count",
    "write request count",
    "write flash count",
    "read count",
    "erase count",
)


def statistics(text: str) -> Mapping[str, int]:
    """The numbers that stand after the parameters, by the names that SSDSim gives them.

    Raises:
        RunError: One that is needed is missing.
    """
    found = dict(
        re.findall(r"^([a-z][a-z -]*): +(-?\d+)\b", text.rpartition("statistic data")[2], re.M)
    )
    for name in NEEDED:
        if name not in found:
            raise RunError(f"SSDSim's result has no {name}")
    return {name: int(value) for name, value in found.items()}


def parameters(drive: Drive) -> Mapping[str, float]:
    """The drive in the names of SSDSim's parameter file; what is missing there is zero to it.

    Raises:
        RunError: SSDSim has no such drive.
    """
    config, chip = drive.config["drive"], drive.chip
    sectors = drive.page_bytes // SECTOR_BYTES
    allocation = ALLOCATIONS.get(drive.config["ftl"]["allocation"])
    by_page = any(isinstance(chip[key], list) for key in ("read_us", "program_us"))
    if allocation is None or sectors > MAX_SECTORS or by_page:
        raise RunError("SSDSim cannot have this drive: take one latency, small pages and CWDP")
    channels, chips = config["channels"], config["chips_per_channel"]
    return {
        "channel number": channels,
        "chip number": channels * chips,
        **{f"chip number[{channel}]": chips for channel in range(channels)},
        "die number": chip["dies"],
        "plane number": chip["planes"],
        "block number": chip["blocks_per_plane"],
        "page number": chip["pages_per_block"],
        "subpage page": sectors,
        "page capacity": drive.page_bytes,
        "subpage capacity": SECTOR_BYTES,
        "t_R": round(chip["read_us"] * 1e3),
        "t_PROG": round(chip["program_us"] * 1e3),
        "t_BERS": round(chip["erase_ms"] * 1e6),
        # Cycles of a byte on the channel, in whole nanoseconds.
        "t_WC": round(1e3 / chip["transfer_mb_s"]),
        "t_RC": round(1e3 / chip["transfer_mb_s"]),
        "dram capacity": 0,
        "overprovide": drive.physical_over_provisioning,
        "gc threshold": drive.reserve_blocks / chip["blocks_per_plane"],
        "gc hard threshold": drive.reserve_blocks / chip["blocks_per_plane"],
        "address mapping": 1,
        "scheduling algorithm": 1,
        "allocation": STATIC,
        "static_allocation": allocation,
        # With its advanced commands GC takes no time at all.
        "advanced command": 0,
        "aged": 0,
    }


def _converted(trace: Trace, folder: Path) -> Path:
    """The trace in SSDSim's format, written once."""
    path = folder / f"{trace.path.stem}.umass"
    if not path.exists():
        with trace.path.open(encoding="ascii") as lines, path.open("w", encoding="ascii") as out:
            out.writelines(umass(lines))
    return path


def umass(lines: Iterator[str]) -> Iterator[str]:
    """MQSim's lines as those that SSDSim reads: number, time, device, file, kind, sector, sectors.

    Kinds are a letter: it keeps five bytes for the word.
    """
    for number, line in enumerate(lines, 1):
        time_ns, device, sector, sectors, kind = line.split()
        # What is not "Read" is a write to it.
        word = "Read" if int(kind) == READ else "W"
        yield f"{number} {time_ns} {device} 0 {word} {sector} {sectors}\n"
