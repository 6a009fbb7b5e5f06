"""The modules of the library form no circle, imports inside functions included."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import wordline

PACKAGE = Path(wordline.__file__).parent
Arrow = tuple[str, str]


def modules_of(package: Path) -> dict[str, Path]:
    """The modules of a package by name; a package's is that of its `__init__`."""
    paths = [*package.rglob("*.py"), *package.rglob("*.pyi")]
    home = package.parent  # which may hold other packages
    names = {".".join(path.relative_to(home).with_suffix("").parts): path for path in paths}
    return {name.removesuffix(".__init__"): path for name, path in names.items()}


def arrows_of(package: Path) -> set[Arrow]:
    """Which module imports which, functions and types included."""
    modules = modules_of(package)
    arrows: set[Arrow] = set()
    for name, path in modules.items():
        inside = name if path.stem == "__init__" else name.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                named = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                parts = inside.split(".")[: len(inside.split(".")) - node.level + 1]
                home = ".".join([*parts, node.module or ""] if node.level else [node.module or ""])
                home = home.strip(".")
                found = (f"{home}.{alias.name}" for alias in node.names)
                named = [each if each in modules else home for each in found]
            else:
                continue
            arrows |= {(name, each) for each in named if each in modules and each != name}
    return arrows


def circle_in(arrows: set[Arrow]) -> list[str] | None:
    """A circle of what lies side by side in a package, files and packages as a whole.

    A package's own `__init__` shows what is below it, and counts at no level.
    """
    levels: dict[str, dict[str, set[str]]] = {}
    for ends in arrows:
        one, other = (name.split(".") for name in ends)
        common = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
        if common is not None:
            level = levels.setdefault(".".join(one[:common]), {})
            level.setdefault(one[common], set()).add(other[common])
    return next(filter(None, map(_circle, levels.values())), None)


def _circle(graph: dict[str, set[str]]) -> list[str] | None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def test_modules_form_no_circle() -> None:
    arrows = arrows_of(PACKAGE)
    inside = ("wordline.results.result", "wordline.report.page")
    assert inside in arrows, "an import inside a function"
    assert ("wordline.native.native_api", "wordline._native") in arrows, "an import by name"
    assert circle_in(arrows) is None


def test_only_the_command_line_imports_the_package_as_a_whole() -> None:
    arrows = arrows_of(PACKAGE)
    assert {name for name, other in arrows if other == "wordline"} == {"wordline.cli.app"}


def test_modules_stand_in_folders() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 10


@pytest.mark.parametrize(
    "line",
    [
        "import p.a",
        "from p.a import X",
        "from p import a",
        "from . import a",
        "from .a import X",
        "def f():\n    from p.a import X",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import X",
    ],
)
def test_every_way_to_import_counts(line: str, tmp_path: Path) -> None:
    package = tmp_path / "p"
    package.mkdir()
    (package / "__init__.py").write_text("from p import a, b")
    (package / "a.py").write_text("from p.b import Y")
    (package / "b.py").write_text("'import p.a'")
    assert circle_in(arrows_of(package)) is None
    (package / "b.py").write_text(line)
    assert set(circle_in(arrows_of(package)) or []) == {"a", "b"}


def test_packages_are_held_to_it_as_a_whole() -> None:
    down = {("p.q.one", "p.r"), ("p.q.two", "p.q.one"), ("p.q", "p.q.two"), ("p.q.one", "p.q")}
    assert circle_in(down) is None
    assert set(circle_in({*down, ("p.r", "p.q.two")}) or []) == {"q", "r"}
