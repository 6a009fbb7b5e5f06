//! A technique that gives up another share of the capacity in each kind of flash.

use crate::common::Script;
use crate::harness::{drive, run};
use crate::reprogram::random_writes;
use wordline_sim::config::{Cell, Config, GroupConfig, Pattern, RunMode};
use wordline_sim::drive::{DriveState, Shape};
use wordline_sim::ids::{BlockId, PlaneId, StreamId};
use wordline_sim::technique::{
    Background, Cells, Hook, Observer, Open, Placement, Routing, Technique,
};
use wordline_sim::theory::{Cleaning, profile};
use wordline_sim::{Error, with};

/// Pages of a block.
const PAGES: u32 = 12;

/// In each kind of flash only some of the pages are used, out of every six.
struct Partly {
    of_six: [u32; 2],
}

impl Technique for Partly {
    fn claims(&self) -> &[Hook] {
        &[Hook::Placement, Hook::VictimCost]
    }
}

impl Routing for Partly {}

impl Placement for Partly {
    fn capacity_share(&self, group: usize) -> f64 {
        f64::from(self.of_six[group]) / 6.0
    }

    fn open(&mut self, state: &DriveState, _: StreamId, plane: PlaneId) -> Open {
        let units = self.of_six[state.geometry.group_of_plane(plane)];
        Open::Erased(Some(Shape { step: 6, ..Shape::dense(units) }))
    }

    fn victim_cost(&self, state: &DriveState, block: BlockId) -> u32 {
        let used = PAGES / 6 * self.of_six[state.geometry.group_of(block)];
        state.blocks[block].valid + PAGES - used
    }
}

impl Cells for Partly {}

impl Background for Partly {}

impl Observer for Partly {}

/// A die of `blocks` blocks on each of two channels: two groups, `first` and `second`.
fn two_groups(blocks: u64, over_provisioning: f64) -> Config {
    let mut config = drive(Cell::Slc, u64::from(PAGES), &[500.0]);
    config.run.mode = RunMode::Count;
    config.drive.channels = 2;
    config.drive.over_provisioning = over_provisioning;
    config.drive.chip.blocks_per_plane = blocks;
    config.ftl.gc.free_block_threshold = 0.0;
    let chip = || config.drive.chip.clone();
    let on = |first_channel| GroupConfig {
        first_channel,
        channels: 1,
        chip: chip(),
        ..GroupConfig::default()
    };
    config.drive.group = [("first".into(), on(0)), ("second".into(), on(1))].into();
    config
}

#[test]
fn the_kind_is_refused_that_gives_up_too_much() {
    let refusal = |of_six, over_provisioning| {
        let config = two_groups(16, over_provisioning);
        let technique = Partly { of_six };
        match with(&config, technique, Script::source(Vec::new()), &mut ()) {
            Ok(_) => None,
            Err(Error::Infeasible { what, help }) => Some(format!("{what}; {help}")),
            Err(error) => panic!("{error}"),
        }
    };
    for (of_six, over_provisioning, refused) in [
        ([6, 6], 0.6, None),
        ([4, 6], 0.6, Some(("first", "(8 in a block)"))),
        ([6, 4], 0.6, Some(("second", "(8 in a block)"))),
        ([4, 4], 1.2, None),
        ([4, 3], 1.2, Some(("second", "(6 in a block)"))),
        ([3, 4], 1.2, Some(("first", "(6 in a block)"))),
        ([3, 4], 2.0, None),
    ] {
        let said = refusal(of_six, over_provisioning);
        let case = format!("{of_six:?} {over_provisioning}: {said:?}");
        assert_eq!(said.is_some(), refused.is_some(), "{case}");
        if let (Some(said), Some((group, blocks))) = (said, refused) {
            assert!(said.contains(&format!("drive.group.{group}.chip")), "{case}");
            assert!(said.contains(blocks), "{case}");
        }
    }
}

/// Write amplification of each group, measured over the closed form for blocks of the pages that
/// are used there.
fn deviations(technique: Partly) -> [f64; 2] {
    let used = technique.of_six.map(|pages| f64::from(PAGES / 6 * pages));
    let mut config = two_groups(512, 2.0);
    config.precondition.pattern = Pattern::Steady;
    let result = run(&config, technique, random_writes(&config, 60_000));
    assert_eq!(result.host.refused_writes, 0);
    let groups = &result.wear.groups;
    let data: u64 = groups.iter().map(|group| group.valid_pages).sum();
    [0, 1].map(|at| {
        let group = &groups[at];
        let written = 60_000.0 * group.valid_pages as f64 / data as f64;
        let programmed = group.erases_mean * group.blocks as f64 * used[at];
        // One block is held back, and two are open: for the host and for GC.
        let log = (group.blocks - 3) as f64 * used[at];
        let alpha = log / group.valid_pages as f64;
        let theory = profile(Cleaning::Greedy, alpha, used[at] as usize).write_amplification;
        programmed / written / theory - 1.0
    })
}

/// For GC, a block in which only some pages can be used is a block of so many.
#[test]
fn each_kind_is_in_a_steady_state_of_its_own() {
    for of_six in [[6, 3], [4, 3], [3, 4]] {
        let deviations = deviations(Partly { of_six });
        assert!(deviations.iter().all(|by| by.abs() < 0.03), "{of_six:?}: {deviations:?}");
    }
}
