//! Flash: its geometry, the state of its blocks, and the table of legal operations.

mod block;
mod geometry;
mod group;
mod loops;
mod ops;

pub(crate) use crate::error::infeasible;
pub use block::{Block, BlockState};
pub use geometry::Geometry;
pub use group::{Group, Site};
pub(crate) use group::{bits_of, chip_key};
pub use loops::{LOOPS_MAX, Loops, Pulse};
pub use ops::{ERASE, Flash, Kind, Needs, OpRow, OpTable, PROGRAM, READ, Rows};
