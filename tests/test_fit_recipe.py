"""The manual's recipe for fitting a drive gives back a served drive, when fio follows it."""

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from conftest import HANGS_S
from wordline.runs.serving import Served

PAGE = Path(__file__).parent.parent / "docs" / "fit.md"
PAGE_BYTES = 4096
FIO = shutil.which("fio")
HAS_NBD = FIO and "nbd" in subprocess.run([FIO, "--enghelp"], capture_output=True, text=True).stdout
DRIVE = {
    "drive": {
        "channels": 2,
        "chips_per_channel": 1,
        "over_provisioning": 0.28,
        "chip": {
            "dies": 1,
            "planes": 2,
            "blocks_per_plane": 512,
            "pages_per_block": 32,
            "page_kib": 4,
        },
    },
    "ftl": {"gc": {"policy": "fifo"}},
    "precondition": {"pattern": "none"},
}


def recipe() -> list[str]:
    """Marks, discards and calls of fio, a line each."""
    (script,) = re.findall(r"```sh\n(while sleep.*?)```", PAGE.read_text(), re.DOTALL)
    lines = script.replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith(("echo", "fio", "blkdiscard"))]


def carry_out(line: str, uri: str, exported: int, part: int) -> None:
    """Does on a served drive what a line does on the manual's."""
    whole = f"--size={exported}"
    if line.startswith("blkdiscard"):
        rest = f"--offset={part} --size={exported - part}"
        line = f"fio --name=discard --rw=trim --bs=64k --ioengine=nbd {rest}"
    line = re.sub(r"--filename=\S+|--direct=1", "", line)
    line = line.replace("--bs=1M", "--bs=64k").replace("--ioengine=libaio", "--ioengine=nbd")
    line = re.sub(r"--size=\S+g", f"--size={part}", line)
    call = [*line.split(), f"--uri={uri}", *([] if "--size" in line else [whole])]
    done = subprocess.run(call, capture_output=True, text=True, timeout=HANGS_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class Counters:
    """Logs what a served drive counts, as the recipe's loop does."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._over = threading.Event()
        self._host = self._last = 0
        self.rows = ["workload,space_gib,host_bytes,physical_bytes"]

    def during(self, mark: dict[str, Any], unit: int, work: Callable[[], None]) -> None:
        """Logs during work whose requests write so many bytes each."""
        self._over.clear()
        space = mark.get("space_gib", "")
        poll = threading.Thread(target=self._poll, args=(f"{mark['workload']},{space}", unit))
        poll.start()
        try:
            work()
        finally:
            self._over.set()
            poll.join()

    def _poll(self, mark: str, unit: int) -> None:
        while not self._over.wait(0.01):
            self._note(mark, unit)
        self._note(mark, unit)

    def _note(self, mark: str, unit: int) -> None:
        now = self._served.summary()
        self._host += (now.requests - self._last) * unit
        self._last = now.requests
        self.rows.append(f"{mark},{self._host},{self._host + now.units_moved * PAGE_BYTES}")


@pytest.mark.skipif(not HAS_NBD, reason="fio with its NBD engine is not installed")
def test_the_recipe_gives_back_the_drive(tmp_path: Path) -> None:
    truth = wl.run(DRIVE, "uniform:writes=1").capacity
    exported = truth.logical_pages * PAGE_BYTES
    part = exported * 7 // 10 // 65536 * 65536
    with wl.serve(DRIVE) as served:
        counters = Counters(served)
        mark: dict[str, Any] = {}
        for line in recipe():
            if line.startswith("echo"):
                mark = json.loads(line.split("'")[1])
                mark |= {"space_gib": part / 2**30} if "space_gib" in mark else {}
                continue
            unit = {"fill": 65536, "uniform": PAGE_BYTES, "discard": 0}[mark["workload"]]
            counters.during(mark, unit, partial(carry_out, line, served.uri, exported, part))
    log = tmp_path / "drive.csv"
    log.write_text("\n".join(counters.rows))
    fit = wl.fit_drive(log, exported=f"{exported / 2**20}MiB")
    room_gib = truth.log_pages * PAGE_BYTES / 2**30
    assert fit.room_gib.value == pytest.approx(room_gib, rel=0.01)
    assert fit.factor.value == pytest.approx(1.0, abs=0.01)
    spaces = [seen.part.space_gib * 2**30 for seen in fit.observations]
    assert spaces == pytest.approx([exported, exported, part])
