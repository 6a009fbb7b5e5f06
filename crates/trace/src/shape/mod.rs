//! What is done to workloads before a drive sees them: choosing volumes, joining several
//! workloads, cutting out a part, laying volumes side by side, stretching time, repeating.
//!
//! Each is a [`Source`] around another, in constant memory; [`Shape`] puts them together in one
//! order.

mod choose;
mod interleave;
mod peek;
mod placing;
mod repeat;
mod scale;
mod side_by_side;
mod slice;

pub use crate::request::Placed;
use crate::{Error, Source};
pub use placing::Placing;
use serde::{Deserialize, Serialize};

use choose::Choose;
use interleave::Interleave;
use placing::WithPlacement;
use repeat::Repeat;
use scale::Scale;
use side_by_side::SideBySide;
use slice::Slice;

/// Requests that the adapters take from their sources at a time.
const BATCH_REQUESTS: usize = 4096;

/// Where the volumes of a workload lie in one drive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// Each in a range of its own, in the order in which they are met first.
    #[default]
    SideBySide,
    /// All on the same addresses: byte 0 of each volume is byte 0 of the drive.
    Together,
}

impl Layout {
    /// The names by which a layout is chosen.
    pub const NAMES: &'static [&'static str] = &["side_by_side", "together"];
}

/// What to do to workloads, in the order of the fields. The default leaves one as it is, but for
/// its layout.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Put the requests of each trace in the order of their times.
    pub sort: bool,
    /// The volumes of each workload that count, by number; empty: all.
    pub volumes: Vec<u32>,
    /// Drop requests that arrive before this, in nanoseconds; the first that is left arrives at 0.
    pub from_ns: u64,
    /// Drop requests that arrive at this time, counted as `from_ns` is, or later; `None`: keep all.
    pub until_ns: Option<u64>,
    /// End after this many requests; `None`: do not.
    pub first: Option<u64>,
    /// Where the volumes lie.
    pub layout: Layout,
    /// The streams of the whole, numbered as they are met first, that count, each where it lies among all; empty: all.
    pub streams: Vec<u32>,
    /// Which placement identifiers writes carry, by where they lie in the drive.
    pub placement: Placing,
    /// Arrivals are multiplied by this.
    pub time_scale: f64,
    /// How often the whole is replayed, each time one mean gap after the last arrival.
    pub repeat: u64,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            sort: false,
            volumes: Vec::new(),
            from_ns: 0,
            until_ns: None,
            first: None,
            layout: Layout::default(),
            streams: Vec::new(),
            placement: Placing::default(),
            time_scale: 1.0,
            repeat: 1,
        }
    }
}

impl Shape {
    /// One workload from `sources`, of which several run side by side in time: their requests are
    /// merged by arrival, and their volumes numbered in the order in which they are met first.
    ///
    /// # Errors
    /// No source, a part of nothing (`until` ahead of `from`), a rule of placement that cannot be followed.
    pub fn apply(&self, mut sources: Vec<Box<dyn Source>>) -> Result<Box<dyn Source>, Error> {
        if self.until_ns.is_some_and(|until_ns| until_ns <= self.from_ns) {
            let what = "the part ends before it begins";
            return Err(Error::new(what, "from and until", "until is counted as from is"));
        }
        if self.sort {
            sources.iter_mut().for_each(|source| source.sort_by_time());
        }
        if !self.volumes.is_empty() {
            let choose =
                |source| -> Box<dyn Source> { Box::new(Choose::new(source, &self.volumes)) };
            sources = sources.into_iter().map(choose).collect();
        }
        let mut source: Box<dyn Source> = match sources.len() {
            0 => return Err(Error::new("no workload", "sources", "name at least one")),
            1 => sources.remove(0),
            _ => Box::new(Interleave::new(sources)),
        };
        let is_cut = self.from_ns > 0 || self.until_ns.is_some() || self.first.is_some();
        if is_cut || !self.volumes.is_empty() {
            source = Box::new(Slice::new(source, self.from_ns, self.until_ns, self.first));
        }
        if self.layout == Layout::SideBySide {
            source = Box::new(SideBySide::new(source));
        }
        if !self.streams.is_empty() {
            source = Box::new(Choose::new(source, &self.streams));
        }
        source = WithPlacement::around(source, &self.placement)?;
        if self.time_scale != 1.0 {
            source = Box::new(Scale::new(source, self.time_scale));
        }
        if self.repeat > 1 {
            source = Box::new(Repeat::new(source, self.repeat));
        }
        Ok(source)
    }
}

/// What an adapter passes on unchanged from the source inside it.
macro_rules! as_inside {
    () => {
        fn name(&self) -> &str {
            self.inside.name()
        }

        fn clamped_arrivals(&self) -> u64 {
            self.inside.clamped_arrivals()
        }

        fn skipped(&self) -> &[crate::Skipped] {
            self.inside.skipped()
        }

        fn remarks(&self) -> Vec<String> {
            self.inside.remarks()
        }

        fn sort_by_time(&mut self) {
            self.inside.sort_by_time();
        }

        fn has_sizes_in_bytes(&self) -> bool {
            self.inside.has_sizes_in_bytes()
        }

        fn stream_names(&self) -> &[String] {
            self.inside.stream_names()
        }

        fn has_times(&self) -> Option<bool> {
            self.inside.has_times()
        }

        fn is_synthetic(&self) -> bool {
            self.inside.is_synthetic()
        }
    };
}
use as_inside;

#[cfg(test)]
mod tests;
