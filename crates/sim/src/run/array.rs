//! A run of an array: its drives built, each as its configuration says, and the workload replayed.

use super::front::Front;
use super::{Outcome, Own, Replay, Run, build_ftl, stack};
use crate::array::{Array, Layout, Level, Member, Rmw, Rules, SECTOR_BYTES};
use crate::engine::{InOrder, Queued, Scheduler};
use crate::error::Error;
use crate::ftl::{Ftl, Preconditioning, logical_units};
use crate::host::Driver;
use crate::metrics::{Counters, RunResult};
use crate::nand::{Geometry, infeasible};
use crate::report::{DriveReport, Facts, array_result, result};
use crate::schema::{ArrayConfig, Config};
use crate::technique::{Conventional, Technique};
use std::collections::BTreeSet;
use std::time::Instant;
use wordline_trace::Request;

/// A drive of an array in a run: what the array asks of it, and what it reports.
pub trait Drive: Member {
    /// Its running totals.
    fn counters(&self) -> &Counters;

    /// Erased blocks.
    fn free_blocks(&self) -> u64;

    /// Lets everything that waits or is under way come to its end.
    ///
    /// # Errors
    /// As [`Driver::drain`].
    fn drain(&mut self) -> Result<(), Error>;

    /// Verifies the invariants of the drive.
    ///
    /// # Errors
    /// One that does not hold.
    fn check(&self) -> Result<(), Error>;

    /// The result that it would give alone.
    fn result(&self, facts: &Facts<'_>) -> RunResult;

    /// What its technique warns of.
    fn warnings(&self) -> Vec<String>;
}

impl<T: Technique, S: Scheduler> Drive for Driver<T, S> {
    fn counters(&self) -> &Counters {
        &self.io.counters
    }

    fn free_blocks(&self) -> u64 {
        self.ftl.state.free_blocks()
    }

    fn drain(&mut self) -> Result<(), Error> {
        Self::drain(self)
    }

    fn check(&self) -> Result<(), Error> {
        self.ftl.check()
    }

    fn result(&self, facts: &Facts<'_>) -> RunResult {
        result(self, facts)
    }

    fn warnings(&self) -> Vec<String> {
        self.ftl.technique.warnings()
    }
}

/// A drive about to run.
struct Built {
    config: Config,
    preconditioning: Preconditioning,
    drive: Box<dyn Drive>,
}

/// What an array is made of, and what its drives hold.
struct Plan {
    layout: Layout,
    rules: Rules,
    /// The configuration of each drive, the spare last.
    drives: Vec<Config>,
    /// The mapping unit of the drives: the largest, where they differ.
    unit_bytes: u64,
}

/// Runs the array of a configuration.
///
/// # Errors
/// An array that cannot work, and what [`super::simulate_own`] says.
pub(super) fn simulate(run: Run<'_>, own: &Own) -> Result<Outcome, Error> {
    if own.technique.is_some() || own.erase.is_some() || own.victim.is_some() {
        return Err(infeasible(
            "a technique, erase scheme or policy of your own serves one drive, not those of an array",
            "set array.level = \"none\", or add it to the simulator",
        ));
    }
    let Plan { layout, rules, drives, unit_bytes } = plan(run.config)?;
    let mut built = Vec::new();
    for config in drives {
        built.push(build_drive(config)?);
    }
    let mut members = Vec::new();
    let mut described = Vec::new();
    for Built { config, preconditioning, drive } in built {
        members.push(drive);
        described.push((config, preconditioning));
    }
    let mut array = Array::new(layout, rules, members, ());
    array.counts.unit_bytes = unit_bytes;
    inject(&run.config.array, &mut array);
    let front = Front::new(run.config, array, rules.page_bytes);
    replay(run, front, described)
}

/// What is to happen to an array.
fn inject(config: &ArrayConfig, array: &mut Array<Box<dyn Drive>>) {
    let ns = |s: f64| (s * 1e9).round() as u64;
    for &drive in &config.fail {
        array.lose_at(ns(config.fail_at_s), u32::from(drive));
    }
    if config.scrub {
        array.scrub_at(ns(config.scrub_at_s));
    }
}

fn replay(
    mut run: Run<'_>,
    mut front: Front,
    drives: Vec<(Config, Preconditioning)>,
) -> Result<Outcome, Error> {
    let replaying = Instant::now();
    run.replay_all(&mut front)?;
    front.drain()?;
    let replaying = replaying.elapsed();
    if run.config.run.check {
        front.array.members.iter().try_for_each(|drive| drive.check())?;
    }
    let wall = (run.started.elapsed(), replaying);
    let mut reports = Vec::new();
    for ((number, drive), (config, preconditioning)) in (0..).zip(&front.array.members).zip(&drives)
    {
        let facts = Facts { config, preconditioning, workload: &*run.workload, wall };
        reports.push(DriveReport {
            state: front.array.member_state(number),
            techniques: config.technique.keys().cloned().collect(),
            erase_scheme: config.erase.scheme.clone(),
            result: drive.result(&facts),
            warnings: drive.warnings(),
        });
    }
    let (records, series) = (front.recorder.take_records(), front.recorder.series.columns());
    let series = if run.config.run.series_points == 0 { Default::default() } else { series };
    let facts =
        Facts { config: run.config, preconditioning: &drives[0].1, workload: &*run.workload, wall };
    Ok(Outcome { result: array_result(&front.facts(), &facts, reports), series, records })
}

impl Replay for Front {
    fn feed(&mut self, batch: &[Request], base_ns: u64) -> Result<(), Error> {
        Self::feed(self, batch, base_ns)
    }

