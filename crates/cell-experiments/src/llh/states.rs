//! Figure 2: which states cells reach when a page is programmed a second time.

use super::super::Findings;
use super::CHIPS;
use wordline_cell::pagewise::Pages;
use wordline_cell::{Chip, Density, Error, Levels};

/// Share of the cells that must reach a state for a transition to have succeeded.
const SUCCEEDED: f64 = 0.99;

/// What was programmed, low page first; then what is, and the state that it should give.
struct Transition {
    name: &'static str,
    before: (bool, bool),
    bit: bool,
    wanted: usize,
}

const fn to(name: &'static str, before: (bool, bool), bit: bool, wanted: usize) -> Transition {
    Transition { name, before, bit, wanted }
}

const ER: (bool, bool) = (true, true);
const P1: (bool, bool) = (true, false);
const P2: (bool, bool) = (false, false);
const P3: (bool, bool) = (false, true);

/// All that a code for write-once memory asks for: no 0 becomes 1.
const LHL: [Transition; 6] = [
    to("ER", ER, true, 0),
    to("ER-P3", ER, false, 3),
    to("P1", P1, true, 1),
    to("P1-P2", P1, false, 2),
    to("P2", P2, false, 2),
    to("P3", P3, false, 3),
];
const LHH: [Transition; 6] = [
    to("ER", ER, true, 0),
    to("ER-P1", ER, false, 1),
    to("P1", P1, false, 1),
    to("P2", P2, false, 2),
    to("P3", P3, true, 3),
    to("P3-P2", P3, false, 2),
];
/// The inverted code: no 1 becomes 0. What is wanted is the high bit; its states share the low one.
const INVERTED: [Transition; 6] = [
    to("ER", ER, true, 0),
    to("P1", P1, false, 1),
    to("P1-ER", P1, true, 0),
    to("P2", P2, false, 2),
    to("P2-P3", P2, true, 3),
    to("P3", P3, true, 3),
];

/// Those of which the publication's text says something by themselves.
const NAMED: [(&str, &str); 4] =
    [("LHL", "ER-P3"), ("LHL", "P1-P2"), ("LHH", "P1"), ("LHH", "P3-P2")];

type Again<'a> = dyn Fn(&Density, bool) -> Density + 'a;

fn programmed(pages: &Pages, chip: &Chip, (low, high): (bool, bool)) -> Density {
    let erased = Density::normal(chip.erased.mean, chip.erased.sigma);
    pages.high(&pages.low(&erased, low), high)
}

pub(super) fn find(findings: &mut Findings) -> Result<(), Error> {
    for (name, preset) in CHIPS {
        let chip = Chip::preset(preset)?;
        let pages = Pages::of(&chip)?;
        let low_again: &Again = &|cells, bit| pages.low_again(cells, bit);
        let high_again: &Again = &|cells, bit| pages.high_again(cells, bit);
        for (scheme, transitions, again) in [("LHL", &LHL, low_again), ("LHH", &LHH, high_again)] {
            let mut failed = 0;
            for change in transitions {
                let cells = again(&programmed(&pages, &chip, change.before), change.bit);
                let (state, share) = pages.read_as(&cells);
                failed += u32::from(state != change.wanted || share < SUCCEEDED);
                if NAMED.contains(&(scheme, change.name)) {
                    findings.set(format!("llh/fig2/{scheme}/{}/{name}", change.name), state as f64);
                }
            }
            findings.set(format!("llh/fig2/{scheme}/failed/{name}"), f64::from(failed));
        }
        let [low, high] = wrong_bits(&pages, &chip, high_again);
        findings.set(format!("llh/fig2/inverted/high_wrong/{name}"), f64::from(high));
        findings.set(format!("llh/fig2/inverted/low_wrong/{name}"), f64::from(low));
        findings.set(format!("llh/fig2/LLH/failed/{name}"), f64::from(low_low_high(&pages, &chip)));
    }
    Ok(())
}

/// Of the transitions of the inverted code, those that leave the low bit wrong, and the high one.
fn wrong_bits(pages: &Pages, chip: &Chip, again: &Again) -> [u32; 2] {
    let gray = Levels::Mlc.gray();
    let mut wrong = [0; 2];
    for change in &INVERTED {
        let cells = again(&programmed(pages, chip, change.before), change.bit);
        let (state, _) = pages.read_as(&cells);
        for (page, count) in wrong.iter_mut().enumerate() {
            *count += u32::from((gray[state] ^ gray[change.wanted]) >> page & 1);
        }
    }
    wrong
}

/// How many ways from the erased state through two programs of the low page and one of the high
/// page do not end where they should.
fn low_low_high(pages: &Pages, chip: &Chip) -> u32 {
    let erased = Density::normal(chip.erased.mean, chip.erased.sigma);
    let mut failed = 0;
    for (first, second) in [(true, true), (true, false), (false, false)] {
        for (high, wanted) in
            [(true, if second { 0 } else { 3 }), (false, if second { 1 } else { 2 })]
        {
            let cells = pages.high(&pages.low(&pages.low(&erased, first), second), high);
            let (state, share) = pages.read_as(&cells);
            failed += u32::from(state != wanted || share < SUCCEEDED);
        }
    }
    failed
}
