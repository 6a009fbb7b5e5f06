//! A die does one thing at a time, and so does a channel.

use super::rig::*;
use wordline_sim::config::Config;
use wordline_sim::engine::FlashOp;
use wordline_sim::nand::command::Cause;

#[test]
fn a_die_does_one_thing_at_a_time() {
    // The first read occupies the die until 60.
    for (at_ns, end_ns) in [(59, 120), (60, 120), (61, 121)] {
        both_end(&drive(), &[read().block(8), read().block(9).at(at_ns)], &[60, end_ns]);
    }
}

#[test]
fn dies_work_side_by_side() {
    // On a channel each.
    both_end(&drive(), &[read().block(8), read().block(8).die(2)], &[60, 60]);
    both_end(&drive(), &[erase(), erase().die(1)], &[3000, 3000]);
}

#[test]
fn a_channel_does_one_thing_at_a_time() {
    // Two dies of one channel; the first transfer occupies it from 50 to 60.
    for (at_ns, end_ns) in [(9, 70), (10, 70), (11, 71)] {
        let other = read().block(8).die(1).at(at_ns);
        both_end(&drive(), &[read().block(8), other], &[60, end_ns]);
    }
}

#[test]
fn a_program_transfers_then_works() {
    both_end(&drive(), &[program()], &[610]);
    // The channel is free again after the transfer, the die after the array.
    both_end(&drive(), &[program(), program().die(1)], &[610, 620]);
    for (at_ns, end_ns) in [(609, 670), (610, 670), (611, 671)] {
        both_end(&drive(), &[program(), read().block(8).at(at_ns)], &[610, end_ns]);
    }
}

#[test]
fn a_command_takes_the_channel_and_the_die() {
    both_end(&drive(), &[read().block(8).command(5)], &[65]);
    both_end(&drive(), &[program().command(5)], &[615]);
    both_end(&drive(), &[erase().command(5)], &[3005]);
    both_end(&drive(), &[program().command(5), program().command(5).die(1)], &[615, 630]);
}

#[test]
fn without_a_transfer_only_the_array_counts() {
    both_end(&drive(), &[read().block(8).transfer(0)], &[50]);
    both_end(&drive(), &[program().transfer(0)], &[600]);
}

#[test]
fn a_cache_program_loads_while_the_array_works() {
    let mut config = drive();
    let pages = [program(), program().page(1), program().page(2)];
    both_end(&config, &pages, &[610, 1220, 1830]);
    config.drive.chip.cache_program = true;
    both_end(&config, &pages, &[610, 1210, 1810]);
    // The register takes the next page only once the array has taken over the one before it.
    let slow = pages.map(|step| step.transfer(1000));
    both_end(&config, &slow, &[1600, 2600, 3600]);
}

#[test]
fn a_cache_read_senses_while_the_last_page_leaves() {
    let mut config = drive();
    let slow = |block: u32| read().block(block).transfer(40);
    let reads = [slow(8), slow(9), slow(10)];
    both_end(&config, &reads, &[90, 180, 270]);
    config.drive.chip.cache_read = true;
    both_end(&config, &reads, &[90, 140, 190]);
}

#[test]
fn a_cache_read_waits_for_the_register() {
    let mut config = drive();
    config.drive.chip.cache_read = true;
    // Two pages per die at most between array and channel: the third is sensed once the first has
    // left, and the erase waits for that.
    let slow = |block: u32| read().block(block).transfer(500);
    let steps = [slow(8), slow(9), slow(10), erase()];
    // Sensed at 50, 100 and, the second having moved up at 550, at 600. They leave at 550, 1050
    // and 1550; the array is free for the erase once the third page can move up, at 1050.
    both_end(&config, &steps, &[550, 1050, 1550, 1050 + ERASE_NS]);
}

/// Two planes, whose blocks are 0 to 7 and 8 to 15, that read so many pages at once.
fn two_planes(reads: u64) -> Config {
    let mut config = drive();
    let chip = &mut config.drive.chip;
    (chip.planes, chip.blocks_per_plane, chip.independent_plane_reads) = (2, 8, reads);
    config
}

