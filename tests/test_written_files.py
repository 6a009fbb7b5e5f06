"""Files that verbs write: none of the user's is replaced unasked, and new folders are made."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import wordline as wl
from click.testing import CliRunner
from test_command_line import VERBS
from wordline import lab
from wordline.cli.app import app
from wordline.cli.options import NEW_FILE

TRACE = "".join(f"{10_000 * n},host,0,Write,{n * 4096},4096,0\n" for n in range(20))
BCH = ["--t", "2", "--data-bytes", "64"]
SMALL = ["--set", "drive.chip.blocks_per_plane=64", "--workload", "uniform:requests=20"]
UNPROTECTED = ["--set", "power.protection=none"]

# Calls that write a file, at `{}`, each with a name that it takes.
FILES = {
    "trace info": (["uniform:requests=20", "--html", "{}"], "x.html"),
    "trace synth": (["uniform:requests=20", "{}"], "x.wlt"),
    "trace convert": (["t.csv", "{}"], "x.wlt"),
    "trace sort": (["t.csv", "{}"], "x.wlt"),
    "trace fit": (["t.csv", "--out", "{}"], "x.toml"),
    "code encode": (["t.csv", "{}", *BCH], "x.bin"),
    "code decode": (["words.bin", "{}", *BCH], "x.bin"),
    "code bch": ([*BCH, "--table", "{}"], "x.csv"),
    "code write-page": (["page.bin", "short.bin", "{}"], "x.bin"),
    "code read-page": (["written.bin", "{}", "--metadata", "0", "--bytes", "400"], "x.bin"),
    "lab vth": (["--chip", "planar-tlc", "--plot", "{}"], "x.html"),
    "init": (["{}", "--preset", "tiny"], "x.toml"),
    "run": (["tiny", *SMALL, "--record", "{}"], "x.wlr"),
    "play": (["run.wlr", "--out", "{}"], "x.html"),
}
# Others, whose work would take too long here; and one that ends with a signal.
LONG = {
    "code bch": ([*BCH, "--failure-rate", "--plot", "{}"], "x.html"),
    "code ldpc": (["--failure-rate", "--plot", "{}"], "x.html"),
    "code ldpc ": (["--table", "{}"], "x.csv"),
    "code wom-capacity": (["--quick", "--plot", "{}"], "x.html"),
    "lab run": (["planar-tlc", "--plot", "{}"], "x.html"),
    "fit drive": (["t.csv", "--out", "{}"], "x.toml"),
    "serve": (["tiny", "--log", "{}"], "x.wlt"),
    "serve ": (["tiny", "--recording", "{}"], "x.bytes"),
}
# Calls that write into a folder.
FOLDERS = {
    "run": ["tiny", *SMALL],
    "compare": ["tiny", *SMALL, "--technique", "conventional", "--technique", "ressd"],
    "cuts": ["tiny", *UNPROTECTED, *SMALL],
    "cuts ": ["tiny", *UNPROTECTED, "--recording", "absent.bytes"],
    "serve": ["tiny"],
    "sweep": ["sweep.toml"],
    "optimise": ["search.toml"],
    "league": ["--quick"],
    "reproduce": ["reo"],
    "demo": [],
    "lab tables": ["reo-tlc"],
}
# Files and folders that are read, or that keep what a verb goes on from and nothing else.
READ = {
    "cuts --recording", "play recordings", "sweep file", "optimise file", "report folder",
    "reproduce --traces",
    "fit drive log", "code encode data", "code decode words", "code write-page used",
    "code write-page logical", "code read-page page", "serve --image", "serve --socket",
    "lab campaign --store", "compare --store", "sweep --store", "optimise --store",
    "league --store", "reproduce --store", "code bch --tallies", "code ldpc --tallies",
    "code wom-capacity --tallies", "import mqsim drive", "import mqsim workload",
}  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TRACE)
    Path("page.bin").write_bytes(bytes(range(256)) * 4 + b"\xff" * 256)
    Path("short.bin").write_bytes(b"a logical page! " * 25)
    Path("sweep.toml").write_text('base = "tiny"\nseeds = 2\n')
    Path("search.toml").write_text(
        'base = "tiny"\naxes = {run.seed = [1, 2]}\noptimise = {aims = ["erases"], trials = 2}\n'
    )
    assert call("run", ["tiny", *SMALL, "--record", "run.wlr"])[0] == 0
    assert call("code encode", ["t.csv", "words.bin", *BCH])[0] == 0
    assert call("code write-page", ["page.bin", "short.bin", "written.bin"])[0] == 0


def call(verb: str, args: list[str]) -> tuple[int, str]:
    done = CliRunner().invoke(app, [*verb.split(), *args], prog_name="wordline")
    return done.exit_code, done.stderr


def test_every_path_that_a_verb_takes_is_among_these() -> None:
    listed = {f"{verb.strip()} {word}" for verb, (words, _) in [*FILES.items(), *LONG.items()]
              for word in words if word.startswith("--")}  # fmt: skip
    for verb, command in VERBS.items():
        for parameter in command.params:
            if not isinstance(parameter.type, click.Path) or f"{verb} --out" in listed:
                continue
            name = f"{verb} {parameter.opts[-1]}"
            is_folder = (verb in FOLDERS or verb == "import mqsim") and name.endswith(
                ("--out", "--record")
            )
            is_argument = verb in FILES and not name.split()[-1].startswith("--")
            assert name in READ or is_folder or name in listed or is_argument, name
            assert (name in READ or is_folder or parameter.type is NEW_FILE) or verb in (
                "trace synth", "trace convert", "trace sort", "serve", "run", "compare"
            ), f"{name} checks by itself"  # fmt: skip


@pytest.mark.parametrize(("verb", "place"), [*FILES.items(), *LONG.items()])
def test_a_users_file_stays(verb: str, place: tuple[list[str], str]) -> None:
    words, name = place
    Path(name).write_text("mine")
    status, told = call(verb, [word.format(name) for word in words])
    assert (status, Path(name).read_text()) == (2, "mine"), told
    assert name in told and "--force" in told


@pytest.mark.parametrize("verb", FILES)
def test_a_file_comes_into_a_new_folder_and_is_replaced_by_force(verb: str) -> None:
    words, name = FILES[verb]
    path = Path("new", "er", name)
    args = [word.format(path) for word in words]
    assert call(verb, args)[0] == 0
    whole = path.read_bytes()
    assert call(verb, args)[0] == 2
    path.write_text("mine")
    assert call(verb, [*args, "--force"])[0] == 0
    assert path.read_bytes() == whole or verb == "lab vth"  # an HTML page has names of its own
    assert path.read_bytes() != b"mine"


@pytest.mark.parametrize("verb", FILES)
def test_a_call_that_fails_leaves_no_folder(verb: str) -> None:
    words, name = FILES[verb]
    args = [word.format(Path("new", "er", name)) for word in words]
    broken = {
        "t.csv": "absent.csv", "words.bin": "absent.bin", "page.bin": "absent.bin",
        "written.bin": "absent.bin", "uniform:requests=20": "uniform:requests=0",
        "planar-tlc": "absent", "tiny": "absent", "run.wlr": "absent.wlr", "2": "0",
    }  # fmt: skip
    assert call(verb, [broken.get(word, word) for word in args])[0] == 2
    assert not Path("new").exists()


@pytest.mark.parametrize("verb", FOLDERS)
def test_a_users_folder_stays(verb: str) -> None:
    mine = {Path("mine", name): f"my {name}" for name in (
        "report.html", "cuts.json", "result.json", "points.parquet", "items.json",
        "trials.parquet", "notes.txt",
    )}  # fmt: skip
    Path("mine").mkdir()
    for path, text in mine.items():
        path.write_text(text)
    if verb == "lab tables":
        (name,) = [name for name in lab.tables("reo-tlc") if name.endswith(".csv")][:1]
        Path("mine", name).write_text("mine")
    for more in ([], ["--force"]) if "--force" in _flags(verb) else ([],):
        status, told = call(verb, [*FOLDERS[verb], "--out", "mine", *more])
        assert status == 2 and "mine" in told, told
        assert {path: path.read_text() for path in mine} == mine


def _flags(verb: str) -> set[str]:
    return {flag for parameter in VERBS[verb.strip()].params for flag in parameter.opts}


def _calls_by_a_name(verb: str, name: str) -> Iterator[list[str]]:
    """Calls that name a file or a folder so, each in another place."""
    arguments = [p for p in VERBS[verb].params if isinstance(p, click.Argument)]
    if arguments and verb not in ("list", "describe"):
        yield [name for _ in arguments]
    for of, words in [*((of, words) for of, (words, _) in {**FILES, **LONG}.items())]:
        if of.strip() == verb:
            yield [word.format(name) for word in words]
    for flag in _flags(verb):
        if f"{verb} {flag}" in READ and verb in FOLDERS and flag != "--recording":
            yield [*FOLDERS[verb], flag, name]
    if verb in FOLDERS:
        yield [*FOLDERS[verb], "--out", name]


@pytest.mark.parametrize("verb", [v for v, c in VERBS.items() if not hasattr(c, "commands")])
@pytest.mark.parametrize("name", ["x" * 3000, f"new/{'x' * 300}", f"{'x/' * 3000}x"])
def test_names_that_no_file_can_have_are_told(verb: str, name: str) -> None:
    for args in _calls_by_a_name(verb, name):
        done = CliRunner().invoke(app, [*verb.split(), *args], prog_name="wordline")
        assert isinstance(done.exception, SystemExit), (args, done.exception)
        assert done.exit_code == 2 and "error: " in done.stderr, args
    assert not Path("new").exists()


def test_cuts_are_a_result_like_a_run(tmp_path: Path) -> None:
    args = [*FOLDERS["cuts"], "--every", "9", "--out", "new/er"]
    assert call("cuts", args)[0] == 0
    names = sorted(path.name for path in Path("new/er").iterdir())
    assert names == ["cuts.json", "manifest.json", "report.html"]
    status, told = call("cuts", args)
    assert status == 2 and "holds an earlier result" in told
    assert call("cuts", [*args, "--force"])[0] == 0


def test_files_of_a_served_drive_come_into_new_folders(tmp_path: Path) -> None:
    places = {name: tmp_path / "new" / name / name for name in ("image", "log.wlt", "recording")}
    image, log, recording = places.values()
    with wl.serve(
        "tiny", socket=tmp_path / "sock" / "s", image=image, log=log, recording=recording,
        precondition={"fill": 0},
    ):  # fmt: skip
        pass
    assert all(path.is_file() for path in places.values())
    with pytest.raises(wl.WordlineError):
        wl.serve("tiny", image=tmp_path / "other" / "image", data={"code": "absent"})
    assert not (tmp_path / "other").exists()
