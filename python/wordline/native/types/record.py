"""What results are made of: tables whose fields are declared, and trees whose fields are not."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import FrozenInstanceError, dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from wordline import arguments
from wordline.arguments import checked

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Any:
        """For type checkers alone."""
        return lambda cls: cls


_MOST_INDENT = 64
_SHOWN = 6  # fields of a table that its `repr` shows


class Named(Protocol):
    """What has named parts: a table of a result, a tree, a dictionary."""

    def __getitem__(self, key: str, /) -> Any: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record:
    """A table of a result: `record.name` and `record["name"]` are the same; nothing can be set.

    Every class of a table is a frozen dataclass, whose methods are those here: to compile them
    for each of many classes would take longer than a short run.
    """

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False)(cls)

    if TYPE_CHECKING:  # what the type checker sees of a dataclass
        __dataclass_fields__: ClassVar[dict[str, Any]]
    else:

        def __init__(self, *values: Any, **named: Any) -> None:
            names = _names(type(self))
            found = dict(zip(names, values, strict=False), **named)
            if len(values) + len(named) != len(names) or found.keys() != set(names):
                raise TypeError(f"{type(self).__name__} takes {', '.join(names)}")
            vars(self).update(found)

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"results cannot be changed: `{name}`")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"results cannot be changed: `{name}`")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record) or type(self) is not type(other):
            return NotImplemented
        return _compared(self) == _compared(other)

    def __hash__(self) -> int:
        return hash(_compared(self))

    def keys(self) -> tuple[str, ...]:
        """The names of the fields, in order."""
        return _names(type(self))

    def get(self, key: str, default: Any = None) -> Any:
        """The field `key`; `default` where there is none."""
        return getattr(self, key) if key in self.keys() else default

    def to_dict(self) -> dict[str, Any]:
        """A copy as plain dictionaries and lists, as the JSON holds it."""
        return {key: plain(getattr(self, key)) for key in self.keys()}

    @checked
    def to_json(self, indent: int | None = None) -> str:
        """The table as JSON."""
        return as_json(self.to_dict(), indent)

    def __getitem__(self, key: str) -> Any:
        if key not in self.keys():
            raise KeyError(_unknown(key, self.keys()))
        return getattr(self, key)

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    if not TYPE_CHECKING:  # a misspelt field is an error to the type checker

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(_unknown(name, _names(type(self))))

    def __repr__(self) -> str:
        names = self.keys()
        shown = [f"{name}={_brief(getattr(self, name))}" for name in names[:_SHOWN]]
        return f"{type(self).__name__}({', '.join(shown + ['…'] * (len(names) > _SHOWN))})"


class Tree(Mapping[str, Any]):
    """A tree of names and values that no type declares, such as what a technique reports.

    `tree.name` and `tree["name"]` are the same; nothing can be set.
    """

    __slots__ = ("_data",)
    _data: Mapping[str, Any]

    def __init__(self, data: Mapping[str, Any] | None = None) -> None:
        frozen = {key: freeze(value) for key, value in (data or {}).items()}
        object.__setattr__(self, "_data", frozen)

    def to_dict(self) -> dict[str, Any]:
        """A copy as plain dictionaries and lists."""
        return {key: plain(value) for key, value in self._data.items()}

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._data:
            raise AttributeError(_unknown(name, () if name.startswith("_") else self._data))
        return self._data[name]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"results cannot be changed: `{name}`")

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._data]

    def __reduce__(self) -> tuple[type["Tree"], tuple[dict[str, Any]]]:
        return Tree, (dict(self._data),)

    def __repr__(self) -> str:
        return f"Tree({', '.join(self._data)})"


def as_json(data: object, indent: int | None) -> str:
    """Data as JSON, on one line or indented.

    Raises:
        ConfigError: No such indent.
    """
    if indent is not None:
        indent = arguments.whole("indent", indent, 0, _MOST_INDENT)
    return json.dumps(data, indent=indent, ensure_ascii=False)


def freeze(value: Any) -> Any:
    """A value of JSON that cannot be changed: objects as trees, arrays as tuples."""
    if isinstance(value, Mapping) and not isinstance(value, Tree):
        return Tree(value)
    return tuple(map(freeze, value)) if isinstance(value, list) else value


def plain(value: Any) -> Any:
    """A value as JSON holds it: plain dictionaries and lists, and nothing that is no number."""
    if isinstance(value, Record | Tree):
        return value.to_dict()
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return None if value != value else value


@cache
def _names(cls: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls))


def _compared(record: Record) -> tuple[Any, ...]:
    return tuple(getattr(record, name) for name in _compared_names(type(record)))


@cache
def _compared_names(cls: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls) if field.compare)


def _unknown(name: str, known: Iterable[str]) -> str:
    import difflib

    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    guess = f"did you mean `{near[0]}`? " if near else ""
    return f"no field `{name}`; {guess}fields: {', '.join(known)}" if known else name


def _brief(value: Any) -> str:
    if isinstance(value, Record):
        return f"{type(value).__name__}(…)"
    if isinstance(value, Tree):
        return "Tree(…)"
    if isinstance(value, tuple):
        return f"({len(value)} values)"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
