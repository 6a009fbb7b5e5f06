//! Superblocks of cells with several bits that are programmed page by page.

use crate::common::{at, run, tiny_timed};
use wordline_sim::config::{Cell, PerPage};
use wordline_trace::Op;

#[test]
fn pages_programmed_one_by_one_take_the_time_of_their_type() {
    let mut config = tiny_timed();
    config.ftl.superblock_dies = 1;
    let chip = &mut config.drive.chip;
    (chip.cell, chip.planes, chip.multi_plane, chip.pages_per_block) = (Cell::Tlc, 2, true, 12);
    chip.program_us = PerPage::Many(vec![100.0, 200.0, 400.0]);
    chip.read_us = PerPage::Many(vec![30.0, 50.0, 80.0]);
    // Two pages each, of one type, that cross the channel after one another.
    for (first, program_us, read_us) in [(0, 100.0, 30.0), (2, 200.0, 50.0), (4, 400.0, 80.0)] {
        let mut requests: Vec<_> = (0..first).step_by(2).map(|at| (at, Op::Write)).collect();
        requests.extend([(first, Op::Write), (first, Op::Read)]);
        let requests = (0..).zip(requests).map(|(n, (page, op))| at(9000 * n, op, page, 2));
        let host = run(&config, requests.collect()).host;
        assert!((host.write.max_us - (program_us + 20.0)).abs() < 1e-3, "{}", host.write.max_us);
        assert!((host.read.mean_us - (read_us + 20.0)).abs() < 1e-3, "{}", host.read.mean_us);
    }
}
