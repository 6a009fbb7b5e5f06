//! MLC that is programmed page by page: the low page takes cells from the erased state to a
//! temporary one, the high page from these two to the four final states (Margaglia et al., FAST
//! 2016, Figure 1); and what comes of programming a page a second time without an erase.
//!
//! A program of the high page first reads the low one inside the chip, by the reference between the
//! erased and the temporary state. That is right while the high page is erased. Once P1 is in use,
//! which lies above that reference, its cells are taken for ones whose low bit is 0.

use crate::chip::PageWise;
use crate::energy::Cells;
use crate::plan::{Class, Plan, Step};
use crate::{Chip, Density, Error, Levels};

/// How likely a 0 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// One half in both pages.
    Even,
    /// Three quarters in the low page, one half in the high one: what low pages hold after a second
    /// write (Section 3.3 of the publication).
    MoreZeros,
}

/// In which order the pages of a block are programmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each low page, then the high page of the word line before.
    Regular,
    /// All low pages; then each low page anew and its high page.
    LowLowHigh,
}

/// Final states, all equally likely, and whether the cell was in the temporary state before the word
/// line's last round.
const EVEN: [(usize, bool); 4] = [(0, false), (1, false), (2, true), (3, true)];
/// Half of the cells are in the temporary state after the first round; half of the others rise to
/// it in the second.
const MORE_ZEROS: [(usize, bool); 8] =
    [(0, false), (1, false), (2, true), (2, true), (2, false), (3, true), (3, true), (3, false)];

impl Pattern {
    fn cells(self) -> &'static [(usize, bool)] {
        match self {
            Self::Even => &EVEN,
            Self::MoreZeros => &MORE_ZEROS,
        }
    }
}

/// A chip's page-wise programs.
#[derive(Debug, Clone, Copy)]
pub struct Pages<'a> {
    chip: &'a Chip,
    /// Its parameters.
    pub own: PageWise,
}

impl<'a> Pages<'a> {
    /// The page-wise programs of a chip.
    ///
    /// # Errors
    /// A chip that is not MLC, or whose file does not say how it programs page by page.
    pub fn of(chip: &'a Chip) -> Result<Self, Error> {
        match chip.page_wise {
            Some(own) if chip.levels == Levels::Mlc => Ok(Self { chip, own }),
            _ => {
                Err(Error::new("not programmed page by page", "take an MLC chip with [page_wise]"))
            }
        }
    }

    /// What happens to a word line and its neighbour.
    pub fn plan(&self, pattern: Pattern, order: Order) -> Plan {
        let cells = pattern.cells();
        let gray = Levels::Mlc.gray();
        let classes: Vec<Class> =
            cells.iter().map(|(state, _)| Class { bits: gray[*state], state: *state }).collect();
        let low: Vec<_> =
            cells.iter().map(|(state, _)| (*state >= 2).then_some(self.own.low_verify)).collect();
        let high: Vec<_> = cells.iter().map(|(state, _)| self.level(*state)).collect();
        let program = |verify: &[Option<f64>], step: f64| Step::Program {
            verify: verify.to_vec(),
            step,
            back_pattern: Vec::new(),
        };
        let steps = vec![
            program(&low, self.own.low_step),
            program(&high, self.chip.program.step),
            Step::Neighbour { side: 0, rise: self.rises(cells, order) },
        ];
        Plan {
            classes,
            steps,
            references: self.chip.read.references.clone(),
            regions: gray.to_vec(),
            pages: 2,
        }
    }

    /// Low pages alone, as they are after the first round.
    pub fn first_round(&self) -> Plan {
        let rise = self.chip.disturb.word_line * (self.own.low_verify - self.chip.erased.mean);
        Plan {
            classes: vec![Class { bits: 1, state: 0 }, Class { bits: 0, state: 1 }],
            steps: vec![
                Step::Program {
                    verify: vec![None, Some(self.own.low_verify)],
                    step: self.own.low_step,
                    back_pattern: Vec::new(),
                },
                Step::Neighbour { side: 0, rise: vec![0.0, rise] },
            ],
            references: vec![self.own.low_reference],
            regions: vec![1, 0],
            pages: 1,
        }
    }

