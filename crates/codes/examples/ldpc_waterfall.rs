//! Measures the failure rates of the stored LDPC codes and prints them as CSV: how
//! `data/ldpc/waterfall.csv` was made.
//!
//! `cargo run --release -p wordline-codes --example ldpc_waterfall [-- ROWS…]` prints what stands
//! there already and measures what is missing. Delete the lines of a decoder that has changed.

use std::ops::ControlFlow;
use wordline_codes::ecc::ldpc::Ldpc;
use wordline_codes::ecc::trials::{Outcomes, Reader};
use wordline_codes::ecc::{Measured, measured};
use wordline_codes::monte_carlo::Stop;

const SEED: u64 = 1;
const STOP: Stop = Stop { trials: 1 << 19, failures: 50 };
/// Where curves begin: every stored code loses most codewords there.
const FIRST_RBER: f64 = 0.03;
/// From one error rate to the next.
const STEP: f64 = 0.96;
/// Below this rate, where a whole step would lose more than `STEEP` of it, half a step is taken:
/// so that every curve ends near 1 to 5 codewords in 10^5.
const LOW: f64 = 1e-3;
const STEEP: f64 = 1.0 / 8.0;
/// Fewer failures end a curve: they say too little.
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
    let (mut step, mut stride, mut last_rate) = (0.0, 1.0, 1.0);
    loop {
        let rber = (FIRST_RBER * libm::pow(STEP, step) * 1e6).round() / 1e6;
        let point = point(rows, reads, rber, reader)?;
        let rate = point.tally.rate().unwrap_or(0.0);
        if point.tally.failures < FEWEST {
            return Ok(());
        }
        if rate < 1.0 {
            if let Some(above) = above.take() {
                print(&above);
            }
            print(&point);
            let mut kept = rate / last_rate; // from the last point to this one
            if stride == 1.0 && rate < LOW && kept < STEEP {
                (stride, kept) = (0.5, kept.sqrt());
            }
            // Curves get steeper: at most so many failures are to be expected of the next point.
            if rate * kept * (STOP.trials as f64) < FEWEST as f64 {
                return Ok(());
            }
            last_rate = rate;
        } else {
            above = Some(point); // only the last of these is worth a line
        }
        step += stride;
    }
}

/// The stored point, or a new one where none is stored that went as far as `STOP`.
fn point(
    rows: usize,
    reads: usize,
    rber: f64,
    reader: &Reader,
) -> Result<Measured, Box<dyn std::error::Error>> {
    let here = |point: &Measured| (point.rows, point.reads, point.rber) == (rows, reads, rber);
    let done = |point: &Measured| {
        point.tally.failures >= STOP.failures || point.tally.trials == STOP.trials
    };
    if let Some(stored) = measured().find(|point| here(point) && point.seed == SEED && done(point))
    {
        return Ok(stored);
    }
    let mut outcomes = Outcomes::default();
    let go_on = &mut |_: &Outcomes| ControlFlow::Continue(());
    reader.measure(rber, SEED, &mut outcomes, STOP, go_on)?;
    let (tally, miscorrected) = (outcomes.tally(), outcomes.miscorrected());
    let mean_rounds = outcomes.mean_rounds();
    Ok(Measured { rows, reads, rber, seed: SEED, tally, miscorrected, mean_rounds })
}

fn print(point: &Measured) {
    let Measured { rows, reads, rber, seed, tally, miscorrected, mean_rounds } = point;
    let rounds = mean_rounds.map_or(String::new(), |rounds| format!("{rounds:.3}"));
    let refused = tally.failures - miscorrected;
    println!("{rows},{reads},{rber},{seed},{},{refused},{miscorrected},{rounds}", tally.trials);
}
