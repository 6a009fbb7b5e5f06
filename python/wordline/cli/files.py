"""Files of plain bytes: pages and codewords."""

from pathlib import Path

from wordline.errors import OutputError, WorkloadError


def read(path: Path) -> bytes:
    """A file of bytes."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise WorkloadError(
            f"it cannot be read: {error.strerror}", str(path), "name a file"
        ) from None


def write(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_bytes(data)
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        what = f"it cannot be written: {error.strerror}"
        raise OutputError(what, str(path), "name a file in a folder that can be") from None
