"""MQSim's drives and workloads as TOML: what each key becomes, and which have no equal.

Keys, their units and their defaults are those of MQSim's source (github.com/CMU-SAFARI/MQSim,
7ec40e3).
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from wordline.errors import ConfigError
from wordline.importing.mqsim_keys import DEFAULTS, NO_EQUAL
from wordline.persistence import files

DRIVE, SCENARIOS = "Execution_Parameter_Set", "MQSim_IO_Scenarios"
_MIB, _SECTOR = 1 << 20, 512
_TABLES = {"Host_Parameter_Set", "Device_Parameter_Set", "Flash_Parameter_Set"}
_POLICIES = {"GREEDY": "greedy", "RGA": "d_choices", "FIFO": "fifo", "RANDOM": "random"}
_SUSPENSIONS = {"NONE": (), "ERASE": ("erase",), "PROGRAM": ("program",)}
_SUSPENSIONS["PROGRAM_ERASE"] = ("erase", "program")
_PAGE_TYPES = {"SLC": ("LSB",), "MLC": ("LSB", "MSB"), "TLC": ("LSB", "CSB", "MSB")}
_PLANES = ("Flash_Channel_Count", "Chip_No_Per_Channel", "Die_No_Per_Chip", "Plane_No_Per_Die")
_REQUESTS = 1_000_000  # of a flow that ends by the clock of a closed loop


@dataclass
class Drive:
    """A drive in Wordline's keys.

    Attributes:
        values: By dotted key, each with what it was made of.
        without_equal: Keys of MQSim's that have none, with their values and why.
        logical_bytes: What the host can address.
        page_bytes: Bytes of a page.
    """

    values: dict[str, tuple[Any, str]] = field(default_factory=dict)
    without_equal: list[tuple[str, str]] = field(default_factory=list)
    logical_bytes: float = 0.0
    page_bytes: float = 0.0

    def to_toml(self, origin: str) -> str:
        """The drive as a configuration whose comments name MQSim's keys."""
        lines, open_table = [f"# From MQSim's {origin} by `wordline import mqsim`."], None
        for key in sorted(self.values, key=lambda key: key.rpartition(".")):
            value, source = self.values[key]
            table, _, name = key.rpartition(".")
            if table != open_table:
                open_table = table
                lines += ["", f"[{table}]"]
            lines.append(f"{name} = {json.dumps(value)}  # {source}")
        lines += ["", "# Keys of MQSim's without an equal here:"]
        lines += [f"# {key}: {why}" for key, why in self.without_equal]
        return "\n".join(lines) + "\n"


def parse(path: Path, root: str) -> ElementTree.Element:
    """The root of one of MQSim's files.

    Raises:
        ConfigError: It is no XML, or another file.
    """
    try:
        found = ElementTree.fromstring(files.read(path))
    except ElementTree.ParseError as error:
        line, _ = error.position
        raise ConfigError(f"no XML: {error}", f"{path}:{line}", "give MQSim's own file") from None
    if found.tag != root:
        what = f"its root is <{found.tag}>, and <{root}> was expected"
        help = "give ssdconfig.xml first, and workload.xml behind it"
        raise ConfigError(what, str(path), help)
    return found


class _Keys:
    """The keys of a file of MQSim's; those that it leaves out have the defaults of its source."""

    def __init__(self, given: dict[str, str], path: Path) -> None:
        self.given = given
        self._path = path
        self.used: set[str] = set()

    def text(self, name: str) -> str:
        return self.given.get(name, DEFAULTS[name])

    def number(self, name: str) -> float:
        text = self.text(name)
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 <= value < math.inf:
            raise ConfigError(f"{name} is `{text}`", str(self._path), "give a number from 0 on")
        return value

    def whole(self, name: str) -> int:
        value = self.number(name)
        if value != int(value):
            raise ConfigError(f"{name} is `{value}`", str(self._path), "give a whole number")
        return int(value)

    def is_true(self, name: str) -> bool:
        return self.text(name).lower() in ("true", "1")

    def choice(self, name: str, known: Any) -> str:
        text = self.text(name).upper()
        if text not in known:
            help = f"MQSim has {', '.join(known)} that have an equal here"
            raise ConfigError(f"{name} is `{text}`", str(self._path), help)
        return text

    def told(self, *names: str) -> str:
        """The keys and what they hold, as a comment."""
        self.used.update(names)
        return ", ".join(
            f"{name} = {self.text(name)}" + ("" if name in self.given else ", its default")
            for name in names
        )


