//! Superblocks: one block of the drive is a block in each plane of several dies.

use crate::common::{Dice, PAGE, at, logical_pages, outcome, run, tiny, tiny_timed, write};
use wordline_sim::Error;
use wordline_sim::config::{
    Acknowledge, Allocation, Cell, Config, GcMode, HostMode, Pattern, ProgramUnit, ServiceOrder,
    SuperblockParity,
};
use wordline_sim::metrics::RunResult;
use wordline_trace::{Op, Request};

/// Four dies of two planes on two channels, in superblocks of all of them: 16 of 64 pages, in rows of eight.
fn of_four_dies(config: Config) -> Config {
    let mut config = config;
    config.drive.channels = 2;
    config.drive.chips_per_channel = 2;
    config.drive.chip.planes = 2;
    config.drive.chip.multi_plane = true;
    config.ftl.superblock_dies = 4;
    config
}

fn with_parity(mut config: Config, parity: SuperblockParity) -> Config {
    config.ftl.superblock_parity = parity;
    config.drive.over_provisioning = 1.4;
    config
}

fn random_writes(config: &Config, seed: u64, count: u64) -> Vec<Request> {
    let (mut dice, pages) = (Dice::new(seed), logical_pages(config));
    (0..count).map(|at_ms| at(at_ms * 1000, Op::Write, dice.below(pages), 1)).collect()
}

/// What the FTL counted, apart from the number of blocks that each erase is of.
fn counts(result: &RunResult) -> [u64; 5] {
    let (gc, flash) = (&result.gc, &result.flash);
    let programs = (flash.page_programs.host, flash.page_programs.gc);
    [gc.count, gc.pages_moved, programs.0, programs.1, flash.page_reads.gc]
}

#[test]
fn superblocks_are_collected_as_blocks_of_their_size() {
    let superblocks = of_four_dies(tiny());
    let mut large = tiny();
    large.drive.chip.pages_per_block = 64;
    let writes = random_writes(&large, 3, 5000);
    let (ours, theirs) = (run(&superblocks, writes.clone()), run(&large, writes));
    assert_eq!(counts(&ours), counts(&theirs));
    assert_eq!(ours.flash.erases, 8 * theirs.flash.erases);
    assert!(theirs.gc.pages_moved > 1000, "GC hardly ran");
}

/// Blocks of eight times the size wear out as superblocks of eight blocks do, each of which is eight.
#[test]
fn a_superblock_that_wears_out_is_as_many_worn_blocks() {
    let mut large = tiny();
    large.drive.chip.pages_per_block = 64;
    let writes = random_writes(&large, 3, 6000);
    let [ours, theirs] = [of_four_dies(tiny()), large].map(|mut config| {
        config.drive.chip.endurance_pec = 5;
        run(&config, writes.clone()).wear
    });
    assert!(theirs.worn_out_blocks > 1, "no block was worn out");
    assert_eq!(ours.worn_out_blocks, 8 * theirs.worn_out_blocks);
    assert_eq!(ours.read_only_after_writes, theirs.read_only_after_writes);
}

#[test]
fn superblocks_of_half_of_the_dies_divide_the_drive() {
    let mut halves = of_four_dies(tiny());
    halves.ftl.superblock_dies = 2;
    let mut large = tiny();
    large.drive.chips_per_channel = 2;
    large.drive.chip.pages_per_block = 32;
    let writes = random_writes(&large, 5, 5000);
    let (ours, theirs) = (run(&halves, writes.clone()), run(&large, writes));
    assert_eq!(counts(&ours), counts(&theirs));
    assert_eq!(ours.flash.erases, 4 * theirs.flash.erases);
}

#[test]
fn a_row_is_programmed_on_all_dies_at_once() {
    let result = run(&of_four_dies(tiny_timed()), vec![at(0, Op::Write, 0, 8)]);
    assert_eq!(result.flash.program_operations, 4);
    // Of the two dies of a channel the second has its data after the first: 20 us, 20 more, and the program.
    let mean_us = result.host.write.mean_us;
    assert!((mean_us - 640.0).abs() < 1e-3, "{mean_us}");
    assert!(result.flash.die_utilisation.iter().all(|&share| share > 0.9));
}

