"""The verbs `init` and `schema`."""

from pathlib import Path

from wordline import template
from wordline.cli import plain
from wordline.configuration import find
from wordline.errors import ConfigError
from wordline.facts import drive_facts
from wordline.native import native_api
from wordline.persistence import files


def init(file: Path, preset: str, whole: bool, as_json: bool) -> None:
    """Writes a preset as a commented file, which does not have the preset's own name."""
    if str(file) in native_api.drive_presets():
        help_ = f"wordline init my-{file}.toml --preset {file}"
        raise ConfigError(
            f"`{file}` is the name of a preset, which a file would hide", "FILE", help_
        )
    files.write(file, template.template(preset, whole))
    if as_json:
        plain.print_json({"file": str(file), "preset": preset})
        return
    print(f"{file}: {drive_facts.in_words(find(file).resolve())}")
    print(f"next: wordline run {file} --workload zipf:requests=1e5,theta=0.9,interval_us=1000")


def schema() -> None:
    """Prints the schema."""
    plain.print_json(template.schema())
