//! Which logical units a fill puts into the places it chose, all planes side by side: those of a turn
//! are neighbours in the map, each line of which is then fetched and written once.

use crate::drive::{DriveState, ValidBits};
use crate::error::Error;
use crate::ftl::Ask;
use crate::ids::{BlockId, Lpn, Packed, PlaneId, Unit};
use crate::nand::Geometry;
use crate::util::{FastDiv, Permutation};
use std::sync::mpsc::sync_channel;
use std::thread;

/// Turns ahead of which the map's lines are asked for.
const TURNS_AHEAD: usize = 8;
/// Units, of all planes together, whose places are looked up before they are bound: few enough for the first cache.
const AT_ONCE: usize = 4096;
/// Units after which the set-up is asked whether it is to go on.
const ASK_UNITS: usize = 1 << 17;
/// Turns of which another thread works out the rounds, and how many it hands over at a time, and is ahead by.
const MANY_TURNS: u32 = 1 << 18;
const CHUNK_TURNS: usize = 1 << 13;
const CHUNKS_AHEAD: usize = 4;
/// Entries of the map in a line of the cache.
const ENTRIES_PER_LINE: usize = 16;

/// Where in the map the round of a turn begins, and the visit of the planes in it.
type Turn = (Lpn, usize);

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

    /// What a turn is.
    #[inline]
    fn round_of(&self, turn: u32) -> Turn {
        let turn = if turn < self.host { turn } else { turn - self.host + self.map_from };
        let (rounds, visit) = self.by_visits.div_rem(turn.into());
        (Lpn(rounds * u64::from(self.round)), visit as usize)
    }

    /// Whether the same turn of two planes is the same visit of the same round.
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
    /// The next ones, `count` of them if so many are left, each with its number among these.
    #[inline(always)]
    fn take(&mut self, count: usize, mut each: impl FnMut(usize, Unit)) {
        let mut taken = 0;
        loop {
            let (first, mut bits) = (self.first, self.bits);
            while bits != 0 && taken < count {
                each(taken, first.plus(bits.trailing_zeros()));
                bits &= bits - 1;
                taken += 1;
            }
            self.bits = bits;
            if taken == count || !self.next_word() {
                return;
            }
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
    // Of those in step, neighbours in a round are neighbours here.
    shares.sort_by_key(|share| (share.count, share.visits.first().copied()));
    for alike in shares.chunk_by(Share::is_in_step) {
        with_turns(&alike[0], seed, |turns| match state.map.is_wide() {
            true => bind::<true>(state, alike, turns, ask),
            false => bind::<false>(state, alike, turns, ask),
        })?;
    }
    Ok(())
}

/// Does some work with `share`'s turns. Another thread works many of them out ahead, if there can be one: they follow
/// from nothing that happens meanwhile.
fn with_turns<R>(
    share: &Share,
    seed: Option<u64>,
    work: impl FnOnce(&mut dyn Iterator<Item = Turn>) -> R,
) -> R {
    if share.count < MANY_TURNS {
        return work(&mut turns(share, seed));
    }
    thread::scope(|scope| {
        let (give, take) = sync_channel(CHUNKS_AHEAD);
        let work_out = move || {
            let mut turns = turns(share, seed);
            // They are wanted no more where the set-up was told to end.
            while give.send(turns.by_ref().take(CHUNK_TURNS).collect::<Vec<_>>()).is_ok() {}
        };
        match thread::Builder::new().spawn_scoped(scope, work_out) {
            Ok(_) => work(&mut take.into_iter().take_while(|chunk| !chunk.is_empty()).flatten()),
            Err(_) => work(&mut turns(share, seed)),
        }
    })
}

/// The rounds and visits of `share`'s units, turn by turn.
fn turns(share: &Share, seed: Option<u64>) -> impl Iterator<Item = Turn> + '_ {
    let permutation = seed.map(|seed| Permutation::new(share.count.into(), seed));
    (0..share.count).map(move |turn| {
        let place = |permutation: &Permutation| permutation.place(turn.into()) as u32;
        share.round_of(permutation.as_ref().map_or(turn, place))
    })
}

