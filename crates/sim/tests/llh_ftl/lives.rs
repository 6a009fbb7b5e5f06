//! What blocks go through, counted by hand.

use crate::common::{Script, at, run as run_conventional};
use crate::rig::{
    BEFORE_SCARCE, BLOCK, GAP_US, LOW_US, PAGE_US, READ_US, all_hot, bank, figure, plain, run,
    technique, writes,
};
use wordline_sim::config::{Acknowledge, Pattern, PerPage};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::llh_ftl::LlhFtlConfig;
use wordline_trace::Op;

#[test]
fn a_block_of_data_that_dies_takes_a_quarter_more_before_its_erase() {
    // Section 4: N + N / 4 units a block. Half of a block is written in the first round; by the time
    // that the second one begins all of it has been replaced. A long run differs by the blocks that
    // are not erased yet, of which there are 24.
    let units = 100_000;
    for result in run(&bank(), &plain(), &all_hot(units)) {
        let per_erase = BLOCK + BLOCK / 4;
        let ideal = units / per_erase;
        let erases = result.flash.erases;
        assert!((ideal - 24..=ideal).contains(&erases), "{erases} erases, {ideal} ideally");
        assert_eq!(result.gc.pages_moved, 0);
        // In each life 4 low pages, the same again and 4 high pages; one read before each reprogram.
        let lives = figure(&result, "/rounds/second_empty");
        assert_eq!(figure(&result, "/rounds/second_beyond_threshold"), 0);
        assert!((4 * (lives - 1)..=4 * lives).contains(&result.flash.reprograms));
        assert_eq!(figure(&result, "/reprograms"), result.flash.reprograms);
        assert_eq!(result.flash.page_reads.technique, result.flash.reprograms);
    }
}

#[test]
fn lists_take_a_page_of_each_round() {
    // Pages of two units: 3 low pages, one of them again 4 times, and 3 high pages carry data.
    let units = 100_000;
    let own = LlhFtlConfig { lists: true, ..plain() };
    for result in run(&bank(), &own, &all_hot(units)) {
        let ideal = units / (3 * 2 + 4 + 3 * 2);
        let erases = result.flash.erases;
        assert!((ideal - 30..=ideal).contains(&erases), "{erases} erases, {ideal} ideally");
        // Two lists a life, of which the first is read: nothing is valid when the block is collected.
        let lives = figure(&result, "/rounds/second_empty");
        assert_eq!(result.flash.page_reads.technique, result.flash.reprograms + lives);
        let lists = result.flash.page_programs.technique / 2;
        assert!((2 * lives - 1..=2 * lives + 24).contains(&lists), "{lists} in {lives} lives");
    }
    // Without reuse two pages of a block's eight are no longer both spent: one is.
    let without = LlhFtlConfig { safe_share: 0.0, ..own };
    for result in run(&bank(), &without, &all_hot(units)) {
        let ideal = units / (7 * 2);
        let erases = result.flash.erases;
        assert!((ideal - 24..=ideal).contains(&erases), "{erases} erases, {ideal} ideally");
        assert_eq!(result.flash.page_reads.technique, 0);
    }
}

/// What blocks went through before the run left no wear: the strain of its reuse does not count either.
#[test]
fn blocks_that_were_reused_before_the_run_are_as_safe_as_others() {
    let mut config = bank();
    config.drive.chip.endurance_pec = 10_000;
    config.precondition.pattern = Pattern::Random;
    (config.precondition.fill, config.precondition.overwrites) = (0.2, 20.0);
    let own = LlhFtlConfig { strain: 3.0, ..plain() };
    for result in run(&config, &own, &all_hot(2_000)) {
        assert!(figure(&result, "/rounds/first") > 50, "{:?}", result.technique);
        assert_eq!(figure(&result, "/rounds/past_safe_life"), 0, "{:?}", result.technique);
    }
}

#[test]
fn what_is_collected_has_its_list_read_first() {
    let config = bank();
    let units = crate::harness::logical_units(&config);
    let own = LlhFtlConfig { lists: true, ..plain() };
    // All cold: nothing is reused, and a victim holds valid data but for few.
    let cold = crate::rig::mixed(20_000, 0, 1, units);
    for result in run(&config, &own, &cold) {
        assert_eq!(result.flash.reprograms, 0);
        assert_eq!(result.flash.page_reads.technique, result.gc.with_migration);
        assert!(result.flash.page_programs.technique / 2 >= result.flash.erases);
    }
}

