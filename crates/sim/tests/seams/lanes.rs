//! Planes that work together, but whose blocks are not alike: an operation takes as long as the slowest
//! of them, and each plane takes its own energy.

use crate::common::{Dice, at, tiny_timed};
use crate::harness::{logical_units, schedulers};
use serde_json::{Map, Value};
use wordline_sim::config::{Config, PerPage, ReadErrors, RunMode};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::BlockId;
use wordline_sim::metrics::RunResult;
use wordline_sim::nand::{Flash, Loops, OpRow, OpTable, Pulse};
use wordline_sim::technique::ErasePlan;
use wordline_sim::technique::erase::EraseScheme;
use wordline_sim::{Own, simulate_own};
use wordline_trace::{Op, Request};

/// Blocks of the slow plane are programmed in 900 us instead of 600 and sensed in 90 instead of 50, their
/// erases take a pulse more; each plane senses its pages as often as `sensings` says.
#[derive(Clone, Default)]
struct Unlike {
    slow_plane: u32,
    sensings: [u32; 2],
    rows: (u8, u8),
    erase_nj: u64,
    /// A block that is worn out after so many P/E cycles.
    weakest: Option<(BlockId, u32)>,
}

impl Unlike {
    fn plane_of(state: &DriveState, block: BlockId) -> u32 {
        state.flash().plane_of(block).0
    }

    fn rows_of(&self, state: &DriveState, block: BlockId) -> (u8, u8) {
        let rows = state.ops.of_group(0);
        match Self::plane_of(state, block) == self.slow_plane {
            true => self.rows,
            false => (rows.program, rows.read),
        }
    }
}

impl EraseScheme for Unlike {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        let row = |table: &OpTable, row, us: u64, uj: u64| OpRow {
            array_ns: [us * 1000; 4],
            energy_nj: [uj * 1000; 4],
            ..OpRow::clone(table.row(row))
        };
        let (program, read) =
            (row(table, flash.rows.program, 900, 7), row(table, flash.rows.read, 90, 3));
        self.rows = (table.push(program), table.push(read));
    }

    fn first_rows(&mut self, state: &DriveState, block: BlockId) -> (u8, u8) {
        self.rows_of(state, block)
    }

    fn plan(&mut self, state: &DriveState, block: BlockId) -> ErasePlan {
        let slow = Self::plane_of(state, block) == self.slow_plane;
        let pulse =
            Pulse { pulse_ns: 1_000_000, may_suspend: true, energy_nj: 10_000, ..Pulse::default() };
        let loops: Loops = (0..if slow { 2 } else { 1 }).map(|_| pulse).collect();
        self.erase_nj += loops.energy_nj();
        let (program_row, read_row) = self.rows_of(state, block);
        let deferred = Loops::default();
        let retire = self.weakest == Some((block, state.cycles_of(block) + 1));
        ErasePlan { loops, deferred, retire, program_row, read_row }
    }

    fn short_errors(&self, state: &DriveState, block: BlockId) -> f64 {
        // Of 72 errors that the code corrects, three quarters are left at the last sensing.
        let sensings = self.sensings[Self::plane_of(state, block) as usize];
        54.0 * f64::from(1 << (sensings - 1))
    }

    fn metrics(&self, _: &DriveState) -> Map<String, Value> {
        [("energy_nj".to_owned(), self.erase_nj.into())].into_iter().collect()
    }
}

/// A die of two planes that work together.
fn two_planes() -> Config {
    let mut config = tiny_timed();
    config.drive.reads.model = ReadErrors::Cell;
    let chip = &mut config.drive.chip;
    (chip.planes, chip.multi_plane) = (2, true);
    chip.program_uj = PerPage::One(5.0);
    chip.read_uj = PerPage::One(1.0);
    config
}

fn run(config: &Config, scheme: &Unlike, requests: &[Request]) -> RunResult {
    let source = crate::common::Script::source(requests.to_vec());
    let own = Own { erase: Some(Box::new(scheme.clone())), ..Own::default() };
    simulate_own(config, own, source, &mut ()).expect("the drive works").result
}

#[test]
fn a_program_takes_as_long_as_the_slowest_plane() {
    for slow_plane in [0, 1] {
        let scheme = Unlike { slow_plane, sensings: [1, 1], ..Unlike::default() };
        for config in schedulers(&two_planes()) {
            let result = run(&config, &scheme, &[at(0, Op::Write, 0, 2)]);
            assert_eq!(result.flash.program_operations, 1);
            assert!((result.energy_mj.program - 0.012).abs() < 1e-12, "{:?}", result.energy_mj);
            if config.run.mode == RunMode::Timed {
                assert_eq!(result.host.write.max_us, 20.0 + 900.0, "plane {slow_plane} is slow");
            }
        }
    }
}

