"""Charts of a run as files, which need the package `vl-convert-python`."""

from pathlib import Path

import wordline as wl

result = wl.run("tiny", wl.workloads.uniform(writes=50_000, interval_us=3000))
for key in ("write_amplification_over_time", "wear_over_blocks"):
    path = Path(f"{key}.svg")
    result.charts()[key].save(path)
    print(path)
