//! What a reader must say of what it did to a trace, beside reading it.

use super::format::TimeUnit;
use crate::Skipped;

/// Time stamps that ran backwards.
pub(super) fn clamped(clamped: u64, requests: u64) -> Option<String> {
    let percent = 100.0 * clamped as f64 / requests.max(1) as f64;
    (clamped > 0).then(|| {
        format!(
            "{clamped} of {requests} requests ({percent:.1} %) were out of order in time, and were moved to the \
             arrival ahead of them: sort them (workload.sort, --sort or `wordline trace sort`)"
        )
    })
}

/// Records that were left out, and may be missed.
pub(super) fn skipped(list: &[Skipped]) -> Option<String> {
    let missed = || list.iter().filter(|skipped| skipped.is_missed);
    let reasons: Vec<String> =
        missed().map(|skipped| format!("{} {}", skipped.count, skipped.reason)).collect();
    let count: u64 = missed().map(|skipped| skipped.count).sum();
    (count > 0).then(|| {
        format!("{count} records cannot be replayed and were left out: {}", reasons.join(", "))
    })
}

/// Requests of 4 GiB and more.
pub(super) fn long(long: u64) -> Option<String> {
    (long > 0).then(|| {
        format!(
            "{long} requests of 4 GiB or more were read in parts of 2 GiB and what is left, which arrive together: \
             counts of requests include the parts"
        )
    })
}

/// A unit that the beginning of the file suggested.
pub(super) fn guessed_unit(unit: TimeUnit) -> String {
    let point = if unit == TimeUnit::MILLISECOND { "a" } else { "no" };
    format!(
        "times were taken to be in {unit} because they have {point} decimal point: name the format to be sure \
         (disksim has ms, mqsim has ns)"
    )
}
