"""The calls of the compiled part, whose JSON becomes the types of `wordline.native.types`.

No other module reads the text that the compiled part returns. Types that a run does not return are
imported where something else does.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from wordline import _native
from wordline.errors import ConfigError, RunError, shown
from wordline.native.types.record import Record, Tree, freeze
from wordline.native.types.run import RunResult

if TYPE_CHECKING:
    from wordline.native.types.erase import Life
    from wordline.native.types.items import Item
    from wordline.native.types.lab import CampaignOutcome, Contents, ExperimentReport, Survey
    from wordline.native.types.power import CutReport, RecordedCuts
    from wordline.native.types.served import Summary
    from wordline.native.types.trace import Conversion, Synthesis, TraceInfo

R = TypeVar("R", bound=Record)
P = ParamSpec("P")
T = TypeVar("T")
Progress = Callable[[str, int, int | None, int], object]
"""Told the phase, the requests done, those in all where known, and the simulated nanoseconds."""


class MalformedError(ValueError):
    """JSON that does not hold what its type declares."""

    def __init__(self, what: str, place: str = "") -> None:
        super().__init__(f"`{place}` {what}" if place else what)
        self.what, self.place = what, place

    def under(self, name: str) -> "MalformedError":
        """Names the place as the table that holds it sees it."""
        return MalformedError(self.what, f"{name}.{self.place}" if self.place else name)


def decode(cls: type[R], data: Any) -> R:
    """A value of JSON as `cls`; fields that it does not declare are left out.

    Raises:
        MalformedError: A field is absent or of another type.
    """
    return _reader(cls)(data)


def run(
    text: str,
    origin: str,
    overrides: Sequence[str],
    progress: Progress | None,
    custom: object | None,
    record: tuple[str, float, float, int | None] | None = None,
) -> tuple[RunResult, _native.Run]:
    """A finished run: what it found, and its tables and configuration."""
    done = _call(_native.run, text, origin, overrides, progress, custom, record)
    return _read(RunResult, done.result), done


def run_raw(
    text: str, origin: str, overrides: Sequence[str], progress: Progress | None = None
) -> _native.Run:
    """A finished run whose result is text, for those who only hand it on."""
    return _call(_native.run, text, origin, overrides, progress)


def power_cuts(
    text: str,
    origin: str,
    overrides: Sequence[str],
    every: int,
    at: int | None,
    progress: Progress | None,
) -> "CutReport":
    """What power cuts take from a run."""
    from wordline.native.types.power import CutReport

    return _read(CutReport, _call(_native.power_cuts, text, origin, overrides, every, at, progress))


def cut_recorded(
    text: str, origin: str, overrides: Sequence[str], **options: Any
) -> "RecordedCuts":
    """What power cuts take from a recording; `options` are those of `_native.cut_recorded`."""
    from wordline.native.types.power import RecordedCuts

    done = _call(_native.cut_recorded, text, origin, list(overrides), **options)
    return _read(RecordedCuts, done)


Served = _native.Server
"""A drive that is served."""


def serve(text: str, origin: str, overrides: Sequence[str], **options: Any) -> Served:
    """A drive that is served; `options` are those of `_native.serve`."""
    return _call(_native.serve, text, origin, list(overrides), **options)


def served_so_far(served: Served) -> "Summary":
    """What a served drive has done."""
    from wordline.native.types.served import Summary

    return _read(Summary, served.summary())


def stop_serving(served: Served) -> tuple[RunResult, _native.Run]:
    """The run that a served drive was."""
    done = served.stop()
    return _read(RunResult, done.result), done


def resolve(text: str, origin: str, overrides: Sequence[str]) -> dict[str, Any]:
    """A configuration with every key, as it can be given to a run again."""
    return json.loads(_call(_native.resolve, text, origin, overrides)[1])


def memory_bytes(text: str, origin: str, overrides: Sequence[str]) -> int:
    """Memory that a run of a configuration takes, roughly."""
    return _call(_native.memory_bytes, text, origin, overrides)


def check_drives(text: str, origin: str, overrides: Sequence[str]) -> None:
    """Builds the drives of a configuration, and runs nothing."""
    _call(_native.check_drives, text, origin, overrides)


def check_workload(text: str, origin: str, overrides: Sequence[str]) -> None:
    """Opens the workload of a configuration, and no more."""
    _call(_native.check_workload, text, origin, overrides)


def erase_life(text: str, origin: str, overrides: Sequence[str]) -> "Life":
    """How blocks age by the erase scheme of a configuration."""
    from wordline.native.types.erase import Life

    return _read(Life, _call(_native.erase_life, text, origin, overrides))


def parse_toml(text: str, origin: str) -> dict[str, Any]:
    """A TOML document; `origin` is what messages call it."""
    return json.loads(_call(_native.parse_toml, text, origin))


def catalogue() -> dict[str, Any]:
    """What there is to choose from."""
    return json.loads(_native.catalogue())


def drive_presets() -> list[str]:
    """The names of the drives among the presets."""
    return _native.drive_presets()


def trace_info(
    workload: str,
    trace_format: str | None,
    sort: bool,
    sample: float,
    memory_mib: int,
    progress: Progress | None,
) -> "TraceInfo":
    """The statistics of a workload."""
    from wordline.native.types.trace import TraceInfo

    how = (trace_format, sort, sample, memory_mib)
    return _read(TraceInfo, _call(_native.trace_info, workload, *how, progress))


def trace_convert(task: dict[str, Any], progress: Progress | None) -> "Conversion":
    """Traces in another format."""
    from wordline.native.types.trace import Conversion

    return _read(Conversion, _call(_native.trace_convert, _json(task), progress))


def trace_synth(
    workload: str, path: str, span_bytes: int, seed: int, **options: Any
) -> "Synthesis":
    """A trace from a generator; `options` are `format`, `lossy` and `force`."""
    from wordline.native.types.trace import Synthesis

    return _read(Synthesis, _call(_native.trace_synth, workload, path, span_bytes, seed, **options))


def validate(
    suite: str, quick: bool, progress: Callable[[int, int, str], object] | None
) -> "tuple[Item, ...]":
    """The comparisons of a suite."""
    return _items(json.loads(_call(_native.validate, suite, quick, progress)))


def lab_contents() -> "Contents":
    """The laboratory's chips and experiments."""
    from wordline.native.types.lab import Contents

    return _read(Contents, _native.lab_contents())


