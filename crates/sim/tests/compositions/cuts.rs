//! Power cuts.

use crate::common::{Dice, Script};
use crate::runs::{Worked, worked};
use crate::tries::{self, Outcome};
use crate::{draw, requests};
use wordline_sim::config::Config;
use wordline_sim::{CutChoice, power_cuts};

const TRIES: u64 = 80;

/// Keys that decide whether anything may be lost.
const RULES: [&str; 8] = [
    "power.flushes",
    "power.erase_waits",
    "power.flush_completes",
    "power.preserves",
    "power.remembers_trims",
    "power.erases_again",
    "array.fail",
    "array.spare",
];

/// The keys of a drive whose power can be cut.
fn keys(dice: &mut Dice) -> Vec<String> {
    let mut keys = draw::keys(dice);
    keys.retain(|key| !RULES.iter().any(|rule| key.starts_with(rule)));
    let protection = dice.pick(&["none", "none", "none", "0", "1e5", "1e7"]);
    keys.push(format!("power.protection={protection}"));
    if dice.one_in(4) {
        keys.push(format!("power.checkpoint_share={}", dice.pick(&[0.02, 0.2])));
    }
    keys
}

fn attempt(number: u64) -> Outcome {
    let mut dice = Dice::new(number);
    let keys = keys(&mut dice);
    let choice = CutChoice { every: dice.pick(&[7, 31, 101]), at: None };
    let of_requests = Dice::new(number ^ 0x5eed);
    let run = |config: &Config| {
        let requests = requests::draw(&mut of_requests.clone(), config, 400);
        power_cuts(config, Script::source(requests), choice, &mut ())
    };
    let Some(Worked { result, .. }) = worked(&mut dice, (keys, 1), run) else {
        return Outcome::Refused;
    };
    let losing = result.losing_cuts + result.losing_double_cuts;
    assert_eq!(losing, 0, "{:#?}", result.losses.first());
    Outcome::Passed(result.cuts + result.double_cuts)
}

#[test]
fn nothing_that_was_promised_is_missing() {
    let passed = tries::all(TRIES, attempt);
    passed.needs(TRIES / 8, 100 * TRIES);
}
