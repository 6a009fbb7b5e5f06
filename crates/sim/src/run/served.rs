//! A drive that is asked request by request, for whoever serves one: what it decides and when, its data being
//! kept by a [`Medium`].

use super::assembly::{empty_ftl, fill_ftl, stack};
use super::drive::{Carries, Drive};
use super::{Own, Watch, measure};
use crate::drive::DriveState;
use crate::engine::{Count, InOrder, Queued, Scheduler};
use crate::error::Error;
use crate::flash::{Image, Medium};
use crate::ftl::{Ftl, Preconditioning};
use crate::host::{Driver, Host};
use crate::ids::{Lpn, Unit};
use crate::report::Facts;
use crate::run::Outcome;
use crate::schema::{ArrayLevel, Config, HostMode, RunMode, ServiceOrder};
use crate::technique::Stack;
use rustc_hash::FxHashMap;
use std::time::Instant;
use wordline_trace::{Request, Source};

/// What a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Its number.
    pub number: u64,
    /// False where the drive is read-only and took not all of a write.
    pub is_whole: bool,
}

/// A drive or an array that is asked request by request.
pub trait Served: Send {
    /// Carries a request out: in a closed loop once another one has ended where as many as `host.queue_depth`
    /// are under way, in an open loop at its time of arrival.
    ///
    /// # Errors
    /// An address beyond the drive; an operation that its flash could not carry out.
    fn submit(&mut self, request: &Request) -> Result<Taken, Error>;

    /// Open loop: time passes until `now_ns`.
    ///
    /// # Errors
    /// An operation that its flash could not carry out.
    fn advance(&mut self, now_ns: u64) -> Result<(), Error>;

    /// When a request ended, if that is known; told once.
    fn end_of(&mut self, number: u64) -> Option<u64>;

    /// Time passes until a request has ended.
    ///
    /// # Errors
    /// An operation that its flash could not carry out.
    fn finish(&mut self, number: u64) -> Result<(), Error>;

    /// The present.
    fn now_ns(&self) -> u64;

    /// Lets everything come to its end, and verifies the drive; it can go on afterwards.
    ///
    /// # Errors
    /// An invariant that does not hold.
    fn settle(&mut self) -> Result<(), Error>;

    /// The result of all that was asked.
    fn outcome(&mut self, config: &Config) -> Outcome;
}

/// A drive alone that is asked request by request.
pub trait ServedDrive: Served + Carries {}

impl<T: Served + Carries> ServedDrive for T {}

/// A drive, and what its result is made of.
struct Single<S: Scheduler> {
    driver: Driver<Stack, S>,
    preconditioning: Preconditioning,
    started: Instant,
    begun: Instant,
    /// Whether requests arrive at their times, and replies wait for their ends.
    is_open: bool,
    /// Ends of requests that nobody has asked for yet.
    ended: FxHashMap<u64, u64>,
}

/// What a drive's data is kept in, and what was found there if there was any.
pub type Opened = (Box<dyn Medium>, Option<Image>);

/// A drive that keeps its data in what `open` gives. Where that holds anything the drive restarts from it;
/// otherwise it is preconditioned.
///
/// # Errors
/// A drive that cannot work; `watch` said stop.
pub fn served(
    config: &Config,
    open: impl FnOnce(&DriveState) -> Result<Opened, Error>,
    watch: &mut dyn Watch,
) -> Result<Box<dyn ServedDrive>, Error> {
    check(config)?;
    if config.array.level != ArrayLevel::None {
        return Err(Error::Invariant("an array was taken for a drive alone".into()));
    }
    let started = Instant::now();
    let mut ftl = empty_ftl(config, stack(config, Vec::new())?, Own::default())?;
    let (medium, found) = open(&ftl.state)?;
    ftl.carry(medium);
    let preconditioning = match &found {
        Some(image) => {
            ftl.take_up(&config.ftl, image);
            Preconditioning::none()
        }
        None => fill_ftl(config, &mut ftl, watch)?,
    };
    let made = Made { config, found, preconditioning, started };
    match (config.run.mode, config.drive.scheduling.order) {
        (RunMode::Count, _) => made.under(ftl, Count::default()),
        (RunMode::Timed, ServiceOrder::ReadsFirst) => {
            let sched = Queued::new(config, ftl.state.flash());
            made.under(ftl.under(), sched)
        }
        (RunMode::Timed, ServiceOrder::InOrder) => {
            let sched = InOrder::new(config, ftl.state.flash());
            made.under(ftl.under(), sched)
        }
    }
}

