//! What cannot be seen from outside: wear levelling asks for room where it will put the data; every way
//! in which the maps can be wrong is found.

use super::origin::Room;
use super::{Ftl, Io};
use crate::drive::Shape;
use crate::engine::Count;
use crate::ids::{BlockId, DomainId, Lpn, PlaneId, ScopeId, StreamId, Unit};
use crate::nand::Located;
use crate::nand::command::Cause;
use crate::nand::{BlockState, Geometry};
use crate::schema::{Cell, Config, GcCounts, GcMode, GroupConfig, GroupScheme, WearChoice};
use crate::technique::Conventional;

/// Units of a block, and the valid ones of the block that has been spared.
const UNITS: u32 = 8;
const SPARED: u32 = 4;

/// A plane without erased blocks: block 0 is full and was spared, block 1 is GC's and block 2 that of
/// wear levelling, with so much room left; the others are out of use.
fn plane(gc_room: u32, wear_room: u32) -> Ftl<Conventional, Count> {
    let mut config = Config::default();
    config.drive.channels = 1;
    config.drive.chips_per_channel = 1;
    config.drive.chip.planes = 1;
    config.drive.chip.blocks_per_plane = 16;
    config.drive.chip.pages_per_block = u64::from(UNITS);
    config.drive.over_provisioning = 1.0;
    config.ftl.wear.policy = WearChoice::Static;
    config.ftl.wear.threshold = 1;
    let mut ftl = Ftl::new(&config, Conventional).expect("the drive works");
    while let Some(block) = ftl.state.take_free(PlaneId(0), false) {
        ftl.state.pass(block, BlockState::Kept);
    }
    for place in 0..SPARED {
        let unit = Located { unit: Unit(place.into()), block: BlockId(0), place };
        ftl.state.bind(Lpn(place.into()), unit);
    }
    ftl.state.blocks[BlockId(0)].next = UNITS;
    ftl.make_candidate(BlockId(0));
    let state = &mut ftl.media().state;
    let layout = &state.layout;
    let streams = [(1, layout.gc_stream, gc_room), (2, layout.wear_stream, wear_room)];
    for (block, stream, room) in streams {
        let point = state.point_of(ScopeId(0), stream);
        let geometry: &Geometry = &state.geometry;
        state.points[point].open(&[BlockId(block)], Shape::dense(1), UNITS - room, geometry);
        state.pass(BlockId(block), BlockState::Open);
        let entry = &mut state.blocks[BlockId(block)];
        entry.next = UNITS - room;
        entry.set_point(point);
    }
    ftl.state.blocks[BlockId(3)].erases = 5;
    ftl.wear.countdown = 1;
    ftl
}

/// Units that levelling moves, and whether the spared block is erased.
fn levelled(gc_room: u32, wear_room: u32) -> (u64, bool) {
    let (mut ftl, mut io) = (plane(gc_room, wear_room), Io::new(Count::default()));
    ftl.level_wear(&mut io, DomainId(0));
    (
        io.counters.programs[Cause::Wear as usize],
        ftl.state.blocks[BlockId(0)].state == BlockState::Free,
    )
}

#[test]
fn wear_levelling_asks_for_room_where_it_puts_the_data() {
    assert_eq!(levelled(UNITS, 1), (0, false), "room for GC is none for it: nothing is begun");
    assert_eq!(levelled(UNITS, SPARED - 1), (0, false), "room for all but one is not enough");
    assert_eq!(levelled(0, SPARED), (u64::from(SPARED), true), "it needs none of GC's");
}

/// The plane's most worn block is worn by five cycles, and no other one by any. Once it is worn out it takes no more
/// erases, so that no other block lags behind.
#[test]
fn a_block_that_is_worn_out_spreads_no_wear() {
    for (state, moved) in [(BlockState::Kept, u64::from(SPARED)), (BlockState::Bad, 0)] {
        let (mut ftl, mut io) = (plane(0, SPARED), Io::new(Count::default()));
        ftl.state.blocks[BlockId(3)].state = state;
        ftl.level_wear(&mut io, DomainId(0));
        assert_eq!(io.counters.programs[Cause::Wear as usize], moved, "{state:?}");
    }
}

