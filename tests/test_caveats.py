"""Drives of a comparison that are the same drive are told, with the key that changes nothing."""

import json
from pathlib import Path

import wordline as wl
from conftest import Cli

WORKLOAD = "uniform:requests=200"


def test_variants_that_are_the_same_drive_are_told_with_their_keys() -> None:
    compared = wl.compare(
        "tiny",
        ["conventional"],
        [WORKLOAD],
        variants={
            "more-space": {"drive": {"over_provisioning": 0.28}},
            "filled": {"precondition": {"pattern": "steady"}},
            "fifo": {"ftl": {"gc": {"policy": "fifo"}}},
            "first": {"ftl": {"gc": {"policy": "fifo"}}},
        },
    )
    assert compared.warnings == [
        "`conventional`, `more-space` and `filled` are the same drive, because all have "
        '`drive.over_provisioning=0.28` and `precondition.pattern="steady"`; set another value or '
        "another key",
        '`fifo` and `first` are the same drive, because both have `ftl.gc.policy="fifo"`; set '
        "another value or another key",
    ]
    assert "are the same drive" in compared._repr_html_()


def test_drives_that_differ_in_one_key_are_not_the_same() -> None:
    small = {"drive": {"over_provisioning": 0.29}}
    assert not wl.compare("tiny", ["conventional"], [WORKLOAD], variants={"b": small}).warnings


def test_the_command_line_and_the_report_warn_of_the_same_drive(cli: Cli, tmp_path: Path) -> None:
    args = ("--technique", "conventional", "--variant", "more:drive.over_provisioning=0.28")
    done = cli("compare", "tiny", *args, "--workload", WORKLOAD, "--out", "out", "--json")
    told = (
        "`conventional` and `more` are the same drive, because both have "
        "`drive.over_provisioning=0.28`; set another value or another key"
    )
    assert f"warning: {told}\n" in done.stderr
    assert json.loads(done.stdout)["warnings"] == [told]
    assert cli("report", "out").returncode == 0
    html = (tmp_path / "out" / "report.html").read_text()
    assert "<code>drive.over_provisioning=0.28</code>" in html
