//! Which logical units a fill puts into the places it chose, all planes side by side: those of a turn
//! are neighbours in the map, each line of which is then fetched and written once.

use super::Ask;
use crate::drive::{DriveState, ValidBits};
use crate::error::Error;
use crate::ids::{BlockId, Id, Lpn, PlaneId, Unit};
use crate::nand::Geometry;
use crate::util::{FastDiv, Permutation, prefetch};

/// Turns ahead of which the map's lines are asked for.
const TURNS_AHEAD: usize = 8;
/// Turns after which the set-up is asked whether it is to go on.
const ASK_TURNS: usize = 4096;
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
    pub fn of_plane(state: &DriveState, plane: PlaneId, written: u32) -> Self {
        let order = &state.layout.order;
        let visits = order.iter().zip(0..).filter(|&(&at, _)| at == plane);
        let visits: Vec<u32> = visits.map(|(_, position)| position).collect();
        let (round, visits_per_round) = (order.len() as u32, visits.len() as u32);
        let below = |end: u32| {
            let rest = visits.partition_point(|&position| position < end % round) as u32;
            end / round * visits_per_round + rest
        };
        let (all, host) = (below(state.map.count()), below(written));
        let map_from = below(state.logical_units);
        let by_visits = FastDiv::new(visits_per_round.max(1));
        let count = host + (all - map_from);
        Self { visits, by_visits, round, host, map_from, count, blocks: Vec::new() }
    }

    /// The logical unit whose turn it is.
    #[inline]
    fn lpn(&self, turn: u32) -> Lpn {
        let turn = if turn < self.host { turn } else { turn - self.host + self.map_from };
        let (rounds, visit) = self.by_visits.div_rem(turn);
        Lpn(rounds * self.round + self.visits[visit as usize])
    }

    /// The places of its blocks that are valid.
    fn units<'a>(
        &'a self,
        valid: &'a ValidBits,
        geometry: &'a Geometry,
    ) -> impl Iterator<Item = Unit> + 'a {
        let of_block = |&block: &BlockId| {
            let first = geometry.first_unit(block);
            valid.places(block).map(move |place| first.plus(place))
        };
        self.blocks.iter().flat_map(of_block)
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
    let mut turns = Vec::new();
    shares.sort_by_key(|share| share.count);
    for alike in shares.chunk_by(|a, b| a.count == b.count) {
        take_turns(&mut turns, alike[0].count, seed);
        bind(state, alike, &turns, ask)?;
    }
    Ok(())
}

/// Orders `count` units.
fn take_turns(turns: &mut Vec<u32>, count: u32, seed: Option<u64>) {
    turns.clear();
    match seed.map(|seed| Permutation::new(count, seed)) {
        Some(permutation) => turns.extend((0..count).map(|k| permutation.place(k))),
        None => turns.extend(0..count),
    }
}

fn bind(
    state: &mut DriveState,
    shares: &[Share],
    turns: &[u32],
    ask: Ask<'_>,
) -> Result<(), Error> {
    let DriveState { map, reverse, valid, geometry, .. } = state;
    let mut places: Vec<_> = shares.iter().map(|share| share.units(valid, geometry)).collect();
    for (k, &turn) in turns.iter().enumerate() {
        if k.is_multiple_of(ASK_TURNS) {
            ask()?;
        }
        if let Some(&ahead) = turns.get(k + TURNS_AHEAD) {
            for share in shares.iter().step_by(ENTRIES_PER_LINE) {
                prefetch(map.as_slice(), share.lpn(ahead).index());
            }
        }
        for (share, places) in shares.iter().zip(&mut places) {
            let Some(unit) = places.next() else { continue };
            let lpn = share.lpn(turn);
            map[lpn] = unit;
            reverse[unit] = lpn;
        }
    }
    Ok(())
}
