//! A whole run: configuration and workload in, result out.

mod array;
mod array_cuts;
mod array_latencies;
mod assembly;
mod check;
mod cut_choice;
mod cuts;
mod drive;
mod front;
mod itemise;
mod life;
mod measure;
mod memory;
mod plan;
mod scheduled;
mod served;
mod session;

use crate::error::Error;
use crate::flash::tape::{Tape, Taped};
use crate::ftl::{Preconditioning, logical_units};
use crate::metrics::{Columns, LifeWindow, RunResult};
use crate::nand::Geometry;
use crate::policy::alloc::PlanePolicy;
use crate::policy::gc::VictimPolicy;
use crate::policy::hotness::Hotness;
use crate::report::Facts;
use crate::schema::{ArrayLevel, Config, HostMode};
use crate::technique::erase::EraseScheme;
use crate::technique::{Conventional, Hooks, Stack, Technique, Watched};
use assembly::{build_ftl, check_power, is_conventional, stack};
pub use check::check_drives;
pub use cut_choice::CutChoice;
pub use cuts::power_cuts;
pub use drive::{Drive, MemberDrive};
use life::Life;
use measure::Measure;
pub use memory::memory_bytes;
use scheduled::{Plain, scheduled};
pub use served::{Opened, ServedArray, ServedDrive, served, served_array};
pub use session::{Served, Session, Taken};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::Instant;
use wordline_trace::{Request, Source, has_times};

/// Requests taken from the workload at a time.
const BATCH: usize = 4096;

/// How far a run has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// `precondition` or `run`.
    pub phase: &'static str,
    /// Requests done.
    pub done: u64,
    /// Requests in all, where known.
    pub total: Option<u64>,
    /// Simulated time.
    pub simulated_ns: u64,
}

/// Told how far a run has come, every few milliseconds; may stop it.
pub trait Watch {
    /// Returns `Break` to stop the run.
    fn progress(&mut self, progress: Progress) -> ControlFlow<()>;
}

/// Watches nothing.
impl Watch for () {
    fn progress(&mut self, _: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// The result.
    pub result: RunResult,
    /// The time series; empty when not asked for.
    pub series: Columns,
    /// One row per request; empty when not asked for.
    pub records: Columns,
    /// What was recorded for a player.
    pub taped: Option<Taped>,
}

/// Runs `workload` on the drive or the array of `config`.
///
/// # Errors
/// A drive that cannot work, a malformed trace, an address beyond the drive, or `watch` said stop.
pub fn simulate(
    config: &Config,
    workload: Box<dyn Source>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    simulate_own(config, Own::default(), workload, watch)
}

/// Parts of the caller's own, in place of those that a configuration names.
#[derive(Default)]
pub struct Own {
    /// Techniques, by name, besides those of the configuration.
    pub techniques: Vec<(String, Box<dyn Technique>)>,
    /// The erase scheme.
    pub erase: Option<Box<dyn EraseScheme>>,
    /// The choice of victims.
    pub victim: Option<Box<dyn VictimPolicy>>,
    /// The hotness of writes, with as many temperatures as the policy of the configuration.
    pub hotness: Option<Box<dyn Hotness>>,
    /// The choice of planes; of any plane where `ftl.allocation` is `dynamic`.
    pub planes: Option<Box<dyn PlanePolicy>>,
    /// The recording of the run for a player, which changes no figure.
    pub tape: Option<Tape>,
}

/// Runs `workload` on a drive with parts of the caller's own.
///
/// # Errors
/// As [`simulate`]; a technique that cannot be combined with those of the configuration.
pub fn simulate_own(
    config: &Config,
    mut own: Own,
    mut workload: Box<dyn Source>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    let config = &with_host_mode(config, &mut *workload)?;
    check_power(config)?;
    itemise::check(config)?;
    if config.array.level != ArrayLevel::None {
        return array::simulate(Run::begin(config, workload, watch)?, &own);
    }
    let techniques = std::mem::take(&mut own.techniques);
    if config.host.breakdown {
        return itemise::simulate(config, stack(config, techniques)?, own, workload, watch);
    }
    if techniques.is_empty() && is_conventional(config) {
        return match own.tape {
            None => with_own(config, Conventional, own, workload, watch),
            Some(_) => with_own(config, Watched::default(), own, workload, watch),
        };
    }
    with_own(config, stack(config, techniques)?, own, workload, watch)
}

/// Runs `workload` with every hook called through the run-time stack, whatever the technique: the result
/// must not differ.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_dynamic(
    config: &Config,
    workload: Box<dyn Source>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    with_own(config, stack(config, Vec::new())?, Own::default(), workload, watch)
}

