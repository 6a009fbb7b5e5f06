//! A drive or an array of drives as a run sees it, and a drive as its array does.

use crate::array::Member;
use crate::drive::DriveState;
use crate::engine::{RequestParts, Scheduler};
use crate::error::Error;
use crate::flash::tape::Tape;
use crate::flash::{Image, Medium, Recording};
use crate::host::{Completions, Driver, Host};
use crate::ids::{Lpn, Unit};
use crate::metrics::{Age, Counters, Recorder, RunResult, Sample};
use crate::nand::infeasible;
use crate::power::Numbers;
use crate::power::array::Recorded;
use crate::report::{Facts, result};
use crate::technique::Hooks;
use wordline_trace::Request;

/// A drive or an array of drives, with the host in front of it.
pub trait Drive: Send {
    /// Feeds a batch of requests, `base_ns` being the time at which their workload began.
    ///
    /// # Errors
    /// An address beyond the end; an operation that the flash could not carry out.
    fn feed(&mut self, batch: &[Request], base_ns: u64) -> Result<(), Error>;

    /// Carries out one request; false where a drive is read-only and took not all of a write, or could not correct all of a
    /// read.
    ///
    /// # Errors
    /// As [`Self::feed`].
    fn serve(&mut self, request: &Request) -> Result<bool, Error>;

    /// Open loop: time passes until `now_ns`.
    ///
    /// # Errors
    /// An operation that the flash could not carry out.
    fn advance(&mut self, now_ns: u64) -> Result<(), Error>;

    /// One step towards the next end of a request.
    ///
    /// # Errors
    /// Nothing is due at all.
    fn step(&mut self) -> Result<(), Error>;

    /// Takes note of the commands that have ended by now.
    ///
    /// # Errors
    /// An illegal operation.
    fn drain_notices(&mut self) -> Result<(), Error>;

    /// Lets everything that waits or is under way come to its end.
    ///
    /// # Errors
    /// As [`Self::feed`]; a promise that a technique did not keep.
    fn drain(&mut self) -> Result<(), Error>;

    /// Verifies the invariants of the drives.
    ///
    /// # Errors
    /// One that does not hold.
    fn check(&self) -> Result<(), Error>;

    /// Requests of the host that have ended.
    fn completions(&mut self) -> &mut Completions;

    /// What is recorded of the host's requests.
    fn recorder(&self) -> &Recorder;

    /// What is recorded of the host's requests, to be changed.
    fn recorder_mut(&mut self) -> &mut Recorder;

    /// Running totals.
    fn counters(&self) -> Counters;

    /// The present.
    fn now_ns(&self) -> u64;

    /// Bytes that the host can address.
    fn logical_bytes(&self) -> u64;

    /// How old the blocks are.
    fn age(&self) -> Age;

    /// From now on each erase stands for so many P/E cycles.
    fn set_cycles_per_erase(&mut self, cycles: u32);

    /// True once a drive takes no more writes.
    fn is_read_only(&self) -> bool;

    /// The result of all that was asked.
    fn result(&mut self, facts: &Facts<'_>) -> RunResult;
}

/// A drive that may be one of an array, or hold data.
pub trait MemberDrive: Drive + Member {
    /// What it believes.
    fn state(&self) -> &DriveState;

    /// Whether data of a logical unit waits in the controller's memory, and has yet to be given a place.
    fn holds(&self, lpn: Lpn) -> bool;

    /// What the drive believes, and its medium.
    fn parts(&mut self) -> (&DriveState, Option<&mut dyn Medium>);

    /// Where the data of a logical unit is; `None`: there is none.
    fn unit_of(&self, lpn: Lpn) -> Option<Unit> {
        self.state().unit_of(lpn).known()
    }

    /// What its request of that number took, where its latencies are taken apart; once.
    fn take_parts(&mut self, number: u64) -> Option<RequestParts>;

    /// Its figures as they stand.
    fn sample(&self) -> Sample;

    /// Counts anew from here on.
    fn measure(&mut self, now_ns: u64);

    /// What its technique and its erase scheme warn of.
    fn warnings(&self) -> Vec<String>;

    /// Records for a player what it does from now on, where that may be recorded.
    fn play_to(&mut self, tape: Tape);

    /// The recording for a player, which then ends.
    fn take_tape(&mut self) -> Option<Tape>;

    /// Records from now on what it does and what it is asked; its marks have to be kept.
    fn record(&mut self);

    /// What its flash did, which is no longer recorded.
    ///
    /// # Errors
    /// Nothing was recorded.
    fn take_recording(&mut self) -> Result<Recording, Error>;

    /// All that was recorded, which then ends.
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

