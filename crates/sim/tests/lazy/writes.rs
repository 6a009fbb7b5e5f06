//! Which writes are programmed in a first stage, of which cells, and what is told of what GC moves.

use crate::common::Dice;
use crate::rig::{DAY_NS, at_ns, ends, everywhere, figure, m1, run, tlc, until};
use wordline_sim::config::{Cell, Config, HotnessChoice, PerPage};
use wordline_sim::technique::lazy_ftl::{LazyFtl, LazyFtlConfig, Moves, Writes};
use wordline_trace::{Op, Request};

fn hot_first_half() -> Config {
    let mut config = tlc(24);
    config.ftl.hotness.policy = HotnessChoice::Oracle;
    config.ftl.hotness.hot_share = 0.5;
    config
}

#[test]
fn only_hot_writes_are_lazy_where_the_others_shall_not_be() {
    let config = hot_first_half();
    let half = crate::common::logical_pages(&config) / 2 / 3 * 3 + 3;
    let requests = [at_ns(0, Op::Write, 0, 3), at_ns(5_000_000, Op::Write, half, 3), until(DAY_NS)];
    for (writes, secured_lines) in [(Writes::All, 2), (Writes::Hot, 1)] {
        let own = LazyFtlConfig { writes, ..m1() };
        for result in everywhere(&config, &own, &requests) {
            let (idle, due, dropped) = ends(&result);
            assert_eq!((idle + due, dropped), (secured_lines, 0), "{writes}");
            assert_eq!(figure(&result, "blocks_opened.m1"), secured_lines);
            // Those that were never to be lazy are no concern of the valve's.
            assert_eq!(figure(&result, "blocks_opened.secured"), 0);
            assert_eq!(result.flash.program_operations, 2 + secured_lines, "{writes}");
        }
    }
    let own = LazyFtlConfig { writes: Writes::Hot, ..m1() };
    let refused = format!("{:?}", LazyFtl::new(own, &tlc(16)).err().expect("nothing is hot"));
    assert!(refused.contains("ftl.hotness.policy"), "{refused}");
}

#[test]
fn word_lines_of_qlc_have_four_pages() {
    let mut config = tlc(16);
    config.drive.chip.cell = Cell::Qlc;
    config.drive.chip.pages_per_block = 12;
    config.drive.chip.read_us = PerPage::One(50.0);
    let requests = [at_ns(0, Op::Write, 0, 8), at_ns(1_000_000, Op::Trim, 4, 4), until(DAY_NS)];
    for result in everywhere(&config, &m1(), &requests) {
        // The second word line died.
        assert_eq!(figure(&result, "first_stages"), 2);
        let (idle, due, dropped) = ends(&result);
        assert_eq!((idle + due, dropped), (1, 1));
        assert_eq!(result.flash.page_reads.technique, 4);
    }
}

#[test]
fn a_run_in_which_much_is_moved_names_the_key_that_says_how() {
    let config = tlc(16);
    let units = crate::common::logical_pages(&config);
    let requests = |count: u64, among: u64| -> Vec<Request> {
        let mut dice = Dice::new(3);
        (0..count).map(|n| at_ns(n * 3_000_000, Op::Write, dice.below(among), 1)).collect()
    };
    let told = |moves: Moves, requests: &[Request]| {
        let own = LazyFtlConfig { moves, day_s: 1.0, ..m1() };
        let result = run(&config, &own, requests);
        result.warnings.iter().any(|text| text.contains("technique.lazy_ftl.moves"))
    };
    let many = requests(2000, units);
    assert!(told(Moves::Secured, &many) && !told(Moves::Lazy, &many));
    // Nothing is moved.
    assert!(!told(Moves::Secured, &requests(20, 3)));
}
