//! Whatever a campaign's file keeps, the campaign goes on from it or refuses it.

use std::ops::ControlFlow;
use wordline_cell::campaign::{Campaign, ChipTally, Settings};
use wordline_cell::{Chip, Conditions};

/// One block of a chip with three word lines: nine pages.
fn chip() -> Chip {
    let mut chip = Chip::preset("planar-tlc").expect("a preset");
    chip.geometry.word_lines_per_layer = 3;
    chip
}

/// Tries one input.
pub fn run(text: &str) {
    let Ok(done) = serde_json::from_str::<Vec<ChipTally>>(text) else { return };
    let settings = Settings {
        mode: None,
        conditions: Conditions::fresh(1000.0),
        is_optimal: true,
        chips: 3,
        pages: 27,
        precision: 0.0,
        confidence: 0.95,
        seed: 1,
        threads: 1,
    };
    let Ok(mut campaign) = Campaign::new(chip(), settings, done) else { return };
    campaign.run(|_| ControlFlow::Continue(()));
    let found = campaign.outcome().expect("three chips");
    assert!(found.chips == 3 && found.errors.is_finite() && found.errors >= 0.0, "{found:?}");
}
