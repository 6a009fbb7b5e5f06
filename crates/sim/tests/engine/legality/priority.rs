//! Host reads before host writes, before the map, before garbage collection in the background.

use super::rig::*;
use wordline_sim::config::{Config, GcMode};
use wordline_sim::nand::command::Cause;

fn background() -> Config {
    let mut config = drive();
    config.ftl.gc.mode = GcMode::Background;
    config
}

#[test]
fn the_die_serves_by_priority() {
    // All wait for the erase; issued from lowest to highest priority.
    let steps = [
        erase(),
        read().block(8).cause(Cause::Gc).at(1),
        program().block(2).cause(Cause::Mapping).at(2),
        program().block(1).at(3),
        read().block(10).at(4),
    ];
    queued_ends(&background(), &steps, &[3000, 4340, 4280, 3670, 3060]);
    let ends_ns = carry_out(in_order(&background()), &steps).ends_ns;
    assert_eq!(ends_ns, [3000, 3060, 3670, 4280, 4340]);
}

#[test]
fn foreground_collection_has_the_priority_of_the_write_that_waits_for_it() {
    let steps = [
        erase(),
        program().block(1).cause(Cause::Gc).at(1),
        program().block(2).at(2),
        program().block(3).cause(Cause::Mapping).at(3),
    ];
    queued_ends(&drive(), &steps, &[3000, 3610, 4220, 4830]);
    queued_ends(&background(), &steps, &[3000, 4830, 3610, 4220]);
}

#[test]
fn reads_of_the_map_are_host_reads() {
    // A host request waits for them.
    let steps = [erase(), read().block(8).at(1), read().block(9).cause(Cause::Mapping).at(2)];
    queued_ends(&drive(), &steps, &[3000, 3060, 3120]);
    let steps = [erase(), program().at(1), read().block(9).cause(Cause::Mapping).at(2)];
    queued_ends(&drive(), &steps, &[3000, 3670, 3060]);
}

#[test]
fn equal_priorities_are_served_in_order_of_arrival() {
    let steps: Vec<Step> =
        (0..4).map(|index| read().block(8 + index).at(u64::from(index))).collect();
    both_end(&drive(), &steps, &[60, 120, 180, 240]);
}

#[test]
fn a_page_that_had_to_wait_for_the_one_before_it_keeps_its_place() {
    // Pages 1 and 2 queue only once the page before them has begun, and still come before the
    // program of another block that arrived later.
    let steps = [program(), program().page(1), program().page(2), program().block(1).at(1)];
    both_end(&drive(), &steps, &[610, 1220, 1830, 2440]);
}

#[test]
fn the_channel_serves_by_priority() {
    // Die 0 loads until 100. Meanwhile a program of the other die, then a read of it cannot both
    // come first: the program holds its die. A third die does not exist on this channel, so the
    // priorities show between a write's data and a read's.
    let steps =
        [program().transfer(100), read().block(8).die(1).cause(Cause::Gc), read().block(8).die(2)];
    queued_ends(&background(), &steps, &[700, 110, 60]);
}

#[test]
fn a_read_that_cannot_interrupt_waits() {
    // Suspension is off: the host's read comes after what is under way, and before what waits.
    let steps = [program(), program().block(1).at(1), read().block(8).at(2)];
    queued_ends(&drive(), &steps, &[610, 1280, 670]);
}

#[test]
fn what_must_be_done_now_goes_before_a_host_read() {
    // All wait for the erase, the host's read the longest.
    let late = program().block(1).cause(Cause::Technique).at(2);
    let steps = |late: Step| [erase(), read().block(8).at(1), late];
    queued_ends(&background(), &steps(late.clone()), &[3000, 3060, 3670]);
    queued_ends(&background(), &steps(late.urgent()), &[3000, 3670, 3610]);
}

#[test]
fn what_is_under_way_is_not_interrupted_for_what_must_be_done_now() {
    let steps = [program(), program().block(1).cause(Cause::Technique).urgent().at(2)];
    queued_ends(&background(), &steps, &[610, 1220]);
}
