"""Power cuts, as a user makes them."""

import json
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from click.testing import CliRunner
from wordline.cli.app import app
from wordline.facts import array_facts
from wordline.results import result_files

LOAD = "zipf:requests=4e3,flush=0.02,trim=0.01,theta=0.9"
BARE: dict[str, Any] = {"power": {"protection": "none"}}


@pytest.fixture(scope="module")
def report() -> wl.CutReport:
    return wl.cuts("tiny", LOAD, **BARE)


def test_nothing_that_was_flushed_is_missing(report: wl.CutReport) -> None:
    assert report.losing_cuts == 0
    assert report.losses == ()
    assert report.promises > 1000
    # The begin and the end of each command, and the end of each flush.
    assert report.cuts == 2 * report.commands + report.flushes


def test_what_reading_a_trace_mended_is_told(tmp_path: Path) -> None:
    lines = [f"{n % 7 * 10 + n},host,0,Write,{n % 50 * 4096},4096,0\n" for n in range(300)]
    trace = tmp_path / "late.csv"
    trace.write_text("".join(lines))
    out = tmp_path / "out"
    words = ["cuts", "tiny", "--workload", str(trace), "--set", "power.protection=none"]
    done = CliRunner().invoke(app, [*words, "--out", str(out)], prog_name="wordline")
    assert done.exit_code == 0, done.output
    assert "were out of order in time" in done.stderr
    assert "were out of order in time" in (out / result_files.REPORT).read_text()
    for how in (["--json"], ["--json", "--sort"]):
        done = CliRunner().invoke(app, [*words, *how], prog_name="wordline")
        told = json.loads(done.stdout)["warnings"]
        assert any("out of order" in warning for warning in told) == ("--sort" not in how)


def test_what_is_written_with_fua_is_promised_once_it_is_acknowledged() -> None:
    plain = wl.cuts("tiny", "zipf:requests=4e3,theta=0.9", every=10, **BARE)
    assert (plain.flushes, plain.fua_writes, plain.promises) == (0, 0, 0)
    report = wl.cuts("tiny", "zipf:requests=4e3,fua=0.02,theta=0.9", **BARE)
    assert (report.losing_cuts, report.losing_double_cuts, report.flushes) == (0, 0, 0)
    assert report.promises >= report.fua_writes > 50
    assert report.cuts == 2 * report.commands + report.fua_writes