/// Binds the units of planes that are in step, some turns at a time: plane by plane to their places, and turn by turn
/// to the map's lines.
fn bind<const WIDE: bool>(
    state: &mut DriveState,
    shares: &[Share],
    turns: &mut dyn Iterator<Item = Turn>,
    ask: Ask<'_>,
) -> Result<(), Error> {
    let DriveState { map, reverse, valid, geometry, .. } = state;
    let planes = shares.len();
    let visits: Vec<Visit> =
        (0..shares[0].visits.len()).map(|visit| Visit::new(shares, visit)).collect();
    let mut places: Vec<_> = shares.iter().map(|share| share.places(valid, geometry)).collect();
    let at_once = (AT_ONCE / planes).max(1);
    // The turns at hand, and behind them those of which the map's lines are asked for.
    let (mut window, mut bound) = (Vec::new(), 0);
    let (mut units, mut asked) = (Vec::new(), ASK_UNITS);
    loop {
        window.drain(..bound);
        window.extend((&mut *turns).take(at_once + TURNS_AHEAD - window.len()));
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
        for (plane, (places, share)) in places.iter_mut().zip(shares).enumerate() {
            let turns = &window[..bound];
            places.take(bound, |turn, unit| {
                let (round, visit) = turns[turn];
                reverse.put::<WIDE>(unit, round.plus(share.visits[visit]));
                units[turn * planes + plane] = unit;
            });
        }
        for (turn, units) in units.chunks_exact(planes).enumerate() {
            if let Some(&(round, visit)) = window.get(turn + TURNS_AHEAD) {
                visits[visit].prefetch(map, round);
            }
            let (round, visit) = window[turn];
            visits[visit].bind::<WIDE>(map, round, units);
        }
    }
}

/// The positions in a round of the planes that are in step, of one visit to each.
struct Visit {
    positions: Vec<u32>,
    /// Whether they follow one another.
    is_run: bool,
}

impl Visit {
    fn new(shares: &[Share], visit: usize) -> Self {
        let positions: Vec<u32> = shares.iter().map(|share| share.visits[visit]).collect();
        let is_run = positions.is_sorted_by(|one, next| one + 1 == *next);
        Self { positions, is_run }
    }

    fn prefetch(&self, map: &Packed<Lpn, Unit>, round: Lpn) {
        for &position in self.positions.iter().step_by(ENTRIES_PER_LINE) {
            map.prefetch(round.plus(position));
        }
    }

    /// The map's lines of a round get these units, as far as there are any; they have none so far.
    #[inline]
    fn bind<const WIDE: bool>(&self, map: &mut Packed<Lpn, Unit>, round: Lpn, units: &[Unit]) {
        if self.is_run {
            return map.put_all::<WIDE>(round.plus(self.positions[0]), units);
        }
        for (&unit, &position) in units.iter().zip(&self.positions) {
            if unit.is_some() {
                map.put::<WIDE>(round.plus(position), unit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two planes that take turns, of which the first has so many units.
    fn share(count: u32) -> Share {
        Share {
            visits: vec![0, 3],
            by_visits: FastDiv::new(2),
            round: 4,
            host: count - 7,
            map_from: count + 5,
            count,
            blocks: Vec::new(),
        }
    }

    #[test]
    fn another_thread_works_out_the_same_turns() {
        for count in [1000, MANY_TURNS, MANY_TURNS + 12_345] {
            for seed in [None, Some(7)] {
                let share = share(count);
                let ahead: Vec<Turn> = with_turns(&share, seed, |turns| turns.collect());
                assert!(
                    ahead == turns(&share, seed).collect::<Vec<_>>(),
                    "{count} turns, {seed:?}"
                );
            }
        }
    }

    #[test]
    fn a_set_up_that_was_told_to_end_waits_for_no_turns() {
        let share = share(1 << 30);
        let begun = with_turns(&share, Some(1), |turns| turns.take(3).count());
        assert_eq!(begun, 3);
    }
}
