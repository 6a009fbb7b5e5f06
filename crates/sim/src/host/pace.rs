//! A host: requests at their times (open loop), or as fast as others end (closed loop), with pauses or without.

use super::Ask;
use super::slots::Slots;
use super::window::Window;
use crate::error::Fallible;
use crate::metrics::{Recorder, Sample};
use crate::schema::{HostConfig, HostMode, Streams};
use wordline_trace::Request;

/// Requests that may wait for a slot of their stream while others go ahead.
const AHEAD: usize = 1 << 16;

/// The bursts of a closed loop, and the pauses between them.
#[derive(Debug)]
struct Bursts {
    requests: u64,
    pause_ns: u64,
    /// Requests of the present one that are still to come.
    left: u64,
}

impl Bursts {
    fn new(host: &HostConfig) -> Option<Self> {
        let requests = host.burst_requests;
        let pause_ns = (host.pause_s * 1e9).round() as u64;
        let pauses = host.mode == HostMode::Closed && host.has_idle_time();
        pauses.then_some(Self { requests, pause_ns, left: requests })
    }

    /// One more request comes: the length of the pause before it, if it is the first of another burst.
    fn next(&mut self) -> Option<u64> {
        let begins = self.left == 0;
        self.left = if begins { self.requests } else { self.left } - 1;
        begins.then_some(self.pause_ns)
    }
}

/// When requests go.
#[derive(Debug)]
pub struct Pace {
    time_scale: f64,
    /// Closed loop: its bursts; `None`: it never pauses.
    bursts: Option<Bursts>,
    /// The slots of a closed loop, or of a window; `None`: open loop without one.
    pub slots: Option<Slots>,
    /// Open loop: the requests that the host's driver holds back.
    window: Option<Window>,
}

impl Pace {
    /// That of a configuration.
    pub fn new(host: &HostConfig) -> Self {
        let is_closed = host.mode == HostMode::Closed;
        let window = (!is_closed && host.window > 0).then(|| Window::new(host.window_order));
        let slots = match is_closed {
            true => Some(Slots::new(host.queue_depth as usize, host.streams == Streams::Each)),
            false => window.as_ref().map(|_| Slots::new(host.window as usize, false)),
        };
        Self { time_scale: host.time_scale, bursts: Bursts::new(host), slots, window }
    }

    /// When the next slot becomes free, as far as is known; `u64::MAX`: nothing is known.
    #[inline(always)]
    pub fn next_end_ns(&self) -> u64 {
        self.slots.as_ref().map_or(u64::MAX, Slots::next_end_ns)
    }

    /// The end of a request is known.
    #[inline(always)]
    pub fn will_end(&mut self, stream: u32, at_ns: u64) {
        if let Some(slots) = &mut self.slots {
            slots.will_end(stream, at_ns);
        }
    }

    /// A request is over that nobody knew would end.
    #[inline(always)]
    pub fn has_ended(&mut self, stream: u32, at_ns: u64) {
        if let Some(slots) = &mut self.slots {
            slots.has_ended(stream, at_ns);
        }
    }

