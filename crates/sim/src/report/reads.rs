//! What reads took of pages that have errors.

use crate::metrics::{ByCause, Counters, ReadsSummary, RunResult, by_cause};
use crate::nand::command::Cause;
use crate::reliability::Tally;

/// Of the pages of a drive.
pub fn of_drive(tally: &Tally, counters: &Counters) -> ReadsSummary {
    let mean = |sum: f64| sum / tally.pages.max(1) as f64;
    let host_pages = counters.reads[Cause::Host as usize].max(1);
    ReadsSummary {
        pages: tally.pages,
        retries_per_page: mean(tally.retries() as f64),
        retries_p99: p99(&tally.by_retries),
        by_retries: tally.by_retries.clone(),
        sensings: by_cause(&tally.sensings),
        soft_sensings: tally.soft_sensings,
        soft_pages: tally.soft,
        uncorrectable: tally.lost,
        uncorrectable_per_bit: tally.lost as f64 / tally.bits.max(1) as f64,
        host_retry_us: counters.retry_ns as f64 / host_pages as f64 / 1e3,
        errors_per_kib: mean(tally.errors),
        beyond_model: tally.beyond,
    }
}

impl ReadsSummary {
    /// What a reader must know before believing the reads of a drive.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let share = |pages: u64| 100.0 * pages as f64 / self.pages.max(1) as f64;
        let beyond = format!(
            "{} page reads ({:.3} %) lie beyond the P/E cycles, age or reads up to which the error rates of drive.reads hold",
            self.beyond_model,
            share(self.beyond_model)
        );
        let lost = format!(
            "{} page reads ({:.3} %) could not be corrected: this data would be lost",
            self.uncorrectable,
            share(self.uncorrectable)
        );
        let all = [(self.beyond_model, beyond), (self.uncorrectable, lost)];
        all.into_iter().filter(|(pages, _)| *pages > 0).map(|(_, text)| text).collect()
    }
}

/// The retries that 99 % of pages need at most.
pub(super) fn p99(by_retries: &[u64]) -> u64 {
    let pages: u64 = by_retries.iter().sum();
    let mut so_far = 0;
    let is_reached = |&of: &u64| {
        so_far += of;
        100 * so_far >= 99 * pages
    };
    by_retries.iter().position(is_reached).unwrap_or(0) as u64
}

/// Of the pages of all drives of an array.
pub fn of_array(all: &[&RunResult]) -> Option<ReadsSummary> {
    let drives: Vec<&ReadsSummary> = all.iter().filter_map(|it| it.reads.as_ref()).collect();
    let sum = |figure: fn(&ReadsSummary) -> u64| drives.iter().map(|it| figure(it)).sum::<u64>();
    let pages = sum(|it| it.pages);
    let weighted = |figure: fn(&ReadsSummary) -> f64, weight: fn(&ReadsSummary) -> u64| {
        let sum: f64 = drives.iter().map(|it| figure(it) * weight(it) as f64).sum();
        let weights: u64 = drives.iter().map(|it| weight(it)).sum();
        sum / weights.max(1) as f64
    };
    let longest = drives.iter().map(|it| it.by_retries.len()).max()?;
    let with = |n: usize| drives.iter().filter_map(|it| it.by_retries.get(n)).sum();
    let by_retries: Vec<u64> = (0..longest).map(with).collect();
    Some(ReadsSummary {
        pages,
        retries_per_page: weighted(|it| it.retries_per_page, |it| it.pages),
        retries_p99: p99(&by_retries),
        by_retries,
        sensings: ByCause {
            host: sum(|it| it.sensings.host),
            gc: sum(|it| it.sensings.gc),
            mapping: sum(|it| it.sensings.mapping),
            wear: sum(|it| it.sensings.wear),
            technique: sum(|it| it.sensings.technique),
            metadata: sum(|it| it.sensings.metadata),
            refresh: sum(|it| it.sensings.refresh),
            reclaim: sum(|it| it.sensings.reclaim),
        },
        soft_sensings: sum(|it| it.soft_sensings),
        soft_pages: sum(|it| it.soft_pages),
        uncorrectable: sum(|it| it.uncorrectable),
        uncorrectable_per_bit: weighted(|it| it.uncorrectable_per_bit, |it| it.pages),
        host_retry_us: weighted(|it| it.host_retry_us, |it| it.sensings.host),
        errors_per_kib: weighted(|it| it.errors_per_kib, |it| it.pages),
        beyond_model: sum(|it| it.beyond_model),
    })
}
