"""What can go wrong: each failure says what, where, and how to mend it."""


def shown(text: str) -> str:
    """A text as UTF-8 can hold it, with an escape for other bytes, as some names of files have."""
    return text.encode("utf-8", "backslashreplace").decode()


class WordlineError(Exception):
    """A failure that the user can act upon.

    Attributes:
        what: What is wrong.
        place: Where: a file and line, an override, a folder; empty where there is none.
        help: How to mend it; empty where nothing can be said.
    """

    def __init__(self, what: str, place: str = "", help: str = "") -> None:
        what, place, help = shown(what), shown(place), shown(help)
        super().__init__(what, place, help)
        self.what = what
        self.place = place
        self.help = help

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        mend = f" ({self.help})" if self.help else ""
        return f"{where}{self.what}{mend}"


class ConfigError(WordlineError, ValueError):
    """A configuration that cannot be used."""


class WorkloadError(WordlineError, ValueError):
    """A workload that cannot be used."""


class OutputError(WordlineError, ValueError):
    """A folder of results that cannot be used."""


class RunError(WordlineError, RuntimeError):
    """A run that could not start or go on."""
