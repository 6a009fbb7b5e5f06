//! What cannot be seen from outside: wear levelling asks for room where it will put the data; every way
//! in which the maps can be wrong is found.

use super::{Ftl, Io};
use crate::drive::{Shape, Taken};
use crate::engine::{Cause, Count};
use crate::nand::{BlockState, Geometry};
use crate::schema::Config;
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
    config.ftl.wear.policy = "static".into();
    config.ftl.wear.threshold = 1;
    let mut ftl = Ftl::new(&config, Conventional).expect("the drive works");
    while let Some(block) = ftl.state.take_free(0, false) {
        ftl.state.blocks[block as usize].state = BlockState::Kept;
    }
    for place in 0..SPARED {
        let unit = Taken { unit: place, block: 0, place };
        ftl.state.bind(place, unit);
    }
    ftl.state.blocks[0].next = UNITS;
    ftl.make_candidate(0);
    let layout = &ftl.state.layout;
    let streams = [(1, layout.gc_stream, gc_room), (2, layout.wear_stream, wear_room)];
    for (block, stream, room) in streams {
        let point = ftl.state.point_of(0, stream);
        let geometry: &Geometry = &ftl.state.geometry;
        ftl.state.points[point as usize].open(&[block], Shape::dense(1), UNITS - room, geometry);
        let entry = &mut ftl.state.blocks[block as usize];
        (entry.state, entry.next, entry.before) = (BlockState::Open, UNITS - room, point);
    }
    ftl.state.blocks[3].erases = 5;
    ftl.wear.countdown = 1;
    ftl
}

/// Units that levelling moves, and whether the spared block is erased.
fn levelled(gc_room: u32, wear_room: u32) -> (u64, bool) {
    let (mut ftl, mut io) = (plane(gc_room, wear_room), Io::new(Count::default()));
    ftl.level_wear(&mut io, 0);
    (io.counters.programs[Cause::Wear as usize], ftl.state.blocks[0].state == BlockState::Free)
}

#[test]
fn wear_levelling_asks_for_room_where_it_puts_the_data() {
    assert_eq!(levelled(UNITS, 1), (0, false), "room for GC is none for it: nothing is begun");
    assert_eq!(levelled(0, SPARED), (u64::from(SPARED), true), "it needs none of GC's");
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
    assert!(names_first(found_after(|ftl| ftl.state.map.swap(0, 1))), "swapped");
    assert!(names_first(found_after(|ftl| ftl.state.reverse[0] = 1)), "reverse map");
    assert!(names_first(found_after(|ftl| ftl.state.valid.clear(0, 0))), "not valid");
    assert!(names_first(found_after(|ftl| ftl.state.map[0] = 1)), "one place twice");
    let counts = |found: Option<String>, what| found.is_some_and(|told| told.contains(what));
    assert!(counts(found_after(|ftl| ftl.state.map[0] = crate::util::NONE), "units are valid"));
    assert!(counts(found_after(|ftl| ftl.state.occupy(0, &[UNITS - 1])), "units are valid"));
    assert!(counts(found_after(|ftl| ftl.state.valid.set(0, UNITS - 1)), "counts"));
}
