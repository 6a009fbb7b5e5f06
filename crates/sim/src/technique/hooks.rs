//! How the drive asks its techniques: on each group of dies one of them answers a hook, and all who work there
//! are told.
//!
//! Nothing here forwards a hook: the drive is handed the technique that answers, and calls it. So a hook
//! that is added to a group reaches every technique, whoever joins or wraps them.

use super::{
    Cells, Conventional, Hook, Idle, NoTechnique, Observer, Phase, Placement, Profile, Promises,
    Refill, Rounds, Routing, SetAside, Technique,
};
use crate::drive::DriveState;
use crate::metrics::{Counters, Gauge};
use crate::nand::{Flash, Load, OpTable};
use serde_json::{Map, Value};

/// The group by which a hook of the whole drive is asked for: every group gives the same owner.
const DRIVE: usize = 0;

/// Whether a technique that is given a group, or none, works on that one.
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
    /// A technique takes its streams after those of the techniques before it on its dies; returns how many these
    /// are. Techniques on different groups share their numbers.
    fn take(groups: &mut [Self], own: &Profile) -> u32 {
        let is_own = |at: usize| works_on(own.group, at);
        let before = (0..groups.len()).filter(|&at| is_own(at)).map(|at| groups[at].all);
        let before = before.max().unwrap_or(0);
        for at in (0..groups.len()).filter(|&at| is_own(at)) {
            let of_gc = groups[at].of_gc + own.streams_of_gc;
            groups[at] = Self { all: before + own.streams, of_gc };
        }
        before
    }
}

