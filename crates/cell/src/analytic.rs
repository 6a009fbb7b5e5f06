//! The distributions that a plan makes: exact up to the grid, but for two things that it takes as
//! independent and Monte Carlo does not: a cell's speed in one program and in the next, and what
//! the same neighbour does in two steps.

use crate::retention::Rest;
use crate::{Chip, Conditions, Density, Plan, Step, WordLine};

/// The voltages of each class of a plan, on a word line of the chip under these conditions.
pub fn voltages(
    chip: &Chip,
    plan: &Plan,
    conditions: &Conditions,
    line: &WordLine,
) -> Vec<Density> {
    let programmed = programmed(chip, plan, conditions.pec, line);
    aged(chip, &programmed, conditions, line, plan.rested_h())
}

/// The voltages of each class right after the last step.
pub fn programmed(chip: &Chip, plan: &Plan, pec: f64, line: &WordLine) -> Vec<Density> {
    let erased = Density::normal(chip.erased.mean_at(pec), chip.erased.sigma);
    let mut classes = vec![erased; plan.classes.len()];
    let mut elapsed_h = 0.0;
    for step in &plan.steps {
        match step {
            Step::Program { verify, step, back_pattern } => {
                let noise = line.spread * chip.program.noise_at(pec);
                let free = chip.program.reach() + line.shift + line.reach;
                let reach = reaches(free, back_pattern);
                let speed = chip.program.speed_sigma;
                for (class, verify) in classes.iter_mut().zip(verify) {
                    if let Some(verify) = verify {
                        let verify = verify + line.shift;
                        *class = class.programmed(verify, *step, &reach, speed, noise);
                    }
                }
            }
            Step::Neighbour { rise, .. } => {
                for class in &mut classes {
                    *class = beside(class, rise);
                }
            }
            Step::Rest { hours } => {
                let rest = Conditions::fresh(pec).aged(*hours, chip.retention.reference_c);
                classes = aged(chip, &classes, &rest, line, elapsed_h);
                elapsed_h += hours;
            }
        }
    }
    classes
}

/// Where loops end that reach `free` where back-pattern takes nothing, with the shares of the cells.
fn reaches(free: f64, back_pattern: &[f64]) -> Vec<(f64, f64)> {
    let mut taken = back_pattern.to_vec();
    taken.sort_by(f64::total_cmp);
    let share = |alike: &[f64]| alike.len() as f64 / taken.len() as f64;
    // Sums of the same numbers in another order differ in their last bits.
    let same = |a: &f64, b: &f64| b - a < 1e-9;
    match taken.len() {
        0 => vec![(free, 1.0)],
        _ => taken.chunk_by(same).map(|alike| (free - alike[0], share(alike))).collect(),
    }
}

/// What a rest makes of distributions; it began `before_h` hours after the first program.
pub fn aged(
    chip: &Chip,
    classes: &[Density],
    conditions: &Conditions,
    line: &WordLine,
    before_h: f64,
) -> Vec<Density> {
    let rest = Rest::new(chip, conditions, line, before_h);
    let age = |class: &Density| {
        class
            .mapped(|v| rest.mean_after(v))
            .with_normal(rest.sigma)
            .with_fall(rest.fast_share, rest.fast_scale)
    };
    classes.iter().map(age).collect()
}

/// Cells whose neighbours' classes are equally likely.
fn beside(cells: &Density, rise: &[f64]) -> Density {
    let mut out = Density::none();
    for by in rise {
        out.add(&cells.shifted(*by), 1.0 / rise.len() as f64);
    }
    out
}
