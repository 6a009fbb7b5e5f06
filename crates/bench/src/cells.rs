//! Benchmarks of the cell laboratory.

use crate::case::{Case, Goal, Measured};
use std::ops::ControlFlow;
use std::time::Instant;
use wordline_cell::campaign::{Campaign, Settings};
use wordline_cell::monte_carlo::{Identity, MonteCarlo};
use wordline_cell::{Chip, Conditions, Plan, WordLine, analytic, read};
use wordline_sim::peak_rss_mib;

/// All of them.
pub const CASES: &[Case] = &[
    Case {
        goal: Goal {
            name: "cell/monte_carlo/tlc",
            unit: "M cells/s",
            value: 100.0,
            at_least: true,
        },
        run: |tiny| monte_carlo(if tiny { 100_000 } else { 50_000_000 }),
    },
    Case {
        goal: Goal {
            name: "cell/analytic/tlc",
            unit: "word lines/s",
            value: 100.0,
            at_least: true,
        },
        run: |tiny| analytic(if tiny { 2 } else { 200 }),
    },
    Case {
        goal: Goal {
            name: "cell/campaign/lazyrs",
            unit: "s, 11 million pages of 160 chips, two threads",
            value: 120.0,
            at_least: false,
        },
        run: |tiny| campaign(if tiny { (2, 1152) } else { (160, 11_059_200) }),
    },
];

fn aged() -> Conditions {
    Conditions { reads: 1e4, ..Conditions::fresh(2000.0).aged(8760.0, 30.0) }
}

/// Cells programmed in one pass, disturbed by a neighbour, aged by a year, and read.
fn monte_carlo(cells: u32) -> Result<Measured, String> {
    let chip = Chip::preset("planar-tlc").map_err(|error| error.to_string())?;
    let plan = Plan::one_shot(&chip);
    let campaign = MonteCarlo::new(&chip, &plan, &aged(), &WordLine::NOMINAL, &plan.references)
        .map_err(|error| error.to_string())?;
    let identity = Identity { seed: 1, chip: 0, block: 0, word_line: 0 };
    let start = Instant::now();
    let tally = campaign.read(identity, 0..cells);
    let value = tally.cells as f64 / start.elapsed().as_secs_f64() / 1e6;
    Ok(Measured { value, peak_rss_mib: peak_rss_mib() })
}

/// Pages of many chips after a year, each word line's own error rates and each page's worst codeword:
/// as many as Kim and Kim measured (Electronics 12(4):843, 2023, Section 3.2).
fn campaign((chips, pages): (u32, u64)) -> Result<Measured, String> {
    let settings = Settings {
        mode: None,
        conditions: Conditions::fresh(1000.0).aged(8760.0, 30.0),
        is_optimal: true,
        chips,
        pages,
        precision: 0.0,
        confidence: 0.95,
        seed: 1,
        threads: 2,
    };
    let chip = Chip::preset("lazyrs-tlc").map_err(|error| error.to_string())?;
    let start = Instant::now();
    let mut campaign =
        Campaign::new(chip, settings, Vec::new()).map_err(|error| error.to_string())?;
    campaign.run(|_| ControlFlow::Continue(()));
    std::hint::black_box(campaign.outcome());
    Ok(Measured { value: start.elapsed().as_secs_f64(), peak_rss_mib: peak_rss_mib() })
}

/// Distributions of pages after a year: error rates of all pages of a word line, at the best references.
fn analytic(word_lines: u32) -> Result<Measured, String> {
    let chip = Chip::preset("planar-tlc").map_err(|error| error.to_string())?;
    let plan = Plan::one_shot(&chip);
    let start = Instant::now();
    for number in 0..word_lines {
        let line = WordLine { shift: f64::from(number) * 1e-3, ..WordLine::NOMINAL };
        let classes = analytic::voltages(&chip, &plan, &aged(), &line);
        let references = read::optimal_references(&plan, &classes);
        std::hint::black_box(read::error_rates(&plan, &classes, &references));
    }
    let value = f64::from(word_lines) / start.elapsed().as_secs_f64();
    Ok(Measured { value, peak_rss_mib: peak_rss_mib() })
}
