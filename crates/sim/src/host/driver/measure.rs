//! The part of a run that its result counts, and the life that the run stands for.

use crate::engine::Scheduler;
use crate::host::Device;
use crate::ids::{BlockId, ById};
use crate::metrics::{Lived, Recorder};
use crate::technique::Hooks;

/// How far a drive had come when the first request arrived that counts: it may have collected garbage before, and in an
/// array it may be behind.
#[derive(Debug, Default)]
pub struct Start {
    /// The present.
    pub now_ns: u64,
    /// Nanoseconds that dies and channels were busy.
    pub busy_ns: (Vec<u64>, Vec<u64>),
}

/// What stood when the part began that counts: totals that others keep.
#[derive(Debug, Default)]
pub struct Before {
    /// P/E cycles of each block.
    pub erases: ById<BlockId, u32>,
    /// Operations interrupted.
    pub suspensions: u64,
    /// Array time done in vain.
    pub repeated_ns: u64,
}

/// What the totals of a drive are judged from.
#[derive(Debug, Default)]
pub struct Baseline {
    /// What stood when the part of the run began that counts; `None`: all of it counts.
    pub before: Option<Before>,
    /// What the dies had done when the first request arrived that counts.
    pub start: Start,
}

impl Baseline {
    /// The first request arrives that counts.
    #[cold]
    pub fn note_start<T: Hooks, S: Scheduler>(&mut self, device: &Device<T, S>) {
        let sched = &device.io.sched;
        self.start = Start { now_ns: sched.now_ns(), busy_ns: sched.busy_ns() };
    }

    /// The part begins that counts.
    pub fn count_anew<T: Hooks, S: Scheduler>(&mut self, device: &Device<T, S>) {
        let sched = &device.io.sched;
        self.before = Some(Before {
            erases: device.ftl.state.blocks.iter().map(|block| block.erases).collect(),
            suspensions: sched.suspensions(),
            repeated_ns: sched.repeated_ns(),
        });
    }
}

/// The life that a run stands for.
#[derive(Debug, Default)]
pub struct Lifetime {
    /// What the host has written over it.
    pub lived: Lived,
    /// When the drive turned read-only: simulated time, host writes until then, and the bytes of the life
    /// that they stand for.
    pub read_only_at: Option<(u64, u64, u64)>,
}

impl Lifetime {
    /// The drive takes no writes any more.
    #[cold]
    pub fn note_read_only<T: Hooks, S: Scheduler>(
        &mut self,
        device: &Device<T, S>,
        recorder: &Recorder,
    ) {
        if self.read_only_at.is_some() {
            return;
        }
        let lived_bytes = self.lived.bytes(recorder.bytes[1]);
        let before = recorder.measured.map_or(0, |measured| measured.host_units_before);
        let host_units = before + device.io.counters.host_units;
        self.read_only_at = Some((device.now_ns(), host_units, lived_bytes));
    }
}