def lab_vth(chip: str, text: str, mode: str, *conditions: str) -> "Survey":
    """A word line of a chip under conditions."""
    from wordline.native.types.lab import Survey

    return _read(Survey, _call(_native.lab_vth, chip, text, mode, *conditions))


def lab_distributions(chip: str, text: str, mode: str, *conditions: str) -> _native.Table:
    """The distributions of a word line of a chip under conditions."""
    return _call(_native.lab_distributions, chip, text, mode, *conditions)


def lab_run(name: str) -> "ExperimentReport":
    """An experiment's comparison, fits and curves."""
    from wordline.native.types.lab import ExperimentReport

    return _read(ExperimentReport, _call(_native.lab_run, name))


def lab_tables(chip: str, text: str) -> dict[str, str]:
    """The tables that a drive needs of a chip: file name to text."""
    return json.loads(_call(_native.lab_tables, chip, text))


def lab_campaign(
    settings: dict[str, Any], tallies: str, progress: Callable[[int, str], object]
) -> "CampaignOutcome":
    """What many chips have shown."""
    from wordline.native.types.lab import CampaignOutcome

    return _read(CampaignOutcome, _call(_native.lab_campaign, _json(settings), tallies, progress))


def _call(function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Calls Rust, whose texts are UTF-8: any other is refused.

    Raises:
        ConfigError: A text is not.
    """
    _refuse_other_texts((*args, *options.values()))
    return function(*args, **options)


def _json(data: dict[str, Any]) -> str:
    _refuse_other_texts(data.values())
    return json.dumps(data)


def _refuse_other_texts(given: Iterable[object]) -> None:
    for one in given:
        for text in one if isinstance(one, list | tuple) else [one]:
            if isinstance(text, str) and shown(text) != text:
                raise ConfigError(f"`{text}` is not UTF-8 text", help="rename it, or name a link")


def _read(cls: type[R], text: str) -> R:
    try:
        return decode(cls, json.loads(text))
    except MalformedError as error:
        raise _stale(error) from None


def _items(data: Any) -> "tuple[Item, ...]":
    from wordline.native.types.items import Item

    try:
        return _reader(tuple[Item, ...])(data)
    except MalformedError as error:
        raise _stale(error) from None


def _stale(error: MalformedError) -> RunError:
    return RunError(
        f"internal error: {error}",
        help="the package's Python and compiled parts differ: build both again",
    )


@cache
def _reader(hint: Any) -> Callable[[Any], Any]:
    """What turns JSON into a value of the type `hint`."""
    if isinstance(hint, type) and issubclass(hint, Record):
        return _record(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin is UnionType:
        (inner,) = (_reader(arg) for arg in args if arg is not NoneType)
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        return _tuple(args)
    if origin is Literal:
        return lambda value: value if value in args else _refuse(f"is {value!r}, not of {args}")
    if hint is float:
        return _float
    if hint is Any:
        return freeze
    if hint is Tree:
        return lambda value: Tree(_of_kind(dict, value))
    return lambda value: _of_kind(hint, value)


def _record(cls: type[Record]) -> Callable[[Any], Record]:
    hints = get_type_hints(cls)
    readers = [(name, _reader(hint), NoneType in get_args(hint)) for name, hint in hints.items()]

    def read(value: Any) -> Record:
        data = _of_kind(dict, value)
        found: dict[str, Any] = {}
        for name, reader, is_optional in readers:
            if name not in data and not is_optional:
                raise MalformedError("is missing", name)
            try:
                found[name] = reader(data.get(name))
            except MalformedError as error:
                raise error.under(name) from None
        return cls(**found)

    return read


def _tuple(args: tuple[Any, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if args[-1] is Ellipsis:
        one = _reader(args[0])
        return lambda value: tuple(map(one, _of_kind(list, value)))
    readers = [_reader(arg) for arg in args]

    def read(value: Any) -> tuple[Any, ...]:
        if len(_of_kind(list, value)) != len(readers):
            raise MalformedError(f"has {len(value)} values, not {len(readers)}")
        return tuple(reader(one) for reader, one in zip(readers, value, strict=True))

    return read


def _float(value: Any) -> float:
    # JSON has no word for what is not a number.
    return float("nan") if value is None else float(_of_kind((int, float), value))


def _of_kind(kind: Any, value: Any) -> Any:
    if isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool):
        return value
    return _refuse(f"is {type(value).__name__}")


def _refuse(what: str) -> Any:
    raise MalformedError(what)
