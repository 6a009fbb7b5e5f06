"""MQSim (Tavakkol et al., FAST 2018; github.com/CMU-SAFARI/MQSim), run as its user built it."""

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from drive import Drive
from measure import RunError, Totals, run
from workloads import Trace

GC_POLICIES = {"greedy": "GREEDY", "fifo": "FIFO", "random": "RANDOM"}
FAST_LINK_GB_S = 1000
"""Fast enough that no transfer over the host's link takes a nanosecond, as without a link."""


def totals(binary: Path, drive: Drive, trace: Trace, folder: Path, timeout_s: float) -> Totals:
    """Replays `trace` on an empty drive.

    Raises:
        RunError: MQSim failed or hung.
    """
    _write(folder / "ssdconfig.xml", _device(drive))
    _write(folder / "workload.xml", _scenario(drive, trace))
    command = [str(binary), "-i", "ssdconfig.xml", "-w", "workload.xml"]
    finished = run(command, folder, timeout_s)
    report = Report(folder / "workload_scenario_1.xml")
    commands = report.attributes("FTL")
    planes = drive.chip["planes"]
    return Totals(
        requests=trace.requests,
        lost_requests=trace.requests - _served(finished.output),
        page_reads=trace.page_reads,
        page_writes=trace.page_writes,
        read_sum_us=trace.page_reads * report.value("Average_Read_Transaction_Turnaround_Time"),
        write_sum_us=trace.page_writes * report.value("Average_Write_Transaction_Turnaround_Time"),
        programs=_pages(commands, "Program", planes),
        reads=_pages(commands, "Read", planes),
        erases=_pages(commands, "Erase", planes),
        cpu_s=finished.cpu_s,
        peak_rss_mib=finished.peak_rss_mib,
    )


def _pages(commands: Mapping[str, str], kind: str, planes: int) -> int:
    """Pages or blocks that commands of a kind worked on; a multi-plane command fills all planes.

    With two planes in a die that is exact: MQSim calls a command multi-plane from two planes on.
    """
    single = int(commands[f"Issued_Flash_{kind}_CMD"])
    return single + planes * int(commands[f"Issued_Flash_Multiplane_{kind}_CMD"])


def _served(output: str) -> int:
    """Requests served, which MQSim says on its standard output alone.

    Fewer than the trace holds is no failure to MQSim: some requests are never completed, and it
    exits with status 0.
    """
    said = output.partition("total requests serviced:")[2].split()
    if not said:
        raise RunError("MQSim ended without a count of the requests that it served")
    return int(said[0])


class Report:
    """MQSim's result file."""

    def __init__(self, path: Path) -> None:
        try:
            self._root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as error:
            raise RunError(f"MQSim's result {path.name} cannot be read: {error}") from None

    def value(self, name: str) -> float:
        """The number in the element `name`, whatever it stands in."""
        element = next((e for e in self._root.iter() if e.tag.endswith(name)), None)
        if element is None or element.text is None:
            raise RunError(f"MQSim's result has no {name}")
        return float(element.text)

    def flows(self) -> list[Mapping[str, float]]:
        """The numbers of each flow of the host, by name."""
        flows = self._root.iter("Host.IO_Flow")
        return [{e.tag: float(e.text or 0) for e in flow if e.tag != "Name"} for flow in flows]

    def attributes(self, name: str) -> Mapping[str, str]:
        """The attributes of the element whose name ends in `name`."""
        element = next((e for e in self._root.iter() if e.tag.endswith(f".{name}")), None)
        if element is None:
            raise RunError(f"MQSim's result has no {name}")
        return element.attrib


def _write(path: Path, tree: Mapping[str, Any]) -> None:
    ((name, content),) = tree.items()
    root = _element(name, content)
    ElementTree.ElementTree(root).write(path, encoding="us-ascii", xml_declaration=True)


def _element(name: str, content: Any) -> ElementTree.Element:
    element = ElementTree.Element(name)
    if isinstance(content, Mapping):
        element.extend(_element(key, value) for key, value in content.items())
    elif isinstance(content, bool):
        element.text = str(content).lower()
    else:
        element.text = str(content)
    return element


def _nanoseconds(microseconds: float | list[float]) -> int:
    if isinstance(microseconds, list):
        raise RunError("MQSim's page types are not those of this chip: use one latency for all")
    return round(microseconds * 1000)


