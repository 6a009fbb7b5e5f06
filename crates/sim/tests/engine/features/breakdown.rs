//! Of what latencies consist.

use crate::common::{Dice, PAGE, at, logical_pages, outcome, run, tiny_timed, write};
use wordline_sim::config::{
    Acknowledge, Cell, Config, Pattern, ProgramStart, ProgramUnit, RunMode, ServiceOrder,
};
use wordline_sim::metrics::{FlashTime, LatencyBreakdown};
use wordline_trace::{Op, Request};

fn itemised(order: ServiceOrder) -> Config {
    let mut config = tiny_timed();
    config.host.breakdown = true;
    config.drive.scheduling.order = order;
    config
}

/// What operations of one kind took: wait, array and transfer.
fn of(told: &LatencyBreakdown, operation: &str) -> (f64, f64, f64) {
    let part =
        told.flash.iter().find(|part| part.operation == operation).expect("it was waited for");
    let &FlashTime { wait_us, array_us, transfer_us, .. } = part;
    (wait_us, array_us, transfer_us)
}

/// Part of a page.
fn half(now_us: u64, op: Op) -> Request {
    let size_bytes = PAGE as u32 / 2;
    Request { size_bytes, ..at(now_us, op, 0, 1) }
}

#[test]
fn a_read_behind_a_program_waits_for_it() {
    for &order in ServiceOrder::ALL {
        let mut config = itemised(order);
        (config.host.overhead_us, config.host.bus_mb_s) = (3.0, 1024.0);
        // The program of page 1 ends 610 us after it was issued; a page takes 4 us on the bus.
        let requests = vec![write(0), at(1000, Op::Write, 1, 1), at(1100, Op::Read, 0, 1)];
        let told = run(&config, requests).breakdown.expect("it was asked for");
        assert_eq!(of(&told.read, "read"), (514.0, 50.0, 10.0), "{order:?}");
        assert_eq!(told.read.flash[0].wait_programs_us, 514.0, "{order:?}");
        assert_eq!((told.read.controller_us, told.read.mean_us), (7.0, 581.0), "{order:?}");
        assert_eq!(of(&told.write, "program"), (0.0, 600.0, 10.0), "{order:?}");
        assert_eq!((told.write.controller_us, told.write.requests), (7.0, 2), "{order:?}");
    }
}

#[test]
fn a_write_of_half_a_page_waits_for_the_rest_of_it() {
    for &order in ServiceOrder::ALL {
        let requests = vec![write(0), half(1000, Op::Write)];
        let told = run(&itemised(order), requests).breakdown.expect("it was asked for").write;
        // One of two writes reads.
        assert_eq!(of(&told, "read"), (0.0, 25.0, 5.0), "{order:?}");
        assert_eq!(of(&told, "program"), (0.0, 600.0, 10.0), "{order:?}");
        assert_eq!((told.mean_us, told.controller_us), (640.0, 0.0), "{order:?}");
        let counts: Vec<_> = told.flash.iter().map(|part| part.operations).collect();
        assert_eq!(counts, [1, 2], "{order:?}");
    }
}

#[test]
fn a_request_waits_in_its_queue_until_it_is_fetched() {
    for &order in ServiceOrder::ALL {
        let mut config = itemised(order);
        (config.host.window, config.host.overhead_us) = (1, 3.0);
        // Of two that come at once and one 10 us later the drive has one at a time, each for 613 us.
        let requests = vec![write(0), write(1), at(10, Op::Write, 2, 1)];
        let told = run(&config, requests).breakdown.expect("it was asked for").write;
        assert_eq!((told.queue_us, told.controller_us), ((613.0 + 1216.0) / 3.0, 3.0), "{order:?}");
        assert_eq!(of(&told, "program"), (0.0, 600.0, 10.0), "{order:?}");
    }
}

