//! What a program covers, when it starts, and what it takes.

use crate::common::{at, run, tiny_timed, write};
use wordline_sim::config::{Acknowledge, Cell, Config, PerPage, ProgramStart, ProgramUnit};
use wordline_sim::metrics::RunResult;
use wordline_trace::{Op, Request};

/// A read that finds nothing, long after everything else: time passes until then.
pub fn later() -> Request {
    at(100_000, Op::Read, 70, 1)
}

pub fn assert_write_us(result: &RunResult, expected_us: f64) {
    let mean_us = result.host.write.mean_us;
    assert!((mean_us - expected_us).abs() < 1e-3, "{mean_us} instead of {expected_us} us");
}

#[test]
fn planes_of_a_die_are_programmed_together() {
    let mut config = tiny_timed();
    config.drive.chip.planes = 2;
    let request = vec![at(0, Op::Write, 0, 2)];
    let result = run(&config, request.clone());
    assert_eq!(result.flash.program_operations, 2);
    assert_write_us(&result, 1220.0);
    config.drive.chip.multi_plane = true;
    let result = run(&config, request);
    assert_eq!(result.flash.program_operations, 1);
    assert_write_us(&result, 620.0);
}

#[test]
fn planes_of_a_die_are_read_together() {
    let mut config = tiny_timed();
    config.drive.chip.planes = 2;
    config.drive.chip.read_uj = PerPage::One(5.0);
    for (multi_plane, read_us) in [(false, 120.0), (true, 70.0)] {
        config.drive.chip.multi_plane = multi_plane;
        let result = run(&config, vec![at(0, Op::Write, 0, 2), at(9000, Op::Read, 0, 2)]);
        assert_eq!(result.flash.page_reads.host, 2);
        assert!((result.host.read.mean_us - read_us).abs() < 1e-3, "{}", result.host.read.mean_us);
        assert!((result.energy_mj.read - 0.010).abs() < 1e-9, "{}", result.energy_mj.read);
    }
}

#[test]
fn a_unit_of_several_pages_takes_the_energy_of_each() {
    let mut config = tiny_timed();
    config.drive.chip.cell = Cell::Mlc;
    config.ftl.mapping_unit_kib = 8.0;
    config.drive.chip.read_us = PerPage::Many(vec![40.0, 70.0]);
    config.drive.chip.read_uj = PerPage::Many(vec![2.0, 5.0]);
    let result = run(&config, vec![at(0, Op::Write, 0, 2), at(9000, Op::Read, 0, 2)]);
    assert_eq!(result.flash.page_reads.host, 2);
    assert!((result.host.read.mean_us - (110.0 + 20.0)).abs() < 1e-3);
    assert!((result.energy_mj.read - 0.007).abs() < 1e-9, "{}", result.energy_mj.read);
}

pub fn tlc(program: ProgramUnit) -> Config {
    let mut config = tiny_timed();
    config.drive.chip.cell = Cell::Tlc;
    config.drive.chip.pages_per_block = 9;
    config.drive.chip.program = program;
    config.drive.chip.program_us = PerPage::Many(vec![500.0, 600.0, 900.0]);
    config
}

#[test]
fn a_page_takes_the_time_of_its_type() {
    assert_write_us(
        &run(&tlc(ProgramUnit::Page), vec![at(0, Op::Write, 0, 3)]),
        510.0 + 610.0 + 910.0,
    );
}

#[test]
fn a_word_line_takes_the_time_of_its_slowest_page() {
    for program in [ProgramUnit::OneShot, ProgramUnit::FullSequence] {
        let result = run(&tlc(program), vec![at(0, Op::Write, 0, 3)]);
        assert_eq!((result.flash.program_operations, result.flash.padding), (1, 0));
        assert_write_us(&result, 30.0 + 900.0);
    }
}

#[test]
fn the_merge_buffer_may_acknowledge() {
    let mut config = tlc(ProgramUnit::OneShot);
    config.ftl.acknowledge = Acknowledge::Buffer;
    let result = run(&config, vec![at(0, Op::Write, 0, 3), later()]);
    assert_eq!(result.flash.program_operations, 1);
    assert_write_us(&result, 0.0);
}

#[test]
fn data_in_the_merge_buffer_is_read_from_there() {
    let mut config = tlc(ProgramUnit::OneShot);
    config.ftl.program_start = ProgramStart::AfterTimeout;
    let result = run(&config, vec![write(0), at(1, Op::Read, 0, 1), later()]);
    assert_eq!(result.flash.page_reads.host, 0);
    assert!(result.host.read.mean_us.abs() < 1e-9);
}

#[test]
fn part_of_a_unit_is_read_before_it_is_written() {
    let part = |us| Request { size_bytes: 512, ..at(us, Op::Write, 3, 1) };
    let result = run(&tiny_timed(), vec![part(0)]);
    assert_eq!(result.flash.page_reads.host, 0, "there is nothing to be read");
    assert_write_us(&result, 610.0);
    let result = run(&tiny_timed(), vec![write(3), part(9000)]);
    assert_eq!(result.flash.page_reads.host, 1);
    assert_write_us(&result, (610.0 + 60.0 + 610.0) / 2.0);
}
