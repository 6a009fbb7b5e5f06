//! Which updates are hot: the bounds of 30, 60 and 120 minutes, to the microsecond.

use crate::common::at;
use crate::rig::{figure, layers, run, tlc};
use wordline_sim::config::{Config, HotnessChoice, Pattern};
use wordline_trace::{Op, Request};

const MINUTE_US: u64 = 60_000_000;

fn by_interval() -> Config {
    let mut config = tlc(4);
    config.ftl.hotness.policy = HotnessChoice::Interval;
    config.ftl.hotness.intervals_min = vec![30.0, 60.0, 120.0];
    config
}

/// Reprogrammable blocks that are opened by updates of pages 0, 1 and so on at these times; all of
/// them were written into one block at time 0.
fn opened(updates_us: &[u64]) -> u64 {
    let pages = updates_us.len() as u64;
    let first = (0..pages).map(|page| at(0, Op::Write, page, 1));
    let updates = (0..).zip(updates_us).map(|(page, &us)| at(us, Op::Write, page, 1));
    let requests: Vec<Request> = first.chain(updates).collect();
    figure(&run(&by_interval(), &layers(1), requests), "/blocks/opened")
}

#[test]
fn an_update_is_hot_until_the_last_bound() {
    assert_eq!(opened(&[120 * MINUTE_US - 1]), 1);
    assert_eq!(opened(&[120 * MINUTE_US]), 0);
}

#[test]
fn updates_of_different_levels_go_to_different_blocks() {
    for bound_us in [30, 60].map(|minutes| minutes * MINUTE_US) {
        assert_eq!(opened(&[bound_us - 2, bound_us - 1]), 1);
        assert_eq!(opened(&[bound_us - 1, bound_us]), 2);
        assert_eq!(opened(&[bound_us, bound_us + 1]), 1);
    }
}

#[test]
fn the_time_stamp_is_that_of_the_block() {
    // The second page joins the block 100 minutes after it was opened: its update 30 minutes later
    // looks 130 minutes old.
    let update = |us| {
        let requests = vec![
            at(0, Op::Write, 0, 1),
            at(100 * MINUTE_US, Op::Write, 1, 1),
            at(us, Op::Write, 1, 1),
        ];
        figure(&run(&by_interval(), &layers(1), requests), "/blocks/opened")
    };
    assert_eq!(update(119 * MINUTE_US), 1);
    assert_eq!(update(130 * MINUTE_US), 0);
}

#[test]
fn time_stamps_may_be_those_of_pages() {
    // As above, but the second page is as old as its own last write; a tick is 67 ms.
    const TICK_US: u64 = (1 << 26) / 1000 + 1;
    let mut config = by_interval();
    config.ftl.hotness.policy = HotnessChoice::PageInterval;
    let update = |us| {
        let first = vec![
            at(0, Op::Write, 0, 1),
            at(100 * MINUTE_US, Op::Write, 1, 1),
            at(100 * MINUTE_US + us, Op::Write, 1, 1),
        ];
        figure(&run(&config, &layers(1), first), "/blocks/opened")
    };
    assert_eq!(update(120 * MINUTE_US - TICK_US), 1);
    assert_eq!(update(120 * MINUTE_US + TICK_US), 0);
}

#[test]
fn what_preconditioning_writes_is_cold() {
    // The verification of a steady state writes pages again at a standing clock.
    let mut config = by_interval();
    config.precondition.pattern = Pattern::Steady;
    config.precondition.fill = 1.0;
    let result = run(&config, &layers(1), vec![at(0, Op::Read, 0, 1)]);
    let told = &result.steady_state.preconditioning;
    assert!(told["verified_writes"].as_u64().is_some_and(|writes| writes > 0));
    assert_eq!(figure(&result, "/blocks/reprogrammable"), 0);
    assert_eq!(figure(&result, "/capacity/pages_lost"), 0);
}
