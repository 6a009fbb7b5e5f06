"""Places in the code by name: functions, constants and types, and snippets within them.

A place is named by the end of its path: module and function (`gc::share`, `metrics.judge`), type
and function (`Collector::begin`, `Metric.show`), or more where that is not enough. What lies within
a function belongs to it. A file in another language than Rust and Python is one place (`page.js`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# Everything in which a brace is no brace, or a `fn` no function.
OPAQUE = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | b?r(?P<hashes>\#*)".*?"(?P=hashes)
      | b?"(?:\\.|[^"\\])*"
      | b?'(?:\\[^'\n]*|[^'\\\n])'
    """,
    re.VERBOSE | re.DOTALL,
)
HEAD = re.compile(
    r"\b(?P<kind>fn|mod|trait|macro_rules!|struct|enum|const|(?<!')static)\s+"
    r"(?!fn\b|unsafe\b)(?P<name>\w+)|\bimpl\b"
)
TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Place:
    """An item of a file, from its keyword to its end."""

    file: str
    path: tuple[str, ...]
    begin: int
    end: int
    # Where the braces of a function begin whose body may be chosen while it runs, one of several.
    body: int | None = None


def blank(text: str, kind: int | str = 0) -> str:
    """The text with comments and literals blanked out, or comments alone; all places kept."""
    return OPAQUE.sub(
        lambda found: re.sub(r"[^\n]", " ", found[0]) if found[kind] else found[0], text
    )


def end_of(code: str, at: int, ends: str) -> int:
    """Where the first of some signs lies that no bracket holds, or the end of what holds `at`."""
    depth = 0
    for sign in re.compile(r"[()\[\]{};]").finditer(code, at):
        if depth == 0 and sign[0] in f"{ends})]}}":
            return sign.start()
        depth += 1 if sign[0] in "([{" else -1 if sign[0] in ")]}" else 0
    return len(code)


def owner(header: str) -> str:
    """The type that a header is about: what stands between `impl` and its braces."""
    shown = header.replace("->", "")
    while (inner := re.sub(r"<[^<>]*>", "", shown)) != shown:
        shown = inner
    words = re.findall(r"\w+", re.split(r"\bwhere\b", shown)[0].split(" for ")[-1])
    return words[-1] if words else ""


def rust_places(text: str, file: str = "", path: tuple[str, ...] = ()) -> Iterator[Place]:
    """The items of a Rust file."""
    code = blank(text)
    owners: list[tuple[int, str]] = []
    at = 0
    while head := HEAD.search(code, at):
        begin, kind, name = head.start(), head["kind"], head["name"]
        owners = [each for each in owners if each[0] > begin]
        names = (*path, *(name for _, name in owners))
        if kind in ("const", "static"):
            at = end_of(code, head.end(), ";")
            yield Place(file, (*names, name), begin, at)
            continue
        body = end_of(code, head.end(), "{;")
        if code[body : body + 1] != "{":
            at = body
            continue
        at = end = end_of(code, body + 1, "}") + 1
        if kind in ("fn", "struct", "enum"):
            constant = re.search(r"\bconst\s+(?:unsafe\s+)?$", code[max(0, begin - 16) : begin])
            hidden = re.search(r"->.*\bimpl\b", code[begin:body], re.DOTALL)
            can_choose = kind == "fn" and not (constant or hidden)
            yield Place(file, (*names, name), begin, end, body if can_choose else None)
        else:
            at = body + 1
            owners.append((end, name or owner(code[head.end() : body])))


def python_places(text: str, file: str, path: tuple[str, ...]) -> Iterator[Place]:
    """The functions, classes and constants of a file in Python."""
    lines = [0, *(line.end() for line in re.finditer(r"\n|$", text))]

    def within(node: ast.AST, path: tuple[str, ...]) -> Iterator[Place]:
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names = [each.name]
            elif isinstance(each, ast.Assign | ast.AnnAssign):
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                parts = [part for target in targets for part in ast.walk(target)]
                names = [part.id for part in parts if isinstance(part, ast.Name)]
            else:
                yield from within(each, path)
                continue
            end = each.end_lineno or each.lineno
            for name in names:
                yield Place(file, (*path, name), lines[each.lineno - 1], lines[end])
            if isinstance(each, ast.ClassDef):
                yield from within(each, (*path, each.name))

    return within(ast.parse(text), path)


@cache
def text_of(file: str) -> str:
    """The text of a file."""
    return (ROOT / file).read_text("utf-8")


@cache
def all_places() -> dict[str, list[Place]]:
    """The places of the code, by the last of their names; tests have none."""
    found: dict[str, list[Place]] = {}
    for folder, ending in (("crates", "rs"), ("python", "py"), ("python", "js")):
        for source in sorted((ROOT / folder).rglob(f"*.{ending}")):
            file = source.relative_to(ROOT).as_posix()
            path = tuple(re.findall(r"\w+", file.removeprefix(folder).removesuffix(f".{ending}")))
            path = tuple(name for name in path if name not in ("src", "mod", "lib", "__init__"))
            if ending == "rs":
                places = rust_places(text_of(file), file, path)
            elif ending == "py":
                places = python_places(text_of(file), file, path)
            else:
                places = [Place(file, (*path, ending), 0, len(text_of(file)))]
            for place in places:
                if "tests" not in place.path:
                    found.setdefault(place.path[-1], []).append(place)
    return found


def named(name: str) -> list[Place]:
    """The places whose path ends so: several where a type or a module has namesakes."""
    wanted = tuple(re.split(r"::|\.", name))
    found = all_places().get(wanted[-1], [])
    return [place for place in found if place.path[-len(wanted) :] == wanted]


def pattern(snippet: str) -> re.Pattern[str]:
    """What finds a snippet, however its lines are broken: trailing commas come and go with them."""
    tokens = TOKEN.findall(re.sub(r",\s*(?=[)\]}>])", "", snippet))
    parts = [r"(?<!\w)" if re.match(r"\w", tokens[0]) else ""]
    for token, after in zip(tokens, [*tokens[1:], ""], strict=True):
        are_words = re.match(r"\w", token) and re.match(r"\w", after)
        comma = r",?\s*" if after and after in ")]}>" else ""
        parts.append(re.escape(token) + (r"\s+" if are_words else r"\s*") * bool(after) + comma)
    return re.compile("".join(parts) + (r"(?!\w)" if re.match(r"\w", tokens[-1]) else ""))


def find(name: str, snippet: str) -> tuple[str, int, int]:
    """The file where a snippet stands in the place of a name, and where it begins and ends there.

    Raises LookupError where it does not stand there once.
    """
    if not (places := named(name)):
        raise LookupError(f"there is no {name}")
    wanted = pattern(snippet)
    found = {
        (place.file, place.begin + match.start(), place.begin + match.end())
        for place in places
        for match in wanted.finditer(code_of(place))
    }
    if len(found) != 1:
        files = ", ".join(sorted({place.file for place in places}))
        raise LookupError(f"{snippet!r} occurs {len(found)} times in {name} of {files}")
    return found.pop()


@cache
def code_of(place: Place) -> str:
    """The text of a place, without comments where it is Rust."""
    text = text_of(place.file)[place.begin : place.end]
    return blank(text, "comment") if place.file.endswith(".rs") else text
