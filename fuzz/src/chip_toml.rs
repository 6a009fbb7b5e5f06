//! Any text is a chip or an error, and of a chip everything that is derived is numbers or refused.

use std::ops::ControlFlow;
use wordline_cell::campaign::{Campaign, Settings};
use wordline_cell::erase::Scheme;
use wordline_cell::erase::cycling::lifetime_pec;
use wordline_cell::monte_carlo::{Identity, MonteCarlo};
use wordline_cell::survey::Survey;
use wordline_cell::{Chip, Conditions, Plan, WordLine, tables};

/// Tries one input.
pub fn run(text: &str) {
    // Most texts that a fuzzer finds are too short to be whole.
    let on = |base: &str| format!("base = \"{base}\"\n{text}");
    for text in [text.to_owned(), on("planar-tlc"), on("reo-tlc"), on("llh-a16")] {
        let Ok(chip) = Chip::parse(&text) else { continue };
        let aged = Conditions::fresh(1000.0).aged(24.0, 40.0);
        survey(&chip, &aged);
        derive(&chip);
        campaign(chip.clone(), aged);
        let plan = Plan::one_shot(&chip);
        let references = &plan.references;
        if let Ok(cells) = MonteCarlo::new(&chip, &plan, &aged, &WordLine::NOMINAL, references) {
            let identity = Identity { seed: 1, chip: 0, block: 0, word_line: 0 };
            assert_eq!(cells.read(identity, 0..256).cells, 256);
        }
    }
}

fn survey(chip: &Chip, conditions: &Conditions) {
    let Ok(survey) = Survey::new("fuzz", chip, None, conditions) else { return };
    for state in &survey.states {
        assert!(state.density.iter().all(|share| share.is_finite()), "{}", state.name);
    }
    for reading in &survey.reads_by {
        let shares = reading.rber.iter().chain(&reading.codeword_failure);
        assert!(shares.into_iter().all(|share| (0.0..=1.0).contains(share)), "{reading:?}");
    }
}

/// The tables, and lives by every scheme.
fn derive(chip: &Chip) {
    for table in tables::of("fuzz", chip).unwrap_or_default() {
        let rows = table.text.lines().skip(2).flat_map(|row| row.split(','));
        let odd = rows.into_iter().find(|field| ["NaN", "inf", "-inf"].contains(field));
        assert_eq!(odd, None, "{}", table.file);
    }
    if let Some(erase) = &chip.erase {
        for scheme in Scheme::ALL {
            let pec = lifetime_pec(erase, scheme);
            assert!(pec.is_finite() && pec >= 0.0, "{scheme:?}: {pec}");
        }
    }
}

/// A chip of one small block.
fn campaign(mut chip: Chip, conditions: Conditions) {
    (chip.geometry.layers, chip.geometry.word_lines_per_layer) = (1, 3);
    chip.variation.spread = 0.0; // a grid of thousands of nodes takes seconds
    chip.variation.reach = 0.0;
    let settings = Settings {
        mode: None,
        conditions,
        is_optimal: false,
        chips: 1,
        pages: 9,
        precision: 0.0,
        confidence: 0.95,
        seed: 1,
        threads: 1,
    };
    let Ok(mut campaign) = Campaign::new(chip, settings, vec![]) else { return };
    campaign.run(|_| ControlFlow::Continue(()));
    let found = campaign.outcome().expect("one chip");
    assert!(found.errors.is_finite() && found.errors >= 0.0, "{found:?}");
}
