//! Flash: its geometry, the state of its blocks, and the table of legal operations.

mod block;
pub mod command;
mod geometry;
mod group;
mod load;
mod loops;
mod ops;
mod span;
mod superblocks;
mod word_lines;

pub(crate) use crate::error::infeasible;
pub use block::{Block, BlockState};
pub(crate) use geometry::index_of;
pub use geometry::{Geometry, Located, MOST_UNITS};
pub(crate) use group::chip_key;
pub use group::{Group, RowLayout, Site};
pub use load::Load;
pub use loops::{LOOPS_MAX, Loops, Pulse};
pub use ops::{
    ERASE, ERASED, Entry, Flash, KINDS, Kind, Mode, NORMAL, Needs, OpRow, OpTable, PROGRAM, READ,
    Rows, Transition,
};
pub use span::Span;
pub use superblocks::{SuperblockRows, Superblocks};
pub use word_lines::WordLines;
