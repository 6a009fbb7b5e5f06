//! One address after another, in one stream or several.

use super::param::{GeneratorParam, Kind};
use super::pattern::Pattern;
use super::rng::Rng;
use super::space::{Extent, Space};
use super::values::Values;
use crate::Error;

pub(super) const STREAMS: GeneratorParam = GeneratorParam::new(
    "streams",
    Kind::Count(1.0, 65_536.0),
    "1",
    "",
    "Sequential streams that take turns, each through its own equal part of the space.",
);

/// Sequential streams, each starting over at the end of its part.
#[derive(Clone)]
pub(super) struct Sequential {
    align_bytes: u64,
    part_bytes: u64,
    /// How far each stream has come in its part, in bytes.
    cursors: Box<[u64]>,
    turn: usize,
}

impl Sequential {
    /// Streams through `space` whose requests are usually `size_bytes` long.
    pub fn with_size(space: &Space, values: &Values<'_>, size_bytes: u64) -> Result<Self, Error> {
        let streams = values.number(&STREAMS) as usize;
        let align_bytes = space.align_bytes;
        let part_bytes = space.span_bytes / streams as u64 / align_bytes * align_bytes;
        if part_bytes < size_bytes {
            let what = format!(
                "{streams} sequential streams leave {part_bytes} bytes to each, less than a \
                 request of {size_bytes}"
            );
            return Err(values.error(what, "raise span_mib or lower `streams` or the size"));
        }
        Ok(Self { align_bytes, part_bytes, cursors: vec![0; streams].into(), turn: 0 })
    }
}

impl Pattern for Sequential {
    const NAME: &'static str = "sequential";
    const SUMMARY: &'static str = "One address after another, from the start again at the end";
    const PARAMS: &'static [GeneratorParam] = &[STREAMS];

    fn new(space: Space, values: &Values<'_>, _rng: Rng) -> Result<Self, Error> {
        Self::with_size(&space, values, u64::from(space.size_bytes))
    }

    #[inline]
    fn next(&mut self, size_bytes: u32) -> Extent {
        let size_bytes = u64::from(size_bytes).min(self.part_bytes);
        let stream = self.turn;
        self.turn = if stream + 1 == self.cursors.len() { 0 } else { stream + 1 };
        let cursor = &mut self.cursors[stream];
        if *cursor + size_bytes > self.part_bytes {
            *cursor = 0;
        }
        let offset_bytes = stream as u64 * self.part_bytes + *cursor;
        *cursor += size_bytes.next_multiple_of(self.align_bytes);
        Extent { offset_bytes, size_bytes: size_bytes as u32 }
    }
}
