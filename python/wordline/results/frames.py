"""Results as frames of pandas and polars, which need not be installed otherwise."""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wordline.errors import ConfigError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


class Framed(ABC):
    """What has rows and named columns."""

    @abstractmethod
    def _columns(self) -> Mapping[str, Sequence[Any]]:
        """The columns by name, all equally long."""

    def to_pandas(self) -> "pd.DataFrame":
        """The rows as a frame of pandas.

        Raises:
            ConfigError: pandas is not installed.
        """
        return _library("pandas").DataFrame(dict(self._columns()))

    def to_polars(self) -> "pl.DataFrame":
        """The rows as a frame of polars.

        Raises:
            ConfigError: polars is not installed.
        """
        return _library("polars").DataFrame(dict(self._columns()))


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ConfigError(
            f"{name} is not installed", f"to_{name}", f"pip install {name}"
        ) from error


def figures(
    named: Mapping[str, Sequence[Any]], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Columns that name each row, and then its figures; `None` where one was not measured.

    Args:
        named: The columns that name the rows.
        rows: The figures of each row, by the names of `metrics.METRICS`.
    """
    keys = dict.fromkeys(key for row in rows for key in row)
    return {**named, **{key: [row.get(key) for row in rows] for key in keys}}
