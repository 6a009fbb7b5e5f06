//! Times without power.

use super::Driver;
use crate::engine::Scheduler;
use crate::schema::Config;
use crate::technique::{Hooks, Outage};

/// The times without power of a configuration, by the times of arrival, the last one first.
pub(super) fn outages(config: &Config) -> Vec<Outage> {
    let off = &config.host.power_off;
    let ns = |s: f64| (s * 1e9).round() as u64;
    let outage = |(index, (&at_s, &for_s)): (usize, (&f64, &f64))| {
        let temperatures = &off.temperature_c;
        let temperature_c = *temperatures.get(index).or(temperatures.first())?;
        Some(Outage { from_ns: ns(at_s), to_ns: ns(at_s) + ns(for_s), temperature_c })
    };
    let all = off.at_s.iter().zip(&off.for_s).enumerate().filter_map(outage);
    let mut outages: Vec<Outage> = all.filter(|outage| outage.to_ns > outage.from_ns).collect();
    outages.reverse();
    outages
}

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// Power goes off, once what is under way and in the buffers is on the flash, and comes back.
    #[cold]
    pub(super) fn lose_power(&mut self) {
        let Some(planned) = self.outages.pop() else { return };
        let length_ns = planned.to_ns - planned.from_ns;
        self.pass_time_until(planned.from_ns + self.off_ns);
        self.flush_buffer(None);
        self.serve_waiting(true);
        self.ftl.end_all_programs(&mut self.io);
        while self.io.sched.step(u64::MAX, &mut self.io.requests) {
            self.collect_finished();
        }
        self.collect_finished();
        self.off_ns += length_ns;
        let from_ns = self.io.sched.now_ns();
        let outage = Outage { from_ns, to_ns: from_ns + length_ns, ..planned };
        self.io.sched.advance(outage.to_ns, &mut self.io.requests);
        self.next_flush_ns = self.next_flush_ns.saturating_add(length_ns);
        self.ftl.power_was_off(&mut self.io, &outage);
    }
}
