//! Progress for Python, and Ctrl-C.

use crate::failure::Failure;
use crate::own::Raised;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use wordline_sim::{Progress, Watch};

/// Python is asked this often: signals are noticed at once, and the lock costs nothing.
const PERIOD: Duration = Duration::from_millis(100);

/// Passes progress on to a callable and stops the run when it raises or a signal has come.
pub struct PythonWatch {
    callback: Option<Py<PyAny>>,
    last: Instant,
    raised: Raised,
}

impl PythonWatch {
    /// Watches for signals, for `callback(phase, done, total, simulated_ns)` where given, and for
    /// what policies raise.
    pub fn new(callback: Option<Py<PyAny>>, raised: Raised) -> Self {
        Self { callback, last: Instant::now(), raised }
    }

    /// What the run gave, or the exception that Python raised meanwhile.
    pub fn explain<T>(self, outcome: Result<T, wordline_sim::Error>) -> Result<T, Failure> {
        match self.raised().take() {
            Some(error) => Err(Failure::Python(error)),
            None => Ok(outcome?),
        }
    }

    fn raised(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, progress: Progress) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            if let Some(callback) = &self.callback {
                let Progress { phase, done, total, simulated_ns } = progress;
                callback.call1(py, (phase, done, total, simulated_ns))?;
            }
            Ok(())
        })
    }
}

impl Watch for PythonWatch {
    fn progress(&mut self, progress: Progress) -> ControlFlow<()> {
        if self.last.elapsed() < PERIOD {
            return ControlFlow::Continue(());
        }
        self.last = Instant::now();
        if let Err(error) = self.tell(progress) {
            self.raised().get_or_insert(error);
        }
        match *self.raised() {
            None => ControlFlow::Continue(()),
            Some(_) => ControlFlow::Break(()),
        }
    }
}
