//! Reads of pages whose program is under way: where the data is, and when it can be read.

use super::rig::*;
use wordline_sim::config::{Config, GcMode};
use wordline_sim::engine::{Scheduler, Source};
use wordline_sim::nand::command::Cause;

/// A pass over the first page of block 8, which holds data: 600 ns of the array, nothing on the channel.
fn pass(source: Source) -> Step {
    program().block(8).transfer(0).pass(source)
}

fn suspending() -> Config {
    let mut config = drive();
    config.drive.scheduling.suspend_program = true;
    config
}

#[test]
fn a_read_waits_for_a_pass_whose_data_is_not_in_the_controller() {
    for source in [Source::Register, Source::Cells] {
        for (at_ns, end_ns) in [(1, 660), (599, 660), (600, 660), (601, 661)] {
            both_end(&drive(), &[pass(source), read().block(8).at(at_ns)], &[600, end_ns]);
        }
    }
    for (at_ns, end_ns) in [(599, 599), (600, 660)] {
        let steps = [pass(Source::Controller), read().block(8).at(at_ns)];
        queued_ends(&drive(), &steps, &[600, end_ns]);
    }
}

#[test]
fn a_read_waits_for_a_copy_within_the_plane() {
    let copy = program().transfer(0).source(Source::Register);
    for (at_ns, end_ns) in [(1, 660), (599, 660), (600, 660), (601, 661)] {
        both_end(&drive(), &[copy.clone(), read().at(at_ns)], &[600, end_ns]);
    }
    // What follows the read in the block comes after it.
    let next = copy.clone().page(1).at(2);
    both_end(&drive(), &[copy, read().at(1), next], &[600, 660, 1260]);
}

#[test]
fn a_pass_is_suspended_for_other_pages_only() {
    // At 100, 500 are left: suspended by 120, read until 180, resumed by 210.
    for (page, ends_ns, suspensions) in [(0, [600, 660], 0), (1, [710, 180], 1)] {
        let steps = [pass(Source::Cells), read().block(8).page(page).at(100)];
        queued_ends(&suspending(), &steps, &ends_ns);
        assert_eq!(carry_out(queued(&suspending()), &steps).sched.suspensions(), suspensions);
    }
}

#[test]
fn a_read_goes_ahead_of_a_pass_that_has_not_begun() {
    // The die erases another block until 3000. Data in a register cannot be read yet.
    for (source, ends_ns) in
        [(Source::Cells, [3000, 3660, 3060]), (Source::Register, [3000, 3600, 3660])]
    {
        let steps = [erase().block(9), pass(source).at(1), read().block(8).at(2)];
        queued_ends(&drive(), &steps, &ends_ns);
        assert_eq!(carry_out(in_order(&drive()), &steps).ends_ns, [3000, 3600, 3660]);
    }
}

#[test]
fn a_read_that_comes_too_late_to_go_first_waits_for_the_end() {
    // It waits for a read of another die until 3300; the pass works from 3000 to 3600.
    let first = read().die(2).block(8).transfer(3250);
    let last = read().block(8).at(2).after(&[1]);
    let steps = [erase().block(9), first, pass(Source::Cells).at(1), last];
    queued_ends(&suspending(), &steps, &[3000, 3300, 3600, 3660]);
}

#[test]
fn what_waits_for_a_pass_keeps_its_place() {
    // GC's read has the lowest priority, and the pass waits for it; two reads wait for the pass, and
    // the erase for them.
    let mut config = drive();
    config.ftl.gc.mode = GcMode::Background;
    let steps = [
        program(),
        read().block(8).cause(Cause::Gc).at(1),
        pass(Source::Register).at(2),
        read().block(8).at(3),
        read().block(8).cause(Cause::Gc).at(4),
        erase().block(8).at(5),
    ];
    both_end(&config, &steps, &[610, 670, 1270, 1330, 1390, 4390]);
}

/// A pass that must be done now, of the first page of a block.
fn urgent_pass(block: u32) -> Step {
    pass(Source::Cells).block(block).urgent()
}

