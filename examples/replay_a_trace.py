"""A trace file on two drives. Give your own as an argument; without one a small one is made up."""

import random
import sys
from pathlib import Path

import wordline as wl

if len(sys.argv) > 1:
    path = Path(sys.argv[1])
else:
    # MSR's columns: 100 ns, host, disk, what, byte, bytes, response time.
    path = Path("made-up.csv")
    page = random.Random(1).randrange
    lines = (
        f"{10**7 + 40_000 * n},host,0,Write,{page(9973) * 4096},4096,0\n" for n in range(30_000)
    )
    path.write_text("".join(lines))

found = wl.compare("tiny", ["conventional"], [wl.trace(path)],
                   variants={"more space": {"drive": {"over_provisioning": 0.5}}})  # fmt: skip
for case in found.cases:
    result = case.result
    print(f"{case.variant}: write amplification {result.write_amplification:.2f}", end="")
    print(f", p99 of writes {result.host.write.p99_us:,.0f} µs")
    for warning in result.warnings:
        print(f"  warning: {warning}")
