//! A host that never waits, and days so short that second stages come due while it writes.

use crate::common::{Dice, logical_pages};
use crate::rig::{at_ns, m1, run, tlc};
use wordline_sim::config::{Config, HostMode};
use wordline_sim::technique::lazy_ftl::{LazyFtlConfig, Moves, Written};
use wordline_trace::{Op, Request};

fn saturated() -> Config {
    let mut config = tlc(64);
    config.drive.over_provisioning = 1.0;
    (config.host.mode, config.host.queue_depth) = (HostMode::Closed, 16);
    config
}

/// IOPS of writes at random, where blocks are written in this way.
fn iops(config: &Config, mode: Written, day_s: f64) -> f64 {
    let own = LazyFtlConfig { mode, day_s, margin_s: 0.02, moves: Moves::Lazy, ..m1() };
    let (pages, mut dice) = (logical_pages(config), Dice::new(5));
    let writes: Vec<Request> =
        (0..30 * pages).map(|_| at_ns(0, Op::Write, dice.below(pages), 1)).collect();
    run(config, &own, &writes).host.iops.expect("time passed")
}

#[test]
fn the_selector_leaves_a_mode_whose_second_stages_the_drive_cannot_carry_out() {
    let config = saturated();
    let of = |mode, day_s| iops(&config, mode, day_s);
    for day_s in [0.06, 0.1, 0.2, 0.4] {
        let [m1, m30] = [Written::M1, Written::M30].map(|mode| of(mode, day_s));
        let selected = of(Written::Selected, day_s);
        assert!(m1 < 0.9 * m30, "{day_s}: {m1} and {m30} of the modes alone");
        assert!(selected > 0.95 * m30, "{day_s}: {selected}, {m30} in the slowest mode");
    }
}
