//! A large drive before its first request: how long it takes, and what it takes of memory.

use crate::case::{Case, Goal, Measured};
use crate::replays::{Extent, SET_UP};
use wordline_sim::Own;
use wordline_sim::metrics::RunResult;

/// Each sets a drive of 1 TiB up, with pages of 4 KiB.
pub const CASES: &[Case] = &[
    Case {
        goal: Goal { name: "set-up/1t", unit: "s", value: 2.0, at_least: false },
        run: |tiny| measure(tiny, |result| result.simulator.wall_s - result.simulator.run_s),
    },
    Case {
        goal: Goal { name: "memory/1t", unit: "bytes/page", value: 8.5, at_least: false },
        run: |tiny| {
            measure(tiny, |result| {
                let bytes = result.simulator.peak_rss_mib * (1 << 20) as f64;
                bytes / result.capacity.physical_pages as f64
            })
        },
    },
];

fn measure(tiny: bool, figure: fn(&RunResult) -> f64) -> Result<Measured, String> {
    let extent = if tiny { Extent::Tiny } else { Extent::First(1) };
    let result = SET_UP.run(extent, Own::default())?;
    Ok(Measured { value: figure(&result), peak_rss_mib: result.simulator.peak_rss_mib })
}
