//! A life in windows: in every other one erases stand for themselves, between them for many.

use super::drive::Drive;
use crate::metrics::{LifeWindow, Lived, Mark};
use crate::schema::RunConfig;

const GIB: f64 = (1u64 << 30) as f64;

/// The windows of a run so far.
pub(super) struct Life {
    /// Bytes written by the host that make a window.
    window_bytes: u64,
    cycles_per_erase: u32,
    /// Whether each erase stands for itself.
    is_window: bool,
    lived: Lived,
    from: Mark,
    /// What there was to see in each.
    pub windows: Vec<LifeWindow>,
    /// True once a drive takes no more writes: there is no more to see.
    pub is_over: bool,
}

impl Life {
    /// The life of `on` from here; `None` where it is not told in windows.
    pub fn begin(config: &RunConfig, on: &mut dyn Drive) -> Option<Self> {
        let cycles_per_erase = config.cycles_per_erase as u32;
        let window_bytes = config.window_drive_writes * on.logical_bytes() as f64;
        if window_bytes == 0.0 {
            on.set_cycles_per_erase(cycles_per_erase);
            return None;
        }
        Some(Self {
            window_bytes: (window_bytes as u64).max(1),
            cycles_per_erase,
            is_window: true,
            lived: Lived::default(),
            from: Mark::new(on.counters(), on.recorder()),
            windows: Vec::new(),
            is_over: false,
        })
    }

    /// Requests after which to look whether a window is over: few beside those that make one.
    pub fn stride(&self, requests: usize, on: &dyn Drive) -> usize {
        let recorder = on.recorder();
        let written = recorder.requests[1].max(1);
        let bytes = (recorder.bytes[1] / written).max(1);
        ((self.window_bytes / bytes / 64) as usize).clamp(1, requests)
    }

    /// Ends the window, or the stretch between two, if it is over; a drive that turned read-only ends its
    /// life.
    pub fn go_on(&mut self, on: &mut dyn Drive) {
        let bytes = on.recorder().bytes[1];
        if self.is_over || (bytes - self.from.bytes < self.window_bytes && !on.is_read_only()) {
            return;
        }
        let to = Mark::new(on.counters(), on.recorder());
        self.is_over = on.is_read_only();
        if self.is_window || self.is_over {
            let written_gib = self.lived.bytes(bytes) as f64 / GIB;
            self.windows.push(self.from.window(&to, on.age(), written_gib));
        }
        if !self.is_over {
            self.is_window = !self.is_window || self.cycles_per_erase == 1;
            let cycles = if self.is_window { 1 } else { self.cycles_per_erase };
            self.lived.go_on(bytes, cycles);
            on.set_cycles_per_erase(cycles);
            self.from = to;
        }
    }
}
