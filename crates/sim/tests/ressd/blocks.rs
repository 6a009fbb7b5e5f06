//! What becomes of blocks, write by write.

use crate::common::at;
use crate::rig::{PAGE_US, PROGRAM_US, READ_US, figure, layers, run, tlc, writes};
use wordline_sim::config::{Acknowledge, HotnessChoice};
use wordline_sim::technique::ressd::{PowerLoss, ReSsdConfig, Reclaim, SpentBlock};
use wordline_trace::{Op, Request};

/// Time between writes: long enough for each to end, too short to count as idle.
const GAP_US: u64 = 100;

/// Writes pages 0 to 8 for the first time, and then these again: the updates are hot.
fn updates(pages: &[u64]) -> Vec<Request> {
    writes((0..9).chain(pages.iter().copied()), 0, GAP_US)
}

/// The updates of Figure 8 until time 1, which program four word lines.
const PROGRAMS: [u64; 8] = [0, 1, 2, 3, 4, 3, 0, 5];
/// Those until time 3, which reprogram them.
const REPROGRAMS: [u64; 4] = [6, 4, 1, 8];

fn figure_8(more: &[u64]) -> Vec<Request> {
    updates(&[&PROGRAMS[..], &REPROGRAMS, more].concat())
}

#[test]
fn the_published_example_reprograms_the_word_lines_it_names() {
    // A super layer of one layer of four word lines.
    let result = run(&tlc(4), &layers(1), updates(&PROGRAMS));
    assert_eq!((figure(&result, "/word_lines"), result.flash.reprograms), (4, 0));
    let result = run(&tlc(4), &layers(1), figure_8(&[]));
    // P6, p4 and p1 go to word lines 0, 2 and 1, P8 to word line 0 again.
    assert_eq!(figure(&result, "/word_lines"), 4);
    assert_eq!(figure(&result, "/reprograms/first"), 3);
    assert_eq!(figure(&result, "/reprograms/second"), 1);
    assert_eq!(figure(&result, "/candidates/suspended"), 0);
    assert_eq!(result.flash.page_reads.technique, 4, "the status is read before each");
}

#[test]
fn a_super_layer_of_valid_data_suspends_its_block() {
    // Page 7 was never in it: every word line holds two valid pages, three of them may still change.
    let result = run(&tlc(4), &layers(1), figure_8(&[7]));
    assert_eq!(figure(&result, "/candidates/suspended"), 1);
    assert_eq!(figure(&result, "/candidates/turned_away"), 1);
    assert_eq!(result.flash.reprograms, 4);
    // Six pages are in the way. Page 7 was written to a normal block, with two of them.
    assert_eq!(figure(&result, "/fully_invalidated/along"), 2);
    assert_eq!(result.flash.page_programs.technique, 2);
}

#[test]
fn where_the_host_waits_a_hot_write_goes_to_the_candidate_once_it_is_clear() {
    let own = ReSsdConfig { reclaim: Reclaim::Blocking, ..layers(1) };
    let (waits, turned) =
        (run(&tlc(4), &own, figure_8(&[7])), run(&tlc(4), &layers(1), figure_8(&[7])));
    assert_eq!(figure(&waits, "/candidates/turned_away"), 1);
    assert_eq!(figure(&waits, "/candidates/passive"), 1);
    assert_eq!(figure(&waits, "/candidates/reclaimed"), 1);
    // All six pages in the way are moved, and page 7 is reprogrammed into the candidate.
    assert_eq!(figure(&waits, "/fully_invalidated/along"), 6);
    assert_eq!(waits.flash.page_programs.technique, 6);
    assert_eq!(waits.flash.reprograms, turned.flash.reprograms + 1);
    assert_eq!(figure(&waits, "/page_consumption/gc"), 0);
    // Where a write ends with its program, it does so after six reads and two programs of three pages.
    let mut ends = tlc(4);
    ends.ftl.acknowledge = Acknowledge::Program;
    let [waits, turned] = [own, layers(1)].map(|own| run(&ends, &own, figure_8(&[7])));
    let more_us = waits.host.write.max_us - turned.host.write.max_us;
    assert!(more_us > PROGRAM_US + 6.0 * READ_US, "{more_us}");
}

#[test]
fn a_hot_write_does_not_wait_where_it_can_be_written() {
    // Page 3 takes the place of what it makes invalid: no candidate, and nothing to wait for.
    let own = ReSsdConfig { reclaim: Reclaim::Blocking, ..layers(1) };
    for more in [&[][..], &[3]] {
        let blocking = run(&tlc(4), &own, figure_8(more));
        let turned = run(&tlc(4), &layers(1), figure_8(more));
        assert_eq!(blocking.flash.reprograms, turned.flash.reprograms);
        assert_eq!(blocking.flash.page_programs.technique, 0);
        assert_eq!(blocking.host.write.max_us, turned.host.write.max_us);
        assert_eq!(figure(&blocking, "/candidates/turned_away"), 0);
    }
}