    fn requests(&self) -> u64 {
        self.recorder.total()
    }

    fn now_ns(&self) -> u64 {
        self.array.now_ns()
    }

    fn last_done_ns(&self) -> u64 {
        self.recorder.last_done_ns
    }
}

fn build_drive(config: Config) -> Result<Built, Error> {
    if config.technique.is_empty() {
        return under_scheduler(config, Conventional);
    }
    let techniques = stack(&config, None)?;
    under_scheduler(config, techniques)
}

fn under_scheduler<T: Technique + 'static>(config: Config, technique: T) -> Result<Built, Error> {
    let (ftl, preconditioning) = build_ftl(&config, technique, Own::default())?;
    let drive: Box<dyn Drive> =
        match (config.run.mode.as_str(), config.drive.scheduling.order.as_str()) {
            ("count", _) => Box::new(Driver::new(&config, ftl, Default::default())),
            (_, "reads_first") => {
                let sched = Queued::new(&config, &ftl.state.geometry);
                let ftl: Ftl<T, Queued> = ftl.under();
                Box::new(Driver::new(&config, ftl, sched))
            }
            _ => {
                let sched = InOrder::new(&config, &ftl.state.geometry);
                let ftl: Ftl<T, InOrder> = ftl.under();
                Box::new(Driver::new(&config, ftl, sched))
            }
        };
    Ok(Built { config, preconditioning, drive })
}

/// Bytes that the host can address.
///
/// # Errors
/// An array that cannot work, with the arithmetic.
pub(super) fn logical_bytes(config: &Config) -> Result<u64, Error> {
    let Plan { layout, rules, .. } = plan(config)?;
    Ok(layout.pages() * rules.page_bytes)
}

fn plan(config: &Config) -> Result<Plan, Error> {
    let array = &config.array;
    let Some(level) = Level::by_name(&array.level) else {
        return Err(Error::Invariant("a drive alone was taken for an array".into()));
    };
    check_members(array, level)?;
    let members = array.drives as u32 + u32::from(array.spare);
    let mut drives = Vec::new();
    for number in 0..members {
        drives.push(of_drive(config, number)?);
    }
    let bytes = |kib: f64| (kib * 1024.0).round() as u64;
    let (page_bytes, chunk_bytes) = (bytes(array.page_kib), bytes(array.chunk_kib));
    let mut units = BTreeSet::new();
    let mut capacities = Vec::new();
    for drive in &drives {
        let geometry = Geometry::new(drive)?;
        units.insert(geometry.unit_bytes);
        capacities.push(u64::from(logical_units(drive, &geometry)) * geometry.unit_bytes);
    }
    check_sizes(page_bytes, chunk_bytes, &units)?;
    let drive_bytes = same_capacity(&capacities)?;
    let layout = layout(level, array.drives as u32, (page_bytes, chunk_bytes), drive_bytes)?;
    let rules = Rules {
        page_bytes,
        stripe_cache: array.stripe_cache as usize,
        rmw: match array.rmw.as_str() {
            "disable" => Rmw::Disable,
            "prefer" => Rmw::Prefer,
            _ => Rmw::Enable,
        },
        bypass_threshold: array.bypass_threshold as u32,
        sync_min_mb_s: array.sync_min_mb_s,
        sync_max_mb_s: array.sync_max_mb_s,
    };
    let unit_bytes = units.last().copied().unwrap_or(page_bytes);
    Ok(Plan { layout, rules, drives, unit_bytes })
}

