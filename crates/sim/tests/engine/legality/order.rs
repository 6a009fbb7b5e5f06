//! What must come before what.

use super::rig::*;
use wordline_sim::config::GcMode;
use wordline_sim::nand::command::Cause;

#[test]
fn pages_of_a_block_are_programmed_in_order() {
    // The second page has the higher priority, and still comes second.
    let steps = [read().block(8), program().cause(Cause::Gc), program().page(1)];
    let mut config = drive();
    config.ftl.gc.mode = GcMode::Background;
    both_end(&config, &steps, &[60, 670, 1280]);
}

#[test]
fn an_erase_comes_after_the_reads_of_its_block() {
    // GC's read has the lowest priority, the erase that of the host: it waits all the same.
    let mut config = drive();
    config.ftl.gc.mode = GcMode::Background;
    let steps = [program(), read().block(8).cause(Cause::Gc), erase().block(8)];
    both_end(&config, &steps, &[610, 670, 3670]);
}

#[test]
fn a_read_that_comes_later_does_not_stand_for_one_before() {
    // The erase waits for GC's read, which the host's later read of the block overtakes.
    let mut config = drive();
    config.ftl.gc.mode = GcMode::Background;
    let later = read().block(8).page(1);
    let steps = [program(), read().block(8).cause(Cause::Gc), erase().block(8), later];
    queued_ends(&config, &steps, &[610, 730, 3730, 670]);
}

#[test]
fn a_program_comes_after_the_erase_of_its_block() {
    let mut config = drive();
    config.ftl.gc.mode = GcMode::Background;
    let steps = [read().block(9), erase().block(8).cause(Cause::Gc), program().block(8)];
    both_end(&config, &steps, &[60, 3060, 3670]);
}

#[test]
fn a_read_never_sees_what_an_erase_is_about_to_remove() {
    // Block 8 held data; it is erased and its first page programmed anew. Until that program is
    // over the new data is in the controller, and the flash still holds the old.
    let steps = [program(), erase().block(8), program().block(8), read().block(8).at(5)];
    queued_ends(&drive(), &steps, &[610, 3610, 4220, 5]);
}

#[test]
fn data_comes_from_the_controller_until_its_program_is_over() {
    for (at_ns, end_ns) in [(1, 1), (609, 609), (610, 670)] {
        queued_ends(&drive(), &[program(), read().at(at_ns)], &[610, end_ns]);
    }
    // A page that was programmed before is read from the flash.
    let steps = [program(), program().page(1), read().at(700)];
    queued_ends(&drive(), &steps, &[610, 1220, 1280]);
}

#[test]
fn an_operation_waits_for_all_that_it_depends_on() {
    // Reads end at 60 and, on the same die, 120; the program on another channel waits for both.
    let reads = [read().block(8), read().block(9)];
    for (after, end_ns) in [(vec![], 610), (vec![0], 670), (vec![1], 730), (vec![0, 1], 730)] {
        let last = program().die(2).after(&after);
        both_end(&drive(), &[reads[0].clone(), reads[1].clone(), last], &[60, 120, end_ns]);
    }
}

#[test]
fn what_is_over_delays_nothing() {
    let steps = [read().block(8), program().die(2).at(60).after(&[0])];
    both_end(&drive(), &steps, &[60, 670]);
    let steps = [read().block(8), program().die(2).at(59).after(&[0])];
    both_end(&drive(), &steps, &[60, 670]);
}