#[test]
fn an_update_of_a_candidate_switches_it_back() {
    // The second update of page 2 finds the block with its first one invalid, moved or not.
    let own = ReSsdConfig { candidates: 1, ..layers(1) };
    let result = run(&tlc(4), &own, figure_8(&[7, 2, 3]));
    assert_eq!(figure(&result, "/blocks/opened"), 2, "one candidate may wait");
    assert_eq!(figure(&result, "/fully_invalidated/along"), 0);
    assert_eq!(figure(&result, "/candidates/proactive"), 0, "the second block is active");
    // Eight updates fill the second block with data of its own; then the first one is taken again.
    let full = [7, 2, 3, 1, 4, 5, 6, 8];
    let result = run(&tlc(4), &own, figure_8(&[&full[..], &[0]].concat()));
    assert_eq!(figure(&result, "/candidates/proactive"), 1);
    assert_eq!(figure(&result, "/blocks/opened"), 2);
}

#[test]
fn a_candidate_is_reclaimed_in_idle_time() {
    let mut requests = figure_8(&[7]);
    requests.push(at(1_000_000, Op::Write, 7, 1));
    let result = run(&tlc(4), &layers(1), requests);
    // Four of its six pages were left; then page 7 is reprogrammed into it.
    assert_eq!(figure(&result, "/fully_invalidated/along"), 2);
    assert_eq!(figure(&result, "/fully_invalidated/idle"), 4);
    assert_eq!(figure(&result, "/candidates/passive"), 1);
    assert_eq!(result.flash.reprograms, 5);
}

#[test]
fn every_page_that_is_moved_away_is_corrected() {
    // Moved along with data of the host, in idle time, and while the host waits.
    let mut requests = figure_8(&[7]);
    requests.push(at(1_000_000, Op::Write, 7, 1));
    for (reclaim, expected) in [(Reclaim::AtOnce, (2, 4)), (Reclaim::Blocking, (6, 0))] {
        let own = ReSsdConfig { reclaim, ecc_bits: 80, ..layers(1) };
        let result = run(&tlc(4), &own, requests.clone());
        let [along, idle] =
            ["/along", "/idle"].map(|how| figure(&result, &format!("/fully_invalidated{how}")));
        assert_eq!((along, idle), expected);
        assert_eq!(figure(&result, "/corrected/pages"), along + idle);
        assert_eq!(result.flash.page_programs.technique, along + idle);
    }
    let result = run(&tlc(4), &layers(1), requests);
    assert!(!result.technique.contains_key("corrected"), "nothing is reckoned unless asked for");
}

#[test]
fn the_next_super_layer_follows_when_every_word_line_was_reprogrammed_twice() {
    // Each update makes the one before it invalid: 16 writes for 4 word lines, then the next layer,
    // after which the block is an ordinary one.
    let same = |n: usize| updates(&vec![0; n]);
    let at_limit = run(&tlc(4), &layers(1), same(16));
    assert_eq!((figure(&at_limit, "/word_lines"), at_limit.flash.reprograms), (4, 8));
    let next = run(&tlc(4), &layers(1), same(17));
    assert_eq!(figure(&next, "/super_layers/followed"), 1);
    assert_eq!((figure(&next, "/word_lines"), figure(&next, "/blocks/opened")), (5, 1));
    let spent = run(&tlc(4), &layers(1), same(32));
    assert_eq!((figure(&spent, "/word_lines"), spent.flash.reprograms), (8, 16));
    assert_eq!(figure(&spent, "/blocks/reprogrammable"), 0);
    assert_eq!(figure(&run(&tlc(4), &layers(1), same(33)), "/blocks/opened"), 2);
}

#[test]
fn a_spent_block_is_emptied_in_idle_time() {
    // 32 writes fill the block for good; of these the last of page 0 and that of page 1 are valid.
    let mut requests = updates(&[[0; 31].as_slice(), &[1]].concat());
    requests.push(at(1_000_000, Op::Write, 20, 1));
    for (spent, moved) in [(SpentBlock::Emptied, 2), (SpentBlock::Left, 0)] {
        let own = ReSsdConfig { spent, ..layers(1) };
        let result = run(&tlc(4), &own, requests.clone());
        assert_eq!(result.flash.reprograms, 16);
        assert_eq!(figure(&result, "/fully_invalidated/of_spent"), moved, "{spent}");
        assert_eq!(result.flash.page_programs.technique, moved);
    }
}

