//! Random operations under every rule at once.

use super::rig::*;
use proptest::prelude::*;
use wordline_sim::config::{Config, GcMode};
use wordline_sim::engine::{Scheduler, Source};
use wordline_sim::ids::DieId;
use wordline_sim::nand::command::Cause;

const CAUSES: [Cause; 3] = [Cause::Host, Cause::Gc, Cause::Mapping];

/// `(gap, die, what, cause)`; blocks 0 to 7 are erased and programmed, the rest read, and programmed in place.
type Draw = (u64, u32, u32, usize);

fn steps(draws: &[Draw]) -> Vec<Step> {
    let mut now_ns = 0;
    let mut next_page = [0; 4];
    let mut steps = Vec::new();
    for &(gap_ns, die, what, cause) in draws {
        now_ns += gap_ns;
        let page = &mut next_page[die as usize];
        let step = match what {
            0..4 => read().block(8 + what),
            8 => program().block(8).transfer(0).pass(Source::Cells),
            9 => program().block(9).transfer(0).pass(Source::Cells).urgent(),
            _ if *page == 8 => {
                *page = 0;
                erase()
            }
            _ => {
                *page += 1;
                program().page(*page - 1)
            }
        };
        steps.push(step.die(die).at(now_ns).cause(CAUSES[cause]).command(2));
    }
    steps
}

fn config(rules: u32) -> Config {
    let mut config = drive();
    config.drive.chip.cache_program = rules & 1 > 0;
    config.drive.chip.cache_read = rules & 2 > 0;
    config.drive.scheduling.suspend_program = rules & 4 > 0;
    config.drive.scheduling.suspend_erase = rules & 8 > 0;
    config.drive.scheduling.suspend_loading = rules & 32 > 0;
    if rules & 64 > 0 {
        let chip = &mut config.drive.chip;
        (chip.planes, chip.blocks_per_plane, chip.independent_plane_reads) = (8, 2, 3);
    }
    config.ftl.gc.mode = if rules & 16 > 0 { GcMode::Background } else { GcMode::Foreground };
    config
}

/// Shorter than alone no operation can be.
fn is_long_enough(steps: &[Step], ends_ns: &[u64]) -> bool {
    steps.iter().zip(ends_ns).all(|(step, &end_ns)| {
        let alone_ns = step.op.array_ns + step.op.transfer_ns + step.op.command_ns;
        end_ns >= step.at_ns + alone_ns
    })
}

/// Programs and erases of a die share a block here, but for those in place: each ends after the one before
/// it, and an erase begins only then.
fn is_in_order(steps: &[Step], ends_ns: &[u64]) -> bool {
    (0..4).all(|die| {
        let changes: Vec<(u64, u64)> = steps
            .iter()
            .zip(ends_ns)
            .filter(|(step, _)| step.op.die == DieId(die) && step.block % BLOCKS == 0)
            .map(|(step, &end_ns)| (step.op.array_ns, end_ns))
            .collect();
        changes.windows(2).all(|pair| pair[1].1 >= pair[0].1 + pair[1].0)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn everything_ends_in_order_and_nothing_overlaps(
        draws in prop::collection::vec((0u64..400, 0u32..4, 0u32..10, 0usize..3), 1..120),
        rules in 0u32..128,
    ) {
        let steps = steps(&draws);
        let config = config(rules);
        let outcome = carry_out(queued(&config), &steps);
        let end_ns = *outcome.ends_ns.iter().max().expect("there are steps");
        prop_assert!(is_long_enough(&steps, &outcome.ends_ns));
        prop_assert!(is_in_order(&steps, &outcome.ends_ns));
        let (dies, channels) = outcome.sched.busy_ns();
        prop_assert!(dies.iter().chain(&channels).all(|&busy_ns| busy_ns <= end_ns));
        let on_channels: u64 = steps.iter().map(|s| s.op.transfer_ns + s.op.command_ns).sum();
        prop_assert_eq!(channels.iter().sum::<u64>(), on_channels);
        let again = carry_out(queued(&config), &steps);
        prop_assert_eq!(outcome.ends_ns, again.ends_ns);
    }

    #[test]
    fn in_order_means_in_order(
        draws in prop::collection::vec((0u64..400, 0u32..4, 0u32..10, 0usize..3), 1..120),
        rules in 0u32..4,
    ) {
        let steps = steps(&draws);
        let outcome = carry_out(in_order(&config(rules)), &steps);
        prop_assert!(is_long_enough(&steps, &outcome.ends_ns));
        prop_assert!(is_in_order(&steps, &outcome.ends_ns));
        for die in 0..4 {
            let ends = steps.iter().zip(&outcome.ends_ns).filter(|(step, _)| step.op.die == DieId(die));
            let sorted = ends.map(|(_, &end_ns)| end_ns).collect::<Vec<_>>();
            prop_assert!(rules & 2 > 0 || sorted.is_sorted(), "{:?}", sorted);
        }
        let end_ns = *outcome.ends_ns.iter().max().expect("there are steps");
        let (dies, channels) = outcome.sched.busy_ns();
        prop_assert!(dies.iter().chain(&channels).all(|&busy_ns| busy_ns <= end_ns));
    }
}
