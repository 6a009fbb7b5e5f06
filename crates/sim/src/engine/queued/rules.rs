//! Who is served first, and what may be interrupted.

use super::slab::Entry;
use crate::config::Config;
use crate::engine::scheduler::{Cause, FlashOp};
use crate::nand::Kind;

/// Priority of a host read, and of a read of the map, for which one waits.
pub const HOST_READ: u8 = 0;
const HOST_WRITE: u8 = 1;
const MAPPING: u8 = 2;
const GC: u8 = 3;

/// The rules, in nanoseconds.
#[derive(Debug, Clone)]
pub struct Rules {
    pub suspend_program: bool,
    pub suspend_erase: bool,
    pub suspend_ns: u64,
    pub resume_ns: u64,
    pub suspend_min_ns: u64,
    pub suspend_limit: u32,
    /// GC's priority.
    pub gc_class: u8,
}

impl Rules {
    pub fn new(config: &Config) -> Self {
        let rules = &config.drive.scheduling;
        let ns = |us: f64| (us * 1000.0).round() as u64;
        Self {
            suspend_program: rules.suspend_program,
            suspend_erase: rules.suspend_erase,
            suspend_ns: ns(rules.suspend_us),
            resume_ns: ns(rules.resume_us),
            suspend_min_ns: ns(rules.suspend_min_us),
            suspend_limit: rules.suspend_limit as u32,
            gc_class: if config.ftl.gc.mode == "foreground" { HOST_WRITE } else { GC },
        }
    }

    /// Array time that would be left of an operation of which `left_ns` is left now; `None` where it
    /// may not be suspended. An erase in pulses begins its interrupted pulse again, and its last
    /// pulse runs to the end.
    pub fn left_if_suspended(&self, entry: &Entry, left_ns: u64) -> Option<u64> {
        let allowed = match entry.op.kind {
            Kind::Read => false,
            Kind::Program => self.suspend_program,
            Kind::Erase => self.suspend_erase,
        };
        if !allowed || entry.suspensions >= self.suspend_limit || left_ns == 0 {
            return None;
        }
        let pulse_ns = entry.op.pulse_ns;
        if pulse_ns == 0 {
            return (left_ns >= self.suspend_min_ns).then_some(left_ns);
        }
        let into_pulse_ns = (entry.op.array_ns - left_ns) % pulse_ns;
        let left_of_pulse_ns = pulse_ns - into_pulse_ns;
        let is_last = left_ns <= left_of_pulse_ns;
        (!is_last && left_of_pulse_ns >= self.suspend_min_ns).then_some(left_ns + into_pulse_ns)
    }

    /// The priority of an operation.
    pub fn class_of(&self, op: &FlashOp) -> u8 {
        match (op.cause, op.kind) {
            (Cause::Host, Kind::Read) => HOST_READ,
            (Cause::Host, _) => HOST_WRITE,
            // A host request waits for the map.
            (Cause::Mapping, Kind::Read) => HOST_READ,
            (Cause::Mapping, _) => MAPPING,
            _ => self.gc_class,
        }
    }
}
