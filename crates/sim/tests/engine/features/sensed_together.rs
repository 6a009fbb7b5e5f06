//! Pages of several planes that a die senses together, because a program wrote them together.

use crate::common::{Dice, at, logical_pages, outcome, run, tiny_timed, write};
use wordline_sim::Error;
use wordline_sim::config::{Cell, Config, ProgramUnit};
use wordline_trace::{Op, Request};

/// A die of two planes of TLC: a program is three pages of each.
fn of_word_lines() -> Config {
    let mut config = tiny_timed();
    let chip = &mut config.drive.chip;
    (chip.cell, chip.program) = (Cell::Tlc, ProgramUnit::OneShot);
    (chip.planes, chip.multi_plane, chip.pages_per_block) = (2, true, 12);
    config.ftl.superblock_dies = 1;
    config
}

#[test]
fn a_word_line_of_each_plane_is_sensed_page_by_page() {
    // Three sensings of 50 us, and two pages of 10 us after each.
    let result = run(&of_word_lines(), vec![at(0, Op::Write, 0, 6), at(9000, Op::Read, 0, 6)]);
    assert_eq!(result.flash.page_reads.host, 6);
    let mean_us = result.host.read.mean_us;
    assert!((mean_us - 3.0 * 70.0).abs() < 1e-3, "{mean_us} us");
}

#[test]
fn a_die_senses_as_many_planes_together_as_it_can() {
    for (planes, reads, sensings) in [(2, 1, 6), (4, 0, 3), (4, 1, 12), (4, 2, 6), (4, 3, 6)] {
        let mut config = of_word_lines();
        (config.drive.chip.planes, config.drive.chip.multi_plane_reads) = (planes, reads);
        let pages = 3 * planes as u32;
        let result = run(&config, vec![at(0, Op::Write, 0, pages), at(9000, Op::Read, 0, pages)]);
        // Each sensing takes 50 us, and each page 10 us more.
        let expected_us = f64::from(sensings * 50 + pages * 10);
        let mean_us = result.host.read.mean_us;
        assert!((mean_us - expected_us).abs() < 1e-3, "{mean_us} us, {reads} of {planes}");
        assert_eq!(result.flash.page_reads.host, u64::from(pages));
    }
}

#[test]
fn more_planes_than_a_die_has_are_not_sensed_together() {
    let mut config = of_word_lines();
    config.drive.chip.multi_plane_reads = 3;
    let refused = outcome(&config, vec![write(0)]).map(|_| ());
    let Err(Error::Infeasible { what, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(what, "drive.chip.multi_plane_reads is 3, and a die has 2 planes");
}

#[test]
fn gc_senses_the_planes_of_a_program_together_where_the_die_can() {
    for (reads, ms_per_page) in [(0, 0.07 / 2.0), (1, 0.06)] {
        gc_takes(reads, ms_per_page);
    }
}

/// GC of a drive whose dies sense so many planes together keeps a die busy for so long for each page that it moves.
fn gc_takes(reads: u64, ms_per_page: f64) {
    // Requests of a program each, so that a program is valid as a whole or not at all.
    let mut config = of_word_lines();
    config.drive.over_provisioning = 0.5;
    config.drive.chip.multi_plane_reads = reads;
    let (mut dice, programs) = (Dice::new(5), logical_pages(&config) / 6);
    let write = |n: u64, program: u64| at(n * 20_000, Op::Write, program * 6, 6);
    let fill = (0..programs).map(|n| write(n, n));
    let writes: Vec<Request> = fill.collect();
    let more = (programs..programs + 2000).map(|n| write(n, dice.below(programs)));
    let result = run(&config, writes.into_iter().chain(more).collect());
    let (flash, moved) = (&result.flash, result.gc.pages_moved);
    assert!(moved > 2000, "{moved} moved");
    assert_eq!((flash.page_reads.gc, flash.padding, moved % 6), (moved, 0, 0));
    let programs = flash.page_programs.total() / 6;
    let expected_ms =
        moved as f64 * ms_per_page + programs as f64 * 0.66 + (flash.erases / 2) as f64 * 3.0;
    let busy_ms = flash.die_utilisation[0] * result.workload.duration_s * 1000.0;
    assert!((busy_ms / expected_ms - 1.0).abs() < 0.01, "{busy_ms} of {expected_ms} ms");
}
