"""Every verb called at random: whatever is asked, it ends well or says what is wrong.

No traceback and no panic, the exit status is 0, 1, 2 or 130, a call that fails leaves the folder as
it was, and none leaves a partial file. What would take long is stopped as by Ctrl-C.
"""

import gc
import os
import shutil
import signal
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from test_command_line import VERBS
from wordline import reproduce
from wordline.cli.app import app
from wordline.configuration import find
from wordline.demonstration import questions
from wordline.persistence import folders
from wordline.reproduce import Figure, Load, Study, judge
from wordline.results import result_files
from wordline.runs import single_run

PATIENCE_S = 0.3  # of the processor's time, after which Ctrl-C stops a call
SERVES_S = 1.0  # after which a drive is served no longer
EXAMPLES = 10  # calls of each verb
MSR = "".join(f"{10_000 * n},host,0,Write,{n * 4096},4096,0\n" for n in range(100))
DRIVE = """
[drive]
channels = 1
chips_per_channel = 1
over_provisioning = 0.28
[drive.chip]
planes = 1
blocks_per_plane = 64
pages_per_block = 12
layers_per_block = 4
[workload]
source = "uniform:requests=50,read=0.5,interval_us=1000"
"""
SMALL = ("drive.chip.planes=1", "drive.chip.blocks_per_plane=64", "drive.chip.pages_per_block=8")
TOY = Study(
    paper="toy",
    source="Toy, 2026",
    base="tiny",
    drives={"greedy": SMALL, "fifo": (*SMALL, "ftl.gc.policy=fifo")},
    loads=lambda _, quick: [Load(name, "uniform:writes=100") for name in ("a", "b")[: 2 - quick]],
    figures=tuple(
        Figure(name, name, lambda found: {f"{load.name}": 1.0 for load in found.loads}, "x", drives)
        for name, drives in (("fig1", ("greedy",)), ("fig2", ("fifo",)))
    ),
)

ODD = ["", "-1", "0", "1", "nan", "inf", "1e400", "9" * 30, "x", "é", "=", ",", ":", "\n", "no/x"]
ODD += ["a,b", "..", "/dev/null", "\udce9.csv", "mine", "mine/config.toml", "--", "-"]
PLACES = ["out", "new/er", "earlier", "mine", "trace.csv"]
CHIPS = ["planar-tlc", "lazyrs-tlc", "reo-tlc", "chip.toml"]
WORKLOADS = ["uniform:requests=10", "zipf:requests=10,theta=0.9", "trace.csv", "bad.csv", "twin:x"]
COUNTS = ["2", "8", "64"]
# What makes sense where, by the name of an option or an argument.
GOOD: dict[str, list[str]] = {
    "config": ["small.toml", "mine/config.toml"],
    "--set": ["run.seed=2", "ftl.gc.policy=fifo", "run.records=true", "drive.channels=0"],
    "--workload": WORKLOADS,
    "--format": ["msr", "wordline", "csv:time=1:s"],
    "--out": PLACES,
    "--progress": ["json", "bar", "none"],
    "--technique": ["conventional", "ressd", "aero"],
    "--variant": ["a:run.seed=2", "b:ftl.gc.policy=fifo", "c:drive.channels=0"],
    "--workers": ["1", "2", "3"],
    "--socket": ["s", "mine/s"],
    "--port": ["0"],
    "--pace": ["virtual", "real", "slow:2"],
    "--image": ["new.image", "trace.csv"],
    "--log": ["new.wlt", "trace.csv"],
    "suite": ["theory", "timing", "mqsim", "all"],
    "paper": ["toy"],
    "--figure": ["fig1", "fig2"],
    "--traces": ["mine", "out"],
    "what": ["all", "techniques", "policies", "presets", "workloads", "formats"],
    "name": ["tiny", "ftl.gc", "ftl.gc.policy", "greedy", "msr", "ressd", "technique.ressd"],
    "folder": ["earlier", "mine"],
    "file": ["sweep.toml", "search.toml"],
    "--on": ["slurm:jobs=0", "dask:x"],
    "workload": WORKLOADS,
    "source": ["trace.csv", "bad.csv"],
    "target": [*PLACES, "new.wlt", "new.csv.gz"],
    "out": [*PLACES, "new.wlt", "new.csv.gz"],
    "--to": ["msr", "wordline", "mqsim"],
    "--html": ["new.html", "mine/new.html"],
    "--plot": ["new.html", "new.svg", "mine/new.html"],
    "--table": ["new.csv", "mine/new.csv"],
    "--tallies": ["kept.json", "trace.csv"],
    "--store": ["kept.json", "trace.csv", "new"],
    "--code": ["polar", "polar64", "ldgm", "elimination", "rivest-shamir", "bch", "ldpc"],
    "--cells": ["64", "256"],
    "--message-bits": ["8", "32"],
    "--trials": COUNTS,
    "--failures": COUNTS,
    "--tries": COUNTS,
    "--t": ["2", "4"],
    "--data-bytes": ["64", "512"],
    "--rber": ["1e-3", "0.01", "0.5"],
    "--rows": ["10", "12"],
    "--reads": ["1", "3", "1000"],
    "--pages": ["2", "576"],
    "--chips": ["1", "2"],
    "--chip": CHIPS,
    "chip": CHIPS,
    "experiment": ["planar-tlc", "reo"],
    "--pec": ["3K", "1000"],
    "--age": ["3mo", "1y"],
    "--temp": ["40C", "30"],
    "--mode": ["slc", "mlc", "tlc"],
    "used": ["page.bin"],
    "logical": ["short.bin", "new.bin"],
    "page": ["page.bin"],
    "data": ["short.bin", "new.bin"],
    "words": ["page.bin", "new.bin"],
}
# Files in which a verb keeps what it has counted when it is stopped.
KEEPS = ("--tallies", "--store")


