//! A closed loop that pauses between bursts.

use super::column;
use crate::common::{at, outcome, run, tiny, tiny_timed, write};
use wordline_sim::config::{Config, GcMode, HostMode, Streams};
use wordline_trace::{Op, Request};

/// Two in flight, and 10 ms after every third.
fn paced() -> Config {
    let mut config = tiny_timed();
    (config.host.mode, config.host.queue_depth) = (HostMode::Closed, 2);
    (config.host.burst_requests, config.host.pause_s) = (3, 0.01);
    config.run.records = true;
    config
}

/// When requests went, and how long they took, us.
fn served(config: &Config, requests: Vec<Request>) -> (Vec<u64>, Vec<u64>) {
    let records = outcome(config, requests).expect("it works").records;
    let us = |name| column(&records, name).into_iter().map(|ns| ns / 1000).collect();
    (us("arrival_ns"), us("latency_ns"))
}

/// One die serves writes one after the other, 610 us each; a burst takes three times that.
#[test]
fn the_host_pauses_once_a_burst_is_over_and_rates_are_those_of_bursts() {
    let config = paced();
    let writes: Vec<Request> = (0..7).map(write).collect();
    let (arrivals, latencies) = served(&config, writes.clone());
    assert_eq!(arrivals, [0, 0, 610, 11_830, 11_830, 12_440, 23_660]);
    assert_eq!(latencies, [610, 1220, 1220, 610, 1220, 1220, 610]);
    let result = run(&config, writes);
    assert_eq!((result.host.paused_s, result.workload.duration_s), (0.02, 0.02427));
    let of_bursts = 7.0 / (7.0 * 610e-6);
    assert!((result.host.iops.expect("time passed") - of_bursts).abs() < 1e-6);
}

#[test]
fn streams_with_slots_of_their_own_pause_together_and_late_ones_do_not_go_before() {
    let mut config = paced();
    (config.host.streams, config.host.queue_depth) = (Streams::Each, 1);
    let streams = [0, 1, 0, 1, 2];
    let writes = streams.iter().zip(0..).map(|(&stream, page)| Request { stream, ..write(page) });
    let (arrivals, _) = served(&config, writes.collect());
    assert_eq!(arrivals, [0, 0, 610, 11_830, 11_830]);
}

#[test]
fn only_a_closed_loop_with_time_pauses() {
    let mut config = paced();
    config.host.mode = HostMode::Open;
    let writes: Vec<Request> = (0..4).map(|n| at(n, Op::Write, n, 1)).collect();
    assert_eq!(run(&config, writes).host.paused_s, 0.0);
    let mut config = tiny();
    (config.host.mode, config.host.burst_requests, config.host.pause_s) =
        (HostMode::Closed, 1, 1.0);
    assert_eq!(run(&config, (0..4).map(write).collect()).host.paused_s, 0.0);
}

/// The part of a run that counts begins after the first pause, which is none of it.
#[test]
fn pauses_before_the_measured_part_do_not_count() {
    let mut config = paced();
    config.run.measure_from_request = 3;
    let result = run(&config, (0..7).map(write).collect());
    assert_eq!(result.host.paused_s, 0.01);
}

/// Of overwrites in bursts the pauses take some of the collection out of the host's way.
#[test]
fn pauses_are_idle_time_in_which_garbage_is_collected() {
    let slowest_us = |pause_s| {
        let mut config = paced();
        config.ftl.gc.mode = GcMode::Background;
        (config.host.burst_requests, config.host.pause_s) = (20, pause_s);
        let pages = crate::common::logical_pages(&config);
        run(&config, (0..4 * pages).map(|n| write(n * 7 % pages)).collect()).host.write.mean_us
    };
    assert!(slowest_us(1.0) < slowest_us(0.0));
}
