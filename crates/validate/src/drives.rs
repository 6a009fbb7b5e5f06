//! Drives that can be bought, against published logs of them.
//!
//! The published values stand in `experiments/drives/expected.csv`, with what each served for. Numbers that
//! were fitted follow from the rows marked `yes`, here and now.

mod cliff;
mod data_sheet;
mod fit;
mod load;
mod micron_7450;
mod p5520;
mod pace;
mod published;
mod recovery;
mod scaled;
mod shrunk;
mod smaller;
mod zones;

use crate::case::Case;
pub use fit::{Evidence, Log, Point};
use scaled::{Layout, Scaled};
use wordline_sim::config::Config;

/// The runs: data sheets, and unless it must be `quick` logs and reviews, which take minutes.
pub fn cases(quick: bool) -> Vec<Case> {
    let mut cases = data_sheet::cases();
    if quick {
        return cases;
    }
    cases.extend(micron_7450::cases());
    cases.extend(p5520::cases());
    cases.extend(load::cases());
    cases.extend(cliff::cases());
    cases.extend(recovery::cases());
    cases
}

/// A drive with such a log that exports `exported_gib` and erases `block_gib` together, as a configuration:
/// `units` stand for the room of its log.
pub fn configuration(log: Log, exported_gib: f64, block_gib: f64, units: f64) -> Config {
    let drive = Scaled::new(log, exported_gib, Layout::greedy(block_gib));
    Scaled { log_units: units, ..drive }.config()
}

#[cfg(test)]
mod tests;
