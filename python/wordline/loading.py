"""Results from files: a run, a comparison, a sweep, a search or a league."""

from pathlib import Path

from wordline import saved, storage
from wordline.declared import checked
from wordline.errors import OutputError
from wordline.leagues import library as leagues
from wordline.leagues.library import League
from wordline.result import Comparison, Result
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
    try:
        if (folder / library.ABOUT).is_file():
            return library.load(folder)
        if (folder / searches.ABOUT).is_file():
            return searches.load(folder)
        if (folder / leagues.ABOUT).is_file():
            return leagues.load(folder)
        if (folder / storage.COMPARISON).is_file():
            return saved.load_comparison(folder)
        return saved.load_run(folder)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise OutputError(
            f"holds no result: there is no `{Path(error.filename).name}`",
            str(folder),
            "name the --out folder of `wordline run`, `compare`, `sweep`, `optimise` or `league`",
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        told = error.strerror if isinstance(error, OSError) else error
        raise OutputError(f"holds a damaged result: {told}", str(folder), "run it again") from None
