"""The verb `import mqsim`."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from wordline.cli import plain
from wordline.errors import ConfigError, OutputError
from wordline.importing import mqsim as of_mqsim
from wordline.importing.mqsim import Scenario
from wordline.persistence import files

_DRIVE = "drive.toml"


def mqsim(drive: Path, workload: Path | None, out: Path | None, force: bool, as_json: bool) -> None:
    """Writes a drive and its workloads, and says how to run them.

    Raises:
        ConfigError: A file that cannot be used.
        OutputError: A file exists and `force` is not set, or cannot be written.
    """
    found = of_mqsim.drive(drive)
    if out is None and workload is not None:
        raise ConfigError("workloads need a folder", "--out", "name one")
    scenarios = of_mqsim.scenarios(workload, found) if workload else []
    texts = {_DRIVE: found.to_toml(drive.name)}
    texts |= {_name(n): one.text for n, one in enumerate(scenarios, 1) if one.text}
    if out is not None:
        _write(out, texts, force)
        plain.warn_of((f"no equal here: {key}: {why}", "") for key, why in found.without_equal)
    commands = [] if out is None else _commands(out, scenarios)
    if as_json:
        without = dict(found.without_equal)
        plain.print_json({"files": texts, "without_equal": without, "commands": commands})
    elif out is None:
        click.echo(texts[_DRIVE], nl=False)
    else:
        click.echo("\n".join(commands))


def _name(number: int) -> str:
    return f"scenario-{number}.toml"


def _write(out: Path, texts: Mapping[str, str], force: bool) -> None:
    for name in texts:
        if (out / name).exists() and not force:
            raise OutputError("exists already", str(out / name), "choose a folder, or --force")
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        files.write(out / name, text)


def _commands(out: Path, scenarios: Sequence[Scenario]) -> list[str]:
    """How to run the drive, and each scenario on it."""
    runs = [f"wordline run {shlex.quote(str(out / _DRIVE))}"]
    for number, one in enumerate(scenarios, 1):
        source = str(out / _name(number)) if one.text else one.traces[0]
        sets = " ".join(f"--set {shlex.quote(text)}" for text in one.overrides)
        runs.append(f"{runs[0]} --workload {shlex.quote(source)} {sets}")
    return runs
