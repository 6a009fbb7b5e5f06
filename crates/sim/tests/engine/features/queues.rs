//! Streams with queues of their own, by the laws of a closed network with one server: a die that reads a page in 60 us.

use super::column;
use crate::common::{Dice, at, logical_pages, outcome, run, tiny_timed};
use std::collections::BTreeSet;
use wordline_sim::config::{
    Arbitration, Config, HostMode, Pattern, QueueClass, QueueConfig, Streams,
};
use wordline_sim::metrics::{RunResult, StreamSummary};
use wordline_trace::{Op, Request};

const READ_US: f64 = 60.0;
const SECONDS: f64 = 1.0;

/// A closed loop of streams with these depths.
fn closed(depths: &[u64]) -> Config {
    let mut config = tiny_timed();
    config.host.mode = HostMode::Closed;
    config.host.until_s = SECONDS;
    for (stream, &depth) in (0..).zip(depths) {
        let queue = QueueConfig { streams: vec![stream], depth, ..QueueConfig::default() };
        config.host.queue.insert(format!("of_{stream}"), queue);
    }
    config
}

/// The streams after more reads of each than there is time for.
fn read(config: &Config) -> Vec<StreamSummary> {
    let streams = config.host.queue.len() as u32;
    let filled = (0..16).map(|page| at(0, Op::Write, page, 1));
    let reads = (0..20_000)
        .flat_map(|n| (0..streams).map(move |stream| at(0, Op::Read, n % 16, 1).of_stream(stream)));
    run(config, filled.chain(reads).collect()).host.streams
}

fn about(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 0.01, "{found}, expected {expected}");
}

#[test]
fn what_is_outstanding_is_rate_times_latency() {
    for depths in [&[1][..], &[8], &[8, 8], &[8, 64], &[2, 4, 16]] {
        let all = depths.iter().sum::<u64>() as f64;
        for (stream, &depth) in read(&closed(depths)).iter().zip(depths) {
            about(stream.read.mean_us, all * READ_US);
            about(stream.iops.expect("it takes time"), depth as f64 * 1e6 / (all * READ_US));
        }
    }
}

/// Of a loop that is never short of requests: the sum of all latencies is the time for which each slot was taken.
#[test]
fn slots_are_taken_all_the_time() {
    for depths in [&[1][..], &[5], &[3, 8]] {
        let mut config = closed(depths);
        (config.host.until_s, config.run.records) = (0.02, true);
        config.precondition.pattern = Pattern::Sequential;
        let streams = depths.len() as u32;
        let of = |n: u64| at(0, Op::Read, n % 16, 1).of_stream(n as u32 % streams);
        let records = outcome(&config, (0..40_000).map(of).collect()).expect("it works").records;
        let (arrivals, latencies) =
            (column(&records, "arrival_ns"), column(&records, "latency_ns"));
        let until_ns = (config.host.until_s * 1e9) as u64;
        let within =
            arrivals.iter().zip(&latencies).map(|(from, ns)| (from + ns).min(until_ns) - from);
        assert_eq!(within.sum::<u64>(), depths.iter().sum::<u64>() * until_ns, "{depths:?}");
    }
}

/// Mean latency of so many requests outstanding at servers that take `service` each, one after the other, and are
/// chosen at random.
fn of_random_servers(servers: usize, depth: usize, service: u64, requests: u64) -> f64 {
    let mut dice = Dice::new(7);
    let mut free = vec![0u64; servers];
    let mut ends: BTreeSet<(u64, u64)> = BTreeSet::new();
    let mut sum = 0;
    for number in 0..requests {
        let full = ends.len() == depth;
        let arrival = if full { ends.pop_first().expect("it is full").0 } else { 0 };
        let server = &mut free[dice.below(servers as u64) as usize];
        *server = arrival.max(*server) + service;
        ends.insert((*server, number));
        sum += *server - arrival;
    }
    sum as f64 / requests as f64
}

/// Sixteen dies, each with a channel of its own, are servers that requests choose at random.
#[test]
fn a_drive_of_many_dies_is_a_closed_network() {
    let mut config = tiny_timed();
    config.host.mode = HostMode::Closed;
    (config.drive.channels, config.precondition.pattern) = (16, Pattern::Sequential);
    let pages = logical_pages(&config);
    let mut dice = Dice::new(1);
    let reads: Vec<_> = (0..60_000).map(|_| at(0, Op::Read, dice.below(pages), 1)).collect();
    for depth in [8, 24, 64] {
        config.host.queue_depth = depth;
        let found = run(&config, reads.clone()).host.read.mean_us;
        let expected = of_random_servers(16, depth as usize, 60, 200_000);
        about(found, expected);
    }
}

