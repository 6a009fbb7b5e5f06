"""Components: everything that is declared in Rust is at hand in Python, and means the same."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, get_args, get_type_hints

import pytest
import wordline as wl
from wordline.components import catalogue
from wordline.components.part import Part
from wordline.configuration import find, overrides_by

CATALOGUE = catalogue.load()


def parts_in(module: Any) -> list[type[Part]]:
    """The classes of tables in a module."""
    classes = (cls for _, cls in inspect.getmembers(module, inspect.isclass))
    return [cls for cls in classes if issubclass(cls, Part) and cls is not Part]


TABLES = parts_in(wl.tables)


def test_every_table_has_a_class_with_all_its_keys() -> None:
    found = {cls.path: {key.rstrip("_") for key in get_type_hints(cls)} for cls in TABLES}
    for table in CATALOGUE["tables"]:
        keys = {param["key"] for param in table["params"]}
        assert found[table["path"]] - {"path", "name"} == keys


def test_every_policy_can_be_chosen() -> None:
    for slot in CATALOGUE["policies"]:
        path, _, key = slot["key"].rpartition(".")
        cls = next(cls for cls in TABLES if cls.path == path)
        literal, _ = get_args(get_type_hints(cls)[key])
        assert set(get_args(literal)) == set(slot["names"])
        if key in ("policy", "scheme"):
            functions = getattr(wl.policies, path.rpartition(".")[2])
            for name in slot["names"]:
                part = getattr(functions, f"{name}_" if name == "None" else name)()
                assert dict(part.items()) == {slot["key"]: name}


def test_a_policy_has_its_own_parameters_alone() -> None:
    gc = inspect.signature(wl.policies.gc.greedy).parameters
    assert {"ties", "mode"} <= set(gc) and not {"d", "window"} & set(gc)
    with pytest.raises(wl.ConfigError, match=r"greedy has no parameter 'd' \(d_choices has it\)"):
        wl.policies.gc.greedy(d=3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(wl.ConfigError, match=r"\(greedy and windowed_greedy have it\)"):
        wl.policies.gc.fifo(ties="last")  # pyright: ignore[reportArgumentType]
    with pytest.raises(wl.ConfigError, match=r"static has no parameter 'treshold'$"):
        wl.policies.wear.static(treshold=3)  # pyright: ignore[reportArgumentType]
    # Laid over a configuration, the loader says the same.
    with pytest.raises(wl.ConfigError, match=r"`ftl.gc.d`: ftl.gc.policy = \"fifo\" has no such"):
        wl.run("tiny", "uniform:writes=10", wl.policies.gc.fifo(), wl.tables.Gc(d=3))


@pytest.mark.parametrize("generator", CATALOGUE["generators"], ids=lambda g: g["name"])
def test_every_generator_has_a_function_with_its_parameters(generator: Mapping[str, Any]) -> None:
    make: Callable[..., wl.Workload] = getattr(wl.workloads, generator["name"])
    keys = [param["key"] for param in generator["params"]]
    assert [name.rstrip("_") for name in inspect.signature(make).parameters] == keys
    assert all(f"{key}: " in (make.__doc__ or "") for key in keys)
    assert str(make()) == generator["name"]
    assert str(make(requests=1000)) == f"{generator['name']}:requests=1000"


@pytest.mark.parametrize("preset", CATALOGUE["presets"], ids=lambda p: p["name"])
def test_every_preset_has_a_function(preset: Mapping[str, Any]) -> None:
    made: wl.Preset = getattr(wl.presets, preset["name"].replace("-", "_"))()
    key = "preset" if preset["kind"] == "drive" else "drive.chip.preset"
    assert dict(made.items()) == {key: preset["name"]}


def test_every_technique_has_a_class() -> None:
    found = {cls.path for cls in parts_in(wl.techniques)}
    assert found == {f"technique.{t['name']}" for t in CATALOGUE["techniques"]}


def test_parts_mean_what_the_keys_mean() -> None:
    parts = [
        wl.tables.Drive(channels=4, over_provisioning=0.2),
        wl.tables.Chip(cell="slc", planes=1),
        wl.policies.gc.d_choices(d=5),
        wl.policies.hotness.interval(intervals_min=[30, 60.5]),
    ]
    by_parts = find(wl.presets.tiny()).with_overrides(overrides_by(parts)).resolve()
    by_keys = find("tiny").with_overrides(
        ["drive.channels=4", "drive.over_provisioning=0.2", 'drive.chip.cell="slc"',
         "drive.chip.planes=1", 'ftl.gc.policy="d_choices"', "ftl.gc.d=5",
         'ftl.hotness.policy="interval"', "ftl.hotness.intervals_min=[30, 60.5]"]
    )  # fmt: skip
    assert by_parts == by_keys.resolve()


def test_named_tables_take_their_name() -> None:
    parts = [wl.tables.Group(name="slc", channels=1), wl.tables.GroupChip(name="slc", cell="slc")]
    assert [dict(part.items()) for part in parts] == [
        {"drive.group.slc.channels": 1},
        {"drive.group.slc.chip.cell": "slc"},
    ]


def test_a_run_of_components_is_the_run_of_their_names() -> None:
    by_parts = wl.run(wl.presets.tiny(), wl.workloads.zipf(writes=5000), wl.policies.gc.fifo())
    by_names = wl.run("tiny", "zipf:writes=5000", ftl={"gc": {"policy": "fifo"}})
    ours, theirs = by_parts.to_dict(), by_names.to_dict()
    del ours["simulator"], theirs["simulator"]
    assert ours == theirs


def test_what_is_zero_false_or_empty_was_given() -> None:
    chip = wl.tables.Chip(planes=0, multi_plane=False, cell="slc")
    expected = {"drive.chip.planes": 0, "drive.chip.multi_plane": False, "drive.chip.cell": "slc"}
    assert dict(chip.items()) == expected
    assert str(wl.workloads.zipf(read=0, requests=5)) == "zipf:requests=5,read=0"
    assert str(wl.workloads.zipf()) == "zipf"


def test_a_part_without_keys_is_a_table_that_is_there() -> None:
    (technique,) = (cls for cls in parts_in(wl.techniques) if cls.path == "technique.ressd")
    assert list(technique().items()) == [("technique.ressd", {})]


def test_keys_that_are_words_of_python_lose_their_underscore() -> None:
    @dataclass(frozen=True, kw_only=True, repr=False)
    class Made(Part):
        path: ClassVar[str] = "a.b"
        from_: int | None = None

    assert list(Made(from_=3).items()) == [("a.b.from", 3)]
    assert str(wl.Workload.generated("made", from_=3)) == "made:from=3"


def test_workloads_have_the_format_that_is_named() -> None:
    made = wl.trace(Path("a") / "b.csv", "msr")
    assert list(made.items()) == [("workload.source", "a/b.csv"), ("workload.format", "msr")]
    assert dict(wl.trace("c").items())["workload.format"] == "auto"


def test_parts_of_one_drive_of_an_array_concern_that_one() -> None:
    made = wl.on_drive(2, wl.tables.Drive(channels=4), wl.policies.gc.d_choices(d=3))
    assert list(made.items()) == [
        ("array.drive.2.drive.channels", 4),
        ("array.drive.2.ftl.gc.policy", "d_choices"),
        ("array.drive.2.ftl.gc.d", 3),
    ]


def test_presets_of_drives_are_not_those_of_chips() -> None:
    drives, chips = catalogue.presets("drive"), catalogue.presets("chip")
    assert "tiny" in drives and "reo-tlc" in chips
    assert not set(drives) & set(chips)


@pytest.mark.parametrize("typed", ["grredy", "GREEDY", "Greedi"])
def test_names_are_guessed_whatever_their_case(typed: str) -> None:
    hint = catalogue.did_you_mean(typed, ["random", "greedy", "fifo"], "valid")
    assert hint == "did you mean `greedy`? valid: fifo, greedy, random"
    assert catalogue.did_you_mean("zzz", [], "valid") == "valid: none"


def test_long_lists_are_a_command_and_beginnings_are_guessed() -> None:
    names = ["nvme-tlc-1t", "nvme-qlc-2t", "tiny"]
    assert catalogue.did_you_mean("nvme", names, "presets", "wordline list presets") == (
        "did you mean `nvme-qlc-2t` or `nvme-tlc-1t`? `wordline list presets` shows all"
    )
    assert catalogue.nearest("", names) == []
    assert catalogue.nearest("nvme", [f"nvme-drive-{k}" for k in range(9)]) == []


def test_parts_show_what_was_given() -> None:
    assert repr(wl.policies.gc.d_choices(d=5)) == "Gc(policy='d_choices', d=5)"
    assert repr(wl.tables.Drive()) == "Drive()"


def test_tables_named_by_the_user_are_given_as_mappings() -> None:
    group = {"chips_per_channel": 2, "chip": {"cell": "slc"}}
    resolved = find({"drive": {"group": {"fast": group}}}).resolve()
    assert resolved["drive"]["group"]["fast"]["chips_per_channel"] == 2
    assert resolved["drive"]["group"]["fast"]["chip"]["cell"] == "slc"
    assert find(resolved).resolve() == resolved


def test_everything_that_is_offered_is_there() -> None:
    assert all(hasattr(wl, name) for name in wl.__all__)
    with pytest.raises(AttributeError, match="no attribute `rum`"):
        wl.rum  # type: ignore[attr-defined]  # noqa: B018
