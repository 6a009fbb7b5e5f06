//! The controller's cores, each of which takes one request after the other.

use super::column;
use crate::common::{at, outcome, run, tiny_timed, write};
use wordline_sim::config::{Config, HostMode, ServiceOrder};
use wordline_trace::{Op, Request};

/// Reads of what was never written, in a closed loop: no flash takes part.
fn reads(controller_us: f64, cores: u64) -> Config {
    let mut config = tiny_timed();
    (config.host.mode, config.host.queue_depth) = (HostMode::Closed, 64);
    (config.host.controller_us, config.host.controller_cores) = (controller_us, cores);
    config
}

fn pages(count: u64) -> Vec<Request> {
    (0..count).map(|n| at(0, Op::Read, n % 16, 1)).collect()
}

#[test]
fn a_drive_has_as_many_requests_a_second_as_its_cores_take() {
    for &order in ServiceOrder::ALL {
        for (controller_us, cores) in [(5.0, 1), (5.0, 4), (0.8, 3), (12.0, 64)] {
            let mut config = reads(controller_us, cores);
            config.drive.scheduling.order = order;
            // That delays each request and occupies no core: it caps nothing.
            config.host.overhead_us = 7.0;
            config.host.queue_depth = 40 * cores;
            let result = run(&config, pages(192 * cores));
            let (found_s, expected_s) =
                (result.workload.duration_s, (192.0 * controller_us + 7.0) / 1e6);
            let of = format!("{order:?}, {cores} cores of {controller_us} us");
            assert!((found_s - expected_s).abs() < 1e-12, "{of}: {found_s}");
            let cap = cores as f64 / controller_us * 1e6;
            let bound = result.host.iops_bound.expect("it is busy");
            assert!((bound / cap - 1.0).abs() < 1e-9, "{of}: {bound}");
        }
    }
}

#[test]
fn requests_take_cores_in_the_order_in_which_they_come() {
    let mut config = tiny_timed();
    (config.host.controller_us, config.host.controller_cores) = (10.0, 2);
    (config.host.breakdown, config.run.records) = (true, true);
    let arrivals = [0, 1, 2, 3, 100];
    let requests = arrivals.map(|us| at(us, Op::Read, us, 1)).to_vec();
    let outcome = outcome(&config, requests).expect("it works");
    assert_eq!(column(&outcome.records, "latency_ns"), [10_000, 10_000, 18_000, 18_000, 10_000]);
    let told = outcome.result.breakdown.expect("it was asked for").read;
    assert_eq!((told.controller_us, told.queue_us), ((3.0 * 10.0 + 2.0 * 18.0) / 5.0, 0.0));
}

/// A write takes a core before its data comes over the bus, and the flash works after that.
#[test]
fn a_core_is_taken_before_the_bus() {
    let mut config = reads(100.0, 1);
    (config.host.bus_mb_s, config.run.records) = (4096.0 / 30.0, true);
    let records = outcome(&config, vec![write(0), write(1)]).expect("it works").records;
    assert_eq!(column(&records, "latency_ns"), [740_000, 1_350_000]);
}
