"""The verbs `list` and `describe`."""

import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from wordline.cli import output, plain, result_fields
from wordline.components import catalogue
from wordline.errors import ConfigError
from wordline.facts import drive_facts
from wordline.runs.single_run import CONVENTIONAL

Entry = Mapping[str, Any]
_NEAREST = 3  # names that are offered for an unknown one


def _techniques() -> list[Entry]:
    conventional = {"name": CONVENTIONAL, "summary": "The drive without any technique."}
    return [conventional, *catalogue.load()["techniques"]]


def _policies() -> list[Entry]:
    """Policies, with the parameters of those that have a table of their own beside their key."""
    params = {table["path"]: table["params"] for table in catalogue.load()["tables"]}

    def entry(slot: Entry, name: str) -> Entry:
        own = f"{slot['key'].rpartition('.')[0]}.{name}"
        known = {"name": name, "key": slot["key"], "summary": slot["help"]}
        return known | ({"params": params[own]} if own in params else {})

    return [entry(slot, name) for slot in catalogue.load()["policies"] for name in slot["names"]]


def _papers() -> list[Entry]:
    """What `wordline reproduce` knows."""
    from wordline.reproduce import STUDIES

    return [
        {
            "name": name,
            "summary": study.source,
            "figures": ", ".join(figure.name for figure in study.figures),
            "command": f"wordline reproduce {name}",
        }
        for name, study in STUDIES.items()
    ]


@cache
def _presets() -> list[Entry]:
    """Presets, each drive with its dies and capacity."""
    from wordline.configuration import find

    def facts(preset: Entry) -> dict[str, str]:
        if preset["kind"] != "drive":
            return {}
        return {"drive": drive_facts.in_words(find(preset["name"]).resolve())}

    return [{**preset, **facts(preset)} for preset in catalogue.load()["presets"]]


_KINDS: dict[str, Callable[[], list[Entry]]] = {
    "techniques": _techniques,
    "policies": _policies,
    "presets": _presets,
    "workloads": lambda: [*catalogue.load()["generators"], *catalogue.load()["twins"]],
    "formats": lambda: catalogue.load()["formats"],
    "papers": _papers,
}


def list_(what: str, as_json: bool) -> None:
    """Lists what there is of a kind, or of all kinds."""
    if what not in (*_KINDS, "all"):
        hint = catalogue.did_you_mean(what, [*_KINDS, "all"], "valid")
        raise ConfigError(f"there is nothing called `{what}` to list", help=hint)
    kinds = _KINDS if what == "all" else {what: _KINDS[what]}
    found = {kind: entries() for kind, entries in kinds.items()}
    if as_json:
        plain.print_json(found)
        return
    for kind, entries in found.items():
        if kind == "policies":
            output.show_policies(catalogue.load()["policies"])
        else:
            output.show_catalogue(kind, entries)


def describe(name: str, as_json: bool) -> None:
    """Shows what a name means, with parameters, units, defaults and sources."""
    found = _everywhere(name) or _everywhere(_spelt(name))
    if not found:
        hint = f"{_nearest(name)}`wordline list` shows names, `wordline describe ftl` keys"
        raise ConfigError(f"there is nothing called `{name}`", "NAME", hint)
    if as_json:
        plain.print_json(found)
        return
    for entry in found:
        output.describe(entry)


def _everywhere(name: str) -> list[Entry]:
    """What a name means, in the order in which people ask: choices, files, then results."""
    return [*(_lookup(name) or _configuration(name) or _table(name) or result_fields.of(name))]


def _table(name: str) -> list[Entry]:
    """The tables whose path ends so: `gc` is `ftl.gc`."""
    paths = (table["path"] for table in catalogue.load()["tables"])
    return [one for path in paths if path.endswith(f".{name}") for one in _lookup(path)]


def _configuration(name: str) -> list[Entry]:
    """A file of the user's: the drive that it describes, and what differs from the defaults."""
    from wordline.configuration import find
    from wordline.report.tables import flat

    if not (os.path.isfile(name) or name.endswith(".toml")):
        return []
    config, defaults = find(name).resolve(), find({}).resolve()
    usual = dict(flat(defaults))
    values = [
        {"key": key, "value": value, "source": ""}
        for key, value in flat(config)
        if usual.get(key) != value
    ]
    return [{"kind": "file", "name": name, "drive": drive_facts.in_words(config), "values": values}]


def _spelt(name: str) -> str:
    """The name that is spelt alike but for case, hyphens and underscores, as LLH-FTL is."""
    return next((one for one in _names() if _letters(one) == _letters(name)), "")


def _letters(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _names() -> list[str]:
    return [entry["name"] for entries in _KINDS.values() for entry in entries()]


def _nearest(name: str) -> str:
    """The names and keys that are nearest to an unknown one; keys alone where it has no dot."""
    known = {*_names(), *(entry["name"] for entry in result_fields.every())}
    for table in catalogue.load()["tables"]:
        keys = {param["key"] for param in table["params"]}
        known |= {table["path"], *(keys if "." not in name else set())}
        known |= {f"{table['path']}.{key}" for key in keys}
    return catalogue.guess(catalogue.nearest(name, known, _NEAREST))


def _lookup(name: str) -> list[Entry]:
    """Everything of that name: a preset and a policy may share one."""
    found: list[Entry] = [
        {"kind": kind, **entry}
        for kind, entries in _KINDS.items()
        for entry in entries()
        if name.removeprefix("technique.") in (entry["name"], *entry.get("aliases", ()))
    ]
    for table in catalogue.load()["tables"]:
        if table["path"] == name:
            found.append({"kind": "tables", "name": name, "params": table["params"]})
        found.extend(
            {"kind": "keys", "name": f"{table['path']}.{param['key']}", "params": [param]}
            for param in table["params"]
            if name in (param["key"], f"{table['path']}.{param['key']}")
        )
    return found
