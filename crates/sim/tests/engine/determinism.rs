//! Same input, same bits: between two runs, between compiled and run-time technique, between
//! modes, and from the configuration that a result carries.

use crate::common::{Dice, Script, at, outcome, run, tiny};
use serde_json::Value;
use wordline_sim::config::{
    Config, HostMode, HotnessChoice, MapCacheChoice, Pattern, RunMode, ServiceOrder, VictimChoice,
    WearChoice,
};
use wordline_sim::metrics::RunResult;
use wordline_sim::{simulate, simulate_dynamic};
use wordline_trace::{Op, Request};

/// A result as others see it, less what the machine's speed makes of it.
fn json(result: &RunResult) -> Value {
    let mut value = serde_json::to_value(result).expect("a result has a text");
    value.as_object_mut().expect("it is a table").remove("simulator");
    value
}

fn requests(seed: u64, config: &Config) -> Vec<Request> {
    let pages = crate::common::logical_pages(config);
    let mut dice = Dice::new(seed);
    let mut now_us = 0;
    let request = |_| {
        now_us += dice.below(900);
        let op = dice.pick(&[Op::Write, Op::Write, Op::Read, Op::Trim]);
        let count = dice.between(1, 4);
        at(now_us, op, dice.below(pages - count), count as u32)
    };
    (0..1500).map(request).collect()
}

/// Drives that differ in what is random, and in what keeps time.
fn configs() -> Vec<Config> {
    let mut base = tiny();
    base.drive.channels = 2;
    base.drive.chip.planes = 2;
    base.drive.chip.blocks_per_plane = 24;
    base.run.mode = RunMode::Timed;
    base.run.series_points = 10;
    let mut configs = vec![base; 6];
    configs[1].ftl.gc.policy = VictimChoice::DChoices;
    configs[1].precondition.pattern = Pattern::Steady;
    configs[2].ftl.gc.policy = VictimChoice::Random;
    configs[2].precondition.pattern = Pattern::Random;
    configs[2].host.mode = HostMode::Closed;
    configs[2].host.queue_depth = 4;
    configs[3].ftl.map_cache.policy = MapCacheChoice::Dftl;
    configs[3].ftl.map_cache.capacity_kib = 1.0;
    configs[3].ftl.hotness.policy = HotnessChoice::Size;
    configs[4].ftl.gc.policy = VictimChoice::CostBenefit;
    configs[4].ftl.wear.policy = WearChoice::Static;
    configs[4].ftl.wear.threshold = 3;
    configs[5].drive.chip.bad_blocks = 0.05;
    configs[5].drive.chip.endurance_pec = 30;
    configs[5].drive.chip.endurance_sigma = 0.2;
    configs[5].precondition.pattern = Pattern::Sequential;
    let with_reads_first = configs.clone().into_iter().map(|mut config| {
        config.drive.scheduling.order = ServiceOrder::ReadsFirst;
        config.drive.scheduling.suspend_program = true;
        config.drive.scheduling.suspend_erase = true;
        config
    });
    configs.iter().cloned().chain(with_reads_first).collect()
}

/// A write buffer's timer that is never due keeps a drive from the code that is compiled for those without any.
#[test]
fn a_plain_drive_does_what_any_drive_does() {
    for (seed, mut config) in configs().into_iter().enumerate() {
        for depth in [1, 4, 16] {
            config.host.mode = HostMode::Closed;
            config.host.queue_depth = depth;
            config.host.flush_interval_s = 0.0;
            let plain = figures(&run(&config, requests(seed as u64, &config)));
            config.host.flush_interval_s = 1e9;
            assert_eq!(plain, figures(&run(&config, requests(seed as u64, &config))), "{config:?}");
        }
    }
}

/// A result without the configuration that it carries.
fn figures(result: &RunResult) -> Value {
    let mut value = json(result);
    value.as_object_mut().expect("it is a table").remove("config");
    value
}

#[test]
fn the_same_run_gives_the_same_bits() {
    for (seed, config) in configs().iter().enumerate() {
        let requests = requests(seed as u64, config);
        let first = json(&run(config, requests.clone()));
        assert_eq!(first, json(&run(config, requests)), "{}", config.to_toml());
    }
}

#[test]
fn another_seed_gives_another_run() {
    let mut config = configs().swap_remove(1);
    let requests = requests(1, &config);
    let first = run(&config, requests.clone());
    config.run.seed += 1;
    let second = run(&config, requests);
    assert_ne!(first.gc.pages_moved, second.gc.pages_moved);
}

#[test]
fn a_technique_chosen_at_run_time_changes_nothing() {
    for (seed, config) in configs().iter().enumerate() {
        let requests = requests(seed as u64, config);
        let fixed = simulate(config, Script::source(requests.clone()), &mut ()).expect("it works");
        let chosen = simulate_dynamic(config, Script::source(requests), &mut ()).expect("it works");
        assert_eq!(json(&fixed.result), json(&chosen.result), "{}", config.to_toml());
        assert_eq!(fixed.series, chosen.series);
    }
}

#[test]
fn the_configuration_of_a_result_gives_it_again() {
    for (seed, config) in configs().iter().enumerate() {
        let requests = requests(seed as u64, config);
        let first = run(config, requests.clone());
        let again: Config = serde_json::from_value(first.config.clone()).expect("it is whole");
        assert_eq!(json(&first), json(&run(&again, requests.clone())));
        let text = config.to_toml();
        let read = wordline_sim::config::load(&text, "result", &[]).expect("it is valid");
        assert_eq!(json(&first), json(&run(&read, requests)), "{text}");
    }
}

/// The FTL decides without looking at the clock, so every way to keep time gives the same counts. Only a page of the
/// map is read as often as no read of it is under way.
#[test]
fn time_changes_no_count() {
    for (seed, config) in configs().iter().enumerate() {
        let requests = requests(seed as u64, config);
        let counts = |mode: RunMode, order: ServiceOrder| {
            let mut config = config.clone();
            config.run.mode = mode;
            config.drive.scheduling.order = order;
            let result = outcome(&config, requests.clone()).expect("it works").result;
            let flash = &result.flash;
            let mut reads = flash.page_reads;
            if config.ftl.map_cache.policy == MapCacheChoice::Dftl {
                assert!(reads.mapping > 0);
                reads.mapping = 0;
            }
            (
                serde_json::to_value((flash.page_programs, flash.erases, &result.gc.pages_moved))
                    .expect("counts have a text"),
                serde_json::to_value((reads, result.capacity.free_pages))
                    .expect("counts have a text"),
                result.wear.histogram.clone(),
            )
        };
        let untimed = counts(RunMode::Count, ServiceOrder::InOrder);
        assert_eq!(untimed, counts(RunMode::Timed, ServiceOrder::InOrder), "{}", config.to_toml());
        assert_eq!(
            untimed,
            counts(RunMode::Timed, ServiceOrder::ReadsFirst),
            "{}",
            config.to_toml()
        );
    }
}
