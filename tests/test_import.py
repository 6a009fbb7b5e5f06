"""`wordline import mqsim`: a drive and workloads of MQSim's as Wordline's own."""

import json
import math
import shlex
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from click.testing import CliRunner, Result
from wordline.cli.app import app
from wordline.configuration import find
from wordline.importing import mqsim
from wordline.importing.mqsim_keys import DEFAULTS, NO_EQUAL

FLASH = {
    "Flash_Technology": "TLC",
    "CMD_Suspension_Support": "PROGRAM_ERASE",
    "Page_Read_Latency_LSB": 40000,
    "Page_Read_Latency_CSB": 50000,
    "Page_Read_Latency_MSB": 60000,
    "Page_Program_Latency_LSB": 700000,
    "Page_Program_Latency_CSB": 700000,
    "Page_Program_Latency_MSB": 700000,
    "Suspend_Erase_Time": 5000,
    "Die_No_Per_Chip": 1,
    "Plane_No_Per_Die": 2,
    "Block_No_Per_Plane": 64,
    "Page_No_Per_Block": 48,
    "Page_Capacity": 4096,
    "Page_Metadat_Capacity": 448,
}
DEVICE = {
    "Seed": 7,
    "Enabled_Preconditioning": "false",
    "Data_Cache_Capacity": 3 << 20,
    "IO_Queue_Depth": 1024,
    "Ideal_Mapping_Table": "true",
    "Plane_Allocation_Scheme": "PDCW",
    "Overprovisioning_Ratio": 0.2,
    "GC_Exec_Threshold": 0.1,
    "GC_Block_Selection_Policy": "FIFO",
    "Preemptible_GC_Enabled": "false",
    "Static_Wearleveling_Enabled": "false",
    "Flash_Channel_Count": 2,
    "Channel_Transfer_Rate": 400,
    "Chip_No_Per_Channel": 1,
}
FLOW = {
    "Working_Set_Percentage": 50,
    "Synthetic_Generator_Type": "QUEUE_DEPTH",
    "Read_Percentage": 30,
    "Average_Request_Size": 16,
    "Address_Alignment_Unit": 8,
    "Average_No_of_Reqs_in_Queue": 3,
    "Total_Requests_To_Generate": 5000,
    "Seed": 5,
}


def xml(name: str, content: Any) -> str:
    if isinstance(content, dict):
        content = "".join(xml(key, value) for key, value in content.items())
    elif isinstance(content, list):
        content = "".join(content)
    return f"<{name}>{content}</{name}>"


def drive(**changes: Any) -> str:
    device = DEVICE | {key: value for key, value in changes.items() if key in DEVICE}
    flash = FLASH | {key: value for key, value in changes.items() if key in FLASH}
    parts = {
        "Host_Parameter_Set": {"PCIe_Lane_Bandwidth": 0.5, "PCIe_Lane_Count": 4},
        "Device_Parameter_Set": device | {"Flash_Parameter_Set": flash},
    }
    return '<?xml version="1.0" encoding="us-ascii"?>\n' + xml(mqsim.DRIVE, parts)


def workload(*scenarios: list[str]) -> str:
    return xml(mqsim.SCENARIOS, [xml("IO_Scenario", flows) for flows in scenarios])


def flow(**changes: Any) -> str:
    return xml("IO_Flow_Parameter_Set_Synthetic", FLOW | changes)


def trace(**given: Any) -> str:
    return xml("IO_Flow_Parameter_Set_Trace_Based", given)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ssdconfig.xml").write_text(drive())
    return tmp_path


def call(*args: str) -> Result:
    return CliRunner().invoke(app, ["import", "mqsim", *args], prog_name="wordline")


def test_a_drive_has_its_keys() -> None:
    Path("drive.toml").write_text(call("ssdconfig.xml").stdout)
    config = find("drive.toml").resolve()
    chip, order = config["drive"]["chip"], config["drive"]["scheduling"]
    assert (chip["cell"], chip["read_us"], chip["program_us"]) == ("tlc", [40.0, 50.0, 60.0], 700.0)
    assert (chip["dies"], chip["planes"], chip["blocks_per_plane"]) == (1, 2, 64)
    assert (chip["pages_per_block"], chip["page_kib"], chip["transfer_mb_s"]) == (48, 4.0, 400.0)
    assert config["drive"]["over_provisioning"] == pytest.approx(0.25)
    assert (order["suspend_erase"], order["suspend_program"], order["suspend_us"]) == (1, 1, 5.0)
    assert (config["ftl"]["allocation"], config["ftl"]["gc"]["policy"]) == ("PDCW", "fifo")
    assert config["ftl"]["gc"]["free_block_threshold"] == 0.1
    assert (config["ftl"]["wear"]["policy"], config["ftl"]["map_cache"]["policy"]) == (
        *("dynamic", "full"),
    )
    assert (config["host"]["bus_mb_s"], config["host"]["write_buffer_mib"]) == (2000.0, 0.0)
    # A page of 4 KiB for each of the four planes.
    assert (config["ftl"]["acknowledge"], config["ftl"]["buffer_kib"]) == ("buffer", 16.0)
    assert config["run"]["seed"] == 7
    result = wl.run("drive.toml", "uniform:writes=20000")
    assert result.capacity.over_provisioning == pytest.approx(0.25, abs=1e-3)
    assert result.gc.count > 0


