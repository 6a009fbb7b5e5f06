"""A configuration to begin with, and the schema by which editors check one."""

import json
from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import Any

from wordline.components import catalogue
from wordline.configuration import find
from wordline.facts import drive_facts
from wordline.figures import metrics

Table = Mapping[str, Any]

_FIRST = ("drive", "drive.chip", "drive.scheduling", "ftl", "ftl.gc", "host", "precondition",
          "workload")  # fmt: skip
"""Tables that a template has unless all are asked for."""

_WIDTH = 88
_NAMED = ("drive.group", "host.queue")
"""Tables whose sub-tables the user names."""
_SCHEMA = "http://json-schema.org/draft-07/schema#"


def template(preset: str, whole: bool) -> str:
    """A preset as commented TOML, with every key at hand behind a `#`.

    Args:
        preset: A drive preset.
        whole: Every table, not only those that most drives set.

    Raises:
        ConfigError: There is no such preset.
    """
    config = find(preset).resolve()
    lines = [
        *_comment(f"The preset {preset}: {drive_facts.in_words(config)}."),
        *_comment("Take the `#` in front of a key away, and write your own value."),
        f"preset = {json.dumps(preset)}",
    ]
    for table in catalogue.load()["tables"]:
        path = table["path"]
        if path.startswith(_NAMED) or not (whole or path in _FIRST):
            continue
        values = metrics.lookup(config, path)
        # A scheme's table stands there only if it is chosen.
        lines += ["", f"[{path}]" if values else f"#[{path}]"]
        for param in table["params"]:
            value = values[param["key"]] if values else param["default"]
            lines += _comment(_told(param))
            lines.append(f"#{param['key']} = {_toml(value)}")
    techniques = ", ".join(catalogue.techniques())
    lines += ["", *_comment(f"[technique.NAME]: {techniques}; see `wordline describe NAME`.")]
    return "\n".join(lines) + "\n"


def _told(param: Table) -> str:
    """What a key is, and its unit."""
    unit = metrics.shown_unit(param["unit"])
    return f"{param['help']} ({unit})" if unit else param["help"]


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(text, _WIDTH - 2)]


def _toml(value: Any) -> str:
    """A value of a configuration; JSON's spelling is TOML's of all that there is."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def schema() -> dict[str, Any]:
    """The JSON schema of configurations."""
    root: dict[str, Any] = _table({name: {"type": "string"} for name in ("preset", "summary")})
    root["properties"]["year"] = {"type": "integer"}
    root["properties"]["sources"] = {"type": "object"}
    for table in catalogue.load()["tables"]:
        _at(root, table["path"])["properties"] |= dict(_properties(table["params"]))
    for name in ("drive", "drive.chip"):
        _at(root, name)["properties"]["preset"] = {"type": "string"}
    for name in _NAMED:
        named = _at(root, name)
        named["additionalProperties"] = named["properties"].pop("NAME")
    chip = _at(root, "drive.group")["additionalProperties"]["properties"]["chip"]
    chip["properties"]["preset"] = {"type": "string"}
    _at(root, "array")["properties"]["drive"] = {"type": "object"}
    technique = _at(root, "technique")
    technique["additionalProperties"] = True  # a program's own
    for one in catalogue.load()["techniques"]:
        own = _table(dict(_properties(one["params"])))
        own["additionalProperties"] = True  # its tables within
        technique["properties"][one["name"]] = own
    return {"$schema": _SCHEMA, "title": "Wordline configuration", **root}


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _at(root: dict[str, Any], path: str) -> dict[str, Any]:
    """The table of a path, which is made where it is not there."""
    for name in path.split("."):
        root = root["properties"].setdefault(name, _table({}))
    return root


def _properties(params: Iterable[Table]) -> Iterator[tuple[str, dict[str, Any]]]:
    for param in params:
        told = {"description": _told(param), "default": param["default"]}
        yield param["key"], {**_kind(param["kind"]), **told}


def _kind(kind: Any) -> dict[str, Any]:
    """What a key may hold."""
    texts = {"type": "array", "items": {"type": "string"}}
    plain = {"bool": {"type": "boolean"}, "text": {"type": "string"}, "texts": texts}
    if isinstance(kind, str):
        return plain[kind]
    ((name, bounds),) = kind.items()
    if name == "one_of":
        return {"enum": list(bounds)}
    if name == "one_of_or":
        return {"type": ["string", "number"]}
    number = {
        "type": "integer" if name.startswith("int") else "number",
        "minimum": bounds[0],
        "maximum": bounds[1],
    }
    if name in ("ints", "floats"):
        return {"anyOf": [number, {"type": "array", "items": number}]}
    return number
