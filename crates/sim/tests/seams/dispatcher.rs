//! Two groups of dies: what the host writes in small requests, and writes again soon, goes to the
//! first, the rest to the second, to which data also moves once it is old; as in Liu et al., POMACS
//! 4(2):28, 2020. The groups are those of a drive of two kinds of flash; in one of a single kind, the
//! even dies and the odd ones.

use crate::common::{Dice, at};
use crate::harness::{drive, everywhere, figure, logical_units, run, schedulers};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use wordline_sim::config::{
    Allocation, Cell, Config, GroupConfig, Pattern, PerPage, ProgramUnit, RunMode,
};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{BlockId, PlaneId, ScopeId, StreamId, Unit};
use wordline_sim::metrics::{Counters, RunResult};
use wordline_sim::nand::command::Cause;
use wordline_sim::nand::{Load, Located};
use wordline_sim::technique::{
    Cells, Hook, Idle, Observer, Placement, Profile, Promises, Route, Routing, Technique, Write,
};
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
    /// Writes to the first group, and their times.
    young: VecDeque<(u64, Unit)>,
    /// Where the unit that the host writes is to go.
    host_group: u32,
    /// Units written by the host and moved, by the group where they went.
    host: [u64; 2],
    moved: [u64; 2],
    /// Units that were to be moved out of the first group.
    leaving: u64,
}

impl Dispatcher {
    pub fn new(moves_old: bool) -> Self {
        Self { moves_old, ..Self::default() }
    }

    fn way_to(&mut self, state: &DriveState, group: u32, stream: StreamId) -> Route {
        match state.geometry.is_mixed() {
            true => Route::Group { group: group as usize, stream },
            false => Route::Scope { scope: self.scope(state, group), stream },
        }
    }

    fn scope(&mut self, state: &DriveState, group: u32) -> ScopeId {
        let geometry = &state.geometry;
        let (dies, planes) = (geometry.dies().count() / 2, geometry.groups[0].planes_per_die);
        let turn = &mut self.turns[group as usize];
        *turn = (*turn + 1) % (dies * planes);
        let (die, plane) = (*turn % dies * 2 + group, *turn / dies);
        state.layout.scope_of(PlaneId(die * planes + plane))
    }
}

fn group_of(state: &DriveState, unit: Unit) -> u32 {
    let (block, _) = state.geometry.locate(unit);
    match state.geometry.is_mixed() {
        true => state.geometry.group_of(block) as u32,
        false => state.geometry.die_of(state.geometry.plane_of(block)).0 % 2,
    }
}

impl Technique for Dispatcher {
    fn profile(&self) -> Profile {
        Profile::of(match self.moves_old {
            true => &[Hook::Route, Hook::Idle, Hook::Promises],
            false => &[Hook::Route],
        })
    }

    fn idle(&mut self, state: &DriveState, _: &dyn Load, now_ns: u64) -> Idle {
        while self.due_ns() <= now_ns {
            let Some((_, unit)) = self.young.pop_front() else { break };
            let (block, place) = state.geometry.locate(unit);
            if state.valid.get(block, place) {
                return Idle::Move(unit);
            }
        }
        Idle::Nothing
    }

    fn routing(&self) -> Option<&dyn Routing> {
        Some(self)
    }

    fn routing_mut(&mut self) -> Option<&mut dyn Routing> {
        Some(self)
    }

    fn promises(&self) -> Option<&dyn Promises> {
        Some(self)
    }

    fn promises_mut(&mut self) -> Option<&mut dyn Promises> {
        Some(self)
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        let counts = [
            ("small", self.host[0]),
            ("large", self.host[1]),
            ("moved_to_first", self.moved[0]),
            ("moved_to_second", self.moved[1]),
            ("leaving", self.leaving),
        ];
        counts.map(|(name, count)| (name.to_owned(), count.into())).into_iter().collect()
    }
}

impl Routing for Dispatcher {
    fn route(&mut self, state: &DriveState, write: &Write<'_>) -> Option<Route> {
        let group = match &write.request {
            Some(request) if request.request_bytes <= SMALL_BYTES => 0,
            // Whatever is moved is old.
            _ => 1,
        };
        if write.cause == Cause::Host {
            self.host_group = group;
        } else {
            self.leaving += u64::from(write.old.is_some() && group_of(state, write.old) == 0);
        }
        Some(self.way_to(state, group, write.stream))
    }
}

impl Placement for Dispatcher {}