    /// How far the next word line raises these cells after they are final. In regular order its low
    /// page was programmed before.
    fn rises(&self, cells: &[(usize, bool)], order: Order) -> Vec<f64> {
        let rise = |&(state, was_temporary): &(usize, bool)| {
            let is_low_done = state >= 2 && (was_temporary || order == Order::Regular);
            let from = if is_low_done { self.own.low_verify } else { self.chip.erased.mean };
            self.level(state).map_or(0.0, |to| self.chip.disturb.word_line * (to - from))
        };
        cells.iter().map(rise).collect()
    }

    fn level(&self, state: usize) -> Option<f64> {
        (state > 0).then(|| self.chip.program.verify[state - 1])
    }

    /// The cells of a word line before its low page is programmed: for the first time, or again
    /// with these data after even ones.
    pub fn low_cells(&self, pattern: Pattern, is_again: bool) -> Vec<Cells> {
        self.alike(pattern, |state, was_temporary| {
            let before = if is_again && was_temporary { Some(self.own.low_verify) } else { None };
            (before, (state >= 2).then_some(self.own.low_verify))
        })
    }

    /// The cells of a word line before its high page is programmed.
    pub fn high_cells(&self, pattern: Pattern) -> Vec<Cells> {
        self.alike(pattern, |state, _| {
            ((state >= 2).then_some(self.own.low_verify), self.level(state))
        })
    }

    /// Voltage before, if not erased, and verify level by final state and by whether the cell was in
    /// the temporary state.
    fn alike(
        &self,
        pattern: Pattern,
        of: impl Fn(usize, bool) -> (Option<f64>, Option<f64>),
    ) -> Vec<Cells> {
        let share = 1.0 / pattern.cells().len() as f64;
        let one = |&(state, was_temporary): &(usize, bool)| {
            let (before, verify) = of(state, was_temporary);
            Cells { share, before: before.unwrap_or(self.chip.erased.mean), verify }
        };
        pattern.cells().iter().map(one).collect()
    }

    /// Wear of a cycle with these data, against one with as many zeros as ones: the charge is in
    /// proportion to the mean rise of the cells.
    pub fn wear(&self, pattern: Pattern) -> f64 {
        let charge = |pattern: Pattern| -> f64 {
            let rise = |&(state, _): &(usize, bool)| {
                self.level(state).map_or(0.0, |level| level - self.chip.erased.mean)
            };
            let cells = pattern.cells();
            cells.iter().map(rise).sum::<f64>() / cells.len() as f64
        };
        1.0 + self.own.charge_share * (charge(pattern) / charge(Pattern::Even) - 1.0)
    }

    /// Programs the low page where the high one is erased.
    pub fn low(&self, cells: &Density, bit: bool) -> Density {
        if bit { cells.clone() } else { self.raised(cells, self.own.low_verify, self.own.low_step) }
    }

    /// Programs the low page again where the high one is programmed; what reads as 0 already is
    /// inhibited.
    pub fn low_again(&self, cells: &Density, bit: bool) -> Density {
        if bit {
            return cells.clone();
        }
        let (ones, zeros) = cells.split(self.chip.read.references[1]);
        let mut out = self.raised(&ones, self.own.low_verify_after_high, self.own.low_step);
        out.add(&zeros, 1.0);
        out
    }

    /// Programs the high page, over whatever the low one is read as inside the chip.
    pub fn high(&self, cells: &Density, bit: bool) -> Density {
        let (ones, zeros) = cells.split(self.own.low_reference);
        let step = self.chip.program.step;
        let verify = &self.chip.program.verify;
        let mut out = if bit { ones } else { self.raised(&ones, verify[0], step) };
        out.add(&self.raised(&zeros, verify[if bit { 2 } else { 1 }], step), 1.0);
        out
    }

