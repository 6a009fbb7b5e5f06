"""The contract of the command line: exit statuses, messages, what goes to which stream."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click
import pytest
from click.testing import CliRunner
from conftest import WORKLOAD, Cli
from wordline import _native
from wordline.cli import result_fields
from wordline.cli.app import app

COMPARE = ("compare", "tiny", "--variant", "a:run.seed=1")


def verbs(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every verb and group of verbs, with the words that call it."""
    group = group or app
    context = click.Context(group)
    for name in group.list_commands(context):
        verb = group.get_command(context, name)
        yield (*path, name), verb
        if hasattr(verb, "commands"):
            yield from verbs(verb, (*path, name))


VERBS = {" ".join(path): verb for path, verb in verbs()}
# Their result is a file, in a form that machines read.
WRITERS = ("schema", "trace fit", "code write-page", "code read-page")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb: str) -> None:
    done = CliRunner().invoke(app, [*verb.split(), "--help"], prog_name="wordline")
    assert done.exit_code == 0
    assert "Example: wordline " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    is_group = hasattr(VERBS[verb], "commands")
    assert is_group or verb in WRITERS or "--json" in done.stdout


def test_examples_of_help_pages_name_verbs_that_there_are() -> None:
    for verb, command in VERBS.items():
        words = command.epilog.partition("wordline ")[2].split()
        called = next((w for w in (" ".join(words[:2]), words[0]) if w in VERBS), "")
        assert called == verb or called.startswith(f"{verb} "), command.epilog


RUN = ("run", "tiny", "--workload", "uniform:writes=3", "--json")


