//! Data put into an empty drive directly, block by block, at the cost of a few memory accesses a unit.

use super::scatter::{Share, scatter};
use super::stagger::{Beginning, Begun, open, units_of};
use super::valid::{dense, quantiles, round_to_total, settle, shuffle};
use crate::drive::{DriveState, Filling};
use crate::error::Error;
use crate::ftl::{Ask, Media};
use crate::ids::{BlockId, ById, PlaneId, PointId};
use crate::schema::{Config, Pattern};
use crate::technique::{Hooks, Observer};
use crate::theory::{Cleaning, Profile, fifo_valid_share_by_age, profile};
use crate::util::Rng;
use std::collections::BTreeMap;

/// What a fill is known by, besides what it left in the drive.
#[derive(Debug)]
pub(in crate::ftl) struct Fill {
    /// The closed form's write amplification, where a steady state was set.
    pub expected: Option<f64>,
    /// Logical units of the host that are written, the first ones where a steady state was set.
    pub written: u64,
    /// The blocks that hold data, in the order in which they got it.
    pub blocks: Vec<BlockId>,
}

/// Units of data that a full block of a group holds: all of it, but for the parity and the metadata of superblocks.
fn units_in_full(state: &DriveState, group: usize) -> u32 {
    match &state.layout.fillings[group] {
        filling if filling.shape.stripe.is_some() => filling.usable_units,
        _ => state.geometry.groups[group].units_per_block,
    }
}

/// Logical units of the host that a fill writes.
pub(super) fn written_units(config: &Config, state: &DriveState) -> u64 {
    (config.precondition.fill * state.logical_units as f64).round() as u64
}

/// The steady state that a drive is filled to.
pub(in crate::ftl) struct Steady {
    pub cleaning: Cleaning,
    /// What each plane begins with.
    pub beginnings: ById<PlaneId, Beginning>,
}

/// Fills an empty drive directly: densely, or to the steady state of a policy.
pub(in crate::ftl) fn fill(
    config: &Config,
    state: &mut DriveState,
    steady: Option<Steady>,
    ask: Ask<'_>,
) -> Result<Fill, Error> {
    let mut filler = Filler::new(config, state, steady);
    for plane in state.geometry.planes() {
        ask()?;
        filler.fill_plane(state, plane);
    }
    open(state, &filler.begun);
    let (expected, written) = (filler.expected(state), filler.written);
    let blocks = filler.shares.iter().flat_map(|share| share.blocks.iter().copied()).collect();
    let sequential = config.precondition.pattern == Pattern::Sequential;
    scatter(state, filler.shares, (!sequential).then_some(config.run.seed), ask)?;
    Ok(Fill { expected, written, blocks })
}

/// Units that a block gets.
#[derive(Debug, Clone, Copy)]
struct Amount {
    /// If data remained for them.
    valid: u32,
    /// For which there is data.
    here: u32,
}

/// Puts data into the blocks of a drive.
struct Filler {
    steady: Option<Steady>,
    rng: Rng,
    /// Logical units of the host that are written, the first ones when sequential or steady.
    written: u64,
    /// The last profile, by (units of the log, units, units of a block): planes of a kind are alike but
    /// for their bad blocks.
    profile: Option<((u32, u32, u32), Profile)>,
    /// Places of the block at hand that get data, or those of them that take data, a bit each.
    places: Vec<u32>,
    chosen: Vec<u64>,
    /// Write amplification summed over the units to which it applies, and these units.
    expected: (f64, f64),
    /// What each plane gets.
    shares: Vec<Share>,
    /// Open blocks by write point.
    begun: BTreeMap<PointId, Vec<BlockId>>,
}

impl Filler {
    fn new(config: &Config, state: &DriveState, steady: Option<Steady>) -> Self {
        Self {
            steady,
            rng: Rng::new(config.run.seed, "precondition"),
            written: written_units(config, state),
            profile: None,
            places: Vec::new(),
            chosen: Vec::new(),
            expected: (0.0, 0.0),
            shares: Vec::new(),
            begun: BTreeMap::new(),
        }
    }

    /// The write amplification to expect: that of the planes, by their share of the data, and the parity and
    /// metadata of superblocks.
    fn expected(&self, state: &DriveState) -> Option<f64> {
        let (sum, units) = self.expected;
        let units_per_block = state.geometry.groups[0].units_per_block;
        let data_share = match state.layout.fillings[0].shape {
            shape if shape.stripe.is_some() => {
                f64::from(shape.units_of_data()) / f64::from(units_per_block)
            }
            _ => 1.0,
        };
        (units > 0.0).then(|| sum / units / data_share)
    }

    /// Chooses the places of a plane that get data.
    fn fill_plane(&mut self, state: &mut DriveState, plane: PlaneId) {
        let mut share = Share::of_plane(state, plane, self.written);
        let group = state.geometry.group_of_plane(plane);
        let units_per_block = units_in_full(state, group);
        let steady = self
            .steady
            .as_mut()
            .map(|steady| (steady.cleaning, std::mem::take(&mut steady.beginnings[plane])));
        let (counts, begun) = match steady {
            None => (dense(share.count, units_per_block), Vec::new()),
            Some((cleaning, beginning)) => {
                (self.steady(state, plane, (cleaning, &beginning), share.count), beginning.begun)
            }
        };
        let mut rest = share.count - units_of(&begun).min(share.count);
        for valid in counts {
            let Some(block) = state.take_free(plane, false) else { break };
            self.fill_block(state, plane, block, Amount { valid, here: rest.min(valid) });
            share.blocks.push(block);
            rest -= rest.min(valid);
        }
        self.begin_blocks(state, plane, &begun, &mut share);
        self.shares.push(share);
    }