def test_defaults_are_those_of_mqsim_and_of_the_preset() -> None:
    # What the preset has of MQSim's ssdconfig.xml differs from the defaults of its source in these.
    Path("ssdconfig.xml").write_text(
        xml(
            mqsim.DRIVE,
            {
                "Device_Parameter_Set": {
                    "Channel_Transfer_Rate": 333,
                    "Data_Cache_Capacity": 1 << 28,
                    "Preemptible_GC_Enabled": "false",
                    "Enabled_Preconditioning": "false",
                    "Seed": 1,
                }
            },
        )
    )
    Path("drive.toml").write_text(call("ssdconfig.xml").stdout)
    ours, preset = find("drive.toml").resolve(), find("mqsim-default").resolve()
    assert ours["drive"].pop("over_provisioning") == pytest.approx(0.07 / 0.93)
    del preset["drive"]["over_provisioning"]
    for table, key, value in (
        ("host", "unmapped", "as_mapped"),
        ("host", "write_buffer_mib", 0.0),
        ("ftl", "acknowledge", "buffer"),
        ("ftl", "buffer_kib", 8 * 4 * 2 * 2 * 8.0),
    ):
        assert ours[table].pop(key) == value
        del preset[table][key]
    # Dies of a chip take turns in MQSim.
    chips = ours["drive"]["chip"], preset["drive"]["chip"]
    assert [(chip.pop("dies"), chip.pop("planes")) for chip in chips] == [(1, 4), (2, 2)]
    assert ours == preset


def test_every_key_without_an_equal_is_named() -> None:
    done = call("ssdconfig.xml", "--out", "mine")
    assert done.exit_code == 0, done.output
    text = Path("mine/drive.toml").read_text()
    for told in ("IO_Queue_Depth = 1024: ", "Page_Metadat_Capacity = 448: "):
        assert f"# {told}" in text and f"no equal here: {told}" in done.stderr
    used = [name for name in DEVICE | FLASH if f"{name} = " in text]
    assert used == list(DEVICE | FLASH), "each key of the file is in a comment"
    assert {*DEVICE, *FLASH} <= {*DEFAULTS, *NO_EQUAL}


def test_machines_get_the_same() -> None:
    Path("workload.xml").write_text(workload([flow()]))
    found = json.loads(call("ssdconfig.xml", "workload.xml", "--out", "mine", "--json").stdout)
    assert found["files"]["drive.toml"] == Path("mine/drive.toml").read_text()
    assert found["commands"][1].startswith(
        "wordline run mine/drive.toml --workload mine/scenario-1"
    )
    assert "IO_Queue_Depth = 1024" in found["without_equal"]
    assert json.loads(call("ssdconfig.xml", "--json").stdout)["commands"] == []


def commands(done: Result) -> list[list[str]]:
    """What it says to run, less the program's name."""
    return [shlex.split(line)[1:] for line in done.stdout.splitlines()]


def test_flows_share_the_drive_and_their_queue() -> None:
    hot = {"Address_Distribution": "RANDOM_HOTCOLD", "Percentage_of_Hot_Region": 20}
    two = [flow(), flow(Seed=6, Average_No_of_Reqs_in_Queue=1, **hot)]
    Path("workload.xml").write_text(workload(two, [flow(Address_Distribution="STREAMING")]))
    done = call("ssdconfig.xml", "workload.xml", "--out", "mine")
    assert done.exit_code == 0, done.output
    phases = Path("mine/scenario-1.toml").read_text()
    mib = math.floor(2 * 2 * 64 * 48 * 0.8 / 2) * 4096 / (1 << 20)
    assert f"offset_mib = {mib:.15g}" in phases
    assert f"span_mib={mib / 2:.15g},seed=5" in phases
    assert "hotcold:" in phases and "hot=0.2,share=0.8" in phases
    _, first, second = commands(done)
    for args, depth, requests in ((first, 4, 10_000), (second, 3, 5_000)):
        ran = CliRunner().invoke(app, [*args, "--json"], prog_name="wordline")
        assert ran.exit_code == 0, ran.output
        result = wl.run(args[1], args[3], host={"mode": "closed", "queue_depth": depth})
        assert f"host.queue_depth={depth}" in args
        assert result.workload.requests == requests
        assert result.workload.reads == pytest.approx(0.3 * requests, rel=0.05)