#[test]
fn pages_of_a_program_are_sensed_together_in_both_planes() {
    // Two dies share a channel: both planes at once, 50 us and two pages of each die; or one after the other.
    for (multi_plane, read_us) in [(true, 50.0 + 20.0 + 20.0), (false, 2.0 * (50.0 + 10.0) + 10.0)]
    {
        let mut config = of_four_dies(tiny_timed());
        config.drive.chip.multi_plane = multi_plane;
        let result = run(&config, vec![at(0, Op::Write, 0, 8), at(9000, Op::Read, 0, 8)]);
        assert_eq!(result.flash.page_reads.host, 8);
        let mean_us = result.host.read.mean_us;
        assert!((mean_us - read_us).abs() < 1e-3, "{mean_us} us, {multi_plane}");
    }
}

#[test]
fn the_parity_of_a_row_takes_a_plane_or_a_die() {
    for (parity, units, operations) in [
        (SuperblockParity::None, 0, 4),
        (SuperblockParity::Plane, 1, 4),
        (SuperblockParity::Die, 2, 4),
    ] {
        let config = with_parity(of_four_dies(tiny_timed()), parity);
        let result = run(&config, vec![at(0, Op::Write, 0, 8 - units as u32)]);
        assert_eq!((result.flash.parity, result.flash.padding), (units, 0), "{parity}");
        assert_eq!(result.flash.program_operations, operations);
        let expected = 8.0 / (8.0 - units as f64);
        assert_eq!(result.write_amplification, Some(expected));
        let by_cause = result.write_amplification_by_cause.expect("the host wrote");
        assert_eq!(by_cause.parity + by_cause.host, expected);
    }
}

#[test]
fn parity_takes_turns_among_the_dies() {
    let config = with_parity(of_four_dies(tiny_timed()), SuperblockParity::Die);
    // Four rows of six pages, then a read of all of them: each die has a row of parity, and data of three.
    let result = run(&config, vec![at(0, Op::Write, 0, 24), at(90_000, Op::Read, 0, 24)]);
    let busy = &result.flash.die_utilisation;
    assert!(busy.iter().all(|&share| (share / busy[0] - 1.0).abs() < 0.02), "{busy:?}");
    assert_eq!(result.flash.parity, 8);
}

#[test]
fn a_drive_with_parity_goes_on_when_it_is_full() {
    for parity in [SuperblockParity::None, SuperblockParity::Plane, SuperblockParity::Die] {
        for pattern in [Pattern::None, Pattern::Sequential, Pattern::Random, Pattern::Steady] {
            let mut config = with_parity(of_four_dies(tiny_timed()), parity);
            config.drive.chip.blocks_per_plane = 40;
            config.precondition.pattern = pattern;
            // The check after the run knows where no data may stand.
            run(&config, vec![write(0)]);
            let result = run(&config, random_writes(&config, 7, 6000));
            let flash = &result.flash;
            let data: u64 = flash.page_programs.total();
            // Rows that have begun and not ended have no parity yet: one of each stream, of host and GC.
            let of_a_row = [0, 1, 2][parity as usize];
            let rows = (data + flash.padding) / (8 - of_a_row);
            assert!(flash.parity.abs_diff(rows * of_a_row) <= 2 * of_a_row, "{parity} {pattern}");
            assert!(result.gc.count > 20, "{parity} {pattern}: {:?}", result.gc);
        }
    }
}

/// One program in five holds metadata: a quarter of the data.
fn with_metadata(config: Config, parity: SuperblockParity) -> Config {
    let mut config = with_parity(config, parity);
    config.ftl.superblock_metadata_factor = 1.25;
    config
}

