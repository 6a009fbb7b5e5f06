//! Streams with queues of their own, by the laws of a closed network with one server: a die that reads a page in 60 us.

use crate::common::{at, outcome, run, tiny_timed};
use wordline_sim::config::{Arbitration, Config, HostMode, QueueClass, QueueConfig, Streams};
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