/// It looks once in 16 erases here: what has come to exceed the threshold right after a look waits for the next one.
#[test]
fn wear_levelling_looks_once_in_so_many_erases() {
    let (mut ftl, mut io) = (plane(0, SPARED), Io::new(Count::default()));
    (ftl.wear.period, ftl.wear.threshold_pec) = (16, Some(5));
    ftl.level_wear(&mut io, DomainId(0));
    ftl.wear.threshold_pec = Some(4);
    let levels = |_: &u32| {
        ftl.level_wear(&mut io, DomainId(0));
        io.counters.programs[Cause::Wear as usize] > 0
    };
    assert_eq!((1..100).find(levels), Some(16));
}

/// A set of one block each: once two blocks were erased, those of all other sets are spared, the first of them ahead.
#[test]
fn the_table_notes_which_blocks_were_erased() {
    let mut config = Config::default();
    config.ftl.wear.policy = WearChoice::Bet;
    (config.ftl.wear.threshold, config.ftl.wear.set_blocks) = (1, 1);
    let mut ftl = Ftl::<_, Count>::new(&config, Conventional).expect("the drive works");
    let mut io = Io::new(Count::default());
    let domain = DomainId(2);
    for place in [0, 2] {
        let block = ftl.state.blocks_of_domain(domain).at(place);
        let plane = ftl.state.geometry.plane_of(block);
        while ftl.state.take_free(plane, false) != Some(block) {}
        ftl.erase_one(&mut io, block);
    }
    let table = &mut ftl.wear.tables.as_mut().expect("one for each domain")[domain];
    assert_eq!([table.spared(), table.spared()], [Some(1..2), None]);
}

#[test]
fn a_technique_reclaims_only_what_there_is_room_for() {
    for (gc_room, is_reclaimed) in [(SPARED - 1, false), (SPARED, true)] {
        let (mut ftl, mut io) = (plane(gc_room, 0), Io::new(Count::default()));
        assert_eq!(
            ftl.reclaim_all(&mut io, &[BlockId(0)], Cause::Technique, Room::Collected),
            is_reclaimed
        );
        let moved = io.counters.programs[Cause::Technique as usize];
        assert_eq!(moved, if is_reclaimed { u64::from(SPARED) } else { 0 });
    }
}

#[test]
fn what_the_cheapest_victim_costs_is_known_whether_or_not_victims_were_listed() {
    let mut ftl = plane(UNITS, UNITS);
    // The plane's other blocks have no data, and are no victims yet.
    assert_eq!(ftl.state.cheapest_cost(DomainId(0)), Some(SPARED));
    for (block, valid) in [(4, SPARED - 1), (5, UNITS)] {
        ftl.state.blocks[BlockId(block)].valid = valid;
        ftl.state.pass(BlockId(block), BlockState::Free);
        ftl.state.pass(BlockId(block), BlockState::Open);
        ftl.make_candidate(BlockId(block));
    }
    assert_eq!(ftl.state.victims.longest_unchanged(DomainId(0)).count(), 0, "none is listed");
    assert_eq!(ftl.state.cheapest_cost(DomainId(0)), Some(SPARED - 1));
    ftl.state.list_victims(DomainId(0));
    assert!(ftl.state.victims.longest_unchanged(DomainId(0)).count() > 0);
    assert_eq!(ftl.state.cheapest_cost(DomainId(0)), Some(SPARED - 1));
}

#[test]
#[should_panic(expected = "block 3 is Free and cannot become Free")]
fn an_erased_block_is_not_erased_again() {
    let mut ftl = plane(UNITS, UNITS);
    ftl.state.release(BlockId(3));
    ftl.state.release(BlockId(3));
}

#[test]
#[should_panic(expected = "block 0 is Full and cannot become Full")]
fn a_full_block_is_a_candidate_once() {
    let mut ftl = plane(UNITS, UNITS);
    ftl.make_candidate(BlockId(0));
}

/// What the check finds after `corrupt`.
fn found_after(corrupt: impl Fn(&mut Ftl<Conventional, Count>)) -> Option<String> {
    let mut ftl = plane(UNITS, UNITS);
    corrupt(&mut ftl);
    ftl.check().err().map(|error| error.to_string())
}

