"""What must be known of values, by the beginning of their ids; measured in docs/centaur.md."""

from collections.abc import Mapping

_TWINS = (
    "twins on drives of a 32nd of the size without fresh blocks: what each kind of flash erases is "
    "within 2 % of what it programs; how the paper's traces, which hardly erase "
    "a block in one replay, came to a lifetime is not told"
)
_CLOSED = (
    "32 requests wait at a time, which the paper does not give; at the times of arrival "
    "every drive serves as many"
)

_TRACES = (
    "your own trace, again and again until the host has written 32 GB, on drives of the "
    "paper's size without fresh blocks; how its traces came to a lifetime is not told"
)

TRACE_NOTES: Mapping[str, str] = {
    "centaur/fig11a": _TRACES,
    "centaur/fig11b": _TRACES,
    "centaur/fig12": _TRACES,
    "centaur/statements": _TRACES,
    "centaur/table1": "your own trace",
}
"""What must be known of them in place of [`NOTES`] where the user's own trace was replayed."""

NOTES: Mapping[str, str] = {
    "centaur/table1/writes/hm_1": "few writes: a sample of a 32nd has 875",
    "centaur/fig17/share_of_2d": "the paper's 3D chip of 32 GB has 33.7 GiB by its pages",
    "centaur/sec1": "random writes once erases are steady; the paper's share is that of "
    "88 of 96 KB; over which sizes it averages wear, and beside which flash, is not told: means of "
    "the nine sizes of Figure 5",
    "centaur/fig11a": _TWINS,
    "centaur/fig11b": _TWINS,
    "centaur/fig12": _TWINS,
    "centaur/fig13a": _CLOSED,
    "centaur/fig13a_whole": "drives of the paper's size with its 64 MiB of DRAM, and "
    "the first 400,000 requests of a week",
    "centaur/fig13bc": "the share of 2D flash counts what is valid at the end",
    "centaur/fig14": "at the times of a week, not at those that the paper computed for flash",
    "centaur/fig15": "at the times of a week, not at those that the paper computed for flash",
    "centaur/fig20": "clusters by squared differences of sizes, 10,000 requests an epoch: the "
    "paper gives neither",
    "centaur/fig23a": "valid data decides, not wear: where 2D flash wears first the stealer costs "
    "lifetime; where the criterion can still balance, it changes little",
    "centaur/statements": _TWINS,
}
