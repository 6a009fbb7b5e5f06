//! A naive drive with Centaur, of one die of each kind, by lists and linear scans: it must count as the engine
//! does, whatever the drive and the requests.

mod flash;
mod naive;

use crate::common::{Dice, Script, at};
use crate::harness::figure;
use crate::rig::*;
use naive::{Counts, Drive};
use wordline_sim::config::{Config, RunMode};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::centaur::{Centaur, CentaurConfig, Partial};
use wordline_sim::{Error, logical_bytes};
use wordline_trace::{Op, Request};

const DRIVES: u64 = 1_000;

fn counts_of(result: &RunResult) -> Counts {
    let of = |name| figure(result, name);
    let groups = &result.wear.groups;
    let erases = |group: usize| groups[group].erases_mean * groups[group].blocks as f64;
    Counts {
        dispatched: [of("dispatched_2d_parts"), of("dispatched_3d_parts")],
        sent_on: of("sent_on_parts"),
        migrated: of("migrated_units"),
        merged: of("merged_units"),
        programs_3d: of("programs_3d"),
        padding: result.flash.padding,
        collections: result.gc.count,
        moved: result.gc.pages_moved,
        criterion: of("criterion_bytes"),
        erases: [TWO_D, THREE_D].map(|group| erases(group).round() as u64),
        most_erases: [TWO_D, THREE_D].map(|group| groups[group].erases_max),
        valid: valid(result),
    }
}

/// A drive of one die of each kind, its technique, and requests of which some trim.
pub fn case(seed: u64) -> (Config, CentaurConfig, Vec<Request>) {
    let mut dice = Dice::new(seed);
    let mut config = two_kinds();
    config.drive.channels = 1;
    config.run.mode = RunMode::Count;
    config.drive.over_provisioning = dice.pick(&[0.25, 0.4, 0.7, 1.0]);
    config.ftl.gc.free_block_threshold = dice.pick(&[0.05, 0.1, 0.2]);
    for (name, group) in &mut config.drive.group {
        let (blocks, pages) = match name.as_str() {
            "a-slc" => (dice.between(8, 24), dice.between(4, 16)),
            _ => (dice.between(8, 16), 3 * dice.between(1, 6)),
        };
        (group.chip.blocks_per_plane, group.chip.pages_per_block) = (blocks, pages);
        // Both kinds spend their lives at rates that are near one another.
        group.chip.endurance_pec = if name == "a-slc" { dice.pick(&[100, 300, 1000]) } else { 100 };
    }
    let own = CentaurConfig {
        min_bytes: UNIT,
        initial_bytes: dice.between(2, 8) * UNIT,
        max_bytes: dice.between(8, 12) * UNIT,
        step_bytes: dice.pick(&[0, UNIT]),
        period_parts: dice.between(1, 60),
        partial: dice.pick(Partial::ALL),
        migrate: !dice.one_in(4),
        ..dispatcher()
    };
    let units = logical_bytes(&config).map_or(1, |bytes| bytes / UNIT);
    let hot = (units / dice.between(2, 10)).max(1);
    let (longest, trims) = (dice.between(1, 30).min(units), dice.pick(&[0, 20]));
    let draw = |n: u64| {
        let length = dice.between(1, longest);
        let span = if dice.one_in(3) { units } else { hot.max(length) };
        let first = dice.below(span - length + 1);
        let op = if trims > 0 && dice.one_in(trims) { Op::Trim } else { Op::Write };
        at(n * 1000, op, first, length as u32)
    };
    (config, own, (0..600).map(draw).collect())
}

/// What the naive drive counts; `None` where it has no room left.
fn naive(config: &Config, own: &CentaurConfig, requests: &[Request]) -> Option<Counts> {
    let mut drive = Drive::new(config, own);
    for request in requests {
        let first = request.offset_bytes / UNIT;
        let end = first + u64::from(request.size_bytes) / UNIT;
        match request.op {
            Op::Trim => (first..end).for_each(|lpn| drive.forget(lpn)),
            _ => drive.request(first, end),
        }
        if drive.is_stuck {
            return None;
        }
    }
    Some(drive.counts())
}

#[test]
fn a_naive_drive_counts_the_same() {
    let only = std::env::var("REFERENCE_SEED").ok().and_then(|seed| seed.parse().ok());
    let (mut compared, mut migrated, mut worn, mut seed) = (0, 0, 0, only.unwrap_or(0));
    while compared < if only.is_some() { 1 } else { DRIVES } {
        assert!(seed < 8 * DRIVES, "only {compared} drives could be compared");
        let (config, own, requests) = case(seed);
        seed += 1;
        let outcome = Centaur::new(own.clone(), &config).and_then(|technique| {
            let source = Script::source(requests.clone());
            wordline_sim::with(&config, technique, source, &mut ())
        });
        let result = match outcome {
            Ok(outcome) => outcome.result,
            Err(Error::Infeasible { .. }) => continue,
            Err(error) => panic!("{error}, REFERENCE_SEED={}", seed - 1),
        };
        if result.wear.worn_out_blocks > 0 {
            continue;
        }
        let found = (result.host.refused_writes == 0).then(|| counts_of(&result));
        let expected = naive(&config, &own, &requests);
        assert!(
            expected == found,
            "engine {found:?}\nnaive  {expected:?}\nREFERENCE_SEED={} with {own:?}",
            seed - 1
        );
        compared += 1;
        migrated += u64::from(found.as_ref().is_some_and(|it| it.migrated > 0));
        worn += u64::from(found.is_some_and(|it| it.erases.iter().all(|&erases| erases > 0)));
    }
    let covered = only.is_some() || (migrated > DRIVES / 4 && worn > DRIVES / 4);
    assert!(covered, "{migrated} drives migrated data, {worn} erased both kinds");
}