    /// What it holds, once nothing else of it is needed.
    fn into_state(self: Box<Self>) -> DriveState;
}

impl<T: Hooks, S: Scheduler> Drive for Driver<T, S> {
    fn feed(&mut self, batch: &[Request], base_ns: u64) -> Result<(), Error> {
        Self::feed(self, batch, base_ns)
    }

    fn serve(&mut self, request: &Request) -> Result<bool, Error> {
        let not_done = |counters: &Counters| (counters.refused_writes, counters.lost_reads);
        let before = not_done(&self.device.io.counters);
        Self::feed(self, std::slice::from_ref(request), 0)?;
        Ok(not_done(&self.device.io.counters) == before)
    }

    fn advance(&mut self, now_ns: u64) -> Result<(), Error> {
        if now_ns > self.device.now_ns() {
            self.arrive(now_ns)?;
        }
        self.device.drain_notices()
    }

    fn step(&mut self) -> Result<(), Error> {
        self.wait_for_end(u64::MAX)?;
        Ok(())
    }

    fn drain_notices(&mut self) -> Result<(), Error> {
        self.device.drain_notices()
    }

    fn drain(&mut self) -> Result<(), Error> {
        Self::drain(self)
    }

    fn check(&self) -> Result<(), Error> {
        self.device.ftl.check()
    }

    fn completions(&mut self) -> &mut Completions {
        &mut self.completions
    }

    fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    fn counters(&self) -> Counters {
        self.device.io.counters.clone()
    }

    fn now_ns(&self) -> u64 {
        self.device.now_ns()
    }

    fn logical_bytes(&self) -> u64 {
        let state = &self.device.ftl.state;
        state.logical_units * state.geometry.unit_bytes
    }

    fn age(&self) -> Age {
        self.device.ftl.age()
    }

    fn set_cycles_per_erase(&mut self, cycles: u32) {
        self.lifetime.lived.go_on(self.recorder.bytes[1], cycles);
        self.device.ftl.state.cycles_per_erase = cycles;
    }

    fn is_read_only(&self) -> bool {
        self.device.ftl.read_only
    }

    fn result(&mut self, facts: &Facts<'_>) -> RunResult {
        result(self, facts)
    }
}

impl<T: Hooks, S: Scheduler> MemberDrive for Driver<T, S> {
    fn state(&self) -> &DriveState {
        &self.device.ftl.state
    }

    fn holds(&self, lpn: Lpn) -> bool {
        self.data.holds(lpn)
    }

    fn parts(&mut self) -> (&DriveState, Option<&mut dyn Medium>) {
        self.device.ftl.state_and_medium()
    }

    fn take_parts(&mut self, number: u64) -> Option<RequestParts> {
        self.device.io.sched.take_parts(number)
    }

    fn sample(&self) -> Sample {
        self.device.sample()
    }

    fn measure(&mut self, now_ns: u64) {
        Host::measure(self, now_ns);
    }

    fn warnings(&self) -> Vec<String> {
        self.device.ftl.warnings()
    }

    fn play_to(&mut self, tape: Tape) {
        self.device.ftl.door.tape = Some(Box::new(tape.at_work(S::TIMED)));
    }

    fn take_tape(&mut self) -> Option<Tape> {
        self.device.take_tape()
    }

    fn record(&mut self) {
        self.device.ftl.record();
        self.note_requests();
    }

    fn take_recording(&mut self) -> Result<Recording, Error> {
        let recording = self.device.ftl.door.chips.as_mut().and_then(|it| it.take_recording());
        recording.ok_or_else(|| Error::Invariant("the flash was not recorded".into()))
    }

    fn take_recorded(&mut self) -> Result<Recorded, Error> {
        if self.device.ftl.read_only {
            return Err(infeasible(
                "the drive turned read-only before the run was over",
                "raise drive.over_provisioning, or write less",
            ));
        }
        let log = self.take_log().unwrap_or_default();
        let ftl = &self.device.ftl;
        let numbers = Numbers {
            logical: ftl.state.logical_units,
            mapped: ftl.state.map.count(),
            trim_pages: ftl.trim_pages(),
            unit_bytes: ftl.state.geometry.unit_bytes,
        };
        Ok(Recorded { recording: self.take_recording()?, log, numbers })
    }

    fn clear(&mut self, image: &Image) -> Result<(), Error> {
        self.device.ftl.clear(&mut self.device.io, image)
    }

    fn quiet_at_ns(&self) -> u64 {
        self.device.io.sched.quiet_at_ns()
    }

    fn into_state(self: Box<Self>) -> DriveState {
        self.device.ftl.into_state()
    }
}
