//! A technique that fills blocks only in part leaves less room than the configuration promises: the
//! drive turns read-only in good order, and never goes in circles.

use crate::common::{Script, write};
use crate::harness::{drive, logical_units, run, schedulers};
use crate::reprogram::random_writes;
use wordline_sim::config::{Cell, Config, GcMode, Pattern};
use wordline_sim::drive::{DriveState, Shape};

use wordline_sim::ids::{BlockId, PlaneId, StreamId};
use wordline_sim::technique::{
    Cells, Hook, Observer, Open, Placement, Profile, Routing, Technique,
};
use wordline_sim::theory::{Cleaning, profile};
use wordline_sim::{Error, with};
use wordline_trace::Request;

/// Two of three pages of every block, whoever fills it.
struct TwoThirds {
    /// True to say that pages left out are no gain.
    says_so: bool,
    /// What it says of its capacity.
    capacity_share: f64,
}

impl Technique for TwoThirds {
    fn profile(&self) -> Profile {
        Profile {
            places_fill: true,
            capacity_share: self.capacity_share,
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

impl Placement for TwoThirds {
    fn open(&mut self, _: &DriveState, _: StreamId, _: PlaneId) -> Open {
        Open::Erased(Some(Shape { step: 3, ..Shape::dense(2) }))
    }
}

impl Routing for TwoThirds {
    fn victim_cost(&self, state: &DriveState, block: BlockId) -> u32 {
        let unused = if self.says_so { state.geometry.stride / 3 } else { 0 };
        state.blocks[block].valid + unused
    }
}

impl Cells for TwoThirds {}

impl Observer for TwoThirds {}

/// 16 blocks of 12 pages, of which 8 can be used.
fn two_thirds(over_provisioning: f64) -> Config {
    let mut config = drive(Cell::Tlc, 12, &[500.0, 600.0, 900.0]);
    config.drive.over_provisioning = over_provisioning;
    config
}

fn fill_then_random(config: &Config) -> Vec<Request> {
    let first = (0..logical_units(config)).map(write);
    let mut requests: Vec<Request> = first.chain(random_writes(config, 2000)).collect();
    // With a pause after every tenth.
    for (request, n) in requests.iter_mut().zip(0..) {
        request.arrival_ns = n / 10 * 20_000_000;
    }
    requests
}

#[test]
fn a_drive_with_too_little_room_turns_read_only() {
    for (says_so, mode) in [
        (true, GcMode::Foreground),
        (false, GcMode::Foreground),
        (false, GcMode::Background),
        (false, GcMode::Preemptible),
    ] {
        for (over_provisioning, refuses) in [(0.6, true), (1.0, false)] {
            let mut config = two_thirds(over_provisioning);
            config.ftl.gc.mode = mode;
            config.ftl.gc.idle_us = 500.0;
            for config in schedulers(&config) {
                let result = run(
                    &config,
                    TwoThirds { says_so, capacity_share: 1.0 },
                    fill_then_random(&config),
                );
                assert_eq!(result.host.refused_writes > 0, refuses, "{:?}", result.host);
                assert_eq!(result.wear.read_only_at_s.is_some(), refuses);
            }
        }
    }
}

#[test]
fn idle_time_wears_no_drive_that_gains_nothing() {
    for mode in [GcMode::Background, GcMode::Preemptible] {
        let mut config = two_thirds(0.6);
        (config.ftl.gc.mode, config.ftl.gc.idle_us) = (mode, 500.0);
        let requests = fill_then_random(&config);
        let last_ns = requests[requests.len() - 1].arrival_ns;
        let erases = |pause_ns| {
            let mut requests = requests.clone();
            requests.push(Request { arrival_ns: last_ns + pause_ns, ..write(0) });
            let technique = TwoThirds { says_so: false, capacity_share: 1.0 };
            run(&config, technique, requests).flash.erases
        };
        let (second, hour) = (erases(1_000_000_000), erases(3_600_000_000_000));
        assert_eq!(second, hour, "{mode}");
    }
}

#[test]
fn a_technique_that_says_what_it_gives_up_is_refused_the_drive() {
    let built = |over_provisioning, capacity_share| {
        let technique = TwoThirds { says_so: true, capacity_share };
        with(&two_thirds(over_provisioning), technique, Script::source(Vec::new()), &mut ())
    };
    let refused = built(0.6, 2.0 / 3.0).expect_err("8 of 12 pages of a block are too few");
    assert!(matches!(&refused, Error::Infeasible { what, .. } if what.contains("(8 in a block)")));
    assert!(built(0.6, 1.0).is_ok() && built(1.0, 2.0 / 3.0).is_ok());
}

/// For GC, blocks of 12 pages of which 8 can be used are blocks of 8.
#[test]
fn a_steady_state_has_no_more_data_in_a_block_than_can_stand_there() {
    let mut config = two_thirds(1.0);
    config.drive.chip.blocks_per_plane = 1024;
    config.precondition.pattern = Pattern::Steady;
    let technique = TwoThirds { says_so: true, capacity_share: 2.0 / 3.0 };
    let result = run(&config, technique, random_writes(&config, 20_000));
    let theory = profile(Cleaning::Greedy, result.capacity.alpha, 8).write_amplification;
    let expected = result.steady_state.preconditioning["expected_write_amplification"].as_f64();
    let measured = result.write_amplification.expect("there are writes");
    assert!((measured / theory - 1.0).abs() < 0.03, "{measured}, in theory {theory}");
    assert!(expected.is_some_and(|wa| (wa / theory - 1.0).abs() < 0.03), "{expected:?} {theory}");
}
