//! Times without power.

use crate::schema::Config;
use crate::technique::Outage;

/// The times without power of a run.
pub(super) struct Outages {
    /// By the times of arrival, the last one first.
    planned: Vec<Outage>,
    /// How much later requests arrive, because power was off.
    off_ns: u64,
}

impl Outages {
    pub fn new(config: &Config) -> Self {
        let off = &config.host.power_off;
        let ns = |s: f64| (s * 1e9).round() as u64;
        let outage = |(index, (&at_s, &for_s)): (usize, (&f64, &f64))| {
            let temperatures = &off.temperature_c;
            let temperature_c = *temperatures.get(index).or(temperatures.first())?;
            Some(Outage { from_ns: ns(at_s), to_ns: ns(at_s) + ns(for_s), temperature_c })
        };
        let all = off.at_s.iter().zip(&off.for_s).enumerate().filter_map(outage);
        let mut planned: Vec<Outage> = all.filter(|outage| outage.to_ns > outage.from_ns).collect();
        planned.reverse();
        Self { planned, off_ns: 0 }
    }

    /// The next outage, if it begins before a request arrives.
    #[inline]
    pub fn next(&mut self, arrival_ns: u64) -> Option<Outage> {
        self.planned.pop_if(|outage| outage.from_ns <= arrival_ns)
    }

    /// When it is `at_ns` by the times of arrival.
    #[inline]
    pub fn present_ns(&self, at_ns: u64) -> u64 {
        at_ns + self.off_ns
    }

    /// A planned outage begins at `from_ns`, once all is on the flash; returns it as it happens.
    pub fn begin(&mut self, planned: &Outage, from_ns: u64) -> Outage {
        let length_ns = planned.to_ns - planned.from_ns;
        self.off_ns += length_ns;
        Outage { from_ns, to_ns: from_ns + length_ns, ..*planned }
    }
}
