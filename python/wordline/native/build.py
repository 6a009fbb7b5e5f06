"""How the simulator was compiled."""

from wordline import _native


def note() -> str | None:
    """What whoever waits for it should know; nothing of the fast one."""
    if not _native.CHECKS_ITSELF:
        return None
    return (
        "note: this simulator checks itself as it runs and takes longer, as `make test` installs "
        "it; `make demo` installs the fast one, with the same results"
    )