def drive(path: Path) -> Drive:
    """The drive of an ssdconfig.xml.

    Raises:
        ConfigError: The file cannot be used, or has something that no drive here has.
    """
    root = parse(path, DRIVE)
    given = {
        element.tag: (element.text or "").strip()
        for element in root.iter()
        if element.tag != DRIVE and element.tag not in _TABLES
    }
    keys, made = _Keys(given, path), Drive()
    for part in (_host, _geometry, _times, _ftl, _gc):
        for key, value, *names in part(keys):
            made.values[key] = (value, keys.told(*names))
    made.values |= {
        "ftl.acknowledge": ("buffer", "MQSim completes a write in its cache: WRITE_CACHE"),
        "host.unmapped": (
            "as_mapped",
            "MQSim gives what is read first a place, and reads it, its map too",
        ),
        "ftl.superblock_dies": (0, "MQSim's planes collect blocks of their own"),
        "ftl.trim_us": (0, "MQSim has no trims"),
        "ftl.trim_unit_us": (0, "MQSim has no trims"),
    }
    for name, value in given.items():
        if name not in keys.used:
            why = NO_EQUAL.get(name, "not a key of MQSim at 7ec40e3")
            made.without_equal.append((f"{name} = {value}", why))
    made.page_bytes = keys.number("Page_Capacity")
    made.logical_bytes = _physical_bytes(keys) * (1 - keys.number("Overprovisioning_Ratio"))
    return made


Found = Iterator[tuple[Any, ...]]  # a key, its value, and MQSim's keys that it is made of


def _host(keys: _Keys) -> Found:
    lanes = "PCIe_Lane_Bandwidth", "PCIe_Lane_Count"
    yield "host.bus_mb_s", 1000 * keys.number(lanes[0]) * keys.number(lanes[1]), *lanes
    # Its cache writes back at once, and lets a page for each plane wait for its program.
    yield "host.write_buffer_mib", 0, "Caching_Mechanism"
    waiting = math.prod(keys.number(name) for name in (*_PLANES, "Page_Capacity"))
    yield "ftl.buffer_kib", waiting / 1024, *_PLANES, "Page_Capacity"
    yield "run.seed", keys.whole("Seed"), "Seed"
    steady = keys.is_true("Enabled_Preconditioning")
    yield "precondition.pattern", "steady" if steady else "none", "Enabled_Preconditioning"


def _geometry(keys: _Keys) -> Found:
    for key, name in (
        ("channels", "Flash_Channel_Count"),
        ("chips_per_channel", "Chip_No_Per_Channel"),
        ("chip.blocks_per_plane", "Block_No_Per_Plane"),
        ("chip.pages_per_block", "Page_No_Per_Block"),
    ):
        yield f"drive.{key}", keys.whole(name), name
    # A chip of MQSim's starts a command only when all of its dies are idle.
    planes = keys.whole("Die_No_Per_Chip") * keys.whole("Plane_No_Per_Die")
    yield "drive.chip.dies", 1, "Die_No_Per_Chip"
    yield "drive.chip.planes", planes, "Die_No_Per_Chip", "Plane_No_Per_Die"
    yield "drive.chip.page_kib", keys.number("Page_Capacity") / 1024, "Page_Capacity"
    ratio = keys.number("Overprovisioning_Ratio")
    if ratio >= 1:
        what = f"Overprovisioning_Ratio is {ratio:g} of the flash"
        raise ConfigError(what, str(keys._path), "give less than 1")
    yield "drive.over_provisioning", ratio / (1 - ratio), "Overprovisioning_Ratio"


