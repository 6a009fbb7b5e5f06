//! A time without power.

use super::Driver;
use crate::engine::Scheduler;
use crate::schema::Config;
use crate::technique::{Hooks, Outage};

/// The time without power of a configuration.
pub(super) fn outage(config: &Config) -> Option<Outage> {
    let off = &config.host.power_off;
    let ns = |s: f64| (s * 1e9).round() as u64;
    let (from_ns, to_ns) = (ns(off.at_s), ns(off.at_s) + ns(off.for_s));
    (to_ns > from_ns).then_some(Outage { from_ns, to_ns, temperature_c: off.temperature_c })
}

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// Power goes off, once what is under way and in the buffers is on the flash, and comes back.
    #[cold]
    pub(super) fn lose_power(&mut self) {
        let Some(planned) = self.outage.take() else { return };
        self.pass_time_until(planned.from_ns);
        self.flush_buffer(None);
        self.serve_waiting(true);
        self.ftl.end_all_programs(&mut self.io);
        while self.io.sched.step(u64::MAX, &mut self.io.requests) {
            self.collect_finished();
        }
        self.collect_finished();
        self.off_ns = planned.to_ns - planned.from_ns;
        let from_ns = self.io.sched.now_ns();
        let outage = Outage { from_ns, to_ns: from_ns + self.off_ns, ..planned };
        self.io.sched.advance(outage.to_ns, &mut self.io.requests);
        self.next_flush_ns = self.next_flush_ns.saturating_add(self.off_ns);
        self.ftl.power_was_off(&mut self.io, &outage);
    }
}