impl Cells for Dispatcher {}

impl Promises for Dispatcher {
    fn overdue(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle {
        self.idle(state, load, now_ns)
    }

    fn due_ns(&self) -> u64 {
        match self.young.front() {
            Some((at_ns, _)) if self.moves_old => at_ns + OLD_NS,
            _ => u64::MAX,
        }
    }
}

impl Observer for Dispatcher {
    fn written(
        &mut self,
        state: &DriveState,
        &Located { unit, .. }: &Located,
        cause: Cause,
        now_ns: u64,
    ) {
        let group = group_of(state, unit);
        if cause == Cause::Host {
            // With one collector for the drive, a plane without erased blocks takes one elsewhere.
            let planes_per_die = state.geometry.groups[0].planes_per_die;
            let has_own_blocks = state.geometry.is_mixed()
                || state.layout.fillings[0].domain_planes <= planes_per_die;
            assert!(group == self.host_group || !has_own_blocks, "unit {unit}, group {group}");
            self.host[group as usize] += 1;
        } else {
            self.moved[group as usize] += 1;
        }
        if group == 0 {
            self.young.push_back((now_ns, unit));
        }
    }

    /// Nobody chose where this stands, and it is neither young nor counted.
    fn preset(&mut self, _: &DriveState, _: BlockId) {}
}

/// Four dies of 16 blocks of 8 pages, two on each of two channels.
fn four_dies(allocation: Allocation) -> Config {
    let mut config = drive(Cell::Slc, 8, &[600.0]);
    config.drive.channels = 2;
    config.drive.chips_per_channel = 2;
    config.ftl.allocation = allocation;
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
    for allocation in [Allocation::Cwdp, Allocation::Pdwc, Allocation::Dynamic] {
        for result in everywhere(&four_dies(allocation), || Dispatcher::new(false), &requests) {
            let of = |name| figure(&result, name);
            assert_eq!((of("small"), of("large")), (6000 - large, 2 * large));
            // Every move goes to the second group, unless that has nothing to spare.
            let moved = of("moved_to_first") + of("moved_to_second");
            assert_eq!((moved, moved), (result.flash.page_programs.gc, result.gc.pages_moved));
            assert!(of("moved_to_first") < of("leaving"), "{:?}", result.technique);
        }
    }
}

/// Two SLC dies and two TLC dies, one of each on each of two channels; TLC in word lines of both
/// planes, 12 units of 4 KiB at a time.
pub fn two_kinds(allocation: Allocation) -> Config {
    let mut config = four_dies(allocation);
    config.ftl.mapping_unit_kib = 4.0;
    let mut fast = GroupConfig { chip: config.drive.chip.clone(), ..GroupConfig::default() };
    fast.chip.program_uj = PerPage::One(3.0);
    fast.chip.erase_uj = 40.0;
    let mut large = fast.clone();
    let chip = &mut large.chip;
    (chip.cell, chip.program) = (Cell::Tlc, ProgramUnit::FullSequence);
    (chip.planes, chip.multi_plane) = (2, true);
    (chip.pages_per_block, chip.page_kib) = (12, 8.0);
    chip.program_us = PerPage::One(1500.0);
    (chip.erase_ms, chip.erase_uj) = (10.0, 300.0);
    chip.program_uj = PerPage::One(5.0);
    chip.endurance_pec = 1000;
    fast.chip.endurance_pec = 50_000;
    config.drive.group = [("a-fast".into(), fast), ("b-large".into(), large)].into();
    config
}

#[test]
fn requests_choose_their_kind_of_flash() {
    let requests = small_and_large(6000);
    let large = requests.iter().filter(|request| request.size_bytes > SMALL_BYTES).count() as u64;
    let by_address = [Allocation::Cwdp, Allocation::Pdwc]
        .map(|allocation| everywhere(&two_kinds(allocation), || Dispatcher::new(false), &requests));
    // Which die is free first depends on time.
    let by_load = schedulers(&two_kinds(Allocation::Dynamic))
        .map(|config| run(&config, Dispatcher::new(false), requests.clone()));
    for results in by_address.into_iter().chain([by_load]) {
        for result in results {
            let of = |name| figure(&result, name);
            assert_eq!((of("small"), of("large")), (6000 - large, 2 * large));
            let moved = of("moved_to_first") + of("moved_to_second");
            assert_eq!((moved, moved), (result.flash.page_programs.gc, result.gc.pages_moved));
            assert!(of("moved_to_first") < of("leaving"), "{:?}", result.technique);
            let [fast, large] = &result.wear.groups[..] else { panic!("two groups") };
            assert!(fast.erases_min > 0 && large.erases_max > 0);
            assert_energy(&result);
        }
    }
}

/// Energy and time of erases are those of each kind, and of the program rows of each.
fn assert_energy(result: &RunResult) {
    let [fast, large] = &result.wear.groups[..] else { panic!("two groups") };
    let erases = [fast, large].map(|group| group.erases_mean * group.blocks as f64);
    let erase_mj = (40.0 * erases[0] + 300.0 * erases[1]) / 1000.0;
    assert!((result.energy_mj.erase - erase_mj).abs() < 1e-9, "{:?}", result.energy_mj);
    // SLC takes a page a unit, TLC six pages of 5 uJ for 12 units, filled or not.
    let units = (result.flash.page_programs.total() + result.flash.padding) as f64;
    let in_fast = (2.5 * units - 1000.0 * result.energy_mj.program) / -0.5;
    assert!((in_fast - in_fast.round()).abs() < 1e-6 && in_fast > 0.0 && in_fast < units);
    let spent = [fast.erases_mean / 50_000.0, large.erases_mean / 1000.0];
    assert_eq!([fast.spent_lifetime, large.spent_lifetime], spent.map(Some));
    assert_eq!(result.wear.spent_lifetime, Some(spent[0].max(spent[1])));
}

#[test]
fn each_kind_takes_its_own_time() {
    let mut config = two_kinds(Allocation::Cwdp);
    config.run.mode = RunMode::Timed;
    config.drive.group.get_mut("b-large").unwrap().chip.transfer_mb_s = 4096.0 / 20.0;
    let (small, large) = ([at(0, Op::Write, 0, 1)], [at(0, Op::Write, 0, 12)]);
    let us = |requests: &[Request]| {
        let result = run(&config, Dispatcher::new(false), requests.to_vec());
        (result.host.write.mean_us, result.host.read.mean_us)
    };
    // 10 us on the channel for a unit, 20 on that of the large kind, whose program takes 12 units.
    assert_eq!(us(&small).0, 10.0 + 600.0);
    assert_eq!(us(&large).0, 12.0 * 20.0 + 1500.0);
    let read = at(10_000, Op::Read, 0, 1);
    assert_eq!(us(&[small[0], read]).1, 50.0 + 10.0);
    assert_eq!(us(&[large[0], read]).1, 50.0 + 20.0);
}

#[test]
fn data_moves_when_it_is_old() {
    // 40 pages, of which the first 10 are written again before they are old.
    let first = (0..40).map(|page| at(page * 1000, Op::Write, page, 1));
    let again = (0..10).map(|page| at(45_000 + page * 100, Op::Write, page, 1));
    for (until_us, moved) in [(59_999, 0), (60_001, 1), (90_000, 30), (200_000, 40)] {
        let end = [at(until_us, Op::Read, 39, 1)];
        let requests: Vec<Request> = first.clone().chain(again.clone()).chain(end).collect();
        let drives = [four_dies(Allocation::Cwdp), two_kinds(Allocation::Cwdp)];
        let runs = drives.iter().map(|it| everywhere(it, || Dispatcher::new(true), &requests));
        for result in runs.flatten() {
            assert_eq!(figure(&result, "moved_to_second"), moved);
            assert_eq!(result.flash.page_programs.technique, moved);
            assert_eq!(result.flash.page_reads.technique, moved);
        }
    }
}

#[test]
fn a_fill_goes_where_the_technique_says() {
    // A sequential fill comes in large requests, a random one in small ones.
    for (pattern, kind) in [(Pattern::Sequential, 1), (Pattern::Random, 0)] {
        let mut config = two_kinds(Allocation::Cwdp);
        (config.precondition.pattern, config.precondition.fill) = (pattern, 0.1);
        for config in schedulers(&config) {
            let result = run(&config, Dispatcher::new(false), Vec::new());
            let valid: Vec<u64> =
                result.wear.groups.iter().map(|group| group.valid_pages).collect();
            let filled = (logical_units(&config) as f64 * 0.1).round() as u64;
            assert_eq!((valid[kind], valid[1 - kind]), (filled, 0), "{pattern}");
            assert_eq!((result.wear.erases_max, result.flash.page_programs.total()), (0, 0));
        }
    }
}
