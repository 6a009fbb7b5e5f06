"""Every preset runs, and real traces replay."""

import os
from pathlib import Path

import pytest
import wordline as wl
from wordline import catalogue


@pytest.mark.parametrize("preset", catalogue.presets("drive"))
def test_every_preset_runs(preset: str) -> None:
    few_blocks = {"chip": {"blocks_per_plane": 256}}  # a large drive takes seconds to precondition
    result = wl.run(preset, "uniform:writes=20000", drive=few_blocks)
    assert result.workload.writes == 20_000
    assert result.host.write.count == 20_000
    assert result.host.write.p50_us <= result.host.write.p9999_us <= result.host.write.max_us


TRACES = Path(os.environ.get("WORDLINE_TRACES") or "../shared/traces").resolve()
FOUND = sorted(TRACES.glob("*.csv.zst"))


@pytest.mark.skipif(not FOUND, reason=f"no traces in {TRACES}; WORDLINE_TRACES names their folder")
@pytest.mark.parametrize("trace", FOUND, ids=lambda path: path.name)
def test_real_traces_replay(trace: Path) -> None:
    result = wl.run("peers-16g", str(trace), drive={"chip": {"blocks_per_plane": 128}})
    workload = result.workload
    assert workload.requests == workload.reads + workload.writes + workload.trims > 0
    assert result.host.read.count == workload.reads
    assert result.host.write.count == workload.writes
    assert result.write_amplification is None or result.write_amplification >= 1
