//! Whole runs: what must be conserved, whatever the workload.

use crate::common::Dice;
use crate::rig::{figure, layers, run, tlc, writes};
use wordline_sim::config::{
    Acknowledge, Allocation, Config, GcCounts, GcScope, HotnessChoice, Incomplete, Pattern,
    RunMode, ServiceOrder,
};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::Conventional;
use wordline_sim::technique::ressd::{Along, ReSsdConfig, Reclaim, SpentBlock, ThirdPage};
use wordline_sim::with;
use wordline_trace::Request;

/// Updates, most of them of few pages, with pauses.
fn skewed(config: &Config, seed: u64, n: usize) -> Vec<Request> {
    let (mut dice, pages) = (Dice::new(seed), crate::common::logical_pages(config));
    let mut page = || match dice.below(10) {
        0..7 => dice.below(pages / 8),
        _ => dice.below(pages),
    };
    let drawn: Vec<u64> = (0..n).map(|_| page()).collect();
    let mut requests = writes(drawn, 0, 900);
    for (at, request) in requests.iter_mut().enumerate() {
        request.arrival_ns += at as u64 / 50 * 10_000_000;
    }
    requests
}

/// A drive of several planes under the allocation of that name.
fn planes(allocation: Allocation) -> Config {
    let mut config = tlc(2);
    config.drive.channels = 2;
    config.drive.chip.planes = 2;
    config.ftl.allocation = allocation;
    config
}

fn check(result: &RunResult, writes: u64) {
    let of = |path: &str| figure(result, path);
    let reprograms = of("/reprograms/first") + of("/reprograms/second");
    assert_eq!(reprograms, result.flash.reprograms);
    assert!(of("/reprograms/second") <= of("/reprograms/first"));
    assert!(of("/reprograms/first") <= of("/word_lines"));
    assert_eq!(result.flash.page_programs.host, writes);
    let moved = of("/fully_invalidated/along") + of("/fully_invalidated/idle");
    assert_eq!(result.flash.page_programs.technique, moved);
    assert_eq!(of("/page_consumption/writes") + reprograms, writes);
    assert_eq!(of("/page_consumption/gc"), result.flash.page_programs.gc);
    assert_eq!(result.flash.page_reads.technique, reprograms + moved);
    let switched = of("/candidates/proactive") + of("/candidates/passive");
    assert!(switched <= of("/candidates/suspended"));
}

#[test]
fn what_is_written_is_conserved_under_every_scheduler_and_allocation() {
    for allocation in [Allocation::Cwdp, Allocation::Dynamic] {
        for own in [layers(1), layers(2), ReSsdConfig { virtual_layers: true, ..layers(2) }] {
            for (mode, order) in [
                (RunMode::Count, ServiceOrder::InOrder),
                (RunMode::Timed, ServiceOrder::InOrder),
                (RunMode::Timed, ServiceOrder::ReadsFirst),
            ] {
                let mut config = planes(allocation);
                config.run.mode = mode;
                config.drive.scheduling.order = order;
                let requests = skewed(&config, 7, 4000);
                let result = run(&config, &own, requests);
                check(&result, 4000);
                assert!(result.flash.reprograms > 500, "{}", result.flash.reprograms);
                assert!(result.gc.count > 50);
            }
        }
    }
}

/// Programs that the host fills take no data of spent blocks along, and there is no idle moment.
#[test]
fn a_drive_that_is_never_idle_does_not_lose_its_spare_blocks_to_spent_ones() {
    let mut config = tlc(2);
    (config.drive.chip.blocks_per_plane, config.drive.over_provisioning) = (128, 0.3);
    let pages = crate::common::logical_pages(&config);
    let mut dice = Dice::new(11);
    let mut page = || if dice.one_in(3) { dice.below(pages) } else { dice.below(pages / 4) };
    let requests = writes((0..60_000).map(|_| page()), 0, 0);
    let moved = |spent| {
        let own = ReSsdConfig { spent, ..layers(2) };
        run(&config, &own, requests.clone()).gc.pages_moved
    };
    let left = moved(SpentBlock::Left);
    for spent in [SpentBlock::Emptied, SpentBlock::Cooled] {
        let moved = moved(spent);
        assert!(moved < left + left / 4, "{spent}: {moved}, left to GC {left}");
    }
}