/// Runs `workload` on a drive with a technique of the caller's own.
///
/// # Errors
/// As [`simulate`].
pub fn with(
    config: &Config,
    technique: impl Technique + 'static,
    workload: Box<dyn Source>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    with_own(config, Stack::alone(technique), Own::default(), workload, watch)
}

/// Runs `workload` on a drive with these techniques and parts of the caller's own.
///
/// # Errors
/// As [`simulate`].
pub fn with_own<T: Hooks>(
    config: &Config,
    technique: T,
    mut own: Own,
    mut workload: Box<dyn Source>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    let config = &with_host_mode(config, &mut *workload)?;
    itemise::refuse(config)?;
    let run = Run::begin(config, workload, watch)?;
    let tape = own.tape.take();
    let (ftl, preconditioning) = build_ftl(config, technique, own, &mut *run.watch)?;
    let mut drive = scheduled::<Plain, T>(config, ftl);
    run.go_on_tape(&mut *drive, &preconditioning, tape)
}

/// The configuration with `host.mode` decided: a workload all of whose requests arrive at 0 would
/// otherwise queue up whole, and its latencies would be those of the queue.
fn with_host_mode<'a>(
    config: &'a Config,
    workload: &mut dyn Source,
) -> Result<Cow<'a, Config>, Error> {
    if config.host.mode != HostMode::Auto {
        return Ok(Cow::Borrowed(config));
    }
    let mut config = config.clone();
    config.host.mode = if has_times(workload)? { HostMode::Open } else { HostMode::Closed };
    Ok(Cow::Owned(config))
}

fn phase(phase: &'static str, done: u64, total: Option<u64>, simulated_ns: u64) -> Progress {
    Progress { phase, done, total, simulated_ns }
}

