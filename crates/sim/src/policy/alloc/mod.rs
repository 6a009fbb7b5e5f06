//! Where host writes go: the order in which they visit the planes of a drive, and the choice of a plane
//! within a die.

mod most_free;
mod order;

use crate::drive::DriveState;
use crate::ids::{BlockId, ScopeId, StreamId};
use crate::nand::{Geometry, Load};
use crate::policy::hotness::HostWrite;
use crate::schema::{Config, PlaneAllocation};
pub use order::{block_order, plane_order};

/// A host write that is to be given a plane.
#[derive(Clone, Copy)]
pub struct Placing<'a> {
    /// What is written.
    pub write: &'a HostWrite,
    /// Where it would go without the policy.
    pub home: ScopeId,
    /// The stream to which its temperature leads.
    pub stream: StreamId,
    /// How busy the dies are.
    pub load: &'a dyn Load,
}

/// Chooses the plane of each host write, in place of the order of planes.
pub trait PlanePolicy: Send {
    /// The scope that takes a write; of the same die as `home` where the address fixes that.
    fn scope(&mut self, state: &DriveState, placing: &Placing<'_>) -> ScopeId;

    /// A block was opened.
    fn opened(&mut self, _block: BlockId) {}
}

/// The policy of `config`; `None` where the order of planes is all.
pub fn build(config: &Config, geometry: &Geometry) -> Option<Box<dyn PlanePolicy>> {
    match config.ftl.plane_allocation {
        PlaneAllocation::Order => None,
        PlaneAllocation::MostFree => Some(Box::new(most_free::MostFree::new(geometry))),
    }
}
