"""Results from files: a run, a comparison, a sweep, a search or a league."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wordline.arguments import checked
from wordline.errors import OutputError
from wordline.leagues import library as leagues
from wordline.leagues.library import League
from wordline.results import result_files, saved_results
from wordline.results.result import Comparison, Result
from wordline.search import library as searches
from wordline.search.library import Front
from wordline.sweeps import library
from wordline.sweeps.library import Sweep


@checked
def load(folder: str | Path) -> Result | Comparison | Sweep | Front | League:
    """Reads a folder of a run, a comparison, a sweep, a search or a league.

    Raises:
        OutputError: `folder` holds none, or a file in it is damaged.
    """
    folder = Path(folder)
    with _reading(folder):
        if os.path.exists(folder / library.ABOUT):
            return library.load(folder)
        if os.path.exists(folder / searches.ABOUT):
            return searches.load(folder)
        if os.path.exists(folder / leagues.ABOUT):
            return leagues.load(folder)
        if os.path.exists(folder / result_files.COMPARISON):
            return saved_results.load_comparison(folder)
        return saved_results.load_run(folder)


@contextmanager
def _reading(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        name, told = Path(error.filename or folder).name, error.strerror
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
            raise OutputError(
                f"holds no result: there is no `{name}`",
                str(folder),
                "name the --out folder of `wordline run`, `compare`, `sweep`, `optimise` or "
                "`league`",
            ) from None
        what = f"holds a damaged result: `{name}`: {told}"
        raise OutputError(what, str(folder), "run it again") from None
    except (ValueError, KeyError, TypeError) as error:
        raise OutputError(f"holds a damaged result: {error}", str(folder), "run it again") from None
