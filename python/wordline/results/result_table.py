"""What a sweep, a search or a league leaves: a table, what is told of it, and a folder of both."""

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from wordline import _native
from wordline.arguments import checked
from wordline.persistence import files, folders
from wordline.results import result_files
from wordline.results.frames import Framed


@dataclass(frozen=True, repr=False)
class Tabled(Framed):
    """Runs as a table, and a folder that holds it with a report.

    Attributes:
        about: What was asked, and how it was made; a file of JSON holds it.
        table: Its rows. It reads into polars, DuckDB and pyarrow as it is.
    """

    about: Mapping[str, Any]
    table: _native.Table

    TABLE: ClassVar[str]
    ABOUT: ClassVar[str]

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        return dict(self.table)

    @checked
    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Writes the folder that the verb of the command line writes, whole or not at all.

        Args:
            folder: Created if need be.
            force: Replace earlier results, and write beside files that are not results.

        Raises:
            OutputError: It cannot be written, or holds results and `force` is not set.
        """
        target, contents = Path(folder), self.files()
        with folders.output_folder(target, contents, force=force) as partial:
            for name, content in contents.items():
                files.write(partial / name, content)
        return target

    def files(self) -> dict[str, str | bytes]:
        """The files of its folder, by name."""
        about = json.dumps(self.about, indent=1, ensure_ascii=False) + "\n"
        return {
            self.TABLE: self.table.parquet(),
            self.ABOUT: about,
            result_files.REPORT: self._page(),
        }

    @abstractmethod
    def _page(self) -> str:
        """The report, as HTML."""

    @classmethod
    def _read(cls, folder: Path) -> tuple[Any, _native.Table]:
        """What is told of it, and the table, from a folder.

        Raises:
            OSError, ValueError: It holds none, or a damaged one.
        """
        told = json.loads(files.bytes_of(folder / cls.ABOUT))
        return told, _native.Table.from_parquet(files.bytes_of(folder / cls.TABLE))