    /// The next end that is known has come.
    #[inline(always)]
    pub fn free(&mut self) {
        self.slots.as_mut().map(Slots::free);
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

    /// What is recorded, to be changed.
    fn recorder_mut(&mut self) -> &mut Recorder;

    /// The figures as they stand.
    fn sample(&self) -> Sample;

    /// Counts anew from here on.
    fn measure(&mut self, now_ns: u64);

    /// The first request that counts arrives.
    fn note_first(&mut self) {}

    /// Time passes until a request arrives, were power always on at `arrival_ns`; returns when it does.
    ///
    /// # Errors
    /// What happens meanwhile fails.
    fn arrive(&mut self, arrival_ns: u64) -> Fallible<u64>;

    /// Hands a request on at `sent_ns` that arrived at the host's driver at `arrival_ns`.
    ///
    /// # Errors
    /// An address beyond the end.
    fn submit(&mut self, request: &Request, arrival_ns: u64, sent_ns: u64) -> Fallible;

    /// One step towards the next end of a request, or that end, at `until_ns` at the latest; false where
    /// nothing is due until then.
    ///
    /// # Errors
    /// Nothing is due at all, with an `until_ns` of `u64::MAX`.
    fn wait_for_end(&mut self, until_ns: u64) -> Fallible<bool>;

    /// Asks the processor's cache for what a request will touch.
    fn ask_for(&mut self, ask: Ask, request: &Request);

    /// Feeds a batch of requests, `base_ns` being the time at which their workload began.
    ///
    /// # Errors
    /// As [`Self::submit`].
    #[inline(always)]
    fn feed_batch(&mut self, batch: &[Request], base_ns: u64) -> Fallible {
        for (index, request) in batch.iter().enumerate() {
            if let Some(ahead) = Ask::Map.ahead(batch, index) {
                self.ask_for(Ask::Map, ahead);
            }
            if let Some(ahead) = Ask::Places.ahead(batch, index) {
                self.ask_for(Ask::Places, ahead);
            }
            self.feed_one(request, base_ns)?;
        }
        Ok(())
    }

    /// A request of a workload that began at `base_ns` goes, or waits for a slot of its stream.
    ///
    /// # Errors
    /// As [`Self::submit`].
    #[inline(always)]
    fn feed_one(&mut self, request: &Request, base_ns: u64) -> Fallible {
        let pace = self.pace();
        let arrival_ns = match &mut pace.slots {
            None => {
                let scaled = (request.arrival_ns as f64 * pace.time_scale) as u64;
                self.arrive(base_ns + scaled)?
            }
            Some(_) if pace.window.is_some() => return self.feed_window(request, base_ns),
            Some(_) if !Self::TIMED => 0,
            Some(slots) if slots.each_stream() => {
                if pace.bursts.is_some() {
                    self.pause_between_bursts()?;
                }
                if let Some(slots) = &mut self.pace().slots {
                    slots.wait(*request);
                }
                return self.carry_out_waiting(AHEAD);
            }
            Some(_) => {
                if pace.bursts.is_some() {
                    self.pause_between_bursts()?;
                }
                self.wait_for_slot()?
            }
        };
        self.carry_out(request, arrival_ns, arrival_ns)
    }

    /// Before the first request of another burst all others end, and the host pauses.
    ///
    /// # Errors
    /// As [`Self::submit`] and [`Self::arrive`].
    #[inline(never)]
    fn pause_between_bursts(&mut self) -> Fallible {
        let Some(pause_ns) = self.pace().bursts.as_mut().and_then(Bursts::next) else {
            return Ok(());
        };
        self.carry_out_waiting(0)?;
        while self.pace().slots.as_ref().is_some_and(Slots::are_taken) {
            self.wait_for_end(u64::MAX)?;
        }
        let end_ns = self.pace().slots.as_ref().map_or(0, Slots::free_since_ns);
        let begin_ns = self.arrive(end_ns + pause_ns)?;
        if let Some(slots) = &mut self.pace().slots {
            slots.go_on_at(begin_ns);
        }
        self.recorder_mut().paused_ns += begin_ns - end_ns;
        Ok(())
    }

    /// Open loop behind a window: a request goes when it arrives, or waits in the driver's queue.
    ///
    /// # Errors
    /// As [`Self::submit`].
    fn feed_window(&mut self, request: &Request, base_ns: u64) -> Fallible {
        let scaled = (request.arrival_ns as f64 * self.pace().time_scale) as u64;
        self.empty_window(base_ns + scaled)?;
        let arrival_ns = self.arrive(base_ns + scaled)?;
        if !Self::TIMED {
            return self.carry_out_held(request, arrival_ns, arrival_ns);
        }
        let Pace { slots: Some(slots), window: Some(window), .. } = self.pace() else {
            return Ok(());
        };
        slots.free_until(arrival_ns);
        if !slots.has_room(0) {
            window.hold(*request, arrival_ns);
            return Ok(());
        }
        slots.take(0);
        window.passes(request);
        self.carry_out_held(request, arrival_ns, arrival_ns)
    }

    /// Until `until_ns`, requests leave the driver's queue as others end.
    ///
    /// # Errors
    /// As [`Self::submit`].
    fn empty_window(&mut self, until_ns: u64) -> Fallible {
        while let Pace { slots: Some(slots), window: Some(window), .. } = self.pace()
            && !window.is_empty()
        {
            if !slots.has_room(0) {
                if !self.wait_for_end(until_ns)? {
                    break;
                }
            } else if let Some((request, arrival_ns)) = window.next() {
                let sent_ns = slots.take(0);
                self.carry_out_held(&request, arrival_ns, sent_ns)?;
            }
        }
        Ok(())
    }

    /// Waits for a free slot of all streams together; returns when it became free.
    ///
    /// # Errors
    /// As [`Self::wait_for_end`].
    #[inline]
    fn wait_for_slot(&mut self) -> Fallible<u64> {
        while self.pace().slots.as_ref().is_some_and(|slots| !slots.has_room(0)) {
            self.wait_for_end(u64::MAX)?;
        }
        Ok(self.pace().slots.as_mut().map_or(0, |slots| slots.take(0)))
    }

    /// Closed loop by streams: requests go as slots become free, until no more than `left` wait.
    ///
    /// # Errors
    /// As [`Self::submit`].
    fn carry_out_waiting(&mut self, left: usize) -> Fallible {
        while self.pace().slots.as_ref().is_some_and(|slots| slots.waiting() > left) {
            match self.pace().slots.as_mut().and_then(Slots::next) {
                Some((request, slot_ns)) => self.carry_out_held(&request, slot_ns, slot_ns)?,
                None => {
                    self.wait_for_end(u64::MAX)?;
                }
            }
        }
        self.empty_window(u64::MAX)
    }

    /// A request that arrived at `arrival_ns` and is sent at `sent_ns` is carried out and recorded.
    ///
    /// # Errors
    /// As [`Self::submit`].
    #[inline(always)]
    fn carry_out(&mut self, request: &Request, arrival_ns: u64, sent_ns: u64) -> Fallible {
        self.note_begin(request, arrival_ns, sent_ns);
        self.submit(request, arrival_ns, sent_ns)?;
        self.note_course();
        Ok(())
    }

    /// A request that arrived at `arrival_ns` is sent at `sent_ns`.
    #[inline(always)]
    fn note_begin(&mut self, request: &Request, arrival_ns: u64, sent_ns: u64) {
        if self.recorder_mut().begins_with(sent_ns) {
            self.measure(sent_ns);
        }
        if self.recorder().first_arrival_ns.is_none() {
            self.recorder_mut().first_arrival_ns = Some(arrival_ns);
            self.note_first();
        }
        self.recorder_mut().take(request);
    }

    /// A request was sent.
    #[inline(always)]
    fn note_course(&mut self) {
        if self.recorder().total() >= self.recorder().series.due {
            self.note_sample();
        }
    }

    /// Takes the sample that is due.
    #[cold]
    #[inline(never)]
    fn note_sample(&mut self) {
        let sample = self.sample();
        self.recorder_mut().series.push(sample);
    }

    /// Carries out a request where some may be held back: apart, so that those that never are take no call.
    ///
    /// # Errors
    /// As [`Self::submit`].
    #[inline(never)]
    fn carry_out_held(&mut self, request: &Request, arrival_ns: u64, sent_ns: u64) -> Fallible {
        self.carry_out(request, arrival_ns, sent_ns)
    }
}
