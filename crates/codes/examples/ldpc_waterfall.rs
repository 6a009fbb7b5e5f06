//! Measures the failure rates of the stored LDPC codes and prints them as CSV: how
//! `data/ldpc/waterfall.csv` was made.
//!
//! `cargo run --release -p wordline-codes --example ldpc_waterfall [-- ROWS…]`

use std::ops::ControlFlow;
use wordline_codes::ecc::ldpc::Ldpc;
use wordline_codes::ecc::trials::{Outcomes, Reader};
use wordline_codes::monte_carlo::Stop;

const SEED: u64 = 1;
const STOP: Stop = Stop { trials: 1 << 19, failures: 50 };
/// Where curves begin: every stored code loses most codewords there.
const FIRST_RBER: f64 = 0.03;
/// From one error rate to the next.
const STEP: f64 = 0.96;
/// Fewer failures end a curve: they say too little. These are one codeword in 10^5.
const FEWEST: u64 = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("# cargo run --release -p wordline-codes --example ldpc_waterfall");
    println!("rows,reads,rber,seed,trials,refused,miscorrected,mean_rounds");
    let wanted: Vec<usize> =
        std::env::args().skip(1).map(|rows| rows.parse()).collect::<Result<_, _>>()?;
    for rows in Ldpc::stored().filter(|rows| wanted.is_empty() || wanted.contains(rows)) {
        for reads in [1, 3, 7] {
            let code = Box::new(Ldpc::load(rows).ok_or("a stored code")?);
            let reader = if reads == 1 { Reader::Hard(code) } else { Reader::Soft(code, reads) };
            curve(rows, reads, &reader)?;
        }
    }
    Ok(())
}

/// Prints a curve, from where nearly every codeword is lost to where few are.
fn curve(rows: usize, reads: usize, reader: &Reader) -> Result<(), Box<dyn std::error::Error>> {
    let mut above = None;
    let mut last_rate = 1.0;
    for step in 0.. {
        let rber = (FIRST_RBER * libm::pow(STEP, f64::from(step)) * 1e6).round() / 1e6;
        let mut outcomes = Outcomes::default();
        let go_on = &mut |_: &Outcomes| ControlFlow::Continue(());
        reader.measure(rber, SEED, &mut outcomes, STOP, go_on)?;
        let tally = outcomes.tally();
        if tally.failures == tally.trials {
            above = Some((rber, outcomes)); // only the last of these is worth a line
            continue;
        }
        if let Some((rber, outcomes)) = above.take() {
            print(rows, reads, rber, &outcomes);
        }
        if tally.failures < FEWEST {
            break;
        }
        print(rows, reads, rber, &outcomes);
        // Curves get steeper: at most so many failures are to be expected of the next point.
        let rate = tally.rate().unwrap_or(0.0);
        if rate * (rate / last_rate) * (STOP.trials as f64) < FEWEST as f64 {
            break;
        }
        last_rate = rate;
    }
    Ok(())
}

fn print(rows: usize, reads: usize, rber: f64, outcomes: &Outcomes) {
    let (tally, wrong) = (outcomes.tally(), outcomes.miscorrected());
    let rounds = outcomes.mean_rounds().map_or(String::new(), |rounds| format!("{rounds:.3}"));
    let (trials, refused) = (tally.trials, tally.failures - wrong);
    println!("{rows},{reads},{rber},{SEED},{trials},{refused},{wrong},{rounds}");
}