#[test]
fn data_of_a_spent_block_may_be_updated_until_it_is_cold() {
    let mut config = tlc(4);
    config.ftl.hotness.policy = HotnessChoice::Interval;
    config.ftl.hotness.intervals_min = vec![0.5, 1.0];
    let spent = updates(&[[0; 31].as_slice(), &[1]].concat());
    // Idle moments follow each request; the block was last written after 41 gaps.
    let cold_us = 60_000_000 + 41 * GAP_US;
    for (own, at_us, moved) in [
        (SpentBlock::Cooled, cold_us - 1000 * GAP_US, 0),
        (SpentBlock::Cooled, cold_us + 100 * GAP_US, 2),
        (SpentBlock::Emptied, 1_000_000, 2),
    ] {
        let own = ReSsdConfig { spent: own, ..layers(1) };
        let after = [at_us, at_us + 100 * GAP_US].map(|at_us| at(at_us, Op::Read, 0, 1));
        let result = run(&config, &own, [&spent[..], &after].concat());
        assert_eq!(figure(&result, "/reprograms/first"), 8);
        assert_eq!(figure(&result, "/fully_invalidated/of_spent"), moved, "{at_us}");
    }
}

#[test]
fn a_super_layer_of_any_size_is_programmed_whole_before_it_is_reprogrammed() {
    // Eight layers of a word line each. The updates of one page find every word line but the last with
    // nothing valid: two programs fill each, two reprograms the whole.
    for size in [1, 2, 4, 8] {
        let of = |updates: u64| {
            let result = run(&tlc(1), &layers(size), updates_of_one_page(updates));
            (figure(&result, "/word_lines"), result.flash.reprograms)
        };
        assert_eq!(of(2 * size), (size, 0));
        assert_eq!(of(2 * size + 1), (size, 1));
        assert_eq!(of(4 * size), (size, 2 * size));
        let warnings = run(&tlc(1), &layers(size), updates_of_one_page(1)).warnings;
        let warned = warnings.iter().any(|text| text.contains("super layers of"));
        assert_eq!(warned, size > 2, "{size} layers");
    }
}

fn updates_of_one_page(n: u64) -> Vec<Request> {
    updates(&vec![0; n as usize])
}

#[test]
fn first_writes_and_cold_updates_fill_normal_blocks() {
    let config = tlc(4);
    let cold = crate::common::logical_pages(&config) - 1;
    let result = run(&config, &layers(1), writes([0, 1, 2, cold, cold, cold], 0, GAP_US));
    assert_eq!(figure(&result, "/blocks/opened"), 0);
    assert_eq!(result.flash.program_operations, 2);
}

#[test]
fn reads_take_two_sensings_in_word_lines_of_two_bits() {
    for (page, read_us) in [(0, 53.0), (8, READ_US)] {
        let mut requests = updates(&[0, 1]);
        requests.push(at(1_000_000, Op::Read, page, 1));
        let result = run(&tlc(4), &layers(1), requests);
        let mean_us = result.host.read.mean_us;
        assert!((mean_us - read_us - PAGE_US).abs() < 1e-6, "page {page}: {mean_us} us");
    }
}

#[test]
fn writes_wait_for_their_programs_as_long_as_published() {
    let mut config = tlc(4);
    config.ftl.acknowledge = Acknowledge::Program;
    config.ftl.merge_timeout_us = 0.0;
    // Alone, each in a program of its own: the first of a page in 3,000 us, an update in 2,675 us, and
    // once all eight word lines are programmed in 2,705 us, with the read of the status and its transfer.
    let requests = writes([[0].as_slice(), &[0; 5]].concat(), 0, 100_000);
    let result = run(&config, &layers(1), requests);
    assert_eq!((figure(&result, "/word_lines"), result.flash.reprograms), (4, 1));
    let transfer = [3.0, 2.0, 2.0, 2.0, 2.0, 2.0].iter().sum::<f64>() * PAGE_US;
    let expected_us = (3000.0 + 4.0 * 2675.0 + 2705.0 + transfer) / 6.0;
    assert!((result.host.write.mean_us - expected_us).abs() < 1e-6, "{:?}", result.host.write);
}

#[test]
fn without_a_capacitor_a_reprogram_waits_for_copies_of_what_it_puts_at_risk() {
    let mut config = tlc(4);
    config.ftl.acknowledge = Acknowledge::Program;
    config.ftl.merge_timeout_us = 0.0;
    let own = ReSsdConfig { power_loss: PowerLoss::Copies, copy_us: 1000.0, ..layers(1) };
    let last = |own: &ReSsdConfig, updates: &[u64]| {
        let result = run(&config, own, writes((0..5).chain(updates.iter().copied()), 0, 100_000));
        (figure(&result, "/copies/programs"), result.host.write.max_us)
    };
    // Each update programs a word line of its own: then the third page's reprogram finds a dead word
    // line, or one whose only data it replaces.
    let dead = [0, 0, 0, 1, 1];
    let (copies, slowest_us) = last(&own, &dead);
    assert_eq!(copies, 0);
    assert!(slowest_us < 3100.0, "{slowest_us}");
    let valid = [0, 1, 2, 3, 3];
    let (copies, slowest_us) = last(&own, &valid);
    assert_eq!(copies, 1);
    assert!((slowest_us - (2705.0 + 1000.0 + 2.0 * PAGE_US)).abs() < 1e-6, "{slowest_us}");
    assert_eq!(last(&layers(1), &valid).0, 0, "a capacitor lets it end");
}
