//! The work stealer, at the edges of its conditions.

use crate::harness::{figure, schedulers};
use crate::rig::*;
use wordline_sim::technique::centaur::{CentaurConfig, Steal};
use wordline_trace::Request;

fn stealer(when: Steal) -> CentaurConfig {
    CentaurConfig { steal: when, ..dispatcher() }
}

/// Runs requests of parts for the 3D flash and of single units; how many of the parts are stolen.
fn stolen(when: Steal, requests: &[Request]) -> u64 {
    let [_, timed @ ..] = schedulers(&two_kinds());
    let [first, second] = timed.map(|config| {
        let result = run_with(&stealer(when), &config, requests);
        // What is stolen is written page by page.
        let stolen = figure(&result, "stolen_parts");
        let singles = requests.iter().filter(|it| it.size_bytes == UNIT as u32).count() as u64;
        assert_eq!(valid(&result)[TWO_D], singles + RANGE * stolen);
        stolen
    });
    assert_eq!(first, second);
    first
}

#[test]
fn equally_full_is_not_fuller() {
    // The 3D flash has eight times the room: its 24 units are as much as 3. Neither of the first two parts
    // finds it the fuller one.
    let and = |in_2d: u64| -> Vec<Request> {
        let singles = (0..in_2d).map(|n| put(0, 600 + n, 1));
        let parts = [whole(10_000, 0), whole(20_000, 1), whole(100_000, 5)];
        singles.chain(parts).collect()
    };
    assert_eq!(stolen(Steal::AnyIdle, &and(3)), 0);
    assert_eq!(stolen(Steal::AnyIdle, &and(2)), 1);
    assert_eq!(stolen(Steal::Never, &and(2)), 0);
}

/// Both dies of the 2D flash are at work while four ranges go to the 3D flash, which is then the fuller one
/// by 48 units to 2 of eight; much later the rest.
fn after_four_ranges(when: Steal, then: &[Request]) -> u64 {
    let busy = [put(0, 600, 1), put(0, 601, 1)];
    let requests =
        busy.into_iter().chain((0..4).map(|range| whole(0, range))).chain(then.iter().copied());
    stolen(when, &requests.collect::<Vec<_>>())
}

#[test]
fn one_idle_die_is_enough_or_all_must_be() {
    let part = whole(100_000, 5);
    let busy = [put(100_000, 700, 1), part];
    assert_eq!(after_four_ranges(Steal::AnyIdle, &busy), 1);
    assert_eq!(after_four_ranges(Steal::AllIdle, &busy), 0);
    assert_eq!(after_four_ranges(Steal::AllIdle, &[part]), 1);
    let both = [put(100_000, 700, 1), put(100_000, 701, 1), part];
    assert_eq!(after_four_ranges(Steal::AnyIdle, &both), 0);
}

#[test]
fn a_die_is_idle_when_its_program_ends() {
    // 10 us on the channel of each, and 600 us.
    let at = |us| [put(100_000, 700, 1), put(100_000, 701, 1), whole(us, 5)];
    assert_eq!(after_four_ranges(Steal::AnyIdle, &at(100_609)), 0);
    assert_eq!(after_four_ranges(Steal::AnyIdle, &at(100_610)), 1);
}
