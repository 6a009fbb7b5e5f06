//! How the drive asks its techniques: on each group of dies one of them answers a hook, and all who work there
//! are told.
//!
//! Nothing here forwards a hook: the drive is handed the technique that answers, and calls it. So a hook
//! that is added to a group reaches every technique, whoever joins or wraps them.

use super::{Background, Cells, Conventional, Hook, Observer, Placement, Routing, Technique};
use crate::drive::DriveState;
use crate::ids::StreamId;
use crate::metrics::{Counters, Gauge};
use crate::nand::{Flash, OpTable};
use serde_json::{Map, Value};

/// The group by which a hook of the whole drive is asked for: every group gives the same owner.
const DRIVE: usize = 0;

/// True where a technique that is given a group, or none, works on that one.
pub(super) fn works_on(given: Option<usize>, group: usize) -> bool {
    given.is_none_or(|given| given == group)
}

/// Streams of techniques in a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnStreams {
    /// All of them.
    pub all: u32,
    /// Those that GC writes too.
    pub of_gc: u32,
}

impl OwnStreams {
    /// A technique that is given a group, or none, takes its streams after those of the techniques before it;
    /// returns how many these are. Techniques on different groups share their numbers.
    fn take(groups: &mut [Self], given: Option<usize>, own: Self) -> u32 {
        let is_own = |at: usize| works_on(given, at);
        let before = (0..groups.len()).filter(|&at| is_own(at)).map(|at| groups[at].all);
        let before = before.max().unwrap_or(0);
        for at in (0..groups.len()).filter(|&at| is_own(at)) {
            let of_gc = groups[at].of_gc + own.of_gc;
            groups[at] = Self { all: before + own.all, of_gc };
        }
        before
    }
}

/// The techniques of a drive: none ([`Conventional`]), one ([`Alone`]), or those that a configuration
/// names ([`Stack`](super::Stack)).
pub trait Hooks: Send {
    /// What answers: known when the drive is compiled, or chosen at run time.
    type Layer: Technique + ?Sized;

    /// False for the conventional drive, for which nothing of this is compiled.
    const IN_USE: bool = true;

    /// The technique that claims a hook on a group of dies, or else the conventional drive.
    fn owner(&self, hook: Hook, group: usize) -> &Self::Layer;

    /// The same, to ask what may change it.
    fn owner_mut(&mut self, hook: Hook, group: usize) -> &mut Self::Layer;

    /// The technique that claims a hook on a group of dies, if there is one.
    fn claimant_mut(&mut self, hook: Hook, group: usize) -> Option<&mut Self::Layer>;

    /// True where a technique claims a hook on a group of dies.
    fn is_claimed(&self, hook: Hook, group: usize) -> bool;

    /// Every technique.
    fn layers(&self) -> impl Iterator<Item = &Self::Layer>;

    /// Every technique, to tell them something.
    fn layers_mut(&mut self) -> impl Iterator<Item = &mut Self::Layer>;

    /// Those that work on a group of dies, to tell them something.
    fn layers_of_mut(&mut self, group: usize) -> impl Iterator<Item = &mut Self::Layer>;

    /// What they report: of one alone its own figures, of several those of each under its name.
    fn metrics(&self, state: &DriveState, counters: &Counters) -> Map<String, Value>;

    /// True where a technique says which group takes data.
    #[inline]
    fn is_routed(&self) -> bool {
        self.is_claimed(Hook::Route, DRIVE)
    }

    /// Who says which group takes data.
    #[inline]
    fn routing(&self) -> &(impl Routing + ?Sized) {
        self.owner(Hook::Route, DRIVE)
    }

    /// The same, to ask what may change it.
    #[inline]
    fn routing_mut(&mut self) -> &mut (impl Routing + ?Sized) {
        self.owner_mut(Hook::Route, DRIVE)
    }

    /// Who says where data goes in a group.
    #[inline]
    fn placement(&self, group: usize) -> &(impl Placement + ?Sized) {
        self.owner(Hook::Placement, group)
    }

    /// The same, to ask what may change it.
    #[inline]
    fn placement_mut(&mut self, group: usize) -> &mut (impl Placement + ?Sized) {
        self.owner_mut(Hook::Placement, group)
    }

    /// True where a technique says which group data goes to, or where it goes in that one.
    fn places(&self, group: usize) -> bool {
        self.is_routed() || self.is_claimed(Hook::Placement, group)
    }

