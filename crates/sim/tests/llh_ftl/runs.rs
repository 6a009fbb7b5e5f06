//! Whole runs: what must be conserved, under every reading and with the drive's features.

use crate::common::{Script, at};
use crate::harness::{logical_units, run_hooks, schedulers};
use crate::rig::{all_hot, bank, figure, mixed, plain, run, technique, writes};
use wordline_sim::config::{
    Config, FrontierScope, Frontiers, GcCounts, GcMode, GcScope, Pattern, VictimChoice, WearChoice,
};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::StreamId;
use wordline_sim::nand::Located;
use wordline_sim::nand::command::Cause;
use wordline_sim::technique::llh_ftl::{LlhFtlConfig, Order, ReuseWhen, Updated};
use wordline_sim::technique::{Cells, Observer, Placement, Stack, Technique};
use wordline_trace::Op;

const COLDEST: StreamId = StreamId(1);

/// Nine writes in ten go to an eighth of the data.
fn skewed(config: &Config, count: u64) -> Vec<wordline_trace::Request> {
    let units = logical_units(config);
    mixed(count, 90, units / 8, units)
}

#[test]
fn an_encoding_fails_as_often_as_the_code_says() {
    let own = LlhFtlConfig { failure: 0.05, ..plain() };
    for result in run(&bank(), &own, &all_hot(40_000)) {
        let failures = figure(&result, "/encoding/failures") as f64;
        let pages = failures + figure(&result, "/reprograms") as f64;
        // Four standard deviations of a binomial share.
        let deviation = 4.0 * (0.05 * 0.95 / pages).sqrt();
        assert!(
            pages > 5000.0 && (failures / pages - 0.05).abs() < deviation,
            "{failures}, {pages}"
        );
        assert_eq!(figure(&result, "/encoding/units_to_cold_blocks") as f64, failures);
    }
}

#[test]
fn where_no_page_can_be_encoded_hot_data_goes_to_cold_blocks_and_the_drive_lives() {
    let own = LlhFtlConfig { failure: 1.0, ..plain() };
    for result in run(&bank(), &own, &all_hot(20_000)) {
        assert_eq!((result.flash.reprograms, result.host.refused_writes), (0, 0));
        // 22 first rounds of 8 units; whatever comes later finds a low page that cannot be encoded.
        assert_eq!(figure(&result, "/encoding/units_to_cold_blocks"), 20_000 - 22 * 8);
    }
}

#[test]
fn the_first_page_of_a_second_round_may_fail_too() {
    let own = LlhFtlConfig { failure: 1.0, ..plain() };
    for result in run(&bank(), &own, &all_hot(22 * 8 + 1)) {
        assert_eq!(figure(&result, "/encoding/failures"), 1);
        assert_eq!(result.flash.reprograms, 0);
    }
}

#[test]
fn it_counts_what_the_host_writes_hot_and_where_hot_data_is_read() {
    let config = bank();
    let units = logical_units(&config);
    // Sixteen hot units fill two blocks' low pages; then as many cold ones, and each is read once.
    let cold = units / 2..units / 2 + 16;
    let mut requests = writes((0..16).chain(cold.clone()));
    let last_us = requests.last().map_or(0, |last| last.arrival_ns / 1000) + 1_000_000;
    let reads = (0..16).chain(cold).zip(0..);
    requests.extend(reads.map(|(unit, n)| at(last_us + n * 1000, Op::Read, unit, 1)));
    for result in run(&config, &plain(), &requests) {
        let counts = ["/writes/hot", "/writes/cold", "/hot_reads/low", "/hot_reads/high"];
        assert_eq!(counts.map(|path| figure(&result, path)), [16, 16, 16, 0]);
        assert_eq!(result.technique["writes"]["hot_share"], 0.5);
    }
    // A first round takes 8 units, all on low pages; a second one 4 there and 8 on high pages.
    let mut found = [0, 0];
    for last in [2_000, 2_006, 2_012] {
        let mut requests = all_hot(last);
        let last_us = requests.last().map_or(0, |last| last.arrival_ns / 1000) + 1_000_000;
        requests.extend((0..8).map(|unit| at(last_us + unit * 1000, Op::Read, unit, 1)));
        let [result, ..] = run(&config, &plain(), &requests);
        let reads = ["/hot_reads/low", "/hot_reads/high"].map(|path| figure(&result, path));
        assert_eq!(reads[0] + reads[1], 8);
        found = [found[0] + reads[0], found[1] + reads[1]];
    }
    assert!(found[0] > 0 && found[1] > 0, "{found:?}");
}

/// Sees to it that what garbage collection moves goes where it should.
struct MovesAreCold;

impl Technique for MovesAreCold {}
impl Placement for MovesAreCold {}
impl Cells for MovesAreCold {}
impl Observer for MovesAreCold {
    fn written(&mut self, state: &DriveState, at: &Located, cause: Cause, _: u64) {
        if cause == Cause::Gc {
            assert_eq!(state.blocks[at.block].stream(), COLDEST);
        }
    }
}

