//! Centaur: 2D and 3D flash in one drive, written and emptied so that both wear alike (Liu et al., POMACS
//! 4(2):28, 2020).
//!
//! The 3D flash is programmed by whole word lines of all planes: an *aligned range* of logical units a
//! program. A *part* is what a request writes within one range, or what of it leaves the host's write buffer
//! together. The dispatcher sends parts to either kind
//! by their size, idle 2D flash may take parts of the 3D flash over, and victims of the 2D flash hand
//! their data on in whole ranges. Data never goes back. Ranges do not share programs, unless partial
//! programs are padded: then GC packs what is left of them.

mod balance;
mod criterion;
mod dispatch;
mod entry;
mod figures;
mod hooks;
mod parts;
mod programs;
mod rival;
mod routing;

pub use balance::Wear;
pub use criterion::{Criterion, Kind};
pub use entry::{CentaurConfig, ENTRY, InitialData, Mode, Partial, Steal};
pub use hooks::{Asked, Ends, Ready, Route, Routing};

use super::{Cells, Hook, Observer, Phase, Placement, Profile, Technique, Write};
use crate::drive::DriveState;
use crate::ids::{BlockId, Ids, Lpn, StreamId, Unit};
use crate::metrics::Counters;
use crate::nand::command::Cause;
use crate::nand::{Geometry, Located};
use figures::Figures;
use parts::Part;
use programs::{MIXED, Programs};
use rival::Sizes;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::ops::Range;

/// The technique.
pub struct Centaur {
    mode: Mode,
    merges: bool,
    steals: Steal,
    migrates: bool,
    fills_3d: bool,
    /// The group of each kind, by [`Kind`].
    groups: [Option<usize>; 2],
    criterion: Criterion,
    sizes: Sizes,
    wear: [Wear; 2],
    /// Units of a program of the 3D flash.
    range_units: u32,
    /// Whether another technique places data in the 3D flash, and may mix ranges there.
    mixes: bool,
    /// True once the run has begun.
    runs: bool,
    /// The part that is being written.
    part: Option<Part>,
    /// The 3D die whose turn it is.
    turn: u32,
    /// Why the unit that joined a program last did so.
    sharing: Sharing,
    /// The first logical unit that may still go along with it: those before it do, or will not.
    looked_at: u64,
    /// What may go along with the unit of which that was asked last.
    along: Along,
    /// Why the unit that GC is about to move does.
    moving: Option<Sharing>,
    /// Victims of the 2D flash that hand their data on.
    migrating: BTreeSet<BlockId>,
    programs: Programs,
    figures: Figures,
}

/// Why a unit joins a program of the 3D flash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Sharing {
    /// A part of a request.
    #[default]
    Part,
    /// It leaves the 2D flash.
    Migration,
    /// GC of the 3D flash moves it.
    Move,
}

/// What may go along with a logical unit: the others of its range, up to their end, that are not in its program.
#[derive(Debug, Clone)]
struct Along {
    of: Lpn,
    program: Ids<Unit>,
    range: Range<u64>,
}

impl Default for Along {
    fn default() -> Self {
        Self { of: Lpn::default(), program: Ids::all(0), range: 0..0 }
    }
}

impl Centaur {
    fn with(
        own: &CentaurConfig,
        groups: [Option<usize>; 2],
        geometry: &Geometry,
        criterion: Criterion,
        wear: [Wear; 2],
        (range_units, mixes): (u32, bool),
    ) -> Self {
        let of_3d = groups[Kind::ThreeD as usize].map(|group| &geometry.groups[group]);
        Self {
            mode: own.mode,
            merges: own.partial == Partial::Merge,
            steals: if own.mode == Mode::Centaur { own.steal } else { Steal::Never },
            migrates: own.migrate && groups.iter().all(Option::is_some),
            fills_3d: own.initial_data == InitialData::ThreeD,
            groups,
            criterion,
            sizes: Sizes::new(own.epoch_requests, geometry.unit_bytes as u32),
            wear,
            range_units,
            mixes,
            runs: false,
            part: None,
            turn: 0,
            sharing: Sharing::Part,
            looked_at: 0,
            along: Along::default(),
            moving: None,
            migrating: BTreeSet::new(),
            programs: of_3d.map_or_else(Programs::default, |it| {
                Programs::new(it, geometry.first_unit(it.blocks.first()), range_units)
            }),
            figures: Figures::default(),
        }
    }

    /// The kind of flash of a group.
    fn kind_of_group(&self, group: usize) -> Kind {
        if self.groups[Kind::ThreeD as usize] == Some(group) { Kind::ThreeD } else { Kind::TwoD }
    }

    #[inline]
    fn kind_of_block(&self, block: BlockId) -> Kind {
        if self.programs.has_block(block) { Kind::ThreeD } else { Kind::TwoD }
    }

    #[inline]
    fn kind_of(&self, unit: Unit) -> Kind {
        if self.programs.has(unit) { Kind::ThreeD } else { Kind::TwoD }
    }

    /// True for data that stands in the 3D flash.
    fn is_from_3d(&self, write: &Write<'_>) -> bool {
        write.old.is_some() && self.kind_of(write.old) == Kind::ThreeD
    }

