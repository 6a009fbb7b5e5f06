//! FLIN at one die, which reads a page in 60 us and programs one in 610.

use super::classes::{FROM_US, READ_US, of_classes, served};
use super::column;
use crate::common::{at, outcome};
use wordline_sim::config::{Config, DieClasses};
use wordline_trace::{Op, Request};

const PROGRAM_US: u64 = 610;
/// Two streams that no queue names: of one class.
const DEEP: u32 = 8;
const SHALLOW: u32 = 9;

/// A drive on which flows differ by what they read in the epoch before: four pages or more is much.
fn flin() -> Config {
    let mut config = of_classes(DieClasses::Flin);
    config.drive.scheduling.flin.epoch_ms = 100.0;
    config.drive.scheduling.flin.low_read_mib = 4.0 * config.drive.chip.page_kib / 1024.0;
    config
}

/// In what order a die serves 12 reads of one flow and, behind them, two of another. The first found the die idle.
fn order(config: &Config) -> Vec<u32> {
    served(config, &[&[DEEP; 12][..], &[SHALLOW; 2]].concat())
}

#[test]
fn flows_of_one_class_suffer_alike() {
    // Nobody has read before: both are of low intensity.
    let expected = [&[DEEP][..], &[SHALLOW], &[DEEP], &[SHALLOW], &[DEEP; 10]].concat();
    assert_eq!(order(&flin()), expected);
    // Of high intensity the one that suffers most goes ahead, and the other not ahead of it again.
    let mut config = flin();
    config.drive.scheduling.flin.low_read_mib = 0.0;
    let expected = [&[DEEP][..], &[SHALLOW; 2], &[DEEP; 11]].concat();
    assert_eq!(order(&config), expected);
    config.drive.scheduling.by_class = DieClasses::Weighted;
    assert_eq!(order(&config), [&[DEEP; 12][..], &[SHALLOW; 2]].concat());
}

/// Forty reads of one flow, and again with three of the other an epoch later: the latency of the last of these.
fn latency_us(config: &Config) -> u64 {
    let filled = (0..16).map(|page| at(0, Op::Write, page, 1));
    let read = |us: u64, stream| at(us, Op::Read, 0, 1).of_stream(stream);
    let deep = [FROM_US, 2 * FROM_US].into_iter().flat_map(|us| vec![read(us, DEEP); 40]);
    let shallow = [read(2 * FROM_US, SHALLOW); 3];
    let requests: Vec<Request> = filled.chain(deep).chain(shallow).collect();
    let last = requests.len() as u64 - 1;
    let records = outcome(config, requests).expect("it works").records;
    let (numbers, latencies) = (column(&records, "request"), column(&records, "latency_ns"));
    let place = numbers.iter().position(|&number| number == last).expect("it is read");
    latencies[place] / 1000
}

/// A flow that has read little goes ahead of one that has read much, whatever that does to slowdowns.
#[test]
fn flows_of_low_intensity_go_first() {
    let mut config = flin();
    // Where no fairness is poor, nobody is moved for that.
    config.drive.scheduling.flin.threshold = 0.0;
    assert_eq!(latency_us(&config), 4 * READ_US);
    config.drive.scheduling.flin.low_read_mib = 0.0;
    assert_eq!(latency_us(&config), 6 * READ_US);
    config.drive.scheduling.by_class = DieClasses::Weighted;
    assert_eq!(latency_us(&config), 43 * READ_US);
}

/// Beside reads one of which always waits, a program waits until it has done so as long for its length as a read would
/// behind it.
#[test]
fn a_write_waits_no_longer_for_its_length_than_reads_do() {
    const READS: u64 = 400;
    let filled = (0..16).map(|page| at(0, Op::Write, page, 1));
    let read = |us: u64| at(FROM_US + us, Op::Read, 0, 1);
    let write = [at(FROM_US + 10, Op::Write, 20, 1)];
    let reads = (0..READS).map(|n| read(30 + n * READ_US));
    let requests: Vec<Request> = filled.chain([read(0)]).chain(write).chain(reads).collect();
    let latency_us = |config: &Config| {
        let records = outcome(config, requests.clone()).expect("it works").records;
        let (numbers, latencies) = (column(&records, "request"), column(&records, "latency_ns"));
        latencies[numbers.iter().position(|&it| it == 17).expect("it ends")] / 1000
    };
    // At the end of a read the next has waited for 30 us.
    let goes = |n: &u64| {
        let (waited_us, read_us) = (n * READ_US - 10, 30);
        (waited_us + READ_US) * READ_US > (read_us + PROGRAM_US) * PROGRAM_US
    };
    let reads = (1..READS).find(goes).expect("it goes");
    assert_eq!(latency_us(&flin()), reads * READ_US - 10 + PROGRAM_US);
    let mut config = flin();
    config.drive.scheduling.by_class = DieClasses::None;
    assert_eq!(latency_us(&config), (READS + 1) * READ_US - 10 + PROGRAM_US);
}
