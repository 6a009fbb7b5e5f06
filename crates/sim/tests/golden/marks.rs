//! What the flash holds tells the map: of every run of the list, whatever its technique, erase scheme,
//! scheduler and policies, the map that is built again from the marks of the flash is the drive's own.

use crate::cases::{self, Case};
use wordline_sim::config::{ArrayLevel, Config, HostMode, RunMode, ServiceOrder};
use wordline_sim::drive::DriveState;
use wordline_sim::engine::{Count, InOrder, Queued, Scheduler};
use wordline_sim::ftl::{Ftl, precondition};
use wordline_sim::host::Driver;
use wordline_sim::technique::superblocks::View;
use wordline_sim::technique::{Stack, Technique, find};
use wordline_sim::{Error, logical_bytes};
use wordline_trace::{GeneratorContext, Op, from_spec};

#[test]
fn the_flash_tells_the_map_of_every_run() {
    let cases: Vec<Case> = cases::all();
    let drives = cases.iter().filter(|case| case.config().array.level == ArrayLevel::None);
    let mut checked = 0;
    for case in drives {
        let mapped = check(case).unwrap_or_else(|error| panic!("case {}: {error}", case.name));
        assert!(mapped > 0, "case {}: nothing was written", case.name);
        checked += 1;
    }
    assert!(checked > 80, "{checked} runs");
}

/// Carries a case out on a drive that keeps marks; returns the logical units that it ends with.
fn check(case: &Case) -> Result<usize, Error> {
    let mut config = case.config();
    config.host.mode = HostMode::Open;
    match (config.run.mode, config.drive.scheduling.order) {
        (RunMode::Count, _) => compare(case, &config, |_| Count::default()),
        (RunMode::Timed, ServiceOrder::InOrder) => {
            compare(case, &config, |state| InOrder::new(&config, state.flash()))
        }
        (RunMode::Timed, ServiceOrder::ReadsFirst) => {
            compare(case, &config, |state| Queued::new(&config, state.flash()))
        }
    }
}

fn stack(config: &Config) -> Result<Stack, Error> {
    let mut techniques: Vec<(String, Box<dyn Technique>)> = Vec::new();
    for (name, table) in &config.technique {
        let table = table.as_table().cloned().unwrap_or_default();
        let entry = find(name).expect("the loader knows it");
        techniques.push((name.clone(), (entry.build)(&table, &View::of(config)?)?));
    }
    Stack::new(techniques)
}

fn compare<S: Scheduler>(
    case: &Case,
    config: &Config,
    sched: impl Fn(&DriveState) -> S,
) -> Result<usize, Error> {
    let mut ftl: Ftl<Stack, Count> = Ftl::new(config, stack(config)?)?;
    ftl.keep_marks();
    precondition(config, &mut ftl, &mut || Ok(())).expect("nobody stops it");
    ftl.begin();
    let sched = sched(&ftl.state);
    let mut driver = Driver::new(config, ftl.under(), sched);
    let context = GeneratorContext::on_drive(logical_bytes(config)?, config.run.seed);
    let mut workload = from_spec(&case.workload, &context)?;
    let (mut batch, mut trims) = (Vec::new(), false);
    loop {
        workload.next_batch(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        trims |= batch.iter().any(|request| request.op == Op::Trim);
        driver.feed(&batch, 0)?;
    }
    driver.drain()?;
    driver.device.ftl.check()?;
    let own = &driver.device.ftl.state.map;
    let marks = driver
        .device
        .ftl
        .door
        .chips
        .as_ref()
        .and_then(|chips| chips.marks())
        .expect("marks are kept");
    let marked = marks.map(own.count());
    for (lpn, own) in own.iter_with_ids() {
        let flash = marked[lpn];
        // A trim leaves no mark, and neither does what is lost without power.
        let loses = config.host.power_off.for_s != [0.0];
        let agree = own == flash || own.is_none() && (trims || loses);
        assert!(agree, "case {}: {lpn} is in unit {own}, the flash says {flash}", case.name);
    }
    Ok(own.iter().filter(|unit| unit.is_some()).count())
}
