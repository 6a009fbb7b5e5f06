//! Every prototype on drives with every feature that touches placement or garbage collection: the
//! map stays whole, nothing is refused, and reads find what was written.

use crate::common::{Dice, at};
use crate::dispatcher::{Dispatcher, small_and_large};
use crate::harness::{drive, run_hooks, schedulers};
use crate::reprogram::Reprogramming;
use crate::second_pass::TwoPasses;
use crate::two_stages::TwoStages;
use wordline_sim::config::{
    Allocation, Cell, Config, FrontierScope, Frontiers, GcMode, GcScope, GroupConfig,
    HotnessChoice, MapCacheChoice, Pattern, VictimChoice, WearChoice,
};
use wordline_sim::technique::{Stack, Technique};
use wordline_trace::{Op, Request};

type Make = fn() -> Box<dyn Technique>;

/// A prototype, its name, and the program times of the page types of the cells that it is for.
const TECHNIQUES: [(&str, &[f64], Make); 4] = [
    ("reprogramming", TLC_US, || Box::new(Reprogramming::new(2))),
    ("two passes", MLC_US, || Box::new(TwoPasses::new(2))),
    ("two stages", TLC_US, || Box::new(TwoStages::new(20_000))),
    ("dispatcher", TLC_US, || Box::new(Dispatcher::new(true))),
];
const MLC_US: &[f64] = &[500.0, 900.0];
const TLC_US: &[f64] = &[500.0, 600.0, 900.0];

type Change = fn(&mut Config);

const FEATURES: [(&str, Change); 14] = [
    ("none", |_| ()),
    ("background GC", |config| config.ftl.gc.mode = GcMode::Background),
    ("preemptible GC", |config| config.ftl.gc.mode = GcMode::Preemptible),
    ("FIFO", |config| config.ftl.gc.policy = VictimChoice::Fifo),
    ("shared frontiers", |config| config.ftl.frontiers = Frontiers::Shared),
    ("blocks shared by the planes of a die", |config| {
        config.ftl.frontier_scope = FrontierScope::Die;
        config.ftl.gc.scope = GcScope::Die;
    }),
    ("one collector", |config| config.ftl.gc.scope = GcScope::Drive),
    ("static wear levelling", |config| {
        config.ftl.wear.policy = WearChoice::Static;
        config.ftl.wear.threshold = 2;
    }),
    ("a map in flash", |config| {
        config.ftl.map_cache.policy = MapCacheChoice::Dftl;
        config.ftl.map_cache.capacity_kib = 1.0;
    }),
    ("planes together", |config| config.drive.chip.multi_plane = true),
    ("temperatures", |config| config.ftl.hotness.policy = HotnessChoice::Size),
    ("two kinds of flash", two_kinds),
    ("two kinds of flash, dynamic", |config| {
        two_kinds(config);
        config.ftl.allocation = Allocation::Dynamic;
    }),
    ("a steady state", |config| config.precondition.pattern = Pattern::Steady),
];

/// Beside the two dies, one of the same cells with half as many blocks, all of its planes together.
fn two_kinds(config: &mut Config) {
    let usual = GroupConfig { chip: config.drive.chip.clone(), ..GroupConfig::default() };
    let mut other = GroupConfig { first_channel: 1, ..usual.clone() };
    other.chip.blocks_per_plane = 12;
    other.chip.erase_ms = 1.0;
    config.drive.group = [("usual".into(), usual), ("other".into(), other)].into();
}

/// Two dies of two planes of 16 blocks.
fn two_dies(program_us: &[f64]) -> Config {
    let cell = if program_us.len() == 2 { Cell::Mlc } else { Cell::Tlc };
    let mut config = drive(cell, 12, program_us);
    config.drive.channels = 2;
    config.drive.chip.planes = 2;
    config.drive.over_provisioning = 2.0;
    config.ftl.gc.background_threshold = 0.2;
    config.ftl.gc.idle_us = 500.0;
    config
}

/// Bursts of writes with reads and trims among them, and pauses after each.
fn bursts() -> Vec<Request> {
    let mut dice = Dice::new(4);
    let mut requests = small_and_large(4000);
    for (request, n) in requests.iter_mut().zip(0u64..) {
        let us = n / 40 * 40_000 + n % 40 * 500;
        *request = match dice.below(10) {
            0 => at(us, Op::Read, dice.below(200), 1),
            1 => at(us, Op::Trim, dice.below(200), 1),
            _ => Request { arrival_ns: us * 1000, ..*request },
        };
    }
    requests
}

#[test]
fn prototypes_work_with_every_feature_of_the_drive() {
    let requests = bursts();
    for (feature, change) in FEATURES {
        for (name, program_us, make) in TECHNIQUES {
            let mut config = two_dies(program_us);
            change(&mut config);
            for config in schedulers(&config) {
                let stack = Stack::new(vec![(name.to_owned(), make())]).expect("one technique");
                let result = run_hooks(&config, stack, requests.clone());
                let what = format!("{name} with {feature}, {}", config.run.mode);
                assert_eq!(result.host.refused_writes, 0, "{what}");
                assert!(result.flash.erases > 0, "{what}");
            }
        }
    }
}