/// The techniques of a drive: none ([`Conventional`]), or those of a [`Stack`](super::Stack).
pub trait Hooks: Send + 'static {
    /// What answers: known when the drive is compiled, or chosen at run time.
    type Layer: Technique + ?Sized;

    /// False for the conventional drive, for which nothing of this is compiled.
    const IN_USE: bool = true;

    /// Whether what is done may be recorded for a player.
    const IS_WATCHED: bool = true;

    /// The technique that answers a hook on a group of dies, or else the conventional drive.
    fn owner(&self, hook: Hook, group: usize) -> &Self::Layer;

    /// [`Hooks::owner`], to ask what may change it.
    fn owner_mut(&mut self, hook: Hook, group: usize) -> &mut Self::Layer;

    /// The technique that answers a hook on a group of dies, if there is one.
    fn claimant_mut(&mut self, hook: Hook, group: usize) -> Option<&mut Self::Layer>;

    /// Whether a technique answers a hook on a group of dies.
    fn is_claimed(&self, hook: Hook, group: usize) -> bool;

    /// Whether any technique lists a hook.
    fn lists(&self, hook: Hook) -> bool;

    /// Every technique.
    fn layers(&self) -> impl Iterator<Item = &Self::Layer>;

    /// Every technique, to tell them something.
    fn layers_mut(&mut self) -> impl Iterator<Item = &mut Self::Layer>;

    /// Those that work on a group of dies, to tell them something.
    fn layers_of_mut(&mut self, group: usize) -> impl Iterator<Item = &mut Self::Layer>;

    /// What the first of those that list [`Hook::Idle`] does in an idle moment that has anything to do.
    fn idle(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle;

    /// When one of those that list [`Hook::Due`] is to be asked next.
    fn due_ns(&self) -> u64;

    /// What the first of those does whose time has come.
    fn due(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle;

    /// What they report: of one alone its own figures, of several those of each under its name.
    fn metrics(&self, state: &DriveState, counters: &Counters) -> Map<String, Value>;

    /// Whether a technique says which group takes data.
    #[inline]
    fn is_routed(&self) -> bool {
        self.is_claimed(Hook::Route, DRIVE)
    }

    /// Who says which group takes data.
    #[inline]
    fn routing_mut(&mut self) -> Option<&mut dyn Routing> {
        self.owner_mut(Hook::Route, DRIVE).routing_mut()
    }

    /// Whose work must be done by its time.
    #[inline]
    fn promises(&self) -> Option<&dyn Promises> {
        self.owner(Hook::Promises, DRIVE).promises()
    }

    /// [`Hooks::promises`], to ask and tell what may change it.
    #[inline]
    fn promises_mut(&mut self) -> Option<&mut dyn Promises> {
        self.owner_mut(Hook::Promises, DRIVE).promises_mut()
    }

    /// Who says where data goes in a group.
    #[inline]
    fn placement(&self, group: usize) -> &(impl Placement + ?Sized) {
        self.owner(Hook::Placement, group)
    }

    /// [`Hooks::placement`], to ask what may change it.
    #[inline]
    fn placement_mut(&mut self, group: usize) -> &mut (impl Placement + ?Sized) {
        self.owner_mut(Hook::Placement, group)
    }

    /// Whose blocks of a group are filled in rounds.
    #[inline]
    fn rounds(&mut self, group: usize) -> Option<&mut dyn Rounds> {
        self.owner_mut(Hook::Placement, group).rounds()
    }

    /// Whose data of a group moves along with what others write.
    #[inline]
    fn refill(&mut self, group: usize) -> Option<&mut dyn Refill> {
        self.owner_mut(Hook::Placement, group).refill()
    }

    /// For whom blocks of a group are set aside.
    #[inline]
    fn set_aside(&self, group: usize) -> Option<&dyn SetAside> {
        self.owner(Hook::Placement, group).set_aside()
    }

    /// Whether a technique says which group data goes to, or where it goes in that one.
    fn places(&self, group: usize) -> bool {
        self.is_routed() || self.is_claimed(Hook::Placement, group)
    }

    /// Whether a fill is written as the host writes, because a technique sends it to its group, or places it.
    fn places_fill(&self) -> bool {
        let places = |own: Profile| own.places_fill && own.hooks.contains(&Hook::Placement);
        self.is_routed() || self.layers().any(|layer| places(layer.profile()))
    }

    /// Who says what reclaiming a block of a group costs.
    #[inline]
    fn victims(&self, group: usize) -> Option<&dyn Routing> {
        self.owner(Hook::VictimCost, group).routing()
    }

    /// Who says how pages of a group are read.
    #[inline]
    fn reads(&self, group: usize) -> &(impl Cells + ?Sized) {
        self.owner(Hook::ReadPlan, group)
    }

    /// Who says what an erase in a group wears, and how it is done.
    fn erases_mut(&mut self, group: usize) -> &mut Self::Layer {
        self.owner_mut(Hook::ErasePlan, group)
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

    /// Tells all of them that a phase of the drive's life begins.
    fn begin(&mut self, state: &DriveState, phase: Phase) {
        self.layers_mut().for_each(|layer| layer.begin(state, phase));
    }

    /// Whether any technique answers anything.
    fn claims_any(&self) -> bool {
        self.layers().any(|layer| !layer.profile().hooks.is_empty())
    }

    /// Appends the operations on a kind of flash of all who work on it to the table.
    fn add_operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        self.layers_of_mut(flash.group).for_each(|layer| layer.operations(table, flash));
    }

    /// What those answer and need that work on a group of dies.
    fn profiles_of(&self, group: usize) -> impl Iterator<Item = Profile> {
        self.layers().map(Technique::profile).filter(move |own| works_on(own.group, group))
    }

    /// The share of the units of a group's blocks in which data can stand.
    fn capacity_share(&self, group: usize) -> f64 {
        self.profiles_of(group).map(|own| own.capacity_share).product()
    }

    /// Erased blocks of each plane of a group that only their own streams may take.
    fn blocks_set_aside(&self, group: usize) -> u32 {
        self.profiles_of(group).map(|own| own.set_aside).sum()
    }

    /// Units of the ranges by which requests are cut; 0: they are not.
    fn range_units(&self) -> u32 {
        let routes = |own: &Profile| own.hooks.contains(&Hook::Route);
        self.layers().map(Technique::profile).find(routes).map_or(0, |own| own.range_units)
    }

    /// The streams that they need in each of so many groups besides those of host, GC and map.
    fn own_streams(&self, groups: usize) -> Vec<OwnStreams> {
        let mut streams = vec![OwnStreams::default(); groups];
        for own in self.layers().map(Technique::profile) {
            OwnStreams::take(&mut streams, &own);
        }
        streams
    }

    /// Tells each that the drive is built, with the first of its streams.
    fn begin_drive(&mut self, state: &DriveState) {
        let mut streams = vec![OwnStreams::default(); state.geometry.groups.len()];
        for layer in self.layers_mut() {
            let before = OwnStreams::take(&mut streams, &layer.profile());
            layer.begin(state, Phase::Drive(state.layout.technique_stream.plus(before)));
        }
    }

    /// The figures of all for the time series.
    fn gauges(&self, state: &DriveState) -> Vec<Gauge> {
        self.layers().flat_map(|layer| layer.gauges(state)).collect()
    }

    /// What a reader must know of their parameters, and of how the run went, before believing the figures.
    fn warnings(&self, state: &DriveState) -> Vec<String> {
        self.layers().flat_map(|layer| layer.warnings(state)).collect()
    }
}

impl<N: NoTechnique> Hooks for N {
    type Layer = Conventional;

    const IN_USE: bool = false;

    const IS_WATCHED: bool = N::IS_WATCHED;

    #[inline]
    fn owner(&self, _: Hook, _: usize) -> &Conventional {
        &Conventional
    }

    #[inline]
    fn owner_mut(&mut self, _: Hook, _: usize) -> &mut Conventional {
        self.conventional()
    }

    #[inline]
    fn claimant_mut(&mut self, _: Hook, _: usize) -> Option<&mut Conventional> {
        None
    }

    #[inline]
    fn is_claimed(&self, _: Hook, _: usize) -> bool {
        false
    }

    #[inline]
    fn lists(&self, _: Hook) -> bool {
        false
    }

    #[inline]
    fn layers(&self) -> impl Iterator<Item = &Conventional> {
        std::iter::empty()
    }

    #[inline]
    fn layers_mut(&mut self) -> impl Iterator<Item = &mut Conventional> {
        std::iter::empty()
    }

    #[inline]
    fn layers_of_mut(&mut self, _: usize) -> impl Iterator<Item = &mut Conventional> {
        std::iter::empty()
    }

    fn idle(&mut self, _: &DriveState, _: &dyn Load, _: u64) -> Idle {
        Idle::Nothing
    }

    fn due_ns(&self) -> u64 {
        u64::MAX
    }

    fn due(&mut self, _: &DriveState, _: &dyn Load, _: u64) -> Idle {
        Idle::Nothing
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        Map::new()
    }
}

#[cfg(test)]
mod tests {
    use super::{OwnStreams, Profile};

    #[test]
    fn streams_of_one_group_have_different_numbers_and_those_of_two_may_share_them() {
        let mut groups = [OwnStreams::default(); 2];
        let mut take = |group, streams, streams_of_gc| {
            let own = Profile { group, streams, streams_of_gc, ..Profile::default() };
            OwnStreams::take(&mut groups, &own)
        };
        assert_eq!([take(Some(0), 3, 1), take(Some(1), 2, 2)], [0, 0]);
        // Of the whole drive: after those of either group.
        assert_eq!(take(None, 1, 0), 3);
        assert_eq!([take(Some(1), 1, 1), take(Some(0), 1, 0)], [4, 4]);
        let [one, two] = groups;
        assert_eq!([(one.all, one.of_gc), (two.all, two.of_gc)], [(5, 1), (5, 3)]);
    }
}