#[test]
fn metadata_is_programmed_beside_data_and_takes_its_time() {
    let config = with_metadata(of_four_dies(tiny_timed()), SuperblockParity::None);
    // The third program of five: two of data, that of metadata, and two of data.
    let result = run(&config, vec![at(0, Op::Write, 0, 8)]);
    let flash = &result.flash;
    assert_eq!((flash.page_programs.metadata, flash.padding), (2, 0));
    assert_eq!(flash.program_operations, 5);
    assert_eq!(result.write_amplification, Some(1.25));
    let by_cause = result.write_amplification_by_cause.expect("the host wrote");
    assert_eq!((by_cause.host, by_cause.metadata), (1.0, 0.25));
    // Two programs of a die one after the other, each of 20 us on the channel and 600 in the array.
    let mean_us = result.host.write.mean_us;
    assert!((mean_us - 1240.0).abs() < 1e-3, "{mean_us}");
}

#[test]
fn metadata_takes_turns_among_the_dies() {
    // One program in four, and four dies.
    let mut config = with_metadata(of_four_dies(tiny_timed()), SuperblockParity::None);
    config.ftl.superblock_metadata_factor = 4.0 / 3.0;
    let result = run(&config, vec![at(0, Op::Write, 0, 24), at(90_000, Op::Read, 0, 24)]);
    let busy = &result.flash.die_utilisation;
    assert!(busy.iter().all(|&share| (share / busy[0] - 1.0).abs() < 0.02), "{busy:?}");
    assert_eq!(result.flash.page_programs.metadata, 8);
}

#[test]
fn a_drive_with_metadata_goes_on_when_it_is_full() {
    // Pages of data and of metadata in a superblock of 64: whole programs of two of the 32, or of those 24
    // that end no row of four.
    for (parity, data, metadata) in [
        (SuperblockParity::None, 52.0, 12.0),
        (SuperblockParity::Plane, 44.0, 12.0),
        (SuperblockParity::Die, 38.0, 10.0),
    ] {
        for pattern in [Pattern::None, Pattern::Sequential, Pattern::Random, Pattern::Steady] {
            let mut config = with_metadata(of_four_dies(tiny_timed()), parity);
            config.drive.over_provisioning = 1.9;
            config.drive.chip.blocks_per_plane = 40;
            config.precondition.pattern = pattern;
            // The check after the run knows where no data may stand.
            run(&config, vec![write(0)]);
            let result = run(&config, random_writes(&config, 7, 6000));
            let programs = &result.flash.page_programs;
            let written = programs.host + programs.gc + result.flash.padding;
            let share = programs.metadata as f64 / written as f64;
            assert!((share / metadata * data - 1.0).abs() < 0.01, "{parity} {pattern}: {share}");
            assert!(result.gc.count > 20, "{parity} {pattern}: {:?}", result.gc);
        }
    }
}

#[test]
fn metadata_takes_the_room_of_its_programs() {
    let plain = of_four_dies(tiny());
    let config = with_metadata(plain.clone(), SuperblockParity::None);
    let [plain, with] = [plain, config].map(|mut config| {
        config.drive.over_provisioning = 1.4;
        run(&config, vec![write(0)]).capacity
    });
    assert_eq!(plain.physical_pages, with.physical_pages);
    // Of 32 programs of a superblock 6 hold metadata.
    assert_eq!(with.log_pages * 32, plain.log_pages * 26);
}

#[test]
fn a_superblock_is_erased_on_all_dies_at_once() {
    let mut config = of_four_dies(tiny_timed());
    let pages = logical_pages(&config) as u32;
    let fill = |us| at(us, Op::Write, 0, pages);
    let result = run(&config, vec![fill(0), fill(1_000_000)]);
    let superblocks = result.gc.count;
    assert_eq!(result.flash.erases, 8 * superblocks);
    // An operation on each of four dies, of 3 ms.
    assert_eq!(result.flash.erase_time_ms, 12.0 * superblocks as f64);
    config.ftl.superblock_dies = 0;
    let result = run(&config, vec![fill(0), fill(1_000_000)]);
    assert_eq!(result.flash.erase_time_ms, 1.5 * result.flash.erases as f64);
}