def _times(keys: _Keys) -> Found:
    cell = keys.choice("Flash_Technology", _PAGE_TYPES)
    yield "drive.chip.cell", cell.lower(), "Flash_Technology"
    for key, name in (("read_us", "Read"), ("program_us", "Program")):
        names = [f"Page_{name}_Latency_{kind}" for kind in _PAGE_TYPES[cell]]
        every = [keys.number(name) / 1000 for name in names]
        yield f"drive.chip.{key}", every[0] if len(set(every)) == 1 else every, *names
    yield "drive.chip.erase_ms", keys.number("Block_Erase_Latency") / 1e6, "Block_Erase_Latency"
    yield "drive.chip.endurance_pec", keys.whole("Block_PE_Cycles_Limit"), "Block_PE_Cycles_Limit"
    rate = "Channel_Transfer_Rate", "Flash_Channel_Width"
    yield "drive.chip.transfer_mb_s", keys.number(rate[0]) * keys.number(rate[1]), *rate
    suspended = _SUSPENSIONS[keys.choice("CMD_Suspension_Support", _SUSPENSIONS)]
    for kind in suspended:
        yield f"drive.scheduling.suspend_{kind}", True, "CMD_Suspension_Support"
    if suspended:
        kind = "Erase" if "erase" in suspended else "Program"
        took, least = f"Suspend_{kind}_Time", "Preferred_suspend_erase_time_for_read"
        yield "drive.scheduling.suspend_us", keys.number(took) / 1000, took
        yield "drive.scheduling.resume_us", 0, took
        yield "drive.scheduling.suspend_min_us", keys.number(least) / 1000, least


def _ftl(keys: _Keys) -> Found:
    order = "Transaction_Scheduling_Policy"
    policy = keys.choice(order, ("OUT_OF_ORDER", "PRIORITY_OUT_OF_ORDER", "FLIN"))
    yield "drive.scheduling.order", "reads_first", order  # they go ahead of writes in each
    yield "drive.scheduling.by_class", "flin" if policy == "FLIN" else "none", order
    yield "ftl.allocation", keys.text("Plane_Allocation_Scheme"), "Plane_Allocation_Scheme"
    keys.choice("Address_Mapping", ("PAGE_LEVEL",))
    is_ideal = keys.is_true("Ideal_Mapping_Table")
    yield "ftl.map_cache.policy", "full" if is_ideal else "dftl", "Ideal_Mapping_Table"
    if not is_ideal:
        # An entry has 9 bytes there, and 8 here.
        entries = keys.number("CMT_Capacity") // 9
        yield "ftl.map_cache.capacity_kib", entries * 8 / 1024, "CMT_Capacity"
    static, dynamic = "Static_Wearleveling_Enabled", "Dynamic_Wearleveling_Enabled"
    policy = "dynamic" if keys.is_true(dynamic) else "none"
    is_static = keys.is_true(static)
    yield "ftl.wear.policy", "static" if is_static else policy, static, dynamic
    if is_static:
        threshold = "Static_Wearleveling_Threshold"
        yield "ftl.wear.threshold", keys.whole(threshold), threshold


def _gc(keys: _Keys) -> Found:
    policy = "GC_Block_Selection_Policy"
    name = _POLICIES[keys.choice(policy, _POLICIES)]
    yield "ftl.gc.policy", name, policy
    if name == "d_choices":
        blocks = keys.whole("Block_No_Per_Plane")
        choices = max(1, math.floor(math.log2(max(blocks, 2))))
        yield "ftl.gc.d", choices, policy, "Block_No_Per_Plane"
    yield "ftl.gc.scope", "plane", policy
    threshold = "GC_Exec_Threshold"
    yield "ftl.gc.free_block_threshold", keys.number(threshold), threshold
    preempts = "Preemptible_GC_Enabled"
    yield "ftl.gc.mode", "preemptible" if keys.is_true(preempts) else "foreground", preempts
    yield "drive.chip.copy_back", keys.is_true("Use_Copyback_for_GC"), "Use_Copyback_for_GC"


