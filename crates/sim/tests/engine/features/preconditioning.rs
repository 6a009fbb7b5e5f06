//! The state before the first request.

use crate::common::{Dice, Script, at, logical_pages, run, tiny, write};
use std::ops::ControlFlow;
use wordline_sim::config::{
    Config, FrontierScope, Frontiers, GcCounts, GcMode, GcScope, HostMode, HotnessChoice,
    MapCacheChoice, Pattern, VictimChoice, WearChoice,
};
use wordline_sim::theory::{Cleaning, profile};
use wordline_sim::{Error, Progress, Watch, simulate};
use wordline_trace::{Op, Request};

const PAGES_PER_BLOCK: usize = 32;

fn large(pattern: Pattern) -> Config {
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 2048;
    config.drive.chip.pages_per_block = PAGES_PER_BLOCK as u64;
    config.drive.over_provisioning = 0.28;
    config.precondition.pattern = pattern;
    config
}

fn uniform(config: &Config, writes: u64) -> Vec<Request> {
    let (pages, mut dice) = (logical_pages(config), Dice::new(11));
    (0..writes).map(|_| write(dice.below(pages))).collect()
}

/// From the first write on the drive behaves as theory says of one that has run for ever.
#[test]
fn steady_state_is_steady_at_once() {
    let policies = [
        (VictimChoice::Greedy, Cleaning::Greedy),
        (VictimChoice::Fifo, Cleaning::Fifo),
        (VictimChoice::Random, Cleaning::Random),
        (VictimChoice::DChoices, Cleaning::DChoices(3)),
    ];
    for (policy, cleaning) in policies {
        let mut config = large(Pattern::Steady);
        config.ftl.gc.policy = policy;
        config.ftl.gc.d = 3;
        // A third of what it takes to write the drive once.
        let result = run(&config, uniform(&config, 20_000));
        let measured = result.write_amplification.expect("there are writes");
        let theory = profile(cleaning, result.capacity.alpha, PAGES_PER_BLOCK).write_amplification;
        let deviation = measured / theory - 1.0;
        assert!(deviation.abs() < 0.03, "{policy}: {measured} against {theory}");
    }
}

/// 32 planes of 128 blocks.
fn many_planes() -> Config {
    let mut config = large(Pattern::Steady);
    (config.drive.channels, config.drive.chip.planes) = (8, 4);
    config.drive.chip.blocks_per_plane = 128;
    config
}

