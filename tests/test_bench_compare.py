"""The comparison with other simulators, where there is none, and what it writes and reads."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "bench-compare"))

import scenarios  # noqa: E402
import speeds  # noqa: E402
import ssdsim  # noqa: E402
from drive import drive  # noqa: E402
from measure import RunError, Work  # noqa: E402
from workloads import Plan, Trace  # noqa: E402

VARIABLES = ("MQSIM", "SSDSIM")


def compare(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in VARIABLES}
    command = [sys.executable, script]
    return subprocess.run(
        command, cwd=ROOT, env=environment | variables, capture_output=True, text=True
    )


def test_without_the_other_simulator_it_is_skipped_and_says_how_to_get_it():
    finished = compare("bench-compare")
    assert finished.returncode == 0
    assert finished.stdout.startswith("skipped: ")
    assert "set MQSIM" in finished.stdout


def test_a_path_without_a_program_is_an_error_that_names_it():
    finished = compare("bench-compare", MQSIM="/no/such/program")
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr == "error: MQSIM=/no/such/program: no such program\n"


def test_without_peers_no_speed_is_measured_and_each_is_skipped_with_a_word():
    finished = compare("bench-compare/speed.py")
    assert finished.returncode == 0
    lines = finished.stdout.splitlines()
    assert [line.split(" to compare")[0] for line in lines] == [
        "skipped: there is no MQSim",
        "skipped: there is no SSDSim",
    ]
    assert "set SSDSIM" in lines[1]


def test_a_path_without_ssdsim_is_an_error_that_names_it():
    finished = compare("bench-compare/speed.py", SSDSIM="/no/such/program")
    assert finished.returncode == 2
    assert finished.stderr == "error: SSDSIM=/no/such/program: no such program\n"


# What SSDSim writes, made up: counts, one with a remark after it, and some of one chip alone.
PARAMETERS = "erase count = 77;\nread count: 88\n"
COUNTS = """\
the 0 channel, 0 chip, 0 die, 0 plane has :             3 erase operations

