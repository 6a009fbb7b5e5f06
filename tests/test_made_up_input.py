"""Configurations, free memory, locks, folders and JSON, without a run."""

import math
import os
from dataclasses import FrozenInstanceError, field, replace
from pathlib import Path
from typing import Any, Literal

import pytest
import wordline as wl
from wordline import workers
from wordline.configuration import Configuration, overrides_by, overrides_of, toml_value
from wordline.errors import ConfigError
from wordline.native import native_api
from wordline.native.types.record import Record, Tree
from wordline.persistence import folders, locks
from wordline.runs import single_run


def test_tables_become_keys() -> None:
    tables = {"a": {"b": 1, "none": None, "on": {}, "c": {"d": [1, 2.5]}}, "e": True}
    assert list(overrides_of(tables)) == ["a.b=1", "a.on={}", "a.c.d=[1, 2.5]", "e=true"]
    assert overrides_by([{"x": 1}, {"x": 2}]) == ("x=1", "x=2")


def test_later_overrides_come_last() -> None:
    both = Configuration("", "it", ("x=1",)).with_overrides(["x=2"]).with_overrides(["x=3"])
    assert both == Configuration("", "it", ("x=1", "x=2", "x=3"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"), (3, "3"), (2.0, "2.0"), ("ü\"", '"ü\\""'), (Path("a/b"), '"a/b"'),
        ([], "[]"), ((1, "x"), '[1, "x"]'), ({}, "{}"),
    ],
)  # fmt: skip
def test_values_are_toml(value: Any, text: str) -> None:
    assert toml_value(value) == text


def test_what_is_no_value_is_refused_with_its_key() -> None:
    for value in (None, b"x", {"a": 1}):
        with pytest.raises(ConfigError) as failure:
            toml_value(value, "drive.channels")
        assert "drive.channels" in str(failure.value)


def test_what_python_chooses_is_named() -> None:
    def one(*_: Any) -> Any: ...
    def two(*_: Any) -> Any: ...

    named = wl.Custom(victim=one, erase=two).names()
    assert named == {"victim": one.__qualname__, "erase": two.__qualname__}
    assert wl.Custom(idle=two).names() == {"idle": two.__qualname__}


def test_no_variant_is_given_twice() -> None:
    one, two = single_run.Variant("one", ("x=1",)), single_run.Variant("two", ("x=1",))
    single_run.refuse_twins([one, two])
    with pytest.raises(ConfigError, match="variant `one` is given twice"):
        single_run.refuse_twins([one, two, one])


