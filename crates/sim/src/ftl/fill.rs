//! Data put into an empty drive directly, block by block, at the cost of a few memory accesses a unit.

use super::Ftl;
use super::valid::{dense, quantiles, round_to_total, settle, shuffle};
use crate::drive::{DriveState, Filling, Taken};
use crate::engine::Scheduler;
use crate::nand::BlockState;
use crate::schema::Config;
use crate::technique::Technique;
use crate::theory::{Cleaning, Profile, fifo_valid_share_by_age, profile};
use crate::util::{FastDiv, Permutation, Rng, prefetch};

/// Units ahead of which the map's entry is asked for.
const MAP_AHEAD: usize = 32;

/// What a fill is known by, besides what it left in the drive.
#[derive(Debug)]
pub(super) struct Fill {
    /// The closed form's write amplification, where a steady state was set.
    pub expected: Option<f64>,
    /// Logical units of the host that are written, the first ones where a steady state was set.
    pub written: u32,
    /// The blocks that hold data, in the order in which they got it.
    pub blocks: Vec<u32>,
}

/// Logical units of the host that a fill writes.
pub(super) fn written_units(config: &Config, state: &DriveState) -> u32 {
    (config.precondition.fill * f64::from(state.logical_units)).round() as u32
}

/// Fills an empty drive directly: densely, or to the steady state of a policy.
pub(super) fn fill(config: &Config, state: &mut DriveState, cleaning: Option<Cleaning>) -> Fill {
    let mut filler = Filler::new(config, state, cleaning);
    for plane in 0..state.geometry.planes() {
        filler.fill_plane(state, plane);
    }
    Fill { expected: filler.expected(), written: filler.written, blocks: filler.blocks }
}

/// Puts data into the blocks of a drive.
struct Filler {
    cleaning: Option<Cleaning>,
    sequential: bool,
    seed: u64,
    rng: Rng,
    /// Logical units of the host that are written, the first ones when sequential or steady.
    written: u32,
    /// The last profile, by (full blocks, units, units of a block): planes of a kind are alike but for
    /// their bad blocks.
    profile: Option<((u32, u32, u32), Profile)>,
    /// The order in which the units of a plane are put there, of as many as the last plane had.
    turns: Vec<u32>,
    /// Places of the block at hand that get data.
    places: Vec<u32>,
    /// Write amplification summed over the units to which it applies, and these units.
    expected: (f64, f64),
    /// The blocks that hold data, in the order in which they got it.
    blocks: Vec<u32>,
}

impl Filler {
    fn new(config: &Config, state: &DriveState, cleaning: Option<Cleaning>) -> Self {
        Self {
            cleaning,
            sequential: config.precondition.pattern == "sequential",
            seed: config.run.seed,
            rng: Rng::new(config.run.seed, "precondition"),
            written: written_units(config, state),
            profile: None,
            turns: Vec::new(),
            places: Vec::new(),
            expected: (0.0, 0.0),
            blocks: Vec::new(),
        }
    }

    /// The write amplification to expect: that of the planes, by their share of the data.
    fn expected(&self) -> Option<f64> {
        let (sum, units) = self.expected;
        (units > 0.0).then(|| sum / units)
    }

    fn fill_plane(&mut self, state: &mut DriveState, plane: u32) {
        let lpns = self.logical_units_of(state, plane);
        let geometry = &state.geometry;
        let units_per_block = geometry.groups[geometry.group_of_plane(plane)].units_per_block;
        let counts = match self.cleaning {
            None => dense(lpns.len() as u32, units_per_block),
            Some(cleaning) => self.steady(state, plane, cleaning, lpns.len() as u32),
        };
        let mut lpns = lpns.as_slice();
        for valid in counts {
            let Some(block) = state.take_free(plane, false) else { break };
            lpns = self.fill_block(state, plane, block, valid, lpns);
        }
    }

    /// The logical units that go to a plane, in the order in which they are put there.
    fn logical_units_of(&mut self, state: &DriveState, plane: u32) -> Vec<u32> {
        let order = &state.layout.order;
        let visits = order.iter().zip(0..).filter(|&(&at, _)| at == plane);
        let visits: Vec<u32> = visits.map(|(_, position)| position).collect();
        let (round, visits_per_round) = (order.len() as u32, visits.len() as u32);
        let below = |end: u32| {
            let rest = visits.partition_point(|&position| position < end % round) as u32;
            end / round * visits_per_round + rest
        };
        let (all, host) = (below(state.map.len() as u32), below(self.written));
        let map_from = below(state.logical_units);
        self.take_turns(host + (all - map_from));
        let by_visits = FastDiv::new(visits_per_round.max(1));
        let place = |&turn: &u32| {
            let (rounds, visit) =
                by_visits.div_rem(if turn < host { turn } else { turn - host + map_from });
            rounds * round + visits[visit as usize]
        };
        self.turns.iter().map(place).collect()
    }