def _values(name: str) -> st.SearchStrategy[str]:
    good = st.sampled_from(GOOD.get(name, COUNTS))
    return st.one_of(good, good, good, st.sampled_from(ODD))


def _option(parameter: Any) -> st.SearchStrategy[list[str]]:
    flag = parameter.opts[-1]
    return st.just([flag]) if parameter.is_flag else _values(flag).map(lambda value: [flag, value])


def _calls(verb: str) -> st.SearchStrategy[list[str]]:
    parameters: list[Any] = VERBS[verb].params
    options = [p for p in parameters if p.opts[-1].startswith("--")]
    words = st.tuples(*(_values(p.name) for p in parameters if p not in options)).map(list)
    fewer_or_more = st.one_of(
        words, words, words, words.map(lambda w: w[1:]), words.map(lambda w: [*w, "x"])
    )
    named = st.lists(st.one_of([*map(_option, options), st.just(["--none"])]), max_size=5)
    return st.builds(
        lambda place, given_: [*verb.split(), *place, *(w for pair in given_ for w in pair)],
        fewer_or_more, named,
    )  # fmt: skip


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration, traces, a chip, pages, an earlier result, and a folder of the user's own."""
    folder = tmp_path_factory.mktemp("furnished")
    (folder / "mine").mkdir()
    texts = {
        "small.toml": DRIVE, "trace.csv": MSR, "bad.csv": "what is this\n" + MSR,
        "sweep.toml": 'base = "small.toml"\nseeds = 2\n',
        "search.toml": 'base = "small.toml"\naxes = {run.seed = [1, 2]}\n'
        'optimise = {aims = ["erases"], trials = 2}\n',
        "chip.toml": 'base = "reo-tlc"\n', "mine/config.toml": DRIVE, "mine/notes.txt": "mine",
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
    for name, size in (("page.bin", 576), ("short.bin", 64)):
        (folder / name).write_bytes(bytes(size))
    source = "workload.source='uniform:requests=10'"
    result = single_run.simulate(find("tiny").with_overrides((*SMALL, source)))
    with folders.output_folder(folder / "earlier") as earlier:
        result_files.save_run(result, earlier)
    return folder


@pytest.fixture
def tiny_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo and a study that take no time."""

    brief = replace(
        questions.QUESTIONS[0],
        drive={"preset": "tiny"},
        loads=(
            questions.Load("writes", "uniform:requests=10", "write_mean_us", SMALL),
            questions.Load("reads", "uniform:requests=10,read=0.5", "write_mean_us", SMALL),
        ),
        variants=(
            single_run.Variant("greedy"),
            single_run.Variant("fifo", ("ftl.gc.policy=fifo",)),
        ),
    )
    rows = judge.expected
    monkeypatch.setattr(questions, "QUESTIONS", (brief,))
    monkeypatch.setattr(judge, "expected", lambda study: [] if study is TOY else rows(study))
    monkeypatch.setitem(reproduce.STUDIES, "toy", TOY)


STOPPED = (
    "stopped: the whole results are in",
    "stopped: the same command goes on from the runs kept in",
)


class Patience:
    """Ends a call that takes long as Ctrl-C does; one that only waits, `serve`, by the clock."""

    def __init__(self, verb: str) -> None:
        self._waits_s = SERVES_S if verb == "serve" else 0.0

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
        # Again and again: an interrupt in a callback of the interpreter's is lost.
        signal.setitimer(signal.ITIMER_REAL, self._waits_s, 5 * self._waits_s)
        gc.disable()  # hypothesis measures it in a callback, in which an interrupt would be lost
        self._before = signal.signal(signal.SIGVTALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, self._before)
        gc.enable()


# An interrupt that comes while the interpreter lets go of an object is lost.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("tiny_work", "short_league")
@pytest.mark.parametrize("verb", [v for v, verb in VERBS.items() if not hasattr(verb, "commands")])
def test_no_call_breaks_a_verb(
    verb: str, furnished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _contents(furnished)
    folder = tmp_path / "0"

    @settings(max_examples=EXAMPLES)
    @given(args=_calls(verb))
    def check(args: list[str]) -> None:
        nonlocal folder
        if not folder.exists() or _contents(folder) != before:
            folder = folder.with_name(f"{int(folder.name) + 1}")
            shutil.copytree(furnished, folder)
        monkeypatch.chdir(folder)
        with Patience(verb):
            done = CliRunner().invoke(app, args, prog_name="wordline")
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        assert done.exit_code in (0, 1, 2, 130), done.stderr
        assert "internal error" not in done.stderr, done.stderr
        after = _contents(folder)
        assert not [name for name in after if "partial" in name]
        if done.exit_code:
            kept = {value for flag, value in pairwise(args) if flag in KEEPS}
            told, was = ({n: c for n, c in d.items() if n not in kept} for d in (after, before))
            # What a call that was stopped leaves behind, it names.
            assert told == was or any(words in done.stderr for words in STOPPED)

    check()