/// Refuses what the pace of replies does not decide.
pub(super) fn check(config: &Config) -> Result<(), Error> {
    match config.host.mode {
        HostMode::Auto => {
            Err(Error::Invariant("host.mode of a served drive is not decided".into()))
        }
        HostMode::Open | HostMode::Closed => Ok(()),
    }
}

/// A drive whose scheduler is to be chosen.
struct Made<'a> {
    config: &'a Config,
    found: Option<Image>,
    preconditioning: Preconditioning,
    started: Instant,
}

impl Made<'_> {
    fn under<S: Scheduler + Send + 'static>(
        self,
        ftl: Ftl<Stack, S>,
        sched: S,
    ) -> Result<Box<dyn ServedDrive>, Error> {
        let Self { config, found, preconditioning, started } = self;
        let mut driver = Driver::new(config, ftl, sched);
        driver.completions.keep();
        if let Some(image) = found {
            driver.device.ftl.clear(&mut driver.device.io, &image)?;
        }
        let (begun, ended) = (Instant::now(), FxHashMap::default());
        let is_open = config.host.mode == HostMode::Open;
        Ok(Box::new(Single { driver, preconditioning, started, begun, is_open, ended }))
    }
}

impl<S: Scheduler + Send + 'static> Served for Single<S> {
    fn submit(&mut self, request: &Request) -> Result<Taken, Error> {
        if !self.is_open {
            // Nobody asks for the ends of earlier requests any more.
            self.driver.completions.tell();
        }
        let refused = self.driver.device.io.counters.refused_writes;
        self.driver.feed(std::slice::from_ref(request), 0)?;
        let is_whole = self.driver.device.io.counters.refused_writes == refused;
        Ok(Taken { number: self.driver.recorder.number(), is_whole })
    }

    fn advance(&mut self, now_ns: u64) -> Result<(), Error> {
        if now_ns > self.driver.device.io.sched.now_ns() {
            self.driver.arrive(now_ns)?;
        }
        self.driver.device.hear()
    }

    fn end_of(&mut self, number: u64) -> Option<u64> {
        self.ended.extend(self.driver.completions.tell());
        self.ended.remove(&number)
    }

    fn finish(&mut self, number: u64) -> Result<(), Error> {
        while S::TIMED && self.end_of(number).is_none() {
            self.driver.wait_for_end(u64::MAX)?;
        }
        self.driver.device.hear()
    }

    fn now_ns(&self) -> u64 {
        self.driver.device.io.sched.now_ns()
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.driver.drain()?;
        Drive::check(&self.driver)
    }

    fn outcome(&mut self, config: &Config) -> Outcome {
        let facts = Facts {
            config,
            preconditioning: &self.preconditioning,
            workload: &Clients,
            life: Vec::new(),
            wall: (self.started.elapsed(), self.begun.elapsed()),
        };
        let result = Drive::result(&self.driver, &facts);
        let records = self.driver.recorder.take_records();
        Outcome { result, series: measure::series(config, &self.driver.recorder), records }
    }
}

impl<S: Scheduler> Carries for Single<S> {
    fn unit_of(&self, lpn: Lpn) -> Option<Unit> {
        Carries::unit_of(&self.driver, lpn)
    }

    fn holds(&self, lpn: Lpn) -> bool {
        Carries::holds(&self.driver, lpn)
    }

    fn parts(&mut self) -> (&DriveState, Option<&mut dyn Medium>) {
        self.driver.parts()
    }
}

/// The workload of a served drive: whatever its clients ask.
pub(super) struct Clients;

impl Source for Clients {
    fn name(&self) -> &'static str {
        "clients"
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), wordline_trace::Error> {
        batch.clear();
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), wordline_trace::Error> {
        Ok(())
    }

    fn is_synthetic(&self) -> bool {
        false
    }
}
