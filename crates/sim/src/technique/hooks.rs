//! How the drive asks its technique: of each group of hooks one technique answers, and all are told.
//!
//! Nothing here forwards a hook: the drive is handed the technique that answers, and calls it. So a hook
//! that is added to a group reaches every technique, whoever joins or wraps them.

use super::{Background, Cells, Conventional, Hook, Observer, Placement, Technique};
use crate::drive::DriveState;
use crate::ids::StreamId;
use crate::nand::{Flash, OpTable};
use serde_json::{Map, Value};

/// The techniques of a drive: none ([`Conventional`]), one ([`Alone`]), or those that a configuration
/// names ([`Stack`](super::Stack)).
pub trait Hooks: Send {
    /// What answers: known when the drive is compiled, or chosen at run time.
    type Layer: Technique + ?Sized;

    /// False for the conventional drive, for which nothing of this is compiled.
    const IN_USE: bool = true;

    /// The technique that claims a hook, or else the conventional drive.
    fn owner(&self, hook: Hook) -> &Self::Layer;

    /// The same, to ask what may change it.
    fn owner_mut(&mut self, hook: Hook) -> &mut Self::Layer;

    /// True where a technique claims a hook.
    fn is_claimed(&self, hook: Hook) -> bool;

    /// Every technique.
    fn layers(&self) -> impl Iterator<Item = &Self::Layer>;

    /// Every technique, to tell them something.
    fn layers_mut(&mut self) -> impl Iterator<Item = &mut Self::Layer>;

    /// What they report: of one alone its own figures, of several those of each under its name.
    fn metrics(&self, state: &DriveState) -> Map<String, Value>;

    /// Who says where data goes.
    #[inline]
    fn placement(&self) -> &(impl Placement + ?Sized) {
        self.owner(Hook::Placement)
    }

    /// The same, to ask what may change it.
    #[inline]
    fn placement_mut(&mut self) -> &mut (impl Placement + ?Sized) {
        self.owner_mut(Hook::Placement)
    }

    /// True where a fill is written as the host writes, because a technique places it.
    fn places_fill(&self) -> bool {
        self.is_claimed(Hook::Placement) && self.placement().places_fill()
    }

    /// Who says what reclaiming a block costs.
    #[inline]
    fn victims(&self) -> &(impl Placement + ?Sized) {
        self.owner(Hook::VictimCost)
    }

    /// Who says how pages are read.
    #[inline]
    fn reads(&self) -> &(impl Cells + ?Sized) {
        self.owner(Hook::ReadPlan)
    }

    /// Who says what a program needs besides its data.
    #[inline]
    fn codec(&self) -> &(impl Cells + ?Sized) {
        self.owner(Hook::Codec)
    }

    /// Who says how blocks are erased.
    fn erases_mut(&mut self) -> &mut (impl Cells + ?Sized) {
        self.owner_mut(Hook::ErasePlan)
    }

    /// Whose work is done in idle moments.
    #[inline]
    fn background(&self) -> &(impl Background + ?Sized) {
        self.owner(Hook::Idle)
    }

    /// The same, to ask what may change it.
    fn background_mut(&mut self) -> &mut (impl Background + ?Sized) {
        self.owner_mut(Hook::Idle)
    }

    /// All who are told.
    #[inline]
    fn observers_mut(&mut self) -> impl Iterator<Item = &mut (impl Observer + ?Sized)> {
        self.layers_mut()
    }

    /// True where any technique claims anything.
    fn claims_any(&self) -> bool {
        self.layers().any(|layer| !layer.claims().is_empty())
    }

    /// Appends the operations of all on a kind of flash to the table.
    fn add_operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        self.layers_mut().for_each(|layer| layer.operations(table, flash));
    }

    /// The share of the units of a group's blocks in which data can stand.
    fn capacity_share(&self, group: usize) -> f64 {
        self.layers().map(|layer| layer.capacity_share(group)).product()
    }

    /// Erased blocks of each plane of a group that only their own streams may take.
    fn set_aside(&self, group: usize) -> u32 {
        self.layers().map(|layer| layer.set_aside(group)).sum()
    }

    /// Streams that they need besides those of host, GC and map.
    fn streams(&self) -> u32 {
        self.layers().map(Placement::streams).sum()
    }

    /// Those of them that GC writes, too.
    fn streams_of_gc(&self) -> u32 {
        self.layers().map(Placement::streams_of_gc).sum()
    }

    /// Tells each the first of its streams.
    fn number_streams(&mut self, first: StreamId) {
        let mut next = first;
        for layer in self.layers_mut() {
            layer.streams_from(next);
            next = next.plus(layer.streams());
        }
    }

    /// The first promise that one of them did not keep.
    fn broken(&self, state: &DriveState) -> Option<String> {
        self.layers().find_map(|layer| layer.broken(state))
    }

    /// What a reader must know of their parameters before believing the figures.
    fn warnings(&self) -> Vec<String> {
        self.layers().flat_map(Technique::warnings).collect()
    }
}

impl Hooks for Conventional {
    type Layer = Self;

    const IN_USE: bool = false;

    #[inline]
    fn owner(&self, _: Hook) -> &Self {
        self
    }

    #[inline]
    fn owner_mut(&mut self, _: Hook) -> &mut Self {
        self
    }

    fn is_claimed(&self, _: Hook) -> bool {
        false
    }

    #[inline]
    fn layers(&self) -> impl Iterator<Item = &Self> {
        std::iter::empty()
    }

    #[inline]
    fn layers_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        std::iter::empty()
    }

    fn metrics(&self, _: &DriveState) -> Map<String, Value> {
        Map::new()
    }
}

/// One technique that is known when the drive is compiled, and answers everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone<T>(pub T);

impl<T: Technique> Hooks for Alone<T> {
    type Layer = T;

    #[inline]
    fn owner(&self, _: Hook) -> &T {
        &self.0
    }

    #[inline]
    fn owner_mut(&mut self, _: Hook) -> &mut T {
        &mut self.0
    }

    fn is_claimed(&self, hook: Hook) -> bool {
        self.0.claims().contains(&hook)
    }

    fn layers(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.0)
    }

    #[inline]
    fn layers_mut(&mut self) -> impl Iterator<Item = &mut T> {
        std::iter::once(&mut self.0)
    }

    fn metrics(&self, state: &DriveState) -> Map<String, Value> {
        self.0.metrics(state)
    }
}