def _physical_bytes(keys: _Keys) -> float:
    names = (*_PLANES, "Block_No_Per_Plane", "Page_No_Per_Block", "Page_Capacity")
    return math.prod(keys.number(name) for name in names)


@dataclass(frozen=True)
class Scenario:
    """A scenario of MQSim's, as phases in TOML.

    Attributes:
        text: The phases; empty where the flows are traces.
        overrides: Keys that it asks of the drive, as `KEY=VALUE`.
        traces: Files of flows that replay one.
    """

    text: str
    overrides: tuple[str, ...]
    traces: tuple[str, ...]


def scenarios(path: Path, of: Drive) -> list[Scenario]:
    """The scenarios of a workload.xml, on a drive.

    Raises:
        ConfigError: The file cannot be used, or has what no generator here has.
    """
    found = [_scenario(list(one), path, of) for one in parse(path, SCENARIOS)]
    if not found:
        raise ConfigError("no <IO_Scenario>", str(path), "give one with a flow")
    return found


def _scenario(flows: list[ElementTree.Element], path: Path, of: Drive) -> Scenario:
    """One scenario; its flows share the logical space in equal parts, as MQSim deals it out."""
    given = [
        (flow.tag, _Keys({part.tag: (part.text or "").strip() for part in flow}, path))
        for flow in flows
    ]
    if not given:
        raise ConfigError("a scenario without a flow", str(path), "remove it")
    traces = [keys.text("File_Path") for tag, keys in given if tag.endswith("Trace_Based")]
    if traces and len(traces) < len(given):
        what = "a scenario of traces and synthetic flows"
        raise ConfigError(what, str(path), "give each a scenario of its own")
    if traces:
        return _of_traces(given, tuple(traces), of)
    kinds = {keys.text("Synthetic_Generator_Type") for _, keys in given}
    if len(kinds) > 1:
        what = "a scenario with flows of a bandwidth and of a queue depth"
        raise ConfigError(what, str(path), "give each a scenario of its own")
    closed = kinds == {"QUEUE_DEPTH"}
    # Each begins with a page.
    part_mib = of.logical_bytes / len(given) // of.page_bytes * of.page_bytes / _MIB
    streams = [
        stream
        for number, (_, keys) in enumerate(given)
        for stream in _stream(keys, number * part_mib, part_mib, closed, len(given) > 1)
    ]
    totals = [keys.whole("Total_Requests_To_Generate") for _, keys in given]
    stops = [keys.number("Stop_Time") / 1e9 for _, keys in given]
    by_time = any(stop > 0 for stop in stops)
    if by_time and not closed:
        end = [f"duration_s = {max(stops):g}  # Stop_Time"]
    elif by_time:
        end = [f"requests = {_REQUESTS}  # Stop_Time = {max(stops):g} s, which no closed loop has"]
    else:
        end = [f"requests = {sum(totals)}  # Total_Requests_To_Generate"]
    head = ["[[phase]]", 'name = "scenario"', *end]
    if closed and len(given) > 1:
        head.append('arrivals = "interval_us=0"  # the next request goes as one is done')
    depth = sum(keys.whole("Average_No_of_Reqs_in_Queue") for _, keys in given)
    overrides = ("host.mode=closed", f"host.queue_depth={depth}") if closed else ("host.mode=open",)
    sizes = [keys.number("Average_Request_Size") * _SECTOR for _, keys in given]
    overrides = (*overrides, *_state(given, of), *_cached(given, of, max(sizes)))
    return Scenario("\n".join([*head, *streams]) + "\n", overrides, ())