/// Where free blocks are counted over several planes, a write point takes one of another plane once its own has none.
#[test]
fn blocks_of_another_plane_belong_to_the_plane_that_opened_them() {
    for scope in [GcScope::Die, GcScope::Drive] {
        for own in [layers(2), ReSsdConfig { virtual_layers: true, ..layers(1) }] {
            for seed in 1..4 {
                let mut config = planes(Allocation::Cwdp);
                config.ftl.gc.scope = scope;
                let result = run(&config, &own, skewed(&config, seed, 8000));
                check(&result, 8000);
                assert!(result.flash.reprograms > 500, "{}", result.flash.reprograms);
            }
        }
    }
}

/// Candidates that wait for another hot write come back by updates; those that do not are emptied first.
#[test]
fn a_candidate_that_waits_for_another_hot_write_may_come_back_of_its_own_accord() {
    let config = planes(Allocation::Cwdp);
    let proactive = |reclaim| {
        let own = ReSsdConfig { reclaim, ..layers(1) };
        let result = run(&config, &own, skewed(&config, 7, 4000));
        check(&result, 4000);
        (figure(&result, "/candidates/proactive"), figure(&result, "/candidates/suspended"))
    };
    let (at_once, waiting) = (proactive(Reclaim::AtOnce), proactive(Reclaim::NextHotWrite));
    assert!(waiting.0 > 2 * at_once.0, "{waiting:?} {at_once:?}");
}

/// A program with one page of the host takes two of a word line or none; it waits for another one where
/// the word line has one valid page.
#[test]
fn pages_of_one_word_line_are_taken_along_and_what_is_written_is_conserved() {
    let config = planes(Allocation::Cwdp);
    let moved = |along| {
        let own = ReSsdConfig { along, ..layers(2) };
        let result = run(&config, &own, skewed(&config, 7, 4000));
        check(&result, 4000);
        figure(&result, "/fully_invalidated/along")
    };
    let (fill, word_line) = (moved(Along::Fill), moved(Along::WordLine));
    assert!(word_line > 0 && word_line < fill, "{word_line} {fill}");
}

/// Where programs take the pages that they have, so do those of two bits in a cell.
#[test]
fn word_lines_of_two_bits_are_programmed_in_parts() {
    let mut config = planes(Allocation::Cwdp);
    config.ftl.incomplete = Incomplete::Leave;
    // A write does not wait for company.
    config.ftl.acknowledge = Acknowledge::Program;
    let result = run(&config, &layers(2), skewed(&config, 7, 4000));
    check(&result, 4000);
    assert_eq!(result.flash.padding, 0);
    assert!(result.flash.reprograms > 500);
}

/// Everything once, then updates, seven of ten of them of the first pages.
fn updates_of(config: &Config, hot_pages: u64) -> Vec<Request> {
    let (mut dice, pages) = (Dice::new(3), crate::common::logical_pages(config));
    let mut page = || match dice.below(10) {
        0..7 => dice.below(hot_pages),
        _ => dice.below(pages),
    };
    let updates: Vec<u64> = (0..10_000).map(|_| page()).collect();
    writes((0..pages).chain(updates), 0, 900)
}

/// A conventional drive and ReSSD with that many candidates that may wait, on the same work.
fn compared(config: &Config, candidates: u64, requests: Vec<Request>) -> [RunResult; 2] {
    let source = crate::common::Script::source(requests.clone());
    let conventional = with(config, Conventional, source, &mut ()).expect("it works").result;
    let own = ReSsdConfig { candidates, ..layers(2) };
    [conventional, run(config, &own, requests)]
}

