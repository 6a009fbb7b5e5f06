"""Why values deviate."""

from collections.abc import Mapping

_STEADY = (
    "counted after the drive was written once over; its warm-up is not published. There reserved "
    "blocks take room from cold data, and low pages that still hold data are passed over: "
    "(5 - X) / 5 leaves both out (figure `loss` of `llh-limits`)"
)

NOTES: Mapping[str, str] = {
    "llh/table6": "of a sample of the twin, scaled to its requests",
    "llh/table6/hot_write_share": "of the pages that the host writes, as the drive's hotness sees "
    "them",
    "llh/table6/hot_write_share/zipf": "the share that the pages below the threshold get, at 28 %",
    "llh/fig7a": "one of the sixteen banks, with a sixteenth of the requests",
    "llh/fig7a/op28": _STEADY,
    "llh/fig7a/op28_less_what_waited": "not published: op28, had as many blocks waited for their "
    "second round at the end of what counts as at its begin. On src2_0 and web_0 29 and 38 fewer "
    "wait, which saves a point",
    "llh/fig7a/op7": "not published as numbers",
    "llh/fig7b": "one of the sixteen banks, with a sixteenth of the requests",
    "llh/fig7c": "three volumes of MSR; which ones the publication shows is not told, but for "
    "src1_2. Latencies of the chip are not published",
    "llh/table5/logical_write/baseline": "the publication's average holds with the erase energy "
    "of a reused block, not with the baseline's",
    "llh/sec4/lifetime/reading": "less what reuse in the first 0.4 T costs on the chips of the "
    "cell laboratory (A16, A27, B29)",
    "llh/statements": "on twins; measured as in the figures",
}
