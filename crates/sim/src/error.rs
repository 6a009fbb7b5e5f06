//! What can go wrong with a run.

use thiserror::Error as ThisError;

/// A run that cannot start or go on.
#[derive(Debug, ThisError)]
pub enum Error {
    /// A drive that cannot work, with the arithmetic.
    #[error("{what} ({help})")]
    Infeasible {
        /// What is wrong, with the numbers.
        what: String,
        /// How to mend it.
        help: String,
    },
    /// The workload cannot be read or does not fit.
    #[error(transparent)]
    Workload(#[from] wordline_trace::Error),
    /// The watcher said stop.
    #[error("stopped")]
    Stopped,
    /// A technique asked for an operation that the flash cannot carry out.
    #[error(
        "an illegal operation: {0} (the technique's rows say what a word line may take: `Transition`)"
    )]
    Illegal(String),
    /// A technique did not keep what it promised of the data.
    #[error("{0}")]
    Promise(String),
    /// An invariant of the drive does not hold: a defect of the simulator.
    #[error("internal error: {0}; please report it with the configuration and the seed")]
    Invariant(String),
}

/// What a step on the way of a request returns: an error as a pointer, so that success, too, stands in a register and
/// not in memory.
pub type Fallible<T = ()> = Result<T, Box<Error>>;

impl From<Box<Error>> for Error {
    fn from(error: Box<Error>) -> Self {
        *error
    }
}

/// A drive that cannot work.
pub(crate) fn infeasible(what: impl Into<String>, help: impl Into<String>) -> Error {
    Error::Infeasible { what: what.into(), help: help.into() }
}