    /// Valid units of each full block of a plane in steady state, in the order of their age.
    fn steady(
        &mut self,
        state: &DriveState,
        plane: PlaneId,
        (cleaning, beginning): (Cleaning, &Beginning),
        units: u32,
    ) -> Vec<u32> {
        let units_per_block = state.layout.of_domain(state.layout.domain_of(plane)).usable_units;
        let full = beginning.full(state.free[plane].len() as u32);
        let rest = units - units_of(&beginning.begun).min(units);
        if units == 0 || !beginning.has_room(full, units, units_per_block) {
            return dense(rest, units_per_block);
        }
        let alpha = f64::from(beginning.log_units) / f64::from(units);
        let shape = (beginning.log_units, units, units_per_block);
        let known = self.profile.take().filter(|(known, _)| *known == shape);
        let (_, profile) =
            &*self
                .profile
                .insert(known.unwrap_or_else(|| {
                    (shape, profile(cleaning, alpha, units_per_block as usize))
                }));
        self.expected.0 += f64::from(units) * profile.write_amplification;
        self.expected.1 += f64::from(units);
        let mut counts = match cleaning {
            Cleaning::Fifo => {
                let valid = |at: u32| {
                    let age = 1.0 - (f64::from(at) + 0.5) / f64::from(full);
                    fifo_valid_share_by_age(alpha, age) * f64::from(units_per_block)
                };
                round_to_total((0..full).map(valid))
            }
            _ => {
                let mut counts = quantiles(&profile.share, full);
                shuffle(&mut counts, &mut self.rng);
                counts
            }
        };
        settle(&mut counts, rest, units_per_block);
        counts
    }

    /// Puts data into the open blocks of a plane, from their start.
    fn begin_blocks(
        &mut self,
        state: &mut DriveState,
        plane: PlaneId,
        begun: &[Begun],
        share: &mut Share,
    ) {
        let held: u32 = share.blocks.iter().map(|&block| state.blocks[block].valid).sum();
        let mut rest = share.count - held;
        for &Begun { point, units } in begun {
            let Some(block) = state.take_free(plane, false) else { break };
            self.places.clear();
            self.places.extend(0..units.min(rest));
            rest -= units.min(rest);
            state.occupy(block, &self.places);
            state.blocks[block].next = units;
            share.blocks.push(block);
            self.begun.entry(point).or_default().push(block);
        }
    }

    /// Makes places of a block valid: in a dense fill without gaps, otherwise at random places of a full one.
    fn fill_block(
        &mut self,
        state: &mut DriveState,
        plane: PlaneId,
        block: BlockId,
        Amount { valid, here }: Amount,
    ) {
        let group = state.geometry.group_of(block);
        let units_per_block = state.geometry.groups[group].units_per_block;
        let scattered = self.steady.is_some();
        let Filling { shape, scope_planes, .. } = state.layout.fillings[group];
        self.choose_places(here, units_in_full(state, group));
        if shape.stripe.is_none() {
            state.occupy_chosen(block, &self.chosen);
        } else {
            self.places.clear();
            self.places.extend(places_of(&self.chosen));
            shape.places_of_data(&mut self.places);
            state.occupy(block, &self.places);
        }
        let at_start =
            valid.is_multiple_of(shape.step) && scope_planes == 1 && shape.stripe.is_none();
        if !scattered && valid < units_per_block && at_start {
            let first = state.layout.first_stream();
            let point = state.point_of(state.layout.scope_of(plane), first);
            state.points[point].open(&[block], shape, valid, &state.geometry);
            let entry = &mut state.blocks[block];
            entry.next = valid;
            entry.set_stream(first);
            entry.set_point(point);
        } else {
            let coldest = state.layout.filled_stream();
            let entry = &mut state.blocks[block];
            entry.next = units_per_block;
            entry.set_stream(coldest);
        }
    }

    /// Chooses `count` of the places of a block: the first ones of a dense fill, otherwise any (selection
    /// sampling, without a branch that could be guessed wrongly).
    fn choose_places(&mut self, count: u32, units_per_block: u32) {
        self.chosen.clear();
        let scattered = self.steady.is_some();
        // At hand, where it stays in registers.
        let mut rng = self.rng.clone();
        let mut left = count;
        for first in (0..units_per_block).step_by(WORD as usize) {
            let places = WORD.min(units_per_block - first);
            let mut word = 0;
            if scattered {
                for place in 0..places {
                    let is_chosen = rng.below(units_per_block - first - place) < left;
                    word |= u64::from(is_chosen) << place;
                    left -= u32::from(is_chosen);
                }
            } else {
                let chosen = left.min(places);
                word = (u64::MAX).checked_shr(WORD - chosen).unwrap_or(0);
                left -= chosen;
            }
            self.chosen.push(word);
        }
        self.rng = rng;
    }
}

/// Places in a word of bits.
const WORD: u32 = u64::BITS;

/// The places whose bits are set.
fn places_of(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    let places = |(first, &word): (u32, &u64)| {
        (0..WORD).filter(move |place| word >> place & 1 == 1).map(move |place| first + place)
    };
    (0..).step_by(WORD as usize).zip(words).flat_map(places)
}

impl<T: Hooks> Media<T> {
    /// Takes note of blocks that were filled directly: the technique is told of each, and full ones
    /// may be reclaimed.
    pub(in crate::ftl) fn take_filled(&mut self, blocks: &[BlockId]) {
        for &block in blocks {
            if let Some(chips) = &mut self.door.chips {
                chips.preset(&self.state, block);
            }
            for layer in self.technique.observers_of_mut(self.state.geometry.group_of(block)) {
                layer.preset(&self.state, block);
            }
            let units = self.state.geometry.of(block).units_per_block;
            if self.state.blocks[block].next == units {
                self.fill(block);
            }
        }
    }
}
