//! Duties beside whatever a drive has: they empty blocks that techniques hold for something else.

use crate::common::{Dice, Script};
use crate::runs::{Worked, worked};
use crate::tries::{self, Outcome};
use crate::{draw, figures, requests};
use wordline_sim::config::Config;
use wordline_sim::simulate;

const TRIES: u64 = 150;

fn attempt(number: u64) -> Outcome {
    let mut dice = Dice::new(number ^ 0xd07);
    let mut keys = draw::keys(&mut dice);
    keys.retain(|key| !key.starts_with("drive.reads.re") && !key.starts_with("run.mode"));
    keys.push("drive.reads.refresh_after_h=1e-5".into());
    keys.push("drive.reads.reclaim_reads=6".into());
    let of_requests = Dice::new(number ^ 0x5eed);
    let run = |config: &Config| {
        let requests = requests::draw(&mut of_requests.clone(), config, 1500);
        simulate(config, Script::source(requests), &mut ())
    };
    let Some(Worked { config, result }) = worked(&mut dice, (keys, 1), run) else {
        return Outcome::Refused;
    };
    let impossible = figures::impossible(&result.result);
    assert!(impossible.is_empty(), "{impossible:#?}");
    let moved = &result.result.flash.page_programs;
    let has_technique = !config.technique.is_empty();
    Outcome::Passed(u64::from(has_technique && moved.refresh + moved.reclaim > 0))
}

#[test]
fn duties_take_nothing_that_a_technique_holds() {
    let passed = tries::all(TRIES, attempt);
    passed.needs(TRIES / 3, TRIES / 20);
}
