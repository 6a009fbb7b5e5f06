"""`wordline fit drive`: a log of a drive's counters gives back the numbers that made it."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from click.testing import CliRunner
from test_bad_input import refused  # noqa: F401 (a fixture)
from wordline.cli.app import app
from wordline.errors import WorkloadError
from wordline.fitting import counters as counters_of
from wordline.fitting import drive, preset, segments
from wordline.fitting.counters import Counter
from wordline.fitting.logs import Log, Snapshot

GIB = 1 << 30
EXPORTED_GIB, ROOM_GIB, FACTOR = 745.0, 1079.5, 1.0354
UNITS = 1 << 16  # of the room
SNAPSHOTS = 60  # of a pass
Rows = list[
    tuple[str, float, int, int]
]  # workload, space in GiB, bytes of the host and of the flash


@cache
def simulated(share: float, passes: float) -> tuple[tuple[float, float], ...]:
    """Host's writes of a part of the space, in GiB, and units programmed for each of them."""
    tables: dict[str, Any] = {}
    values = preset.configuration(ROOM_GIB, EXPORTED_GIB, ROOM_GIB / 128, UNITS)
    for key, value in values.items():
        table = tables
        *names, last = key.split(".")
        for name in names:
            table = table.setdefault(name, {})
        table[last] = value
    units = int(UNITS * EXPORTED_GIB / ROOM_GIB * share)
    tables["run"]["series_points"] = int(passes * SNAPSHOTS)
    tables["precondition"] = {"pattern": "sequential", "fill": share}
    span = f"span_mib={units * 4096 / (1 << 20)}"
    series = dict(wl.run(tables, f"uniform:writes={int(passes * units)},{span}").series)
    gib = ROOM_GIB / UNITS
    ends = [0, *series["requests"]]
    written = [(end - begin) * gib for begin, end in pairwise(ends)]
    return tuple(zip(written, series["write_amplification"], strict=True))


def rows(*shares: float, passes: float = 4.0, fill: bool = True) -> Rows:
    """A log of a filled drive, parts of which are then written uniformly."""
    host = physical = 17 * GIB
    found: Rows = []

    def written(workload: str, space: float, gib: float, amplification: float) -> None:
        nonlocal host, physical
        host += round(gib * GIB)
        physical += round(gib * amplification * FACTOR * GIB)
        found.append((workload, space, host, physical))

    for _ in range(SNAPSHOTS + 1 if fill else 0):
        written("fill", EXPORTED_GIB, EXPORTED_GIB / SNAPSHOTS if found else 0.0, 1.0)
    for share in shares:
        written("uniform", share * EXPORTED_GIB, 0.0, 1.0)
        for gib, amplification in simulated(share, passes):
            written("uniform", share * EXPORTED_GIB, gib, amplification)
    return found