/// Whether `watch` lets a set-up go on.
fn ask(watch: &mut dyn Watch) -> Result<(), Error> {
    match watch.progress(phase("precondition", 0, None, 0)) {
        ControlFlow::Break(()) => Err(Error::Stopped),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// A run about to start.
struct Run<'a> {
    config: &'a Config,
    workload: Box<dyn Source>,
    watch: &'a mut dyn Watch,
    started: Instant,
    /// Requests handed to the host.
    fed: u64,
}

impl<'a> Run<'a> {
    fn begin(
        config: &'a Config,
        workload: Box<dyn Source>,
        watch: &'a mut dyn Watch,
    ) -> Result<Self, Error> {
        let started = Instant::now();
        ask(watch)?;
        Ok(Self { config, workload, watch, started, fed: 0 })
    }

    /// [`Self::go`], recorded for a player if it is asked to be.
    fn go_on_tape(
        self,
        drive: &mut dyn MemberDrive,
        preconditioning: &Preconditioning,
        tape: Option<Tape>,
    ) -> Result<Outcome, Error> {
        if let Some(tape) = tape {
            drive.play_to(tape);
        }
        let mut outcome = self.go(drive, preconditioning)?;
        if let Some(tape) = drive.take_tape() {
            outcome.taped = Some(tape.close(&outcome.result)?);
        }
        Ok(outcome)
    }

    fn go(
        mut self,
        drive: &mut dyn Drive,
        preconditioning: &Preconditioning,
    ) -> Result<Outcome, Error> {
        let replaying = Instant::now();
        let life = self.replay_all(drive)?;
        drive.drain()?;
        measure::check(self.config, drive.recorder())?;
        let replaying = replaying.elapsed();
        if self.config.run.check {
            drive.check()?;
        }
        let facts = Facts {
            config: self.config,
            preconditioning,
            workload: &*self.workload,
            life,
            wall: (self.started.elapsed(), replaying),
        };
        Ok(outcome(drive, &facts))
    }

    /// Replays the workload as often as the configuration says; returns the windows of a life.
    fn replay_all(&mut self, on: &mut dyn Drive) -> Result<Vec<LifeWindow>, Error> {
        let mut life = Life::begin(&self.config.run, on);
        let measure = Measure::of(self.config)?;
        for pass in 1..=self.config.workload.repeat {
            if life.as_ref().is_some_and(|life| life.is_over) {
                break;
            }
            // Not after the last: what the source says of its reading would be gone.
            if pass > 1 {
                self.workload.rewind()?;
            }
            if let Some(measure) = &measure {
                measure.pass(pass, self.fed, on.recorder_mut());
            }
            let now_ns = on.now_ns();
            let base_ns = on.recorder().last_done_ns.max(now_ns);
            on.recorder_mut().replay_again(base_ns - now_ns);
            self.replay(on, &mut life, base_ns)?;
        }
        Ok(life.map_or_else(Vec::new, |life| life.windows))
    }

    /// Replays the workload once.
    fn replay(
        &mut self,
        on: &mut dyn Drive,
        life: &mut Option<Life>,
        base_ns: u64,
    ) -> Result<(), Error> {
        let first = match self.config.workload.first {
            0 => u64::MAX,
            first => first,
        };
        let repeat = self.config.workload.repeat;
        let total = self.workload.len_hint().map(|n| n.min(first).saturating_mul(repeat));
        let mut batch: Vec<Request> = Vec::with_capacity(BATCH);
        let mut taken = 0;
        while taken < first {
            self.workload.next_batch(&mut batch)?;
            batch.truncate((first - taken).min(BATCH as u64) as usize);
            if batch.is_empty() || life.as_ref().is_some_and(|life| life.is_over) {
                break;
            }
            taken += batch.len() as u64;
            self.fed += batch.len() as u64;
            feed(on, life, &batch, base_ns)?;
            let now = phase("run", on.recorder().taken(), total, on.now_ns());
            if self.watch.progress(now).is_break() {
                return Err(Error::Stopped);
            }
        }
        Ok(())
    }
}

/// What a drive or an array has done.
fn outcome<D: Drive + ?Sized>(drive: &mut D, facts: &Facts<'_>) -> Outcome {
    let result = drive.result(facts);
    let records = drive.recorder_mut().take_records();
    let series = measure::series(facts.config, drive.recorder());
    Outcome { result, series, records, taped: None }
}

/// Feeds a batch; of a life in parts, so that no window is much longer than it should be.
fn feed(
    on: &mut dyn Drive,
    life: &mut Option<Life>,
    batch: &[Request],
    base_ns: u64,
) -> Result<(), Error> {
    let Some(life) = life else { return on.feed(batch, base_ns) };
    for part in batch.chunks(life.stride(batch.len(), on)) {
        on.feed(part, base_ns)?;
        life.go_on(on);
    }
    Ok(())
}

/// Bytes that the host can address, for generators that span the drive.
///
/// # Errors
/// A drive that cannot work.
pub fn logical_bytes(config: &Config) -> Result<u64, Error> {
    if config.array.level != ArrayLevel::None {
        return plan::logical_bytes(config);
    }
    let geometry = Geometry::new(config)?;
    Ok(logical_units(config, &geometry) * geometry.unit_bytes)
}
