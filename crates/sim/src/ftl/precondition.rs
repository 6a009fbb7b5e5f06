//! The state before the first request: set directly, never replayed, so that its cost does not
//! depend on how long a drive takes to get there.

use super::Ftl;
use super::Io;
use super::fill::Fill;
use super::valid::{dense, quantiles, round_to_total, settle, shuffle};
use crate::drive::{DriveState, Filling, Taken};
use crate::engine::Count;
use crate::metrics::Counters;
use crate::nand::BlockState;
use crate::policy::hotness::HostWrite;
use crate::schema::Config;
use crate::technique::Technique;
use crate::theory::{Cleaning, Profile, fifo_valid_share_by_age, profile};
use crate::util::{NONE, Permutation, Rng, prefetch};
use serde::Serialize;

/// Victims that the verification of a steady state aims at.
const VERIFY_VICTIMS: f64 = 400.0;
/// Writes, and units programmed for them, that it takes at most.
const VERIFY_WRITES_MAX: f64 = 4e6;
const VERIFY_PROGRAMS_MAX: u64 = 10_000_000;

/// Requests of a sequential fill that is written as the host writes.
const FILL_BYTES: u64 = 1 << 20;

/// Units ahead of which the map's entry is asked for.
const MAP_AHEAD: usize = 32;

/// What preconditioning did.
#[derive(Debug, Clone, Serialize)]
pub struct Preconditioning {
    /// The pattern.
    pub pattern: String,
    /// Share of the logical space that was written.
    pub fill: f64,
    /// The closed form's write amplification, where a steady state was set.
    pub expected_write_amplification: Option<f64>,
    /// That of a short run of uniform writes from there.
    pub verified_write_amplification: Option<f64>,
    /// Writes of that run.
    pub verified_writes: u64,
}

/// Brings an empty drive into the state that `config` asks for.
pub fn precondition<T: Technique>(config: &Config, ftl: &mut Ftl<T, Count>) -> Preconditioning {
    let wanted = &config.precondition;
    let mut report = Preconditioning {
        pattern: wanted.pattern.clone(),
        fill: wanted.fill,
        expected_write_amplification: None,
        verified_write_amplification: None,
        verified_writes: 0,
    };
    if wanted.pattern == "none" || wanted.fill == 0.0 {
        return report;
    }
    let cleaning = (wanted.pattern == "steady").then(|| closest_cleaning(config));
    if cleaning.is_none() && ftl.technique.places_fill() {
        Filler::new(config, &ftl.state, cleaning).fill_as_the_host(config, ftl);
        return report;
    }
    let fill = fill(config, &mut ftl.state, cleaning);
    ftl.take_filled(&fill.blocks);
    if let Some(expected) = fill.expected {
        report.expected_write_amplification = Some(expected);
        let (measured, writes) = verify(config, ftl, fill.written, expected);
        report.verified_write_amplification = measured;
        report.verified_writes = writes;
    }
    report
}

/// Fills an empty drive directly.
fn fill(config: &Config, state: &mut DriveState, cleaning: Option<Cleaning>) -> Fill {
    let mut filler = Filler::new(config, state, cleaning);
    for plane in 0..state.geometry.planes() {
        filler.fill_plane(state, plane);
    }
    Fill { expected: filler.expected(), written: filler.written, blocks: filler.blocks }
}

/// The policy with a closed form that is closest to the chosen one.
fn closest_cleaning(config: &Config) -> Cleaning {
    match config.ftl.gc.policy.as_str() {
        "fifo" => Cleaning::Fifo,
        "random" => Cleaning::Random,
        "d_choices" => Cleaning::DChoices(config.ftl.gc.d.min(u64::from(u32::MAX)) as u32),
        _ => Cleaning::Greedy,
    }
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
    /// Write amplification summed over the units to which it applies, and these units.
    expected: (f64, f64),
    /// The blocks that hold data, in the order in which they got it.
    blocks: Vec<u32>,
}

impl Filler {
    fn new(config: &Config, state: &DriveState, cleaning: Option<Cleaning>) -> Self {
        let logical = state.logical_units;
        Self {
            cleaning,
            sequential: config.precondition.pattern == "sequential",
            seed: config.run.seed,
            rng: Rng::new(config.run.seed, "precondition"),
            written: (config.precondition.fill * f64::from(logical)).round() as u32,
            profile: None,
            expected: (0.0, 0.0),
            blocks: Vec::new(),
        }
    }

    /// The write amplification to expect: that of the planes, by their share of the data.
    fn expected(&self) -> Option<f64> {
        let (sum, units) = self.expected;
        (units > 0.0).then(|| sum / units)
    }