#[test]
fn a_pass_waits_for_the_reads_before_it_and_for_none_that_come_later() {
    for page in [0, 1] {
        let read = read().block(8).page(page);
        let steps = [erase().block(9), read.clone().at(1), urgent_pass(8).at(2), read.at(3)];
        queued_ends(&drive(), &steps, &[3000, 3060, 3660, 3720]);
    }
}

#[test]
fn each_change_of_a_block_waits_for_its_own_reads() {
    // The second read comes after the pass and before the erase, which must be done now, too.
    let steps = [
        erase().block(9),
        read().block(8).at(1),
        urgent_pass(8).at(2),
        read().block(8).at(3),
        erase().block(8).urgent().at(4),
    ];
    queued_ends(&drive(), &steps, &[3000, 3060, 3660, 3720, 6720]);
}

#[test]
fn endless_reads_of_a_block_do_not_starve_its_pass() {
    // A read every 50 ns, which takes 60: the die is never idle. The pass waits for those that were there.
    let reads = |from_ns: u64| (0..40).map(move |n| read().block(8).at(from_ns + 50 * n));
    let steps: Vec<Step> = reads(0).chain([urgent_pass(8).at(2000)]).chain(reads(2001)).collect();
    let ends_ns = carry_out(queued(&drive()), &steps).ends_ns;
    assert_eq!(ends_ns[40], 40 * 60 + PROGRAM_NS);
    assert_eq!(ends_ns[39], 40 * 60);
    assert_eq!(ends_ns[80], 80 * 60 + PROGRAM_NS);
}

#[test]
fn what_must_be_done_now_is_not_suspended_nor_held_up_by_what_is() {
    let steps = [urgent_pass(8), read().block(9).at(100)];
    queued_ends(&suspending(), &steps, &[600, 660]);
    // Suspended from 100 to 120 for the first read, until 180; the urgent pass then waits for the 500 that
    // are left and for resuming, and the second read for both.
    let steps = [
        pass(Source::Cells),
        read().block(9).at(100),
        read().block(9).at(130),
        urgent_pass(10).at(140),
    ];
    queued_ends(&suspending(), &steps, &[710, 180, 1370, 1310]);
    // While it waits nothing else is suspended.
    let steps = [pass(Source::Cells), urgent_pass(10).at(50), read().block(9).at(100)];
    queued_ends(&suspending(), &steps, &[600, 1200, 1260]);
}

#[test]
fn a_read_of_two_planes_is_free_only_where_the_controller_holds_both_pages() {
    for read in [read().block(8).with(0), read().block(0).with(8)] {
        queued_ends(&drive(), &[program(), read.at(5)], &[610, 670]);
    }
    let steps = [program().with(1), read().block(0).with(1).at(5)];
    queued_ends(&drive(), &steps, &[610, 5]);
    let steps = [pass(Source::Cells), read().block(9).with(8).at(5)];
    both_end(&drive(), &steps, &[600, 660]);
}

#[test]
fn what_must_be_done_now_lends_its_priority_to_what_it_waits_for() {
    // All wait for the erase of another block until 3000; the host's read is first but for what is urgent.
    let steps = |pass: Step| {
        [erase().block(9), program().block(8).at(1), read().block(10).at(1), pass.page(1).at(2)]
    };
    queued_ends(&drive(), &steps(pass(Source::Cells)), &[3000, 3670, 3060, 4270]);
    queued_ends(&drive(), &steps(urgent_pass(8)), &[3000, 3610, 4270, 4210]);
    // Of a chain too, and of a copy whose read has the lowest priority.
    let copied = read().block(11).cause(Cause::Gc).at(1);
    let copy = program().block(8).cause(Cause::Gc).at(1).after(&[1]);
    let steps =
        [erase().block(9), copied, copy, read().block(10).at(1), urgent_pass(8).page(1).at(2)];
    let mut config = drive();
    config.ftl.gc.mode = GcMode::Background;
    queued_ends(&config, &steps, &[3000, 3060, 3670, 4330, 4270]);
    // A read that comes before it in its block, too.
    let before = read().block(8).cause(Cause::Gc).at(1);
    let steps = [erase().block(9), before, read().block(10).at(1), urgent_pass(8).at(2)];
    queued_ends(&config, &steps, &[3000, 3060, 3720, 3660]);
}
