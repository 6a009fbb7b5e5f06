//! Techniques that give up a share of the capacity, another one in each kind of flash.

use crate::common::Script;
use crate::harness::{drive, run_hooks};
use crate::reprogram::random_writes;
use wordline_sim::config::{Cell, Config, GroupConfig, Pattern, RunMode};
use wordline_sim::drive::{DriveState, Shape};
use wordline_sim::ids::{BlockId, PlaneId, StreamId};
use wordline_sim::technique::{
    Cells, Hook, Observer, Open, Placement, Profile, Routing, Stack, Technique,
};
use wordline_sim::theory::{Cleaning, profile};
use wordline_sim::{Error, Own, with_own};

/// Pages of a block.
const PAGES: u32 = 12;

/// In its kind of flash only some of the pages are used, out of every six.
struct Partly {
    group: usize,
    of_six: u32,
}

impl Technique for Partly {
    fn profile(&self) -> Profile {
        Profile {
            places_fill: true,
            group: Some(self.group),
            capacity_share: f64::from(self.of_six) / 6.0,
            ..Profile::of(&[Hook::Placement, Hook::VictimCost])
        }
    }

    fn routing(&self) -> Option<&dyn Routing> {
        Some(self)
    }

    fn routing_mut(&mut self) -> Option<&mut dyn Routing> {
        Some(self)
    }
}

impl Placement for Partly {
    fn open(&mut self, _: &DriveState, _: StreamId, _: PlaneId) -> Open {
        Open::Erased(Some(Shape { step: 6, ..Shape::dense(self.of_six) }))
    }
}

impl Routing for Partly {
    fn victim_cost(&self, state: &DriveState, block: BlockId) -> u32 {
        state.blocks[block].valid + PAGES - PAGES / 6 * self.of_six
    }
}

impl Cells for Partly {}

impl Observer for Partly {}

/// One such technique in each kind of flash.
fn partly(of_six: [u32; 2]) -> Stack {
    let one = |group: usize| -> (String, Box<dyn Technique>) {
        (group.to_string(), Box::new(Partly { group, of_six: of_six[group] }))
    };
    Stack::new(vec![one(0), one(1)]).expect("each has a kind of flash of its own")
}

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
        let nothing = Script::source(Vec::new());
        match with_own(&config, partly(of_six), Own::default(), nothing, &mut ()) {
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
fn deviations(of_six: [u32; 2]) -> [f64; 2] {
    let used = of_six.map(|pages| f64::from(PAGES / 6 * pages));
    let mut config = two_groups(512, 2.0);
    config.precondition.pattern = Pattern::Steady;
    let result = run_hooks(&config, partly(of_six), random_writes(&config, 60_000));
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
        let deviations = deviations(of_six);
        assert!(deviations.iter().all(|by| by.abs() < 0.03), "{of_six:?}: {deviations:?}");
    }
}
