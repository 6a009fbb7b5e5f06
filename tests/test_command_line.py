"""The contract of the command line: exit statuses, messages, what goes to which stream."""

import json
import subprocess
import sys

import pytest
from conftest import WORKLOAD, Cli

COMPARE = ("compare", "tiny", "--variant", "a:run.seed=1")
VERBS = ("run", "compare", "validate", "list", "describe", "demo", "report")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(cli: Cli, verb: str) -> None:
    done = cli(verb, "--help")
    assert done.returncode == 0
    assert "Example: wordline" in done.stdout
    assert "--json" in done.stdout


def test_help_loads_nothing_slow() -> None:
    code = (
        "import sys, wordline.cli.app as a, contextlib\n"
        "with contextlib.suppress(SystemExit): a.app(['run', '--help'])\n"
        "print(sorted({'altair', 'rich', 'vl_convert', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["run", "tinny"], ["no file and no drive preset `tinny`", "did you mean `tiny`?"]),
        (["run", "absent.toml"], ["no such file", "where: absent.toml"]),
        (["run", "tiny", "--set", "drive.chanels=3"], ["`chanels`", "did you mean `channels`?"]),
        (["run", "tiny", "--set", "drive.channels=many"], ["drive.channels", "whole number"]),
        (["run", "tiny", "--set", "ftl.gc.policy=gredy"], ["did you mean `greedy`?"]),
        (["run", "tiny", "--set", "drive.over_provisioning=0"], ["error:", "help:"]),
        (["run", "tiny", "--workload", "unifrm"], ["unknown generator", "did you mean `uniform`"]),
        (["run", "tiny", "--workload", "uniform:wites=3"], ["`wites`", "`writes`"]),
        (["run", "tiny", "--workload", "no/such.csv"], ["no/such.csv"]),
        (["run", "tiny", "--out", "/proc/none/such"], ["cannot be written", "/proc/none/such"]),
        (["compare", "tiny"], ["needs two drives", "--variant"]),
        (["compare", "tiny", "--technique", "magic"], ["unknown technique `magic`"]),
        (["compare", "tiny", "--variant", "x"], ["`x` is not a variant", "NAME:key=value"]),
        (
            ["compare", "tiny", "--variant", "a:run.seed=1", "--variant", "a:run.seed=2"],
            ["`a` is given twice"],
        ),
        (["validate", "theroy"], ["did you mean `theory`?"]),
        (["list", "preset"], ["did you mean `presets`?"]),
        (["describe", "gredy"], ["did you mean `greedy`?"]),
        (["report", "absent"], ["holds no result", "absent"]),
        (["run"], ["Missing argument"]),
        (["run", "tiny", "--bogus"], ["--bogus"]),
    ],
)
def test_bad_input_is_told_and_exits_with_2(cli: Cli, args: list[str], told: list[str]) -> None:
    done = cli(*args)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert [part for part in told if part not in done.stderr] == [], done.stderr


def test_errors_of_a_file_name_its_line(cli: Cli, tmp_path) -> None:
    (tmp_path / "drive.toml").write_text('preset = "tiny"\n\n[ftl.gc]\npolicy = "gredy"\n')
    done = cli("run", "drive.toml")
    assert done.returncode == 2
    assert "drive.toml:4" in done.stderr


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


def test_progress_as_json_goes_to_standard_error(cli: Cli) -> None:
    done = cli("run", "tiny", "--workload", "uniform:writes=3e6", "--progress", "json", "--json")
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert lines
    assert {"task", "phase", "done", "total", "simulated_s"} == set(lines[0])
    assert json.loads(done.stdout)["workload"]["writes"] == 3_000_000


def test_warnings_are_loud(cli: Cli) -> None:
    done = cli("run", "tiny", "--workload", "uniform:writes=1000", "--json")
    assert json.loads(done.stdout)["warnings"]
    assert "warning:" in done.stderr


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


def test_checks_have_one_form_and_their_exit_status_says_if_any_deviates(cli: Cli) -> None:
    done = cli("validate", "timing", "--quick", "--json")
    items = json.loads(done.stdout)["items"]
    assert items
    needed = {"id", "source", "workload", "unit", "reference", "ours", "deviation", "tolerance"}
    assert all(needed | {"status"} <= set(item) for item in items)
    assert done.returncode == any(item["status"] == "deviates" for item in items)