def table(log: Rows, host: int = 1, physical: int = 1) -> str:
    """As CSV; `host` and `physical` are the units of the counters."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["workload", "space_gib", "host_bytes", "physical_bytes"])
    writer.writerows((work, space, a // host, b // physical) for work, space, a, b in log)
    return out.getvalue()


def smart_log(host: int) -> str:
    """As `nvme smart-log -o json` prints it, as far as it matters."""
    return json.dumps({"critical_warning": 0, "data_units_written": host // 512_000}, indent=2)


def ocp_log(physical: int, version: int) -> str:
    """As `nvme ocp smart-add-log -o json` prints it, in both versions of its output."""
    name = ("Physical media units written", "physical_media_units_written")[version - 1]
    halves = {"hi": physical >> 64, "lo": physical % (1 << 64)}
    return json.dumps({name: halves, "log_page_version": 3}, indent=2)


def stream(log: Rows, output: Callable[[int, int], Iterator[str]]) -> str:
    """Outputs of a drive one after the other, marked where the workload changes."""
    parts: list[str] = []
    mark: tuple[str, float] | None = None
    for workload, space, host, physical in log:
        if mark != (workload, space):
            mark = workload, space
            parts.append(json.dumps({"workload": workload, "space_gib": space}))
        parts += output(host, physical)
    return "\n".join(parts)


def fitted(path: Path, *options: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, ["fit", "drive", str(path), "--json", *options])
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def near(found: dict[str, Any]) -> tuple[float, float]:
    """By how much room and factor are off."""
    return found["room_gib"]["value"] / ROOM_GIB - 1, found["factor"]["value"] / FACTOR - 1


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "drive.log"
        path.write_text(text)
        return path

    return write


Put = Callable[[str], Path]


def test_a_fill_and_uniform_writes_give_back_both_numbers(put: Put) -> None:
    found = fitted(put(table(rows(1.0))), "--exported", "745GiB")
    room, factor = near(found)
    assert (abs(room) < 0.01, abs(factor) < 1e-4) == (True, True), (room, factor)
    for number, true in (("room_gib", ROOM_GIB), ("factor", FACTOR)):
        low, high = found[number]["low"], found[number]["high"]
        assert low - 1e-3 <= true * 1.002 and true * 0.998 <= high + 1e-3, found[number]
    assert [word for word in found["warnings"] if "nothing checks the fit" in word]


def test_two_spaces_do_so_without_a_fill_and_more_check_the_fit(put: Put) -> None:
    found = fitted(put(table(rows(1.0, 0.7, fill=False))), "--exported", "745GiB")
    assert max(map(abs, near(found))) < 0.01, near(found)
    found = fitted(put(table(rows(1.0, 0.85, 0.7))), "--exported", "745GiB")
    assert max(map(abs, near(found))) < 0.005, near(found)
    assert found["warnings"] == []
    assert max(abs(seen["model"] / seen["measured"] - 1) for seen in found["observations"]) < 0.01


def test_a_small_drive_has_more_decimals(put: Put) -> None:
    small = [(work, space / 1024, a >> 10, b >> 10) for work, space, a, b in rows(1.0)]
    done = CliRunner().invoke(app, ["fit", "drive", str(put(table(small))), "--exported", "745MiB"])
    assert done.exit_code == 0, done.stderr
    assert "A drive that exports 0.7275 GiB" in done.stdout
    room = next(line for line in done.stdout.splitlines() if line.startswith("room for data"))
    assert float(room.split()[4]) == pytest.approx(ROOM_GIB / 1024, rel=0.01)


def test_a_known_factor_is_taken(put: Put) -> None:
    path = put(table(rows(1.0, fill=False)))
    found = fitted(path, "--exported", "745GiB", "--factor", str(FACTOR))
    assert abs(near(found)[0]) < 0.01
    assert found["factor"] == {"value": FACTOR, "low": FACTOR, "high": FACTOR, "is_fitted": False}


def test_the_drive_runs_and_writes_what_the_log_says(put: Put, tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    found = fitted(
        put(table(rows(1.0))), "--exported", "745GiB", "--superblock", "8GiB", "--out", str(out)
    )
    text = out.read_text()
    assert "fitted: a room of" in text and "published: 8 GiB are erased together" in text
    small = {"chip": {"pages_per_block": 512, "blocks_per_plane": 132}}
    run = wl.run(str(out), "uniform:writes=2e5", drive=small)
    uniform = next(seen for seen in found["observations"] if seen["workload"] == "uniform")
    assert run.steady_state.closed_form.expected is not None
    ours = run.steady_state.closed_form.expected * found["factor"]["value"]
    assert ours / uniform["measured"] == pytest.approx(1, abs=0.03)


def test_the_library_fits_as_the_verb_does(put: Put, tmp_path: Path) -> None:
    path = put(table(rows(1.0)))
    fit = wl.fit_drive(path, exported="745GiB", superblock="8GiB", name="mine")
    assert fit.to_dict() == fitted(path, "--exported", "745GiB")
    assert fit.amplification(745.0) == pytest.approx(fit.predicted()[0][1])
    out = fit.save(tmp_path / "mine.toml")
    assert out.read_text() == fit.to_toml()
    assert out.read_text().startswith('summary = "mine: 745.0 GiB exported')
    small = {"chip": {"pages_per_block": 512, "blocks_per_plane": 132}}
    runs = [wl.run(config, "uniform:writes=2e4", drive=small) for config in (fit.config(), out)]
    assert runs[0].write_amplification == runs[1].write_amplification
    with pytest.raises(wl.ConfigError) as failure:
        wl.fit_drive(path, exported="much")
    assert failure.value.place == "exported"
    with pytest.raises(wl.ConfigError, match="no logs"):
        wl.fit_drive([])
    with pytest.raises(wl.WorkloadError) as failure:
        wl.fit_drive(path)
    assert failure.value.help == "give exported, as 800GB or 745.2GiB"


def nvme(version: int) -> Callable[[int, int], Iterator[str]]:
    def output(host: int, physical: int) -> Iterator[str]:
        yield smart_log(host)
        yield ocp_log(physical, version)

    return output


def ata(host: int, physical: int) -> Iterator[str]:
    """As `smartctl -j` prints it of a SATA drive, as far as it matters."""
    attributes = [
        {"id": 241, "name": "Total_LBAs_Written", "raw": {"value": host // 512}},
        {"id": 243, "name": "NAND_Writes_32MiB", "raw": {"value": physical // (32 << 20)}},
    ]
    capacity = {"blocks": 1, "bytes": round(EXPORTED_GIB * GIB)}
    yield json.dumps({"user_capacity": capacity, "ata_smart_attributes": {"table": attributes}})


def additional(host: int, physical: int) -> Iterator[str]:
    """As nvme-cli's `intel` and `solidigm` plugins print it."""
    raw = {"normalized": 100, "raw": physical // (32 << 20)}
    yield smart_log(host)
    yield json.dumps({"Device stats": {"nand_bytes_written": raw}})


def attributes(*found: tuple[int, str, int]) -> str:
    """As `smartctl -j` prints a table of attributes, as far as it matters."""
    table = [{"id": id, "name": name, "raw": {"value": raw}} for id, name, raw in found]
    return json.dumps({"device": {"protocol": "ATA"}, "ata_smart_attributes": {"table": table}})


@pytest.mark.parametrize("output", [nvme(1), nvme(2), ata, additional])
def test_outputs_of_tools_say_the_same(
    put: Put, output: Callable[[int, int], Iterator[str]]
) -> None:
    log = rows(1.0)
    exported = () if output is ata else ("--exported", "745GiB")
    assert max(map(abs, near(fitted(put(stream(log, output)), *exported)))) < 0.01


def unknown(host: int, physical: int) -> Iterator[str]:
    """A drive that smartctl does not know: one name for all of its counters."""
    name = "Unknown_SSD_Attribute"
    yield attributes(
        (241, "Total_LBAs_Written", host // 512),
        (177, name, host // (99 << 20)),
        (249, name, physical // (32 << 20)),
    )


def repeated() -> str:
    """The part of the drive takes more than the whole: what stood beside it was not discarded."""
    log = rows(1.0, 0.7)
    whole = max(i for i, row in enumerate(log) if row[1] == EXPORTED_GIB)
    last, more = log[whole], 1.0 + 1.0
    return table(
        [
            row if i <= whole else (*row[:3], last[3] + round((row[3] - last[3]) * more))
            for i, row in enumerate(log)
        ]
    )


def test_named_counters_are_added_up(put: Put) -> None:
    head, *lines = table(rows(1.0), 512, 2 << 20).splitlines()
    head = head.replace("host_bytes", "sectors").replace("physical_bytes", "tlc,slc")
    half = [f"{line},{int(line.rpartition(',')[2]) // 3}" for line in lines]
    counters = ("--host", "sectors:sectors", "--physical", "tlc:2MiB")
    found = fitted(put("\n".join([head, *half])), "--exported", "745GiB", *counters)
    assert abs(near(found)[1]) < 1e-3
    slc = ("--physical", "slc:2MiB")
    found = fitted(put("\n".join([head, *half])), "--exported", "745GiB", *counters, *slc)
    assert near(found)[1] == pytest.approx(1 / 3, abs=1e-2)


def test_counters_that_begin_anew_are_counted_on(put: Put) -> None:
    log = rows(1.0)
    begin = (1 << 32) * 512 - log[150][2]  # the middle of uniform writes
    wrapped = [(work, space, (a + begin) % ((1 << 32) * 512), b) for work, space, a, b in log]
    text = table(wrapped, 512).replace("host_bytes", "total_lbas_written")
    found = fitted(put(text), "--exported", "745GiB")
    assert max(map(abs, near(found))) < 0.01
    assert [word for word in found["warnings"] if "began anew after 32 bits" in word]


Refused = Callable[[Sequence[str], Sequence[str]], None]
FIT = ("fit", "drive", "drive.log", "--exported", "745GiB")


def resets() -> str:
    return table([(w, s, a - (a > 900 * GIB) * 800 * GIB, b) for w, s, a, b in rows(1.0)])


def after(lines: int, text: str) -> str:
    return "\n".join(text.splitlines()[:lines])


BAD = [
    (lambda: "", FIT, ["drive.log", "the log is empty"]),
    (lambda: "{", FIT, ["drive.log:1", "no JSON", "smartctl -j"]),
    (lambda: "[1]", FIT, ["drive.log:1", "no object"]),
    (lambda: "a,b\n1\n", FIT, ["drive.log:2", "1 cells under 2 names"]),
    (lambda: "host_bytes,b\n1,2\n", FIT, ["no counter of physical writes", "host_bytes, b"]),
    (lambda: smart_log(1), FIT, ["no counter of physical writes", "nvme ocp smart-add-log"]),
    (lambda: ocp_log(1, 2), FIT, ["no counter of the host's writes", "nvme smart-log"]),
    (
        lambda: "host_bytes,physical_bytes\n1,2\n-1,2\n",
        FIT,
        ["drive.log:3", "`-1.0` is no count"],
    ),
    (
        lambda: "host_bytes,physical_bytes\n1,2\nmany,2\n",
        FIT,
        ["drive.log:3", "`host_bytes` is `many`"],
    ),
    (resets, FIT, ["`host_bytes` falls from", "drive.log:", "the counter was reset"]),
    (
        lambda: table(rows(1.0), 512_000),
        FIT,
        ["bytes for each of the host's", "units of 1 bytes", "say the units: --host"],
    ),
    (
        lambda: table(rows(1.0, fill=False)).replace("uniform", ""),
        FIT,
        ["does not say what was written", "--workload uniform"],
    ),
    (
        lambda: table(rows(1.0)).replace("uniform", "zipf").replace("fill", "zipf"),
        FIT,
        ["marks are `zipf`", "fill or uniform"],
    ),
    (
        lambda: after(2 * SNAPSHOTS, table(rows(1.0))),
        FIT,
        ["not steady", "were written 0.6 times, and 3 are needed", "GiB more"],
    ),
    (
        lambda: table(rows(1.0, fill=False)),
        FIT,
        ["one observation for two numbers", "--factor"],
    ),
    (lambda: table(rows()), FIT, ["no uniform writes", "write 4 KiB at random"]),
    (
        lambda: table(rows(1.0)).replace("uniform", "fill"),
        FIT,
        ["the fill writes", "it overwrites"],
    ),
    (
        lambda: table(rows(0.3, 0.25, fill=False)),
        FIT,
        ["nothing speaks of the room", "write more of the drive"],
    ),
    (
        lambda: table([(w, s / 2, a, b) for w, s, a, b in rows(1.0, fill=False)]),
        (*FIT, "--factor", "1.0354"),
        ["the room would be 53", "mend `space_gib`"],
    ),
    (
        lambda: "host_bytes,physical_bytes\n1,2\n1" + "0" * 5000 + ",2\n",
        FIT,
        ["drive.log:3", "is no count", "128 bits"],
    ),
    (
        lambda: stream(rows(1.0), unknown),
        FIT,
        ["no counter of physical writes", "unknown_ssd_attribute (177, 249)"],
    ),
    (
        lambda: stream(rows(1.0), unknown),
        (*FIT, "--physical", "Unknown_SSD_Attribute:32MiB"),
        ["the name of 2 attributes", "drive.log:2", "177, 249, as --physical 249:UNIT"],
    ),
    (
        lambda: '{"workload": "fill"}\nSmart Log for NVME device\ndata_units_written : 9\n',
        FIT,
        ["no counter of the host's writes", "no JSON were passed over: 2", "drive.log:2: `Smart"],
    ),
    (repeated, FIT, ["uniform writes of less take less", "Discard", "--randrepeat=0"]),
    (lambda: '{"a":' * 900 + "1" + "}" * 900, FIT, ["no counter of the host's writes"]),
    (lambda: '{"a":' * 980 + "1" + "}" * 980, FIT, ["drive.log"]),
    (lambda: '{"a":' * 10**5, FIT, ["drive.log:1", "no JSON"]),
    (lambda: table(rows(1.0)), (*FIT[:3],), ["no log says what the drive exports", "--exported"]),
    (lambda: table(rows(1.0)), (*FIT[:4], "500GiB"), ["745.0 GiB are written of 500.0"]),
    (lambda: table(rows(1.0)), (*FIT[:4], "much"), ["`much` is no size", "--exported", "MiB"]),
    (lambda: table(rows(1.0)), (*FIT, "--factor", "0.5"), ["a factor of 0.5", "1 or more"]),
    (lambda: table(rows(1.0)), (*FIT, "--workload", "unifrm"), ["did you mean `uniform`?"]),
    (lambda: table(rows(1.0)), (*FIT, "--host", "lbas"), ["`lbas` is not NAME:UNIT"]),
    (lambda: table(rows(1.0)), (*FIT, "--host", "lbas:bytes"), ["no counter `lbas`", "host_bytes"]),
    (
        lambda: table(rows(1.0)[::8]),
        FIT,
        ["pieces in what counts, and 8 are needed", "log at least every"],
    ),
]


@pytest.mark.parametrize(("text", "args", "told"), BAD)
def test_what_cannot_be_fitted_is_refused(
    refused: Refused,  # noqa: F811
    text: Callable[[], str],
    args: Sequence[str],
    told: list[str],
) -> None:
    Path("drive.log").write_text(text())
    refused(args, [*told, "where:", "help:"])


def test_a_drive_that_is_not_steady_is_refused(refused: Refused) -> None:  # noqa: F811
    log = rows(1.0)
    half = len(log) - SNAPSHOTS // 2
    more = log[half][3] // 4
    rising = [(w, s, a, b + more * max(0, n - half) // 15) for n, (w, s, a, b) in enumerate(log)]
    Path("drive.log").write_text(table(rising))
    refused(FIT, ["not steady", "rises by", "between the halves of the last pass", "write on"])


# What counts


def test_the_last_pass_begins_with_the_snapshot_at_its_very_beginning(tmp_path: Path) -> None:
    """Four passes of 64 GiB with a snapshot each GiB: the last one is cut into pieces of 4 GiB."""
    host = [gib * GIB for gib in range(4 * 64 + 1)]
    counters = {side: (Counter(side, 1),) for side in counters_of.SIDES}
    snapshots = [Snapshot(f"a:{at}", at, 2 * at, "uniform", 64.0) for at in host]
    log = Log(tmp_path / "a", tuple(snapshots), counters, None, ())
    (part,) = segments.parts(log, None, 64.0)
    assert [window.host for window in part.windows] == [4 * GIB] * 16


@pytest.mark.parametrize(("amplification", "is_taken"), [(1.0, True), (1.5, True), (1.6, False)])
def test_a_fill_that_moves_data_was_of_a_drive_in_use(
    tmp_path: Path, amplification: float, is_taken: bool
) -> None:
    counters = {side: (Counter(side, 1),) for side in counters_of.SIDES}
    snapshots = [
        Snapshot(f"a:{gib}", gib * GIB, round(gib * amplification * GIB), "fill", 64.0)
        for gib in range(65)
    ]
    log = Log(tmp_path / "a", tuple(snapshots), counters, None, ())
    if is_taken:
        (part,) = segments.parts(log, None, 64.0)
        assert part.amplification == pytest.approx(amplification)
    else:
        with pytest.raises(WorkloadError, match="the drive was not empty"):
            segments.parts(log, None, 64.0)


@pytest.mark.parametrize(("smaller_gib", "is_taken"), [(690.0, True), (680.0, False)])
def test_spaces_that_are_nearly_equal_have_no_order(
    tmp_path: Path, smaller_gib: float, is_taken: bool
) -> None:
    """The smaller space writes more, which chance explains within 2 % of it alone."""
    log = Log(tmp_path / "a", (), {}, None, ())
    parts = [
        segments.Part("uniform", space, (segments.Window(100, written),) * 8, 0.0, "a")
        for space, written in ((700.0, 300), (smaller_gib, 310))
    ]
    if is_taken:
        assert drive.fit([log], parts, 700.0, None, 1.0).room_gib.value > 700
    else:
        with pytest.raises(WorkloadError, match="uniform writes of less take less"):
            drive.fit([log], parts, 700.0, None, 1.0)


def test_an_interval_holds_its_number() -> None:
    assert drive._number(5.0, [6.0] * 40) == drive.Number(5.0, 5.0, 6.0)
    assert drive._number(7.0, [6.0] * 40) == drive.Number(7.0, 6.0, 7.0)
