//! The part of a run that its result counts: what came before only warmed the drive up.

use super::Driver;
use crate::engine::Scheduler;
use crate::host::Host;
use crate::ids::{BlockId, ById};
use crate::metrics::Counters;
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

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    #[cold]
    pub(super) fn note_start(&mut self) {
        let sched = &self.io.sched;
        self.start = Start { now_ns: sched.now_ns(), busy_ns: sched.busy_ns() };
    }

    /// Counts anew from here on. The drive goes on as it stands: what it holds, how worn it is and what is
    /// under way do not change.
    pub(crate) fn count_anew(&mut self, now_ns: u64) {
        let sched = &self.io.sched;
        self.before = Some(Before {
            erases: self.ftl.state.blocks.iter().map(|block| block.erases).collect(),
            suspensions: sched.suspensions(),
            repeated_ns: sched.repeated_ns(),
        });
        self.lived.restart(self.recorder.bytes[1]);
        let mut sample = self.sample();
        sample.time_ns = now_ns;
        self.recorder.measure(&self.io.counters, sample);
        let worn_out_blocks = self.io.counters.worn_out_blocks;
        self.io.counters = Counters { worn_out_blocks, ..Counters::default() };
        self.addresses.count_anew();
        if let Some(buffer) = &mut self.buffer {
            (buffer.write_hits, buffer.read_hits) = (0, 0);
        }
        self.ftl.count_anew();
        self.io.sched.itemise_anew();
    }
}
