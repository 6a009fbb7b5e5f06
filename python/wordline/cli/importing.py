"""The verb `import mqsim`."""

import shlex
from pathlib import Path

import click

from wordline import files
from wordline.cli import plain
from wordline.errors import ConfigError, OutputError
from wordline.importing import mqsim as of_mqsim

_DRIVE = "drive.toml"


def mqsim(drive: Path, workload: Path | None, out: Path | None, force: bool) -> None:
    """Writes a drive and its workloads, and says how to run them.

    Raises:
        ConfigError: A file that cannot be used.
        OutputError: A file exists and `force` is not set, or cannot be written.
    """
    found = of_mqsim.drive(drive)
    if out is None:
        if workload is not None:
            raise ConfigError("workloads need a folder", "--out", "name one")
        click.echo(found.to_toml(drive.name), nl=False)
        return
    scenarios = of_mqsim.scenarios(workload, found) if workload else []
    texts = {_DRIVE: found.to_toml(drive.name)}
    names = {n: f"scenario-{n}.toml" for n, one in enumerate(scenarios, 1) if one.text}
    texts |= {name: scenarios[n - 1].text for n, name in names.items()}
    for name in texts:
        if (out / name).exists() and not force:
            raise OutputError("exists already", str(out / name), "choose a folder, or --force")
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        files.write(out / name, text)
    plain.warn_of((f"no equal here: {key}: {why}", "") for key, why in found.without_equal)
    click.echo(f"wordline run {shlex.quote(str(out / _DRIVE))}")
    for number, one in enumerate(scenarios, 1):
        source = str(out / names[number]) if number in names else one.traces[0]
        sets = " ".join(f"--set {shlex.quote(text)}" for text in one.overrides)
        click.echo(f"wordline run {shlex.quote(str(out / _DRIVE))} --workload {source} {sets}")
