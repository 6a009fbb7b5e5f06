"""What stands in logs of drives: counters of many makers, and what scripts write between them."""

import json
from collections.abc import Callable, Iterator

import pytest
import wordline as wl
from test_fit_drive import (
    Put,
    attributes,
    fitted,
    near,
    ocp_log,
    put,  # noqa: F401 (a fixture)
    rows,
    smart_log,
    stream,
    unknown,
)
from wordline.errors import WorkloadError


def pages(host: int, physical: int) -> Iterator[str]:
    """Micron's and Crucial's SATA drives: pages of 16 KiB for the host, and those besides."""
    yield attributes(
        (246, "Total_LBAs_Written", host // 512),
        (247, "Host_Program_Page_Count", host >> 14),
        (248, "FTL_Program_Page_Count", (physical >> 14) - (host >> 14)),
    )


def statistics(host: int, physical: int) -> Iterator[str]:
    """As `smartctl -x -j` prints ATA's device statistics, whose unit the attribute may not have."""
    found = json.loads(attributes((243, "NAND_Writes_32MiB", physical >> 25)))
    lines = [{"offset": 24, "name": "Logical Sectors Written", "value": host // 512}]
    found["ata_device_statistics"] = {"pages": [{"number": 1, "table": lines}]}
    yield json.dumps(found)


def slc_apart(host: int, physical: int) -> Iterator[str]:
    """A table with the writes of SLC in a counter of its own."""
    slc = physical // 3 // (32 << 20)
    yield attributes(
        (241, "Host_Writes_32MiB", host // (32 << 20)),
        (245, "TLC_Writes_32MiB", physical // (32 << 20) - slc),
        (246, "SLC_Writes_32MiB", slc),
    )


def halves(host: int, physical: int) -> Iterator[str]:
    """As nvme-cli's `wdc smart-add-log` prints 128 bits."""
    yield smart_log(host)
    low, high = physical % (1 << 64), physical >> 64
    yield json.dumps(
        {"Physical NAND bytes written hi": high, "Physical NAND bytes written lo": low}
    )


def unnamed(host: int, physical: int) -> Iterator[str]:
    """As Samsung's SATA drives for servers: the flash's counter comes behind a dozen others."""
    others = [(number, f"Attribute_{number}", 0) for number in range(1, 20)]
    yield attributes(
        *others, (241, "Total_LBAs_Written", host // 512), (251, "NAND_Writes", physical // 512)
    )


def test_names_that_may_be_of_writes_are_told_first(put: Put) -> None:  # noqa: F811
    path = put(stream(rows(1.0), unnamed))
    with pytest.raises(WorkloadError, match="the log has total_lbas_written, nand_writes, "):
        wl.fit_drive(path, exported="745GiB")
    found = fitted(path, "--exported", "745GiB", "--physical", "nand_writes:512")
    assert max(map(abs, near(found))) < 0.01


@pytest.mark.parametrize("output", [pages, slc_apart, halves, statistics])
def test_counters_of_makers_are_known(
    put: Put,  # noqa: F811
    output: Callable[[int, int], Iterator[str]],
) -> None:
    found = fitted(put(stream(rows(1.0), output)), "--exported", "745GiB")
    assert max(map(abs, near(found))) < 0.01


def dated(host: int, physical: int) -> Iterator[str]:
    yield f"Mon 01 Sep 2025 {host % 24:02}:00:00 UTC"
    yield smart_log(host)
    yield from ("", ocp_log(physical, 2))


def without_a_number(host: int, physical: int) -> Iterator[str]:
    yield smart_log(host).replace("{", '{"media_wear": nan, "life": -inf,', 1)
    yield ocp_log(physical, 1)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("output", [dated, without_a_number])
def test_what_scripts_add_to_outputs_changes_nothing(
    put: Put,  # noqa: F811
    output: Callable[[int, int], Iterator[str]],
    encoding: str,
) -> None:
    path = put("")
    path.write_bytes(f"started by cron\n{stream(rows(1.0), output)}\n".encode(encoding))
    found = fitted(path, "--exported", "745GiB")
    assert max(map(abs, near(found))) < 0.01
    told = [word for word in found["warnings"] if "no JSON were passed over" in word]
    assert len(told) == 1 and "drive.log:1: `started by cron`" in told[0]


@pytest.mark.parametrize("kept", [(1, 0), (0, 1), (0, 0)])
@pytest.mark.parametrize("first", [0, 1])
def test_outputs_that_failed_shift_no_pair(
    put: Put,  # noqa: F811
    kept: tuple[int, int],
    first: int,
) -> None:
    """Every seventh time a command, or each, printed an error in place of its output."""
    log = rows(1.0)
    number = 0

    def output(host: int, physical: int) -> Iterator[str]:
        nonlocal number
        number += 1
        both = [smart_log(host), ocp_log(physical, 2)]
        if number % 7 == 3:
            failed = "NVMe status: Invalid Log Page"
            both = [out if keep else failed for out, keep in zip(both, kept, strict=True)]
        yield both[first]
        yield both[1 - first]

    found = fitted(put(stream(log, output)), "--exported", "745GiB")
    assert max(map(abs, near(found))) < 0.01
    part = next(seen for seen in found["observations"] if seen["workload"] == "uniform")
    assert abs(part["drift"]) < 0.01
    lacking = [word for word in found["warnings"] if "lack their counterpart" in word]
    assert len(lacking) == (sum(kept) == 1)


def test_attributes_go_by_their_number(put: Put) -> None:  # noqa: F811
    path = put(stream(rows(1.0), unknown))
    found = fitted(path, "--exported", "745GiB", "--physical", "249:32MiB")
    assert max(map(abs, near(found))) < 0.01