@pytest.mark.parametrize(
    ("args", "slow"),
    [
        (("run", "--help"), {"wordline.native.types", "wordline.codes", "wordline.cli.trace"}),
        (
            RUN,
            {
                "wordline.results.store",
                "wordline.persistence.folders",
                "concurrent",
                "html",
                "statistics",
                "difflib",
            },
        ),
    ],
)
def test_what_is_slow_is_loaded_when_it_is_needed(args: Sequence[str], slow: set[str]) -> None:
    slow = slow | {"altair", "rich", "vl_convert", "pandas"}
    code = (
        "import sys, wordline.cli.app as a, contextlib\n"
        f"with contextlib.suppress(SystemExit): a.app({list(args)})\n"
        f"print(sorted({slow} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


@pytest.mark.parametrize(
    "args",
    [
        ["run", "tiny", "--workload", WORKLOAD],
        [*COMPARE, "--variant", "b:run.seed=2", "--workload", WORKLOAD],
        ["list"],
        ["describe", "tiny"],
        ["describe", "greedy"],
        ["describe", "ftl.gc.d"],
        ["describe", "msr"],
    ],
)
def test_json_is_all_there_is_on_standard_output(cli: Cli, args: list[str]) -> None:
    done = cli(*args, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_tables_name_the_figures(cli: Cli) -> None:
    done = cli("run", "tiny", "--workload", WORKLOAD)
    assert done.returncode == 0
    assert "write amplification" in done.stdout
    assert "p99 read latency" in done.stdout


@pytest.mark.parametrize("preset", ["tiny", "tiny-tlc", "tiny-mlc", "tiny-mixed", "tiny-raid5"])
def test_a_run_without_a_workload_is_no_overload(preset: str) -> None:
    done = CliRunner().invoke(app, ["run", preset, "--set", "workload.first=20000"])
    assert re.search(
        r"^the default workload: (49|50)\d requests a second, 50 % reads", done.stdout, re.M
    )
    assert "could not keep up" not in done.stderr
    mean_us = re.search(r"mean write latency +([\d.]+) +µs", done.stdout)
    assert mean_us and float(mean_us[1]) < 100


def test_progress_as_json_goes_to_standard_error(cli: Cli) -> None:
    done = cli("run", "tiny", "--workload", "uniform:writes=3e6", "--progress", "json", "--json")
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert lines
    assert {"task", "phase", "done", "total", "simulated_s"} == set(lines[0])
    assert json.loads(done.stdout)["workload"]["writes"] == 3_000_000


def test_warnings_are_loud(cli: Cli) -> None:
    done = cli("run", "tiny", "--workload", "uniform:writes=1000", "--json")
    assert json.loads(done.stdout)["warnings"]
    told = [f"warning: {warning}" for warning in json.loads(done.stdout)["warnings"]]
    assert done.stderr.splitlines() == told


def test_a_comparison_gives_ratios_to_the_first(cli: Cli) -> None:
    done = cli(
        *["compare", "tiny", "--variant", "a:ftl.gc.policy=greedy"],
        *["--variant", "b:ftl.gc.policy=random", "--workload", WORKLOAD, "--json"],
    )
    data = json.loads(done.stdout)
    first, second = data["items"]
    assert data["baseline"] == "a"
    assert first["ratios"]["write_amplification"] == 1
    ours, theirs = (item["result"]["write_amplification"] for item in (second, first))
    assert second["ratios"]["write_amplification"] == pytest.approx(ours / theirs)
    assert ours > theirs


def test_checks_have_one_form_and_all_of_the_timing_agree(cli: Cli) -> None:
    done = cli("validate", "timing", "--quick", "--json")
    items = json.loads(done.stdout)["items"]
    assert items
    needed = {"id", "source", "workload", "unit", "reference", "ours", "deviation", "tolerance"}
    assert all(needed | {"status"} <= set(item) for item in items)
    assert {item["status"] for item in items} == {"reproduced"}
    assert done.returncode == 0


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize(
    ("statuses", "exit_status"),
    [
        (["reproduced", "deviates", "reproduced"], 1),
        (["deviates"], 1),
        (["reproduced", "calibrated", "inconclusive", "not published", "skipped"], 0),
    ],
)
def test_the_exit_status_of_checks_says_if_any_deviates(
    monkeypatch: pytest.MonkeyPatch, statuses: list[str], exit_status: int, as_json: bool
) -> None:
    figures = {"unit": "", "reference": 1.0, "ours": 1.5, "deviation": 0.5, "tolerance": 0.1}
    texts = {"id": "theory/x", "source": "", "workload": "", "note": ""}
    items = json.dumps([{**texts, **figures, "status": status} for status in statuses])
    monkeypatch.setattr("wordline._native.validate", lambda *_: items)
    options = ["--json"] if as_json else []
    done = CliRunner().invoke(app, ["validate", "theory", *options], prog_name="wordline")
    assert done.exit_code == exit_status, done.output
    if as_json:
        assert [item["status"] for item in json.loads(done.stdout)["items"]] == statuses
    else:
        assert done.stdout.splitlines()[-1] == ", ".join(
            f"{statuses.count(status)} {status}" for status in dict.fromkeys(statuses)
        )


def test_a_policy_is_described_with_the_parameters_of_its_own(cli: Cli) -> None:
    scheme, paper = json.loads(cli("describe", "reo", "--json").stdout)
    assert (scheme["kind"], paper["kind"]) == ("policies", "papers")
    assert "gate_voltages" in {param["key"] for param in scheme["params"]}
    (victims,) = json.loads(cli("describe", "greedy", "--json").stdout)
    assert "params" not in victims


def at_a_terminal(*args: str, cwd: Any = None) -> bytes:
    """What who waits at a terminal reads of a verb but for its tables."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "wordline", *args]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=theirs, check=True, cwd=cwd)
    os.write(theirs, b"end")
    told = b""
    while not told.endswith(b"end"):
        told += os.read(ours, 10_000)
    os.close(ours)
    os.close(theirs)
    return told


def test_who_waits_at_a_terminal_is_told_of_a_simulator_that_checks_itself() -> None:
    told = at_a_terminal("describe", "tiny")
    assert told.startswith(b"note: this simulator checks itself") == _native.CHECKS_ITSELF


def test_a_comparison_says_where_it_writes_before_it_runs(tmp_path: Any) -> None:
    compare = (*COMPARE, "--variant", "b:run.seed=2", "--workload", WORKLOAD)
    told = at_a_terminal(*compare, "--progress", "json", cwd=tmp_path)
    assert b"results go to wordline-out/compare (--out names another" in told.partition(b"{")[0]
    assert b"results go" not in at_a_terminal(*compare, "--out", "x", cwd=tmp_path)


def test_short_options_mean_the_long_ones(cli: Cli) -> None:
    long = cli("run", "tiny", "--technique", "conventional", "--set", "ftl.gc.policy=fifo",
               "--workload", WORKLOAD, "--seed", "7", "--json")  # fmt: skip
    short = cli("run", "tiny", "-t", "conventional", "-s", "ftl.gc.policy=fifo", "-w", WORKLOAD,
                "-s", "run.seed=7", "--json")  # fmt: skip
    both = [json.loads(done.stdout) for done in (long, short)]
    assert [one.pop("simulator") is None for one in both] == [False, False]
    assert both[0] == both[1]
    assert both[0]["seed"] == 7
    assert cli("-h").stdout == cli("--help").stdout


def test_every_verb_stands_in_one_part_of_the_help() -> None:
    listed = [name for names in (app._parts or {}).values() for name in names]
    assert sorted(listed) == sorted(app.list_commands(click.Context(app)))
    assert "…" not in CliRunner().invoke(app, ["--help"]).stdout


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("iops", "IOPS, higher is better\nfield: host.iops\n"),
        ("host.iops", "host.iops (field of a result)\nRequests a second"),
        ("wear.erases_max", "(field of a result)\nMost P/E cycles of a block"),
        ("write_amplification", "lower is better"),
        ("p9999_us", "host.read.p9999_us (field of a result)\n"),
        ("samsung-840-evo-1t", "\nyear: 2013\n"),
        ("capacity", "fields: physical_pages, logical_pages"),
        ("gc", "ftl.gc (tables)\n"),
        ("ressd-layers", "figures: fig27, statements\ncommand: wordline reproduce ressd-layers"),
        ("LLH-FTL", "llh_ftl (techniques)"),
        ("lazyFTL", "lazy_ftl (techniques)"),
    ],
)
def test_fields_of_results_papers_and_other_spellings_are_described(name: str, told: str) -> None:
    assert told in CliRunner().invoke(app, ["describe", name]).stdout


def test_every_field_of_a_result_is_told() -> None:
    every = result_fields.every()
    assert len(every) > 300
    assert [one["name"] for one in every if len(one["summary"].split()) < 2] == []


def test_years_are_listed_with_presets() -> None:
    lines = CliRunner().invoke(app, ["list", "presets"]).stdout.splitlines()
    assert next(line for line in lines if line.startswith("ressd-576g ")).split()[1] == "2022"
    found = json.loads(CliRunner().invoke(app, ["list", "presets", "--json"]).stdout)
    years = {one["name"]: one.get("year") for one in found["presets"]}
    assert (years["reo-1t"], years["tiny"]) == (2025, None)


def test_a_file_is_described_as_a_drive(tmp_path: Any) -> None:
    drive = tmp_path / "mine.toml"
    drive.write_text('preset = "tiny"\ndrive.channels = 3\n')
    told = CliRunner().invoke(app, ["describe", str(drive)]).stdout
    assert "3 dies of TLC, 96 MiB of flash, 75 MiB for the host" in told
    assert "drive.channels" in told and "drive.chip.dies" not in told
