//! Writes that are acknowledged from the controller's buffer: what it holds, who waits, and that
//! nothing waits for ever.

use super::column;
use crate::common::{Dice, PAGE, at, outcome, run, tiny_timed, write};
use wordline_sim::config::{
    Acknowledge, Allocation, Cell, Config, Frontiers, HostMode, HotnessChoice, Pattern,
    ProgramUnit, RunMode, ServiceOrder,
};
use wordline_sim::metrics::Columns;
use wordline_trace::{Op, Request};

const ORDERS: [ServiceOrder; 2] = [ServiceOrder::InOrder, ServiceOrder::ReadsFirst];

/// A drive whose buffer holds so many pages; a program ends every 610 us.
fn buffered(order: ServiceOrder, pages: u64) -> Config {
    let mut config = tiny_timed();
    config.drive.scheduling.order = order;
    config.ftl.acknowledge = Acknowledge::Buffer;
    config.ftl.buffer_kib = (pages * PAGE) as f64 / 1024.0;
    config.run.records = true;
    config
}

/// Latencies in the order of the requests, in us.
fn latencies_us(records: &Columns) -> Vec<u64> {
    let by_number = column(records, "request").into_iter().zip(column(records, "latency_ns"));
    let mut latencies: Vec<(u64, u64)> = by_number.collect();
    latencies.sort_unstable();
    latencies.into_iter().map(|(_, ns)| ns / 1000).collect()
}

#[test]
fn a_full_buffer_holds_the_host_back() {
    for order in ORDERS {
        let mut config = buffered(order, 2);
        config.host.mode = HostMode::Closed;
        config.host.queue_depth = 1;
        let outcome = outcome(&config, (0..6).map(write).collect()).expect("it works");
        assert_eq!(latencies_us(&outcome.records), [0, 0, 610, 610, 610, 610], "{order}");
        assert_eq!(outcome.result.host.buffer_waits, 4);
        assert_eq!(outcome.result.capacity.buffer_bytes, 2 * PAGE);
        // The last write is acknowledged when the fourth program ends.
        assert!((outcome.result.workload.duration_s - 4.0 * 610e-6).abs() < 1e-12);
    }
}

/// In an open loop the host does not wait: writes are acknowledged one after the other, and a read
/// goes ahead of those that wait.
#[test]
fn a_full_buffer_delays_acknowledgements_alone() {
    for order in ORDERS {
        let mut requests: Vec<Request> = (0..5).map(write).collect();
        requests.push(at(1, Op::Read, 100, 1));
        let records = outcome(&buffered(order, 2), requests).expect("it works").records;
        assert_eq!(latencies_us(&records), [0, 0, 610, 1220, 1830, 0], "{order}");
    }
}

/// A write that finds the buffer full is complete once it is programmed, whoever came before it.
#[test]
fn a_write_that_is_programmed_waits_no_longer() {
    for order in ORDERS {
        let mut config = buffered(order, 1);
        config.drive.channels = 2;
        config.ftl.allocation = Allocation::Cwdp;
        // Even pages go to the first die: three programs are ahead there, none on the other one.
        let requests = [0, 2, 4, 1].map(write).to_vec();
        let records = outcome(&config, requests).expect("it works").records;
        assert_eq!(latencies_us(&records), [0, 610, 1220, 610], "{order}");
    }
}

/// Programs of three pages and a buffer of one: a full buffer starts programs that are not full, for
/// nothing else would make room.
#[test]
fn a_buffer_smaller_than_a_program_does_not_stand_still() {
    for order in ORDERS {
        let mut config = buffered(order, 1);
        config.drive.chip.cell = Cell::Tlc;
        config.drive.chip.pages_per_block = 12;
        config.drive.chip.program = ProgramUnit::OneShot;
        config.host.mode = HostMode::Closed;
        config.host.queue_depth = 1;
        let result = run(&config, (0..40).map(write).collect());
        // One is held; the next waits, and starts the program with two of three pages.
        assert_eq!(result.host.write.count, 40);
        assert_eq!((result.flash.program_operations, result.flash.padding), (20, 20), "{order}");
        assert!(result.warnings.iter().any(|text| text.contains("ftl.buffer_kib")));
        // With room for two programs none starts before it is full, but for the last one.
        config.ftl.buffer_kib = 0.0;
        let result = run(&config, (0..40).map(write).collect());
        assert_eq!(result.capacity.buffer_bytes, 6 * PAGE);
        assert_eq!((result.flash.program_operations, result.flash.padding), (14, 2), "{order}");
        assert!(!result.warnings.iter().any(|text| text.contains("padding")));
    }
}