def _state(given: list[tuple[str, _Keys]], of: Drive) -> tuple[str, ...]:
    """What the flows have written before they begin; they share the space in equal parts."""
    key = "Initial_Occupancy_Percentage"
    named = [keys.number(key) / 100 for _, keys in given if key in keys.given]
    if of.values["precondition.pattern"][0] == "none" or len(named) < len(given):
        return ()
    return (f"precondition.fill={sum(named) / len(named):.6g}",)


def _cached(given: list[tuple[str, _Keys]], of: Drive, request_bytes: float) -> tuple[str, ...]:
    """When writes are complete; its cache counts sectors, and the buffer here whole pages."""
    modes = {keys.text("Device_Level_Data_Caching_Mode") for _, keys in given}
    if not any("WRITE" in mode for mode in modes):
        return ("ftl.acknowledge=program",)
    if not 0 < request_bytes < of.page_bytes:
        return ()
    room_kib = of.values["ftl.buffer_kib"][0] * of.page_bytes / request_bytes
    return (f"ftl.buffer_kib={room_kib:.6g}",)


def _of_traces(given: list[tuple[str, _Keys]], traces: tuple[str, ...], of: Drive) -> Scenario:
    overrides = ["host.mode=open", *_state(given, of), *_cached(given, of, 0)]
    repeats = {keys.whole("Relay_Count") for _, keys in given}
    if max(repeats) > 1:
        overrides.append(f"workload.repeat={max(repeats)}")
    scale = {"PICOSECOND": 1e-3, "NANOSECOND": 1.0, "MICROSECOND": 1e3}
    factors = {scale[keys.choice("Time_Unit", scale)] for _, keys in given}
    if factors != {1.0}:
        overrides.append(f"host.time_scale={factors.pop():g}")
    if len(traces) > 1:
        overrides.append(f"workload.interleave={json.dumps(traces[1:])}")
    # Its devices have one address space.
    always = ("workload.format=mqsim", "workload.layout=together")
    return Scenario("", (*always, *overrides), traces)


def _stream(
    keys: _Keys, from_mib: float, part_mib: float, closed: bool, is_shared: bool
) -> Iterator[str]:
    """A flow as a stream of a phase."""
    aligned = keys.is_true("Generated_Aligned_Addresses")
    size_kib = keys.number("Average_Request_Size") * _SECTOR / 1024
    unit_kib = keys.number("Address_Alignment_Unit") * _SECTOR / 1024
    span_mib = part_mib * keys.number("Working_Set_Percentage") / 100
    params = {
        "read": keys.number("Read_Percentage") / 100,
        "size_kib": size_kib,
        "align_kib": unit_kib if aligned else 0.5,
        "span_mib": span_mib,
        "seed": keys.whole("Seed"),
    }
    kind = keys.choice("Address_Distribution", ("STREAMING", "RANDOM_UNIFORM", "RANDOM_HOTCOLD"))
    name = {"STREAMING": "sequential", "RANDOM_UNIFORM": "uniform"}.get(kind, "hotcold")
    if name == "hotcold":
        hot = keys.number("Percentage_of_Hot_Region") / 100
        params |= {"hot": hot, "share": 1 - hot}
    if not closed:
        bytes_per_s = keys.number("Bandwidth")
        params["interval_us"] = size_kib * 1024 / bytes_per_s * 1e6 if bytes_per_s else 0
    told = ",".join(f"{key}={value:.15g}" for key, value in params.items())
    yield ""
    yield "[[phase.stream]]"
    if keys.text("Request_Size_Distribution") == "NORMAL":
        yield "# Request_Size_Distribution = NORMAL: the mean stands for all sizes"
    yield f'workload = "{name}:{told}"'
    if closed and is_shared:
        yield f"weight = {max(1, keys.whole('Average_No_of_Reqs_in_Queue'))}"
    if from_mib:
        yield f"offset_mib = {from_mib:.15g}"
