//! The controller's time for trims.

use crate::engine::Channel;
use crate::schema::Config;

/// Works on one trim at a time.
pub struct Trims {
    controller: Channel,
    /// Time of each trim.
    trim_ns: u64,
    /// Time of each unit that a trim covers whole.
    unit_ns: f64,
}

impl Trims {
    pub fn new(config: &Config) -> Self {
        Self {
            controller: Channel::default(),
            trim_ns: (config.ftl.trim_us * 1000.0).round() as u64,
            unit_ns: config.ftl.trim_unit_us * 1000.0,
        }
    }

    /// When the controller has worked on a trim of so many units; `None`: it takes no time.
    pub fn end_ns(&mut self, now_ns: u64, units: u64) -> Option<u64> {
        let length_ns = self.trim_ns + (units as f64 * self.unit_ns).round() as u64;
        (length_ns > 0).then(|| self.controller.reserve(now_ns, now_ns, length_ns) + length_ns)
    }
}
