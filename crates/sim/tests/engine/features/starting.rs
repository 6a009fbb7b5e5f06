//! When programs start that are not full.

use super::programs::{assert_write_us, later, tlc};
use crate::common::{at, run, tiny_timed, write};
use wordline_sim::config::{Acknowledge, Cell, Config, ProgramStart, ProgramUnit, ServiceOrder};
use wordline_sim::{logical_bytes, simulate};
use wordline_trace::{GeneratorContext, Op, Request, from_spec};

/// A drive whose programs start after a millisecond, full or not.
fn after_timeout() -> Config {
    let mut config = tlc(ProgramUnit::OneShot);
    config.ftl.program_start = ProgramStart::AfterTimeout;
    config
}

#[test]
fn a_program_that_does_not_fill_up_is_padded() {
    for (config, waits_us) in [(tlc(ProgramUnit::OneShot), 0.0), (after_timeout(), 1000.0)] {
        let result = run(&config, vec![write(0), later()]);
        assert_eq!((result.flash.program_operations, result.flash.padding), (1, 2));
        assert_eq!(result.write_amplification, Some(3.0));
        assert_write_us(&result, waits_us + 30.0 + 900.0);
    }
}

#[test]
fn a_program_that_fills_up_in_time_is_not_padded() {
    let last = |us| vec![write(0), write(1), at(us, Op::Write, 2, 1), later()];
    // Two wait for the third, which arrives just before the first has waited for 1000 us.
    let result = run(&after_timeout(), last(999));
    assert_eq!(result.flash.padding, 0);
    assert_write_us(&result, 930.0 + 2.0 * 999.0 / 3.0);
    let result = run(&after_timeout(), last(1001));
    assert_eq!((result.flash.program_operations, result.flash.padding), (2, 3));
}

/// Both orders of service.
fn orders(config: &Config) -> [Config; 2] {
    [ServiceOrder::InOrder, ServiceOrder::ReadsFirst].map(|order| {
        let mut config = config.clone();
        config.drive.scheduling.order = order;
        config
    })
}

#[test]
fn writes_that_come_at_the_same_time_share_a_program() {
    for config in orders(&tlc(ProgramUnit::OneShot)) {
        let result = run(&config, vec![write(0), write(1), later()]);
        assert_eq!((result.flash.program_operations, result.flash.padding), (1, 1));
        assert_write_us(&result, 930.0);
    }
}

/// A program of one page is under way until 930 us. What comes until then shares the next one; what comes later
/// finds it begun.
#[test]
fn a_program_fills_while_its_die_is_busy() {
    for config in orders(&tlc(ProgramUnit::OneShot)) {
        for (last_us, programs) in [(929, 2), (931, 3)] {
            let writes = [0, 100, last_us].map(|us| at(us, Op::Write, us, 1));
            let result = run(&config, [&writes[..], &[later()]].concat());
            assert_eq!(result.flash.program_operations, programs, "{last_us}");
            assert_eq!(result.flash.padding, 3 * programs - 3);
            let second_us = 1860.0 - 100.0;
            let third_us = 930.0 * programs as f64 - last_us as f64;
            assert_write_us(&result, (930.0 + second_us + third_us) / 3.0);
        }
    }
}

/// Reads are under way from 0 to 300 us, or wait: the program begins behind those that came before it in order, and
/// else once there are none.
#[test]
fn a_program_that_is_not_full_waits_for_reads() {
    let mut requests = vec![at(0, Op::Write, 0, 3), at(5000, Op::Read, 0, 1)];
    requests.extend([at(5010, Op::Write, 6, 1), at(5020, Op::Read, 1, 1)]);
    requests.extend([at(5030, Op::Write, 7, 1), later()]);
    let [in_order, reads_first] =
        orders(&tlc(ProgramUnit::OneShot)).map(|config| run(&config, requests.clone()));
    // In order the first page is programmed from 5,060 us on, and the second one behind it.
    assert_eq!((in_order.flash.program_operations, in_order.flash.padding), (3, 4));
    // With reads first the die is idle at 5,120 us, when both pages are there.
    assert_eq!((reads_first.flash.program_operations, reads_first.flash.padding), (2, 1));
}

