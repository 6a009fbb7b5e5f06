"""What is shown of an array: its figures, and a row for each of its drives."""

from collections.abc import Iterator

from wordline.figures.metrics import figure
from wordline.native.types.run import ArraySummary, LatencySummary

DRIVE_HEADS = (
    ("drive", ""),
    ("state", ""),
    ("technique", ""),
    ("data", "MiB"),
    ("parity", "MiB"),
    ("rebuild", "MiB"),
    ("WA", ""),
    ("erases", ""),
    ("read", "µs"),
    ("write", "µs"),
)
"""Columns of the table of drives and their units: what was written to each for what, its write
amplification and erases, and the mean latencies of the array's requests to it."""

_MIB = 1 << 20


def figures(array: ArraySummary) -> Iterator[tuple[str, str, str]]:
    """Label, value and unit of what concerns the array as a whole, where it was measured."""
    parity, stripes = array.parity, array.stripes
    programmed = array.bytes_programmed_per_byte_written
    yield f"{array.level}, drives", figure(array.members), ""
    for label, value, unit in (
        ("programmed per byte of the host", programmed, ""),
        ("parity written per data", parity.per_data, ""),
        ("… if it were held back", parity.held_back_per_data, ""),
        ("update interval of data", parity.data_interval_s, "s"),
        ("update interval of parity", parity.parity_interval_s, "s"),
        ("updates on the hottest fifth", parity.updates_on_hottest_fifth, ""),
        ("drive failed at", array.failed_at_s, "s"),
    ):
        if value is not None:
            yield label, figure(value), unit
    for label, key in (
        ("stripes written whole", "full"),
        ("stripes read, modified, written", "read_modify"),
        ("stripes reconstructed", "reconstruct"),
        ("stripes written from the cache", "cached"),
        ("pages computed", "computed_pages"),
    ):
        if stripes[key]:
            yield label, figure(stripes[key]), ""
    if array.pages_written.log:
        log_mib = array.pages_written.log * array.page_bytes / _MIB
        has_journal = any(drive.state == "journal" for drive in array.drives)
        yield "journal" if has_journal else "partial parity log", figure(log_mib), "MiB"
    for sync in array.syncs:
        took = (sync.over_s or sync.progress[-1][0]) - sync.began_s
        done = f"{100 * sync.done:.3g} % in {figure(took)}"
        yield f"{sync.kind} at {figure(sync.began_s)} s", done, "s"
    for phase in array.latency if len(array.latency) > 1 else ():
        for kind in ("read", "write"):
            if phase[f"{kind}s"]:
                label = f"mean {kind} latency, {phase.state}"
                yield label, figure(phase[f"{kind}_mean_us"]), "µs"


def drives(array: ArraySummary) -> Iterator[tuple[str, ...]]:
    """A row for each drive, as `DRIVE_HEADS` names them."""
    for drive in array.drives:
        written = drive.pages_written
        mib = (written[kind] * array.page_bytes / _MIB for kind in ("data", "parity", "sync"))
        parts = [
            *drive.techniques,
            *([drive.erase_scheme] * (drive.erase_scheme != "fixed")),
        ]
        yield (
            str(drive.drive),
            drive.state,
            ", ".join(parts) or "none",
            *(figure(value) for value in mib),
            figure(drive.write_amplification),
            figure(drive.flash.erases),
            *(_mean(drive.host[kind]) for kind in ("read", "write")),
        )


def _mean(latency: LatencySummary) -> str:
    return figure(latency.mean_us if latency.count else None)