---------------------------statistic data---------------------------
min lsn:             0
read count:            40
program count:           205                        a remark
the read operation leaded by un-covered update count:             0
erase count:            12
direct erase count:             1
write flash count:           190
read request count:            39
write request count:            60
read request average size:      8.000000
erase:             3
"""


def test_counts_of_ssdsim_are_read_by_their_whole_names():
    counts = ssdsim.statistics(PARAMETERS + COUNTS)
    assert counts["read count"] == 40
    assert counts["erase count"] == 12
    assert counts["write flash count"] == 190
    assert counts["program count"] == 205


@pytest.mark.parametrize("missing", ssdsim.NEEDED)
def test_a_count_that_is_missing_is_named(missing: str):
    lines = [line for line in COUNTS.splitlines() if not line.startswith(f"{missing}:")]
    with pytest.raises(RunError, match=f"has no {missing}$"):
        ssdsim.statistics("\n".join(lines))


def test_ssdsim_gets_the_common_drive():
    common = drive(128, reserve_blocks=6)
    given = ssdsim.parameters(common)
    planes = given["chip number"] * given["die number"] * given["plane number"]
    pages = planes * given["block number"] * given["page number"]
    assert pages == common.physical_pages
    assert given["subpage page"] * given["subpage capacity"] == common.page_bytes
    assert sum(given[f"chip number[{channel}]"] for channel in range(8)) == given["chip number"]
    assert (given["t_R"], given["t_PROG"], given["t_BERS"]) == (60_000, 700_000, 3_500_000)
    # 333 MB/s are a byte in three nanoseconds.
    assert given["t_WC"] == given["t_RC"] == 3
    assert given["overprovide"] == pytest.approx(0.2)
    assert given["gc hard threshold"] * given["block number"] == 6
    assert given["static_allocation"] == 1


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("ftl", "allocation"), "dynamic"),
        (("drive", "chip", "page_kib"), 16),
        (("drive", "chip", "program_us"), [500, 900]),
        (("drive", "chip", "read_us"), [50, 90]),
    ],
)
def test_a_drive_that_ssdsim_lacks_is_refused(place: tuple[str, ...], value: object):
    common = drive(128)
    *tables, key = place
    table = common.config
    for name in tables:
        table = table[name]
    table[key] = value
    with pytest.raises(RunError, match="SSDSim cannot have this drive"):
        ssdsim.parameters(common)


def test_ssdsim_reads_the_trace_in_its_own_format():
    lines = ["0 0 0 256 0\n", "400000 0 1608 8 1\n"]
    assert list(ssdsim.umass(iter(lines))) == ["1 0 0 0 W 0 256\n", "2 400000 0 0 Read 1608 8\n"]


def stand_in(folder: Path, script: str) -> Path:
    """A program in place of SSDSim, which has its result ready."""
    (folder / "counts").write_text(COUNTS)
    binary = folder / "ssd"
    binary.write_text(f"#!/bin/sh\ncp {folder}/counts stat1_$1_$2.$3\n{script}\n")
    binary.chmod(0o755)
    return binary


DONE = "echo 'the simulation is completed!'"


def replay(folder: Path, script: str) -> Work:
    trace = Plan(64, 4096).prefix(folder / "0.trace", aged=True)
    return ssdsim.work(stand_in(folder, script), drive(128), trace, folder, 10)


def test_a_run_of_ssdsim_ends_with_status_1_and_counts_what_it_never_served(tmp_path: Path):
    check = (
        '[ "$(wc -l < $1)" = 36 ] && grep -q "^channel number = 8;$" page.parameters_$2 || exit 3'
    )
    work = replay(tmp_path, f"{check}\n{DONE}\nexit 1")
    # Four requests fill 64 pages, 32 age them; 99 were served.
    assert work.lost_requests == 36 - 99
    assert (work.programs, work.reads, work.erases) == (190, 40, 12)
    assert work.cpu_s > 0
    assert work.peak_rss_mib > 0


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (f"{DONE}\nexit 0", "exit status 0"),
        ("exit 1", "before its simulation was completed"),
        (f"rm stat1_*\n{DONE}\nexit 1", "result cannot be read"),
    ],
)
def test_a_run_of_ssdsim_that_ends_otherwise_is_a_failure(
    tmp_path: Path, script: str, message: str
):
    with pytest.raises(RunError, match=message):
        replay(tmp_path, script)


def runs(*cpu_s: float) -> speeds.Runs:
    return speeds.Runs([Work(1000, 0, 4000, 1900, 100, seconds, 30) for seconds in cpu_s])


def test_speed_is_that_of_the_medians_with_the_range_of_the_rounds_and_the_goal():
    measured = {
        "load": {
            "MQSim": runs(80, 100, 90),
            "count": runs(2, 1, 1),
            "SSDSim": speeds.Runs([], "ssd did not end"),
            "in order": runs(2, 3, 2),
            "priorities, suspension": runs(5, 4, 6),
        }
    }
    rows = {row["simulator"]: row for row in speeds.entries(measured)}
    assert list(rows)[:2] == ["MQSim", "SSDSim"]
    assert rows["MQSim"]["requests_per_cpu_s"] == pytest.approx(1000 / 90)
    assert rows["MQSim"]["flash_ops_per_cpu_s"] == pytest.approx(6000 / 90)
    assert rows["MQSim"]["times"] == {}
    assert rows["count"]["times"] == {"MQSim": (90, 40, 100), "SSDSim": None}
    assert rows["count"]["goals"] == {"MQSim": 50, "SSDSim": None}
    assert rows["in order"]["goals"] == {"MQSim": 35, "SSDSim": 8}
    assert rows["priorities, suspension"]["goals"] == {"MQSim": 20, "SSDSim": 5}
    assert rows["SSDSim"]["failure"] == "ssd did not end"
    table = speeds.table(measured)
    assert "90.0 (40.0–100.0)   50" in table
    assert "failed: ssd did not end" in table


def test_a_prefix_fills_in_requests_of_its_size_and_ages_by_its_share(tmp_path: Path):
    plan = Plan(64, 4096, aging_share=0.25, fill_pages=32)
    prefix: Trace = plan.prefix(tmp_path / "trace", aged=True)
    lines = prefix.path.read_text().splitlines()
    assert prefix.requests == len(lines) == 2 + 16
    assert prefix.page_writes == 64 + 16
    # Twice the pages of other plans, half as often.
    assert lines[1] == "2000000 0 256 256 0"
    assert lines[2].startswith("4000000 ")


FLOWS = """\
<MQSim_Results><Host>
<Host.IO_Flow><Name>a</Name><Request_Count>300</Request_Count><IOPS>5000.5</IOPS>
<Device_Response_Time>40</Device_Response_Time></Host.IO_Flow>
<Host.IO_Flow><Name>b</Name><Request_Count>100</Request_Count><IOPS>1000</IOPS>
<Device_Response_Time>80</Device_Response_Time></Host.IO_Flow>
</Host></MQSim_Results>
"""
SMALL = (
    "<Execution_Parameter_Set><Device_Parameter_Set>"
    "<Enabled_Preconditioning>false</Enabled_Preconditioning>"
    "<Overprovisioning_Ratio>0.3</Overprovisioning_Ratio>"
    "<Flash_Parameter_Set><Block_No_Per_Plane>64</Block_No_Per_Plane></Flash_Parameter_Set>"
    "</Device_Parameter_Set></Execution_Parameter_Set>"
)
SYNTHETIC = (
    "<IO_Scenario><IO_Flow_Parameter_Set_Synthetic>"
    "<Total_Requests_To_Generate>500</Total_Requests_To_Generate>"
    "</IO_Flow_Parameter_Set_Synthetic></IO_Scenario>"
)
TRACED = (
    "<IO_Scenario><IO_Flow_Parameter_Set_Trace_Based><File_Path>traces/t.trace</File_Path>"
    "</IO_Flow_Parameter_Set_Trace_Based></IO_Scenario>"
)


def test_the_scenarios_of_mqsim_are_run_by_both(tmp_path: Path):
    built, work = tmp_path / "built", tmp_path / "work"
    (built / "traces").mkdir(parents=True)
    work.mkdir()
    (built / "ssdconfig.xml").write_text(SMALL)
    (built / "workload.xml").write_text(
        f"<MQSim_IO_Scenarios>{2 * SYNTHETIC}{TRACED}</MQSim_IO_Scenarios>"
    )
    trace = "".join(f"{n * 10**6} 0 {n * 16} 16 1\n" for n in range(200))
    (built / "traces" / "t.trace").write_text(trace)
    (built / "flows").write_text(FLOWS)
    binary = built / "MQSim"
    binary.write_text(
        "#!/bin/sh\n[ $1$3 = -i-w ] || exit 3\n"
        "if grep -q Trace_Based $4; then [ -f traces/t.trace ] || exit 4; fi\n"
        f"cp {built}/flows workload_scenario_1.xml\n"
    )
    binary.chmod(0o755)
    rows = scenarios.rows(binary, work, ["drive.chip.read_us=50"], 60)
    assert [(row.workload, row.figure.key, row.theirs) for row in rows] == [
        ("scenario 1", "iops", 6000.5),
        ("scenario 2", "iops", 6000.5),
        ("scenario 2 of 5 s", "iops", 6000.5),
        ("scenario 3", "latency_mean_us", 50),
    ]
    assert all(row.ours > 0 for row in rows)
    # The read that was set, and one of the map where there is one, beside transfers.
    assert 50 < rows[-1].ours < 200
    binary.write_text("#!/bin/sh\nexit 1\n")
    (work / "more").mkdir()
    (failed, *_) = scenarios.rows(binary, work / "more", [], 60)
    assert failed.theirs is None
    assert "exit status 1" in failed.note
    (built / "traces" / "t.trace").unlink()
    (work / "last").mkdir()
    with pytest.raises(RunError, match=r"t\.trace: No such file"):
        scenarios.rows(binary, work / "last", [], 60)


def test_without_scenarios_beside_mqsim_they_are_left_out(tmp_path: Path):
    assert scenarios.rows(tmp_path / "MQSim", tmp_path, [], 60) == []
