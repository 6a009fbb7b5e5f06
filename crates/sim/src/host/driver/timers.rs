//! What the drive does on its own: when the write buffer is flushed, and when idle time is used.

use crate::engine::Scheduler;
use crate::host::Device;
use crate::schema::Config;
use crate::technique::Hooks;

/// The timers of a drive.
pub(super) struct Timers {
    flush_interval_ns: u64,
    next_flush_ns: u64,
    /// How long nothing is done before a drive is idle.
    idle_ns: u64,
    uses_idle_time: bool,
    /// Next wake-up that was announced to an array; 0: none was since it asked something.
    announced_wakeup_ns: u64,
}

impl Timers {
    pub fn new(config: &Config, uses_idle_time: bool) -> Self {
        let flush_interval_ns = (config.host.flush_interval_s * 1e6 * 1000.0).round() as u64;
        Self {
            flush_interval_ns,
            next_flush_ns: if flush_interval_ns == 0 { u64::MAX } else { flush_interval_ns },
            idle_ns: (config.ftl.gc.idle_us * 1000.0).round() as u64,
            uses_idle_time,
            announced_wakeup_ns: 0,
        }
    }

    /// Whether nothing is ever flushed, and idle time is of no use.
    pub fn are_off(&self) -> bool {
        self.next_flush_ns == u64::MAX && !self.uses_idle_time
    }

    /// Whether the drive works when it is idle.
    #[inline]
    pub fn uses_idle_time(&self) -> bool {
        self.uses_idle_time
    }

    /// When the buffer is flushed next.
    #[inline]
    pub fn next_flush_ns(&self) -> u64 {
        self.next_flush_ns
    }

    /// Whether the buffer is to be flushed now.
    pub fn flushes_at(&mut self, now_ns: u64) -> bool {
        let is_due = now_ns >= self.next_flush_ns;
        if is_due {
            self.next_flush_ns += self.flush_interval_ns;
        }
        is_due
    }

    /// Power was off for so long.
    pub fn postpone(&mut self, length_ns: u64) {
        self.next_flush_ns = self.next_flush_ns.saturating_add(length_ns);
    }

    /// An array is told when the drive next does something of its own accord.
    #[inline]
    pub fn announce(&mut self, wakeup_ns: u64) {
        self.announced_wakeup_ns = wakeup_ns;
    }

    /// An array asks something at `now_ns`: true where the drive does something of its own accord before.
    #[inline]
    pub fn wake_before<const PLAIN: bool>(&mut self, now_ns: u64) -> bool {
        std::mem::take(&mut self.announced_wakeup_ns) < now_ns || (!PLAIN && self.uses_idle_time)
    }

    /// One step of idle work, if the drive has been idle for long enough before `limit_ns`.
    pub fn work_in_idle_time<T: Hooks, S: Scheduler>(
        &self,
        device: &mut Device<T, S>,
        limit_ns: u64,
    ) -> bool {
        if !self.uses_idle_time {
            return false;
        }
        let start_ns = device.io.sched.quiet_at_ns().saturating_add(self.idle_ns);
        if start_ns >= limit_ns {
            return false;
        }
        device.advance(start_ns);
        device.ftl.begin_idle_time();
        let mut worked = false;
        while device.io.sched.quiet_at_ns() < limit_ns && device.ftl.idle_step(&mut device.io) {
            worked = true;
            while device.step(limit_ns) {}
            device.advance(device.io.sched.quiet_at_ns().min(limit_ns));
        }
        worked
    }
}
