//! MLC whose blocks are filled in two passes, the low pages first and, once much of their data has
//! died, the high pages; as in Margaglia et al., FAST 2016.

use crate::common::{at, write};
use crate::harness::{drive, everywhere, figure};
use crate::reprogram::random_writes;
use serde_json::{Map, Value};
use wordline_sim::config::{Cell, Config};
use wordline_sim::drive::{DriveState, Shape};
use wordline_sim::ids::{BlockId, ById, DomainId, Ids, PlaneId, StreamId, Unit};
use wordline_sim::metrics::Counters;
use wordline_sim::nand::command::Cause;
use wordline_sim::nand::{BlockState, Located};
use wordline_sim::technique::{
    Cells, Hook, Observer, Open, Placement, Profile, Routing, Technique,
};
use wordline_trace::{Op, Request};

const HOST: StreamId = StreamId(0);
const LOW: Shape = Shape { step: 2, ..Shape::dense(1) };
const HIGH: Shape = Shape { offset: 1, ..LOW };

/// Opens blocks for a second pass when at most `valid_max` of their low pages are valid.
pub struct TwoPasses {
    valid_max: u32,
    /// Kept blocks, in which only low pages have been programmed.
    halves: Vec<BlockId>,
    /// Pages programmed since their block was erased.
    programmed: ById<Unit, bool>,
    second_passes: u64,
    surrendered: u64,
}

impl TwoPasses {
    pub fn new(valid_max: u32) -> Self {
        let (halves, programmed) = (Vec::new(), ById::default());
        Self { valid_max, halves, programmed, second_passes: 0, surrendered: 0 }
    }

    /// Takes the half-filled block of the fewest valid pages among those of which that is true.
    fn take_half(
        &mut self,
        state: &DriveState,
        is_meant: impl Fn(BlockId) -> bool,
    ) -> Option<BlockId> {
        let valid = |at: &usize| state.blocks[self.halves[*at]].valid;
        let meant = (0..self.halves.len()).filter(|&at| is_meant(self.halves[at]));
        let at = meant.min_by_key(valid)?;
        Some(self.halves.remove(at))
    }

    fn is_half(&self, state: &DriveState, block: BlockId) -> bool {
        let first = state.geometry.first_unit(block);
        let is_programmed = |unit| self.programmed.get(unit).is_some_and(|&is| is);
        is_programmed(first) && !is_programmed(first.plus(1))
    }
}

impl Technique for TwoPasses {
    fn profile(&self) -> Profile {
        Profile { places_fill: true, ..Profile::of(&[Hook::Placement, Hook::VictimCost]) }
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        Map::from_iter([
            ("second_passes".to_owned(), self.second_passes.into()),
            ("surrendered".to_owned(), self.surrendered.into()),
            ("halves".to_owned(), self.halves.len().into()),
        ])
    }

    fn routing(&self) -> Option<&dyn Routing> {
        Some(self)
    }

    fn routing_mut(&mut self) -> Option<&mut dyn Routing> {
        Some(self)
    }
}

impl Placement for TwoPasses {
    fn open(&mut self, state: &DriveState, stream: StreamId, plane: PlaneId) -> Open {
        if stream != HOST {
            return Open::Erased(None);
        }
        let valid_max = self.valid_max;
        let is_due = |block| {
            state.geometry.plane_of(block) == plane && state.blocks[block].valid <= valid_max
        };
        match self.take_half(state, is_due) {
            Some(block) => {
                assert_eq!(state.blocks[block].state, BlockState::Kept);
                self.second_passes += 1;
                Open::Again(vec![block], HIGH)
            }
            None => Open::Erased(Some(LOW)),
        }
    }

    fn keeps(&mut self, state: &DriveState, block: BlockId) -> bool {
        let is_half = self.is_half(state, block);
        if is_half && state.blocks[block].state == BlockState::Open {
            self.halves.push(block);
        }
        self.halves.contains(&block)
    }

