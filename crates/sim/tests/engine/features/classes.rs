//! Classes of queues at one die, which reads a page in 60 us.

use super::column;
use crate::common::{at, outcome, tiny_timed};
use wordline_sim::config::{
    Acknowledge, ArrayLevel, Config, DieClasses, QueueClass, QueueConfig, ServiceOrder,
};
use wordline_trace::{Op, Request};

pub(super) const FROM_US: u64 = 100_000;
pub(super) const READ_US: u64 = 60;

/// A stream of each class, from urgent to low.
pub(super) fn of_classes(by_class: DieClasses) -> Config {
    let mut config = tiny_timed();
    config.drive.scheduling.order = ServiceOrder::ReadsFirst;
    config.drive.scheduling.by_class = by_class;
    config.host.class_weights = vec![7, 3, 1];
    config.run.records = true;
    for (stream, &class) in (0..).zip(QueueClass::ALL) {
        let queue = QueueConfig { streams: vec![stream], class, ..QueueConfig::default() };
        config.host.queue.insert(class.name().to_owned(), queue);
    }
    config
}

/// The streams of reads that all come at one time, in the order in which the die serves them.
pub(super) fn served(config: &Config, streams: &[u32]) -> Vec<u32> {
    let filled = (0..16).map(|page| at(0, Op::Write, page, 1));
    let read = |(n, &stream): (u64, &u32)| at(FROM_US, Op::Read, n % 16, 1).of_stream(stream);
    let requests: Vec<Request> = filled.chain((0..).zip(streams).map(read)).collect();
    let records = outcome(config, requests).expect("it works").records;
    let (numbers, latencies) = (column(&records, "request"), column(&records, "latency_ns"));
    let mut reads: Vec<(u64, u64)> =
        numbers.into_iter().zip(latencies).filter(|read| read.0 >= 16).collect();
    reads.sort_unstable_by_key(|read| read.1);
    for (place, &(_, latency_ns)) in (1..).zip(&reads) {
        assert_eq!(latency_ns, place * READ_US * 1000);
    }
    reads.into_iter().map(|(number, _)| streams[number as usize - 16]).collect()
}

#[test]
fn the_highest_class_is_served_first() {
    let streams = [3, 3, 2, 1, 0, 3, 2, 1, 0, 2];
    // The first found the die idle.
    let expected = [3, 0, 0, 1, 1, 2, 2, 2, 3, 3];
    assert_eq!(served(&of_classes(DieClasses::Strict), &streams), expected);
    assert_eq!(served(&of_classes(DieClasses::None), &streams), streams);
    // Streams that no queue names are of medium class, as is this one.
    assert_eq!(served(&of_classes(DieClasses::Strict), &[7, 3, 7, 2, 1]), [7, 1, 7, 2, 3]);
}

/// Weights of 7, 3 and 1 are, as the standard counts them, 8, 4 and 2 turns in a round.
#[test]
fn classes_share_a_die_by_their_weights() {
    let config = of_classes(DieClasses::Weighted);
    let each = |classes: std::ops::Range<u32>, count: usize| -> Vec<u32> {
        classes.cycle().take(3 * count).collect()
    };
    let order = served(&config, &each(1..4, 80));
    for round in order.chunks_exact(14).take(10) {
        let count = |of: u32| round.iter().filter(|&&stream| stream == of).count();
        assert_eq!([1, 2, 3].map(count), [8, 4, 2], "{order:?}");
    }
    // Once those of high class are over, the others share what is left.
    let order = served(&config, &[&each(1..4, 4)[..], &[2; 60], &[3; 60]].concat());
    let count = |of: u32| order[14..74].iter().filter(|&&stream| stream == of).count();
    assert!((39..=41).contains(&count(2)) && count(2) + count(3) == 60, "{order:?}");
    // Urgent ones wait for nobody but the read that is under way.
    let order = served(&config, &[&each(1..4, 20)[..], &[0; 9]].concat());
    assert_eq!(order[1..10], [0; 9], "{order:?}");
}

