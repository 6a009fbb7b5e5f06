//! The checks of the simulator against theory, against what its timing allows, against the published
//! runs of another simulator, against published logs of real drives, and against an emulator's of placement.

mod case;
mod disksim;
pub mod drives;
mod fdp;
mod theory;
mod timing;

use case::{Case, Workload};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
pub use wordline_items::{Item, Status};
use wordline_sim::Error;
use wordline_trace::{GeneratorContext, from_spec};

/// Seed of every generated workload.
const SEED: u64 = 1;

/// A set of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    /// Write amplification against closed forms.
    Theory,
    /// Throughput and latency against what geometry and timing allow.
    Timing,
    /// The published runs of DiskSim with Microsoft's SSD model.
    Disksim,
    /// Published logs of drives that can be bought.
    Drives,
    /// Published runs of an emulated drive with placement identifiers.
    Fdp,
}

impl Suite {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Theory, Self::Timing, Self::Disksim, Self::Drives, Self::Fdp];

    /// Its name in commands and ids.
    pub fn name(self) -> &'static str {
        match self {
            Self::Theory => "theory",
            Self::Timing => "timing",
            Self::Disksim => "disksim",
            Self::Drives => "drives",
            Self::Fdp => "fdp",
        }
    }

    fn cases(self, quick: bool) -> Vec<Case> {
        match self {
            Self::Theory => theory::cases(quick),
            Self::Timing => timing::cases(quick),
            Self::Disksim => disksim::cases(quick),
            Self::Drives => drives::cases(quick),
            Self::Fdp => fdp::cases(quick),
        }
    }
}

/// How far a suite has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Runs done.
    pub done: usize,
    /// Runs in all.
    pub total: usize,
    /// The run that was finished last; empty before the first.
    pub id: &'a str,
}

/// Runs a suite on all processors; `quick` keeps to a part of it that takes seconds. `progress` is
/// called on this thread after each run and at least ten times a second, and may stop the rest.
///
/// A run that fails is an item that deviates, with the reason in its note; one that lacks its trace
/// is an item that was skipped. Items come in the order of the suite, whichever run ended first.
///
/// # Errors
/// [`Error::Stopped`] when `progress` said so.
pub fn run(
    suite: Suite,
    quick: bool,
    progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<Vec<Item>, Error> {
    let cases = suite.cases(quick);
    let stop = AtomicBool::new(false);
    let (sender, receiver) = channel();
    let mut items: Vec<Option<Vec<Item>>> = vec![None; cases.len()];
    rayon::in_place_scope(|scope| {
        for (index, case) in cases.iter().enumerate() {
            let (sender, stop) = (sender.clone(), &stop);
            scope.spawn(move |_| {
                // The receiver outlives the scope, so sending cannot fail.
                let _ = sender.send((index, case.run(stop)));
            });
        }
        collect(&receiver, &cases, &stop, &mut items, progress);
    });
    let items: Option<Vec<Vec<Item>>> = items.into_iter().collect();
    Ok(items.ok_or(Error::Stopped)?.into_iter().flatten().collect())
}

fn collect(
    receiver: &Receiver<(usize, Option<Vec<Item>>)>,
    cases: &[Case],
    stop: &AtomicBool,
    items: &mut [Option<Vec<Item>>],
    progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
) {
    let total = cases.len();
    let (mut done, mut id) = (0, "");
    while done < total {
        match receiver.recv_timeout(Duration::from_millis(100)) {
            Ok((index, found)) => {
                items[index] = found;
                id = &cases[index].id;
                done += 1;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if progress(Progress { done, total, id }).is_break() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// A generator's workload, from its specification, over the whole drive.
fn generated(spec: String) -> Workload {
    Box::new(move |span_bytes| from_spec(&spec, &GeneratorContext::on_drive(span_bytes, SEED)))
}

#[cfg(test)]
mod tests;