#[test]
fn a_map_that_is_wrong_is_found_and_named() {
    let names_first =
        |found: Option<String>| found.is_some_and(|what| what.contains("unit 0 maps"));
    assert_eq!(found_after(|_| ()), None);
    assert!(
        names_first(found_after(|ftl| {
            let map = &mut ftl.state.map;
            let [first, second] = [0, 1].map(|lpn| map.at(Lpn(lpn)));
            map.set(Lpn(0), second);
            map.set(Lpn(1), first);
        })),
        "swapped"
    );
    assert!(names_first(found_after(|ftl| ftl.state.reverse.set(Unit(0), Lpn(1)))), "reverse map");
    assert!(names_first(found_after(|ftl| ftl.state.valid.clear(BlockId(0), 0))), "not valid");
    assert!(names_first(found_after(|ftl| ftl.state.map.set(Lpn(0), Unit(1)))), "one place twice");
    let counts = |found: Option<String>, what| found.is_some_and(|told| told.contains(what));
    assert!(counts(found_after(|ftl| ftl.state.map.set(Lpn(0), Unit::NONE)), "units are valid"));
    assert!(counts(
        found_after(|ftl| ftl.state.occupy(BlockId(0), &[UNITS - 1])),
        "units are valid"
    ));
    assert!(counts(found_after(|ftl| ftl.state.valid.set(BlockId(0), UNITS - 1)), "counts"));
}

/// Planes of 32 blocks of 64 pages, in steady state.
fn in_steady_state(seed: u64, change: impl Fn(&mut Config)) -> Ftl<Conventional, Count> {
    let mut config = Config::default();
    config.run.seed = seed;
    config.drive.chip.blocks_per_plane = 32;
    config.drive.chip.pages_per_block = 64;
    change(&mut config);
    let mut ftl = Ftl::new(&config, Conventional).expect("the drive works");
    let cleaning = ftl.cleaning().expect("greedy has a closed form");
    let written = ftl.state.logical_units;
    let beginnings = ftl.beginnings(&config, cleaning, written);
    let steady = super::setup::fill::Steady { cleaning, beginnings };
    let filled =
        super::setup::fill::fill(&config, &mut ftl.state, Some(steady), &mut || Ok(())).unwrap();
    ftl.take_filled(&filled.blocks);
    ftl.check().expect("the maps agree");
    ftl
}

/// The α of the closed forms.
fn alpha(ftl: &Ftl<Conventional, Count>) -> f64 {
    ftl.state.log_units() as f64 / ftl.state.logical_units as f64
}

/// By plane, how far the block of a stream is filled.
fn begun(ftl: &Ftl<Conventional, Count>, stream: StreamId) -> Vec<u32> {
    let scopes = ftl.state.layout.scopes().into_iter();
    scopes.map(|scope| 64 - ftl.state.points[ftl.state.point_of(scope, stream)].room()).collect()
}

#[test]
fn planes_begin_at_all_moments_of_their_cycle() {
    // 32 planes: of a block's 64 pages each plane has two of its own.
    let ftl = in_steady_state(1, |_| ());
    let [host, gc] = [StreamId(0), StreamId(1)].map(|stream| begun(&ftl, stream));
    let mut sorted = host.clone();
    sorted.sort_unstable();
    let expected: Vec<u32> = (0..32).collect();
    assert_eq!(sorted.iter().map(|units| units / 2).collect::<Vec<_>>(), expected);
    // GC stops when it has gained a block: what it leaves open has less room than a victim frees.
    let gain = 64.0 / crate::theory::greedy(alpha(&ftl), 64);
    assert!(gc.iter().all(|&units| f64::from(64 - units) <= gain + 1.0), "{gc:?} {gain}");
    assert!(gc.iter().any(|&units| f64::from(64 - units) > 0.9 * gain), "{gc:?} {gain}");
    assert_ne!(host, gc, "each stream has its own order");
    assert_eq!(host, begun(&in_steady_state(1, |_| ()), StreamId(0)), "the seed tells");
    assert_ne!(host, begun(&in_steady_state(2, |_| ()), StreamId(0)));
    // What GC holds back is erased, and no more: the next block that the host opens takes a victim.
    let reserve = ftl.state.layout.fillings[0].reserve;
    assert!(ftl.state.free_in.iter().all(|&free| free == reserve));
}

/// Where pages are counted a plane has at most what one victim frees above its reserve.
#[test]
fn planes_begin_near_the_pages_that_they_hold_back() {
    let ftl = in_steady_state(1, |config| {
        // Five blocks are held back, of which GC itself needs one.
        config.ftl.gc.counts = GcCounts::Pages;
        config.ftl.gc.free_block_threshold = 0.16;
        config.drive.over_provisioning = 0.35;
    });
    let expected = crate::theory::greedy(alpha(&ftl), 64);
    let held = u64::from(ftl.state.layout.fillings[0].reserve) * 64;
    let over: Vec<u64> = (0..32).map(|plane| ftl.state.room_in(DomainId(plane)) - held).collect();
    // Of 64 pages of a victim about 16 come free.
    let most = 64.0 / expected;
    assert!(over.iter().all(|&units| units as f64 <= most), "{over:?} {most}");
    let beyond = |share: f64| over.iter().filter(|&&units| units as f64 > share * most).count();
    assert!((8..=24).contains(&beyond(0.5)) && beyond(0.8) > 2, "{over:?} {most}");
}

