//! A drive or an array that is asked request by request, for whoever serves one: what it decides and when, its data being
//! kept by a [`Medium`](crate::flash::Medium).

use super::drive::Drive;
use super::{Outcome, outcome};
use crate::error::Error;
use crate::ftl::Preconditioning;
use crate::report::Facts;
use crate::schema::{Config, HostMode, RunMode};
use rustc_hash::FxHashMap;
use std::time::Instant;
use wordline_trace::{Request, Source};

/// What a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Its number.
    pub number: u64,
    /// False where the drive is read-only and took not all of a write, or could not correct all of a read.
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

/// A drive or an array that is served, and what its result is made of.
pub struct Session<D: Drive + ?Sized> {
    /// The drive.
    pub drive: Box<D>,
    preconditioning: Preconditioning,
    started: Instant,
    begun: Instant,
    /// Whether requests arrive at their times, and replies wait for their ends.
    is_open: bool,
    /// Whether time passes.
    is_timed: bool,
    /// Ends of requests that nobody has asked for yet.
    ended: FxHashMap<u64, u64>,
}

impl<D: Drive + ?Sized> Session<D> {
    /// Begins to serve a drive that began to be built at `started`.
    pub(super) fn new(
        config: &Config,
        mut drive: Box<D>,
        preconditioning: Preconditioning,
        started: Instant,
    ) -> Self {
        drive.completions().keep();
        Self {
            drive,
            preconditioning,
            started,
            begun: Instant::now(),
            is_open: config.host.mode == HostMode::Open,
            is_timed: config.run.mode == RunMode::Timed,
            ended: FxHashMap::default(),
        }
    }
}

impl<D: Drive + ?Sized> Served for Session<D> {
    fn submit(&mut self, request: &Request) -> Result<Taken, Error> {
        if !self.is_open {
            // Nobody asks for the ends of earlier requests any more.
            self.drive.completions().clear();
        }
        let is_whole = self.drive.serve(request)?;
        Ok(Taken { number: self.drive.recorder().number(), is_whole })
    }

    fn advance(&mut self, now_ns: u64) -> Result<(), Error> {
        self.drive.advance(now_ns)
    }

    fn end_of(&mut self, number: u64) -> Option<u64> {
        self.ended.extend(self.drive.completions().drain());
        self.ended.remove(&number)
    }

    fn finish(&mut self, number: u64) -> Result<(), Error> {
        while self.is_timed && self.end_of(number).is_none() {
            self.drive.step()?;
        }
        self.drive.drain_notices()
    }

    fn now_ns(&self) -> u64 {
        self.drive.now_ns()
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.drive.drain()?;
        self.drive.check()
    }

    fn outcome(&mut self, config: &Config) -> Outcome {
        let facts = Facts {
            config,
            preconditioning: &self.preconditioning,
            workload: &Clients,
            life: Vec::new(),
            wall: (self.started.elapsed(), self.begun.elapsed()),
        };
        outcome(&mut *self.drive, &facts)
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