#[test]
fn a_read_takes_as_long_as_the_slowest_plane() {
    // Of the plane that is not slow, then of the slow one: sensings, time of the array, energy.
    let cases = [([1, 1], 90.0, 4.0), ([1, 3], 270.0, 10.0), ([4, 2], 200.0, 10.0)];
    for (slow_plane, (sensings, array_us, uj)) in
        [0, 1].into_iter().flat_map(|plane| cases.map(|case| (plane, case)))
    {
        let [other, slow] = sensings;
        let sensings = if slow_plane == 0 { [slow, other] } else { [other, slow] };
        let scheme = Unlike { slow_plane, sensings, ..Unlike::default() };
        for config in schedulers(&two_planes()) {
            let requests = [at(0, Op::Write, 0, 2), at(10_000, Op::Read, 0, 2)];
            let result = run(&config, &scheme, &requests);
            assert_eq!(result.flash.page_reads.host, 2);
            assert!((result.energy_mj.read - uj / 1000.0).abs() < 1e-12, "{:?}", result.energy_mj);
            if config.run.mode == RunMode::Timed {
                assert_eq!(result.host.read.max_us, array_us + 20.0, "{slow_plane} {sensings:?}");
            }
        }
    }
}

#[test]
fn an_erase_takes_the_time_of_the_longest_and_the_energy_of_each() {
    let config = two_planes();
    let (mut dice, units) = (Dice::new(3), logical_units(&config));
    let requests: Vec<Request> =
        (0..4000).map(|n| at(n * 5000, Op::Write, dice.below(units / 2) * 2, 2)).collect();
    let scheme = Unlike { slow_plane: 1, sensings: [1, 1], ..Unlike::default() };
    for config in schedulers(&config) {
        let result = run(&config, &scheme, &requests);
        assert!(result.flash.erases > 100);
        let planned_mj = result.erase["energy_nj"].as_f64().expect("a number") / 1e6;
        assert!((result.energy_mj.erase - planned_mj).abs() < 1e-9, "{:?}", result.energy_mj);
    }
}

/// Two dies of a plane, in superblocks of both.
fn superblocks_of_two_dies() -> Config {
    let mut config = tiny_timed();
    config.drive.channels = 2;
    config.ftl.superblock_dies = 2;
    config
}

/// Writes over and over the whole drive, so that GC moves nothing.
fn cyclic_writes(config: &Config, count: u64) -> Vec<Request> {
    let units = logical_units(config);
    (0..count).map(|n| at(n * 5000, Op::Write, n * 2 % units, 2)).collect()
}

#[test]
fn each_die_of_a_superblock_is_erased_as_its_own_block_asks() {
    let config = superblocks_of_two_dies();
    let scheme = Unlike { slow_plane: 1, sensings: [1, 1], ..Unlike::default() };
    for config in schedulers(&config) {
        let result = run(&config, &scheme, &cyclic_writes(&config, 4000));
        let erases = result.flash.erases;
        assert!(erases > 100);
        assert_eq!(result.gc.pages_moved, 0);
        // A pulse of 10 uJ on the one die, two on the other.
        let erase_mj = erases as f64 / 2.0 * 0.03;
        assert!((result.energy_mj.erase - erase_mj).abs() < 1e-9, "{:?}", result.energy_mj);
        if config.run.mode == RunMode::Timed {
            // The rows of the slower block hold for both, so its further pulse is what sets them apart.
            let busy = &result.flash.die_utilisation;
            let apart_ms = (busy[1] - busy[0]) * result.workload.duration_s * 1e3;
            assert!((apart_ms / (erases as f64 / 2.0) - 1.0).abs() < 1e-6, "{apart_ms} {erases}");
        }
    }
}

#[test]
fn a_superblock_lasts_as_long_as_its_weakest_block() {
    let config = superblocks_of_two_dies();
    let blocks = config.drive.chip.blocks_per_plane as u32;
    for weakest in [BlockId(3), BlockId(blocks + 3)] {
        let scheme = Unlike { sensings: [1, 1], weakest: Some((weakest, 4)), ..Unlike::default() };
        let result = run(&config, &scheme, &cyclic_writes(&config, 4000));
        assert_eq!(result.wear.worn_out_blocks, 2, "{weakest}");
    }
}