#[test]
fn paced_gc_keeps_up_and_never_makes_the_host_wait_for_a_whole_victim() {
    let worst_us = |mode, free_block_threshold| {
        let mut config = of_four_dies(tiny_timed());
        config.drive.chip.blocks_per_plane = 32;
        config.drive.over_provisioning = 0.5;
        config.ftl.acknowledge = Acknowledge::Buffer;
        config.ftl.gc.mode = mode;
        config.ftl.gc.free_block_threshold = free_block_threshold;
        config.precondition.pattern = Pattern::Steady;
        config.drive.scheduling.order = ServiceOrder::ReadsFirst;
        let result = run(&config, random_writes(&config, 11, 20_000));
        (result.host.write.max_us, result.write_amplification.expect("the host wrote"))
    };
    // Paced GC begins a block earlier, which takes that block from the data.
    let (foreground, paced) =
        (worst_us(GcMode::Foreground, 2.0 / 32.0), worst_us(GcMode::Paced, 0.0));
    assert!(paced.0 * 3.0 < foreground.0, "paced {paced:?}, foreground {foreground:?}");
    assert!(
        (paced.1 / foreground.1 - 1.0).abs() < 0.03,
        "paced {paced:?}, foreground {foreground:?}"
    );
}

#[test]
fn paced_gc_moves_what_a_victim_asks_of_each_write() {
    // 48 blocks of data in 64, written uniformly: for each unit of the host GC moves about A - 1.
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 64;
    config.drive.chip.pages_per_block = 32;
    config.drive.over_provisioning = 0.4;
    config.precondition.pattern = Pattern::Steady;
    config.ftl.gc.mode = GcMode::Paced;
    let writes = random_writes(&config, 13, 20_000);
    let paced = run(&config, writes.clone());
    config.ftl.gc.mode = GcMode::Foreground;
    let foreground = run(&config, writes);
    let ratio = paced.write_amplification.unwrap() / foreground.write_amplification.unwrap();
    assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
}

/// Four dies whose GC works in idle time too, in use for long.
fn cleaning_in_idle_time() -> Config {
    let mut config = of_four_dies(tiny_timed());
    (config.ftl.gc.mode, config.drive.over_provisioning) = (GcMode::Background, 0.6);
    config.ftl.gc.background_threshold = 0.2;
    config.ftl.acknowledge = Acknowledge::Buffer;
    config.drive.scheduling.order = ServiceOrder::ReadsFirst;
    (config.precondition.pattern, config.precondition.fill) = (Pattern::Steady, 1.0);
    config
}

#[test]
fn gc_that_began_in_idle_time_stays_out_of_the_way_of_writes() {
    let mut config = cleaning_in_idle_time();
    config.ftl.acknowledge = Acknowledge::Program;
    let (mut dice, pages) = (Dice::new(5), logical_pages(&config));
    // Two rows at a time, and time between them for what they ask of GC, but not for a whole victim.
    let mut write = |n: u64| at(n / 16 * 20_000, Op::Write, dice.below(pages), 1);
    let result = run(&config, (0..4000).map(&mut write).collect());
    assert!(result.gc.count > 100, "{} victims", result.gc.count);
    // 3,398 us if they take it on.
    assert!(result.host.write.mean_us < 2800.0, "{} us", result.host.write.mean_us);
}

#[test]
fn gc_in_step_does_not_fall_behind_writes() {
    let mut config = cleaning_in_idle_time();
    (config.drive.chip.blocks_per_plane, config.drive.chip.pages_per_block) = (64, 256);
    (config.host.mode, config.host.queue_depth) = (HostMode::Closed, 64);
    let host = run(&config, random_writes(&config, 6, 20_000)).host;
    let (iops, bound) = (host.iops.expect("it is timed"), host.iops_bound.expect("it is timed"));
    assert!((iops / bound - 1.0).abs() < 0.02, "{iops} of {bound}");
}

