"""Charts of a run as files, which need the package `vl-convert-python`."""

from pathlib import Path

import wordline as wl

result = wl.run("tiny", wl.workloads.uniform(writes=50_000, interval_us=3000))
for title in ("Write amplification over time", "Wear over blocks"):
    path = Path(f"{title.lower().replace(' ', '-')}.svg")
    result.charts()[title].save(path)
    print(path)