#[test]
fn reprograms_save_erases_where_hot_data_dies_within_the_super_layers_that_wait() {
    let config = planes(Allocation::Cwdp);
    // Eight hot pages of each plane; a super layer holds eight, and four candidates may wait.
    let [conventional, ours] = compared(&config, 4, updates_of(&config, 32));
    let erases = [&ours, &conventional].map(|result| result.flash.erases as f64);
    assert!(erases[0] < 0.85 * erases[1], "{erases:?}");
    let per_erase = [&ours, &conventional].map(|result| result.wear.page_writes_per_erase);
    assert!(per_erase[0] > per_erase[1], "{per_erase:?}");
}

#[test]
fn reprograms_cost_erases_where_hot_data_is_moved_away_before_it_dies() {
    let config = planes(Allocation::Cwdp);
    // Sixteen times as many hot pages as a super layer holds, and none may wait: what is moved fills
    // more word lines than four writes in the place of three save.
    let [conventional, ours] = compared(&config, 0, updates_of(&config, 512));
    assert!(ours.flash.erases > conventional.flash.erases);
    let saved = figure(&ours, "/word_lines") / 3;
    let moved = ours.flash.page_programs.technique / 3;
    assert!(moved > saved, "{moved} word lines of moved pages, {saved} saved");
}

#[test]
fn a_free_third_page_is_drawn_from_the_reserve() {
    let mut config = planes(Allocation::Cwdp);
    config.ftl.gc.counts = GcCounts::Pages;
    config.ftl.gc.free_block_threshold = 0.3;
    let planes = 4;
    let block = config.drive.chip.pages_per_block;
    let reserve = planes * (24 * 3 / 10) * block;
    let requests = skewed(&config, 7, 1500);
    let [lost, free] = [ThirdPage::Lost, ThirdPage::Free].map(|third_page| {
        let own = ReSsdConfig { third_page, ..layers(2) };
        run(&config, &own, requests.clone())
    });
    // What GC compares: pages of erased and open blocks, and two of each word line to come, or three
    // and one of each that went.
    let physical = |result: &RunResult| result.capacity.free_pages;
    let to_come = |result: &RunResult| figure(result, "/capacity/free_pages") - physical(result);
    let counted = [
        physical(&lost) + to_come(&lost),
        physical(&free) + to_come(&free) * 3 / 2 + figure(&free, "/word_lines"),
    ];
    for counted in counted {
        assert!(counted.abs_diff(reserve) < planes * block, "{counted} of {reserve}");
    }
    assert!(physical(&free) + reserve / 10 < physical(&lost));
    assert!(free.flash.erases < lost.flash.erases);
}

/// Write amplification with third pages.
fn with_third_pages(result: &RunResult) -> f64 {
    result.technique["write_amplification_with_third_pages"].as_f64().expect("the host wrote")
}

/// Every page of flash that was taken was given back by an erase or is still taken. Of open super layers the result tells
/// two pages of each word line that is to come as free.
#[test]
fn write_amplification_with_third_pages_is_that_of_what_erases_give_back() {
    let of = |config: &Config, own: &ReSsdConfig, requests: Vec<Request>| {
        let writes = requests.len() as f64;
        let result = run(config, own, requests);
        let taken = result.capacity.physical_pages - result.capacity.free_pages;
        let erased = result.flash.erases * config.drive.chip.pages_per_block;
        let free = (with_third_pages(&result) * writes).round() - (erased + taken) as f64;
        // Four planes, and two word lines a layer of which one at least is programmed.
        let most = 4 * 2 * (2 * own.layers - 1);
        assert!((0.0..=most as f64).contains(&free), "{free} of {}", erased + taken);
        result
    };
    for acknowledge in [Acknowledge::Program, Acknowledge::Buffer] {
        let mut config = planes(Allocation::Cwdp);
        config.ftl.acknowledge = acknowledge;
        for own in [layers(1), layers(2), ReSsdConfig { virtual_layers: true, ..layers(2) }] {
            of(&config, &own, skewed(&config, 7, 4000));
        }
        config.drive.over_provisioning = 0.4;
        config.ftl.hotness.hot_share = 1.0;
        let (mut dice, pages) = (Dice::new(5), crate::common::logical_pages(&config));
        let uniform: Vec<u64> = (0..9000).map(|_| dice.below(pages)).collect();
        let own = ReSsdConfig { candidates: 64, ..layers(1) };
        let result = of(&config, &own, writes(uniform, 0, 900));
        assert!(figure(&result, "/blocks/surrendered") > 20);
    }
}

