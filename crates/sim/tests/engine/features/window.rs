//! The queue of the host's driver, which has only so many requests outstanding.

use super::column;
use crate::common::{at, outcome, run, tiny, tiny_timed, write};
use wordline_sim::config::{Config, HostMode, RunMode, WindowOrder};
use wordline_trace::{Op, Request};

fn behind(window: u64, order: WindowOrder) -> Config {
    let mut config = tiny_timed();
    config.host.window = window;
    config.host.window_order = order;
    config.run.records = true;
    config
}

/// Writes that one die serves one after the other, 610 us each, in the order in which they reach it.
fn burst() -> Vec<Request> {
    let arrivals = [(0, 5), (1, 9), (2, 3), (3, 6), (4, 5), (9000, 1)];
    arrivals.map(|(us, page)| at(us, Op::Write, page, 1)).to_vec()
}

/// Times of arrival of the burst in the order of its ends, and latencies, in microseconds.
fn served(config: &Config) -> (Vec<u64>, Vec<u64>) {
    let records = outcome(config, burst()).expect("it works").records;
    let us = |name| column(&records, name).into_iter().map(|ns| ns / 1000).collect();
    (us("arrival_ns"), us("latency_ns"))
}

#[test]
fn requests_wait_in_the_driver_and_their_latency_counts_from_there() {
    let as_they_came: Vec<u64> = (0..5).map(|n| 610 * (n + 1) - n).chain([610]).collect();
    for window in [0, 1, 2, 20] {
        let (arrivals, latencies) = served(&behind(window, WindowOrder::Arrival));
        assert_eq!(arrivals, [0, 1, 2, 3, 4, 9000], "window of {window}");
        assert_eq!(latencies, as_they_came, "window of {window}");
    }
}

#[test]
fn by_c_look_they_leave_upwards_from_the_last_and_then_from_the_lowest() {
    let (arrivals, latencies) = served(&behind(1, WindowOrder::CLook));
    assert_eq!(arrivals, [0, 4, 3, 1, 2, 9000], "pages 5, 5, 6, 9, 3, 1");
    assert_eq!(latencies, [610, 1216, 1827, 2439, 3048, 610]);
    // Two are with the drive; the queue is sorted behind them, from page 9 on.
    let (arrivals, _) = served(&behind(2, WindowOrder::CLook));
    assert_eq!(arrivals, [0, 1, 2, 4, 3, 9000], "pages 5, 9, 3, 5, 6, 1");
}

/// A request that comes when all others are over is sent when it arrives, not when the last of them ended.
#[test]
fn a_request_is_not_sent_before_it_arrives() {
    let mut config = behind(1, WindowOrder::Arrival);
    config.host.overhead_us = 7.0;
    let writes = [at(0, Op::Write, 0, 1), at(9000, Op::Write, 1, 1)];
    let records = outcome(&config, writes.to_vec()).expect("it works").records;
    assert_eq!(column(&records, "latency_ns"), [617_000; 2]);
}

/// A read that has crossed the bus makes room, not one whose page has come.
#[test]
fn a_request_is_outstanding_until_its_data_has_crossed_the_bus() {
    let mut config = behind(1, WindowOrder::Arrival);
    config.host.bus_mb_s = 4096.0 / 100.0; // 100 us a page
    let requests = [(0, Op::Write), (5000, Op::Read), (5000, Op::Read)];
    let requests = requests.map(|(us, op)| at(us, op, 0, 1)).to_vec();
    let records = outcome(&config, requests).expect("it works").records;
    assert_eq!(column(&records, "latency_ns"), [710_000, 160_000, 320_000]);
}

#[test]
fn what_waits_at_the_end_is_served() {
    let result = run(&behind(1, WindowOrder::CLook), (0..12).map(write).collect());
    assert_eq!((result.host.write.count, result.host.write.max_us), (12, 12.0 * 610.0));
}

/// No window holds back a closed loop, or a run without time.
#[test]
fn other_ways_of_running_have_no_window() {
    let mut config = behind(1, WindowOrder::CLook);
    config.host.mode = HostMode::Closed;
    config.host.queue_depth = 3;
    let records = outcome(&config, (0..9).map(write).collect()).expect("it works").records;
    assert_eq!(column(&records, "arrival_ns")[..4], [0, 0, 0, 610_000]);
    let mut config = tiny();
    config.host.window = 1;
    assert_eq!(config.run.mode, RunMode::Count);
    assert_eq!(run(&config, burst()).flash.page_programs.host, 6);
}

#[test]
fn power_goes_off_by_arrivals_and_so_without_a_window() {
    let mut config = behind(1, WindowOrder::Arrival);
    (config.host.power_off.at_s, config.host.power_off.for_s) = (vec![0.001], vec![1.0]);
    let Err(refused) = outcome(&config, burst()) else { panic!("it is accepted") };
    assert!(refused.to_string().contains("host.window to 0"), "{refused}");
}
