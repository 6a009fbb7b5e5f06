"""Garbage collection by a policy in Python, beside two that are built in."""

import wordline as wl
from wordline._native import Blocks

WORKLOAD = wl.workloads.zipf(writes=20_000, theta=0.99)


def emptiest_of_old(blocks: Blocks) -> int:
    """Of the older half of the blocks, the one with the fewest valid units."""
    older = range((len(blocks.block) + 1) // 2)
    return blocks.block[min(older, key=lambda place: blocks.valid[place])]


for policy in (wl.policies.gc.greedy(), wl.policies.gc.fifo()):
    result = wl.run("tiny", WORKLOAD, policy)
    print(f"{result.config.ftl.gc.policy:16} {result.write_amplification:.3f}")
result = wl.run("tiny", WORKLOAD, custom=wl.Custom(victim=emptiest_of_old))
print(f"{'emptiest of old':16} {result.write_amplification:.3f}")
