"""Error rates of one's own, from a file."""

from pathlib import Path

import pytest
import wordline as wl

WORK = wl.workloads.uniform(requests=2000, read=0.5, interval_us=1000)


def drive(table: Path) -> dict[str, object]:
    reads = {"model": "table", "table": str(table), "word_line_sigma": 0.0}
    return {"drive": {"reads": reads}}


def test_a_table_is_read_from_its_file_and_stays_in_the_result(tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    table.write_text("retry,rber\n0,0.5\n1,1e-4\n")
    result = wl.run("tiny", WORK, drive(table))
    assert result.reads is not None
    assert result.reads.by_retries == (0, result.reads.pages)
    table.unlink()
    again = wl.run(result.config.to_dict(), WORK)
    assert again.reads == result.reads


def test_messages_name_the_file_and_the_line(tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    with pytest.raises(wl.WordlineError, match=r"drive\.reads\.table.*own\.csv"):
        wl.run("tiny", WORK, drive(table))
    table.write_text("pec,rber\n0,1e-4\nx,1e-4\n")
    with pytest.raises(wl.WordlineError, match=r"own\.csv, line 3: pec is no number"):
        wl.run("tiny", WORK, drive(table))