/// As many programs start as writes wait for room, on idle dies at once; with the former rule one program of the drive
/// is under way at a time.
#[test]
fn a_full_buffer_starts_programs_on_every_idle_die() {
    let mut config = tlc(ProgramUnit::OneShot);
    config.drive.channels = 4;
    config.ftl.acknowledge = Acknowledge::Buffer;
    config.ftl.buffer_kib = 16.0;
    // A page for each of four dies fills the buffer; the next four wait for those programs.
    let requests: Vec<Request> = (0..8).map(write).chain([later()]).collect();
    for config in orders(&config) {
        let result = run(&config, requests.clone());
        assert_eq!(result.host.buffer_waits, 4);
        assert_eq!(result.flash.padding, 4 * 3 - 8);
        assert_write_us(&result, 930.0 / 2.0);
    }
    config.ftl.program_start = ProgramStart::AfterTimeout;
    config.drive.scheduling.order = ServiceOrder::InOrder;
    let result = run(&config, requests);
    assert_eq!(result.host.buffer_waits, 4);
    assert_write_us(&result, 930.0 * (1.0 + 1.0 + 2.0 + 2.0) / 8.0);
}

/// Two writes wait, and two programs that are under way serve them: the others go on filling.
#[test]
fn a_full_buffer_starts_no_more_programs_than_writes_wait() {
    let mut config = tlc(ProgramUnit::OneShot);
    config.drive.channels = 4;
    config.ftl.acknowledge = Acknowledge::Buffer;
    config.ftl.buffer_kib = 16.0;
    let requests: Vec<Request> = (0..6).map(write).chain([later()]).collect();
    for config in orders(&config) {
        let result = run(&config, requests.clone());
        // Pages 0 and 4 share a program, so do 1 and 5: four units are under way.
        assert_eq!((result.host.buffer_waits, result.flash.padding), (2, 2 + 4));
        assert_write_us(&result, 930.0 * 2.0 / 6.0);
        assert!(result.flash.die_utilisation[2] < 0.01, "{:?}", result.flash.die_utilisation);
    }
}

/// A buffer with room lets programs fill.
#[test]
fn a_buffer_with_room_starts_nothing_that_is_not_full() {
    let mut config = tlc(ProgramUnit::OneShot);
    config.ftl.acknowledge = Acknowledge::Buffer;
    for config in orders(&config) {
        let result = run(&config, vec![write(0), at(5000, Op::Write, 1, 1), later()]);
        assert_eq!(result.host.buffer_waits, 0);
        assert_write_us(&result, 0.0);
        let writes_us = result.flash.die_utilisation[0];
        assert!(writes_us < 0.02, "one program at the end of the run: {writes_us}");
    }
}

/// Two planes of a die: of two programs that wait while a third is under way, the one that was begun first starts first.
#[test]
fn the_program_that_has_been_waited_for_longest_starts_first() {
    let mut config = tlc(ProgramUnit::OneShot);
    config.drive.chip.planes = 2;
    // Planes take turns by address: the first and the last write go to plane 0, the second one to plane 1.
    for (second, third) in [(1, 2), (2, 1)] {
        for config in orders(&config) {
            let writes = [(0, 0), (10, second), (20, third)];
            let writes = writes.map(|(us, page)| at(us, Op::Write, page, 1));
            let read = at(1000, Op::Read, third, 1);
            let result = run(&config, [&writes[..], &[read, later()]].concat());
            assert_eq!(result.flash.program_operations, 3);
            // At 1,000 us the third one is in the controller still.
            assert_eq!(result.flash.page_reads.host, 0);
            assert_write_us(&result, (930.0 + 1850.0 + 2770.0) / 3.0);
        }
    }
}

/// A buffer of any size serves writes no slower, by more than a tenth, than none would.
#[test]
fn no_buffer_is_slower_than_none() {
    let mut drive = tiny_timed();
    (drive.drive.channels, drive.drive.chip.planes) = (4, 2);
    (drive.drive.chip.cell, drive.drive.chip.program) = (Cell::Tlc, ProgramUnit::OneShot);
    (drive.drive.chip.pages_per_block, drive.drive.chip.blocks_per_plane) = (24, 32);
    let mean_us = |config: &Config, workload: &str| {
        let bytes = logical_bytes(config).expect("it works");
        let context = GeneratorContext::on_drive(bytes, config.run.seed);
        let workload = from_spec(workload, &context).expect("it is a workload");
        let result = simulate(config, workload, &mut ()).expect("the drive works").result;
        result.host.write.mean_us
    };
    for workload in
        ["uniform:writes=4000,interval_us=2000", "zipf:theta=0.9,writes=4000,interval_us=2000"]
    {
        for seed in 1..=5 {
            for config in orders(&drive) {
                let mut config = config;
                config.run.seed = seed;
                let none_us = mean_us(&config, workload);
                config.ftl.acknowledge = Acknowledge::Buffer;
                for kib in [4.0, 16.0, 48.0, 192.0, 0.0] {
                    config.ftl.buffer_kib = kib;
                    let with_us = mean_us(&config, workload);
                    assert!(
                        with_us <= 1.1 * none_us,
                        "{workload}, seed {seed}, {kib} KiB: {with_us} us and {none_us} us"
                    );
                }
            }
        }
    }
}
