//! MLC whose second pass is chosen page by page: low pages whose data died are programmed again, and high
//! pages once; as in Margaglia et al., FAST 2016.

use crate::common::write;
use crate::harness::{drive, everywhere, figure};
use serde_json::{Map, Value};
use wordline_sim::config::{Cell, Config};
use wordline_sim::drive::{Content, DriveState, Shape, Step};
use wordline_sim::ids::{BlockId, DomainId, PlaneId, StreamId};
use wordline_sim::metrics::Counters;
use wordline_sim::nand::{
    BlockState, ERASED, Flash, Mode, NORMAL, Needs, OpRow, OpTable, PROGRAM, Transition,
};
use wordline_sim::technique::{Cells, Hook, Observer, Open, Placement, Profile, Rounds, Technique};
use wordline_trace::Request;

const LOW: Mode = "low";
const LOW_AGAIN: Mode = "low_again";
const PAGES: u32 = 8;
const HOST: StreamId = StreamId(0);

/// Fills low pages first, and later the rest.
#[derive(Default)]
struct Stepwise {
    low: u8,
    again: u8,
    high: u8,
    /// The next page that may be programmed of the block in hand, and whether it is its second pass.
    next: u32,
    second: bool,
    halves: Vec<BlockId>,
    /// Valid units of a block that is filled again at most.
    valid_max: u32,
    skipped: u64,
}

impl Stepwise {
    fn new(valid_max: u32) -> Self {
        Self { valid_max, ..Self::default() }
    }
}

impl Technique for Stepwise {
    fn profile(&self) -> Profile {
        Profile { places_fill: true, ..Profile::of(&[Hook::Placement]) }
    }

    fn rounds(&mut self) -> Option<&mut dyn Rounds> {
        Some(self)
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        Map::from_iter([("skipped".to_owned(), self.skipped.into())])
    }
}

impl Placement for Stepwise {
    fn open(&mut self, state: &DriveState, stream: StreamId, _: PlaneId) -> Open {
        if stream != HOST {
            return Open::Erased(None);
        }
        let shape = Shape { asks: true, ..Shape::dense(1) };
        self.next = 0;
        let valid = self.halves.first().map(|&half| state.blocks[half].valid);
        self.second = valid.is_some_and(|valid| valid <= self.valid_max);
        match self.second {
            true => Open::Again(vec![self.halves.remove(0)], shape),
            false => Open::Erased(Some(shape)),
        }
    }

    fn keeps(&mut self, state: &DriveState, block: BlockId) -> bool {
        let entry = &state.blocks[block];
        let is_half = entry.stream() == HOST && !self.second;
        if entry.state == BlockState::Open && is_half {
            self.halves.push(block);
        }
        self.halves.contains(&block)
    }

    fn surrender(&mut self, _: &DriveState, _: DomainId) -> Option<BlockId> {
        (!self.halves.is_empty()).then(|| self.halves.remove(0))
    }
}

impl Rounds for Stepwise {
    fn step(&mut self, state: &DriveState, _: StreamId, block: BlockId) -> Option<Step> {
        while self.second && self.next.is_multiple_of(2) && state.valid.get(block, self.next) {
            self.skipped += 1;
            self.next += 1;
        }
        let from = self.next;
        if from >= PAGES {
            return None;
        }
        self.next += if self.second { 1 } else { 2 };
        let row = match (self.second, from % 2) {
            (false, _) => self.low,
            (true, 0) => self.again,
            (true, _) => self.high,
        };
        // Of the second pass high pages are certain, low ones are not.
        let later = (PAGES - self.next) / 2;
        Some(Step { from, units: 1, later, row, content: Content::Data })
    }
}

impl Cells for Stepwise {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        let program = table.row(flash.rows.program).clone();
        let mut row = |name, needs, transition| {
            let pages_read_first = u32::from(needs == Needs::Programmed);
            table.push(OpRow { name, needs, transition, pages_read_first, ..program.clone() })
        };
        self.low = row("low", Needs::Erased, Transition::first(&[ERASED], LOW));
        let again = Transition { from: &[LOW], to: LOW_AGAIN, passes: 1 };
        self.again = row("low_again", Needs::Programmed, again);
        self.high = row("high", Needs::Erased, Transition::first(&[LOW, LOW_AGAIN], NORMAL));
        assert_ne!(self.low, PROGRAM);
    }
}

impl Observer for Stepwise {}

fn mlc() -> Config {
    let mut config = drive(Cell::Mlc, u64::from(PAGES), &[500.0, 900.0]);
    config.drive.over_provisioning = 2.0;
    config
}

#[test]
fn a_block_of_dead_data_takes_its_low_pages_twice() {
    // Six units again and again: whatever a block holds is dead long before its second pass.
    let requests: Vec<Request> = (0..2400).map(|n| write(n % 6)).collect();
    for result in everywhere(&mlc(), || Stepwise::new(0), &requests) {
        assert_eq!(figure(&result, "skipped"), 0);
        // Of twelve programs of a block four are of low pages again, each after a read of what it holds.
        let blocks = 2400 / 12;
        let reprograms = result.flash.reprograms;
        assert!(reprograms.abs_diff(4 * blocks) <= 4 * 3, "{reprograms}");
        // The page of the next step may have been read already.
        assert!(result.flash.page_reads.technique - reprograms <= 1);
        assert_eq!(result.flash.page_programs.host, 2400);
        assert!(result.flash.erases.abs_diff(blocks) <= 16, "{}", result.flash.erases);
        assert_eq!(result.gc.pages_moved, 0);
    }
}

#[test]
fn a_low_page_that_holds_data_is_skipped() {
    // Two units in three are written once and stay.
    let cold = (0..20).map(|n| write(6 + n));
    let hot = (0..1200).map(|n| write(n % 6));
    let mixed: Vec<Request> = cold.zip(hot.clone()).flat_map(|(a, b)| [a, b]).chain(hot).collect();
    for result in everywhere(&mlc(), || Stepwise::new(2), &mixed) {
        assert!(figure(&result, "skipped") > 0);
        assert_eq!(result.host.refused_writes, 0);
    }
}
