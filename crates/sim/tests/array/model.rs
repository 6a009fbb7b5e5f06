//! Whatever is written, whichever drive is lost, and whenever: every byte stays readable, parity is
//! right once nothing is under way, and a rebuild restores what was lost.

use crate::fake::{Ask, SECTORS, ask, finish, mix, pass, rig, rules};
use proptest::prelude::*;
use wordline_sim::array::{Layout, Level, Logging, Rmw, Rules};
use wordline_sim::ids::DriveId;
use wordline_trace::Op;

/// A run.
#[derive(Debug, Clone)]
struct Case {
    layout: Layout,
    rules: Rules,
    longest_ns: u64,
    asks: Vec<Ask>,
    /// A drive that is lost, and when; and whether there is a spare.
    loss: Option<(u64, u32, bool)>,
    scrub_at_ns: Option<u64>,
}

fn cases() -> impl Strategy<Value = Case> {
    let levels = prop_oneof![1 => Just(Level::Raid1), 4 => Just(Level::Raid5)];
    let rmw = prop_oneof![Just(Rmw::Enable), Just(Rmw::Disable), Just(Rmw::Prefer)];
    let shape = (levels, 3u32..=6, 1u32..=3, 1u32..=8, 1usize..=6, rmw, 0u32..=2);
    shape
        .prop_flat_map(|(level, drives, chunk, stripes, heads, rmw, pace)| {
            let layout = Layout { level, drives, chunk, stripes: chunk * stripes };
            let sectors = layout.pages() * SECTORS as u64;
            let ask = (0u64..3_000, 0u8..8, 0..sectors, 1u64..=10);
            let asks = prop::collection::vec(ask, 1..80);
            let loss = prop::option::of((0u64..60_000, 0..drives, any::<bool>()));
            let scrub = prop::option::of(0u64..60_000);
            // Room for an entry of one stripe, of several, or no log; for a journal, up to whatever one of several takes.
            let log = prop_oneof![
                Just(Logging::None),
                (2u32..=7).prop_map(|pages| Logging::Ppl { pages }),
                (0u32..=40)
                    .prop_map(move |more| Logging::Journal { pages: 2 * (1 + drives) + more }),
            ];
            let longest = prop_oneof![Just(0), Just(500), Just(20_000)];
            (Just((layout, heads, rmw, pace)), asks, loss, scrub, (longest, log))
        })
        .prop_map(|((layout, heads, rmw, pace), asks, loss, scrub_at_ns, (longest_ns, log))| {
            let level = layout.level;
            let sectors = layout.pages() * SECTORS as u64;
            let mut at_ns = 0;
            let asks = asks.into_iter().map(|(gap_ns, op, first, length)| {
                at_ns += gap_ns;
                let op = if op < 5 { Op::Write } else { Op::Read };
                Ask { at_ns, op, first, sectors: length.min(sectors - first), fua: false }
            });
            let (asks, sync_max_mb_s) = (asks.collect(), [0.5, 50.0, 1e9][pace as usize]);
            let logging = if level == Level::Raid5 { log } else { Logging::None };
            let rules = Rules { logging, rmw, sync_max_mb_s, sync_min_mb_s: 0.1, ..rules(heads) };
            Case { layout, rules, longest_ns, asks, loss, scrub_at_ns }
        })
}

fn run(case: &Case) {
    let drives = case.layout.drives;
    let spare = case.loss.is_some_and(|(_, _, spare)| spare);
    let has_journal = matches!(case.rules.logging, Logging::Journal { .. });
    let members = drives + u32::from(spare) + u32::from(has_journal);
    let mut array = rig(case.layout, case.rules, members, case.longest_ns);
    if let Some((at_ns, drive, _)) = case.loss {
        array.lose_at(at_ns, DriveId(drive));
    }
    if let Some(at_ns) = case.scrub_at_ns {
        array.scrub_at(at_ns);
    }
    for &next in &case.asks {
        pass(&mut array, next.at_ns);
        ask(&mut array, next);
    }
    finish(&mut array);
    let lost = case.loss.map(|(_, drive, _)| drive).filter(|_| !spare);
    assert_eq!(array.is_degraded(), lost.is_some());
    array.core.contents.check(|drive| Some(drive) != lost.map(DriveId));
    assert_eq!(array.core.counts.mismatches, 0, "a scrub found wrong parity");
    // Everything can be read back, by whatever way the array has.
    let served = array.core.contents.served;
    let pages = case.layout.pages();
    for page in 0..pages {
        let now_ns = array.core.now_ns;
        let first = page * SECTORS as u64;
        ask(
            &mut array,
            Ask { at_ns: now_ns, op: Op::Read, first, sectors: SECTORS as u64, fua: false },
        );
    }
    finish(&mut array);
    assert_eq!(array.core.contents.served, served + pages);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_byte_stays_readable(case in cases()) {
        run(&case);
    }
}

/// One array loses a drive at every moment of a run, one after the other.
#[test]
fn a_drive_may_be_lost_at_any_moment() {
    let layout = Layout { level: Level::Raid5, drives: 4, chunk: 2, stripes: 8 };
    let sectors = layout.pages() * SECTORS as u64;
    let asks: Vec<Ask> = (0..40)
        .map(|n| {
            let first = mix(n) % (sectors - 12);
            let op = if mix(n + 99).is_multiple_of(4) { Op::Read } else { Op::Write };
            Ask { at_ns: n * 700, op, first, sectors: 1 + mix(n + 7) % 12, fua: false }
        })
        .collect();
    for at_ns in (0..40_000).step_by(111) {
        for drive in 0..4 {
            for spare in [false, true] {
                let loss = Some((at_ns, drive, spare));
                let scrub_at_ns = (at_ns % 2 == 0).then_some(at_ns / 2);
                let (rules, asks) = (rules(5), asks.clone());
                run(&Case { layout, rules, longest_ns: 3_000, asks, loss, scrub_at_ns });
            }
        }
    }
}

/// A drive is lost, and there is no spare, while a scrub wants to write a stripe whose head another
/// request waits for: that write fails at once, and the head is let go of all the same.
#[test]
fn what_a_lost_drive_would_be_written_holds_nothing_up() {
    let layout = Layout { level: Level::Raid5, drives: 3, chunk: 1, stripes: 2 };
    let ask = |first, sectors| Ask { at_ns: 0, op: Op::Write, first, sectors, fua: false };
    let asks = vec![ask(1, 6), ask(0, 7), ask(0, 7), ask(3, 6)];
    let rules = Rules { sync_min_mb_s: 0.1, sync_max_mb_s: 0.5, ..rules(1) };
    let (loss, scrub_at_ns) = (Some((43_734, 0, false)), Some(0));
    run(&Case { layout, rules, longest_ns: 20_000, asks, loss, scrub_at_ns });
}