    /// True where a fill is written as the host writes, because a technique sends it to its group, or places it
    /// in one of so many.
    fn places_fill(&self, groups: usize) -> bool {
        let places =
            |group| self.is_claimed(Hook::Placement, group) && self.placement(group).places_fill();
        self.is_routed() || (0..groups).any(places)
    }

    /// Who says what reclaiming a block of a group costs.
    #[inline]
    fn victims(&self, group: usize) -> &(impl Placement + ?Sized) {
        self.owner(Hook::VictimCost, group)
    }

    /// Who says how pages of a group are read.
    #[inline]
    fn reads(&self, group: usize) -> &(impl Cells + ?Sized) {
        self.owner(Hook::ReadPlan, group)
    }

    /// Who says what a program in a group needs besides its data.
    #[inline]
    fn codec(&self, group: usize) -> &(impl Cells + ?Sized) {
        self.owner(Hook::Codec, group)
    }

    /// Who says how blocks of a group are erased.
    fn erases_mut(&mut self, group: usize) -> &mut (impl Cells + ?Sized) {
        self.owner_mut(Hook::ErasePlan, group)
    }

    /// True where a technique works in idle moments.
    fn works_in_idle_time(&self) -> bool {
        self.is_claimed(Hook::Idle, DRIVE) && self.background().uses_idle_moments()
    }

    /// Whose work is done in idle moments.
    #[inline]
    fn background(&self) -> &(impl Background + ?Sized) {
        self.owner(Hook::Idle, DRIVE)
    }

    /// The same, to ask what may change it.
    #[inline]
    fn background_mut(&mut self) -> &mut (impl Background + ?Sized) {
        self.owner_mut(Hook::Idle, DRIVE)
    }

    /// All who are told of what concerns the whole drive.
    #[inline]
    fn observers_mut(&mut self) -> impl Iterator<Item = &mut (impl Observer + ?Sized)> {
        self.layers_mut()
    }

    /// All who are told of what happens in a group.
    #[inline]
    fn observers_of_mut(
        &mut self,
        group: usize,
    ) -> impl Iterator<Item = &mut (impl Observer + ?Sized)> {
        self.layers_of_mut(group)
    }

    /// True where anybody listens to what becomes of data that is no longer valid.
    fn hears_of_deaths(&self) -> bool {
        self.layers().any(|layer| layer.hears_of_deaths())
    }

    /// True where any technique claims anything.
    fn claims_any(&self) -> bool {
        self.layers().any(|layer| !layer.claims().is_empty())
    }

    /// Appends the operations on a kind of flash of all who work on it to the table.
    fn add_operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        self.layers_of_mut(flash.group).for_each(|layer| layer.operations(table, flash));
    }

    /// Those that work on a group of dies.
    fn layers_of(&self, group: usize) -> impl Iterator<Item = &Self::Layer> {
        self.layers().filter(move |layer| works_on(layer.group(), group))
    }

    /// The share of the units of a group's blocks in which data can stand.
    fn capacity_share(&self, group: usize) -> f64 {
        self.layers_of(group).map(|layer| layer.capacity_share(group)).product()
    }

    /// Erased blocks of each plane of a group that only their own streams may take.
    fn set_aside(&self, group: usize) -> u32 {
        self.layers_of(group).map(|layer| layer.set_aside(group)).sum()
    }

    /// The streams that they need in each of so many groups besides those of host, GC and map.
    fn own_streams(&self, groups: usize) -> Vec<OwnStreams> {
        let mut streams = vec![OwnStreams::default(); groups];
        for layer in self.layers() {
            let of = OwnStreams { all: layer.streams(), of_gc: layer.streams_of_gc() };
            OwnStreams::take(&mut streams, layer.group(), of);
        }
        streams
    }

    /// Tells each the first of its streams.
    fn number_streams(&mut self, first: StreamId, groups: usize) {
        let mut streams = vec![OwnStreams::default(); groups];
        for layer in self.layers_mut() {
            let of = OwnStreams { all: layer.streams(), of_gc: layer.streams_of_gc() };
            let before = OwnStreams::take(&mut streams, layer.group(), of);
            layer.streams_from(first.plus(before));
        }
    }

    /// The figures of all for the time series.
    fn gauges(&self, state: &DriveState) -> Vec<Gauge> {
        self.layers().flat_map(|layer| layer.gauges(state)).collect()
    }

    /// The first promise that one of them did not keep.
    fn broken(&self, state: &DriveState) -> Option<String> {
        self.layers().find_map(|layer| layer.broken(state))
    }

    /// What a reader must know of their parameters, and of how the run went, before believing the figures.
    fn warnings(&self, state: &DriveState) -> Vec<String> {
        let of_layer = |layer: &Self::Layer| {
            layer.warnings().into_iter().chain(layer.warnings_of(state)).collect::<Vec<_>>()
        };
        self.layers().flat_map(of_layer).collect()
    }

    /// How long the dies would take for what they have put off: each has dies of its own.
    fn owed_ns(&self, state: &DriveState) -> u64 {
        self.layers().map(|layer| layer.owed_ns(state)).max().unwrap_or(0)
    }
}