@pytest.mark.parametrize(
    ("limit", "taken", "free"),
    [
        ("900000", "100000", 800_000),  # the container's is less
        ("9000000", "100000", 1_024_000),  # the machine's is
        ("max", "100000", 1_024_000),  # no limit
    ],
)
def test_free_memory_is_of_machine_and_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, taken: str, free: int
) -> None:
    texts = {
        "_MEMORY": "MemTotal: 5000 kB\nMemFree: 10 kB\nMemAvailable: 1000 kB\n",
        "_LIMIT": limit,
        "_TAKEN": taken,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        monkeypatch.setattr(workers, name, tmp_path / name)
    assert workers.free_bytes() == free
    monkeypatch.setattr(workers, "_MEMORY", tmp_path / "none")
    assert workers.free_bytes() == (None if limit == "max" else int(limit) - int(taken))


def test_the_runs_that_take_the_most_memory_decide_how_many_go_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mib = 1 << 20
    monkeypatch.setattr(workers, "cores", lambda: 2)
    monkeypatch.setattr(workers, "free_bytes", lambda: 500 * mib)
    assert workers.number([mib] * 3) == 2
    assert workers.number([mib, mib, 1000 * mib]) == 1


def test_workers_fill_memory_to_its_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    mib = 1 << 20
    monkeypatch.setattr(workers, "cores", lambda: 8)
    monkeypatch.setattr(workers, "free_bytes", lambda: 3 * 42 * mib)
    assert workers.number([10 * mib] * 9) == 3  # 32 MiB each beside its maps
    monkeypatch.setattr(workers, "free_bytes", lambda: 3 * 42 * mib - 1)
    assert workers.number([10 * mib] * 9) == 2
    assert workers.number([10 * mib] * 9, 7) == 7  # as asked
    monkeypatch.setattr(workers, "free_bytes", lambda: None)
    assert workers.number([10 * mib] * 9) == 8
    assert workers.number([]) == 1


def test_a_lock_is_of_the_file_that_stands_there(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text("")
    descriptor = os.open(path, os.O_RDWR)
    try:
        assert locks.take(descriptor, path)
        locks.remove_if_dead(path)
        assert path.exists()  # it is held
        path.unlink()
        assert not locks.take(descriptor, path)
        path.write_text("another's")
        assert not locks.take(descriptor, path)
    finally:
        os.close(descriptor)
    locks.remove_if_dead(path)
    assert not path.exists()


def test_the_first_free_folder_is_empty_or_not_there(tmp_path: Path) -> None:
    place = tmp_path / "out"
    assert folders.first_free(place) == place
    place.mkdir()
    assert folders.first_free(place) == place
    (place / "mine").write_text("")
    assert folders.first_free(place) == tmp_path / "out-2"
    (tmp_path / "out-2").write_text("a file")
    assert folders.first_free(place) == tmp_path / "out-3"


class Made(Record):
    """A table with a field of each type."""

    whole: int
    real: float
    flag: bool
    one: Literal["a", "b"]
    pair: tuple[int, str]
    many: tuple[float, ...]
    maybe: str | None
    tree: Tree


GOOD: dict[str, Any] = {
    "whole": 1, "real": 2, "flag": False, "one": "b", "pair": [3, "x"], "many": [4, 5.5],
    "maybe": None, "tree": {"k": [6]},
}  # fmt: skip


def test_json_becomes_its_type() -> None:
    found = native_api.decode(Made, {**GOOD, "beyond": 1})
    expected = (1, 2.0, False, "b", (3, "x"), (4.0, 5.5), None, Tree({"k": [6]}))
    assert tuple(found[name] for name in found) == expected
    assert isinstance(found.real, float)
    assert math.isnan(native_api.decode(Made, {**GOOD, "real": None}).real)
    without = {name: value for name, value in GOOD.items() if name != "maybe"}
    assert native_api.decode(Made, without).maybe is None
    assert found.get("flag", True) is False  # a value, though an empty one
    assert found.get("flags", 7) == 7


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"whole": True}, "`whole` is bool"),
        ({"whole": 1.5}, "`whole` is float"),
        ({"real": True}, "`real` is bool"),
        ({"flag": 0}, "`flag` is int"),
        ({"one": "c"}, "`one` is 'c', not of ('a', 'b')"),
        ({"pair": [3, 4]}, "`pair` is int"),
        ({"pair": [3]}, "`pair` has 1 values, not 2"),
        ({"many": ["x"]}, "`many` is str"),
        ({"maybe": 1}, "`maybe` is int"),
        ({"tree": []}, "`tree` is list"),
    ],
)
def test_json_of_another_type_is_refused(change: dict[str, Any], told: str) -> None:
    with pytest.raises(native_api.MalformedError) as failure:
        native_api.decode(Made, {**GOOD, **change})
    assert str(failure.value) == told


def test_a_field_that_is_missing_is_told() -> None:
    without = {name: value for name, value in GOOD.items() if name != "real"}
    with pytest.raises(native_api.MalformedError, match=r"^`real` is missing$"):
        native_api.decode(Made, without)


class Small(Record):
    """A table, of which a figure is not compared."""

    whole: int
    took: float = field(compare=False)


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), ((1,), {}), ((1, 2.0, 3), {}), ((1, 2.0), {"whole": 1}), ((1,), {"tok": 2.0})],
)
def test_a_table_takes_its_fields_and_no_others(
    values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    made: Any = Small
    with pytest.raises(TypeError, match="Small takes whole, took"):
        made(*values, **named)


def test_tables_are_equal_by_what_is_compared() -> None:
    one, same, other = Small(1, 2.0), Small(took=3.0, whole=1), Small(2, 2.0)
    assert one == same and hash(one) == hash(same)
    assert one != other and len({one, same, other}) == 2
    assert one != native_api.decode(Made, GOOD) and one != 1
    assert replace(one, whole=2) == other
    for change in (lambda: setattr(one, "whole", 2), lambda: delattr(one, "took")):
        with pytest.raises(FrozenInstanceError, match="cannot be changed"):
            change()
