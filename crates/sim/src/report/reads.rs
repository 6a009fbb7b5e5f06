//! What reads took of pages that have errors.

use crate::metrics::{ReadsSummary, RunResult};
use crate::reliability::Tally;

/// Of the pages of a drive.
pub fn of_drive(tally: Tally) -> ReadsSummary {
    let mean = |sum: f64| sum / tally.pages.max(1) as f64;
    ReadsSummary {
        pages: tally.pages,
        retries_per_page: mean((tally.sensings - tally.pages) as f64),
        errors_per_kib: mean(tally.errors),
    }
}

/// Of the pages of all drives of an array.
pub fn of_array(all: &[&RunResult]) -> Option<ReadsSummary> {
    let of_drives = || all.iter().filter_map(|result| result.reads);
    let pages: u64 = of_drives().map(|reads| reads.pages).sum();
    let mean = |figure: fn(&ReadsSummary) -> f64| {
        let sum: f64 = of_drives().map(|reads| figure(&reads) * reads.pages as f64).sum();
        sum / pages.max(1) as f64
    };
    of_drives().next().map(|_| ReadsSummary {
        pages,
        retries_per_page: mean(|reads| reads.retries_per_page),
        errors_per_kib: mean(|reads| reads.errors_per_kib),
    })
}
