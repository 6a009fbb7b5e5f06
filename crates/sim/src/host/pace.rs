//! A host: requests at their times (open loop), or as fast as others end (closed loop).

use super::slots::Slots;
use crate::error::Error;
use crate::metrics::{Recorder, Sample};
use crate::schema::{HostConfig, HostMode, Streams};
use wordline_trace::Request;

/// Requests that may wait for a slot of their stream while others go ahead.
const AHEAD: usize = 1 << 16;

/// When requests go.
#[derive(Debug)]
pub struct Pace {
    time_scale: f64,
    /// Closed loop: its slots; `None`: open loop.
    pub slots: Option<Slots>,
}

impl Pace {
    /// That of a configuration.
    pub fn new(host: &HostConfig) -> Self {
        let slots = || Slots::new(host.queue_depth as usize, host.streams == Streams::Each);
        Self { time_scale: host.time_scale, slots: (host.mode == HostMode::Closed).then(slots) }
    }
}

/// A host in front of a drive or of an array, which says how time passes and what a request does there.
pub trait Host {
    /// False where no time passes, so that no request waits for another.
    const TIMED: bool;

    /// When requests go.
    fn pace(&mut self) -> &mut Pace;

    /// What is recorded.
    fn recorder(&self) -> &Recorder;

    /// The same, to be changed.
    fn recorder_mut(&mut self) -> &mut Recorder;

    /// The figures as they stand.
    fn sample(&self) -> Sample;

    /// Counts anew from here on.
    fn measure(&mut self, now_ns: u64);

    /// Time passes until a request arrives, were power always on at `arrival_ns`; returns when it does.
    ///
    /// # Errors
    /// What happens meanwhile fails.
    fn arrive(&mut self, arrival_ns: u64) -> Result<u64, Error>;

    /// Hands a request on.
    ///
    /// # Errors
    /// An address beyond the end.
    fn submit(&mut self, request: &Request, arrival_ns: u64) -> Result<(), Error>;

    /// One step towards the next end of a request, or that end.
    ///
    /// # Errors
    /// Nothing is due.
    fn wait_for_end(&mut self) -> Result<(), Error>;

    /// A request of a workload that began at `base_ns` goes, or waits for a slot of its stream.
    ///
    /// # Errors
    /// As [`Self::submit`].
    #[inline(always)]
    fn feed_one(&mut self, request: &Request, base_ns: u64) -> Result<(), Error> {
        let pace = self.pace();
        match &mut pace.slots {
            None => {
                let scaled = (request.arrival_ns as f64 * pace.time_scale) as u64;
                let arrival_ns = self.arrive(base_ns + scaled)?;
                self.carry_out(request, arrival_ns)
            }
            Some(_) if !Self::TIMED => self.carry_out(request, 0),
            Some(slots) if slots.each_stream() => {
                slots.wait(*request);
                self.carry_out_waiting(AHEAD)
            }
            Some(_) => {
                let arrival_ns = self.wait_for_slot()?;
                self.carry_out(request, arrival_ns)
            }
        }
    }

    /// Waits for a free slot of all streams together; returns when it became free.
    ///
    /// # Errors
    /// As [`Self::wait_for_end`].
    #[inline]
    fn wait_for_slot(&mut self) -> Result<u64, Error> {
        while self.pace().slots.as_ref().is_some_and(|slots| !slots.has_room(0)) {
            self.wait_for_end()?;
        }
        Ok(self.pace().slots.as_mut().map_or(0, |slots| slots.take(0)))
    }

    /// Closed loop by streams: requests go as slots become free, until no more than `left` wait.
    ///
    /// # Errors
    /// As [`Self::submit`].
    fn carry_out_waiting(&mut self, left: usize) -> Result<(), Error> {
        while self.pace().slots.as_ref().is_some_and(|slots| slots.waiting() > left) {
            match self.pace().slots.as_mut().and_then(Slots::next) {
                Some((request, slot_ns)) => self.carry_out(&request, slot_ns)?,
                None => self.wait_for_end()?,
            }
        }
        Ok(())
    }

    /// A request that arrives at `arrival_ns` is carried out and recorded.
    ///
    /// # Errors
    /// As [`Self::submit`].
    #[inline]
    fn carry_out(&mut self, request: &Request, arrival_ns: u64) -> Result<(), Error> {
        if self.recorder_mut().begins_with(arrival_ns) {
            self.measure(arrival_ns);
        }
        let recorder = self.recorder_mut();
        recorder.first_arrival_ns.get_or_insert(arrival_ns);
        recorder.take(request);
        self.submit(request, arrival_ns)?;
        if self.recorder().total() >= self.recorder().series.due {
            let sample = self.sample();
            self.recorder_mut().series.push(sample);
        }
        Ok(())
    }
}