#[test]
fn what_garbage_collection_moves_is_cold() {
    let config = bank();
    let llh: Box<dyn Technique> = Box::new(technique(&plain(), &config));
    let both = vec![("llh".to_owned(), llh), ("watch".to_owned(), Box::new(MovesAreCold) as _)];
    let stack = Stack::new(both).expect("one of them only watches");
    let result = run_hooks(&config, stack, skewed(&config, 20_000));
    assert!(result.gc.pages_moved > 1000);
}

fn pairs<A, B>(
    one: &'static [A],
    other: &'static [B],
) -> impl Iterator<Item = (&'static A, &'static B)> {
    one.iter().flat_map(|a| other.iter().map(move |b| (a, b)))
}

#[test]
fn every_reading_serves_every_request_alike_under_all_schedulers() {
    for &frontiers in Frontiers::ALL {
        for (&updated, &reuse_when) in pairs(Updated::ALL, ReuseWhen::ALL) {
            for &order in Order::ALL {
                let mut config = bank();
                config.ftl.frontiers = frontiers;
                let moved = LlhFtlConfig { failure: 0.01, floor: 1, steps: 2, ..plain() };
                let own = LlhFtlConfig { updated, reuse_when, order, ..moved };
                for result in run(&config, &own, &skewed(&config, 6000)) {
                    let what = format!("{frontiers}, {updated}, {reuse_when}, {order}");
                    assert_eq!(result.host.refused_writes, 0, "{what}");
                    assert_eq!(result.flash.page_programs.host, 6000, "{what}");
                    assert!(result.flash.reprograms > 100, "{what}");
                }
            }
        }
    }
}

#[test]
fn reuse_saves_erases_where_hot_data_dies_before_the_second_round() {
    let mut config = bank();
    config.drive.over_provisioning = 1.0;
    let units = logical_units(&config);
    let requests = mixed(40_000, 95, 8, units);
    let baseline = crate::common::run(&config, requests.clone());
    let with = &run(&config, &plain(), &requests)[1];
    assert!(
        with.flash.erases < baseline.flash.erases,
        "{:?}",
        (with.flash.erases, baseline.flash.erases)
    );
}

type Change = fn(&mut Config);

const FEATURES: [(&str, Change); 9] = [
    ("background GC", |config| {
        config.ftl.gc.mode = GcMode::Background;
        config.ftl.gc.background_threshold = 0.25;
        config.ftl.gc.idle_us = 500.0;
    }),
    ("preemptible GC", |config| {
        config.ftl.gc.mode = GcMode::Preemptible;
        config.ftl.gc.idle_us = 500.0;
    }),
    ("free pages", |config| config.ftl.gc.counts = GcCounts::Pages),
    ("FIFO", |config| config.ftl.gc.policy = VictimChoice::Fifo),
    ("planes of a die together", |config| {
        config.drive.chip.planes = 2;
        config.ftl.frontier_scope = FrontierScope::Die;
        config.ftl.gc.scope = GcScope::Die;
    }),
    ("one collector", |config| {
        config.drive.chip.planes = 2;
        config.ftl.gc.scope = GcScope::Drive;
    }),
    ("static wear levelling", |config| {
        config.ftl.wear.policy = WearChoice::Static;
        config.ftl.wear.threshold = 2;
    }),
    ("a steady state", |config| config.precondition.pattern = Pattern::Steady),
    ("blocks that wear out", |config| {
        config.drive.chip.endurance_pec = 100_000;
        config.drive.chip.endurance_sigma = 0.05;
    }),
];

#[test]
fn it_works_with_every_feature_of_the_drive() {
    for (feature, change) in FEATURES {
        let mut config = bank();
        change(&mut config);
        let requests = skewed(&config, 5000);
        for config in schedulers(&config) {
            let hooks = crate::harness::stacked(technique(&plain(), &config));
            let result = run_hooks(&config, hooks, requests.clone());
            let what = format!("{feature}, {}", config.run.mode);
            assert_eq!(result.host.refused_writes, 0, "{what}");
            assert!(result.flash.erases > 0, "{what}");
            // Where GC sees to it in idle time that blocks are erased, none need be reused.
            let is_told = result.warnings.iter().any(|text| text.contains("ftl.gc.mode"));
            assert_eq!(is_told, config.ftl.gc.mode != GcMode::Foreground, "{what}");
            assert!(result.flash.reprograms > 0 || is_told, "{what}");
        }
    }
}

#[test]
fn a_drive_without_room_for_reuse_gives_blocks_up_and_says_so() {
    let mut config = bank();
    config.drive.over_provisioning = 0.3;
    let units = logical_units(&config);
    let requests = crate::rig::writes((0..12_000).map(|n| (n * 7919) % units));
    let own = LlhFtlConfig { threshold: 1.0, ..plain() };
    let source = Script::source(requests);
    let outcome = wordline_sim::with(&config, technique(&own, &config), source, &mut ());
    let result = outcome.expect("the drive lives").result;
    assert_eq!(result.host.refused_writes, 0);
    let warned = result.warnings.iter().any(|text| text.contains("partially used blocks"));
    assert_eq!(warned, figure(&result, "/rounds/surrendered") > 0, "{:?}", result.technique);
}
