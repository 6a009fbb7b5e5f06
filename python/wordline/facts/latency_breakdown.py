"""Of what the mean latencies of a run consist (`host.breakdown`)."""

from wordline.figures.comparison_view import Outcome
from wordline.figures.metrics import figure

# A part, and the keys of the breakdown that make it up: before the flash, there, or in an array.
PARTS = {
    "a turn in the queue": ("queue_us",),
    "controller": ("controller_us",),
    "room in the buffer": ("buffer_us",),
    "a program to fill": ("fill_us",),
    "GC on the die": ("wait_gc_us",),
    "reads on the die": ("wait_reads_us",),
    "programs on the die": ("wait_programs_us",),
    "others on the die": ("wait_others_us",),
    "the channel": ("wait_bus_us",),
    "their own operations": ("array_us", "transfer_us"),
    "a stripe of the array's cache": ("stripe_us",),
    "old data and parity": ("parity_reads_us",),
    "the array's log": ("log_us",),
    "others in the array": ("other_us",),
}
_REMEDIES = {
    "a turn in the queue": "host.fetch_limit, host.window",
    "a stripe of the array's cache": "array.stripe_cache",
    "old data and parity": "array.rmw, array.chunk_kib",
    "the array's log": "array.write_hole",
    "room in the buffer": "ftl.buffer_kib",
    "a program to fill": "ftl.program_start",
    "GC on the die": "ftl.gc.mode, ftl.superblock_dies",
    "reads on the die": "drive.scheduling",
    "programs on the die": "drive.scheduling",
}
_MOST = 0.5


def of(result: Outcome, kind: str) -> dict[str, float]:
    """Microseconds of each part of the mean latency of reads or writes, where a run says so."""
    found = result["breakdown"]
    if not found:
        return {}
    tables = [found[kind], *found[kind].flash, found[kind].array or {}]
    return {
        name: sum(table[key] for key in keys for table in tables if key in table)
        for name, keys in PARTS.items()
    }


def told(result: Outcome) -> str:
    """What reads and writes waited for most of their time, in a sentence each."""
    sentences = []
    for kind in ("read", "write"):
        parts = of(result, kind)
        waited = {name: us for name, us in parts.items() if name in _REMEDIES}
        most = max(waited, key=lambda name: waited[name], default=None)
        total = sum(parts.values())
        if most is not None and waited[most] > _MOST * total:
            sentences.append(
                f"Of the {figure(total)} µs that {kind}s took on average, "
                f"{waited[most] / total:.0%} went by waiting for {most} ({_REMEDIES[most]})."
            )
    return " ".join(sentences)
