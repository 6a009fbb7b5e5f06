//! Reprograms of a TLC word line that holds two bits per cell, as steps of a plan: four states that
//! move up among the eight (see [`crate::reprogram`] for which bits that writes).

use crate::plan::{Class, Plan, Step};
use crate::{Chip, Levels};

/// States in use.
const STATES: usize = 4;
/// Most states that one reprogram moves up.
const PER_REPROGRAM: usize = 2;

/// Programs the four states to those from `first` on, where back-pattern takes these amounts.
pub fn program(chip: &Chip, first: usize, back_pattern: Vec<f64>) -> Step {
    let verify = |state: usize| (state > 0).then(|| level(chip, state));
    Step::Program {
        verify: (0..STATES).map(|k| verify(first + k)).collect(),
        step: chip.program.step,
        back_pattern,
    }
}

/// Voltage at which state `state` is verified, or the erased mean.
fn level(chip: &Chip, state: usize) -> f64 {
    if state == 0 { chip.erased.mean } else { chip.program.verify[state - 1] }
}

/// The next word line moves its states from those from `from` on, or from the erased one, to those
/// from `to` on.
pub fn neighbour(chip: &Chip, from: Option<usize>, to: usize) -> Step {
    let start = |k: usize| from.map_or(chip.erased.mean, |from| level(chip, from + k));
    let rise = |k: usize| chip.disturb.word_line * (level(chip, to + k) - start(k));
    Step::Neighbour { side: 0, rise: (0..STATES).map(rise).collect() }
}

/// How the cells above a cell, in one string, act together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// As resistances in series, each in inverse proportion to how far the pass voltage lies above the
    /// cell's threshold.
    Resistance,
    /// All, in proportion to their states.
    Proportion,
    /// The one in the highest state alone, in proportion to it.
    Highest,
}

/// Voltage of the word lines that are passed through, in units: the scale ends there.
const PASS: f64 = 512.0;

/// What the cells above take from the voltage that the last loop reaches, where their word lines, the
/// next one first, moved up so far: an amount for each combination of their states.
pub fn back_pattern(chip: &Chip, moved: &[usize], law: Law) -> Vec<f64> {
    if moved.is_empty() {
        return Vec::new();
    }
    let amount = |combination: usize| {
        let shares = moved.iter().enumerate().map(|(i, moved)| {
            let state = combination / STATES.pow(i as u32) % STATES;
            share_of_highest(chip, state + moved, law)
        });
        let together = match law {
            Law::Resistance | Law::Proportion => shares.sum::<f64>(),
            Law::Highest => shares.fold(0.0, f64::max),
        };
        chip.disturb.back_pattern * together
    };
    (0..STATES.pow(moved.len() as u32)).map(amount).collect()
}

/// What one cell above takes in `state`, as a share of what it takes in the highest state.
fn share_of_highest(chip: &Chip, state: usize, law: Law) -> f64 {
    let highest = chip.program.verify.len();
    let resistance = |state: usize| 1.0 / (PASS - level(chip, state));
    match law {
        Law::Resistance => {
            (resistance(state) - resistance(0)) / (resistance(highest) - resistance(0))
        }
        Law::Proportion | Law::Highest => state as f64 / highest as f64,
    }
}

/// These steps, and reads of the states from `first` on.
pub fn plan(chip: &Chip, first: usize, steps: Vec<Step>) -> Plan {
    let gray = Levels::Mlc.gray();
    Plan {
        classes: (0..STATES).map(|k| Class { bits: gray[k], state: first + k }).collect(),
        steps,
        references: chip.read.references[first..first + STATES - 1].to_vec(),
        regions: gray.to_vec(),
        pages: Levels::Mlc.bits(),
    }
}

/// The lower of two layers that are reprogrammed together, after so many reprograms that move its
/// states as far as one may, the upper layer going first: the worst case for back-pattern.
pub(crate) fn lower_of_two(chip: &Chip, reprograms: usize) -> Plan {
    let mut steps = vec![program(chip, 0, Vec::new()), neighbour(chip, None, 0)];
    for number in 1..=reprograms {
        let up = PER_REPROGRAM * number;
        steps.push(neighbour(chip, Some(up - PER_REPROGRAM), up));
        steps.push(program(chip, up, back_pattern(chip, &[up], Law::Resistance)));
    }
    plan(chip, PER_REPROGRAM * reprograms, steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Conditions, WordLine, analytic, read};

    #[test]
    fn cells_above_take_as_much_as_their_resistances_in_series() {
        let mut chip = Chip::preset("ressd-tlc").unwrap();
        chip.disturb.back_pattern = 30.0;
        let one = back_pattern(&chip, &[4], Law::Resistance);
        let both = back_pattern(&chip, &[4, 4], Law::Resistance);
        assert!((one[3] - 30.0).abs() < 1e-9 && (both[15] - 60.0).abs() < 1e-9);
        for (combination, taken) in both.iter().enumerate() {
            let sum = one[combination % STATES] + one[combination / STATES];
            assert!((taken - sum).abs() < 1e-9, "{combination}");
        }
        // A string conducts the worse the nearer its cells are to the pass voltage.
        let steps: Vec<f64> = one.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.windows(2).all(|pair| pair[1] > pair[0]), "{steps:?}");
        let highest = back_pattern(&chip, &[4, 4], Law::Highest);
        let proportion = back_pattern(&chip, &[4, 4], Law::Proportion);
        assert!((highest[15] - 30.0).abs() < 1e-9 && (proportion[15] - 60.0).abs() < 1e-9);
        assert_eq!(back_pattern(&chip, &[0], Law::Resistance)[0], 0.0);
    }

    #[test]
    fn reprograms_move_four_states_up_and_stay_readable() {
        let chip = Chip::preset("ressd-tlc").unwrap();
        for reprograms in 0..=2 {
            let plan = lower_of_two(&chip, reprograms);
            let fresh = Conditions::fresh(0.0);
            let classes = analytic::voltages(&chip, &plan, &fresh, &WordLine::NOMINAL);
            for (k, class) in classes.iter().enumerate() {
                let (state, mean) = (PER_REPROGRAM * reprograms + k, class.mean());
                assert!((mean - level(&chip, state)).abs() < 30.0, "{reprograms} {state}: {mean}");
            }
            let best = read::optimal_references(&plan, &classes);
            let rates = read::error_rates(&plan, &classes, &best);
            assert!(rates.iter().all(|rate| *rate < 1e-3), "{reprograms}: {rates:?}");
        }
    }
}
