//! The work stealer, at the edges of its conditions.

use crate::harness::{figure, schedulers};
use crate::rig::*;
use std::collections::BTreeSet;
use wordline_sim::technique::centaur::{CentaurConfig, Steal};
use wordline_trace::Request;

fn stealer(when: Steal) -> CentaurConfig {
    CentaurConfig { steal: when, ..dispatcher() }
}

/// Runs requests of parts for the 3D flash and of single units; how many of the parts are stolen.
fn stolen(when: Steal, requests: &[Request]) -> u64 {
    let [_, timed @ ..] = schedulers(&two_kinds());
    let [first, second] = timed.map(|config| {
        let result = run_with(&stealer(when), &config, requests);
        // What is stolen is written page by page.
        let stolen = figure(&result, "stolen_parts");
        let small = requests.iter().filter(|it| u64::from(it.size_bytes) < RANGE * UNIT);
        let units = small.flat_map(|it| {
            let first = it.offset_bytes / UNIT;
            first..first + u64::from(it.size_bytes) / UNIT
        });
        let distinct = units.collect::<BTreeSet<_>>().len() as u64;
        assert_eq!(valid(&result)[TWO_D], distinct + RANGE * stolen);
        stolen
    });
    assert_eq!(first, second);
    first
}

#[test]
fn equally_full_is_not_fuller() {
    // The 3D flash has eight times the room: its 24 units are as much as 3. Neither of the first two parts
    // finds it the fuller one.
    let and = |in_2d: u64| -> Vec<Request> {
        let singles = (0..in_2d).map(|n| put(0, 600 + n, 1));
        let parts = [whole(10_000, 0), whole(20_000, 1), whole(100_000, 5)];
        singles.chain(parts).collect()
    };
    assert_eq!(stolen(Steal::AnyIdle, &and(3)), 0);
    assert_eq!(stolen(Steal::AnyIdle, &and(2)), 1);
    assert_eq!(stolen(Steal::Never, &and(2)), 0);
}

/// Both dies of the 2D flash are at work whenever one of four ranges goes to the 3D flash, which is then the
/// fuller one by 48 units to 2 of eight.
fn four_ranges() -> Vec<Request> {
    let at = |range: u64| {
        let us = range * 10_000;
        [put(us, 600, 1), put(us, 601, 1), whole(us, range)]
    };
    (0..4).flat_map(at).collect()
}

/// What is stolen of four ranges, to which more is written much later.
fn after_four_ranges(when: Steal, then: &[Request]) -> u64 {
    stolen(when, &four_ranges().into_iter().chain(then.iter().copied()).collect::<Vec<_>>())
}

#[test]
fn one_idle_die_is_enough_or_all_must_be() {
    let part = whole(100_000, 5);
    let busy = [put(100_000, 700, 1), part];
    assert_eq!(after_four_ranges(Steal::AnyIdle, &busy), 1);
    assert_eq!(after_four_ranges(Steal::AllIdle, &busy), 0);
    assert_eq!(after_four_ranges(Steal::AllIdle, &[part]), 1);
    let both = [put(100_000, 700, 1), put(100_000, 701, 1), part];
    assert_eq!(after_four_ranges(Steal::AnyIdle, &both), 0);
}

#[test]
fn a_die_is_idle_when_its_program_ends() {
    // 10 us on the channel of each, and 600 us.
    let at = |us| [put(100_000, 700, 1), put(100_000, 701, 1), whole(us, 5)];
    assert_eq!(after_four_ranges(Steal::AnyIdle, &at(100_609)), 0);
    assert_eq!(after_four_ranges(Steal::AnyIdle, &at(100_610)), 1);
}

/// Two ranges for the same 3D die at once, while the 2D dies write so many pages each.
fn two_for_a_die(pages: u64) -> Vec<Request> {
    let singles = (0..2 * pages).map(|n| put(100_000, 700 + n, 1));
    singles.chain([whole(100_000, 4), whole(100_000, 6)]).collect()
}

#[test]
fn a_part_that_waits_is_taken_over_once_a_2d_die_is_idle() {
    // The 3D die is at work for 120 + 1500 us, the 2D dies for 610 us a page.
    assert_eq!(after_four_ranges(Steal::AnyIdle, &two_for_a_die(1)), 1);
    assert_eq!(after_four_ranges(Steal::AnyIdle, &two_for_a_die(2)), 1);
    assert_eq!(after_four_ranges(Steal::AnyIdle, &two_for_a_die(3)), 0);
    assert_eq!(after_four_ranges(Steal::Never, &two_for_a_die(1)), 0);
}

#[test]
fn time_passes_once_what_waited_is_of_no_use() {
    let trim = crate::common::at(100_400, wordline_trace::Op::Trim, 6 * RANGE, RANGE as u32);
    let later = crate::common::at(300_000, wordline_trace::Op::Read, 4 * RANGE, RANGE as u32);
    let requests = four_ranges().into_iter().chain(two_for_a_die(3)).chain([trim, later]);
    assert_eq!(stolen(Steal::AnyIdle, &requests.collect::<Vec<_>>()), 0);
}

#[test]
fn what_waits_is_read_from_dram_and_may_be_written_anew() {
    let read = crate::common::at(100_300, wordline_trace::Op::Read, 6 * RANGE + 1, 1);
    let requests = four_ranges().into_iter().chain(two_for_a_die(3)).chain([read]);
    let anew = whole(100_400, 6);
    let [_, timed @ ..] = schedulers(&two_kinds());
    for config in timed {
        let run = |requests: Vec<Request>| run_with(&stealer(Steal::AnyIdle), &config, &requests);
        let once = run(requests.clone().collect());
        assert_eq!(once.host.read.max_us, 1.0);
        let twice = run(requests.clone().chain([anew]).collect());
        assert_eq!(figure(&twice, "dispatched_3d_parts"), 7);
        assert_eq!(once.flash.program_operations, twice.flash.program_operations);
    }
}
