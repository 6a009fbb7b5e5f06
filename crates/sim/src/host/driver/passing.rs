//! How time passes for a drive: what it does on its own, and what the host waits for.

use super::Driver;
use crate::engine::Scheduler;
use crate::error::{Error, Fallible};
use crate::host::ProgramBuffer;
use crate::host::slots::Slots;
use crate::schema::Config;
use crate::technique::Hooks;

/// The host's constants.
#[derive(Debug, Clone)]
pub(super) struct Times {
    /// `None`: the bus takes no time.
    pub ns_per_byte: Option<f64>,
    pub overhead_ns: u64,
    pub dram_ns: u64,
    /// Of each trim.
    pub trim_ns: u64,
    /// Of each unit that it covers whole.
    pub trim_unit_ns: f64,
    pub flush_interval_ns: u64,
    pub idle_ns: u64,
    pub uses_idle_time: bool,
}

impl Times {
    pub fn new(config: &Config, uses_idle_time: bool) -> Self {
        let host = &config.host;
        let ns = |us: f64| (us * 1000.0).round() as u64;
        Self {
            ns_per_byte: (host.bus_mb_s > 0.0).then(|| 1000.0 / host.bus_mb_s),
            overhead_ns: ns(host.overhead_us),
            dram_ns: ns(host.dram_us),
            trim_ns: ns(config.ftl.trim_us),
            trim_unit_ns: config.ftl.trim_unit_us * 1000.0,
            flush_interval_ns: ns(host.flush_interval_s * 1e6),
            idle_ns: ns(config.ftl.gc.idle_us),
            uses_idle_time,
        }
    }