impl Hooks for Conventional {
    type Layer = Self;

    const IN_USE: bool = false;

    #[inline]
    fn owner(&self, _: Hook, _: usize) -> &Self {
        self
    }

    #[inline]
    fn owner_mut(&mut self, _: Hook, _: usize) -> &mut Self {
        self
    }

    #[inline]
    fn claimant_mut(&mut self, _: Hook, _: usize) -> Option<&mut Self> {
        None
    }

    #[inline]
    fn is_claimed(&self, _: Hook, _: usize) -> bool {
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

    #[inline]
    fn layers_of_mut(&mut self, _: usize) -> impl Iterator<Item = &mut Self> {
        std::iter::empty()
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        Map::new()
    }
}

/// All that a technique reports.
pub(super) fn all_metrics(
    technique: &dyn Technique,
    state: &DriveState,
    counters: &Counters,
) -> Map<String, Value> {
    technique.metrics(state).into_iter().chain(technique.metrics_of(counters)).collect()
}

/// One technique that works on the whole drive and answers everything.
///
/// It stands in a box, so that drives are compiled once for all techniques.
pub struct Alone(Box<dyn Technique>);

impl Alone {
    /// That technique and no other.
    pub fn new(technique: impl Technique + 'static) -> Self {
        Self(Box::new(technique))
    }
}

impl Hooks for Alone {
    type Layer = dyn Technique;

    #[inline]
    fn owner(&self, _: Hook, _: usize) -> &Self::Layer {
        &*self.0
    }

    #[inline]
    fn owner_mut(&mut self, _: Hook, _: usize) -> &mut Self::Layer {
        &mut *self.0
    }

    fn claimant_mut(&mut self, hook: Hook, group: usize) -> Option<&mut Self::Layer> {
        self.is_claimed(hook, group).then_some(&mut *self.0)
    }

    #[inline]
    fn is_claimed(&self, hook: Hook, _: usize) -> bool {
        self.0.claims().contains(&hook)
    }

    fn layers(&self) -> impl Iterator<Item = &Self::Layer> {
        std::iter::once(&*self.0)
    }

    #[inline]
    fn layers_mut(&mut self) -> impl Iterator<Item = &mut Self::Layer> {
        std::iter::once(&mut *self.0)
    }

    #[inline]
    fn layers_of_mut(&mut self, _: usize) -> impl Iterator<Item = &mut Self::Layer> {
        std::iter::once(&mut *self.0)
    }

    fn metrics(&self, state: &DriveState, counters: &Counters) -> Map<String, Value> {
        all_metrics(&*self.0, state, counters)
    }
}

#[cfg(test)]
mod tests {
    use super::OwnStreams;

    #[test]
    fn streams_of_one_group_have_different_numbers_and_those_of_two_may_share_them() {
        let mut groups = [OwnStreams::default(); 2];
        let mut take =
            |given, all, of_gc| OwnStreams::take(&mut groups, given, OwnStreams { all, of_gc });
        assert_eq!([take(Some(0), 3, 1), take(Some(1), 2, 2)], [0, 0]);
        // Of the whole drive: after those of either group.
        assert_eq!(take(None, 1, 0), 3);
        assert_eq!([take(Some(1), 1, 1), take(Some(0), 1, 0)], [4, 4]);
        let [one, two] = groups;
        assert_eq!([(one.all, one.of_gc), (two.all, two.of_gc)], [(5, 1), (5, 3)]);
    }
}
