"""Pages of the reference, written from the declarations when the manual is built."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wordline.components import catalogue
from wordline.figures import metrics

Entry = Mapping[str, Any]


def write(folder: Path) -> None:
    """Writes every page of the reference into `folder`."""
    found = catalogue.load()
    pages = {
        "keys": _keys(found["tables"]),
        "policies": _policies(found["policies"]),
        "techniques": _techniques(found["techniques"]),
        "workloads": _workloads(found["generators"]),
        "formats": _formats(found["formats"]),
        "presets": _presets(found["presets"]),
    }
    folder.mkdir(exist_ok=True)
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _keys(tables: Iterable[Entry]) -> str:
    parts = (f"## `[{table['path']}]`\n\n{_params(table['params'])}" for table in tables)
    return "# Keys of a configuration\n\n" + "\n\n".join(parts)


def _policies(slots: Iterable[Entry]) -> str:
    parts = (
        f"## `{slot['key']}`\n\n{_sentence(slot['help'])}\n\n{_codes(slot['names'])}"
        for slot in slots
    )
    return "# Policies\n\n" + "\n\n".join(parts)


def _techniques(techniques: Iterable[Entry]) -> str:
    parts = [
        f"## `{entry['name']}`\n\n{entry.get('summary', '')}\n\n{_params(entry['params'])}"
        for entry in techniques
    ]
    return "# Techniques\n\n" + ("\n\n".join(parts) or "None yet beyond the conventional drive.")


def _workloads(generators: Iterable[Entry]) -> str:
    parts = (
        f"## `{entry['name']}`\n\n{_sentence(entry['summary'])} {entry['source']}\n\n"
        f"{_params(entry['params'])}"
        for entry in generators
    )
    return "# Generators of workloads\n\n" + "\n\n".join(parts)


def _formats(formats: Iterable[Entry]) -> str:
    rows = [
        (
            f"[`{entry['name']}`](../formats/{entry['name']}.md)",
            _codes(entry["aliases"]),
            f"{entry['summary']}; {entry['columns']}" if entry["columns"] else entry["summary"],
        )
        for entry in formats
    ]
    return "# Formats of traces\n\n" + _table(("name", "also", "what; columns"), rows)


def _presets(presets: Iterable[Entry]) -> str:
    parts = (
        f"## `{entry['name']}` ({entry['kind']})\n\n{_sentence(entry['summary'])}\n\n"
        + _table(
            ("key", "value", "source"),
            [
                (f"`{v['key']}`", f"`{json.dumps(v['value'])}`", v["source"])
                for v in entry["values"]
            ],
        )
        for entry in presets
    )
    return "# Presets\n\n" + "\n\n".join(parts)


def _params(params: Iterable[Entry]) -> str:
    rows = [
        (
            f"`{param['key']}`",
            _sentence(param["help"]) + (f" *{param['source']}*" if param["source"] else ""),
            f"{_valid(param['kind'])} {metrics.shown_unit(param['unit'])}".strip(),
            "" if param["default"] in (None, "") else f"`{json.dumps(param['default'])}`",
        )
        for param in params
    ]
    return _table(("key", "means; *source*", "valid", "default"), rows)


def _valid(kind: Any) -> str:
    if not isinstance(kind, Mapping):
        return str(kind)
    ((name, detail),) = kind.items()
    if name == "one_of":
        return _codes(detail)
    if name == "one_of_or":
        names, low, high = detail
        return f"{_codes(names)}, or {low:g} to {high:g}"
    return f"{detail[0]:g} to {detail[1]:g}"


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else f"{text}."


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
