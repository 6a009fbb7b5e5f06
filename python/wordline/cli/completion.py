"""What the shell offers when the user presses Tab. The catalogue is loaded only then."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

SHELLS = ("bash", "zsh", "fish")
KINDS = ("techniques", "policies", "presets", "workloads", "formats", "papers", "all")
MODES = ("slc", "mlc", "tlc", "qlc")
REFERENCES = ("default", "optimal")
WRITTEN = ("wordline", "msr", "mqsim", "ssdsim", "fio-v2", "fio-v3")
SUITES = ("theory", "timing", "disksim", "drives", "fdp", "mqsim", "peers", "all")


def show(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    """Prints the script by which a shell asks for what follows."""
    if shell and not context.resilient_parsing:
        from click.shell_completion import shell_complete

        variable, wanted = "_WORDLINE_COMPLETE", f"{shell}_source"
        context.exit(shell_complete(context.command, {}, "wordline", variable, wanted))


def drives(incomplete: str) -> list[str]:
    """Drive presets."""
    from wordline.components import catalogue

    return _begun(catalogue.presets("drive"), incomplete)


def configs(incomplete: str) -> list[str]:
    """Drive presets, and TOML files."""
    return [*drives(incomplete), *_files(incomplete, ".toml")]


def workloads(incomplete: str) -> list[str]:
    """Generators, and files; behind a generator's colon, its parameters."""
    from wordline.components import catalogue

    generators = {entry["name"]: entry for entry in catalogue.load()["generators"]}
    name, colon, given = incomplete.partition(":")
    if colon and name in generators:
        *before, last = given.split(",")
        stem = ",".join([f"{name}:{before[0]}", *before[1:]]) + "," if before else f"{name}:"
        keys = (f"{param['key']}=" for param in generators[name]["params"])
        return [f"{stem}{key}" for key in _begun(keys, last)]
    return [*_begun(generators, incomplete), *_files(incomplete)]


def settings(incomplete: str) -> list[str]:
    """Keys of a configuration; behind the equals sign of one, the names that it takes."""
    from wordline.components import catalogue

    params = {
        f"{table['path']}.{param['key']}": param
        for table in catalogue.load()["tables"]
        for param in table["params"]
    }
    key, equals, value = incomplete.partition("=")
    if not equals:
        return _begun((f"{path}=" for path in params), incomplete)
    kind = params[key]["kind"] if key in params else None
    kind = kind if isinstance(kind, dict) else {}
    names = kind.get("one_of") or kind.get("one_of_or", [[]])[0]
    return [f"{key}={name}" for name in _begun(names, value)]


def techniques(incomplete: str) -> list[str]:
    """Techniques, and the drive without any."""
    from wordline.components import catalogue

    return _begun(["conventional", *catalogue.techniques()], incomplete)


def variants(incomplete: str) -> list[str]:
    """Behind a name of the user's choice, keys and their values, as `settings` offers them."""
    name, colon, given = incomplete.partition(":")
    if not colon:
        return []
    before, comma, last = given.rpartition(",")
    return [f"{name}:{before}{comma}{setting}" for setting in settings(last)]


def formats(incomplete: str) -> list[str]:
    """Formats of traces."""
    from wordline.components import catalogue

    return _begun((entry["name"] for entry in catalogue.load()["formats"]), incomplete)


def written_formats(incomplete: str) -> list[str]:
    """Formats that traces are written in."""
    return _begun(WRITTEN, incomplete)


def chips(incomplete: str) -> list[str]:
    """Chips of the cell laboratory, and TOML files."""
    from wordline import lab

    names = (chip.name for chip in lab.contents().chips)
    return [*_begun(names, incomplete), *_files(incomplete, ".toml")]


def experiments(incomplete: str) -> list[str]:
    """Experiments of the cell laboratory."""
    from wordline import lab

    return _begun((one.name for one in lab.contents().experiments), incomplete)


def modes(incomplete: str) -> list[str]:
    """Bits in a cell."""
    return _begun(MODES, incomplete)


def marks(incomplete: str) -> list[str]:
    """What a part of a drive's log may hold."""
    return _begun(("fill", "uniform"), incomplete)


def references(incomplete: str) -> list[str]:
    """Reference voltages that a campaign reads by."""
    return _begun(REFERENCES, incomplete)


def instruction_sets(incomplete: str) -> list[str]:
    """Instruction sets of this processor for which the codes are compiled."""
    from wordline import _native

    return _begun(_native.instruction_sets(), incomplete)


def engines(incomplete: str) -> list[str]:
    """Where sweeps are carried out; behind `slurm:`, its keys."""
    from wordline.sweeps.engines import SLURM

    if not incomplete.startswith("slurm:"):
        return _begun(("dask:tcp://", "slurm:"), incomplete)
    *before, last = incomplete.removeprefix("slurm:").split(",")
    return ["slurm:" + ",".join([*before, f"{key}="]) for key in _begun(SLURM, last)]


def kinds(incomplete: str) -> list[str]:
    """What there is to list."""
    return _begun(KINDS, incomplete)


def suites(incomplete: str) -> list[str]:
    """Suites of checks."""
    return _begun(SUITES, incomplete)


def paces(incomplete: str) -> list[str]:
    """How simulated time goes beside the clock."""
    return _begun(["virtual", "real", "slow:"], incomplete)


def names(incomplete: str) -> list[str]:
    """Everything that has a description."""
    from wordline.components import catalogue

    found = catalogue.load()
    entries = [entry["name"] for kind in ("techniques", "presets", "generators", "formats")
               for entry in found[kind]]  # fmt: skip
    policies = [name for slot in found["policies"] for name in slot["names"]]
    keys = [f"{t['path']}.{p['key']}" for t in found["tables"] for p in t["params"]]
    tables = [table["path"] for table in found["tables"]]
    return _begun(dict.fromkeys([*entries, *policies, *tables, *keys]), incomplete)


def _begun(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _files(incomplete: str, suffix: str = "") -> Iterator[str]:
    """Files and folders that begin so; folders end in a slash, for the next step."""
    folder, _, _ = incomplete.rpartition("/")
    for path in sorted(Path(folder or ("/" if incomplete.startswith("/") else ".")).glob("*")):
        shown = f"{folder}/{path.name}" if "/" in incomplete else path.name
        if shown.startswith(incomplete) and (path.is_dir() or path.name.endswith(suffix)):
            yield f"{shown}/" if path.is_dir() else shown


def papers(incomplete: str) -> list[str]:
    """Publications that can be reproduced."""
    from wordline.reproduce import STUDIES

    return _begun(STUDIES, incomplete)


def figures(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Tables and figures of the publication that the command names, or of all."""
    from wordline.reproduce import STUDIES

    paper = context.params.get("paper")
    studies = [STUDIES[paper]] if paper in STUDIES else STUDIES.values()
    names = dict.fromkeys(figure.name for study in studies for figure in study.figures)
    return _begun(names, incomplete)