def _device(drive: Drive) -> Mapping[str, Any]:
    config = drive.config
    blocks = drive.chip["blocks_per_plane"]
    return {
        "Execution_Parameter_Set": {
            "Host_Parameter_Set": {
                "PCIe_Lane_Bandwidth": FAST_LINK_GB_S,
                "PCIe_Lane_Count": 16,
                "SATA_Processing_Delay": 0,
                "Enable_ResponseTime_Logging": False,
                "ResponseTime_Logging_Period_Length": 1_000_000,
            },
            "Device_Parameter_Set": {
                "Seed": config["run"]["seed"],
                "Enabled_Preconditioning": False,
                "Memory_Type": "FLASH",
                "HostInterface_Type": "NVME",
                "IO_Queue_Depth": 65_535,
                "Queue_Fetch_Size": 512,
                **_no_cache(),
                "Address_Mapping": "PAGE_LEVEL",
                "Ideal_Mapping_Table": True,
                "CMT_Capacity": 2**31,
                "CMT_Sharing_Mode": "SHARED",
                "Plane_Allocation_Scheme": config["ftl"]["allocation"],
                "Transaction_Scheduling_Policy": "PRIORITY_OUT_OF_ORDER",
                "Overprovisioning_Ratio": drive.physical_over_provisioning,
                # Half a block more, so that MQSim's truncation gives the whole number.
                "GC_Exec_Threshold": (drive.reserve_blocks + 0.5) / blocks,
                "GC_Block_Selection_Policy": GC_POLICIES[config["ftl"]["gc"]["policy"]],
                "Use_Copyback_for_GC": drive.chip["copy_back"],
                "Preemptible_GC_Enabled": False,
                "GC_Hard_Threshold": 10.5 / blocks,
                "Dynamic_Wearleveling_Enabled": False,
                "Static_Wearleveling_Enabled": False,
                "Static_Wearleveling_Threshold": 100,
                "Preferred_suspend_erase_time_for_read": 0,
                "Preferred_suspend_erase_time_for_write": 0,
                "Preferred_suspend_write_time_for_read": 0,
                "Flash_Channel_Count": config["drive"]["channels"],
                "Flash_Channel_Width": 1,
                "Channel_Transfer_Rate": math.floor(drive.chip["transfer_mb_s"]),
                "Chip_No_Per_Channel": config["drive"]["chips_per_channel"],
                "Flash_Comm_Protocol": "NVDDR2",
                "Flash_Parameter_Set": _flash(drive),
            },
        }
    }


def _no_cache() -> Mapping[str, Any]:
    """A cache must be described even though the flow switches it off."""
    return {
        "Caching_Mechanism": "ADVANCED",
        "Data_Cache_Sharing_Mode": "SHARED",
        "Data_Cache_Capacity": 2**20,
        "Data_Cache_DRAM_Row_Size": 8192,
        "Data_Cache_DRAM_Data_Rate": 800,
        "Data_Cache_DRAM_Data_Busrt_Size": 1,
        "Data_Cache_DRAM_tRCD": 13,
        "Data_Cache_DRAM_tCL": 13,
        "Data_Cache_DRAM_tRP": 13,
    }


def _flash(drive: Drive) -> Mapping[str, Any]:
    chip = drive.chip
    read_ns, program_ns = _nanoseconds(chip["read_us"]), _nanoseconds(chip["program_us"])
    page_types = ("LSB", "CSB", "MSB")
    return {
        "Flash_Technology": chip["cell"].upper(),
        "CMD_Suspension_Support": "NONE",
        **{f"Page_Read_Latency_{kind}": read_ns for kind in page_types},
        **{f"Page_Program_Latency_{kind}": program_ns for kind in page_types},
        "Block_Erase_Latency": round(chip["erase_ms"] * 1e6),
        "Block_PE_Cycles_Limit": 1_000_000,
        "Suspend_Erase_Time": 0,
        "Suspend_Program_Time": 0,
        "Die_No_Per_Chip": chip["dies"],
        "Plane_No_Per_Die": chip["planes"],
        "Block_No_Per_Plane": chip["blocks_per_plane"],
        "Page_No_Per_Block": chip["pages_per_block"],
        "Page_Capacity": drive.page_bytes,
        "Page_Metadat_Capacity": 0,
    }


def _scenario(drive: Drive, trace: Trace) -> Mapping[str, Any]:
    config = drive.config["drive"]
    return {
        "MQSim_IO_Scenarios": {
            "IO_Scenario": {
                "IO_Flow_Parameter_Set_Trace_Based": {
                    "Priority_Class": "HIGH",
                    "Device_Level_Data_Caching_Mode": "TURNED_OFF",
                    "Channel_IDs": _all(config["channels"]),
                    "Chip_IDs": _all(config["chips_per_channel"]),
                    "Die_IDs": _all(drive.chip["dies"]),
                    "Plane_IDs": _all(drive.chip["planes"]),
                    "Initial_Occupancy_Percentage": 0,
                    "File_Path": trace.path,
                    "Percentage_To_Be_Executed": 100,
                    "Relay_Count": 1,
                    "Time_Unit": "NANOSECOND",
                }
            }
        }
    }


def _all(count: int) -> str:
    return ",".join(map(str, range(count)))