/// Queues of an urgent class that always have requests leave none of the drive's room to others.
#[test]
fn an_urgent_class_starves_all_others() {
    let mut config = closed(&[8, 8]);
    (config.host.fetch_limit, config.host.until_s) = (2, 0.1);
    config.precondition.pattern = Pattern::Sequential;
    config.host.arbitration = Arbitration::Weighted;
    config.host.queue.get_mut("of_1").expect("it is there").class = QueueClass::Urgent;
    let [other, urgent] = &read(&config)[..] else { panic!("there are two") };
    // All that arrives until the end is read at once by the urgent queue, and 8 are outstanding then.
    assert_eq!(urgent.read.count, 100_000 / 60 + 8);
    // The first 8 of the other queue went after those.
    assert!(other.read.count == 0 && other.mean_us > 100_000.0, "{other:?}");
}

/// With a window of F requests a queue the drive holds min(depth, F) of each: the others wait in the queue.
#[test]
fn a_window_protects_a_shallow_queue() {
    for (depths, window) in [([8, 64], 16), ([8, 64], 4), ([2, 3], 2)] {
        let mut config = closed(&depths);
        config.host.window = window;
        let held = depths.map(|depth: u64| depth.min(window) as f64);
        let drive_us = held.iter().sum::<f64>() * READ_US;
        for (at, stream) in read(&config).iter().enumerate() {
            let iops = held[at] * 1e6 / drive_us;
            about(stream.iops.expect("it takes time"), iops);
            about(stream.read.mean_us, depths[at] as f64 / iops * 1e6);
        }
    }
}

#[test]
fn classes_share_the_drive_by_their_weights() {
    let mut config = closed(&[64; 3]);
    config.host.fetch_limit = 2;
    let rates = |config: &Config| -> Vec<f64> {
        read(config).iter().map(|stream| stream.iops.expect("it takes time")).collect()
    };
    rates(&config).iter().for_each(|&rate| about(rate, 1e6 / READ_US / 3.0));
    config.host.arbitration = Arbitration::Weighted;
    config.host.class_weights = vec![7, 3, 1];
    let classes = [QueueClass::High, QueueClass::Medium, QueueClass::Low];
    for (queue, class) in config.host.queue.values_mut().zip(classes) {
        queue.class = class;
    }
    for (rate, share) in rates(&config).into_iter().zip([8.0, 4.0, 2.0]) {
        about(rate, 1e6 / READ_US * share / 14.0);
    }
}

/// Reads at times of their own: those of the stream that came later have their turn after each of the first.
#[test]
fn queues_of_an_open_loop_take_turns() {
    let mut config = tiny_timed();
    config.host.streams = Streams::Each;
    let reads = |stream: u32, from_us: u64| {
        (0..4).map(move |n| Request { stream, ..at(10_000 + from_us + n, Op::Read, n, 1) })
    };
    let requests = || -> Vec<Request> {
        let writes = (0..4).map(|page| at(0, Op::Write, page, 1));
        writes.chain(reads(0, 0)).chain(reads(1, 10)).collect()
    };
    let means = |result: &RunResult| -> Vec<f64> {
        result.host.streams.iter().map(|stream| stream.read.mean_us).collect()
    };
    let arrival = |stream: f64| (0..4).map(|n| f64::from(n) + 10.0 * stream).sum::<f64>() / 4.0;
    let in_turn = run(&config, requests());
    // Without a limit they go as they arrive: ends are 60 us apart.
    assert_eq!(means(&in_turn), [150.0 - arrival(0.0), 390.0 - arrival(1.0)]);
    config.host.fetch_limit = 1;
    let in_turn = run(&config, requests());
    assert_eq!(means(&in_turn), [240.0 - arrival(0.0), 300.0 - arrival(1.0)]);
}

#[test]
fn queues_that_make_no_sense_are_refused() {
    let refused = |change: fn(&mut Config)| {
        let mut config = closed(&[1, 1]);
        change(&mut config);
        outcome(&config, vec![at(0, Op::Read, 0, 1)]).expect_err("refused").to_string()
    };
    let text = refused(|config| {
        config.host.queue.get_mut("of_1").expect("it is there").streams = vec![0];
    });
    assert!(text.contains("host.queue.of_0") && text.contains("host.queue.of_1"), "{text}");
    let text = refused(|config| config.host.class_weights = vec![1]);
    assert!(text.contains("host.class_weights"), "{text}");
}
