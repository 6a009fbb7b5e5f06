//! How long trims take, and what reads find after them.

use super::column;
use crate::common::{at, outcome, run, tiny, tiny_timed, write};
use wordline_sim::config::{ArrayLevel, Config, HostMode, ServiceOrder, Unmapped};
use wordline_trace::{Op, Request};

/// 20 us for each trim, and 1.5 for each unit.
fn slow() -> Config {
    let mut config = tiny_timed();
    (config.ftl.trim_us, config.ftl.trim_unit_us) = (20.0, 1.5);
    config.run.records = true;
    config
}

/// Latencies in the order of the workload.
fn latencies_ns(config: &Config, requests: Vec<Request>) -> Vec<u64> {
    let records = outcome(config, requests).expect("it works").records;
    let (numbers, latencies) = (column(&records, "request"), column(&records, "latency_ns"));
    let mut both: Vec<(u64, u64)> = numbers.into_iter().zip(latencies).collect();
    both.sort_unstable();
    both.into_iter().map(|(_, latency_ns)| latency_ns).collect()
}

#[test]
fn a_trim_takes_time_and_each_of_its_units_does() {
    let mut config = slow();
    for &order in ServiceOrder::ALL {
        config.drive.scheduling.order = order;
        let requests =
            vec![at(0, Op::Trim, 0, 1), at(1000, Op::Trim, 8, 12), at(2000, Op::Write, 0, 1)];
        assert_eq!(latencies_ns(&config, requests), [21_500, 38_000, 610_000], "{order}");
    }
}

#[test]
fn fractions_of_a_nanosecond_add_up_over_units() {
    let mut config = slow();
    (config.ftl.trim_us, config.ftl.trim_unit_us) = (0.0, 0.0004);
    let requests = vec![at(0, Op::Trim, 0, 1), at(1, Op::Trim, 0, 10)];
    assert_eq!(latencies_ns(&config, requests), [0, 4]);
}

/// The trim itself does, after what the controller spends on any request.
#[test]
fn units_that_a_trim_covers_in_part_take_no_time() {
    let mut config = slow();
    config.host.overhead_us = 7.0;
    let part = Request { size_bytes: 512, ..at(0, Op::Trim, 3, 1) };
    assert_eq!(latencies_ns(&config, vec![part]), [27_000]);
}

#[test]
fn the_controller_works_on_one_trim_at_a_time() {
    let requests = vec![at(0, Op::Trim, 0, 10), at(5, Op::Trim, 20, 2), at(60, Op::Trim, 30, 2)];
    // 35 us for the first, 23 for the second from then on; the third finds nothing before it.
    assert_eq!(latencies_ns(&slow(), requests), [35_000, 53_000, 23_000]);
}

#[test]
fn reads_and_writes_do_not_wait_for_trims() {
    let requests = vec![write(0), at(1000, Op::Trim, 1, 40), at(1001, Op::Read, 0, 1)];
    assert_eq!(latencies_ns(&slow(), requests), [610_000, 80_000, 60_000]);
}

#[test]
fn the_map_forgets_a_unit_when_the_trim_arrives() {
    let requests = vec![write(0), at(1000, Op::Trim, 0, 1), at(1001, Op::Read, 0, 1)];
    assert_eq!(latencies_ns(&slow(), requests)[2], 0);
}

#[test]
fn a_closed_loop_waits_for_trims() {
    let mut config = slow();
    (config.host.mode, config.host.queue_depth) = (HostMode::Closed, 1);
    for &order in ServiceOrder::ALL {
        config.drive.scheduling.order = order;
        let requests = (0..4).map(|page| at(0, Op::Trim, page, 1)).collect();
        let result = run(&config, requests);
        assert_eq!(result.workload.duration_s, 4.0 * 21.5e-6, "{order}");
    }
}

#[test]
fn no_trim_takes_time_where_both_keys_are_0() {
    let mut config = slow();
    (config.ftl.trim_us, config.ftl.trim_unit_us) = (0.0, 0.0);
    let requests = vec![at(0, Op::Trim, 0, 10), at(0, Op::Trim, 20, 2)];
    assert_eq!(latencies_ns(&config, requests), [0, 0]);
}

#[test]
fn count_mode_has_no_time_for_trims() {
    let mut config = tiny();
    config.ftl.trim_us = 1e6;
    let requests = vec![write(0), at(0, Op::Trim, 0, 1), at(0, Op::Read, 0, 1)];
    let result = run(&config, requests);
    assert_eq!((result.workload.trims, result.workload.duration_s), (1, 0.0));
}

/// Each drive trims its own chunks, at the same time as the others.
#[test]
fn an_array_waits_for_the_slowest_of_its_drives() {
    let mut config = slow();
    (config.array.drives, config.array.chunk_kib) = (2, 16.0);
    config.array.level = ArrayLevel::Raid0;
    // Chunks of four pages: two trims for one drive, and one for the other.
    assert_eq!(latencies_ns(&config, vec![at(0, Op::Trim, 0, 12)]), [52_000]);
    config.array.level = ArrayLevel::Raid1;
    assert_eq!(latencies_ns(&config, vec![at(0, Op::Trim, 0, 12)]), [38_000]);
}

/// Reads of units that were never written and trimmed, and what of them the result tells.
fn told(config: &Config, requests: Vec<Request>) -> (u64, u64, bool) {
    let result = run(config, requests);
    let warns = result.warnings.iter().any(|it| it.contains("never been written"));
    (result.host.unmapped_reads, result.host.trimmed_reads, warns)
}

#[test]
fn reads_of_trimmed_units_are_told_from_those_of_units_never_written() {
    for config in [tiny(), tiny_timed()] {
        let requests = [write(0), write(1), at(1000, Op::Trim, 0, 1)];
        let then = |more: &[Request]| [&requests[..], more].concat();
        let read = |us, page, pages| at(us, Op::Read, page, pages);
        assert_eq!(told(&config, then(&[read(2000, 0, 2)])), (0, 1, false));
        assert_eq!(told(&config, then(&[read(2000, 0, 5)])), (3, 1, true));
        let again = [read(2000, 0, 1), at(3000, Op::Write, 0, 1), read(4000, 0, 1)];
        assert_eq!(told(&config, then(&again)), (0, 1, false), "it was written anew");
    }
}

#[test]
fn a_unit_that_was_trimmed_in_the_write_buffer_was_trimmed() {
    let mut config = tiny_timed();
    config.host.write_buffer_mib = 1.0;
    let requests = vec![write(0), at(1, Op::Trim, 0, 1), at(2, Op::Read, 0, 1)];
    assert_eq!(told(&config, requests), (0, 1, false));
}

#[test]
fn reads_of_trimmed_units_take_no_time_where_those_of_others_without_data_do() {
    let mut config = slow();
    config.host.unmapped = Unmapped::AsMapped;
    let requests = |from, pages| vec![at(0, Op::Trim, 1, 1), at(1000, Op::Read, from, pages)];
    assert_eq!(latencies_ns(&config, requests(1, 1))[1], 0);
    assert_eq!(latencies_ns(&config, requests(2, 1))[1], 60_000);
    let result = run(&config, requests(0, 3));
    assert_eq!((result.host.unmapped_reads, result.host.trimmed_reads), (2, 1));
    assert_eq!(result.flash.page_reads.host, 2);
}
