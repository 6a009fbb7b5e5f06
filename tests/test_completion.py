"""Completion in the shell."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from conftest import HANGS_S
from test_command_line import VERBS
from wordline.cli import completion
from wordline.cli.app import app
from wordline.components import catalogue


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").touch()
    (tmp_path / "trace.csv").touch()
    (tmp_path / "drives").mkdir()
    (tmp_path / "drives" / "other.toml").touch()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("offer", "begun", "expected"),
    [
        (completion.configs, "ti", ["tiny", "tiny-tlc", "tiny-mlc", "tiny-mixed", "tiny-raid5"]),
        (completion.configs, "m", ["mqsim-default", "micron-7450-max-800g", "mine.toml"]),
        (completion.configs, "dr", ["drives/"]),
        (completion.configs, "drives/", ["drives/other.toml"]),
        (completion.workloads, "tr", ["trace.csv"]),
        (completion.workloads, "zipf:thet", ["zipf:theta="]),
        (completion.workloads, "zipf:read=0.3,thet", ["zipf:read=0.3,theta="]),
        (completion.workloads, "nothing:a", []),
        (completion.settings, "ftl.gc.po", ["ftl.gc.policy="]),
        (completion.settings, "ftl.gc.policy=f", ["ftl.gc.policy=fifo"]),
        (completion.settings, "ftl.gc.d=", []),
        (completion.settings, "magic=", []),
        (completion.techniques, "conv", ["conventional"]),
        (completion.kinds, "pr", ["presets"]),
        (completion.suites, "th", ["theory"]),
        (completion.names, "ftl.gc.hard", ["ftl.gc.hard_threshold"]),
        (completion.formats, "ms", ["msr"]),
        (completion.written_formats, "fio", ["fio-v2", "fio-v3"]),
        (completion.variants, "fifo", []),
        (completion.variants, "a:ftl.gc.po", ["a:ftl.gc.policy="]),
        (completion.variants, "a:run.seed=1,ftl.gc.policy=f", ["a:run.seed=1,ftl.gc.policy=fifo"]),
        (completion.chips, "planar", ["planar-tlc"]),
        (completion.chips, "mi", ["mine.toml"]),
        (completion.experiments, "erase", ["erase-cells"]),
        (completion.modes, "q", ["qlc"]),
        (completion.marks, "u", ["uniform"]),
        (completion.references, "op", ["optimal"]),
        (completion.engines, "da", ["dask:tcp://"]),
        (completion.engines, "slurm:jobs=3,part", ["slurm:jobs=3,partition="]),
        (completion.instruction_sets, "pl", ["plain"]),
    ],
)
def test_what_is_offered(offer, begun: str, expected: list[str]) -> None:
    assert offer(begun) == expected


class Context:
    """What the shell knows of the words ahead."""

    def __init__(self, **params: str) -> None:
        self.params = params


def test_figures_are_those_of_the_publication_that_is_named() -> None:
    assert completion.figures(Context(paper="ressd"), None, "table5") == ["table5"]  # type: ignore[arg-type]
    assert completion.figures(Context(paper="reo"), None, "table5") == []  # type: ignore[arg-type]
    assert "table5" in completion.figures(Context(), None, "table")  # type: ignore[arg-type]


# Quantities, and a name of the user's choice: nothing can be offered.
FREE = {"age", "pec", "temp", "reads", "name", "check"} | {
    "exported", "nand", "superblock", "host", "physical",
}  # fmt: skip


@pytest.mark.parametrize("verb", [v for v, one in VERBS.items() if not hasattr(one, "commands")])
def test_every_option_that_takes_a_name_is_completed(verb: str) -> None:
    texts = [p for p in VERBS[verb].params if p.type is click.STRING]
    assert [p.name for p in texts if not p._custom_shell_complete and p.name not in FREE] == []


def test_every_name_that_is_offered_can_be_described() -> None:
    from wordline.cli import browse

    offered = completion.names("")
    assert set(catalogue.presets("drive")) <= set(offered)
    assert all(browse._lookup(name) for name in offered)


def test_the_shell_gets_it() -> None:
    words = {"COMP_WORDS": "wordline run ti", "COMP_CWORD": "2"}
    done = subprocess.run(
        [str(Path(sys.executable).parent / "wordline")],
        env={**os.environ, **words, "_WORDLINE_COMPLETE": "bash_complete"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == [
        "plain,tiny",
        *(f"plain,tiny-{one}" for one in ("tlc", "mlc", "mixed", "raid5")),
    ], done.stderr


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_a_shell_is_taught_by_what_it_reads(shell: str) -> None:
    done = CliRunner().invoke(app, ["--show-completion", shell], prog_name="wordline")
    assert done.exit_code == 0, done.stderr
    assert f"_WORDLINE_COMPLETE={shell}_complete" in done.stdout


def test_help_loads_nothing_that_only_a_verb_needs() -> None:
    told = "import sys, wordline.cli.app; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=HANGS_S
    )
    loaded = done.stdout.split()
    assert "wordline.cli.app" in loaded
    needed_later = (
        "wordline.components.catalogue",
        "wordline.native.native_api",
        "wordline.native.types",
        "wordline.report",
    )
    assert not [name for name in loaded if name.startswith(needed_later)]
