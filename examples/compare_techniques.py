"""Which techniques pay on one drive, under one workload?"""

import wordline as wl

WORKLOAD = wl.workloads.zipf(requests=50_000, theta=0.9, read=0.3, flush=0.5, interval_us=2000)

found = wl.compare("tiny-tlc", ["conventional", "ressd", "lazy_ftl", "slc_cache"], [WORKLOAD])
for case in found.cases:
    erases = found.ratios(case)["erases"]
    print(f"{case.variant:14} write amplification {case.result.write_amplification:.2f}", end="")
    print(f", erases ×{erases:.2f}")
