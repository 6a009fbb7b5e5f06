"""Where names are looked up: a wrong one is told the nearest."""

from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING


class Namespace(ModuleType):
    """A module that lists what it declares alone, and guesses what a wrong name means."""

    def __dir__(self) -> list[str]:
        declared = (name for name, value in vars(self).items() if _home(value) == self.__name__)
        return sorted(name for name in declared if not name.startswith("_"))

    if not TYPE_CHECKING:  # a misspelt name is an error to the type checker

        def __getattr__(self, name: str) -> object:
            raise AttributeError(unknown(f"wl.{self.__name__.rpartition('.')[2]}", name, dir(self)))


class Slot(type):
    """A class that holds functions alone, and guesses what a wrong name means."""

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> object:
            names = [one for one in vars(cls) if not one.startswith("_")]
            raise AttributeError(unknown(f"wl.policies.{cls.__name__}", name, names))


def unknown(where: str, name: str, names: Iterable[str]) -> str:
    """What is said of a name that there is not."""
    if name.startswith("_"):
        return f"{where} has no `{name}`"
    from wordline.components import catalogue

    near = catalogue.guess(catalogue.nearest(name, names))
    return f"{where} has no `{name}`: {near}`dir({where})` lists all"


def _home(value: object) -> str:
    return getattr(value, "__module__", "")