/// A short run from the state that was set shows the write amplification that it is of, however blocks
/// are opened, counted and reclaimed.
#[test]
fn a_steady_state_of_many_planes_is_verified() {
    type Kind = (&'static str, fn(&mut Config));
    let kinds: [Kind; 11] = [
        ("blocks", |_| ()),
        ("pages", |config| config.ftl.gc.counts = GcCounts::Pages),
        ("fifo", |config| config.ftl.gc.policy = VictimChoice::Fifo),
        ("shared", |config| config.ftl.frontiers = Frontiers::Shared),
        ("multi-plane", |config| config.drive.chip.multi_plane = true),
        ("a block for each die", |config| {
            config.ftl.frontier_scope = FrontierScope::Die;
            config.ftl.gc.scope = GcScope::Die;
        }),
        ("drive", |config| config.ftl.gc.scope = GcScope::Drive),
        ("background", |config| {
            config.ftl.gc.mode = GcMode::Background;
            config.ftl.gc.background_threshold = 0.06;
        }),
        ("hotness and wear levelling", |config| {
            config.ftl.hotness.policy = HotnessChoice::Interval;
            config.ftl.wear.policy = WearChoice::Static;
        }),
        ("bad blocks", |config| config.drive.chip.bad_blocks = 0.02),
        ("partly filled", |config| config.precondition.fill = 0.9),
    ];
    for (kind, choose) in kinds {
        let mut config = many_planes();
        choose(&mut config);
        let set_up = run(&config, uniform(&config, 1)).steady_state.preconditioning;
        let of = |name: &str| set_up[name].as_f64().expect("a number");
        let ratio = of("verified_write_amplification") / of("expected_write_amplification");
        assert!((ratio - 1.0).abs() < 0.06, "{kind}: {set_up}");
    }
}

/// Planes that began with empty blocks would fill them together: rounds without GC, and then one with all
/// of it. A round is a tenth of what fills a block of each of 512 planes, in which 51 planes are due,
/// give or take 7.
#[test]
fn planes_do_not_collect_in_step() {
    let mut config = many_planes();
    config.run.series_points = 500;
    config.drive.chips_per_channel = 16;
    let cycle = 512 * PAGES_PER_BLOCK as u64;
    let steady = run(&config, uniform(&config, 25 * cycle / 10)).steady_state;
    let expected = steady.preconditioning["expected_write_amplification"].as_f64().expect("set");
    assert_eq!(steady.rounds.len(), 25);
    for (round, measured) in steady.rounds.iter().enumerate() {
        assert!((measured / expected - 1.0).abs() < 0.45, "round {round}: {:?}", steady.rounds);
    }
    for (half, rounds) in steady.rounds.chunks(5).enumerate() {
        let mean = rounds.iter().sum::<f64>() / 5.0;
        assert!((mean / expected - 1.0).abs() < 0.1, "half {half}: {mean} for {expected}");
    }
    assert_eq!((steady.cycle.host_units, steady.cycle.gc_domains), (cycle, 512));
    let longer = run(&config, uniform(&config, 10 * cycle)).steady_state;
    assert!(longer.reached, "{:?} {:?}", longer.reason, longer.rounds);
}

/// What the verdict is held against, and where it is not.
#[test]
fn a_steady_state_is_compared_where_a_closed_form_holds() {
    let mut config = large(Pattern::Random);
    config.drive.chip.blocks_per_plane = 256;
    let spec = |config: &Config, text: &str| {
        let span = wordline_sim::logical_bytes(config).expect("the drive works");
        let context = wordline_trace::GeneratorContext::on_drive(span, 1);
        let source = wordline_trace::from_spec(text, &context).expect("a generator");
        simulate(config, source, &mut ()).expect("the drive works").result
    };
    let result = spec(&config, "uniform:writes=60000");
    let form = result.steady_state.closed_form;
    let expected = form.expected.expect("uniform writes of a page each");
    let theory =
        profile(Cleaning::Greedy, result.capacity.alpha, PAGES_PER_BLOCK).write_amplification;
    assert_eq!((expected, form.left_out), (theory, None));
    assert!(result.steady_state.reached, "{:?}", result.steady_state.reason);
    for (text, reason) in [
        ("zipf:writes=2000", "uniformly"),
        ("uniform:writes=2000,span_mib=1", "uniformly"),
        ("uniform:writes=2000,size_kib=8", "one mapping unit"),
        ("uniform:writes=2000,trim=0.1", "trims"),
    ] {
        let form = spec(&config, text).steady_state.closed_form;
        assert_eq!(form.expected, None);
        assert!(form.left_out.is_some_and(|told| told.contains(reason)), "{text}");
    }
    config.ftl.gc.policy = VictimChoice::CostBenefit;
    let form = spec(&config, "uniform:writes=2000").steady_state.closed_form;
    assert!(form.left_out.is_some_and(|told| told.contains("no closed form")));
}

/// What GC would have done in idle time before the run is done, and not left for its beginning.
#[test]
fn a_steady_state_leaves_nothing_to_idle_gc() {
    for mode in [GcMode::Background, GcMode::Preemptible] {
        let mut config = large(Pattern::Steady);
        config.ftl.gc.mode = mode;
        config.ftl.gc.free_block_threshold = 0.08;
        config.ftl.gc.background_threshold = 0.1;
        let apart_us = 60_000_000;
        let result = run(&config, (0..3).map(|n| at(n * apart_us, Op::Read, n, 1)).collect());
        assert_eq!(result.gc.count, 0, "{mode}");
    }
}

/// The state in which the rules of a drive keep it, whatever its mode of GC and its thresholds: the first tenth of a
/// run of uniform writes does not differ from the rest. Writes come as fast as they are served, or leave idle time.
#[test]
fn a_run_begins_as_it_goes_on() {
    let modes: [(GcMode, &[f64]); 4] = [
        (GcMode::Foreground, &[0.01, 0.05]),
        (GcMode::Background, &[0.02, 0.05, 0.08]),
        (GcMode::Preemptible, &[0.01, 0.05]),
        (GcMode::Paced, &[0.01, 0.05]),
    ];
    for (mode, thresholds) in modes {
        for (&threshold, host_mode) in thresholds.iter().flat_map(|threshold| {
            [HostMode::Closed, HostMode::Open].map(|host_mode| (threshold, host_mode))
        }) {
            let mut config = many_planes();
            config.ftl.gc.mode = mode;
            match mode {
                GcMode::Background => config.ftl.gc.background_threshold = threshold,
                _ => config.ftl.gc.free_block_threshold = threshold,
            }
            config.host.mode = host_mode;
            let gap_us = 2 * config.ftl.gc.idle_us as u64;
            let writes = 20 * 32 * PAGES_PER_BLOCK as u64;
            let (pages, mut dice) = (logical_pages(&config), Dice::new(11));
            let requests =
                (0..writes).map(|n| at(n * gap_us, Op::Write, dice.below(pages), 1)).collect();
            let result = run(&config, requests);
            let rounds = &result.steady_state.rounds;
            assert_eq!(rounds.len(), 25);
            // Two and a half of the rounds.
            let first = (rounds[0] + rounds[1] + rounds[2] / 2.0) / 2.5;
            let rest = (rounds[2] / 2.0 + rounds[3..].iter().sum::<f64>()) / 22.5;
            let differs = (first / rest - 1.0).abs();
            assert!(
                differs < 0.1,
                "{mode} {threshold} {host_mode}: {first} and {rest}: {rounds:?}"
            );
        }
    }
}

/// Where each unit that GC moves takes a write of its map entry, and that write more of GC.
#[test]
fn a_drive_too_full_for_its_map_is_refused() {
    let mut config = large(Pattern::Steady);
    config.drive.over_provisioning = 0.03;
    config.ftl.gc.policy = VictimChoice::Random;
    config.ftl.map_cache.policy = MapCacheChoice::Dftl;
    config.ftl.map_cache.capacity_kib = 8.0;
    let workload = Script::source(uniform(&config, 1));
    let error = simulate(&config, workload, &mut ()).expect_err("it can take no write").to_string();
    assert!(error.contains("GC could not make progress") && error.contains("map_cache"), "{error}");
}

/// Blocks may be so small that a victim gains no more than one page of the map takes.
#[test]
fn blocks_too_small_for_a_map_in_flash_are_refused() {
    let works_with = |pages_per_block| {
        let mut config = large(Pattern::Steady);
        config.drive.over_provisioning = 1.0;
        config.drive.chip.pages_per_block = pages_per_block;
        config.ftl.map_cache.policy = MapCacheChoice::Dftl;
        simulate(&config, Script::source(uniform(&config, 1)), &mut ()).map_err(|it| it.to_string())
    };
    assert!(works_with(8).is_ok());
    let error = works_with(7).expect_err("7 pages are too few");
    for part in ["ftl.map_cache.policy", "holds 7", "drive.chip.pages_per_block"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_fill_writes_what_it_says() {
    for pattern in [Pattern::Sequential, Pattern::Random, Pattern::Steady] {
        for fill in [1.0, 0.5] {
            let mut config = large(pattern);
            config.precondition.fill = fill;
            let pages = logical_pages(&config);
            let written = (fill * pages as f64).round() as u64;
            let result = run(&config, vec![at(0, Op::Read, 0, pages as u32)]);
            assert_eq!(result.flash.page_reads.host, written, "{pattern} {fill}");
            assert_eq!(result.wear.erases_max, 0, "the fill is no part of the run");
        }
    }
}

#[test]
fn overwriting_a_sequential_fill_in_order_moves_nothing() {
    let config = large(Pattern::Sequential);
    let pages = logical_pages(&config);
    let result = run(&config, (0..2 * pages).map(|n| write(n % pages)).collect());
    assert!(result.gc.count > 1000);
    assert!(result.gc.pages_moved <= PAGES_PER_BLOCK as u64, "{}", result.gc.pages_moved);
}

/// Ends a run when it is asked for the so-manieth time, and counts.
struct Patience {
    asked: u32,
    most: u32,
    started: bool,
}

impl Watch for Patience {
    fn progress(&mut self, progress: Progress) -> ControlFlow<()> {
        self.asked += 1;
        self.started |= progress.phase == "run";
        if self.asked > self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A large drive takes seconds to set up, and an array of them a minute: each step of it can be stopped.
#[test]
fn a_set_up_can_be_stopped_at_each_step() {
    let stopped_after = |config: &Config, most: u32| {
        let mut patience = Patience { asked: 0, most, started: false };
        let outcome = simulate(config, Script::source(vec![write(0)]), &mut patience);
        assert_eq!(matches!(outcome, Err(Error::Stopped)), patience.asked > most);
        assert!(outcome.is_ok() || !patience.started, "stopped in the set-up");
        patience.asked
    };
    let mut array = large(Pattern::Sequential);
    array.array.level = wordline_sim::config::ArrayLevel::Raid0;
    array.array.drives = 3;
    for config in [large(Pattern::Random), large(Pattern::Steady), array] {
        let all = stopped_after(&config, u32::MAX);
        // For each plane; every 131,072 units that are bound, and the first; writes of a verification; and the run.
        assert!(all >= 4, "{all}");
        for most in 0..all - 1 {
            assert_eq!(stopped_after(&config, most), most + 1);
        }
    }
    // Each plane more is one more moment, and of sixteen not all units are bound at once.
    let asked = |planes: u64| {
        let mut config = large(Pattern::Sequential);
        config.drive.chip.planes = planes;
        stopped_after(&config, u32::MAX)
    };
    let drive = large(Pattern::Sequential).drive;
    let dies = drive.channels * drive.chips_per_channel * drive.chip.dies;
    assert!(u64::from(asked(16) - asked(4)) >= 12 * dies + 3);
}

/// A fill that was overwritten leaves no block fresh: GC comes with the first writes, and erases keep up with
/// programs. Requests are those of the fill: a mebibyte that stays in order, or a unit.
#[test]
fn what_was_overwritten_leaves_no_fresh_block() {
    for pattern in [Pattern::Sequential, Pattern::Random] {
        let mut config = large(pattern);
        config.precondition.fill = 0.5;
        let erased = |config: &Config| {
            let result = run(config, uniform(config, 4000));
            assert_eq!(result.wear.erases_max == 0, result.flash.erases == 0, "wear is the run's");
            (result.flash.erases, result.flash.page_programs.total() / PAGES_PER_BLOCK as u64)
        };
        assert_eq!(erased(&config).0, 0, "half of the drive is free");
        config.precondition.overwrites = 2.0;
        let (erases, programmed) = erased(&config);
        assert!(erases.abs_diff(programmed) <= 4, "{erases} blocks for {programmed} programmed");
    }
    let mut config = large(Pattern::Steady);
    config.precondition.overwrites = 1.0;
    let error = simulate(&config, Script::source(vec![write(0)]), &mut ()).err();
    assert!(matches!(error, Some(Error::Infeasible { .. })), "{error:?}");
}
