//! A host: requests at their times (open loop), or as fast as others end (closed loop), with pauses or without.

use super::Ask;
use super::queues::Queues;
use crate::error::Fallible;
use crate::metrics::{Recorder, Sample};
use crate::schema::{HostConfig, HostMode};
use wordline_trace::Request;

/// Requests that may wait for a slot of their queue while others go ahead: streams without times are read at one rate, and
/// may go at very different ones.
const AHEAD: usize = 1 << 20;

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
    is_closed: bool,
    /// Where requests stand; `None`: open loop, they go as they arrive.
    pub queues: Option<Queues>,
}

impl Pace {
    /// The pace of a configuration.
    pub fn new(host: &HostConfig) -> Self {
        let is_closed = host.mode == HostMode::Closed;
        let queues = Queues::new(host);
        Self { time_scale: host.time_scale, bursts: Bursts::new(host), is_closed, queues }
    }

    /// When the next slot becomes free, as far as is known; `u64::MAX`: nothing is known.
    #[inline(always)]
    pub fn next_end_ns(&self) -> u64 {
        self.queues.as_ref().map_or(u64::MAX, Queues::next_end_ns)
    }

    /// The end of a request is known.
    #[inline(always)]
    pub fn will_end(&mut self, stream: u32, at_ns: u64) {
        if let Some(queues) = &mut self.queues {
            queues.will_end(stream, at_ns);
        }
    }

    /// A request is over that nobody knew would end.
    #[inline(always)]
    pub fn has_ended(&mut self, stream: u32, at_ns: u64) {
        if let Some(queues) = &mut self.queues {
            queues.has_ended(stream, at_ns);
        }
    }

    /// The next end that is known has come.
    #[inline(always)]
    pub fn free(&mut self) {
        self.queues.as_mut().map(Queues::free);
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

    /// A request of a workload that began at `base_ns` goes, or waits in its queue.
    ///
    /// # Errors
    /// As [`Self::submit`].
    #[inline(always)]
    fn feed_one(&mut self, request: &Request, base_ns: u64) -> Fallible {
        let pace = self.pace();
        let arrival_ns = match &mut pace.queues {
            None => {
                let scaled = (request.arrival_ns as f64 * pace.time_scale) as u64;
                self.arrive(base_ns + scaled)?
            }
            Some(_) if !pace.is_closed => return self.feed_held(request, base_ns),
            Some(_) if !Self::TIMED => 0,
            Some(queues) => {
                let are_held = queues.are_held();
                if pace.bursts.is_some() {
                    self.pause_between_bursts()?;
                }
                if are_held {
                    if let Some(queues) = &mut self.pace().queues {
                        queues.wait(*request);
                    }
                    return self.carry_out_waiting(AHEAD, u64::MAX);
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
        self.carry_out_waiting(0, u64::MAX)?;
        while self.pace().queues.as_ref().is_some_and(Queues::are_taken) {
            self.wait_for_end(u64::MAX)?;
        }
        let end_ns = self.pace().queues.as_ref().map_or(0, Queues::free_since_ns);
        let begin_ns = self.arrive(end_ns + pause_ns)?;
        if let Some(queues) = &mut self.pace().queues {
            queues.go_on_at(begin_ns);
        }
        self.recorder_mut().paused_ns += begin_ns - end_ns;
        Ok(())
    }

    /// Open loop whose requests stand in queues until the drive takes them.
    ///
    /// # Errors
    /// As [`Self::submit`].
    #[inline(never)]
    fn feed_held(&mut self, request: &Request, base_ns: u64) -> Fallible {
        let scaled = (request.arrival_ns as f64 * self.pace().time_scale) as u64;
        self.carry_out_waiting(0, base_ns + scaled)?;
        let arrival_ns = self.arrive(base_ns + scaled)?;
        if !Self::TIMED {
            return self.carry_out_held(request, arrival_ns, arrival_ns);
        }
        if let Some(queues) = &mut self.pace().queues {
            queues.free_until(arrival_ns);
            queues.hold(*request, arrival_ns);
        }
        while let Some(leaving) = self.pace().queues.as_mut().and_then(Queues::next) {
            let (request, arrival_ns, leaves_ns) = leaving;
            self.carry_out_held(&request, arrival_ns, leaves_ns)?;
        }
        Ok(())
    }

    /// Waits for a free slot of all streams together; returns when it became free.
    ///
    /// # Errors
    /// As [`Self::wait_for_end`].
    #[inline]
    fn wait_for_slot(&mut self) -> Fallible<u64> {
        while self.pace().queues.as_ref().is_some_and(|queues| !queues.has_room()) {
            self.wait_for_end(u64::MAX)?;
        }
        Ok(self.pace().queues.as_mut().map_or(0, Queues::take))
    }

    /// Requests leave their queues as others end, until no more than `left` wait or until `until_ns`.
    ///
    /// # Errors
    /// As [`Self::submit`].
    fn carry_out_waiting(&mut self, left: usize, until_ns: u64) -> Fallible {
        while let Some(queues) = self.pace().queues.as_mut().filter(|it| it.waiting() > left) {
            if let Some((request, arrival_ns, leaves_ns)) = queues.next() {
                self.carry_out_held(&request, arrival_ns, leaves_ns)?;
            } else if !self.wait_for_end(until_ns)? {
                break;
            }
        }
        Ok(())
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