/// When each write is acknowledged, from when it arrives and when its program ends: the rule, event by
/// event.
fn acknowledged_ns(arrivals: &[u64], ends: &[u64], capacity: usize) -> Vec<u64> {
    let arrive = arrivals.iter().enumerate().map(|(write, &ns)| (ns, 1, write));
    let end = ends.iter().enumerate().map(|(write, &ns)| (ns, 0, write));
    let mut events: Vec<(u64, u8, usize)> = arrive.chain(end).collect();
    events.sort_unstable();
    let (mut held, mut waiting) = (Vec::new(), Vec::new());
    let mut acknowledged = vec![0; arrivals.len()];
    for (now_ns, arrives, write) in events {
        if arrives == 1 {
            waiting.push(write);
        } else if let Some(at) = held.iter().position(|&other| other == write) {
            held.remove(at);
        } else {
            waiting.retain(|&other| other != write);
            acknowledged[write] = now_ns;
        }
        while held.len() < capacity && !waiting.is_empty() {
            let first = waiting.remove(0);
            acknowledged[first] = now_ns;
            held.push(first);
        }
    }
    acknowledged
}

/// The same writes with either acknowledgement are programmed at the same times, so the ends of the
/// one give the acknowledgements of the other.
#[test]
fn acknowledgements_follow_from_the_ends_of_programs() {
    let mut dice = Dice::new(7);
    for case in 0..60 {
        let order = ORDERS[case % 2];
        let pages = dice.between(1, 6);
        let mut config = buffered(order, pages);
        config.drive.channels = dice.between(1, 3);
        config.drive.over_provisioning = 0.4;
        config.precondition.pattern = Pattern::Sequential;
        let logical = wordline_sim::logical_bytes(&config).expect("it works") / PAGE;
        let mut now_us = 0;
        let requests: Vec<Request> = (0..200)
            .map(|_| {
                now_us += dice.below(700);
                at(now_us, Op::Write, dice.below(logical), 1)
            })
            .collect();
        let records = |acknowledge: Acknowledge| {
            let config = Config {
                ftl: wordline_sim::config::FtlConfig { acknowledge, ..config.ftl.clone() },
                ..config.clone()
            };
            let records = outcome(&config, requests.clone()).expect("it works").records;
            latencies_us(&records)
        };
        let arrivals: Vec<u64> = requests.iter().map(|request| request.arrival_ns / 1000).collect();
        let after = |latencies: Vec<u64>| -> Vec<u64> {
            arrivals.iter().zip(latencies).map(|(arrival, us)| arrival + us).collect()
        };
        let expected =
            acknowledged_ns(&arrivals, &after(records(Acknowledge::Program)), pages as usize);
        assert_eq!(after(records(Acknowledge::Buffer)), expected, "case {case}, {order}");
    }
}

/// What the buffer holds back, and when, is no matter of counts.
#[test]
fn counts_do_not_depend_on_the_size_of_the_buffer() {
    let counts = |order: ServiceOrder, pages: u64| {
        let mut config = buffered(order, pages);
        config.precondition.pattern = Pattern::Sequential;
        let mut dice = Dice::new(3);
        let result = run(&config, (0..500).map(|_| write(dice.below(64))).collect());
        let flash = result.flash;
        (flash.erases, flash.page_programs.gc, flash.page_reads.gc, flash.program_operations)
    };
    let many = counts(ORDERS[0], 1000);
    assert!(many.0 > 0 && many.1 > 0, "{many:?}");
    for order in ORDERS {
        assert_eq!([counts(order, 1), counts(order, 3)], [many, many], "{order}");
    }
}

