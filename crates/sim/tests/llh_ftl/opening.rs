//! Which block hot data fills next: each condition one step before its limit and at it.

use crate::common::at;
use crate::rig::{BEFORE_SCARCE, BLOCK, GAP_US, all_hot, bank, figure, plain, run, writes};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::llh_ftl::{LlhFtlConfig, ReuseWhen};
use wordline_trace::{Op, Request};

/// First rounds, second rounds of empty blocks, and of others.
fn rounds(result: &RunResult) -> [u64; 3] {
    ["/rounds/first", "/rounds/second_empty", "/rounds/second_beyond_threshold"]
        .map(|path| figure(result, path))
}

#[test]
fn while_three_blocks_are_erased_one_of_them_is_opened_though_an_empty_one_waits() {
    let units = BEFORE_SCARCE * BLOCK / 2;
    for (count, expected) in [(units - 8, [21, 0, 0]), (units, [22, 0, 0]), (units + 1, [22, 1, 0])]
    {
        for result in run(&bank(), &plain(), &all_hot(count)) {
            assert_eq!(rounds(&result), expected, "{count} units");
        }
    }
}

/// Partially used blocks that wait with all of their data in [`five_wait`].
const WAITING: u64 = 5;

/// Five partially used blocks, then cold data until two blocks are erased, what else is to happen, and
/// further hot writes, for the first of which a block is opened.
fn five_wait(then: impl Fn(u64) -> Vec<Request>, hot: u64) -> Vec<Request> {
    let cold = (24 - WAITING - 2) * BLOCK;
    let first = (0..WAITING * BLOCK / 2).chain((0..cold).map(|n| 128 + n % 128));
    let mut requests = writes(first);
    let us = requests.len() as u64 * GAP_US;
    requests.extend(then(us));
    requests.extend((0..hot).map(|n| at(us + GAP_US * (n + 1), Op::Write, 100 + n, 1)));
    requests
}

#[test]
fn a_block_that_holds_data_is_reused_once_more_wait_than_the_threshold_allows() {
    // Of 8 spare blocks: a threshold of 5, 4, or 0.
    for (threshold, expected) in [(0.625, [6, 0, 0]), (0.5, [5, 0, 1]), (0.0, [5, 0, 1])] {
        let own = LlhFtlConfig { threshold, ..plain() };
        for result in run(&bank(), &own, &five_wait(|_| Vec::new(), 1)) {
            assert_eq!(rounds(&result), expected, "{threshold}");
            // Nothing on its low pages is invalid: the one before the high page that takes the write is
            // left out, and the one after it, once the end of the run has programmed that.
            assert_eq!(figure(&result, "/low_pages_left_out"), 2 * expected[2]);
            assert_eq!(figure(&result, "/rounds/valid_units_at_reuse"), 8 * expected[2]);
        }
    }
}

#[test]
fn the_block_with_the_least_valid_data_is_reused() {
    // Three units of the third block die.
    let trims = |us| (0..3).map(|n| at(us + n, Op::Trim, 16 + n, 1)).collect();
    for result in run(&bank(), &plain(), &five_wait(trims, 1)) {
        assert_eq!(rounds(&result), [5, 0, 1]);
        assert_eq!(figure(&result, "/rounds/valid_units_at_reuse"), 5);
    }
}

#[test]
fn a_page_of_which_one_unit_is_valid_is_left_out() {
    // Low pages again take 1 unit each, high pages 2: 12 in all, 11 without the page of the last unit.
    let own = LlhFtlConfig { threshold: 0.0, ..plain() };
    for (dead, hot, second_rounds) in [(8, 12, 1), (8, 13, 2), (7, 11, 1), (7, 12, 2)] {
        let trims = |us| (0..dead).map(|n| at(us + n, Op::Trim, 16 + n, 1)).collect();
        let requests = five_wait(trims, hot);
        for result in run(&bank(), &own, &requests) {
            let second = rounds(&result)[1] + rounds(&result)[2];
            // The block that is reused next is full of valid data: its first page is left out at once,
            // its second at the end of the run.
            let of_next = second_rounds - 1;
            let expected = (second_rounds, u64::from(dead == 7) + 2 * of_next);
            assert_eq!((second, figure(&result, "/low_pages_left_out")), expected, "{dead}, {hot}");
        }
    }
}

#[test]
fn a_block_without_valid_data_is_reused_whatever_the_threshold() {
    let own = LlhFtlConfig { threshold: 1.0, ..plain() };
    for (dead, expected) in [(7, [6, 0, 0]), (8, [5, 1, 0])] {
        let trims = |us| (0..dead).map(|n| at(us + n, Op::Trim, 16 + n, 1)).collect();
        for result in run(&bank(), &own, &five_wait(trims, 1)) {
            assert_eq!(rounds(&result), expected, "{dead} units are dead");
        }
    }
}

#[test]
fn blocks_past_the_safe_part_of_their_life_are_filled_page_by_page() {
    // 0.4 of 10 cycles: the fourth is the last in which a block is reused.
    for (erases, expected) in [(3, [2, 0]), (4, [0, 1])] {
        let mut config = bank();
        config.drive.chip.endurance_pec = 10;
        config.drive.chip.initial_pec = erases;
        for result in run(&config, &plain(), &writes(0..9)) {
            let paths = ["/rounds/first", "/rounds/past_safe_life"];
            assert_eq!(paths.map(|path| figure(&result, path)), expected, "{erases} erases");
        }
    }
}

#[test]
fn where_the_threshold_alone_decides_as_many_blocks_wait_and_no_more() {
    // Of 8 spare blocks: a threshold of 2, 1, or none. A first round takes 8 units. A second one takes 12 of a
    // block without valid data, and 8 of one on which all is valid: the last 8 units of what was written are.
    for (threshold, expected, page_by_page, waiting) in
        [(0.25, [3, 1, 0], 0, 2), (0.125, [3, 0, 2], 0, 0), (0.0, [0, 0, 0], 3, 0)]
    {
        let own = LlhFtlConfig { threshold, reuse_when: ReuseWhen::Threshold, ..plain() };
        for result in run(&bank(), &own, &all_hot(36)) {
            assert_eq!(rounds(&result), expected, "{threshold}");
            assert_eq!(figure(&result, "/rounds/page_by_page"), page_by_page, "{threshold}");
            assert_eq!(figure(&result, "/blocks/partially_used"), waiting, "{threshold}");
        }
    }
}
