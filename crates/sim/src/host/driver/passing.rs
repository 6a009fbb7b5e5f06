//! How time passes for a drive: what it does on its own, and what the host waits for.

use super::Driver;
use crate::engine::Scheduler;
use crate::error::{Error, Fallible};
use crate::technique::{Hooks, Outage};

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// What the drive does on its own before `until_ns`: programs that are overdue, flushes of the
    /// write buffer, idle work.
    pub(crate) fn pass_time_until(&mut self, until_ns: u64) {
        'on: loop {
            let due_ns = self.next_timer::<false>();
            let may_wake = self.timers.uses_idle_time() || self.device.io.sched.is_watching();
            if due_ns >= until_ns && !may_wake {
                break;
            }
            while self.device.step(due_ns.min(until_ns)) {
                self.collect_finished();
                if self.device.io.sched.has_idle() {
                    continue 'on;
                }
            }
            if self.timers.work_in_idle_time(&mut self.device, due_ns.min(until_ns)) {
                continue;
            }
            if due_ns >= until_ns {
                break;
            }
            self.device.advance(due_ns);
            self.serve_timers();
        }
        self.device.advance(until_ns);
        self.collect_finished();
    }

    #[inline]
    pub(crate) fn next_timer<const PLAIN: bool>(&mut self) -> u64 {
        let Self { device, data, .. } = self;
        let may_start = (!PLAIN && data.acknowledges()) || device.ftl.unstarted() > 0;
        let own_ns = match may_start || !device.io.requests.finished.is_empty() {
            true => self.next_start(),
            false => u64::MAX,
        };
        let due_ns = own_ns.min(self.device.ftl.technique_due_ns());
        if PLAIN {
            return due_ns;
        }
        let parts_ns = if T::IN_USE { self.data.parts_due_ns() } else { u64::MAX };
        due_ns.min(self.timers.next_flush_ns()).min(parts_ns).min(self.link.next_ns())
    }

    /// Programs that are overdue start; returns when the next one is due, or there is room in the controller's
    /// buffer.
    #[inline(never)]
    fn next_start(&mut self) -> u64 {
        let Self { device, data, .. } = self;
        let due_ns = match data.awaits_starts(device.ftl.unstarted()) {
            true => device.ftl.next_start_ns(&mut device.io),
            false => {
                while device.io.sched.pop_idle().is_some() {}
                u64::MAX
            }
        };
        self.collect_finished();
        due_ns.min(self.data.room_ns())
    }

    /// Tells an array when the drive next does something of its own accord, or something ends, unless it is asked
    /// something before. By that it may find work that is due now, and so further ends.
    #[inline(always)]
    pub(crate) fn announce<const PLAIN: bool>(&mut self) -> u64 {
        let wakeup_ns = self.next_timer::<PLAIN>();
        self.timers.announce(wakeup_ns);
        wakeup_ns.min(self.device.io.sched.next_ns())
    }

    /// What the drive does on its own before an array's request at `until_ns`: nothing, where what it told says so.
    #[inline]
    pub(crate) fn come_to<const PLAIN: bool>(&mut self, until_ns: u64) {
        if self.timers.wake_before::<PLAIN>(until_ns) {
            return self.pass_time_until(until_ns);
        }
        self.device.advance(until_ns);
        self.collect::<PLAIN>();
    }

    pub(crate) fn serve_timers(&mut self) {
        let Self { device, data, .. } = self;
        while device.ftl.unstarted() > 0
            && data.awaits_starts(device.ftl.unstarted())
            && device.ftl.start_one(&mut device.io)
        {}
        if self.timers.flushes_at(device.now_ns()) {
            data.flush_buffer(device, None);
        }
        device.ftl.serve_technique(&mut device.io);
        data.serve_parts(device, false);
        self.receive_all();
        self.collect_finished();
    }

    /// Lets time pass until no request is on its way over the link.
    pub(super) fn end_coming(&mut self) {
        while self.link.next_ns() < u64::MAX {
            self.pass_time_until(self.link.next_ns());
            self.serve_timers();
        }
    }

    /// Power goes off, once what is under way and in the buffers is on the flash, and comes back.
    #[cold]
    pub(super) fn lose_power(&mut self, planned: &Outage) {
        self.pass_time_until(self.outages.present_ns(planned.from_ns));
        self.end_coming();
        self.data.empty(&mut self.device, None);
        self.device.ftl.end_all_programs(&mut self.device.io);
        self.end_all();
        let outage = self.outages.begin(planned, self.device.now_ns());
        self.device.advance(outage.to_ns);
        self.timers.postpone(outage.to_ns - outage.from_ns);
        self.device.ftl.power_was_off(&mut self.device.io, &outage);
    }

    /// Lets everything that is under way come to its end.
    pub(super) fn end_all(&mut self) {
        while self.device.step(u64::MAX) {
            self.collect_finished();
        }
        self.collect_finished();
    }

    /// Lets time pass until no part of a request waits.
    pub(super) fn end_waiting_parts(&mut self) {
        while self.data.has_waiting_parts() {
            let due_ns = self.data.parts_due_ns();
            while self.device.step(due_ns) {
                self.collect_finished();
            }
            self.device.advance(due_ns);
            self.data.serve_parts(&mut self.device, false);
            self.collect_finished();
        }
    }

    /// One step towards the next end of a request, or that end, at `until_ns` at the latest.
    #[inline(always)]
    pub(super) fn go_on<const PLAIN: bool>(&mut self, until_ns: u64) -> Fallible<bool> {
        let due_ns = self.next_timer::<PLAIN>();
        let known_ns = self.pace.next_end_ns();
        if self.device.step(due_ns.min(known_ns).min(until_ns)) {
            self.collect_and_free::<PLAIN>(known_ns, due_ns, until_ns);
        } else if due_ns.min(known_ns) > until_ns {
            return Ok(false);
        } else if known_ns <= due_ns && known_ns < u64::MAX {
            self.pace.free();
            self.device.advance(known_ns);
        } else if due_ns < u64::MAX {
            self.device.advance(due_ns);
            self.serve_timers();
        } else {
            return Err(Error::Invariant("every request waits and nothing is due".into()).into());
        }
        Ok(true)
    }

    /// Records what has ended in a step towards `until_ns`, and frees slots where nothing else comes before that.
    #[inline(always)]
    fn collect_and_free<const PLAIN: bool>(&mut self, known_ns: u64, due_ns: u64, until_ns: u64) {
        if PLAIN && known_ns == u64::MAX && self.device.one_has_ended(due_ns) {
            return self.record_the_last();
        }
        self.collect_finished();
        if !self.device.io.sched.has_idle() {
            self.free_at_once(due_ns, until_ns);
        }
    }

    /// Where nothing else happens until a request ends, its slot is free: what the next step would find. What is
    /// due at that very time comes first.
    #[inline(never)]
    fn free_at_once(&mut self, due_ns: u64, until_ns: u64) {
        let known_ns = self.pace.next_end_ns();
        let is_next = known_ns <= until_ns && known_ns < due_ns.min(self.device.io.sched.next_ns());
        if is_next && !self.data.acknowledges() {
            self.pace.free();
            if known_ns > self.device.now_ns() {
                self.device.advance(known_ns);
            }
        }
    }
}