    /// True where no bus delays anything, and idle time is of no use.
    pub fn are_plain(&self) -> bool {
        self.ns_per_byte.is_none() && !self.uses_idle_time
    }
}

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// What the drive does on its own before `until_ns`: programs that are overdue, flushes of the
    /// write buffer, idle work.
    pub(crate) fn pass_time_until(&mut self, until_ns: u64) {
        'on: loop {
            let due_ns = self.next_timer::<false>();
            let may_wake = self.times.uses_idle_time || self.io.sched.is_watching();
            if due_ns >= until_ns && !may_wake {
                break;
            }
            while self.io.sched.step(due_ns.min(until_ns), &mut self.io.requests) {
                self.collect_finished();
                if self.io.sched.has_idle() {
                    continue 'on;
                }
            }
            if self.times.uses_idle_time && self.use_idle_time(due_ns.min(until_ns)) {
                continue;
            }
            if due_ns >= until_ns {
                break;
            }
            self.io.sched.advance(due_ns, &mut self.io.requests);
            self.serve_timers();
        }
        self.io.sched.advance(until_ns, &mut self.io.requests);
        self.collect_finished();
    }

    #[inline]
    pub(crate) fn next_timer<const PLAIN: bool>(&mut self) -> u64 {
        let may_start = (!PLAIN && self.programs.is_some()) || self.ftl.unstarted() > 0;
        let own_ns = match may_start || !self.io.requests.finished.is_empty() {
            true => self.next_start(),
            false => u64::MAX,
        };
        let due_ns = own_ns.min(self.ftl.technique_due_ns());
        if PLAIN {
            return due_ns;
        }
        let waiting_ns = if T::IN_USE { self.waiting.due_ns() } else { u64::MAX };
        due_ns.min(self.next_flush_ns).min(waiting_ns)
    }

    /// Programs that are overdue start; returns when the next one is due, or there is room in the controller's
    /// buffer.
    #[inline(never)]
    fn next_start(&mut self) -> u64 {
        let due_ns = match self.awaits_starts() {
            true => self.ftl.next_start_ns(&mut self.io),
            false => {
                while self.io.sched.pop_idle().is_some() {}
                u64::MAX
            }
        };
        self.collect_finished();
        due_ns.min(self.programs.as_ref().map_or(u64::MAX, ProgramBuffer::next_ns))
    }

    /// False where writes have been acknowledged although their programs have not begun.
    fn awaits_starts(&self) -> bool {
        let unstarted = self.ftl.unstarted();
        self.programs.as_ref().is_none_or(|programs| programs.lacks_room(unstarted))
    }

    /// [`Self::next_timer`], for an array, which asks nothing of the drive before it lets time pass.
    #[inline]
    pub(crate) fn tell_timer<const PLAIN: bool>(&mut self) -> u64 {
        self.announced_wakeup_ns = self.next_timer::<PLAIN>();
        self.announced_wakeup_ns
    }

    /// What the drive does on its own before an array's request at `until_ns`: nothing, where what it told says so.
    #[inline]
    pub(crate) fn come_to<const PLAIN: bool>(&mut self, until_ns: u64) {
        let announced_wakeup_ns = std::mem::take(&mut self.announced_wakeup_ns);
        if announced_wakeup_ns < until_ns || (!PLAIN && self.times.uses_idle_time) {
            return self.pass_time_until(until_ns);
        }
        self.io.sched.advance(until_ns, &mut self.io.requests);
        self.collect::<PLAIN>();
    }

    pub(crate) fn serve_timers(&mut self) {
        while self.ftl.unstarted() > 0 && self.awaits_starts() && self.ftl.start_one(&mut self.io) {
        }
        if self.io.sched.now_ns() >= self.next_flush_ns {
            self.next_flush_ns += self.times.flush_interval_ns;
            self.flush_buffer(None);
        }
        self.ftl.serve_technique(&mut self.io);
        self.serve_waiting(false);
        self.collect_finished();
    }

    /// One step of idle work, if the drive has been idle for long enough before `limit_ns`.
    fn use_idle_time(&mut self, limit_ns: u64) -> bool {
        let start_ns = self.io.sched.quiet_at_ns().saturating_add(self.times.idle_ns);
        if start_ns >= limit_ns {
            return false;
        }
        self.io.sched.advance(start_ns, &mut self.io.requests);
        self.ftl.begin_idle_time();
        let mut worked = false;
        while self.io.sched.quiet_at_ns() < limit_ns && self.ftl.idle_step(&mut self.io) {
            worked = true;
            while self.io.sched.step(limit_ns, &mut self.io.requests) {}
            let quiet_ns = self.io.sched.quiet_at_ns().min(limit_ns);
            self.io.sched.advance(quiet_ns, &mut self.io.requests);
        }
        worked
    }

    /// One step towards the next end of a request, or that end, at `until_ns` at the latest.
    #[inline(always)]
    pub(super) fn go_on<const PLAIN: bool>(&mut self, until_ns: u64) -> Fallible<bool> {
        let due_ns = self.next_timer::<PLAIN>();
        let known_ns = self.next_end_ns();
        if self.io.sched.step(due_ns.min(known_ns).min(until_ns), &mut self.io.requests) {
            self.collect_and_free::<PLAIN>(known_ns, due_ns, until_ns);
        } else if due_ns.min(known_ns) > until_ns {
            return Ok(false);
        } else if known_ns <= due_ns && known_ns < u64::MAX {
            self.pace.slots.as_mut().map(Slots::free);
            self.io.sched.advance(known_ns, &mut self.io.requests);
        } else if due_ns < u64::MAX {
            self.io.sched.advance(due_ns, &mut self.io.requests);
            self.serve_timers();
        } else {
            return Err(Error::Invariant("every request waits and nothing is due".into()).into());
        }
        Ok(true)
    }

    /// Records what has ended in a step towards `until_ns`, and frees slots where nothing else comes before that.
    #[inline(always)]
    fn collect_and_free<const PLAIN: bool>(&mut self, known_ns: u64, due_ns: u64, until_ns: u64) {
        if PLAIN && known_ns == u64::MAX && self.one_has_ended(due_ns) {
            return self.record_the_last();
        }
        self.collect_finished();
        if !self.io.sched.has_idle() {
            self.free_at_once(due_ns, until_ns);
        }
    }

    /// True where one request has ended, now, and nothing else happens at this time.
    #[inline(always)]
    fn one_has_ended(&self, due_ns: u64) -> bool {
        let [request] = self.io.requests.finished.as_slice() else { return false };
        request.done_ns < due_ns.min(self.io.sched.next_ns())
            && request.done_ns <= self.io.sched.now_ns()
    }

    /// When the next request ends, as far as is known.
    #[inline]
    fn next_end_ns(&self) -> u64 {
        self.pace.slots.as_ref().map_or(u64::MAX, Slots::next_end_ns)
    }

    /// Where nothing else happens until a request ends, its slot is free: what the next step would find. What is
    /// due at that very time comes first.
    #[inline(never)]
    fn free_at_once(&mut self, due_ns: u64, until_ns: u64) {
        let known_ns = self.next_end_ns();
        let is_next = known_ns <= until_ns && known_ns < due_ns.min(self.io.sched.next_ns());
        if is_next && self.programs.is_none() {
            self.pace.slots.as_mut().map(Slots::free);
            if known_ns > self.io.sched.now_ns() {
                self.io.sched.advance(known_ns, &mut self.io.requests);
            }
        }
    }
}