    /// Writes the units one by one, so that the technique can say where each goes: in requests of a
    /// mebibyte when sequential, otherwise of a unit. Erases on the way leave no wear.
    fn fill_as_the_host<T: Technique>(&self, config: &Config, ftl: &mut Ftl<T, Count>) {
        let mut io = Io::new(Count::default());
        ftl.settings.wears = false;
        let unit_bytes = ftl.state.geometry.unit_bytes;
        let units = if self.sequential { (FILL_BYTES / unit_bytes).max(1) as u32 } else { 1 };
        let permutation = Permutation::new(self.written, self.seed);
        for k in 0..self.written {
            let lpn = if self.sequential { k } else { permutation.place(k) };
            let first = lpn / units * units;
            let length = units.min(self.written - first);
            let write = HostWrite {
                lpn,
                request: u64::from(k / units),
                request_offset_bytes: u64::from(first) * unit_bytes,
                request_bytes: (u64::from(length) * unit_bytes) as u32,
                now_ns: 0,
                parity: false,
            };
            if !ftl.write_host(&mut io, &write, (), None) {
                break;
            }
        }
        ftl.end_all_programs(&mut io);
        ftl.forget_wear(config);
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
    fn logical_units_of(&self, state: &DriveState, plane: u32) -> Vec<u32> {
        let order = &state.layout.order;
        let turns = order.iter().zip(0..).filter(|&(&at, _)| at == plane);
        let turns: Vec<u32> = turns.map(|(_, position)| position).collect();
        let (round, turns_per_round) = (order.len() as u32, turns.len() as u32);
        let below = |end: u32| {
            let rest = turns.partition_point(|&position| position < end % round) as u32;
            end / round * turns_per_round + rest
        };
        let (all, host) = (below(state.map.len() as u32), below(self.written));
        let map_from = below(state.logical_units);
        let count = host + (all - map_from);
        let permutation = Permutation::new(count, self.seed);
        let place = |k: u32| {
            let k = if self.sequential { k } else { permutation.place(k) };
            let k = if k < host { k } else { k - host + map_from };
            k / turns_per_round * round + turns[(k % turns_per_round) as usize]
        };
        (0..count).map(place).collect()
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
        let kept = filling.reserve.div_ceil(filling.domain_planes)
            + (layout.streams * filling.lanes).div_ceil(filling.scope_planes);
        let full = good.saturating_sub(kept);
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
        let mut left = here.len() as u32;
        for place in 0..units_per_block {
            let chosen = !scattered || self.rng.below(units_per_block - place) < left;
            if left == 0 || !chosen {
                continue;
            }
            let next = here.len() - left as usize;
            if let Some(&ahead) = lpns.get(next + MAP_AHEAD) {
                prefetch(&state.map, ahead as usize);
            }
            state.bind(here[next], Taken { unit: first + place, block, place });
            left -= 1;
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
}

/// Write amplification of a short run of uniform writes, and their number: counted once GC has come to
/// as many blocks as there are planes, for what opens a block at first needs no GC.
fn verify<T: Technique>(
    config: &Config,
    ftl: &mut Ftl<T, Count>,
    written: u32,
    expected: f64,
) -> (Option<f64>, u64) {
    let mut io = Io::new(Count::default());
    ftl.settings.wears = false;
    let mut rng = Rng::new(config.run.seed, "verify");
    let geometry = &ftl.state.geometry;
    let (units, planes) = (geometry.units() as f64, u64::from(geometry.planes()));
    let victims = VERIFY_VICTIMS.max(2.0 * planes as f64);
    let writes = victims * units / f64::from(geometry.blocks()) / expected;
    let writes = writes.clamp(1.0, VERIFY_WRITES_MAX) as u64;
    let mut request = 0;
    // The number of the next write, as long as there may be one.
    let mut next = |counters: &Counters| {
        request += 1;
        let more = request <= VERIFY_WRITES_MAX as u64;
        (more && counters.units_programmed() < VERIFY_PROGRAMS_MAX).then_some(request - 1)
    };
    while io.counters.gc_count < planes {
        let Some(request) = next(&io.counters) else { break };
        write_uniformly(ftl, &mut io, rng.below(written), request);
    }
    io.counters = Counters::default();
    while io.counters.host_units < writes {
        let Some(request) = next(&io.counters) else { break };
        write_uniformly(ftl, &mut io, rng.below(written), request);
    }
    let measured = io.counters.write_amplification();
    ftl.end_all_programs(&mut io);
    ftl.forget_wear(config);
    (measured, io.counters.host_units)
}

/// Writes a unit again that holds data.
fn write_uniformly<T: Technique>(
    ftl: &mut Ftl<T, Count>,
    io: &mut Io<Count>,
    lpn: u32,
    request: u64,
) {
    let unit_bytes = ftl.state.geometry.unit_bytes;
    let write = HostWrite {
        lpn,
        request,
        request_offset_bytes: u64::from(lpn) * unit_bytes,
        request_bytes: unit_bytes as u32,
        now_ns: 0,
        parity: false,
    };
    if ftl.state.unit_of(lpn) != NONE {
        ftl.write_host(io, &write, (), None);
    }
}