#[test]
fn the_closed_form_holds_with_parity_and_at_a_pace() {
    for (parity, mode, metadata) in [
        (SuperblockParity::None, GcMode::Foreground, 1.0),
        (SuperblockParity::None, GcMode::Paced, 1.0),
        (SuperblockParity::Plane, GcMode::Paced, 1.0),
        (SuperblockParity::Die, GcMode::Foreground, 1.0),
        (SuperblockParity::None, GcMode::Paced, 1.2),
        (SuperblockParity::Plane, GcMode::Foreground, 1.1),
    ] {
        let mut config = with_parity(of_four_dies(tiny()), parity);
        config.ftl.superblock_metadata_factor = metadata;
        config.drive.chip.blocks_per_plane = 128;
        config.drive.over_provisioning = 0.8;
        config.ftl.gc.mode = mode;
        config.precondition.pattern = Pattern::Steady;
        let result = run(&config, vec![write(0)]);
        let begin = &result.steady_state.preconditioning;
        let figure = |name: &str| begin[name].as_f64().expect("greedy has a closed form");
        let expected = figure("expected_write_amplification");
        let ratio = figure("verified_write_amplification") / expected;
        assert!((ratio - 1.0).abs() < 0.03, "{parity} {mode} {metadata}: {ratio} of {expected}");
    }
}

#[test]
fn what_superblocks_cannot_be_is_refused_by_its_key() {
    let refused = |change: &dyn Fn(&mut Config), key: &str| {
        let mut config = of_four_dies(tiny());
        change(&mut config);
        match outcome(&config, vec![write(0)]) {
            Err(Error::Infeasible { what, help }) => {
                assert!(what.contains(key) || help.contains(key), "{what}: {help}");
            }
            other => panic!("{key}: {other:?}", other = other.map(|_| ())),
        }
    };
    refused(&|config| config.ftl.superblock_dies = 3, "ftl.superblock_dies");
    refused(&|config| config.drive.chip.bad_blocks = 0.1, "drive.chip.bad_blocks");
    refused(&|config| config.drive.chip.copy_back = true, "drive.chip.copy_back");
    let by_pages = |config: &mut Config| {
        (config.drive.chip.cell, config.drive.chip.pages_per_block) = (Cell::Tlc, 12);
        config.technique = toml::toml! { slc_cache = {} };
    };
    refused(&by_pages, "drive.chip.multi_plane");
    refused(&|config| config.ftl.allocation = Allocation::Dynamic, "ftl.allocation");
    refused(
        &|config| {
            config.ftl.superblock_dies = 0;
            config.ftl.superblock_parity = SuperblockParity::Plane;
        },
        "ftl.superblock_dies",
    );
    refused(
        &|config| {
            config.ftl.superblock_dies = 1;
            config.ftl.superblock_parity = SuperblockParity::Die;
        },
        "ftl.superblock_parity",
    );
    refused(
        &|config| {
            config.ftl.superblock_dies = 0;
            config.ftl.superblock_metadata_factor = 1.1;
        },
        "ftl.superblock_dies",
    );
    // Word lines fill the superblock, but no block of it.
    refused(
        &|config| {
            config.drive.chip.cell = Cell::Tlc;
            config.drive.chip.program = ProgramUnit::OneShot;
            config.drive.chip.planes = 3;
        },
        "drive.chip.pages_per_block",
    );
    // Less than half a program of 32.
    refused(&|config| config.ftl.superblock_metadata_factor = 1.01, "superblock_metadata_factor");
    refused(
        &|config| {
            config.ftl.superblock_dies = 1;
            config.ftl.superblock_parity = SuperblockParity::Plane;
            config.ftl.superblock_metadata_factor = 1.1;
        },
        "superblock_metadata_factor",
    );
}

#[test]
fn capacity_counts_parity_as_flash_that_holds_no_data() {
    let config = with_parity(of_four_dies(tiny()), SuperblockParity::None);
    let plain = run(&config, vec![write(0)]).capacity;
    let config = with_parity(of_four_dies(tiny()), SuperblockParity::Die);
    let with = run(&config, vec![write(0)]).capacity;
    assert_eq!(
        (plain.physical_pages, plain.logical_pages),
        (with.physical_pages, with.logical_pages)
    );
    assert_eq!(plain.physical_pages * PAGE, 16 * 64 * PAGE);
    assert_eq!(with.log_pages * 4, plain.log_pages * 3);
}
