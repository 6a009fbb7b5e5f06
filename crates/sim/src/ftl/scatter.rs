//! Which logical units a fill puts into the places it chose, all planes side by side: those of a turn
//! are neighbours in the map, each line of which is then fetched and written once.

use super::Ask;
use crate::drive::{DriveState, ValidBits};
use crate::error::Error;
use crate::ids::{BlockId, Lpn, PlaneId, Unit};
use crate::nand::Geometry;
use crate::util::{FastDiv, Permutation};

/// Turns ahead of which the map's lines are asked for.
const TURNS_AHEAD: usize = 8;
/// Units, of all planes together, whose places are looked up before they are bound: few enough for the first cache.
const AT_ONCE: usize = 4096;
/// Units after which the set-up is asked whether it is to go on.
const ASK_UNITS: usize = 1 << 17;
/// Entries of the map in a line of the cache.
const ENTRIES_PER_LINE: usize = 16;

/// The logical units that go to a plane, and where.
pub(super) struct Share {
    /// The plane's positions in a round of the layout.
    visits: Vec<u32>,
    by_visits: FastDiv,
    round: u32,
    /// Units of the host among them; the others hold the map.
    host: u32,
    /// The plane's units below those that hold the map.
    map_from: u32,
    /// How many there are.
    pub count: u32,
    /// The blocks that get them, in turn.
    pub blocks: Vec<BlockId>,
}

impl Share {
    /// The units that go to `plane` where the host has written the first `written`.
    pub fn of_plane(state: &DriveState, plane: PlaneId, written: u64) -> Self {
        let order = &state.layout.order;
        let visits = order.iter().zip(0..).filter(|&(&at, _)| at == plane);
        let visits: Vec<u32> = visits.map(|(_, position)| position).collect();
        let (round, visits_per_round) = (order.len() as u32, visits.len() as u32);
        let below = |end: u64| {
            let (rounds, rest) = (end / u64::from(round), (end % u64::from(round)) as u32);
            let rest = visits.partition_point(|&position| position < rest) as u32;
            rounds as u32 * visits_per_round + rest
        };
        let (all, host) = (below(state.map.count()), below(written));
        let map_from = below(state.logical_units);
        let by_visits = FastDiv::new(visits_per_round.max(1));
        let count = host + (all - map_from);
        Self { visits, by_visits, round, host, map_from, count, blocks: Vec::new() }
    }

    /// Where in the map the round begins to which a turn belongs, and the visit of the plane in it.
    #[inline]
    fn round_of(&self, turn: u32) -> (Lpn, usize) {
        let turn = if turn < self.host { turn } else { turn - self.host + self.map_from };
        let (rounds, visit) = self.by_visits.div_rem(turn.into());
        (Lpn(rounds * u64::from(self.round)), visit as usize)
    }

    /// True where the same turn of two planes is the same visit of the same round.
    fn is_in_step(&self, other: &Self) -> bool {
        let of = |share: &Self| (share.count, share.visits.len(), share.host, share.map_from);
        of(self) == of(other)
    }

    /// The places of its blocks that are valid.
    fn places<'a>(&'a self, valid: &'a ValidBits, geometry: &'a Geometry) -> Places<'a> {
        let (blocks, words) = (self.blocks.iter(), [].iter());
        Places { valid, geometry, blocks, words, bits: 0, first: Unit::NONE }
    }
}

/// Valid places, block by block, and within one in order.
struct Places<'a> {
    valid: &'a ValidBits,
    geometry: &'a Geometry,
    blocks: std::slice::Iter<'a, BlockId>,
    /// Of the block at hand, the bits that are left: of the word at hand, and those behind it.
    bits: u64,
    words: std::slice::Iter<'a, u64>,
    /// The unit of the first bit of the word at hand.
    first: Unit,
}

impl Places<'_> {
    /// The next ones, each for one of `units`; those that are left over stay as they are.
    fn take<'u>(&mut self, units: impl Iterator<Item = &'u mut Unit>) {
        for unit in units {
            while self.bits == 0 {
                if !self.next_word() {
                    return;
                }
            }
            *unit = self.first.plus(self.bits.trailing_zeros());
            self.bits &= self.bits - 1;
        }
    }

    fn next_word(&mut self) -> bool {
        if let Some(&bits) = self.words.next() {
            (self.bits, self.first) = (bits, self.first.plus(u64::BITS));
            return true;
        }
        let Some(&block) = self.blocks.next() else { return false };
        let (&bits, words) = self.valid.words(block).split_first().expect("a block has units");
        (self.bits, self.words) = (bits, words.iter());
        self.first = self.geometry.first_unit(block);
        true
    }
}

/// Binds the logical units of each plane to the valid places of its blocks: in the order of their
/// numbers, or of a permutation that `seed` names.
pub(super) fn scatter(
    state: &mut DriveState,
    mut shares: Vec<Share>,
    seed: Option<u64>,
    ask: Ask<'_>,
) -> Result<(), Error> {
    shares.sort_by_key(|share| share.count);
    for alike in shares.chunk_by(Share::is_in_step) {
        bind(state, alike, seed, ask)?;
    }
    Ok(())
}

/// The rounds and visits of `share`'s units, turn by turn.
fn turns(share: &Share, seed: Option<u64>) -> impl Iterator<Item = (Lpn, usize)> + '_ {
    let permutation = seed.map(|seed| Permutation::new(share.count.into(), seed));
    (0..share.count).map(move |turn| {
        let place = |permutation: &Permutation| permutation.place(turn.into()) as u32;
        share.round_of(permutation.as_ref().map_or(turn, place))
    })
}

/// Binds the units of planes that are in step: turn by turn, and in each of them plane by plane.
fn bind(
    state: &mut DriveState,
    shares: &[Share],
    seed: Option<u64>,
    ask: Ask<'_>,
) -> Result<(), Error> {
    let DriveState { map, reverse, valid, geometry, .. } = state;
    let planes = shares.len();
    let visits: Vec<Vec<u32>> = (0..shares[0].visits.len())
        .map(|visit| shares.iter().map(|share| share.visits[visit]).collect())
        .collect();
    let mut places: Vec<_> = shares.iter().map(|share| share.places(valid, geometry)).collect();
    let at_once = (AT_ONCE / planes).max(1);
    // The turns at hand, and behind them those of which the map's lines are asked for.
    let mut turns = turns(&shares[0], seed);
    let (mut window, mut bound) = (Vec::new(), 0);
    let (mut units, mut asked) = (Vec::new(), ASK_UNITS);
    loop {
        window.drain(..bound);
        window.extend(turns.by_ref().take(at_once + TURNS_AHEAD - window.len()));
        bound = window.len().min(at_once);
        if bound == 0 {
            return Ok(());
        }
        asked += bound * planes;
        if asked >= ASK_UNITS {
            ask()?;
            asked = 0;
        }
        units.clear();
        units.resize(bound * planes, Unit::NONE);
        for (plane, places) in places.iter_mut().enumerate() {
            places.take(units[plane..].iter_mut().step_by(planes));
        }
        for (turn, units) in units.chunks_exact(planes).enumerate() {
            if let Some(&(round, visit)) = window.get(turn + TURNS_AHEAD) {
                for &position in visits[visit].iter().step_by(ENTRIES_PER_LINE) {
                    map.prefetch(round.plus(position));
                }
            }
            let (round, visit) = window[turn];
            for (&unit, &position) in units.iter().zip(&visits[visit]) {
                if unit.is_some() {
                    let lpn = round.plus(position);
                    map.set(lpn, unit);
                    reverse.set(unit, lpn);
                }
            }
        }
    }
}