#[test]
fn a_write_waits_for_room_in_the_buffer() {
    for &order in ServiceOrder::ALL {
        let mut config = itemised(order);
        (config.ftl.acknowledge, config.ftl.buffer_kib) = (Acknowledge::Buffer, 4.0);
        // The program of the first page ends 610 us after it came, and leaves its room.
        let told = run(&config, vec![write(0), at(10, Op::Write, 1, 1)]).breakdown;
        let told = told.expect("it was asked for").write;
        assert_eq!((told.buffer_us, told.controller_us), (300.0, 0.0), "{order:?}");
        assert_eq!((told.mean_us, told.flash.len()), (300.0, 0), "{order:?}");
    }
}

#[test]
fn a_write_waits_for_its_program_to_fill() {
    for &order in ServiceOrder::ALL {
        let mut config = itemised(order);
        (config.drive.chip.cell, config.drive.chip.pages_per_block) = (Cell::Tlc, 24);
        config.drive.chip.program = ProgramUnit::OneShot;
        (config.ftl.program_start, config.ftl.merge_timeout_us) =
            (ProgramStart::AfterTimeout, 1000.0);
        let requests = vec![write(0), at(5000, Op::Read, 0, 1)];
        let alone = run(&config, requests).breakdown.expect("it was asked for").write;
        assert_eq!((alone.fill_us, alone.controller_us), (1000.0, 0.0), "{order:?}");
        assert_eq!(of(&alone, "program").0, 0.0, "{order:?}");
    }
}

/// Garbage collection of whole blocks is most of what writes wait for that come faster than it goes.
#[test]
fn a_write_waits_behind_garbage_collection() {
    for &order in ServiceOrder::ALL {
        let mut config = itemised(order);
        (config.precondition.pattern, config.precondition.fill) = (Pattern::Random, 1.0);
        let mut dice = Dice::new(3);
        let pages = logical_pages(&config);
        let requests = (0..2000).map(|n| at(n * 3000, Op::Write, dice.below(pages), 1)).collect();
        let result = run(&config, requests);
        let told = result.breakdown.expect("it was asked for").write;
        let program = told.flash.iter().find(|part| part.operation == "program");
        let program = program.expect("it was waited for");
        assert!(result.gc.count > 20 && program.wait_gc_us > 0.8 * program.wait_us, "{program:?}");
        // What it waits for in all is no more than all GC took.
        let waited_ms = program.wait_gc_us * told.requests as f64 / 1000.0;
        assert!(waited_ms > 0.1 * result.gc.time_ms, "{waited_ms} of {}", result.gc.time_ms);
    }
}

#[test]
fn what_dram_serves_waits_for_no_flash() {
    let mut config = itemised(ServiceOrder::InOrder);
    config.host.write_buffer_mib = 1.0;
    let told = run(&config, vec![write(0), at(10, Op::Read, 0, 1)]).breakdown;
    let told = told.expect("it was asked for");
    for of in [&told.read, &told.write] {
        assert_eq!((of.requests, of.controller_us, of.flash.len()), (1, 1.0, 0));
    }
    // Of two pages the flash gives one in 60 us, and DRAM the other in 200.
    config.host.dram_us = 200.0;
    (config.precondition.pattern, config.precondition.fill) = (Pattern::Sequential, 0.5);
    let told = run(&config, vec![write(1), at(1000, Op::Read, 0, 2)]).breakdown;
    let told = told.expect("it was asked for").read;
    assert_eq!((told.requests, told.controller_us, told.flash.len()), (1, 200.0, 0));
}

#[test]
fn the_part_of_a_run_that_counts_is_itemised_alone() {
    let mut config = itemised(ServiceOrder::InOrder);
    config.run.measure_from_request = 1;
    let told = run(&config, vec![write(0), half(1000, Op::Write)]).breakdown;
    let told = told.expect("it was asked for").write;
    assert_eq!((told.requests, told.mean_us), (1, 670.0));
    assert_eq!(of(&told, "read"), (0.0, 50.0, 10.0));
}

#[test]
fn runs_without_times_are_refused() {
    let mut config = itemised(ServiceOrder::InOrder);
    config.run.mode = RunMode::Count;
    let counted = outcome(&config, vec![write(0)]).expect_err("it is refused").to_string();
    assert!(counted.contains("nothing takes time"), "{counted}");
}