/// A class that had nothing to read has no claim to the turns that it left out.
#[test]
fn turns_that_were_left_out_are_lost() {
    let mut config = of_classes(DieClasses::Weighted);
    config.host.class_weights = vec![0, 0, 0];
    let filled = (0..16).map(|page| at(0, Op::Write, page, 1));
    let read = |us: u64, stream: u32| at(FROM_US + us, Op::Read, 0, 1).of_stream(stream);
    let low = (0..40).map(|_| read(0, 3));
    let medium = (0..10).map(|_| read(20 * READ_US + 1, 2));
    let requests = filled.chain(low).chain(medium).collect();
    let records = outcome(&config, requests).expect("it works").records;
    let (numbers, latencies) = (column(&records, "request"), column(&records, "latency_ns"));
    let last = numbers.iter().position(|&number| number == 16 + 40 + 9).expect("it is read");
    // Nine of low class go in between, behind the one that was under way.
    assert_eq!(latencies[last] / 1000, 20 * READ_US - 1);
}

/// Latencies of writes of streams that come at one time, in us: each of four planes takes every fourth, and a program takes
/// 610.
fn written_us(mut config: Config, streams: &[u32]) -> Vec<u64> {
    config.drive.chip.planes = 4;
    let write = |(page, &stream): (u64, &u32)| at(0, Op::Write, page, 1).of_stream(stream);
    let requests = (0..).zip(streams).map(write).collect();
    let records = outcome(&config, requests).expect("it works").records;
    let (numbers, latencies) = (column(&records, "request"), column(&records, "latency_ns"));
    let mut writes: Vec<(u64, u64)> = numbers.into_iter().zip(latencies).collect();
    writes.sort_unstable();
    writes.into_iter().map(|(_, ns)| ns / 1000).collect()
}

/// The first found the die idle; the last goes to the block of the second, which takes pages in order.
#[test]
fn programs_go_by_class_and_those_of_a_block_in_order() {
    let (strict, none) = (of_classes(DieClasses::Strict), of_classes(DieClasses::None));
    assert_eq!(written_us(none, &[3, 3, 2, 1, 3, 0]), [610, 1220, 1830, 2440, 3050, 3660]);
    assert_eq!(written_us(strict, &[3, 3, 2, 1, 3, 0]), [610, 2440, 1830, 1220, 3660, 3050]);
}

/// Of four writes all but the first wait for the room of a page. The second gets that of the first; the fourth, of high
/// class, is programmed before it, and so ends without.
#[test]
fn programs_from_the_buffer_have_the_class_of_who_wrote_them() {
    let buffered = |by_class| {
        let mut config = of_classes(by_class);
        config.ftl.acknowledge = Acknowledge::Buffer;
        config.ftl.buffer_kib = 4.0;
        config
    };
    let streams = [3, 3, 3, 1];
    assert_eq!(written_us(buffered(DieClasses::None), &streams), [0, 610, 1220, 1830]);
    assert_eq!(written_us(buffered(DieClasses::Strict), &streams), [0, 610, 1830, 1220]);
}

#[test]
fn classes_that_nothing_asks_for_are_refused() {
    let refused = |change: fn(&mut Config)| {
        let mut config = of_classes(DieClasses::Strict);
        change(&mut config);
        outcome(&config, vec![at(0, Op::Read, 0, 1)]).expect_err("refused").to_string()
    };
    let text = refused(|config| config.drive.scheduling.order = ServiceOrder::InOrder);
    assert!(text.contains("drive.scheduling.by_class"), "{text}");
    let text = refused(|config| {
        (config.array.level, config.array.drives) = (ArrayLevel::Raid0, 2);
    });
    assert!(text.contains("drives of an array"), "{text}");
}

#[test]
fn classes_where_there_is_one_queue_are_told() {
    let mut config = of_classes(DieClasses::Weighted);
    let warns = |config: &Config| {
        let result = outcome(config, vec![at(0, Op::Write, 0, 1)]).expect("it works").result;
        result
            .warnings
            .iter()
            .any(|text| text.contains("by_class = \"weighted\" tells queues apart"))
    };
    assert!(!warns(&config));
    config.host.queue.clear();
    assert!(warns(&config));
}
