"""`wordline trace info`: what a workload holds."""

import json
from pathlib import Path

from typer.testing import CliRunner
from wordline.cli.app import app

TRACE = "".join(f"{10_000 * n},host,0,Write,{n * 4096},4096,0\n" for n in range(100))


def test_files_tell_their_format(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(TRACE)
    done = CliRunner().invoke(app, ["trace", "info", str(path), "--json"])
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["file"]["format"] == "msr"
    assert found["file"]["time_unit"] == "100 ns"
    assert found["requests"]["writes"] == 100
