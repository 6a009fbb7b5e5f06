//! Programs in two stages: a first one by larger steps, whose states hold for some days only, and a
//! second one in place, which makes them narrow (Kim and Kim, Electronics 12(4):843, 2023).

use crate::ranged::ranged;
use crate::{Chip, Conditions, Error, Plan, WordLine, analytic, read};

ranged! {
    /// The first stages that a chip is programmed by.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Stages {
        /// Days that the states of each hold for, at the reference temperature and at the end of the
        /// chip's life.
        pub days: Vec<f64> => 0.01..=3650.0,
        /// ΔV_ISPP of each, in units.
        pub step: Vec<f64> => 0.1..=200.0,
    }
}

impl Stages {
    /// Days and step of each first stage.
    pub fn each(&self) -> impl Iterator<Item = (f64, f64)> {
        self.days.iter().copied().zip(self.step.iter().copied())
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        self.check_ranges("stages")?;
        if self.days.is_empty() || self.days.len() != self.step.len() {
            let (days, steps) = (self.days.len(), self.step.len());
            let what = format!("stages.step: {steps} steps, and {days} days");
            return Err(Error::new(what, "give as many of one as of the other, and one at least"));
        }
        Ok(())
    }
}

impl Plan {
    /// The first stage by steps of `step` units, to the levels from which a second one goes on: the coarse pass of
    /// [`Plan::second_stage`] alone. It is read by the best references of an unworn word line of its own.
    pub fn first_stage(chip: &Chip, step: f64, pec: f64) -> Self {
        let mut plan = Self::second_stage(chip, step, pec, 0.0);
        plan.steps.truncate(2);
        let unworn = Conditions::fresh(0.0);
        let classes = analytic::voltages(chip, &plan, &unworn, &WordLine::NOMINAL);
        plan.references = read::optimal_references(&plan, &classes);
        plan
    }
}