def test_bandwidth_and_traces_have_their_times() -> None:
    steady = flow(Synthetic_Generator_Type="BANDWIDTH", Bandwidth=8_192_000, Stop_Time=2 * 10**9)
    traced = trace(File_Path="t.trace", Time_Unit="MICROSECOND", Relay_Count=3)
    Path("workload.xml").write_text(workload([steady], [traced]))
    done = call("ssdconfig.xml", "workload.xml", "--out", "mine")
    assert done.exit_code == 0, done.output
    _, first, second = commands(done)
    result = wl.run(first[1], first[3], host={"mode": "open"})
    assert result.workload.requests == pytest.approx(2000, rel=0.1)
    assert result.workload.arrival_span_s == pytest.approx(2, rel=0.01)
    Path("t.trace").write_text("".join(f"{n * 1000} {n % 3} {n * 8} 8 0\n" for n in range(100)))
    ran = CliRunner().invoke(app, [*second, "--json"], prog_name="wordline")
    assert ran.exit_code == 0, ran.output
    assert '"requests": 300' in ran.stdout
    assert "workload.layout=together" in second


def test_what_flows_ask_of_the_cache_and_of_the_drives_state_is_set() -> None:
    off = {"Device_Level_Data_Caching_Mode": "TURNED_OFF"}
    small = {"Average_Request_Size": 2, "Initial_Occupancy_Percentage": 40}
    full = {"Initial_Occupancy_Percentage": 80}
    scenarios = [[flow()], [flow(**small)], [flow(**off, **full), flow(**off, **small)]]
    traced = trace(File_Path="t.trace", Initial_Occupancy_Percentage=30)
    Path("workload.xml").write_text(workload(*scenarios, [traced]))
    occupied = [[], [0.4], [0.6], [0.3]]
    for steady in ("false", "true"):
        Path("ssdconfig.xml").write_text(drive(Enabled_Preconditioning=steady))
        done = call("ssdconfig.xml", "workload.xml", "--out", "mine", "--force")
        assert done.exit_code == 0, done.output
        _, *each = commands(done)
        asked = [
            [arg for arg in args if arg.startswith(("ftl.", "precondition."))] for args in each
        ]
        # Requests of 1 KiB: four of them fill what the buffer counts as a page of 4 KiB.
        cached = [[], ["ftl.buffer_kib=64"], ["ftl.acknowledge=program"], []]
        fills = [[f"precondition.fill={of:g}" for of in some] for some in occupied]
        if steady == "false":
            fills = [[]] * 4
        assert asked == [[*fill, *cache] for fill, cache in zip(fills, cached, strict=True)]


BAD = [
    ("<a>", None, ["ssdconfig.xml:1", "no XML"]),
    ("<a/>", None, ["its root is <a>", "give ssdconfig.xml first"]),
    (drive(Seed="many"), None, ["Seed is `many`", "a number from 0 on"]),
    (drive(Die_No_Per_Chip=1.5), None, ["Die_No_Per_Chip is `1.5`", "a whole number"]),
    (drive(Overprovisioning_Ratio=1), None, ["Overprovisioning_Ratio is 1", "less than 1"]),
    (drive(GC_Block_Selection_Policy="BEST"), None, ["is `BEST`", "GREEDY, RGA"]),
    (drive(), "<a/>", ["its root is <a>"]),
    (drive(), workload(), ["no <IO_Scenario>"]),
    (drive(), workload([]), ["a scenario without a flow"]),
    (drive(), workload([flow(), trace(File_Path="t")]), ["traces and synthetic flows"]),
    (drive(), workload([flow(Address_Distribution="ZIPF")]), ["is `ZIPF`", "STREAMING"]),
]


@pytest.mark.parametrize(("config", "load", "told"), BAD)
def test_bad_input_leaves_nothing(config: str, load: str | None, told: list[str]) -> None:
    Path("ssdconfig.xml").write_text(config)
    Path("workload.xml").write_text(load or "")
    files = ["ssdconfig.xml", *(["workload.xml"] if load else [])]
    done = call(*files, "--out", "mine")
    assert done.exit_code == 2, done.output
    assert [part for part in told if part not in done.stderr] == [], done.stderr
    assert not Path("mine").exists()


def test_other_verbs_say_how_to_read_it() -> None:
    done = CliRunner().invoke(app, ["run", "ssdconfig.xml"], prog_name="wordline")
    assert done.exit_code == 2
    assert "`wordline import mqsim` writes it as TOML" in done.stderr
    done = CliRunner().invoke(app, ["trace", "info", "ssdconfig.xml"], prog_name="wordline")
    assert done.exit_code == 2
    assert "MQSim's description of a drive" in done.stderr
    call("ssdconfig.xml", "--out", "mine")
    done = call("ssdconfig.xml", "--out", "mine")
    assert done.exit_code != 0
    assert "exists already" in done.stderr
    assert call("ssdconfig.xml", "--out", "mine", "--force").exit_code == 0
