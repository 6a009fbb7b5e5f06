"""A drive that takes placement identifiers, as users see it."""

from pathlib import Path

import pytest
import wordline as wl
from wordline.cli import output
from wordline.facts import placement_facts

FDP = {
    "host": {"interface": "fdp", "fdp": {"handles": 3}},
    "ftl": {"superblock_dies": 2},
    "drive": {"over_provisioning": 0.5},
}
SPEC = "uniform:writes=2000,placement="


def _run(placement: int) -> wl.Result:
    return wl.run("tiny", f"{SPEC}{placement}", FDP, seed=1)


def test_the_terminal_and_the_report_show_each_handle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = _run(2)
    told = result.host.fdp
    assert told is not None
    assert [one.host_bytes > 0 for one in told.handles] == [False, False, True]
    assert told.host_bytes == result.workload.bytes_written
    rows = list(placement_facts.rows(told, result.capacity.unit_bytes))
    # What was there before belongs to the first identifier.
    assert [row[0] for row in rows][:2] == ["0", "2"]
    output.show_run(result)
    assert "Reclaim unit handles" in capsys.readouterr().out
    page = (result.save(tmp_path / "run") / "report.html").read_text()
    assert "reclaim unit handles" in page
    assert "Written by the host" in page


def test_an_identifier_that_there_is_not_is_told() -> None:
    told = _run(7).host.fdp
    assert told is not None
    assert told.events.invalid_identifier == 2000
    assert "2,000 writes had an identifier that there is not" in placement_facts.sentence(told)


def test_a_served_drive_refuses_identifiers(tmp_path: Path) -> None:
    with pytest.raises(wl.WordlineError, match="carries no placement identifiers"):
        wl.serve("tiny", FDP, image=tmp_path / "image")
