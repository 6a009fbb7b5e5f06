//! Figures of a result from made-up counters, each with a number of its own.

use super::{amplification, counted, energy, gc, host};
use crate::engine::{Finished, Status};
use crate::metrics::{Counters, Recorder};
use wordline_trace::{Op, Request};

#[test]
fn collections_are_told_by_what_they_moved() {
    let counters = Counters {
        gc_count: 17,
        gc_with_migration: 5,
        gc_moved: 23,
        gc_ns: 7_500_000,
        ..Counters::default()
    };
    let gc = gc(&counters);
    assert_eq!((gc.count, gc.with_migration, gc.direct, gc.pages_moved), (17, 5, 12, 23));
    assert_eq!(gc.time_ms, 7.5);
}

#[test]
fn write_amplification_is_told_by_cause() {
    let counters = Counters {
        programs: [20, 30, 5, 15, 25, 0, 40, 35],
        padding: 45,
        parity: 5,
        host_units: 10,
        ..Counters::default()
    };
    let by_cause = amplification(&counters).expect("the host wrote");
    assert_eq!((by_cause.host, by_cause.gc, by_cause.mapping), (2.0, 3.0, 0.5));
    assert_eq!(
        (by_cause.wear, by_cause.technique, by_cause.padding, by_cause.parity),
        (1.5, 2.5, 4.5, 0.5)
    );
    assert_eq!((by_cause.refresh, by_cause.reclaim), (4.0, 3.5));
    assert!(amplification(&Counters::default()).is_none());
}

#[test]
fn energy_is_that_of_reads_programs_and_erases() {
    let counters = Counters {
        read_nj: 2_000_000,
        program_nj: 30_000_000,
        erase_nj: 400_000_000,
        ..Counters::default()
    };
    let energy = energy(&counters);
    assert_eq!((energy.read, energy.program, energy.erase), (2.0, 30.0, 400.0));
    assert_eq!(energy.total, 432.0);
}

#[test]
fn the_flash_is_told_as_counted() {
    let counters = Counters {
        programs: [1, 2, 3, 4, 5, 0, 0, 0],
        reads: [6, 7, 8, 9, 10, 0, 0, 0],
        padding: 11,
        parity: 14,
        program_ops: 12,
        reprograms: 13,
        erases: 14,
        erase_ns: 15_000_000,
        ..Counters::default()
    };
    let flash = counted(&counters);
    assert_eq!((flash.page_programs.host, flash.page_programs.technique), (1, 5));
    assert_eq!((flash.page_reads.host, flash.page_reads.technique), (6, 10));
    assert_eq!(
        (flash.padding, flash.program_operations, flash.reprograms, flash.parity),
        (11, 12, 13, 14)
    );
    assert_eq!((flash.erases, flash.erase_time_ms), (14, 15.0));
}

#[test]
fn the_hosts_rates_count_from_its_first_request_to_its_last_end() {
    let mut recorder = Recorder::new(0, false, false);
    let mut serve = |op, size_bytes, arrival_ns, done_ns| {
        recorder.first_arrival_ns.get_or_insert(arrival_ns);
        recorder.take(&Request::new(op, 0, size_bytes).at(arrival_ns));
        let number = 0;
        recorder.finish(&Finished {
            status: Status::Done,
            number,
            is_unit: false,
            op,
            bytes: size_bytes,
            arrival_ns,
            done_ns,
            stream: 0,
        });
    };
    serve(Op::Write, 6_000_000, 1_000_000_000, 1_000_004_000);
    serve(Op::Read, 2_000_000, 1_500_000_000, 1_500_001_000);
    serve(Op::Read, 2_000_000, 2_999_999_000, 3_000_000_000);
    let counters = Counters {
        buffer_waits: 5,
        unmapped_reads: 3,
        trimmed_reads: 8,
        refused_writes: 4,
        ..Counters::default()
    };
    let host = host(&recorder, (7, 9), &counters);
    // Three requests of 10 MB in 2 s; 4 + 1 + 1 µs over three.
    assert_eq!((host.iops, host.bandwidth_mb_s, host.mean_us), (Some(1.5), Some(5.0), 2.0));
    assert_eq!((host.read.count, host.read.bytes, host.read.mean_us), (2, 4_000_000, 1.0));
    assert_eq!((host.write.count, host.write.bytes, host.write.mean_us), (1, 6_000_000, 4.0));
    assert_eq!((host.buffer_write_hits, host.buffer_read_hits), (7, 9));
    assert_eq!((host.buffer_waits, host.refused_writes), (5, 4));
    assert_eq!((host.unmapped_reads, host.trimmed_reads), (3, 8));
}

#[test]
fn the_retries_of_most_pages_are_told() {
    use super::reads::p99;
    assert_eq!([p99(&[]), p99(&[5]), p99(&[0, 7])], [0, 0, 1]);
    assert_eq!([p99(&[99, 0, 1]), p99(&[98, 0, 2]), p99(&[98, 1, 1])], [0, 2, 1]);
}