/// Units leave the DRAM cache for the buffer: those that a write displaces, and those of a timer, for
/// which nobody waits.
#[test]
fn the_buffer_takes_what_the_cache_lets_go() {
    for order in ORDERS {
        let mut config = buffered(order, 1);
        config.host.mode = HostMode::Closed;
        config.host.write_buffer_mib = (4 * PAGE) as f64 / f64::from(1 << 20);
        config.host.flush_interval_s = 0.005;
        let result = run(&config, (0..100).map(|page| write(page % 64)).collect());
        assert_eq!(result.host.write.count, 100);
        assert!(result.host.buffer_waits > 50, "{}", result.host.buffer_waits);
        let expected_s = result.flash.page_programs.host as f64 * 610e-6;
        assert!(result.workload.duration_s > 0.9 * expected_s, "it is bound by programs");
    }
}

/// A drive that turns read-only refuses writes, and holds none of them in its buffer.
#[test]
fn a_drive_that_turns_read_only_leaves_nobody_waiting() {
    for order in ORDERS {
        let mut config = buffered(order, 1);
        config.host.mode = HostMode::Closed;
        config.drive.chip.endurance_pec = 2;
        let result = run(&config, (0..600).map(|page| write(page % 64)).collect());
        assert!(result.host.refused_writes > 0, "{order}");
        assert_eq!(result.host.write.count + result.host.refused_writes, 600, "{order}");
    }
}

/// What the cache holds when the drive turns read-only is lost; nothing enters it after that.
#[test]
fn a_read_only_drive_takes_nothing_into_its_cache() {
    for order in ORDERS {
        let mut config = buffered(order, 1);
        config.host.mode = HostMode::Closed;
        config.host.write_buffer_mib = (4 * PAGE) as f64 / f64::from(1 << 20);
        config.drive.chip.endurance_pec = 2;
        let result = run(&config, (0..600).map(|page| write(page % 64)).collect());
        let (host, accepted) = (&result.host, result.wear.read_only_after_writes.unwrap());
        assert_eq!(
            host.refused_writes + accepted + 4,
            600,
            "{order}: four pages stay in the cache"
        );
        // They were taken; the request that found no room is refused with what it pushed out.
        assert_eq!(host.write.count, accepted + 4, "{order}");
    }
}

#[test]
fn a_buffer_of_less_than_a_unit_is_refused() {
    let mut config = buffered(ServiceOrder::InOrder, 1);
    config.ftl.buffer_kib = 3.9;
    let text = outcome(&config, vec![write(0)]).expect_err("refused").to_string();
    assert!(text.contains("ftl.buffer_kib is 3.9") && text.contains("4 KiB"), "{text}");
}

/// Two programs of each open block that the host writes.
#[test]
fn the_buffer_has_room_for_two_programs_of_each_open_block() {
    let pages = |change: fn(&mut Config)| {
        let mut config = buffered(ServiceOrder::InOrder, 1);
        config.ftl.buffer_kib = 0.0;
        config.drive.chip.blocks_per_plane = 32;
        change(&mut config);
        run(&config, vec![write(0)]).capacity.buffer_bytes / PAGE
    };
    assert_eq!(pages(|_| {}), 2);
    assert_eq!(pages(|config| config.drive.channels = 3), 6);
    assert_eq!(pages(|config| config.drive.chip.planes = 2), 4);
    assert_eq!(pages(|config| config.ftl.frontiers = Frontiers::Shared), 2);
    assert_eq!(pages(|config| config.ftl.hotness.policy = HotnessChoice::Oracle), 4);
    assert_eq!(
        pages(|config| {
            let chip = &mut config.drive.chip;
            (chip.planes, chip.multi_plane) = (4, true);
            (chip.cell, chip.program) = (Cell::Mlc, ProgramUnit::OneShot);
        }),
        16,
        "four planes, two pages each"
    );
    assert_eq!(pages(|config| config.ftl.acknowledge = Acknowledge::Program), 0);
    assert_eq!(pages(|config| config.run.mode = RunMode::Count), 0, "nothing waits");
}