#[test]
fn pages_of_eight_units_take_a_quarter_more_too() {
    let mut config = bank();
    config.drive.chip.page_kib = 32.0;
    let block = 4 * BLOCK;
    let requests = writes((0..100_000).map(|n| n % (block / 2)));
    for result in run(&config, &plain(), &requests) {
        let ideal = 100_000 / (block + block / 4);
        let erases = result.flash.erases;
        assert!((ideal - 24..=ideal).contains(&erases), "{erases} erases, {ideal} ideally");
        assert_eq!(result.flash.page_reads.technique, result.flash.reprograms);
        assert!(result.flash.reprograms > 4 * (ideal - 24));
    }
}

#[test]
fn without_hot_data_the_drive_is_the_conventional_one() {
    let config = bank();
    let units = crate::harness::logical_units(&config);
    let cold = crate::rig::mixed(20_000, 0, 1, units);
    let baseline = run_conventional(&config, cold.clone());
    let with = &run(&config, &plain(), &cold)[1];
    assert!(baseline.flash.erases > 1000);
    let text = |result: &RunResult| format!("{:?} {:?} {:?}", result.flash, result.host, result.gc);
    assert_eq!(text(with), text(&baseline));
    assert_eq!(with.wear.histogram, baseline.wear.histogram);
}

#[test]
fn a_reprogram_waits_for_what_it_reads() {
    // The first reprogram, of one unit: the low page is read and crosses the channel whole, and so does
    // what the code makes of the unit.
    let mut config = bank();
    config.ftl.acknowledge = Acknowledge::Program;
    config.ftl.merge_timeout_us = 1.0;
    let before = BEFORE_SCARCE * BLOCK / 2;
    for (count, reprograms, us) in
        [(before, 0, PAGE_US + LOW_US), (before + 1, 1, READ_US + 2.0 * PAGE_US + LOW_US)]
    {
        for result in &run(&config, &plain(), &all_hot(count))[1..] {
            assert_eq!(result.flash.reprograms, reprograms);
            assert_eq!(result.host.write.max_us, us, "{reprograms} reprograms");
        }
    }
}

#[test]
fn what_later_reprograms_read_is_there_when_their_data_comes() {
    // The third unit of a second round: its low page was read after the program before it, in the 5 ms without
    // writes. The first has to wait for its read.
    let mut config = bank();
    config.ftl.acknowledge = Acknowledge::Program;
    config.ftl.merge_timeout_us = 1.0;
    let before = BEFORE_SCARCE * BLOCK / 2;
    let spent_us = |count: u64| {
        let source = Script::source(all_hot(count));
        let outcome = wordline_sim::with(&config, technique(&plain(), &config), source, &mut ());
        outcome.expect("the drive lives").result.host.write.mean_us * count as f64
    };
    for (count, reads_us) in [(before + 1, READ_US + PAGE_US), (before + 3, 0.0)] {
        let took_us = spent_us(count) - spent_us(count - 1);
        assert!((took_us - (reads_us + PAGE_US + LOW_US)).abs() < 1e-3, "{count}: {took_us}");
    }
}

#[test]
fn an_encoded_unit_crosses_the_channel_as_two() {
    for page_kib in [8.0, 32.0] {
        let mut config = bank();
        config.drive.chip.page_kib = page_kib;
        let half = page_kib as u64 / 4 * 4;
        let encoded = BEFORE_SCARCE * half;
        // The last write of the first rounds is read, then the first of the second.
        for (count, us) in [(encoded, 10.0), (encoded + half / 8, 20.0)] {
            let mut requests = writes((0..count).map(|n| n % half));
            requests.push(at(count * GAP_US, Op::Read, (count - 1) % half, 1));
            for result in &run(&config, &plain(), &requests)[1..] {
                assert_eq!(result.host.read.max_us, READ_US + us, "{page_kib}, {count}");
            }
        }
    }
}

#[test]
fn energy_is_that_of_the_published_table() {
    // Table 5, chip A16: with all hot data that dies, 145.71 uJ for each page's worth of host data.
    let mut config = bank();
    let chip = &mut config.drive.chip;
    chip.read_uj = PerPage::Many(vec![50.37, 51.25]);
    chip.program_uj = PerPage::Many(vec![68.18, 195.65]);
    // The table's erase is one of a block of 256 pages; this one has 8.
    chip.erase_uj = 192.79 * 8.0 / 256.0;
    let units = 100_000;
    let result = &run(&config, &plain(), &all_hot(units))[1];
    let pages = units as f64 / 2.0;
    let per_page = result.energy_mj.total * 1000.0 / pages;
    assert!((per_page / 145.71 - 1.0).abs() < 0.005, "{per_page} uJ");
}
