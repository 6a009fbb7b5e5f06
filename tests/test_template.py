"""Files to begin with, and the schema by which editors check them."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import wordline as wl
from click.testing import CliRunner
from wordline import template
from wordline.cli.app import app
from wordline.configuration import find
from wordline.native import native_api

CHECKED = jsonschema.Draft7Validator(template.schema())


@pytest.mark.parametrize("preset", ["tiny", "nvme-tlc-1t", "tiny-mixed"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_template_is_the_preset_and_every_key_in_it_is_one(preset: str, whole: bool) -> None:
    text = template.template(preset, whole)
    assert max(map(len, text.splitlines())) <= 120
    config = find({"preset": preset}).resolve()
    assert find(native_api.parse_toml(text, "the template")).resolve() == config
    # With every key written out it is still the same drive.
    written = re.sub(r"^#(?=\w+ = |\[)", "", text, flags=re.MULTILINE)
    keys = native_api.parse_toml(written, "the template")
    assert not [error.message for error in CHECKED.iter_errors(keys)]
    assert len(re.findall(r"^\w+ = ", written, re.MULTILINE)) > (150 if whole else 60)
    if preset == "tiny" and not whole:
        assert find(keys).resolve() == config


@pytest.mark.parametrize("preset", native_api.drive_presets())
def test_the_schema_takes_what_presets_resolve_to(preset: str) -> None:
    assert not [error.message for error in CHECKED.iter_errors(find(preset).resolve())]


@pytest.mark.parametrize(
    "wrong",
    [
        {"drive": {"chanels": 3}},
        {"drive": {"channels": 0}},
        {"drive": {"channels": 1.5}},
        {"ftl": {"gc": {"policy": "gredy"}}},
        {"drive": {"chip": {"read_us": "fast"}}},
        {"drive": {"group": {"a": {"chip": {"pages": 3}}}}},
    ],
)
def test_the_schema_refuses_what_a_run_refuses(wrong: dict[str, Any]) -> None:
    assert list(CHECKED.iter_errors(wrong))
    with pytest.raises(wl.ConfigError):
        find(wrong).resolve()


def test_the_verbs_write_and_print_them(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    done = CliRunner().invoke(app, ["init", str(mine), "--preset", "tiny-tlc"])
    assert done.exit_code == 0
    assert "8 dies of TLC, 384 MiB of flash, 300 MiB for the host" in done.stdout
    assert mine.read_text() == template.template("tiny-tlc", False)
    assert CliRunner().invoke(app, ["init", str(mine)]).exit_code == 2, "it is there"
    named = CliRunner().invoke(app, ["init", "nvme-tlc-1t"])
    assert (named.exit_code, Path("nvme-tlc-1t").exists()) == (2, False)
    assert "help: wordline init my-nvme-tlc-1t.toml --preset nvme-tlc-1t" in named.stderr
    unknown = CliRunner().invoke(app, ["init", str(tmp_path / "b.toml"), "--preset", "tiny-tcl"])
    assert (unknown.exit_code, (tmp_path / "b.toml").exists()) == (2, False)
    assert "did you mean `tiny-tlc`?" in unknown.stderr
    assert json.loads(CliRunner().invoke(app, ["schema"]).stdout) == template.schema()
