//! A link of PCI Express: how fast it is, and that it carries both ways at once.

use super::column;
use crate::common::{PAGE, at, outcome, run, tiny_timed, write};
use wordline_sim::config::{ArrayLevel, Config, HostMode};
use wordline_trace::{Op, Request};

const FROM_US: u64 = 10_000;
/// A page over one lane of generation 1, which carries a byte in 4 ns: 32 packets of 128 + 28.
const PAGE_NS: u64 = 32 * 156 * 4;

fn linked(generation: u64, max_payload: u64) -> Config {
    let mut config = tiny_timed();
    (config.host.link.generation, config.host.link.max_payload) = (generation, max_payload);
    config.run.records = true;
    config
}

/// One lane of the first generation.
fn slow() -> Config {
    let mut config = linked(1, 128);
    config.host.link.lanes = 1;
    config
}

fn latencies_ns(config: &Config, requests: Vec<Request>) -> Vec<u64> {
    let records = outcome(config, requests).expect("it works").records;
    let (numbers, latencies) = (column(&records, "request"), column(&records, "latency_ns"));
    let mut all: Vec<(u64, u64)> = numbers.into_iter().zip(latencies).collect();
    all.sort_unstable();
    all.into_iter().map(|(_, ns)| ns).collect()
}

/// GB/s of four lanes, and ns of 4 KiB, with packets of 128, 256 and 512 bytes and 28 besides; reads that take no flash.
#[test]
fn a_link_carries_what_its_lanes_and_packets_allow() {
    let rates = [(3, [3.23, 3.55, 3.73]), (4, [6.46, 7.10, 7.47]), (5, [12.93, 14.20, 14.94])];
    for (generation, rates) in rates {
        for (payload, gb_s) in [128, 256, 512].into_iter().zip(rates) {
            let mut config = linked(generation, payload);
            (config.host.mode, config.host.queue_depth) = (HostMode::Closed, 8);
            let result = run(&config, vec![at(0, Op::Read, 0, 16); 64]);
            let found = result.host.bandwidth_mb_s.expect("it took time") / 1000.0;
            assert!((found / gb_s - 1.0).abs() < 0.002, "{generation}, {payload}: {found} GB/s");
            let (iops, bound) = (result.host.iops.expect("so"), result.host.iops_bound);
            assert!((iops / bound.expect("so") - 1.0).abs() < 0.001);
        }
    }
    let page_ns = |(generation, payload)| {
        latencies_ns(&linked(generation, payload), vec![at(0, Op::Read, 0, 1)])[0]
    };
    let links = [(4, 128), (4, 256), (4, 512), (5, 128), (5, 256), (5, 512)];
    assert_eq!(links.map(page_ns), [634, 577, 548, 317, 288, 274]);
    let mut bare = linked(5, 4096);
    bare.host.link.overhead_bytes = 0;
    assert_eq!(latencies_ns(&bare, vec![at(0, Op::Read, 0, 1)]), [260]);
}

#[test]
fn data_of_reads_does_not_wait_for_that_of_writes() {
    let requests = [vec![write(0), write(1), write(2)], vec![at(0, Op::Read, 50, 1); 2]].concat();
    // A program takes 10 us on the channel and 600.
    let programs = [1, 2, 3].map(|n| PAGE_NS + n * 610_000);
    let expected = [&programs[..], &[PAGE_NS, 2 * PAGE_NS]].concat();
    assert_eq!(latencies_ns(&slow(), requests.clone()), expected);
    // A bus of the same rate is one for both.
    let mut config = tiny_timed();
    (config.host.bus_mb_s, config.run.records) = (PAGE as f64 * 1000.0 / PAGE_NS as f64, true);
    assert_eq!(latencies_ns(&config, requests)[3..], [4 * PAGE_NS, 5 * PAGE_NS]);
}

/// The flash begins with a read while the data of an earlier write is still on its way.
#[test]
fn a_read_overtakes_a_write_on_its_way() {
    let later = |us: u64, op: Op, page: u64| at(FROM_US + us, op, page, 1);
    let requests = vec![write(0), later(0, Op::Write, 1), later(5, Op::Read, 0)];
    // The write's data is there at 20 us, and the die is free at 65.
    let [_, written_ns, read_ns] = latencies_ns(&slow(), requests)[..] else { panic!("three") };
    assert_eq!((written_ns, read_ns), (65_000 + 610_000, 60_000 + PAGE_NS));
    // What a queue of one lets go is in the drive before the next is sent.
    let mut config = slow();
    (config.host.mode, config.host.queue_depth) = (HostMode::Closed, 1);
    let each = [PAGE_NS + 610_000, 60_000 + PAGE_NS, PAGE_NS + 610_000];
    assert_eq!(latencies_ns(&config, vec![write(0), at(0, Op::Read, 0, 1), write(1)]), each);
}

#[test]
fn a_link_beside_a_bus_or_in_an_array_is_refused() {
    let refused = |change: fn(&mut Config)| {
        let mut config = slow();
        change(&mut config);
        outcome(&config, vec![at(0, Op::Read, 0, 1)]).expect_err("refused").to_string()
    };
    let text = refused(|config| config.host.bus_mb_s = 500.0);
    assert!(text.contains("host.bus_mb_s is 500 and host.link.generation 1"), "{text}");
    let text = refused(|config| {
        (config.array.level, config.array.drives) = (ArrayLevel::Raid0, 2);
    });
    assert!(text.contains("host.link"), "{text}");
}
