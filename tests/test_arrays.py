"""Arrays through every face: library, command line, report, comparison."""

import copy
import functools
import json
import re

import pytest
import wordline as wl
from conftest import Cli
from wordline.figures import metrics
from wordline.report import page

WORK = "uniform:requests=4000,read=0.4,interval_us=3000"


@pytest.fixture(scope="module")
def rebuilt() -> wl.Result:
    return wl.run(
        "tiny-raid5",
        WORK,
        wl.tables.Array(fail=[2], fail_at_s=2.0, spare=True, sync_to_end=True),
        wl.on_drive(0, wl.policies.gc.fifo(), wl.tables.Chip(program_us=[900.0] * 3)),
    )


def test_a_result_tells_of_the_array_and_of_each_drive(rebuilt: wl.Result) -> None:
    array = rebuilt.array
    assert array
    assert (array.level, array.members) == ("raid5", 4)
    states = [drive["state"] for drive in array.drives]
    assert states == ["whole", "whole", "failed", "whole", "rebuilt"]
    assert rebuilt.flash.erases == sum(drive["flash"]["erases"] for drive in array.drives)
    assert [phase["state"] for phase in array.latency][:2] == ["whole", "rebuild"]
    assert array.syncs[0]["done"] == 1.0
    own = rebuilt.config.array.drive["0"]
    assert (own.ftl.gc.policy, own.drive.chip.program_us) == ("fifo", (900.0,) * 3)


def test_the_resolved_configuration_gives_the_same_bits(rebuilt: wl.Result) -> None:
    config = rebuilt.config.to_dict()
    again = wl.run(config)
    ours, theirs = rebuilt.to_dict(), again.to_dict()
    del ours["simulator"], theirs["simulator"]
    assert ours == theirs
    # Each part of it counts: of the drive that differs, of the array, of the workload, of the run.
    for path, value in (
        ("array.drive.0.ftl.gc.policy", "greedy"),
        ("array.chunk_kib", 2 * config["array"]["chunk_kib"]),
        ("drive.chip.erase_ms", 2 * config["drive"]["chip"]["erase_ms"]),
        ("run.seed", config["run"]["seed"] + 1),
    ):
        changed = copy.deepcopy(config)
        *tables, key = path.split(".")
        table = functools.reduce(lambda at, name: at[name], tables, changed)
        assert table[key] != value, path
        table[key] = value
        other = wl.run(changed).to_dict()
        differing = {name for name in ours if other[name] != ours[name]}
        assert differing - {"config", "simulator"}, path


def test_a_drive_alone_has_no_array(result: wl.Result) -> None:
    assert result.array is None
    assert "Arrays" not in page.render(result)


def test_a_report_has_a_row_for_each_drive(rebuilt: wl.Result) -> None:
    html = page.render(rebuilt)
    assert "Arrays" in html
    assert rebuilt.array
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]
    for number, drive in enumerate(rebuilt.array.drives):
        (shown,) = [row for row in cells if row[:2] == [str(number), drive.state]]
        # The pages of this array have 4 KiB.
        written = [drive.pages_written[kind] / 256 for kind in ("data", "parity", "sync")]
        assert shown[3:6] == [metrics.figure(mib) for mib in written]
        assert shown[6:8] == [metrics.figure(drive.write_amplification), str(drive.flash.erases)]
        means = [drive.host[kind] for kind in ("read", "write")]
        assert shown[8:] == [metrics.figure(m.mean_us) if m.count else "–" for m in means]
    replaced, spare = rebuilt.array.drives[2], rebuilt.array.drives[4]
    assert (replaced.pages_written["sync"], spare.pages_written["sync"] > 0) == (0, True)


def test_the_command_line_shows_the_drives(cli: Cli) -> None:
    done = cli("run", "tiny-raid5", "--workload", WORK)
    assert done.returncode == 0, done.stderr
    for text in ("raid5, drives", "parity written per data", "Its drives"):
        assert text in done.stdout


def test_a_comparison_tells_how_long_a_rebuild_takes_and_latencies_around_it() -> None:
    fails = wl.tables.Array(fail=[2], fail_at_s=1.0, spare=True, sync_to_end=True)
    found = wl.compare("tiny-raid5", ["conventional"], [WORK], variants={"failing": fails})
    whole, failing = found.cases[0].result, found.cases[1].result
    array = failing.array
    assert array
    figures = metrics.figures(failing)
    assert figures["rebuild_s"] == (array.syncs[0].over_s or 0) - array.syncs[0].began_s
    for phase in array.latency:
        assert figures[f"{phase.state}_read_p999_us"] == phase.read_p999_us
        assert figures[f"{phase.state}_write_mean_us"] == phase.write_mean_us
    assert "rebuild_s" not in metrics.figures(whole)
    labels = [metric.label for metric in metrics.shown([whole, failing])]
    assert "rebuild" in labels
    assert "mean read latency, in the rebuild" in labels
    assert found.ratios(found.cases[1])["rebuild_s"] is None


def test_arrays_are_compared_with_one_another(cli: Cli) -> None:
    variants = ("--variant", "mirror:array.level=raid1", "--variant", "parity:array.level=raid5")
    done = cli("compare", "tiny", "--workload", WORK, *variants, "--json")
    assert done.returncode == 0, done.stderr
    cases = json.loads(done.stdout)["items"]
    assert [case["result"]["array"]["level"] for case in cases] == ["raid1", "raid5"]


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("array.drives=2", "raid5 needs 3 drives at least, array.drives is 2"),
        ("array.chunk_kib=6", "1.50 pages of the array of 4 KiB"),
        ("array.drive.9.ftl.gc.idle_us=3", "the drives are 0 to 3"),
        ("array.drive.x.ftl.gc.d=3", "cannot name a drive of an array"),
        ("array.drive.1.host.mode=open", "unknown key `host`"),
    ],
)
def test_arrays_that_cannot_work_are_refused(cli: Cli, override: str, says: str) -> None:
    done = cli("run", "tiny-raid5", "--workload", WORK, "--set", override)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_parts_of_the_callers_own_serve_a_drive_alone() -> None:
    custom = wl.Custom(victim=lambda blocks: 0)
    with pytest.raises(wl.WordlineError, match="serves one drive"):
        wl.run("tiny-raid5", WORK, custom=custom)
