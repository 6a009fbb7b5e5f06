//! A life in windows: some writes are simulated in full, then wear is fast-forwarded.

use super::Replay;
use crate::engine::Scheduler;
use crate::host::Driver;
use crate::metrics::{Age, LifeWindow, Mark};
use crate::schema::RunConfig;
use crate::technique::Technique;

const GIB: f64 = (1u64 << 30) as f64;

/// What ages: a drive, or those of an array together.
pub trait Ages {
    /// How old the blocks are.
    fn age(&self) -> Age;

    /// A window ends: its cycles are those by which blocks age from here on.
    fn end_window(&mut self);

    /// Blocks age by the cycles of the window that ended; false where the drive should be looked at
    /// before the next one is skipped, because blocks wear out.
    fn skip_window(&mut self) -> bool;

    /// The next window begins.
    fn begin_window(&mut self);

    /// True once a drive takes no more writes.
    fn is_read_only(&self) -> bool;
}

impl<T: Technique, S: Scheduler> Ages for Driver<T, S> {
    fn age(&self) -> Age {
        self.ftl.age()
    }

    fn end_window(&mut self) {
        self.ftl.end_window();
    }

    fn skip_window(&mut self) -> bool {
        self.skipped_units += self.io.counters.host_units - self.window_from_units;
        self.ftl.skip_window()
    }

    fn begin_window(&mut self) {
        self.window_from_units = self.io.counters.host_units;
        self.ftl.begin_window();
    }

    fn is_read_only(&self) -> bool {
        self.ftl.read_only
    }
}

/// The windows of a run so far.
pub(super) struct Life {
    /// Bytes written by the host that make a window.
    window_bytes: u64,
    windows_skipped: u64,
    skipped_bytes: u64,
    from: Mark,
    /// What there was to see in each.
    pub windows: Vec<LifeWindow>,
    /// True once a drive takes no more writes: there is no more to see.
    pub is_over: bool,
}

impl Life {
    /// The life of `on` from here; `None` where wear is not fast-forwarded.
    pub fn begin(config: &RunConfig, on: &impl Replay) -> Option<Self> {
        let window_bytes = config.window_drive_writes * on.logical_bytes() as f64;
        (window_bytes > 0.0).then(|| Self {
            window_bytes: (window_bytes as u64).max(1),
            windows_skipped: config.windows_skipped,
            skipped_bytes: 0,
            from: Mark::new(on.counters(), on.recorder()),
            windows: Vec::new(),
            is_over: false,
        })
    }

    /// Requests after which to look whether a window is over: few beside those that make one.
    pub fn stride(&self, requests: usize, on: &impl Replay) -> usize {
        let recorder = on.recorder();
        let written = recorder.requests[1].max(1);
        let bytes = (recorder.bytes[1] / written).max(1);
        ((self.window_bytes / bytes / 64) as usize).clamp(1, requests)
    }

    /// Ends the window, if it is over; a drive that turned read-only ends its life.
    pub fn go_on(&mut self, on: &mut impl Replay) {
        let bytes = on.recorder().bytes[1] - self.from.bytes;
        if self.is_over || (bytes < self.window_bytes && !on.is_read_only()) {
            return;
        }
        let to = Mark::new(on.counters(), on.recorder());
        let written_gib = (to.bytes + self.skipped_bytes) as f64 / GIB;
        self.windows.push(self.from.window(&to, on.age(), written_gib));
        self.is_over = on.is_read_only();
        if !self.is_over {
            self.skipped_bytes += bytes * self.skip(on);
            self.from = to;
        }
    }

    /// Skips windows, and returns how many.
    fn skip(&self, on: &mut impl Replay) -> u64 {
        on.end_window();
        let mut skipped = 1;
        while on.skip_window() && skipped < self.windows_skipped {
            skipped += 1;
        }
        on.begin_window();
        skipped
    }
}
