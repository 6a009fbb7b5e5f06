//! Parts that the host's write buffer puts together.

use crate::harness::figure;
use crate::rig::*;
use wordline_sim::config::{Beyond, Config};
use wordline_sim::technique::centaur::{CentaurConfig, Mode, Partial};
use wordline_trace::{Op, Request};

const FLUSH_US: u64 = 30_000_000;

/// The drive with a buffer of 48 units that is flushed every 30 s.
fn buffered() -> Config {
    let mut config = two_kinds();
    config.host.write_buffer_mib = (48 * UNIT) as f64 / f64::from(1 << 20);
    config.host.flush_interval_s = 30.0;
    config
}

/// The requests, and one much later that lets the flush happen.
fn flushed(requests: &[Request]) -> Vec<Request> {
    let late = crate::common::at(FLUSH_US + 1_000_000, Op::Read, 300, 1);
    requests.iter().copied().chain([late]).collect()
}

#[test]
fn data_of_one_range_is_put_together() {
    let own = CentaurConfig { initial_bytes: 8 * UNIT, ..dispatcher() };
    // Two halves of five units: ten of one range; five of each of two; and the same five twice.
    let cases = [
        ([put(0, 0, 5), put(100, 5, 5)], [0, 1], [0, 10]),
        ([put(0, 0, 5), put(100, 12, 5)], [2, 0], [10, 0]),
        ([put(0, 0, 5), put(100, 0, 5)], [1, 0], [5, 0]),
    ];
    for (requests, parts, left) in cases {
        for result in everywhere_with(&own, &buffered(), &flushed(&requests)) {
            let of = |name| figure(&result, name);
            assert_eq!([of("dispatched_2d_parts"), of("dispatched_3d_parts")], parts);
            assert_eq!(valid(&result), left);
            // Acknowledged from DRAM, where there is time.
            assert!(result.host.write.count == 0 || result.host.write.max_us == 1.0);
        }
    }
}

#[test]
fn a_flush_is_in_time_and_whole() {
    let requests = |until_us| {
        [put(0, 0, 3), put(0, 14, 2), put(0, 5, 1), crate::common::at(until_us, Op::Read, 300, 1)]
    };
    for (until_us, parts, programs) in [(FLUSH_US - 1, 0, 0), (FLUSH_US + 1, 2, 6)] {
        for partial in [Partial::Merge, Partial::Pad] {
            let own = CentaurConfig { partial, ..dispatcher() };
            for result in everywhere_with(&own, &buffered(), &requests(until_us)) {
                assert_eq!(figure(&result, "dispatched_2d_parts"), parts);
                assert_eq!(result.flash.program_operations, programs);
            }
        }
    }
}

#[test]
fn bytes_count_once_and_units_that_are_written_in_part_count_in_part() {
    let kib = |us, kib: u64, length: u32| Request {
        offset_bytes: kib * 1024,
        size_bytes: length * 1024,
        ..put(us, 0, 1)
    };
    // 2 KiB, of which one is written twice, and 4 KiB.
    let requests = flushed(&[kib(0, 1, 1), kib(1, 0, 2), kib(2, 4, 4)]);
    for (criterion, parts) in [(6 * 1024, 1), (6 * 1024 + 1, 0)] {
        let own = CentaurConfig { initial_bytes: criterion, ..dispatcher() };
        for result in everywhere_with(&own, &buffered(), &requests) {
            assert_eq!(figure(&result, "dispatched_3d_parts"), parts);
            assert_eq!(figure(&result, "written_bytes"), 6 * 1024);
        }
    }
}

#[test]
fn references_gain_by_the_buffer_too() {
    let requests = flushed(&[put(0, 0, 1), put(1, 1, 1), put(2, 11, 1), put(3, 0, 1)]);
    for (mode, flash, programs) in [(Mode::All3d, "b-tlc", 1), (Mode::All2d, "a-slc", 3)] {
        let mut config = buffered();
        config.drive.chip = config.drive.group[flash].chip.clone();
        config.drive.group.clear();
        config.workload.beyond = Beyond::Wrap;
        let own = CentaurConfig { mode, ..dispatcher() };
        for result in everywhere_with(&own, &config, &requests) {
            assert_eq!(result.flash.program_operations, programs);
            assert_eq!(figure(&result, "written_bytes"), 3 * UNIT);
        }
    }
}