    /// Orders the `count` units of a plane.
    fn take_turns(&mut self, count: u32) {
        if self.turns.len() == count as usize {
            return;
        }
        let permutation = Permutation::new(count, self.seed);
        let turn = |k| if self.sequential { k } else { permutation.place(k) };
        self.turns.clear();
        self.turns.extend((0..count).map(turn));
    }

    /// Valid units of each full block of a plane in steady state, in the order of their age.
    fn steady(
        &mut self,
        state: &DriveState,
        plane: u32,
        cleaning: Cleaning,
        units: u32,
    ) -> Vec<u32> {
        let layout = &state.layout;
        let good = state.free[plane as usize].len() as u32;
        let filling = layout.of_domain(layout.domain_of(plane));
        let units_per_block = filling.usable_units;
        let reserve = filling.reserve.div_ceil(filling.domain_planes);
        let open = (layout.streams * filling.lanes).div_ceil(filling.scope_planes);
        let kept = filling.kept(u64::from(reserve), u64::from(open));
        let full = good.saturating_sub(kept as u32);
        if u64::from(units) >= u64::from(full) * u64::from(units_per_block) {
            return dense(units, units_per_block);
        }
        let alpha = f64::from(full) * f64::from(units_per_block) / f64::from(units);
        let shape = (full, units, units_per_block);
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
                let valid = |block: u32| {
                    let age = 1.0 - (f64::from(block) + 0.5) / f64::from(full);
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
        settle(&mut counts, units, units_per_block);
        counts
    }

    /// Puts `valid` units into a block: in a dense fill without gaps, otherwise at random places of
    /// a full one. Returns the logical units that are left.
    fn fill_block<'a>(
        &mut self,
        state: &mut DriveState,
        plane: u32,
        block: u32,
        valid: u32,
        lpns: &'a [u32],
    ) -> &'a [u32] {
        let group = state.geometry.group_of(block);
        let units_per_block = state.geometry.groups[group].units_per_block;
        let first = state.geometry.first_unit(block);
        let scattered = self.cleaning.is_some();
        let (here, rest) = lpns.split_at(lpns.len().min(valid as usize));
        self.choose_places(here.len() as u32, units_per_block);
        for (k, (&lpn, &place)) in here.iter().zip(&self.places).enumerate() {
            if let Some(&ahead) = lpns.get(k + MAP_AHEAD) {
                prefetch(&state.map, ahead as usize);
            }
            state.bind(lpn, Taken { unit: first + place, block, place });
        }
        let Filling { shape, scope_planes, .. } = state.layout.fillings[group];
        let at_start = valid.is_multiple_of(shape.step) && scope_planes == 1;
        if !scattered && valid < units_per_block && at_start {
            let point = state.point_of(state.layout.scope_of(plane), 0);
            state.points[point as usize].open(&[block], shape, valid, &state.geometry);
            let entry = &mut state.blocks[block as usize];
            (entry.state, entry.next, entry.before) = (BlockState::Open, valid, point);
        } else {
            let coldest = state.layout.gc_stream as u8;
            let entry = &mut state.blocks[block as usize];
            (entry.state, entry.next, entry.stream) = (BlockState::Open, units_per_block, coldest);
        }
        self.blocks.push(block);
        rest
    }

    /// Chooses `count` of the places of a block: the first ones of a dense fill, otherwise any (selection
    /// sampling, without a branch that could be guessed wrongly).
    fn choose_places(&mut self, count: u32, units_per_block: u32) {
        self.places.clear();
        if self.cleaning.is_none() {
            self.places.extend(0..count);
            return;
        }
        self.places.resize(units_per_block as usize + 1, 0);
        let mut chosen = 0;
        for place in 0..units_per_block {
            self.places[chosen as usize] = place;
            chosen += u32::from(self.rng.below(units_per_block - place) < count - chosen);
        }
        self.places.truncate(chosen as usize);
    }
}

impl<T: Technique, S: Scheduler> Ftl<T, S> {
    /// Takes note of blocks that were filled directly: the technique is told of each, and full ones
    /// may be reclaimed.
    pub(super) fn take_filled(&mut self, blocks: &[u32]) {
        for &block in blocks {
            self.technique.preset(&self.state, block);
            let units = self.state.geometry.of(block).units_per_block;
            if self.state.blocks[block as usize].next == units {
                self.fill(block);
            }
        }
    }
}
