//! One technique, every scheduler, alone and in a stack.

use crate::common::Script;
use serde_json::{Value, json};
use wordline_sim::config::{Cell, Config, PerPage, RunMode, ServiceOrder};
use wordline_sim::engine::Count;
use wordline_sim::ftl::Ftl;
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::{Hooks, Stack, Technique};
use wordline_sim::{Own, logical_bytes, with_own};
use wordline_trace::Request;

/// The drive of [`crate::common::tiny_timed`] with cells of that kind.
pub fn drive(cell: Cell, pages_per_block: u64, program_us: &[f64]) -> Config {
    let mut config = crate::common::tiny_timed();
    config.drive.chip.cell = cell;
    config.drive.chip.pages_per_block = pages_per_block;
    config.drive.chip.program_us = PerPage::Many(program_us.to_vec());
    config
}

/// A drive without time, in order, and with reads first.
pub fn schedulers(config: &Config) -> [Config; 3] {
    let with = |mode: RunMode, order: ServiceOrder| {
        let mut config = config.clone();
        config.run.mode = mode;
        config.drive.scheduling.order = order;
        config
    };
    [
        with(RunMode::Count, ServiceOrder::InOrder),
        with(RunMode::Timed, ServiceOrder::InOrder),
        with(RunMode::Timed, ServiceOrder::ReadsFirst),
    ]
}

/// Runs a technique alone.
pub fn run(
    config: &Config,
    technique: impl Technique + 'static,
    requests: Vec<Request>,
) -> RunResult {
    run_hooks(config, Stack::alone(technique), requests)
}

/// Runs techniques, however they are joined.
pub fn run_hooks(config: &Config, hooks: impl Hooks, requests: Vec<Request>) -> RunResult {
    let outcome = with_own(config, hooks, Own::default(), Script::source(requests), &mut ());
    outcome.expect("the drive works").result
}

/// A stack of one.
pub fn stacked(technique: impl Technique + 'static) -> Stack {
    Stack::new(vec![("it".to_owned(), Box::new(technique))]).expect("one technique alone")
}

/// What was done, whenever it was.
fn counts(result: &RunResult) -> Value {
    let (flash, gc) = (&result.flash, &result.gc);
    json!({
        "reads": flash.page_reads,
        "programs": flash.page_programs,
        "operations": [flash.padding, flash.program_operations, flash.reprograms, flash.erases],
        "gc": [gc.count, gc.with_migration, gc.pages_moved],
        "wear": result.wear.histogram,
    })
}

/// What is done under any scheduler: a page of the map is read as often as no read of it is under way.
fn counts_at_any_speed(result: &RunResult) -> Value {
    let mut counts = counts(result);
    counts["reads"]["mapping"].take();
    counts
}

/// Runs a technique under every scheduler, alone and in a stack: what is done must not differ.
/// Returns the results in the order of [`schedulers`].
pub fn everywhere<T: Technique + 'static>(
    config: &Config,
    technique: impl Fn() -> T,
    requests: &[Request],
) -> [RunResult; 3] {
    let results = schedulers(config).map(|config| {
        let alone = run(&config, technique(), requests.to_vec());
        let stacked = run_hooks(&config, stacked(technique()), requests.to_vec());
        assert_eq!(counts(&alone), counts(&stacked));
        assert_eq!(Value::Object(alone.technique.clone()), stacked.technique["it"]);
        alone
    });
    for result in &results[1..] {
        assert_eq!(counts_at_any_speed(&results[0]), counts_at_any_speed(result));
    }
    results
}

/// Units of the logical space.
pub fn logical_units(config: &Config) -> u64 {
    logical_bytes(config).expect("the drive works") / crate::common::PAGE
}

/// A figure of the technique's own.
pub fn figure(result: &RunResult, name: &str) -> u64 {
    result.technique[name].as_u64().expect("the technique reports a count of that name")
}

/// What a technique warns of on a drive that has not run yet.
#[allow(dead_code)] // Tests of techniques use it.
pub fn told(config: &Config, technique: impl Technique + 'static) -> String {
    let ftl = Ftl::<_, Count>::new(config, Stack::alone(technique)).expect("the drive works");
    ftl.warnings().join(" ")
}
