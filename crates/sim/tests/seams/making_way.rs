//! Blocks that leave before another one opens, blocks that are set aside, idle work in one go, and erases
//! that count as less than a cycle.

use crate::common::{at, write};
use crate::harness::{drive, everywhere, figure, run, schedulers};
use serde_json::{Map, Value};
use wordline_sim::config::{Cell, Config, GcScope};
use wordline_sim::drive::{DriveState, Shape};
use wordline_sim::ids::{BlockId, DomainId, PlaneId, StreamId};
use wordline_sim::metrics::Counters;
use wordline_sim::nand::command::Cause;
use wordline_sim::nand::{BlockState, Load};
use wordline_sim::technique::{
    Cells, Hook, Idle, Observer, Open, Phase, Place, Placement, Profile, SetAside, Technique, Write,
};
use wordline_trace::Op;

const PAGES: u32 = 8;

/// Blocks of its own for the host: at most `most` of them, the oldest of which leaves before another one
/// opens, or `aside` of them that are set aside; idle time empties the oldest at once.
#[derive(Default)]
struct Fifo {
    aside: u32,
    most: usize,
    idles: bool,
    cycles: u32,
    stream: StreamId,
    full: Vec<BlockId>,
    open: u32,
    moved: u64,
}

impl Technique for Fifo {
    fn profile(&self) -> Profile {
        Profile {
            places_fill: true,
            streams: 1,
            set_aside: self.aside,
            ..Profile::of(&[Hook::Placement, Hook::Idle, Hook::ErasePlan])
        }
    }

    fn idle(&mut self, state: &DriveState, _: &dyn Load, _: u64) -> Idle {
        let Some(&oldest) = self.full.first().filter(|_| self.idles) else { return Idle::Nothing };
        if state.blocks[oldest].valid == 0 {
            return Idle::Reclaim(vec![oldest]);
        }
        let first = state.geometry.first_unit(oldest);
        Idle::MoveAll(state.valid.places(oldest).map(|place| first.plus(place)).collect())
    }

    fn set_aside(&self) -> Option<&dyn SetAside> {
        Some(self)
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        let counts = [("full", self.full.len() as u64), ("moved", self.moved)];
        counts.map(|(name, count)| (name.to_owned(), count.into())).into_iter().collect()
    }
}

impl Placement for Fifo {
    fn place(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        let is_moved = write.cause != Cause::Host;
        self.moved += u64::from(is_moved);
        Place::Stream(if is_moved { state.layout.gc_stream } else { self.stream })
    }

    fn open(&mut self, _: &DriveState, stream: StreamId, _: PlaneId) -> Open {
        if stream != self.stream {
            return Open::Erased(None);
        }
        let held = (self.full.len() + 1).saturating_sub(self.most);
        self.open = 1;
        Open::After(self.full[..held].to_vec(), Some(Shape::dense(1)))
    }

    fn keeps(&mut self, state: &DriveState, block: BlockId) -> bool {
        let is_own = state.blocks[block].stream() == self.stream;
        if is_own && state.blocks[block].state == BlockState::Open {
            self.open = 0;
            self.full.push(block);
        }
        is_own
    }
}

impl Cells for Fifo {
    fn cycles(&mut self, _: &DriveState, _: BlockId, cycles: u32) -> u32 {
        cycles * self.cycles
    }
}

impl SetAside for Fifo {
    fn in_use(&self, _: DomainId) -> u32 {
        self.full.len() as u32 + self.open
    }
}

impl Observer for Fifo {
    fn begin(&mut self, _: &DriveState, phase: Phase) {
        if let Phase::Drive(first) = phase {
            self.stream = first;
        }
    }

    fn chosen(&mut self, _: &DriveState, block: BlockId, _: Cause) {
        self.full.retain(|&other| other != block);
    }
}

fn slc() -> Config {
    let mut config = drive(Cell::Slc, u64::from(PAGES), &[600.0]);
    config.drive.chip.blocks_per_plane = 24;
    config.drive.over_provisioning = 1.0;
    config.ftl.gc.idle_us = 1e9;
    config
}

#[test]
fn the_oldest_block_leaves_before_another_one_opens() {
    let pages = u64::from(PAGES);
    for (writes, moved) in [(3 * pages, 0), (3 * pages + 1, pages), (5 * pages, 2 * pages)] {
        let requests: Vec<_> = (0..writes).map(write).collect();
        for result in
            everywhere(&slc(), || Fifo { most: 3, cycles: 1, ..Fifo::default() }, &requests)
        {
            assert_eq!(figure(&result, "moved"), moved);
            assert_eq!(result.flash.page_programs.technique, moved);
            assert_eq!(result.flash.erases, moved / pages);
        }
    }
}

#[test]
fn what_is_set_aside_is_erased_for_those_whose_it_is() {
    // Data in all blocks but those, one held back, one open for each stream and one to gain from.
    let built = |aside| {
        let technique = Fifo { aside, most: 20, cycles: 1, ..Fifo::default() };
        let config = slc();
        let source = crate::common::Script::source(vec![write(0)]);
        wordline_sim::with(&config, technique, source, &mut ())
    };
    assert!(built(7).is_ok());
    let message = built(8).expect_err("there are not so many blocks").to_string();
    assert!(message.contains("1 held back, 8 set aside for the technique"), "{message}");
}

/// Of two planes twice as many are set aside where they are collected together.
#[test]
fn blocks_are_set_aside_in_every_plane() {
    for (scope, set_aside) in [(GcScope::Plane, 12), (GcScope::Die, 24)] {
        let mut config = slc();
        config.drive.chip.planes = 2;
        config.ftl.gc.scope = scope;
        let technique = Fifo { aside: 12, most: 20, cycles: 1, ..Fifo::default() };
        let source = crate::common::Script::source(vec![write(0)]);
        let refused = wordline_sim::with(&config, technique, source, &mut ());
        let message = refused.expect_err("half of the blocks hold data").to_string();
        let told = format!("{set_aside} set aside for the technique");
        assert!(message.contains(&told), "{scope}: {message}");
    }
}

#[test]
fn a_block_is_emptied_in_one_go_and_erased_in_the_next() {
    let mut config = slc();
    config.ftl.gc.idle_us = 500.0;
    let pages = u64::from(PAGES);
    // Writes take 610 us each; of a block 60 us a read, and 610 a program, one after the other.
    let [_, in_order, _] = schedulers(&config);
    let quiet_us = pages * 610;
    for (until_us, moved, erases) in [
        (quiet_us + 500, 0, 0),
        (quiet_us + 501, pages, 0),
        (quiet_us + 500 + pages * 670, pages, 0),
        (quiet_us + 501 + pages * 670, pages, 1),
    ] {
        let writes = (0..pages).map(write);
        let requests = writes.chain([at(until_us, Op::Read, 0, 1)]).collect();
        let technique = Fifo { most: 3, idles: true, cycles: 1, ..Fifo::default() };
        let result = run(&in_order, technique, requests);
        assert_eq!((figure(&result, "moved"), result.flash.erases), (moved, erases), "{until_us}");
    }
}

#[test]
fn an_erase_counts_as_so_many_cycles() {
    let requests: Vec<_> = (0..5 * u64::from(PAGES)).map(write).collect();
    for cycles in [0, 1, 3] {
        let technique = || Fifo { most: 3, cycles, ..Fifo::default() };
        for result in everywhere(&slc(), technique, &requests) {
            assert_eq!(result.flash.erases, 2);
            let sum = result.wear.erases_mean * 24.0;
            assert_eq!(sum.round() as u32, 2 * cycles);
        }
    }
}
