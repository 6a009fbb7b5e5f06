//! Placement identifiers: whose data goes to which reclaim unit, what garbage collection makes of it, what is counted.

mod model;
mod refusals;
mod splits;

use crate::common::{Dice, PAGE, logical_pages, run, tiny, write};
use model::Model;
use wordline_sim::config::{Config, Frontiers, GcMode, HostInterface, RunMode, Ties};
use wordline_sim::metrics::{FdpSummary, RunResult};
use wordline_trace::{Op, PlacementId, Request};

/// Two dies of so many blocks, each reclaim unit a block of both: 16 pages.
fn drive(blocks: u64, handles: u64) -> Config {
    let mut config = tiny();
    config.drive.channels = 2;
    config.drive.chip.blocks_per_plane = blocks;
    config.drive.over_provisioning = 0.3;
    config.ftl.superblock_dies = 2;
    config.ftl.gc.mode = GcMode::Foreground;
    config.ftl.gc.free_block_threshold = 0.05;
    config.host.interface = HostInterface::Fdp;
    config.host.fdp.handles = handles;
    config
}

fn to(id: u16, request: Request) -> Request {
    request.with_placement(Some(PlacementId(id)))
}

fn told(result: &RunResult) -> &FdpSummary {
    result.host.fdp.as_ref().expect("the drive takes identifiers")
}

/// Writes and trims at random over half of the space each, half of them hot, with identifiers that suit or not.
fn mixed_requests(config: &Config, count: u64, seed: u64) -> Vec<Request> {
    let (pages, mut dice) = (logical_pages(config), Dice::new(seed));
    let half = pages / 2;
    let random = |_| {
        let page = if dice.one_in(3) { half + dice.below(half) } else { dice.below(half / 4) };
        let request = write(page);
        match dice.below(12) {
            0 => Request { op: Op::Trim, ..request },
            1 => request,
            2 => to(900, request),
            _ => to(u16::from(page >= half) + 2 * u16::from(dice.one_in(9)), request),
        }
    };
    let fill = (0..pages).map(|page| to(u16::from(page >= half), write(page)));
    fill.collect::<Vec<_>>().into_iter().chain((0..count).map(random)).collect()
}

#[test]
fn a_drive_does_what_a_naive_model_of_it_does() {
    let persistent: &[&str] = &["persistent"];
    let isolations = [&["initial"], persistent, &["initial", "persistent", "initial"]];
    for frontiers in [Frontiers::Separate, Frontiers::Shared, Frontiers::Coldest] {
        for isolation in isolations {
            let mut config = drive(40, 3);
            config.ftl.frontiers = frontiers;
            config.ftl.gc.ties = Ties::Oldest;
            config.host.fdp.isolation = isolation.iter().map(|&it| it.to_owned()).collect();
            config.host.fdp.placement_handles = vec![1, 0, 2];
            let requests = mixed_requests(&config, 3000, 7);
            let expected = Model::run(&config, &requests);
            let result = run(&config, requests);
            assert_eq!(*told(&result), expected, "{frontiers} {isolation:?}");
            assert!(expected.events.media_reallocated > 20, "{expected:?}");
        }
    }
}

/// With time the same requests give the same counts, whoever decides when.
#[test]
fn time_changes_no_count() {
    let mut config = drive(40, 3);
    let requests = mixed_requests(&config, 2000, 5);
    let counted = told(&run(&config, requests.clone())).clone();
    config.run.mode = RunMode::Timed;
    assert_eq!(*told(&run(&config, requests)), counted);
}

/// Two logs that are written round and round side by side: apart, each reclaim unit dies whole. Together with random
/// writes, nothing does.
#[test]
fn sequential_overwrites_of_a_handle_cost_nothing() {
    let amplification = |ids: [u16; 2]| {
        let mut config = drive(60, 2);
        config.drive.over_provisioning = 0.2;
        config.run.measure_from_request = 4 * logical_pages(&config);
        let half = logical_pages(&config) / 2;
        let mut dice = Dice::new(3);
        // The second is three times as fast, in steps that are no divisor of a unit.
        let both = |n: u64| {
            let second = (0..3).map(move |k| to(ids[1], write(half + (3 * n + k) % half)));
            second.chain([to(ids[0], write(n % half))])
        };
        let mut requests: Vec<Request> = (0..3 * half).flat_map(both).collect();
        if ids[0] == ids[1] {
            // By chance one of both comes first.
            let last = requests.len() as u64;
            (0..last).for_each(|at| requests.swap(at as usize, dice.below(last) as usize));
        }
        run(&config, requests).write_amplification.expect("the host wrote")
    };
    assert_eq!(amplification([0, 1]), 1.0);
    assert!(amplification([0, 0]) > 1.5);
}

