//! Drives that can be bought, against published logs of them.
//!
//! The published values stand in `experiments/drives/expected.csv`, with what each served for. Numbers that
//! were fitted follow from the rows marked `yes`, here and now.

mod fit;
mod micron_7450;
mod p5520;
mod pace;
mod published;
mod scaled;
mod shrunk;
mod zones;

use crate::case::Case;

/// The runs: all of them together take seconds.
pub fn cases(_quick: bool) -> Vec<Case> {
    let mut cases = micron_7450::cases();
    cases.extend(p5520::cases());
    cases
}

#[cfg(test)]
mod tests;
