//! A drive that is asked request by request, for whoever serves one: what it decides and when, its data being
//! kept by a [`Medium`].

use super::drive::Drive;
use super::{Own, Watch, build_ftl, measure, stack};
use crate::drive::DriveState;
use crate::engine::{Count, InOrder, Queued, Scheduler};
use crate::error::Error;
use crate::flash::Medium;
use crate::ftl::{Ftl, Preconditioning};
use crate::host::{Driver, Host};
use crate::ids::{Lpn, Unit};
use crate::nand::infeasible;
use crate::report::Facts;
use crate::run::Outcome;
use crate::schema::{ArrayLevel, Config, HostMode, RunMode, ServiceOrder};
use crate::technique::Stack;
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

/// A drive that is asked request by request.
pub trait Served: Send {
    /// Carries a request out: in a closed loop once another one has ended where as many as `host.queue_depth`
    /// are under way, in an open loop at its time of arrival.
    ///
    /// # Errors
    /// An address beyond the drive; an operation that its flash could not carry out.
    fn submit(&mut self, request: &Request) -> Result<Taken, Error>;

    /// Where the data of a logical unit is; `None`: there is none.
    fn unit_of(&self, lpn: Lpn) -> Option<Unit>;

    /// What the drive believes, and its medium.
    fn parts(&mut self) -> (&DriveState, Option<&mut dyn Medium>);

    /// Open loop: time passes until `now_ns`.
    ///
    /// # Errors
    /// An operation that its flash could not carry out.
    fn advance(&mut self, now_ns: u64) -> Result<(), Error>;

    /// Open loop: requests that have ended since this was asked last, by number, and when.
    fn ended(&mut self) -> Vec<(u64, u64)>;

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

/// A drive, and what its result is made of.
struct Single<S: Scheduler> {
    driver: Driver<Stack, S>,
    preconditioning: Preconditioning,
    started: Instant,
    begun: Instant,
}

/// A drive that keeps its data in `medium`.
///
/// # Errors
/// A drive that cannot work; an array; `watch` said stop.
pub fn served(
    config: &Config,
    medium: impl FnOnce(&DriveState) -> Result<Box<dyn Medium>, Error>,
    watch: &mut dyn Watch,
) -> Result<Box<dyn Served>, Error> {
    check(config)?;
    let started = Instant::now();
    let technique = stack(config, Vec::new())?;
    let carry = |ftl: &mut Ftl<Stack, Count>| {
        let medium = medium(&ftl.state)?;
        ftl.carry(medium);
        Ok(())
    };
    let (ftl, preconditioning) = build_ftl(config, technique, Own::default(), carry, watch)?;
    Ok(match (config.run.mode, config.drive.scheduling.order) {
        (RunMode::Count, _) => {
            Single::boxed(config, ftl, Count::default(), preconditioning, started)
        }
        (RunMode::Timed, ServiceOrder::ReadsFirst) => {
            let sched = Queued::new(config, &ftl.state.geometry);
            Single::boxed(config, ftl.under(), sched, preconditioning, started)
        }
        (RunMode::Timed, ServiceOrder::InOrder) => {
            let sched = InOrder::new(config, &ftl.state.geometry);
            Single::boxed(config, ftl.under(), sched, preconditioning, started)
        }
    })
}

fn check(config: &Config) -> Result<(), Error> {
    if config.array.level != ArrayLevel::None {
        return Err(infeasible(
            "array.level is set, and the drive that is served is one drive",
            "set array.level to \"none\"",
        ));
    }
    if config.host.mode == HostMode::Auto {
        return Err(Error::Invariant("host.mode of a served drive is not decided".into()));
    }
    Ok(())
}

impl<S: Scheduler + Send + 'static> Single<S> {
    fn boxed(
        config: &Config,
        ftl: Ftl<Stack, S>,
        sched: S,
        preconditioning: Preconditioning,
        started: Instant,
    ) -> Box<dyn Served> {
        let mut driver = Driver::new(config, ftl, sched);
        if config.host.mode == HostMode::Open {
            driver.ended = Some(Vec::new());
        }
        Box::new(Self { driver, preconditioning, started, begun: Instant::now() })
    }
}

impl<S: Scheduler + Send + 'static> Served for Single<S> {
    fn submit(&mut self, request: &Request) -> Result<Taken, Error> {
        let refused = self.driver.io.counters.refused_writes;
        self.driver.feed(std::slice::from_ref(request), 0)?;
        let is_whole = self.driver.io.counters.refused_writes == refused;
        Ok(Taken { number: self.driver.recorder.number(), is_whole })
    }

    fn unit_of(&self, lpn: Lpn) -> Option<Unit> {
        self.driver.ftl.state.unit_of(lpn).known()
    }

    fn parts(&mut self) -> (&DriveState, Option<&mut dyn Medium>) {
        self.driver.ftl.state_and_medium()
    }

    fn advance(&mut self, now_ns: u64) -> Result<(), Error> {
        if now_ns > self.driver.io.sched.now_ns() {
            self.driver.arrive(now_ns)?;
        }
        self.driver.ftl.hear(&mut self.driver.io);
        self.driver.ftl.check_legality()
    }

    fn ended(&mut self) -> Vec<(u64, u64)> {
        self.driver.ended.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn now_ns(&self) -> u64 {
        self.driver.io.sched.now_ns()
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

/// The workload of a served drive: whatever its clients ask.
struct Clients;

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
