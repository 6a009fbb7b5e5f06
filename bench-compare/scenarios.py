"""MQSim's own scenarios, run by MQSim and, as `wordline import mqsim` writes them, by Wordline."""

import copy
import json
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mqsim
from measure import RunError, run
from report import Figure, Row

DEVICE, WORKLOAD = "ssdconfig.xml", "workload.xml"
"""Files that stand beside MQSim's program where its Makefile made it."""

FIRST_S = {2: 5}
"""Scenarios that are run a second time, for so many seconds.

The map cache of scenario 2 is full after 5 s. What MQSim does then has no equal here.
"""

TOLERANCE = 0.1
IOPS = Figure("iops", "IOPS", "", TOLERANCE)
LATENCY = Figure("latency_mean_us", "mean latency", "us", TOLERANCE)


def rows(binary: Path, folder: Path, sets: Sequence[str], timeout_s: float) -> list[Row]:
    """A figure of each scenario, `sets` laid over Wordline's drive; none where there are no files.

    Raises:
        RunError: A file cannot be used, or Wordline failed.
    """
    if not all((binary.parent / name).is_file() for name in (DEVICE, WORKLOAD)):
        print(f"no {DEVICE} and {WORKLOAD} beside {binary}: left out", file=sys.stderr)
        return []
    found = []
    for name, scenario in _scenarios(binary.parent / WORKLOAD):
        print(name, file=sys.stderr)
        place = folder / name.replace(" ", "-")
        _lay_out(binary.parent, place, scenario)
        theirs, note = _theirs(binary, scenario, place, timeout_s)
        figure, value = _ours(scenario, place, sets, timeout_s)
        if theirs and abs(value / theirs - 1) > TOLERANCE:
            note = "docs/from-mqsim.md says why"
        found.append(Row(name, figure, theirs, value, note))
    return found


def _scenarios(path: Path) -> list[tuple[str, ElementTree.Element]]:
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise RunError(f"{path}: {error}") from None
    found = []
    for number, scenario in enumerate(root, 1):
        found.append((f"scenario {number}", scenario))
        if seconds := FIRST_S.get(number):
            cut = copy.deepcopy(scenario)
            for stop in cut.iter("Stop_Time"):
                stop.text = str(seconds * 10**9)
            found.append((f"scenario {number} of {seconds} s", cut))
    return found


def _lay_out(source: Path, place: Path, scenario: ElementTree.Element) -> None:
    """A folder with the scenario alone, the drive, and the traces of the scenario."""
    place.mkdir()
    shutil.copy(source / DEVICE, place)
    root = ElementTree.Element("MQSim_IO_Scenarios")
    root.append(scenario)
    ElementTree.ElementTree(root).write(place / WORKLOAD, "us-ascii", xml_declaration=True)
    for trace in scenario.iter("File_Path"):
        name = (trace.text or "").strip()
        if Path(name).is_absolute():
            continue
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copy(source / name, place / name)
        except OSError as error:
            raise RunError(f"{source / name}: {error.strerror}") from None


def _theirs(
    binary: Path, scenario: ElementTree.Element, place: Path, timeout_s: float
) -> tuple[float | None, str]:
    """MQSim's figure, or why there is none."""
    try:
        run([str(binary), "-i", DEVICE, "-w", WORKLOAD], place, timeout_s)
        flows = mqsim.Report(place / "workload_scenario_1.xml").flows()
    except RunError as error:
        print(error, file=sys.stderr)
        return None, str(error)
    if not _is_traced(scenario):
        return sum(flow["IOPS"] for flow in flows), ""
    waited = sum(flow["Request_Count"] * flow["Device_Response_Time"] for flow in flows)
    return waited / sum(flow["Request_Count"] for flow in flows), ""


def _ours(
    scenario: ElementTree.Element, place: Path, sets: Sequence[str], timeout_s: float
) -> tuple[Figure, float]:
    """Which figure it is, and Wordline's."""
    host = _imported(place, sets, timeout_s)["host"]
    if not _is_traced(scenario):
        return IOPS, host["iops"]
    kinds = [host[kind] for kind in ("read", "write") if host[kind]["count"]]
    waited = sum(kind["mean_us"] * kind["count"] for kind in kinds)
    return LATENCY, waited / sum(kind["count"] for kind in kinds)


def _is_traced(scenario: ElementTree.Element) -> bool:
    return any(flow.tag.endswith("Trace_Based") for flow in scenario)


def _imported(place: Path, sets: Sequence[str], timeout_s: float) -> dict[str, Any]:
    """The result of the command that `wordline import mqsim` prints."""
    wordline = [sys.executable, "-m", "wordline"]
    verb = ["import", "mqsim", DEVICE, WORKLOAD, "--out", "imported", "--json"]
    written = json.loads(run([*wordline, *verb], place, timeout_s).output)
    _, *args = shlex.split(written["commands"][1])
    args += [part for text in sets for part in ("--set", text)]
    finished = run([*wordline, *args, "--json", "--progress", "none"], place, timeout_s)
    return json.loads(finished.output)