fn ends(config: &Config, steps: &[Step]) -> Vec<u64> {
    carry_out(queued(config), steps).ends_ns
}

#[test]
fn planes_that_read_independently_sense_at_once() {
    // The first read finds an idle die, and begins alone.
    let reads = [read().block(8), read().block(9), read().block(10), read().block(1)];
    assert_eq!(ends(&two_planes(1), &reads), [60, 120, 180, 240]);
    // One of the other plane goes with the second, though it came after the third.
    assert_eq!(ends(&two_planes(2), &reads), [60, 120, 190, 130]);
    let slow = |step: Step, array_ns| Step { op: FlashOp { array_ns, ..step.op }, ..step };
    let late = [read().block(8), read().block(9), slow(read().block(1), 70)];
    assert_eq!(ends(&two_planes(2), &late), [60, 140, 150], "the slowest decides");
    let both = [read().block(8), read().block(1).with(9), read().block(2), read().block(3)];
    assert_eq!(ends(&two_planes(2), &both), [60, 120, 180, 240], "no plane is free");
    let gc = [read().block(8), read().block(9), read().block(1).cause(Cause::Gc)];
    assert_eq!(ends(&two_planes(2), &gc), [60, 120, 180], "of the host alone");
}

#[test]
fn planes_that_read_independently_share_the_channel() {
    let of = |step: &dyn Fn(u32) -> Step| [8, 9, 1].map(step);
    let config = two_planes(2);
    assert_eq!(ends(&config, &of(&|block| read().block(block).transfer(0))), [50, 100, 100]);
    let mixed = |block| read().block(block).transfer(if block == 9 { 0 } else { 10 });
    assert_eq!(ends(&config, &of(&mixed)), [60, 110, 120]);
    // Commands go ahead as one, and data leaves one after the other.
    assert_eq!(ends(&config, &of(&|block| read().block(block).command(5))), [65, 135, 145]);
    let mut cached = two_planes(2);
    cached.drive.chip.cache_read = true;
    assert_eq!(ends(&cached, &of(&|block| read().block(block).transfer(40))), [90, 140, 180]);
    // What is sensed waits until the registers are empty, and an erase until it leaves.
    let slow = of(&|block| read().block(block).transfer(500));
    let steps = [&slow[..], &[erase().block(7)]].concat();
    assert_eq!(ends(&cached, &steps), [550, 1050, 1550, 550 + ERASE_NS]);
}

/// The place of a read that is over is taken by one that begins while another of its batch still leaves.
#[test]
fn a_read_that_begins_while_others_leave_is_not_mistaken_for_them() {
    let mut config = two_planes(2);
    config.drive.chip.cache_read = true;
    let read = |block, at_ns| read().block(block).transfer(40).command(5).at(at_ns);
    let steps = [read(8, 0), read(9, 0), read(1, 0), read(10, 160), read(11, 165)];
    assert_eq!(ends(&config, &steps), [105, 155, 195, 295, 345]);
}

#[test]
fn no_die_and_no_channel_is_busy_longer_than_time_passes() {
    for cached in [false, true] {
        let mut config = drive();
        (config.drive.chip.cache_read, config.drive.chip.cache_program) = (cached, cached);
        let step = |index: u32| match index % 3 {
            0 => program().block(index / 8 % 8).page(index % 8),
            1 => read().block(8 + index % 8),
            _ => read().block(8 + index % 8).transfer(200),
        };
        let steps: Vec<Step> = (0..60).map(|index| step(index).die(index / 15)).collect();
        let check = |(dies, channels): (Vec<u64>, Vec<u64>), ends_ns: &[u64]| {
            let end_ns = *ends_ns.iter().max().expect("there are steps");
            let busy = dies.iter().chain(&channels);
            assert!(
                busy.clone().all(|&ns| 0 < ns && ns <= end_ns),
                "{dies:?} {channels:?} {end_ns}"
            );
        };
        let one = carry_out(in_order(&config), &steps);
        check(wordline_sim::engine::Scheduler::busy_ns(&one.sched), &one.ends_ns);
        let other = carry_out(queued(&config), &steps);
        check(wordline_sim::engine::Scheduler::busy_ns(&other.sched), &other.ends_ns);
    }
}