/// The configuration of a drive; a spare is erased.
fn of_drive(config: &Config, number: u32) -> Result<Config, Error> {
    let mut drive = config
        .of_drive(number)
        .map_err(|error| infeasible(error.to_string(), "see `wordline describe array`"))?;
    if u64::from(number) >= config.array.drives {
        drive.precondition.pattern = "none".into();
    }
    Ok(drive)
}

fn check_members(array: &ArrayConfig, level: Level) -> Result<(), Error> {
    let (name, drives, fewest) = (&array.level, array.drives, level.fewest_drives());
    if drives < fewest {
        return Err(infeasible(
            format!(
                "array.level = {name} needs {fewest} drives at least, array.drives is {drives}"
            ),
            format!("set array.drives to {fewest} or more"),
        ));
    }
    if !level.is_redundant() && (array.spare || array.scrub || !array.fail.is_empty()) {
        return Err(infeasible(
            format!(
                "array.level = {name} has no redundancy: what fails is lost, and there is nothing to rebuild or to compare"
            ),
            "choose raid1 or raid5, or leave array.spare, array.fail and array.scrub out",
        ));
    }
    if let Some(drive) = array.fail.iter().find(|&&drive| u64::from(drive) >= drives) {
        return Err(infeasible(
            format!("array.fail names drive {drive}; the drives are 0 to {}", drives - 1),
            "choose one of these",
        ));
    }
    if array.fail.len() > 1 {
        return Err(infeasible(
            format!("array.fail names {} drives; one failure is simulated", array.fail.len()),
            "keep one of them",
        ));
    }
    let members = drives + u64::from(array.spare);
    let is_absent = |name: &&String| name.parse::<u64>().is_ok_and(|number| number >= members);
    if let Some(name) = array.drive.keys().find(is_absent) {
        return Err(infeasible(
            format!(
                "[array.drive.{name}]: the drives are 0 to {}, the spare included",
                members - 1
            ),
            "number them from 0",
        ));
    }
    Ok(())
}

/// Pages of whole sectors, chunks of whole pages and of whole units of every drive.
fn check_sizes(page_bytes: u64, chunk_bytes: u64, units: &BTreeSet<u64>) -> Result<(), Error> {
    if !page_bytes.is_multiple_of(SECTOR_BYTES) {
        return Err(infeasible(
            format!(
                "array.page_kib makes pages of {page_bytes} bytes: not whole sectors of {SECTOR_BYTES}"
            ),
            "choose a multiple of 0.5",
        ));
    }
    let wholes = std::iter::once((page_bytes, "pages of the array"))
        .chain(units.iter().map(|&unit| (unit, "mapping units of the drives")));
    for (part_bytes, parts) in wholes {
        if !chunk_bytes.is_multiple_of(part_bytes) {
            let kib = |bytes: u64| bytes as f64 / 1024.0;
            return Err(infeasible(
                format!(
                    "a chunk of {} KiB holds {:.2} {parts} of {} KiB: data and parity would share one",
                    kib(chunk_bytes),
                    chunk_bytes as f64 / part_bytes as f64,
                    kib(part_bytes)
                ),
                format!("set array.chunk_kib to a multiple of {}", kib(part_bytes)),
            ));
        }
    }
    Ok(())
}

fn same_capacity(capacities: &[u64]) -> Result<u64, Error> {
    let first = capacities[0];
    let Some(other) = capacities.iter().position(|&bytes| bytes != first) else { return Ok(first) };
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    Err(infeasible(
        format!(
            "drive 0 has {first} bytes ({:.3} GiB) for its host, drive {other} {} ({:.3} GiB)",
            gib(first),
            capacities[other],
            gib(capacities[other])
        ),
        format!(
            "give [array.drive.{other}.drive] the size of the others, or an over_provisioning that makes up for it"
        ),
    ))
}

fn layout(
    level: Level,
    drives: u32,
    (page_bytes, chunk_bytes): (u64, u64),
    drive_bytes: u64,
) -> Result<Layout, Error> {
    let chunks = drive_bytes / chunk_bytes;
    if chunks == 0 {
        return Err(infeasible(
            format!("a chunk of {chunk_bytes} bytes does not fit a drive of {drive_bytes}"),
            "choose a smaller array.chunk_kib",
        ));
    }
    let chunk = chunk_bytes / page_bytes;
    let pages = chunks * chunk * u64::from(drives);
    if pages >= u64::from(u32::MAX) {
        return Err(infeasible(
            format!(
                "the array has {pages} pages of {page_bytes} bytes; at most {} fit",
                u32::MAX - 1
            ),
            "choose a larger array.page_kib, up to 32",
        ));
    }
    Ok(Layout { level, drives, chunk: chunk as u32, rows: (chunks * chunk) as u32 })
}