    fn surrender(&mut self, state: &DriveState, domain: DomainId) -> Option<BlockId> {
        let half = self.take_half(state, |block| state.domain_of_block(block) == domain);
        self.surrendered += u64::from(half.is_some());
        half
    }
}

impl Routing for TwoPasses {
    /// Pages that were never programmed are no gain: they could be had without an erase.
    fn victim_cost(&self, state: &DriveState, block: BlockId) -> u32 {
        let unused = match self.is_half(state, block) {
            true => state.geometry.stride / 2,
            false => 0,
        };
        state.blocks[block].valid + unused
    }
}

impl Cells for TwoPasses {}

impl Observer for TwoPasses {
    fn written(&mut self, state: &DriveState, &Located { unit, .. }: &Located, _: Cause, _: u64) {
        if self.programmed.count() == 0 {
            self.programmed = ById::filled(false, state.geometry.units());
        }
        let before = std::mem::replace(&mut self.programmed[unit], true);
        assert!(!before, "unit {unit} is programmed twice without an erase");
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        let units = Ids::new(state.geometry.first_unit(block), state.geometry.stride.into());
        self.programmed.of_mut(units).fill(false);
    }
}

const LOW_US: f64 = 500.0;
const HIGH_US: f64 = 1300.0;

fn mlc() -> Config {
    let mut config = drive(Cell::Mlc, 8, &[LOW_US, HIGH_US]);
    config.drive.over_provisioning = 1.0;
    config
}

#[test]
fn high_pages_follow_when_the_low_ones_have_died() {
    // Four low pages fill a block; the same data again fills the next and kills the first, whose
    // high pages take what follows.
    let pages = [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7];
    let requests: Vec<Request> =
        pages.iter().zip(0..).map(|(&page, n)| at(n * 2000, Op::Write, page, 1)).collect();
    for result in everywhere(&mlc(), || TwoPasses::new(0), &requests) {
        assert_eq!(figure(&result, "second_passes"), 1);
        assert_eq!((result.flash.erases, result.flash.program_operations), (0, 12));
        if result.host.write.count > 0 {
            let mean_us = 10.0 + (8.0 * LOW_US + 4.0 * HIGH_US) / 12.0;
            assert!((result.host.write.mean_us - mean_us).abs() < 1e-6, "{:?}", result.host.write);
        }
    }
}

#[test]
fn data_that_is_written_over_between_the_passes_is_found() {
    // A read of a low page that outlived it, while and after the high pages are programmed.
    let mut requests: Vec<Request> = [0, 1, 2, 3, 0, 1, 2, 4, 5, 6].map(write).to_vec();
    requests.extend([at(50_000, Op::Read, 3, 1), at(60_000, Op::Read, 6, 1)]);
    for result in everywhere(&mlc(), || TwoPasses::new(1), &requests) {
        assert_eq!(figure(&result, "second_passes"), 1);
        assert_eq!(result.flash.page_reads.host, 2);
    }
}

#[test]
fn two_passes_need_fewer_erases_than_one() {
    let mut requests = random_writes(&mlc(), 20_000);
    requests.iter_mut().zip(0..).for_each(|(request, n)| request.arrival_ns = n * 100_000);
    let one = &everywhere(&mlc(), || TwoPasses::new(0), &requests)[0];
    let two = &everywhere(&mlc(), || TwoPasses::new(2), &requests)[0];
    assert!(two.flash.erases < one.flash.erases, "{} {}", two.flash.erases, one.flash.erases);
    assert!(figure(two, "second_passes") > figure(one, "second_passes"));
    for result in [one, two] {
        assert_eq!(result.flash.page_programs.host, 20_000);
        // Blocks whose pages stay valid are given up when nothing else is left.
        assert!(figure(result, "surrendered") > 0);
        assert!(figure(result, "halves") < 16);
    }
}
