//! The state of a block.

use super::ops::{PROGRAM, READ};
use crate::ids::{BlockId, PointId, StreamId};

/// Where a block stands in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum BlockState {
    /// Erased.
    Free,
    /// Being filled by a write point.
    Open,
    /// Full: a possible victim.
    Full,
    /// Full, but kept by a technique, which has plans for it.
    Kept,
    /// Being reclaimed.
    Victim,
    /// Bad from the start, or worn out.
    Bad,
}

impl BlockState {
    /// Whether a block that stands here may stand there next. One that was erased is erased again only after
    /// something has opened it, and nothing takes it out of the list but that; a bad one stays bad.
    pub(crate) fn may_become(self, next: Self) -> bool {
        match self {
            Self::Free => next == Self::Open,
            // What was opened for lack of a block elsewhere goes back, and copies are kept from the start.
            Self::Open => matches!(next, Self::Full | Self::Kept | Self::Free),
            Self::Full => matches!(next, Self::Open | Self::Victim),
            Self::Kept => !matches!(next, Self::Kept),
            Self::Victim => !matches!(next, Self::Open | Self::Victim),
            Self::Bad => false,
        }
    }

    /// Whether programs may put data: into an open block, or over what is no longer valid of a full one.
    pub(crate) fn takes_data(self) -> bool {
        matches!(self, Self::Open | Self::Full | Self::Kept)
    }
}

/// A block, 32 bytes of one line of the cache: the state that every write touches, and nothing else.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub struct Block {
    /// Valid units.
    pub valid: u32,
    /// The next unit to be programmed: none from here on holds data.
    pub next: u32,
    /// P/E cycles.
    pub erases: u32,
    /// When it became full, in blocks filled since the start (wraps).
    pub filled: u32,
    /// What reclaiming it costs, as the victim index has it.
    pub(crate) cost: u32,
    /// Neighbours in the victim index, or when it changed; of an open block, `before` is the number of its write point.
    pub(crate) before: BlockId,
    pub(crate) after: BlockId,
    /// Where it stands in its life.
    pub state: BlockState,
    /// The number of the stream that filled it.
    stream: u8,
    /// The row by which it is programmed since its last erase.
    pub program_row: u8,
    /// The row by which it is read since then.
    pub read_row: u8,
}

impl Block {
    /// An erased block that has been through so many P/E cycles.
    pub fn erased(erases: u32) -> Self {
        Self { erases, ..Self::default() }
    }

    /// The stream that fills or filled it.
    #[inline]
    pub fn stream(&self) -> StreamId {
        StreamId(self.stream.into())
    }

    /// It is filled by a stream; a drive has far less than 256 of them.
    #[inline]
    pub(crate) fn set_stream(&mut self, stream: StreamId) {
        debug_assert!(stream.0 <= u8::MAX.into());
        self.stream = stream.0 as u8;
    }

    /// When a full block changed that has no neighbours.
    #[inline]
    pub(crate) fn changed(&self) -> u64 {
        u64::from(self.after.0) << u32::BITS | u64::from(self.before.0)
    }

    /// A full block changed, has no neighbours, and costs this now.
    #[inline]
    pub(crate) fn set_changed(&mut self, cost: u32, number: u64) {
        self.cost = cost;
        (self.before, self.after) = (BlockId(number as u32), BlockId((number >> u32::BITS) as u32));
    }

    /// The write point of an open block.
    #[inline]
    pub(crate) fn point(&self) -> PointId {
        debug_assert_eq!(self.state, BlockState::Open);
        PointId(self.before.0)
    }

    /// An open block belongs to a write point.
    #[inline]
    pub(crate) fn set_point(&mut self, point: PointId) {
        self.before = BlockId(point.0);
    }
}

impl Default for Block {
    fn default() -> Self {
        Self {
            valid: 0,
            next: 0,
            erases: 0,
            filled: 0,
            cost: 0,
            before: BlockId::NONE,
            after: BlockId::NONE,
            state: BlockState::Free,
            stream: 0,
            program_row: PROGRAM,
            read_row: READ,
        }
    }
}