    /// Programs the high page again, where the chip does.
    pub fn high_again(&self, cells: &Density, bit: bool) -> Density {
        if self.own.high_again { self.high(cells, bit) } else { cells.clone() }
    }

    fn raised(&self, cells: &Density, verify: f64, step: f64) -> Density {
        let program = &self.chip.program;
        let reach = [(program.reach(), 1.0)];
        cells.programmed(verify, step, &reach, program.speed_sigma, program.noise_at(0.0))
    }

    /// The state that most of these cells are read as, and the share that is.
    pub fn read_as(&self, cells: &Density) -> (usize, f64) {
        let references = &self.chip.read.references;
        let mut below: Vec<f64> = references.iter().map(|r| cells.below(*r)).collect();
        below.push(cells.mass());
        let share = |state: usize| below[state] - if state == 0 { 0.0 } else { below[state - 1] };
        let most = (0..below.len()).max_by(|a, b| share(*a).total_cmp(&share(*b))).unwrap_or(0);
        (most, share(most) / cells.mass())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Conditions, WordLine, analytic};

    fn chip() -> Chip {
        Chip::preset("llh-a16").unwrap()
    }

    #[test]
    fn pages_one_after_the_other_give_the_four_states() {
        let chip = chip();
        let pages = Pages::of(&chip).unwrap();
        let erased = Density::normal(chip.erased.mean, chip.erased.sigma);
        for (low, high, state) in
            [(true, true, 0), (true, false, 1), (false, false, 2), (false, true, 3)]
        {
            let cells = pages.high(&pages.low(&erased, low), high);
            let (found, share) = pages.read_as(&cells);
            assert!(found == state && share > 0.99, "{low} {high}: {found}, {share}");
            assert!((cells.mass() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn the_plan_and_the_single_steps_agree() {
        let chip = chip();
        let pages = Pages::of(&chip).unwrap();
        let plan = pages.plan(Pattern::Even, Order::Regular);
        let quiet = Chip {
            disturb: crate::chip::Disturb { word_line: 0.0, ..chip.disturb },
            ..chip.clone()
        };
        let quiet_pages = Pages::of(&quiet).unwrap();
        let quiet_plan = quiet_pages.plan(Pattern::Even, Order::Regular);
        let classes = analytic::programmed(&quiet, &quiet_plan, 0.0, &WordLine::NOMINAL);
        let erased = Density::normal(chip.erased.mean, chip.erased.sigma);
        let p3 = quiet_pages.high(&quiet_pages.low(&erased, false), true);
        assert!((classes[3].mean() - p3.mean()).abs() < 0.1);
        assert_eq!(plan.classes.len(), 4);
        let disturbed =
            analytic::voltages(&chip, &plan, &Conditions::fresh(0.0), &WordLine::NOMINAL);
        assert!(disturbed[0].mean() >= classes[0].mean());
    }

    #[test]
    fn more_zeros_wear_more_and_disturb_more_in_another_order() {
        let chip = chip();
        let pages = Pages::of(&chip).unwrap();
        assert_eq!(pages.wear(Pattern::Even), 1.0);
        assert!(pages.wear(Pattern::MoreZeros) > 1.05);
        let mean = |order| -> f64 {
            let rises = pages.rises(&MORE_ZEROS, order);
            rises.iter().sum::<f64>() / rises.len() as f64
        };
        assert!(mean(Order::LowLowHigh) > mean(Order::Regular));
    }

    #[test]
    fn chips_without_page_wise_programs_are_refused() {
        let tlc = Chip::preset("planar-tlc").unwrap();
        assert!(Pages::of(&tlc).unwrap_err().help.contains("MLC"));
    }
}
