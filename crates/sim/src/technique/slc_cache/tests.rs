//! Which blocks are the cache's own, and which of them a domain gives up.

use super::{Observer, Phase, Placement, SlcCache, SlcCacheConfig};
use crate::drive::DriveState;
use crate::engine::Count;
use crate::ftl::Ftl;
use crate::ids::{BlockId, DomainId, Lpn, PlaneId, ScopeId};
use crate::schema::{Cell, Config, ProgramUnit};
use crate::technique::{Stack, Technique};

/// A die of two TLC planes that work together, each with blocks set aside for the cache.
fn two_planes() -> (SlcCache, DriveState) {
    let mut config = Config::default();
    (config.drive.channels, config.drive.chips_per_channel) = (1, 1);
    config.drive.over_provisioning = 1.0;
    let chip = &mut config.drive.chip;
    (chip.dies, chip.planes, chip.blocks_per_plane, chip.multi_plane) = (1, 2, 64, true);
    (chip.cell, chip.program, chip.pages_per_block) = (Cell::Tlc, ProgramUnit::OneShot, 96);
    let own = SlcCacheConfig { static_share: 0.05, ..SlcCacheConfig::default() };
    let technique = || SlcCache::new(own.clone(), &config).expect("it works on this drive");
    let ftl = Ftl::<_, Count>::new(&config, Stack::alone(technique())).expect("the drive works");
    (technique(), ftl.into_state())
}

/// The next block of a plane is in the cache, and full, with so many valid units.
fn cached(cache: &mut SlcCache, state: &mut DriveState, plane: PlaneId, valid: u32) -> BlockId {
    let block = state.take_free(plane, false).expect("it is erased");
    let site = SlcCache::site(state, block);
    for place in 0..valid {
        let lpn = Lpn(u64::from(block.0) * 8 + u64::from(place));
        let unit = state.geometry.first_unit(block).plus(place);
        state.bind(lpn, state.geometry.located(unit));
    }
    cache.blocks.begin(site, block);
    cache.blocks.keep(site, block, valid > 0);
    block
}

/// The blocks that the cache opens next, one in each plane, are its own as long as those that are set aside suffice for
/// them, too.
#[test]
fn what_opens_next_is_the_caches_own_up_to_what_is_set_aside() {
    let (mut cache, mut state) = two_planes();
    let own = cache.bounds.set_aside;
    assert!(own > 1, "{own} of each plane");
    for opened in 0..own + 2 {
        let is_beyond = cache.is_beyond_its_own(&state, ScopeId(0));
        assert_eq!(is_beyond, opened >= own, "{opened} of {own} in each plane");
        for plane in [0, 1].map(PlaneId) {
            cached(&mut cache, &mut state, plane, 1);
        }
    }
}

/// The time series shows the space of full blocks.
#[test]
fn the_series_shows_how_much_is_written() {
    let (mut cache, mut state) = two_planes();
    cache.begin(&state, Phase::Drive(state.layout.gc_stream.plus(1)));
    assert_eq!(cache.gauges(&state), [("slc_cache_mib", 0.0)]);
    for plane in [0, 1].map(PlaneId) {
        cached(&mut cache, &mut state, plane, 1);
    }
    let bytes = 2 * u64::from(cache.units.per_slc_block()) * state.geometry.unit_bytes;
    assert_eq!(cache.gauges(&state), [("slc_cache_mib", bytes as f64 / f64::from(1 << 20))]);
}

/// Planes that work together are collected apart: each gives up the block with the least data of its own.
#[test]
fn a_domain_gives_up_a_block_of_its_own() {
    let (mut cache, mut state) = two_planes();
    let first = [(0, 3), (0, 2)]
        .map(|(plane, valid)| cached(&mut cache, &mut state, PlaneId(plane), valid));
    let second = [(1, 1), (1, 4)]
        .map(|(plane, valid)| cached(&mut cache, &mut state, PlaneId(plane), valid));
    let given_up = [0, 1].map(|domain| cache.surrender(&state, DomainId(domain)));
    assert_eq!(given_up, [Some(first[1]), Some(second[0])]);
}
