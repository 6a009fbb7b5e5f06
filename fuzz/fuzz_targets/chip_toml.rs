//! Any text is a chip or an error, and a chip can be surveyed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wordline_cell::survey::Survey;
use wordline_cell::{Chip, Conditions};

fuzz_target!(|text: &str| {
    // Most texts that a fuzzer finds are too short to be whole.
    for text in [text.to_owned(), format!("base = \"planar-tlc\"\n{text}")] {
        let Ok(chip) = Chip::parse(&text) else { continue };
        let aged = Conditions::fresh(1000.0).aged(24.0, 40.0);
        if let Ok(survey) = Survey::new("fuzz", &chip, None, &aged) {
            for state in &survey.states {
                assert!(state.density.iter().all(|share| share.is_finite()), "{}", state.name);
            }
        }
    }
});
