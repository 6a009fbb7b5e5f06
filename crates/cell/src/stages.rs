//! Programs in two stages: a first one by larger steps, whose states hold for some days only, and a
//! second one in place, which makes them narrow (Kim and Kim, Electronics 12(4):843, 2023).

use crate::Error;
use crate::ranged::ranged;

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
