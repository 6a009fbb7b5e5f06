//! Which planes operations work in: a die senses at once what is in different ones.

use super::slab::Slab;
use crate::ids::Id;
use crate::nand::Geometry;

/// Which planes operations need.
#[derive(Debug)]
pub struct Planes(Box<Geometry>);

impl Planes {
    pub fn new(geometry: &Geometry) -> Self {
        Self(Box::new(geometry.clone()))
    }

    /// A bit for each plane in which an operation works: a die has at most 64, numbered one after the other.
    pub fn of(&self, index: u32, slab: &Slab) -> u64 {
        let others = slab.others(index).iter().map(|other| other.span.block);
        let blocks = others.chain([slab.get(index).op.span.block]);
        blocks.fold(0, |planes, block| planes | 1 << (self.0.plane_of(block).number() % 64))
    }
}
