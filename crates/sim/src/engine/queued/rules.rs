//! Who is served first, and what may be interrupted.

use super::slab::Entry;
use crate::engine::scheduler::FlashOp;
use crate::nand::command::{CAUSES, Cause};
use crate::nand::{KINDS, Kind, Loops};
use crate::schema::{Config, SuspendedPulse};

/// Priority of what must be done now.
pub const URGENT: u8 = 0;
/// Priority of a host read, and of a read of the map, for which one waits.
pub const HOST_READ: u8 = 1;
/// Priority of a host write.
pub const HOST_WRITE: u8 = 2;
const MAPPING: u8 = 3;
const GC: u8 = 4;

/// For whose sake a drive moves data.
const MOVING: [Cause; 5] =
    [Cause::Gc, Cause::Wear, Cause::Technique, Cause::Refresh, Cause::Reclaim];

/// The rules, in nanoseconds.
#[derive(Debug, Clone)]
pub struct Rules {
    pub suspend_program: bool,
    pub suspend_erase: bool,
    /// A program is suspended as it begins, too: for a read that came while it was being loaded.
    pub suspend_loading: bool,
    pub suspend_ns: u64,
    pub resume_ns: u64,
    pub suspend_min_ns: u64,
    pub suspend_limit: u32,
    /// Whether an interrupted pulse of an erase begins again.
    pub restarts_pulses: bool,
    /// A host write that has waited this long keeps an erase from being suspended.
    pub write_wait_ns: Option<u64>,
    /// The priority of what nobody hurries, by cause and kind.
    classes: [[u8; KINDS]; CAUSES],
    /// The class of GC's operations, as its mode says.
    gc_class: u8,
}

impl Rules {
    pub fn new(config: &Config) -> Self {
        let rules = &config.drive.scheduling;
        let gc_class = if config.ftl.gc.mode.works_in_idle_time() { GC } else { HOST_WRITE };
        let ns = |us: f64| (us * 1000.0).round() as u64;
        Self {
            suspend_program: rules.suspend_program,
            suspend_erase: rules.suspend_erase,
            suspend_loading: rules.suspend_loading,
            suspend_ns: ns(rules.suspend_us),
            resume_ns: ns(rules.resume_us),
            suspend_min_ns: ns(rules.suspend_min_us),
            suspend_limit: rules.suspend_limit as u32,
            restarts_pulses: rules.suspended_pulse == SuspendedPulse::Restart,
            write_wait_ns: (rules.suspend_write_wait_ms > 0.0)
                .then(|| ns(rules.suspend_write_wait_ms * 1000.0)),
            classes: classes(gc_class),
            gc_class,
        }
    }

    /// Array time that would be left of an operation of which `left_ns` is left now; `None` where it
    /// may not be suspended. An erase of several loops is not interrupted in its last one, nor in a
    /// verify-read, and begins its interrupted pulse again unless the rules say otherwise.
    pub fn left_if_suspended(
        &self,
        entry: &Entry,
        loops: Option<&Loops>,
        left_ns: u64,
    ) -> Option<u64> {
        let allowed = match entry.op.kind {
            Kind::Read => false,
            Kind::Program => self.suspend_program,
            Kind::Erase => self.suspend_erase,
        };
        if !allowed || entry.suspensions >= self.suspend_limit || left_ns == 0 {
            return None;
        }
        let Some(loops) = loops.filter(|loops| loops.as_slice().len() > 1) else {
            let is_open = loops.is_none_or(|loops| loops.as_slice().iter().all(|p| p.may_suspend));
            return (is_open && left_ns >= self.suspend_min_ns).then_some(left_ns);
        };
        let (index, into_ns) = loops.at(entry.op.array_ns - left_ns)?;
        let pulse = &loops.as_slice()[index];
        let is_last = index + 1 == loops.as_slice().len();
        let left_of_pulse_ns = pulse.pulse_ns.checked_sub(into_ns)?;
        let again_ns = if self.restarts_pulses { into_ns } else { 0 };
        (pulse.may_suspend && !is_last && left_of_pulse_ns >= self.suspend_min_ns)
            .then_some(left_ns + again_ns)
    }

    /// What the drive moves ranks with the writes of the host, or as the mode of GC says; says which it was before.
    pub fn hurry(&mut self, hurries: bool) -> bool {
        let class = if hurries { HOST_WRITE } else { self.gc_class };
        let was = self.classes[Cause::Gc as usize] != [self.gc_class; KINDS];
        for cause in MOVING {
            self.classes[cause as usize] = [class; KINDS];
        }
        was
    }

    /// The priority of an operation.
    #[inline]
    pub fn class_of(&self, op: &FlashOp) -> u8 {
        if op.urgent { URGENT } else { self.classes[op.cause as usize][op.kind as usize] }
    }
}

/// The priority of what nobody hurries.
fn classes(gc_class: u8) -> [[u8; KINDS]; CAUSES] {
    let class_of = |cause, kind| match (cause, kind) {
        (Cause::Host, Kind::Read) => HOST_READ,
        (Cause::Host, _) => HOST_WRITE,
        // A host request waits for the map.
        (Cause::Mapping, Kind::Read) => HOST_READ,
        (Cause::Mapping, _) => MAPPING,
        _ => gc_class,
    };
    let mut classes = [[gc_class; KINDS]; CAUSES];
    for cause in [Cause::Host, Cause::Mapping] {
        for kind in [Kind::Read, Kind::Program, Kind::Erase] {
            classes[cause as usize][kind as usize] = class_of(cause, kind);
        }
    }
    classes
}
