"""Every preset runs, and real traces replay."""

import os
from pathlib import Path
from typing import Any

import pytest
import wordline as wl
from wordline.components import catalogue

BLOCKS = 256  # of each plane: a large drive takes seconds to precondition
# Their units are small, or their blocks large.
FEWER_BLOCKS = {
    "nvme-tlc-1t": 80,
    "nvme-qlc-2t": 96,
    "micron-7450-max-800g": 32,
    "solidigm-p5520-1920g": 32,
    "kioxia-cm7-r-3840g": 40,
    "samsung-pm9a3-960g": 48,
    "samsung-840-evo-1t": 80,
    "samsung-870-qvo-4t": 96,
    "samsung-970-evo-500g": 128,
    "corsair-mp700-elite-2t": 64,
    "hp-fx700-2t": 64,
    "ressd-576g-today": 64,
    "rss-raid-today": 48,
}
# Their caches are a part of the whole drive.
SMALLER_CACHES = {
    name: {"slc_cache": {"static_mib": mib}}
    for name, mib in (
        ("nvme-tlc-1t", 1024),
        ("nvme-qlc-2t", 2048),
        ("samsung-840-evo-1t", 256),
        ("samsung-970-evo-500g", 512),
        ("samsung-870-qvo-4t", 1024),
    )
}


@pytest.mark.parametrize("preset", catalogue.presets("drive"))
def test_every_preset_runs(preset: str) -> None:
    blocks = FEWER_BLOCKS.get(preset, BLOCKS)
    keys: dict[str, Any] = {"drive": {"chip": {"blocks_per_plane": blocks}}}
    if preset in SMALLER_CACHES:
        keys["technique"] = SMALLER_CACHES[preset]
    result = wl.run(preset, "uniform:writes=20000", **keys)
    assert result.workload.writes == 20_000
    write = result.host.write
    assert write.count == 20_000
    assert 0 < write.p50_us <= write.p99_us <= write.p9999_us <= write.max_us
    assert write.p50_us / 100 < write.mean_us < write.max_us
    drive = result.config["drive"]
    causes = result.write_amplification_by_cause
    if result.write_amplification is not None:
        assert causes
        assert result.write_amplification == pytest.approx(sum(causes.to_dict().values()))
        assert causes["host"] <= 1.0001
    if result.array or drive["group"]:
        return
    chip, capacity = drive["chip"], result.capacity
    planes = drive["channels"] * drive["chips_per_channel"] * chip["dies"] * chip["planes"]
    raw_bytes = planes * blocks * chip["pages_per_block"] * chip["page_kib"] * 1024
    assert capacity.physical_pages * capacity.unit_bytes == raw_bytes
    logical_bytes = raw_bytes / (1 + drive["over_provisioning"])
    assert capacity.logical_pages == pytest.approx(logical_bytes / capacity.unit_bytes, abs=1)


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
