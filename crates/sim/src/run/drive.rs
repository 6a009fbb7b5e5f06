//! A drive in a run: what a replay asks of it, and what that of an array asks besides.

use super::Replay;
use super::life::Ages;
use crate::array::Member;
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::error::Error;
use crate::flash::{Chips, Image, Medium, Recording};
use crate::ftl::Ftl;
use crate::host::{Driver, Host};
use crate::ids::{Lpn, Unit};
use crate::metrics::{Counters, RunResult};
use crate::nand::infeasible;
use crate::power::Numbers;
use crate::power::array::Recorded;
use crate::report::{Facts, result};
use crate::technique::Hooks;
use wordline_trace::Request;

/// What of a drive its data is found by.
pub trait Carries {
    /// Where the data of a logical unit is; `None`: there is none.
    fn unit_of(&self, lpn: Lpn) -> Option<Unit>;

    /// True where data of a logical unit waits in the controller's memory, and has yet to be given a place.
    fn holds(&self, lpn: Lpn) -> bool;

    /// What the drive believes, and its medium.
    fn parts(&mut self) -> (&DriveState, Option<&mut dyn Medium>);
}

impl<T: Hooks, S: Scheduler> Carries for Driver<T, S> {
    fn unit_of(&self, lpn: Lpn) -> Option<Unit> {
        self.device.ftl.state.unit_of(lpn).known()
    }

    fn holds(&self, lpn: Lpn) -> bool {
        self.data.holds(lpn)
    }

    fn parts(&mut self) -> (&DriveState, Option<&mut dyn Medium>) {
        self.device.ftl.state_and_medium()
    }
}

/// A drive of an array in a run: what the array asks of it, and what it reports.
pub trait Drive: Member + Ages + Carries {
    /// Its running totals.
    fn counters(&self) -> &Counters;

    /// Erased blocks.
    fn free_blocks(&self) -> u64;

    /// Nanoseconds that each of its dies was busy.
    fn dies_busy_ns(&self) -> Vec<u64>;

    /// Counts anew from here on.
    fn measure(&mut self, now_ns: u64);

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

    /// What its technique and its erase scheme warn of.
    fn warnings(&self) -> Vec<String>;

    /// Records from now on what it does and what it is asked; its marks have to be kept.
    fn record(&mut self);

    /// What was recorded, which then ends.
    ///
    /// # Errors
    /// Nothing was recorded, or the drive turned read-only.
    fn take_recorded(&mut self) -> Result<Recorded, Error>;

    /// Does what a restart that found `image` has to do before the host's first request; it has to have been taken up.
    ///
    /// # Errors
    /// There is no room for it.
    fn clear(&mut self, image: &Image) -> Result<(), Error>;

    /// When nothing is under way any more.
    fn quiet_at_ns(&self) -> u64;

    /// Takes note of the commands that have ended by now.
    ///
    /// # Errors
    /// An illegal operation.
    fn hear(&mut self) -> Result<(), Error>;

    /// What it holds.
    fn state(&self) -> &DriveState;

    /// What it holds, once nothing else of it is needed.
    fn into_state(self: Box<Self>) -> DriveState;
}

impl<T: Hooks, S: Scheduler> Drive for Driver<T, S> {
    fn counters(&self) -> &Counters {
        &self.device.io.counters
    }

    fn free_blocks(&self) -> u64 {
        self.device.ftl.state.free_blocks()
    }

    fn dies_busy_ns(&self) -> Vec<u64> {
        self.device.io.sched.busy_ns().0
    }

    fn measure(&mut self, now_ns: u64) {
        Host::measure(self, now_ns);
    }

    fn drain(&mut self) -> Result<(), Error> {
        Self::drain(self)
    }

    fn check(&self) -> Result<(), Error> {
        self.device.ftl.check()
    }

    fn result(&self, facts: &Facts<'_>) -> RunResult {
        result(self, facts)
    }

    fn warnings(&self) -> Vec<String> {
        self.device.ftl.warnings()
    }

    fn record(&mut self) {
        self.device.ftl.record();
        self.note_requests();
    }

    fn take_recorded(&mut self) -> Result<Recorded, Error> {
        if self.device.ftl.read_only {
            return Err(infeasible(
                "the drive turned read-only before the run was over",
                "raise drive.over_provisioning, or write less",
            ));
        }
        let log = self.take_log().unwrap_or_default();
        let state = &self.device.ftl.state;
        let numbers = Numbers {
            logical: state.logical_units,
            mapped: state.map.count(),
            trim_pages: self.device.ftl.trim_pages(),
            unit_bytes: state.geometry.unit_bytes,
        };
        Ok(Recorded { recording: take_recording(&mut self.device.ftl)?, log, numbers })
    }

    fn clear(&mut self, image: &Image) -> Result<(), Error> {
        self.device.ftl.clear(&mut self.device.io, image)
    }

    fn quiet_at_ns(&self) -> u64 {
        self.device.io.sched.quiet_at_ns()
    }

    fn hear(&mut self) -> Result<(), Error> {
        self.device.hear()
    }

    fn state(&self) -> &DriveState {
        &self.device.ftl.state
    }

    fn into_state(self: Box<Self>) -> DriveState {
        self.device.ftl.state
    }
}

/// What the flash of a drive did, which is no longer recorded.
pub(super) fn take_recording<T: Hooks, S: Scheduler>(
    ftl: &mut Ftl<T, S>,
) -> Result<Recording, Error> {
    let recording = ftl.chips_mut().and_then(Chips::take_recording);
    recording.ok_or_else(|| Error::Invariant("the flash was not recorded".into()))
}

impl<T: Hooks, S: Scheduler> Replay for Driver<T, S> {
    fn feed(&mut self, batch: &[Request], base_ns: u64) -> Result<(), Error> {
        Self::feed(self, batch, base_ns)
    }

    fn counters(&self) -> Counters {
        self.device.io.counters.clone()
    }

    fn logical_bytes(&self) -> u64 {
        let state = &self.device.ftl.state;
        state.logical_units * state.geometry.unit_bytes
    }

    fn now_ns(&self) -> u64 {
        self.device.io.sched.now_ns()
    }
}
