//! The static orders in which writes visit the planes of a drive.

use crate::ids::{ById, DieId, PlaneId};
use crate::nand::Geometry;
use crate::schema::Allocation;

/// A drive of several kinds of flash: turns of a plane of the largest kind in a round. The share of
/// a smaller one is right to half a turn.
const TURNS: f64 = 256.0;

/// The planes in the order of `allocation`, one round. `dynamic` gives them by number: where data is put
/// without anyone having written it. In a drive of several kinds of flash each plane has turns in
/// proportion to its units, evenly spread over the round.
pub fn plane_order(allocation: Allocation, geometry: &Geometry) -> Vec<PlaneId> {
    let mut planes: Vec<PlaneId> = geometry.planes().into_iter().collect();
    if allocation != Allocation::Dynamic {
        planes.sort_by_cached_key(|&plane| coordinates(allocation, geometry, plane));
    }
    if geometry.is_mixed() { weighted(&planes, geometry) } else { planes }
}

/// The planes with their dies in the order of `allocation`, where those of a die take turns block by block: how a
/// leaves them if planes are chosen as data comes.
pub fn block_order(allocation: Allocation, geometry: &Geometry) -> Vec<PlaneId> {
    let pages = plane_order(allocation, geometry);
    let mut met: ById<DieId, Vec<PlaneId>> = ById::filled(Vec::new(), geometry.dies().count());
    for &plane in &pages {
        met[geometry.die_of(plane)].push(plane);
    }
    let mut visits = ById::filled(0, met.count());
    let blocks = geometry.groups.iter().map(|group| group.units_per_block as usize);
    let rounds = blocks.max().unwrap_or(1);
    let mut order = Vec::with_capacity(pages.len() * rounds);
    for _ in 0..rounds {
        for &plane in &pages {
            let die = geometry.die_of(plane);
            let units_per_block = geometry.groups[geometry.group_of_plane(plane)].units_per_block;
            let turn = visits[die] / units_per_block as usize % met[die].len();
            order.push(met[die][turn]);
            visits[die] += 1;
        }
    }
    order
}

/// Where a plane is, slowest letter first.
fn coordinates(allocation: Allocation, geometry: &Geometry, plane: PlaneId) -> [u32; 4] {
    let site = geometry.site(geometry.die_of(plane));
    let group = &geometry.groups[geometry.group_of_plane(plane)];
    let mut at = [0; 4];
    for (place, letter) in at.iter_mut().zip(allocation.name().chars().rev()) {
        *place = match letter {
            'C' => site.channel,
            'W' => site.way,
            'D' => site.die,
            _ => group.planes.place_of(plane) % group.planes_per_die,
        };
    }
    at
}

/// Each plane as often as its units ask; its turns lie evenly in the round.
fn weighted(planes: &[PlaneId], geometry: &Geometry) -> Vec<PlaneId> {
    let units = |plane: PlaneId| {
        let group = &geometry.groups[geometry.group_of_plane(plane)];
        f64::from(group.blocks_per_plane) * f64::from(group.units_per_block)
    };
    let most = planes.iter().map(|&plane| units(plane)).fold(0.0, f64::max);
    let mut turns: Vec<(f64, PlaneId)> = Vec::new();
    for &plane in planes {
        let count = (units(plane) / most * TURNS).round().max(1.0);
        turns.extend((0..count as u32).map(|turn| ((f64::from(turn) + 0.5) / count, plane)));
    }
    turns.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    turns.into_iter().map(|(_, plane)| plane).collect()
}
