"""The source distribution holds what compiling needs, and what Python needs at run time."""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]
EMBEDDED = re.compile(r'include_(?:str|bytes)!\(\s*"([^"]+)"')


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the source distribution by their path in it."""
    folder = tmp_path_factory.mktemp("sdist")
    command = [str(Path(sys.executable).with_name("maturin")), "sdist", "-o", str(folder)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    (archive,) = folder.iterdir()
    with tarfile.open(archive) as tar:
        files = ((m.name.partition("/")[2], tar.extractfile(m)) for m in tar if m.isfile())
        return {name: data.read() for name, data in files if data}


def test_every_file_that_the_crates_embed_is_there(held: dict[str, bytes]) -> None:
    is_compiled = re.compile(r"crates/[\w-]+/src/(?!.*tests).*\.rs").fullmatch
    sources = {name: text.decode() for name, text in held.items() if is_compiled(name)}
    named = [(name, path) for name, text in sources.items() for path in EMBEDDED.findall(text)]
    assert len(named) > 20
    for source, path in named:
        place = PurePosixPath(source).parent
        for part in PurePosixPath(path).parts:
            place = place.parent if part == ".." else place / part
        assert str(place) in held, f"{source} embeds {path}"


@pytest.mark.parametrize("folder", ["presets", "experiments"])
def test_the_folders_that_macros_embed_are_whole(held: dict[str, bytes], folder: str) -> None:
    command = ["git", "ls-files", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert [name for name in done.stdout.splitlines() if name not in held] == []


def test_every_module_and_asset_of_the_package_is_there(held: dict[str, bytes]) -> None:
    command = ["git", "ls-files", "python/wordline"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in done.stdout.splitlines():
        assert held[name] == (ROOT / name).read_bytes()
    assert not [name for name in held if name.endswith((".so", ".pyc"))]


def test_the_metadata_is_whole(held: dict[str, bytes]) -> None:
    told = held["PKG-INFO"].decode()
    for line in (
        "Name: wordline",
        "Description-Content-Type: text/markdown",
        "Requires-Python: >=3.10",
        "Provides-Extra: images",
        "Classifier: Typing :: Typed",
    ):
        assert line in told, line
    assert (ROOT / "README.md").read_text(encoding="utf-8")[:200] in told


def test_an_edited_table_makes_a_new_extension() -> None:
    """Make asks cargo each time, and cargo knows the tables and presets that are compiled in."""
    done = subprocess.run(
        ["make", "-n", ".venv/stamps/native"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "maturin develop" in done.stdout
    known = ROOT / "target" / "release" / "lib_native.d"
    if not known.is_file():
        pytest.skip("the extension was not compiled here")
    text = known.read_text(encoding="utf-8").replace("\\ ", " ")
    named = {Path(os.path.normpath(path)) for path in text.split(": ", 1)[1].split()}
    ends = {(path.parts[-2], path.name) for path in named}
    for table in (
        ("reo-tlc", "pulses.csv"), ("ressd-tlc", "reprogram.csv"), ("ldpc", "4k-r10.qc"),
        ("reo", "expected.csv"), ("cells", "planar-tlc.toml"),
    ):  # fmt: skip
        assert table in ends


def test_the_simulator_is_the_same_in_a_wheel_and_in_a_checkout(
    held: dict[str, bytes], tmp_path: Path
) -> None:
    program, tree = tmp_path / "identity", tmp_path / "tree"
    source = ROOT / "crates" / "py" / "build.rs"
    subprocess.run(["rustc", "--edition", "2024", "-o", program, source], check=True, cwd=tmp_path)
    for name, data in held.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes(data)

    def identity(root: Path) -> str:
        environment = {"CARGO_MANIFEST_DIR": str(root / "crates" / "py")}
        done = subprocess.run(
            [program], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.partition("WORDLINE_SOURCE=")[2].strip()

    checkout = identity(ROOT)
    assert len(checkout) == 32
    # Cargo takes the packages out of the lock that a source distribution does not need.
    lock = tree / "Cargo.lock"
    head, *packages = lock.read_text("utf-8").split("[[package]]")
    gone = ("wordline-fuzz", "wordline-bench", "libfuzzer-sys")
    needed = [one for one in packages if not one.startswith(tuple(f'\nname = "{n}"' for n in gone))]
    assert len(needed) == len(packages) - len(gone)
    lock.write_text("[[package]]".join([head, *needed]), "utf-8")
    assert identity(tree) == checkout
    changed, count = re.subn(
        r'(name = "serde"\nversion = "\d+\.\d+\.)\d+', r"\g<1>999", lock.read_text()
    )
    assert count == 1
    lock.write_text(changed, "utf-8")
    assert identity(tree) != checkout