/// It moves as erases do, whether they fall or rise, and write amplification does not.
#[test]
fn write_amplification_with_third_pages_follows_erases() {
    let mut moves = Vec::new();
    for acknowledge in [Acknowledge::Program, Acknowledge::Buffer] {
        let mut config = planes(Allocation::Cwdp);
        config.ftl.acknowledge = acknowledge;
        for (candidates, hot_pages) in [(4, 32), (0, 32), (0, 512)] {
            let requests = updates_of(&config, hot_pages);
            let requests = [requests.clone(), requests].concat();
            let [conventional, ours] = compared(&config, candidates, requests);
            let plain = conventional.write_amplification.expect("the host wrote");
            let erases = ours.flash.erases as f64 / conventional.flash.erases as f64;
            let pages = with_third_pages(&ours) / plain;
            assert!((pages / erases - 1.0).abs() < 0.05, "{pages} for {erases}");
            moves.push((erases, ours.write_amplification.expect("the host wrote") / plain));
        }
    }
    let misled = |&(erases, plain): &(f64, f64)| (erases > 1.0) != (plain > 1.0);
    assert!(moves.iter().any(misled), "{moves:?}");
}

#[test]
fn virtual_super_layers_move_less() {
    let config = planes(Allocation::Cwdp);
    let moved = |own: &ReSsdConfig| {
        let result = run(&config, own, skewed(&config, 5, 6000));
        let moved = figure(&result, "/fully_invalidated/along")
            + figure(&result, "/fully_invalidated/idle");
        (moved, figure(&result, "/super_layers/virtual"))
    };
    let (plain, none) = moved(&layers(2));
    let (with_virtual, some) = moved(&ReSsdConfig { virtual_layers: true, ..layers(2) });
    assert_eq!(none, 0);
    assert!(some > 20, "{some}");
    assert!(with_virtual < plain, "{with_virtual} against {plain}");
}

#[test]
fn without_hot_writes_it_is_the_conventional_drive() {
    let mut config = planes(Allocation::Cwdp);
    config.ftl.hotness.hot_share = 0.0;
    let [conventional, ours] = compared(&config, 0, skewed(&config, 11, 4000));
    assert_eq!(ours.flash.erases, conventional.flash.erases);
    assert_eq!(ours.flash.page_programs.gc, conventional.flash.page_programs.gc);
    assert_eq!(ours.flash.reprograms, 0);
}

/// A drive in steady state holds an erased block back in each plane for each level of heat. Writes of one
/// level alone take the blocks of the others first, without GC, which said nothing of the steady state.
#[test]
fn a_steady_state_of_many_planes_is_verified() {
    let mut config = tlc(2);
    (config.drive.channels, config.drive.chips_per_channel, config.drive.chip.planes) = (16, 4, 4);
    config.precondition.pattern = Pattern::Steady;
    config.ftl.hotness.policy = HotnessChoice::Interval;
    config.ftl.hotness.intervals_min = vec![30.0, 60.0, 120.0];
    let set_up = run(&config, &layers(2), writes([0], 0, 900)).steady_state.preconditioning;
    let of = |name: &str| set_up[name].as_f64().unwrap_or(0.0);
    assert!(of("verified_victims") >= 100.0, "{set_up}");
    let ratio = of("verified_write_amplification") / of("expected_write_amplification");
    assert!((0.5..2.0).contains(&ratio), "{set_up}");
}
