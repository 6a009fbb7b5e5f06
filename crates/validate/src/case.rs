//! A run of the simulator and what is compared in it.

use crate::{Item, Status};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use wordline_items::Served;
use wordline_sim::config::Config;
use wordline_sim::{Error, Outcome, Progress, Watch, simulate};
use wordline_trace::Source;

/// A value of theory, or of the run, from what the run gave.
pub type Value = Box<dyn Fn(&Outcome) -> f64 + Send + Sync>;

/// Makes the workload for a drive that holds this many bytes.
pub type Workload =
    Box<dyn Fn(u64) -> Result<Box<dyn Source>, wordline_trace::Error> + Send + Sync>;

/// One comparison in a run.
pub struct Check {
    /// The item's id.
    pub id: String,
    /// Where the reference comes from.
    pub source: String,
    /// Unit of both values.
    pub unit: &'static str,
    /// The deviation that still counts as agreement.
    pub tolerance: f64,
    /// What the reference served for, which decides what agreement is worth.
    pub served: Served,
    /// What theory or the publication says; may depend on what the drive turned out to be.
    pub reference: Value,
    /// What the run gave.
    pub ours: Value,
    /// What the reader must know of this comparison; may be empty.
    pub note: String,
}

/// A drive and what it is to do.
pub struct Setup {
    /// The drive and how it is run.
    pub config: Config,
    /// The workload.
    pub workload: Workload,
}

/// A run.
pub struct Case {
    /// Names the run while it goes on.
    pub id: String,
    /// The workload, in words.
    pub workload: String,
    /// What is run, or why it cannot be.
    pub setup: Result<Setup, Obstacle>,
    /// Setups with other draws, where chance moves a single run: ours is the mean over all.
    pub others: Vec<Setup>,
    /// What is compared.
    pub checks: Vec<Check>,
}

/// What keeps a comparison from being made: its verdict, and the reason.
pub type Obstacle = (Status, String);

impl Case {
    /// Runs the case. `None` when `stop` was set in the meantime.
    pub fn run(&self, stop: &AtomicBool) -> Option<Vec<Item>> {
        let outcomes = match &self.setup {
            Err(obstacle) => Err(obstacle.clone()),
            Ok(setup) => {
                let setups = std::iter::once(setup).chain(&self.others);
                match setups.map(|setup| setup.simulate(stop)).collect::<Result<Vec<_>, _>>() {
                    Err(Error::Stopped) => return None,
                    other => other.map_err(|error| (Status::Deviates, error.to_string())),
                }
            }
        };
        Some(self.checks.iter().map(|check| self.judge(check, &outcomes)).collect())
    }

    fn judge(&self, check: &Check, outcomes: &Result<Vec<Outcome>, Obstacle>) -> Item {
        let (id, source) = (check.id.as_str(), check.source.as_str());
        let note = check.note.clone();
        let item = Item {
            note,
            ..Item::new(id, source, self.workload.as_str(), check.unit, check.tolerance)
        };
        match outcomes {
            Ok(outcomes) => {
                let ours = outcomes.iter().map(&check.ours).sum::<f64>() / outcomes.len() as f64;
                item.judged_by((check.reference)(&outcomes[0]), ours, check.served)
            }
            Err((status, why)) => Item { status: *status, note: why.clone(), ..item },
        }
    }
}

impl Setup {
    fn simulate(&self, stop: &AtomicBool) -> Result<Outcome, Error> {
        let span_bytes = wordline_sim::logical_bytes(&self.config)?;
        simulate(&self.config, (self.workload)(span_bytes)?, &mut StopWhen(stop))
    }
}

/// Ends a run when the flag is set.
struct StopWhen<'a>(&'a AtomicBool);

impl Watch for StopWhen<'_> {
    fn progress(&mut self, _: Progress) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
