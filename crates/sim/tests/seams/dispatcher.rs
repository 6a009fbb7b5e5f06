//! Two groups of dies: what the host writes in small requests, and writes again soon, goes to the
//! even ones, the rest to the odd ones, to which data also moves once it is old; as in Liu et al.,
//! POMACS 4(2):28, 2020, whose groups are of different flash.

use crate::common::{Dice, at};
use crate::harness::{drive, everywhere, figure};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use wordline_sim::config::Config;
use wordline_sim::drive::DriveState;
use wordline_sim::engine::Cause;
use wordline_sim::technique::{Hook, Idle, Moment, Place, Technique, Write};
use wordline_trace::{Op, Request};

/// Requests up to this are small.
const SMALL_BYTES: u32 = 4096;
/// Logical units of which the first ones are written in small requests.
const SMALL_UNITS: u64 = 100;
/// Data that was not written again for this long is old.
const OLD_NS: u64 = 50_000_000;

#[derive(Default)]
pub struct Dispatcher {
    /// True to move data as soon as it is old.
    moves_old: bool,
    /// Turns of the dies of each group, and of their planes.
    turns: [u32; 2],
    /// Writes to the even dies, and their times.
    young: VecDeque<(u64, u32)>,
    /// Where the unit that the host writes is to go.
    host_group: u32,
    /// Units written by the host and moved, by the group where they went.
    host: [u64; 2],
    moved: [u64; 2],
    /// Units that were to be moved out of the even dies.
    leaving: u64,
}

impl Dispatcher {
    pub fn new(moves_old: bool) -> Self {
        Self { moves_old, ..Self::default() }
    }

    fn scope(&mut self, state: &DriveState, group: u32) -> u32 {
        let geometry = &state.geometry;
        let (dies, planes) = (geometry.dies() / 2, geometry.planes_per_die);
        let turn = &mut self.turns[group as usize];
        *turn = (*turn + 1) % (dies * planes);
        let (die, plane) = (*turn % dies * 2 + group, *turn / dies);
        state.layout.scope_of(die * planes + plane)
    }
}

fn group_of(state: &DriveState, unit: u32) -> u32 {
    let (block, _) = state.geometry.locate(unit);
    state.geometry.die_of(state.geometry.plane_of(block)) % 2
}

impl Technique for Dispatcher {
    fn claims(&self) -> &[Hook] {
        &[Hook::Placement, Hook::Idle]
    }

    fn place(&mut self, state: &DriveState, write: &Write) -> Place {
        let group = match &write.request {
            Some(request) if request.request_bytes <= SMALL_BYTES => 0,
            // Whatever is moved is old.
            _ => 1,
        };
        if write.cause == Cause::Host {
            self.host_group = group;
        } else {
            self.leaving += u64::from(group_of(state, write.old) == 0);
        }
        Place::Scope { scope: self.scope(state, group), stream: write.stream }
    }

    fn written(&mut self, state: &DriveState, unit: u32, cause: Cause, now_ns: u64) {
        let group = group_of(state, unit);
        if cause == Cause::Host {
            // With one collector for the drive, a plane without erased blocks takes one elsewhere.
            let has_own_blocks = state.layout.domain_planes <= state.geometry.planes_per_die;
            assert!(group == self.host_group || !has_own_blocks, "unit {unit}, group {group}");
            self.host[group as usize] += 1;
        } else {
            self.moved[group as usize] += 1;
        }
        if group == 0 {
            self.young.push_back((now_ns, unit));
        }
    }

    fn idle(&mut self, state: &DriveState, _: Moment, now_ns: u64) -> Idle {
        while self.due_ns() <= now_ns {
            let Some((_, unit)) = self.young.pop_front() else { break };
            let (block, place) = state.geometry.locate(unit);
            if state.valid.get(block, place) {
                return Idle::Move(unit);
            }
        }
        Idle::Nothing
    }

    fn due_ns(&self) -> u64 {
        match self.young.front() {
            Some((at_ns, _)) if self.moves_old => at_ns + OLD_NS,
            _ => u64::MAX,
        }
    }

    fn metrics(&self) -> Map<String, Value> {
        let counts = [
            ("small", self.host[0]),
            ("large", self.host[1]),
            ("moved_to_even", self.moved[0]),
            ("moved_to_odd", self.moved[1]),
            ("leaving", self.leaving),
        ];
        counts.map(|(name, count)| (name.to_owned(), count.into())).into_iter().collect()
    }
}

/// Four dies of 16 blocks of 8 pages, two on each of two channels.
fn four_dies(allocation: &str) -> Config {
    let mut config = drive("slc", 8, &[600.0]);
    config.drive.channels = 2;
    config.drive.chips_per_channel = 2;
    config.ftl.allocation = allocation.into();
    config.ftl.gc.idle_us = 500.0;
    config
}

/// Single pages among the first 100, and pairs of pages among the 100 after those.
pub fn small_and_large(writes: u64) -> Vec<Request> {
    let mut dice = Dice::new(3);
    let request = |_| match dice.one_in(3) {
        true => at(0, Op::Write, SMALL_UNITS + 2 * dice.below(50), 2),
        false => at(0, Op::Write, dice.below(SMALL_UNITS), 1),
    };
    (0..writes).map(request).collect()
}

#[test]
fn requests_choose_their_group_of_dies() {
    let requests = small_and_large(6000);
    let large = requests.iter().filter(|request| request.size_bytes > SMALL_BYTES).count() as u64;
    for allocation in ["CWDP", "PDWC", "dynamic"] {
        for result in everywhere(&four_dies(allocation), || Dispatcher::new(false), &requests) {
            let of = |name| figure(&result, name);
            assert_eq!((of("small"), of("large")), (6000 - large, 2 * large));
            // Every move goes to the odd dies, unless they have nothing to spare.
            let moved = of("moved_to_even") + of("moved_to_odd");
            assert_eq!((moved, moved), (result.flash.page_programs.gc, result.gc.pages_moved));
            assert!(of("moved_to_even") < of("leaving"), "{:?}", result.technique);
        }
    }
}

#[test]
fn data_moves_when_it_is_old() {
    // 40 pages, of which the first 10 are written again before they are old.
    let first = (0..40).map(|page| at(page * 1000, Op::Write, page, 1));
    let again = (0..10).map(|page| at(45_000 + page * 100, Op::Write, page, 1));
    for (until_us, moved) in [(59_999, 0), (60_001, 1), (90_000, 30), (200_000, 40)] {
        let end = [at(until_us, Op::Read, 39, 1)];
        let requests: Vec<Request> = first.clone().chain(again.clone()).chain(end).collect();
        for result in everywhere(&four_dies("CWDP"), || Dispatcher::new(true), &requests) {
            assert_eq!(figure(&result, "moved_to_odd"), moved);
            assert_eq!(result.flash.page_programs.technique, moved);
            assert_eq!(result.flash.page_reads.technique, moved);
        }
    }
}
