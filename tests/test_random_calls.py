"""Calls of the verbs that simulate and count, each changed at random from one that works.

Whatever is asked, there is no traceback and no panic, the exit status is 0, 1, 2 or 130, and
nothing half written is left. The other verbs are called at random in `test_inputs.py`.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from test_command_line import VERBS
from typer.testing import CliRunner
from wordline.cli.app import app

LOAD = "uniform:requests=10"
# One call a verb, each as quick as it can be. Those that are only quick when they are refused, are.
CALLS = [
    ["run", "tiny", "--workload", LOAD, "--set", "ftl.gc.policy=fifo", "--out", "out", "--json"],
    ["run", "drive.toml", "--workload", "trace.csv", "--format", "msr", "--progress", "none"],
    ["compare", "tiny", "--variant", "a:run.seed=1", "--variant", "b:run.seed=2",
     "--workload", LOAD, "--workers", "1", "--out", "out"],
    ["compare", "tiny", "--technique", "conventional", "--workload", LOAD, "--workers", "1"],
    ["validate", "nothing", "--quick", "--json"],
    ["reproduce", "ressd", "--figure", "nothing", "--quick"],
    ["demo", "--out"],
    ["code", "list", "--json"],
    ["code", "polar", "--cells", "64", "--seed", "1"],
    ["code", "ldgm", "--cells", "64", "--rate", "0.4"],
    ["code", "write-page", "page.bin", "page.bin", "out.bin", "--reserved", "64"],
    ["code", "read-page", "page.bin", "out.bin", "--metadata", "0", "--bytes", "16"],
    ["code", "round-trips", "--pages", "1", "--rber", "5e-4"],
    ["code", "wom-capacity", "--plot", "out"],
    ["code", "encode", "page.bin", "out.bin", "--code", "ldpc"],
    ["code", "decode", "page.bin", "out.bin", "--code", "ldpc", "--bytes", "10"],
    ["code", "bch", "--t", "2", "--data-bytes", "16"],
    ["code", "ldpc", "--rows", "14", "--reads", "1"],
    ["lab", "list", "--json"],
    ["lab", "describe", "planar-tlc", "--json"],
    ["lab", "vth", "--chip", "planar-tlc", "--pec", "3K", "--age", "1y", "--temp", "40C"],
    ["lab", "campaign", "planar-tlc", "--pages", "9", "--chips", "1", "--threads", "1"],
    ["lab", "run", "nothing"],
    ["lab", "tables", "planar-tlc", "--out", "tables"],
]  # fmt: skip
ODD = ["", "-1", "0", "1", "nan", "inf", "1e400", "9" * 30, "x", "é", "=", ",", ":", "\n", "no/x"]
ODD += ["--none", "--json", "--force", "--set", "--out", "drive=1", "ftl.gc.d=-1", "run.seed=x"]
ODD += ["tiny", "trace.csv", "drive.toml", "zipf:", "a:", "a:b", "a:run.seed=1"]
MSR = "".join(f"{10_000 * n},host,0,Write,{n * 4096},4096,0\n" for n in range(20))
# A verb and its group are kept: what is called without them is help.
Edit = tuple[str, int, str]


def test_every_verb_is_called_here_or_with_the_others() -> None:
    alone = {verb for verb, command in VERBS.items() if not hasattr(command, "commands")}
    called = {verb for verb in alone for call in CALLS if call[: len(verb.split())] == verb.split()}
    others = {verb for verb in alone if verb.split()[0] == "trace"} | {"list", "describe", "report"}
    assert called | others == alone


def edited(call: list[str], edits: list[Edit]) -> list[str]:
    kept = 2 if call[0] in ("code", "lab") else 1
    words = call[kept:]
    for what, place, odd in edits:
        at = place % (len(words) + 1)
        if what == "insert":
            words.insert(at, odd)
        elif what == "replace":
            words[at : at + 1] = [odd]
        elif what == "remove":
            del words[at : at + 1]
        else:
            words += words[at : at + 2]
    return call[:kept] + words


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["insert", "replace", "replace", "remove", "repeat"]),
        st.integers(0, 11),
        st.sampled_from(ODD),
    ),
    max_size=3,
)


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(call=CALLS[0], edits=[])
@given(call=st.sampled_from(CALLS), edits=EDITS)
def test_no_call_breaks_a_verb_that_computes(
    call: list[str], edits: list[Edit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trace.csv").write_text(MSR)
    Path("drive.toml").write_text('preset = "tiny"\n')
    Path("page.bin").write_bytes(bytes(range(256)) * 8)
    args = edited(call, edits)
    done = CliRunner().invoke(app, args, prog_name="wordline")
    assert done.exception is None or isinstance(done.exception, SystemExit), (args, done.exception)
    assert done.exit_code in (0, 1, 2, 130), args
    if done.exit_code == 2:
        assert done.stderr.startswith(("error: ", "Usage: ", "warning: ")), (args, done.stderr)
    assert "internal error" not in done.stderr, (args, done.stderr)
    assert not [path for path in tmp_path.rglob("*") if "partial" in path.name], args
