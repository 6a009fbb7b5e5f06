"""What the library's calls accept, and what they refuse by the name of the argument."""

import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import wordline as wl
from conftest import HANGS_S
from wordline import lab, traces, workers
from wordline.configuration import find, toml_value
from wordline.runs import side_by_side

MSR = "".join(f"{n},host,0,Write,{n * 4096},4096,10\n" for n in range(10))


class Numpy:
    """A number or an array as numpy's are, which the tests do without."""

    def __init__(self, value: object) -> None:
        self.value = value

    def tolist(self) -> object:
        return self.value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Path("a b.csv"), '"a b.csv"'),
        (Numpy(5), "5"),
        (Numpy(0.25), "0.25"),
        (Numpy([1.0, 2.0]), "[1.0, 2.0]"),
        (Decimal("0.5"), "0.5"),
        ((1, True, "x"), '[1, true, "x"]'),
        (1e300, "1e+300"),
        ({}, "{}"),
    ],
)
def test_values_of_other_libraries_become_toml(value: object, text: str) -> None:
    assert toml_value(value) == text


def test_numbers_paths_and_tables_run(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text(MSR)
    space: Any = Numpy(0.25)
    by_path = wl.run("tiny", trace, wl.tables.Drive(over_provisioning=space))
    assert by_path.config.drive.over_provisioning == 0.25
    assert by_path.workload.requests == 10
    some = wl.run("tiny", {"source": trace, "first": 4})
    assert some.workload.requests == 4
    assert wl.run("tiny", trace, {"workload": {"first": 3}}).workload.requests == 3
    assert wl.run(str(_file(tmp_path, trace))).workload.requests == 10


def _file(folder: Path, trace: Path) -> Path:
    config = folder / "own.toml"
    config.write_text(f'preset = "tiny"\n[workload]\nsource = "{trace}"\n')
    return config


def loads(*given: Any) -> Callable[[], object]:
    return lambda: wl.compare("tiny", ["conventional"], *given)


REFUSED: list[tuple[Callable[[], object], str, str]] = [
    (lambda: wl.run("tiny", 5), "workload", "does not fit"),  # pyright: ignore
    (lambda: wl.run("tiny", drive={"channels": object()}), "drive.channels", "is no value"),
    (lambda: wl.run("tiny", drive={"channels": b"4"}), "drive.channels", "is no value"),
    (lambda: wl.run("tiny", "a\udcff.csv"), "workload", "is not UTF-8 text"),
    (lambda: wl.run("tiny", None, "fifo"), "changes", "does not fit"),  # pyright: ignore
    (lambda: wl.compare("tiny", "ressd"), "techniques", "does not fit"),
    (lambda: wl.compare("tiny", wl.techniques.Ressd()), "techniques", "does not fit"),  # pyright: ignore
    (lambda: wl.compare("tiny", []), "techniques", "no drive is given"),
    (lambda: wl.compare("tiny", ["magic"]), "techniques", "unknown technique `magic`"),
    (loads([]), "workloads", "no workload is given"),
    (loads("uniform"), "workloads", "does not fit"),
    (loads(wl.workloads.uniform()), "workloads", "does not fit"),
    (loads([5]), "workloads", "does not fit"),
    (lambda: wl.compare("tiny", ["conventional"], workers=0), "workers", "cannot be"),
    (lambda: wl.compare("tiny", ["conventional"], workers=1.5), "workers", "does not fit"),  # pyright: ignore
]


@pytest.mark.parametrize(("call", "place", "what"), REFUSED, ids=lambda part: str(part)[:24])
def test_what_cannot_be_is_refused_by_its_argument(
    call: Callable[[], object], place: str, what: str
) -> None:
    with pytest.raises(wl.WordlineError) as failure:
        call()
    assert (failure.value.place, what in failure.value.what) == (place, True), failure.value
    assert failure.value.help
    assert "--" not in str(failure.value)


def test_workers_are_cores_as_long_as_memory_suffices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gib = 1 << 30
    monkeypatch.setattr(workers, "cores", lambda: 8)
    monkeypatch.setattr(workers, "free_bytes", lambda: 4 * gib)
    assert workers.number([1] * 20) == 8  # cores
    assert workers.number([1] * 3) == 3  # runs
    assert workers.number([gib] * 20) == 3  # memory: each takes 1 GiB and 32 MiB
    assert workers.number([gib, 3 * gib, 1]) == 1  # the largest two may meet
    assert workers.number([9 * gib] * 2) == 1  # one is always tried
    assert workers.number([9 * gib] * 2, 5) == 5  # as was asked
    monkeypatch.setattr(workers, "free_bytes", lambda: None)
    assert workers.number([9 * gib] * 20) == 8


def test_as_many_runs_as_workers_go_on_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run waits for all of three: with two at a time they would never meet."""
    meeting = threading.Barrier(3, timeout=HANGS_S)

    def simulate(*_: object, **_also: object) -> object:
        meeting.wait()
        return SimpleNamespace(workload=SimpleNamespace(requests=0))

    monkeypatch.setattr(side_by_side, "simulate", simulate)
    jobs = [(str(n), "uniform", find("tiny")) for n in range(3)]
    assert len(side_by_side.run_all(jobs, lambda _: None, workers=3)) == 3


TAKEN = """
import re, sys
from wordline.runs import single_run
from wordline.configuration import find
configuration = find("tiny").with_overrides(sys.argv[1:])
single_run.simulate(configuration)
# Not `getrusage`, which begins with the memory of the process that started this one.
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(configuration.memory_bytes(), int(peak[1]) << 10)
"""


def memory_of(blocks_per_plane: int, keys: Iterable[str]) -> tuple[int, int]:
    """What is told of the memory of a run, and what its process took in all."""
    size = f"drive.chip.blocks_per_plane={blocks_per_plane}"
    command = [sys.executable, "-c", TAKEN, size, "workload.source=uniform:requests=1000", *keys]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told, taken = done.stdout.split()
    return int(told), int(taken)


@pytest.mark.parametrize(
    "keys",
    [
        [],
        ["ftl.hotness.policy=page_interval", "ftl.wear.policy=dynamic"],
        [
            "technique.llh_ftl={}",
            "ftl.hotness.policy=size",
            "drive.chip.cell=mlc",
            "ftl.mapping_unit_kib=2",
        ],
    ],
)
def test_a_run_takes_the_memory_that_is_told_and_no_more(keys: list[str]) -> None:
    (told, taken), (told_small, taken_small) = (memory_of(size, keys) for size in (65536, 128))
    assert 1 < (told - told_small) / (taken - taken_small) < 1.6


def test_an_array_takes_the_memory_of_its_drives_and_of_what_it_keeps_of_their_units() -> None:
    drives, units_of_a_drive = 4, 12_800
    kept_of_units = math.ceil(units_of_a_drive / 7) * 64
    array, of_drive = find("tiny-raid5"), find("tiny").memory_bytes()
    assert array.memory_bytes() == drives * of_drive
    counting = array.with_overrides(["array.count_updates=true"])
    assert counting.memory_bytes() == drives * (of_drive + kept_of_units)


ODD = os.fsdecode(b"caf\xe9")  # Latin-1, in which names of files may be


@pytest.mark.parametrize(
    "call",
    [
        lambda: wl.run("tiny", Path(f"{ODD}.csv")),
        lambda: wl.run("tiny", "uniform", trace_format=ODD),
        lambda: wl.run("tiny", "uniform", {ODD: {"key": 1}}),
        lambda: wl.run(ODD),
        lambda: wl.compare("tiny", ["conventional"], [f"{ODD}.csv"]),
        lambda: wl.trace_info(f"{ODD}.csv"),
        lambda: wl.trace_info("uniform", trace_format=ODD),
        lambda: traces.trace_convert([f"{ODD}.csv"], "new.wlt"),
        lambda: traces.trace_convert(["t.csv"], f"{ODD}.wlt"),
        lambda: lab.vth(ODD),
        lambda: lab.vth("reo-tlc", age=ODD),
        lambda: lab.distributions("reo-tlc", mode=ODD),
        lambda: lab.tables(ODD),
        lambda: lab.experiment(ODD),
        lambda: lab.campaign("reo-tlc", mode=ODD),
    ],
)
def test_a_text_that_is_not_utf_8_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[[], object]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(MSR)
    Path(f"{ODD}.csv").write_text(MSR)
    with pytest.raises(wl.WordlineError, match=r"caf\\udce9") as failure:
        call()
    str(failure.value).encode()
    assert len(failure.value.what) < 80
    assert len(list(tmp_path.iterdir())) == 2


def test_files_and_folders_may_have_names_that_are_not_utf_8(tmp_path: Path) -> None:
    config, chip = tmp_path / f"{ODD}.toml", tmp_path / f"{ODD}-chip.toml"
    config.write_text('preset = "tiny"\n[workload]\nsource = "uniform:requests=10"\n')
    chip.write_text('base = "reo-tlc"\n')
    result = wl.run(config)
    assert wl.load(result.save(tmp_path / ODD)) == result
    config.write_text('preset = "tny"\n')
    with pytest.raises(wl.ConfigError, match=r"caf\\udce9.toml:1: .*did you mean `tiny`"):
        wl.run(config)
    assert lab.vth(chip).states
    assert lab.campaign(chip, chips=1, pages=576, store=tmp_path / f"{ODD}.json").chips == 1


def test_a_pipe_is_no_chip(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "chip.toml")
    with pytest.raises(wl.ConfigError, match="a pipe or a device"):
        lab.vth(tmp_path / "chip.toml")