/// Objects that are trimmed whole and written anew, each of a reclaim unit: two at a time share units unless each has a
/// handle.
#[test]
fn objects_that_are_trimmed_whole_cost_nothing() {
    let moved = |ids: [u16; 2]| {
        let config = drive(60, 2);
        let (objects, mut dice) = (logical_pages(&config) / 16, Dice::new(9));
        let mut requests = Vec::new();
        for _ in 0..600 {
            let pair = [dice.below(objects / 2), objects / 2 + dice.below(objects / 2)];
            let all = |object: u64| Request::new(Op::Trim, object * 16 * PAGE, 16 * PAGE as u32);
            requests.extend(pair.map(all));
            for page in 0..16 {
                let both = pair.iter().zip(ids);
                requests.extend(both.map(|(object, id)| to(id, write(object * 16 + page))));
            }
        }
        run(&config, requests).gc.pages_moved
    };
    assert_eq!(moved([0, 1]), 0);
    assert!(moved([0, 0]) > 1000);
}

/// Each open unit is spare space that other data does not get.
#[test]
fn open_handles_take_their_units_from_the_spare_space() {
    let amplification = |blocks: u64, idle_handles: u16| {
        let mut config = drive(blocks, u64::from(idle_handles) + 1);
        config.ftl.frontiers = Frontiers::Shared;
        config.ftl.gc.free_block_threshold = 0.0;
        config.drive.over_provisioning = blocks as f64 / 60.0 - 1.0 - 1e-9;
        config.run.measure_from_request = 3000;
        let pages = logical_pages(&config);
        // One page of each other handle holds a unit open.
        let opened = (0..idle_handles).map(|id| to(id + 1, write(u64::from(id))));
        let mut dice = Dice::new(4);
        let used = 10..pages;
        let random = (0..30_000).map(|_| write(used.start + dice.below(used.end - used.start)));
        let fill = used.clone().map(write);
        let requests = opened.chain(fill).chain(random.collect::<Vec<_>>()).collect();
        (pages, run(&config, requests).write_amplification.expect("the host wrote"))
    };
    let ((pages, open), (same, smaller), (_, closed)) =
        (amplification(80, 10), amplification(70, 0), amplification(80, 0));
    assert_eq!(pages, same);
    assert!((open / smaller - 1.0).abs() < 0.02, "{open} {smaller}");
    assert!(open > 1.3 * closed, "{open} {closed}");
}

#[test]
fn what_was_there_before_belongs_to_the_first_identifier() {
    let mut config = drive(40, 3);
    config.precondition.pattern = wordline_sim::config::Pattern::Sequential;
    config.host.fdp.placement_handles = vec![2, 0];
    let result = run(&config, vec![to(1, write(0))]);
    let units: Vec<u64> = told(&result).handles.iter().map(|it| it.units.reclaim_units).collect();
    assert_eq!(units, [1, 0, logical_pages(&config).div_ceil(16)]);
}

/// A write that waits in the host's buffer goes to the handle of its last identifier.
#[test]
fn the_write_buffer_keeps_identifiers() {
    let mut config = drive(40, 3);
    config.host.write_buffer_mib = 4.0 * PAGE as f64 / f64::from(1 << 20);
    let requests = vec![to(0, write(0)), to(2, write(1)), to(1, write(0))];
    let requests = requests.into_iter().chain([Request::flush(0, 0)]).collect();
    let result = run(&config, requests);
    let of = |pick: fn(&wordline_sim::metrics::HandleSummary) -> u64| {
        told(&result).handles.iter().map(pick).collect::<Vec<u64>>()
    };
    assert_eq!(of(|it| it.host_bytes), [PAGE, PAGE, PAGE]);
    assert_eq!(of(|it| it.host_units), [0, 1, 1]);
}
