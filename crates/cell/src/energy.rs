//! Energy of operations, from what they consist of: transfers, sensings, program loops, erases.
//!
//! A loop takes as much for its pulse whatever the data, and more for its verify the more bit lines
//! conduct: those whose cell is below the level that is verified, also where it is to stay there. A
//! verify tests the lowest level that cells have still to reach.

use crate::chip::Program;
use crate::{Chip, Plan, Step};
use wordline_stats::normal_cdf;

/// Energy of a read of one page by so many sensings, in µJ.
pub fn read_uj(chip: &Chip, sensings: f64) -> f64 {
    let energy = &chip.energy;
    let per_kib = energy.transfer_uj_per_kib + sensings * energy.sense_uj_per_kib;
    f64::from(chip.geometry.page_kib) * per_kib
}

/// Cells of a word line that a program treats alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cells {
    /// Their share of the word line.
    pub share: f64,
    /// Voltage before, in units.
    pub before: f64,
    /// Verify level, in units; none where they are inhibited.
    pub verify: Option<f64>,
}

/// The loops of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loops {
    /// How many.
    pub count: f64,
    /// Shares of the bit lines that conduct in their verifies, added up.
    pub conducting: f64,
}

impl Loops {
    /// Of a program by steps of `step` units.
    pub fn new(program: &Program, step: f64, cells: &[Cells]) -> Self {
        let mut levels: Vec<f64> = cells.iter().filter_map(|cells| cells.verify).collect();
        levels.sort_by(f64::total_cmp);
        let Some(&highest) = levels.last() else { return Self { count: 0.0, conducting: 0.0 } };
        let count = program.loops(highest, step);
        let conducting = (0..count as u32).map(|number| {
            let reached = program.start + step * f64::from(number);
            let is_due = |level: &f64| level + 3.0 * program.speed_sigma > reached;
            let due = levels.iter().copied().find(is_due).unwrap_or(highest);
            cells.iter().map(|cells| cells.below(program, due, reached)).sum::<f64>()
        });
        Self { count, conducting: conducting.sum() }
    }

    /// Of each program of a plan.
    pub fn of_plan(chip: &Chip, plan: &Plan) -> Vec<Self> {
        let share = 1.0 / plan.classes.len() as f64;
        let mut before = vec![chip.erased.mean; plan.classes.len()];
        let mut all = Vec::new();
        for step in &plan.steps {
            let Step::Program { verify, step, .. } = step else { continue };
            let cells = before.iter().zip(verify);
            let cells = cells.map(|(&before, &verify)| Cells { share, before, verify });
            all.push(Self::new(&chip.program, *step, &cells.collect::<Vec<_>>()));
            for (before, verify) in before.iter_mut().zip(verify) {
                *before = verify.map_or(*before, |level| before.max(level));
            }
        }
        all
    }
}

impl Cells {
    /// Those that are below `level` once cells of middle speed that started lower stand at `reached`.
    fn below(&self, program: &Program, level: f64, reached: f64) -> f64 {
        if self.before >= level {
            return 0.0;
        }
        match self.verify {
            Some(verify) if verify >= level => {
                self.share * normal_cdf((level - reached) / program.speed_sigma)
            }
            _ => self.share,
        }
    }
}

/// Energy of a program that moves so many pages, in µJ.
pub fn program_uj(chip: &Chip, pages: f64, loops: Loops) -> f64 {
    let energy = &chip.energy;
    let per_kib = pages * energy.transfer_uj_per_kib
        + loops.count * energy.loop_uj_per_kib
        + loops.conducting * energy.conduct_uj_per_kib;
    f64::from(chip.geometry.page_kib) * per_kib
}

/// Energy of an erase of a block by so many pulses, in µJ.
pub fn erase_uj(chip: &Chip, pulses: f64) -> f64 {
    let pages = f64::from(chip.geometry.pages_per_block(chip.levels));
    pulses * chip.energy.erase_uj_per_kib * (pages * f64::from(chip.geometry.page_kib))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Program {
        Chip::preset("planar-tlc").unwrap().program
    }

    fn half(verify: Option<f64>) -> Cells {
        Cells { share: 0.5, before: -100.0, verify }
    }

    #[test]
    fn what_stays_below_conducts_in_every_verify_and_what_rises_until_it_has() {
        let program = program();
        let none = Loops::new(&program, 16.0, &[half(None), half(None)]);
        assert_eq!(none, Loops { count: 0.0, conducting: 0.0 });
        let one = Loops::new(&program, 16.0, &[half(None), half(Some(180.0))]);
        assert_eq!(one.count, program.loops(180.0, 16.0));
        // Middle cells pass after 160 of the 205 units.
        let risen = one.conducting - 0.5 * one.count;
        assert!((risen - 0.5 * 10.5).abs() < 0.3, "{risen}");
        let high = Cells { before: 200.0, ..half(None) };
        let less = Loops::new(&program, 16.0, &[high, half(Some(180.0))]);
        assert!((less.conducting - risen).abs() < 1e-9);
    }

    #[test]
    fn a_plan_goes_on_from_where_its_last_program_left_cells() {
        let chip = Chip::preset("llh-a16").unwrap();
        let plan = Plan::mode(&chip, chip.levels).unwrap();
        let loops = Loops::of_plan(&chip, &plan);
        let counts: Vec<f64> = loops.iter().map(|loops| loops.count).collect();
        assert_eq!(counts, plan.loops(&chip));
        assert!(loops.iter().all(|l| l.conducting > 0.25 * l.count && l.conducting < l.count));
    }
}
