"""Completion in the shell."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from wordline import catalogue
from wordline.cli import completion


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
        (completion.configs, "ti", ["tiny", "tiny-raid5"]),
        (completion.configs, "m", ["mqsim-default", "mine.toml"]),
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
    ],
)
def test_what_is_offered(offer, begun: str, expected: list[str]) -> None:
    assert offer(begun) == expected


def test_every_name_that_is_offered_can_be_described() -> None:
    from wordline.cli import browse

    offered = completion.names("")
    assert set(catalogue.presets("drive")) <= set(offered)
    assert all(browse._lookup(name) for name in offered)


def test_the_shell_gets_it() -> None:
    words = {"COMP_WORDS": "wordline run ti", "COMP_CWORD": "2"}
    done = subprocess.run(
        [str(Path(sys.executable).parent / "wordline")],
        env={**os.environ, **words, "_WORDLINE_COMPLETE": "complete_bash"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["tiny", "tiny-raid5"], done.stderr
