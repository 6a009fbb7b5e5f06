"""Vega-Lite specifications as plain data, in the part of the language that reports use.

Altair writes the same, but to import it and to let it build charts takes longer than many runs do.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
"""The version of the language, which the script that draws charts speaks."""

QUANTITY: Literal["quantitative"] = "quantitative"
NAME: Literal["nominal"] = "nominal"
PLACE: Literal["ordinal"] = "ordinal"

Row = dict[str, Any]


class Scale(TypedDict, total=False):
    """How values become places, colours or widths."""

    type: Literal["log", "ordinal"]
    domain: Sequence[Any]
    domainMax: float
    range: Sequence[Any]
    scheme: str
    zero: bool
    clamp: bool
    nice: bool


class Axis(TypedDict, total=False):
    """Ticks and labels."""

    values: Sequence[float]
    format: str
    labelAngle: float
    labelExpr: str
    labelLimit: float
    labelOverlap: bool
    tickCount: int
    tickMinStep: float


class Legend(TypedDict, total=False):
    """What a legend shows; `title = None` for none."""

    title: str | None
    values: Sequence[str]
    format: str
    symbolOpacity: float


class Channel(TypedDict, total=False):
    """A field of the rows, and how it is shown."""

    field: str
    type: Literal["quantitative", "nominal", "ordinal"]
    title: str | None
    sort: Sequence[str] | None
    scale: Scale
    axis: Axis
    legend: Legend | None


class Mark(TypedDict, total=False):
    """What stands for a row, or for the rows of a line."""

    type: Literal["area", "bar", "line", "point", "rect", "text"]
    interpolate: Literal["linear", "step-after"]
    point: "bool | Mark"
    size: float
    dy: float
    filled: bool
    opacity: float


class Data(TypedDict):
    """Rows within the specification."""

    values: list[Row]


Encoding = dict[str, Any]
"""A `Channel` by its name, or several, or a value."""


class Layer(TypedDict):
    """Marks that are drawn over those before; its channels come before the chart's."""

    mark: Mark
    encoding: Encoding


class _Spec(TypedDict):
    data: Data
    encoding: Encoding


class Spec(_Spec, total=False):
    """A chart, of one mark or of layers."""

    mark: Mark
    layer: list[Layer]
    params: list[dict[str, Any]]
    height: float
    description: str


def chart(rows: list[Row], mark: Mark, encoding: Mapping[str, Any]) -> Spec:
    """A chart of rows."""
    return Spec(data=Data(values=rows), mark=mark, encoding=dict(encoding))


def layered(rows: list[Row], layers: Sequence[Layer], encoding: Mapping[str, Any]) -> Spec:
    """A chart of rows whose marks lie over one another."""
    return Spec(data=Data(values=rows), layer=list(layers), encoding=dict(encoding))


def names(*fields: str) -> list[Channel]:
    """Fields of a tooltip that are names."""
    return [Channel(field=field, type=NAME) for field in fields]


def quantities(*fields: str) -> list[Channel]:
    """Fields of a tooltip that are numbers."""
    return [Channel(field=field, type=QUANTITY) for field in fields]