/// GC in step begins at what it holds back, well before the host would wait: a drive in use has that much erased.
#[test]
fn planes_begin_with_what_gc_in_step_holds_back() {
    let ftl = in_steady_state(1, |config| {
        config.ftl.gc.mode = GcMode::Paced;
        config.ftl.gc.free_block_threshold = 0.16;
        config.drive.over_provisioning = 0.35;
    });
    let filling = &ftl.state.layout.fillings[0];
    assert!(filling.reserve > filling.spares + 1, "{} {}", filling.reserve, filling.spares);
    let free: Vec<u32> = ftl.state.free_in.iter().copied().collect();
    assert!(free.iter().all(|&free| free == filling.reserve), "{free:?} {}", filling.reserve);
}

/// A drive whose data leaves no room for open blocks is filled without.
#[test]
fn a_full_drive_begins_without_open_blocks() {
    let ftl = in_steady_state(1, |config| {
        // 28 of 32 blocks of a plane hold data, and idle GC keeps 6 free.
        config.drive.over_provisioning = 0.143;
        config.ftl.gc.mode = GcMode::Background;
        config.ftl.gc.background_threshold = 0.2;
    });
    assert!(ftl.state.points.iter().all(|point| point.lanes().is_empty()));
}

/// A drive of two kinds of flash that `change` makes different.
fn of_two_kinds(change: impl Fn(&mut GroupConfig, usize)) -> Ftl<Conventional, Count> {
    let mut config = Config::default();
    config.drive.channels = 2;
    for (at, name) in ["a", "b"].into_iter().enumerate() {
        let chip = config.drive.chip.clone();
        let (first_channel, channels) = (at as u64, 1);
        let mut group = GroupConfig { first_channel, channels, chip, ..Default::default() };
        change(&mut group, at);
        config.drive.group.insert(name.into(), group);
    }
    Ftl::new(&config, Conventional).expect("the drive works")
}

#[test]
fn each_kind_of_flash_begins_with_its_own_cycles_and_bad_blocks() {
    for [first, second] in [[0, 1], [1, 0]] {
        let (pecs, shares) = ([7, 3000], [0.0, 0.01]);
        let ftl = of_two_kinds(|group, at| {
            let own = [first, second][at];
            (group.chip.initial_pec, group.chip.bad_blocks) = (pecs[own], shares[own]);
        });
        for (group, own) in ftl.state.geometry.groups.iter().zip([first, second]) {
            let blocks = ftl.state.blocks.of(group.blocks);
            assert!(blocks.iter().all(|block| u64::from(block.erases) == pecs[own]));
            let bad = blocks.iter().filter(|block| block.state == BlockState::Bad).count();
            assert_eq!(bad > 0, shares[own] > 0.0, "{bad} of {}", blocks.len());
        }
    }
}

/// Spare blocks of each of two kinds of flash beyond those that GC needs anyway: erased by these schemes, with these
/// endurances by the fixed one.
fn spares(schemes: [GroupScheme; 2], endurance_pec: [u64; 2]) -> [u32; 2] {
    let ftl = of_two_kinds(|group, at| {
        group.erase_scheme = schemes[at];
        (group.chip.cell, group.chip.endurance_pec) = (Cell::Tlc, endurance_pec[at]);
    });
    [0, 1].map(|group| &ftl.state.layout.fillings[group]).map(|it| it.spares - it.inner)
}

/// A victim that wears out does not come back, so that GC needs one block more; where none wears out it needs none.
#[test]
fn each_kind_of_flash_has_a_spare_block_where_its_own_blocks_wear_out() {
    use GroupScheme::{Fixed, Reo};
    assert_eq!(spares([Fixed, Reo], [0, 0]), [0, 1]);
    assert_eq!(spares([Reo, Fixed], [0, 0]), [1, 0]);
    assert_eq!(spares([Fixed, Fixed], [0, 500]), [0, 1]);
    assert_eq!(spares([Fixed, Fixed], [500, 0]), [1, 0]);
}
