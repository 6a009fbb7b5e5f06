//! What happens to a word line from its erase to its last program.

use crate::{Chip, Levels};

/// Cells that hold the same bits and were programmed alike. All classes are equally likely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// Bits that the cell shall be read as, bit p for page p.
    pub bits: u8,
    /// State that it ends in.
    pub state: usize,
}

/// One thing that happens.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The word line is programmed.
    Program {
        /// Verify level of each class, in units; none where its cells are inhibited.
        verify: Vec<Option<f64>>,
        /// ΔV_ISPP in units.
        step: f64,
        /// What back-pattern takes from the voltage that the last loop reaches, in units: as many
        /// amounts as the cells above a cell may stand in states together, all equally likely, at
        /// most 16; none where nothing above is programmed.
        back_pattern: Vec<f64>,
    },
    /// A neighbouring word line is programmed.
    Neighbour {
        /// Which: 0 the next one, 1 the one before.
        side: usize,
        /// How far it raises the cells beside its cells of each class, in units.
        rise: Vec<f64>,
    },
    /// Time passes, in hours, at the chip's reference temperature.
    Rest {
        /// Hours.
        hours: f64,
    },
}

/// Most classes: cells draw theirs from four random bits.
pub(crate) const MOST_CLASSES: usize = 16;

/// Steps, the classes that they make, and how the word line is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The classes; 2, 4, 8 or 16 of them.
    pub classes: Vec<Class>,
    /// Steps in order.
    pub steps: Vec<Step>,
    /// Default references, in units, the lowest first.
    pub references: Vec<f64>,
    /// Bits that are read below the first reference, between it and the next, and so on.
    pub regions: Vec<u8>,
    /// Number of pages.
    pub pages: usize,
}

impl Plan {
    /// All pages at once by one pass of pulses, then the next word line likewise.
    pub fn one_shot(chip: &Chip) -> Self {
        Self::in_states(chip, chip.levels, 0)
    }

    /// As [`Plan::one_shot`], by steps of `step` units.
    pub fn one_pass(chip: &Chip, step: f64) -> Self {
        let mut plan = Self::one_shot(chip);
        if let Some(Step::Program { step: own, .. }) = plan.steps.first_mut() {
            *own = step;
        }
        plan
    }

    /// As [`Plan::one_shot`], with the states `first..` of the chip standing for those of `levels`.
    pub(crate) fn in_states(chip: &Chip, levels: Levels, first: usize) -> Self {
        let gray = levels.gray();
        let states = levels.states();
        Self {
            classes: (0..states).map(|s| Class { bits: gray[s], state: first + s }).collect(),
            steps: program_and_neighbour(chip, &chip.program.verify[first..first + states - 1]),
            references: chip.read.references[first..first + states - 1].to_vec(),
            regions: gray.to_vec(),
            pages: levels.bits(),
        }
    }

    /// All pages by a coarse pass whose levels lie `lower` units lower and whose steps are `factor`
    /// times as large, the neighbour's coarse pass, `idle_h` hours, the fine pass, and the
    /// neighbour's (Kim and Kim, Electronics 12(4):843, 2023, Section 2.2).
    pub fn coarse_fine(chip: &Chip, lower: f64, factor: f64, idle_h: f64) -> Self {
        let mut plan = Self::one_shot(chip);
        let fine = &chip.program.verify;
        let coarse: Vec<f64> = fine.iter().map(|v| v - lower).collect();
        let erased = chip.erased.mean;
        let up = |from: f64, to: f64| chip.disturb.word_line * (to - from);
        let program = |levels: &[f64], step: f64| Step::Program {
            verify: with_erased(levels),
            step,
            back_pattern: Vec::new(),
        };
        let rise = |of: &dyn Fn(usize) -> f64| Step::Neighbour {
            side: 0,
            rise: std::iter::once(0.0).chain((0..fine.len()).map(of)).collect(),
        };
        plan.steps = vec![
            program(&coarse, factor * chip.program.step),
            rise(&|k| up(erased, coarse[k])),
            Step::Rest { hours: idle_h },
            program(fine, chip.program.step),
            rise(&|k| up(coarse[k], fine[k])),
        ];
        plan
    }

    /// The second stage, `idle_h` hours after a first one by steps of `step` units, with the first one
    /// before it (Kim and Kim, Electronics 12(4):843, 2023, Section 3.1). The first one's levels lie so
    /// low that nearly every cell takes part in the second, at whatever wear up to `pec` cycles.
    pub fn second_stage(chip: &Chip, step: f64, pec: f64, idle_h: f64) -> Self {
        let lower = step + 3.0 * chip.program.noise_at(pec);
        Self::coarse_fine(chip, lower, step / chip.program.step, idle_h)
    }

    /// Hours of rest between the first program and the last.
    pub fn rested_h(&self) -> f64 {
        self.steps
            .iter()
            .map(|step| if let Step::Rest { hours } = step { *hours } else { 0.0 })
            .sum()
    }

    /// Loops of each program in turn.
    pub fn loops(&self, chip: &Chip) -> Vec<f64> {
        let of = |step: &Step| match step {
            Step::Program { verify, step, .. } => {
                let highest = verify.iter().flatten().copied().fold(f64::MIN, f64::max);
                Some(chip.program.loops(highest, *step))
            }
            Step::Neighbour { .. } | Step::Rest { .. } => None,
        };
        self.steps.iter().filter_map(of).collect()
    }

    /// Sensings of a read of `page`: references between regions in which its bit differs.
    pub fn sensings(&self, page: usize) -> usize {
        let differs = |pair: &&[u8]| (pair[0] ^ pair[1]) >> page & 1 == 1;
        self.regions.windows(2).filter(differs).count()
    }

    /// What each class should be read as in region `region`: the pages that would be wrong.
    pub(crate) fn wrong(&self, class: usize, region: usize) -> u8 {
        self.classes[class].bits ^ self.regions[region]
    }
}

/// A program of all states to `verify`, then the next word line's.
pub(crate) fn program_and_neighbour(chip: &Chip, verify: &[f64]) -> Vec<Step> {
    let rise = |v: Option<f64>| v.map_or(0.0, |v| chip.disturb.word_line * (v - chip.erased.mean));
    let verify = with_erased(verify);
    let rise = verify.iter().map(|v| rise(*v)).collect();
    vec![
        Step::Program { verify, step: chip.program.step, back_pattern: Vec::new() },
        Step::Neighbour { side: 0, rise },
    ]
}

/// Levels by class, where class 0 stays erased.
fn with_erased(verify: &[f64]) -> Vec<Option<f64>> {
    std::iter::once(None).chain(verify.iter().copied().map(Some)).collect()
}