def test_nothing_is_missing_either_where_power_fails_again_in_the_restart(
    report: wl.CutReport,
) -> None:
    assert report.losing_double_cuts == 0
    assert report.restarts == -(-report.cuts // 1009)
    # Before a restart did anything, and at the begin and the end of what it then did.
    assert report.double_cuts > 2 * report.restarts * report.restart.erases > 0
    assert report.restart.moving_ms > 0


def test_a_rule_taken_out_shows_and_its_first_loss_happens_again() -> None:
    without: dict[str, Any] = {"power": {"protection": "none", "erase_waits": False}}
    losing = wl.cuts("tiny", LOAD, **without)
    assert losing.losing_cuts > 0
    first = losing.losses[0]
    assert first.found < first.promised
    fewer = {**without, "workload": {"source": LOAD, "first": first.requests}}
    again = wl.cuts("tiny", at=first.command, **fewer)
    assert again.cuts < losing.cuts
    assert again.losing_cuts + again.losing_double_cuts > 0


def test_fewer_cuts_are_made_where_asked(report: wl.CutReport) -> None:
    some = wl.cuts("tiny", LOAD, every=10, **BARE)
    assert some.cuts == -(-report.cuts // 10)
    one = wl.cuts("tiny", LOAD, at=100, **BARE)
    assert 1 <= one.cuts < 50
    none = wl.cuts("tiny", LOAD, at=10**9, **BARE)
    assert none.cuts == 0


def test_flushes_wait_for_programs_only_where_no_capacitor_saves_them() -> None:
    load = "uniform:requests=2e3,flush=0.05"
    saved, bare = wl.run("tiny", load), wl.run("tiny", load, **BARE)
    assert (bare.write_amplification or 0) > (saved.write_amplification or 0) > 0
    assert bare["flash"].padding > saved["flash"].padding


def test_an_energy_keeps_more_and_says_what_would_be_enough() -> None:
    def bearing(protection: object) -> wl.CutReport:
        chip = {"program_uj": 20.5, "erase_uj": 192.79}
        power, drive = {"protection": protection}, {"chip": chip}
        return wl.cuts("tiny", LOAD, every=10, power=power, drive=drive)

    none, some = bearing("none"), bearing("30uJ")
    assert none.hold_up is None
    assert some.hold_up
    assert (some.losing_cuts, some.hold_up.energy_nj) == (0, 30_000)
    assert 0 < some.hold_up.borne_cuts < some.cuts
    enough = bearing(some.hold_up.needed_most_nj).hold_up
    assert enough
    assert (enough.borne_cuts, enough.forgotten_units) == (some.cuts, 0)
    nothing = bearing(0).hold_up
    assert nothing
    assert nothing.forgotten_units > some.hold_up.forgotten_units > 0


def test_a_partial_parity_log_closes_the_write_hole_of_raid5() -> None:
    host = {"mode": "closed"}
    load = "zipf:requests=1e3,read=0.2,flush=0.03,fua=0.03,theta=0.8"

    def left(**array: object) -> wl.CutReport:
        array = {"drives": 3, "chunk_kib": 64, "log_kib": 64, **array}
        return wl.cuts("tiny", load, every=5, array=array, host=host, **BARE)

    hole, closed = left(level="raid5"), left(level="raid5", write_hole="ppl")
    assert (hole.losing_cuts, closed.losing_cuts) == (0, 0)
    assert hole.array
    assert closed.array
    assert hole.array.hole_pages >= hole.array.hole_cuts > 0
    assert (closed.array.unmatched_cuts, closed.array.hole_cuts) == (0, 0)
    assert (closed.losing_double_cuts, closed.array.hole_double_cuts) == (0, 0)
    assert closed.double_cuts > 100
    mirrors = left(level="raid1").array
    assert mirrors
    assert (mirrors.unmatched_cuts > 0, mirrors.hole_cuts) == (True, 0)


def test_a_run_says_what_its_partial_parity_log_took() -> None:
    array = {"level": "raid5", "drives": 3, "chunk_kib": 64}
    logged = wl.run("tiny", "uniform:writes=500", array={**array, "write_hole": "ppl"})
    open_ = wl.run("tiny", "uniform:writes=500", array=array)
    assert logged["array"].pages_written.log > 0
    assert open_["array"].pages_written.log == 0
    told = {label for label, _, _ in array_facts.figures(logged["array"])}
    assert "partial parity log" in told
    journaled = wl.run("tiny", "uniform:writes=500", array={**array, "write_hole": "journal"})
    assert [drive.state for drive in journaled["array"].drives] == ["whole"] * 3 + ["journal"]
    assert journaled["array"].drives[3].pages_written.log == journaled["array"].pages_written.log
    assert "journal" in {it[0] for it in array_facts.figures(journaled["array"])}
    assert "partial parity log" not in {it[0] for it in array_facts.figures(open_["array"])}


def test_the_verb_cuts_arrays() -> None:
    sets = ("power.protection=none", "array.level=raid5", "array.drives=3", "array.chunk_kib=64")
    command = ["cuts", "tiny", "--workload", LOAD, "--every", "100"]
    command += [word for key in (*sets, "host.mode=closed") for word in ("--set", key)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "write hole: a failing drive takes data" in done.output
    assert "write hole in the midst of restarts" in done.output
    none = CliRunner().invoke(app, [*command, "--at", "1000000000"])
    assert none.exit_code == 0, none.output
    assert "restart" not in none.output


def test_the_verb_says_what_an_energy_bore() -> None:
    command = ["cuts", "tiny", "--workload", LOAD, "--every", "100"]
    sets = ("power.protection=30000", "drive.chip.program_uj=20.5", "drive.chip.erase_uj=192.79")
    command += [word for key in sets for word in ("--set", key)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "enough for all would be" in done.output
    refused = CliRunner().invoke(app, command[:-2])
    assert refused.exit_code == 2
    assert "drive.chip.erase_uj is 0" in refused.output


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ([], 'power.protection = "capacitor"'),
        (["--set", "power.protection=no"], "no such name"),
        (
            ["--set", "array={level='raid1', fail=[0]}", "--set", "power.protection=none"],
            "array.fail",
        ),
        (["--set", "power.protection=none", "--every", "0"], "every"),
        (["--set", "power.protection=none", "--at", "-1"], "counted from 0"),
    ],
)
def test_what_cannot_be_cut_is_refused(options: list[str], what: str) -> None:
    done = CliRunner().invoke(app, ["cuts", "tiny", "--workload", LOAD, *options])
    assert done.exit_code == 2
    assert what in done.output
    assert "help:" in done.output


def test_a_restart_by_checkpoint_reads_a_part_of_the_drive() -> None:
    drive = {
        "drive.chip.blocks_per_plane": 128, "drive.chip.pages_per_block": 192,
    }  # fmt: skip
    sets = [f"{key}={value}" for key, value in drive.items()]
    options = ["--set", "power.protection=none", "--set", "power.checkpoint_share=0.02"]
    for one in sets:
        options += ["--set", one]
    load = "zipf:requests=3e3,flush=0.01,theta=0.9"
    command = ["cuts", "tiny", "--workload", load, "--at", "3000", "--json", *options]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    restart = json.loads(done.output)["restart"]
    assert restart["by_checkpoint"] > 0
    assert restart["page_reads_most"] < 0.05 * restart["pages"]


def test_a_flush_that_lies_loses_what_it_promised() -> None:
    lying: dict[str, Any] = {"power": {"protection": "none", "flushes": "lie"}}
    assert wl.cuts("tiny", LOAD, every=10, **lying).losing_cuts > 0


def test_a_report_shows_each_technique_beside_the_others(tmp_path: Path) -> None:
    command = ["cuts", "tiny", "--workload", LOAD, "--every", "500", "--out", str(tmp_path)]
    command += ["--set", "power.protection=none", "--set", "drive.chip.pages_per_block=48"]
    done = CliRunner().invoke(
        app, [*command, "--technique", "conventional", "--technique", "slc_cache"]
    )
    assert done.exit_code == 0, done.output
    page = (tmp_path / "report.html").read_text()
    assert "conventional" in page
    assert "nothing was lost that a flush had promised" in page
    assert "--technique slc_cache" in page
    found = json.loads((tmp_path / "cuts.json").read_text())
    assert set(found) == {"conventional", "slc_cache"}
    assert found["slc_cache"]["losing_cuts"] == 0


def test_the_verb_prints_what_it_found_and_fails_where_something_is_missing() -> None:
    command = ["cuts", "tiny", "--workload", LOAD, "--set", "power.protection=none"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "of them lost what was flushed" in done.output
    losing = CliRunner().invoke(app, [*command, "--set", "power.remembers_trims=false"])
    assert losing.exit_code == 1
    assert "Again: --set workload.first=" in losing.output
    found = json.loads(CliRunner().invoke(app, [*command, "--json"]).output)
    assert found["losing_cuts"] == 0
    assert found["restart"]["page_reads"] > 0


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a client of the protocol wrote and flushed, told by hand."""
    path = tmp_path_factory.mktemp("recorded") / "changes"
    head = b"WLBYTES1" + (1 << 20).to_bytes(8, "little")
    changes = [head]
    for number in range(200):
        offset = (number * 7919 % 255) * 4096
        changes.append(b"\x01\x00" + offset.to_bytes(8, "little") + (4096).to_bytes(8, "little"))
        changes.append(bytes([number % 255 + 1]) * 4096)
        if number % 10 == 9:
            changes.append(b"\x03\x00" + bytes(16))
    path.write_bytes(b"".join(changes))
    return path


EMPTY: dict[str, Any] = {"precondition": {"fill": 0}}


def test_what_was_flushed_survives_cuts_of_a_recording(recording: Path) -> None:
    sizes = []
    found = wl.recorded_cuts(
        "tiny", recording, number=10, check=lambda disk: sizes.append(disk.stat().st_size),
        **BARE, **EMPTY,
    )  # fmt: skip
    assert (found.changes, found.flushes, found.cuts) == (220, 20, 10)
    assert (found.losing_cuts, found.failed_checks, found.losses) == (0, 0, ())
    assert sizes == [1 << 20] * 10


def test_any_drive_that_keeps_its_promises_can_be_cut(recording: Path) -> None:
    found = wl.recorded_cuts("tiny", recording, number=20, block_layer=True, **BARE, **EMPTY)
    assert (found.moments, found.cuts, found.losing_cuts) == (220, 20, 0)
    command = ["cuts", "tiny", "--recording", str(recording), "--block-layer", "--number", "20"]
    for key in ("power.protection=none", "power.flushes=lie", "precondition.fill=0"):
        command += ["--set", key]
    lost = CliRunner().invoke(app, [*command, "--after", "100"])
    assert lost.exit_code == 1, lost.output
    assert "writes to the image" not in lost.output


def test_what_a_check_raises_or_says_is_heard(recording: Path) -> None:
    def broken(_: Path) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        wl.recorded_cuts("tiny", recording, check=broken, **BARE, **EMPTY)
    told = wl.recorded_cuts(
        "tiny", recording, number=2, check=lambda _: "is broken", **BARE, **EMPTY
    )
    assert told.failed_checks == 2
    assert told.losses[0].found == "is broken"


def test_the_verb_cuts_recordings_and_hears_a_command(recording: Path) -> None:
    command = ["cuts", "tiny", "--recording", str(recording), "--number", "3"]
    command += ["--set", "power.protection=none", "--set", "precondition.fill=0"]
    well = CliRunner().invoke(app, [*command, "--check", "test -s", "--json"])
    assert well.exit_code == 0, well.output
    assert json.loads(well.output)["cuts"] == 3
    ill = CliRunner().invoke(app, [*command, "--check", "test ! -s"])
    assert ill.exit_code == 1, ill.output
    assert "of them failed the check" in ill.output
    none = CliRunner().invoke(app, [*command, "--check", "no-such-command"])
    assert none.exit_code == 2
    assert "no-such-command" in none.output


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--workload", LOAD], "--workload and --recording are given"),
        (["--set", "power.protection=capacitor"], "which no cut gets past"),
        (["--number", "0"], "makes 0 cuts"),
        (["--after", "1000"], "after change 1000 of a recording of 220"),
        (["--check", ""], "there is no command"),
    ],
)
def test_recordings_that_cannot_be_cut_are_refused(
    recording: Path, options: list[str], what: str
) -> None:
    command = ["cuts", "tiny", "--recording", str(recording), "--set", "precondition.fill=0"]
    command += ["--set", "power.protection=none", *options]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 2, done.output
    assert what in done.output