    /// Whether valid data takes a larger share of one kind of flash than of the other.
    fn is_fuller(&self, state: &DriveState, kind: Kind) -> bool {
        let [Some(two), Some(three)] = self.groups else { return false };
        match kind {
            Kind::TwoD => balance::is_fuller(state, two, three),
            Kind::ThreeD => balance::is_fuller(state, three, two),
        }
    }

    /// The way to the 2D flash; `None` where there is no other.
    fn to_2d(&self, stream: StreamId) -> Option<Route> {
        match self.groups {
            [Some(group), Some(_)] => Some(Route::Group { group, stream }),
            _ => None,
        }
    }

    /// The way of a part to its kind of flash.
    fn way_of(&self, part: Part, stream: StreamId) -> Option<Route> {
        match part.kind {
            Kind::TwoD => self.to_2d(stream),
            Kind::ThreeD => Some(Route::Scope { scope: part.scope, stream: part.stream }),
        }
    }

    /// True for what leaves the 2D flash with its victim.
    fn is_migrating(&self, state: &DriveState, write: &Write<'_>) -> bool {
        state.is_of_host(write.lpn)
            && write.old.is_some()
            && self.migrating.contains(&state.geometry.locate(write.old).0)
    }

    /// What the program has in common that a unit of the 3D flash joins.
    fn range_of(&self, lpn: Lpn) -> u32 {
        match self.sharing {
            _ if self.mixes && !self.merges => MIXED,
            Sharing::Move if !self.merges => MIXED,
            _ => self.range_number(lpn),
        }
    }

    /// The number of the range of a logical unit: a drive whose ranges have no such numbers is refused.
    fn range_number(&self, lpn: Lpn) -> u32 {
        lpn.range(self.range_units) as u32
    }
}

impl Technique for Centaur {
    fn profile(&self) -> Profile {
        let of_3d = self.groups[Kind::ThreeD as usize].filter(|_| self.merges);
        Profile {
            range_units: self.range_units,
            maps_programs: of_3d.map(|group| (group, "technique.centaur.partial to \"pad\"")),
            ..Profile::of(&[Hook::Route, Hook::VictimCost, Hook::Deaths])
        }
    }

    fn metrics(&self, state: &DriveState, _: &Counters) -> Map<String, Value> {
        self.figures.report(self, state)
    }

    fn routing(&self) -> Option<&dyn Routing> {
        Some(self)
    }

    fn routing_mut(&mut self) -> Option<&mut dyn Routing> {
        Some(self)
    }
}

impl Placement for Centaur {}

impl Cells for Centaur {}

impl Observer for Centaur {
    fn begin(&mut self, state: &DriveState, phase: Phase) {
        if phase != Phase::Run {
            self.figures = Figures::default();
            return;
        }
        self.runs = true;
        self.part = None;
        for (wear, group) in self.wear.iter_mut().zip(self.groups) {
            let Some(group) = group else { continue };
            let blocks = state.blocks.of(state.geometry.groups[group].blocks);
            wear.cycles = blocks.iter().map(|block| u64::from(block.erases)).sum();
        }
    }

    fn preset(&mut self, state: &DriveState, block: BlockId) {
        if self.kind_of_block(block) == Kind::TwoD {
            return;
        }
        let first = state.geometry.first_unit(block);
        for unit in state.valid.places(block).map(|place| first.plus(place)) {
            self.programs.found(unit, self.range_of(state.lpn_of(unit)));
        }
    }

    fn written(
        &mut self,
        state: &DriveState,
        &Located { unit, .. }: &Located,
        cause: Cause,
        _: u64,
    ) {
        match cause {
            Cause::Host => self.sharing = Sharing::Part,
            _ => self.sharing = self.moving.take().unwrap_or(self.sharing),
        }
        if cause != Cause::Technique {
            self.looked_at = 0;
        }
        if self.kind_of(unit) == Kind::TwoD {
            self.figures.units_2d += u64::from(self.runs);
            return;
        }
        let is_first = self.programs.joined(unit, self.range_of(state.lpn_of(unit)));
        if self.runs {
            let migrates = cause == Cause::Gc && self.sharing == Sharing::Migration;
            self.figures.written_3d(migrates, is_first);
        }
    }

    fn read(&mut self, _: &DriveState, at: &Located, _: u64) {
        self.figures.read[self.kind_of_block(at.block) as usize] += 1;
    }

    fn invalidated(&mut self, _: &DriveState, at: &Located) {
        if self.kind_of_block(at.block) == Kind::ThreeD {
            self.programs.left(at.unit);
        }
    }

    /// A victim of the 2D flash is judged once, before any of it moves (Algorithm 3).
    fn chosen(&mut self, state: &DriveState, block: BlockId, cause: Cause) {
        let is_2d = self.kind_of_block(block) == Kind::TwoD;
        let hands_on = self.migrates && cause == Cause::Gc && is_2d;
        match hands_on && self.is_fuller(state, Kind::TwoD) {
            true => self.migrating.insert(block),
            false => self.migrating.remove(&block),
        };
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        self.migrating.remove(&block);
        let kind = self.kind_of_block(block);
        self.wear[kind as usize].cycles += u64::from(state.cycles_per_erase);
    }
}
